# shellcheck shell=bash
# Shared by the scripts in this folder: source it, do not run it.
#
# MULLIGAN_JOBS          parallel compile jobs (default: processors, at most
#                        one per 1.5 GB of free memory)
# MULLIGAN_SKIP_INSTALL  1: never install packages
# MULLIGAN_GIT_COMMIT    commit to report where there is no git checkout

set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# The scripts that source this file use these lists.
# shellcheck disable=SC2034
BUILD_PACKAGES=(
  ca-certificates ccache cmake g++ git ninja-build pkg-config
  libabsl-dev libcivetweb-dev libcli11-dev libgmock-dev libgrpc++-dev
  libgtest-dev libmimalloc-dev libprotobuf-dev libprotoc-dev libre2-dev
  libspdlog-dev libssl-dev libyaml-cpp-dev nlohmann-json3-dev
  libsimdjson-dev prometheus-cpp-dev zlib1g-dev
  protobuf-compiler protobuf-compiler-grpc python3
)
# The cross compiler, and what unpacks libraries for it.
# shellcheck disable=SC2034
ARM64_PACKAGES=(g++-aarch64-linux-gnu mmdebstrap)
# Lays out the shipped server.
# shellcheck disable=SC2034
LAYOUT_PACKAGES=(bolt-15)
# shellcheck disable=SC2034
TEST_PACKAGES=(python3 python3-jsonschema python3-yaml)
# Renders pages.
# shellcheck disable=SC2034
BROWSER_PACKAGES=(chromium chromium-driver)
# The compiler, its sanitizers, and the symbolizer for their reports.
# shellcheck disable=SC2034
CLANG_PACKAGES=(clang-14 libclang-rt-14-dev llvm-14)
# shellcheck disable=SC2034
LINT_PACKAGES=(clang-format-14 git python3 shellcheck)
# shellcheck disable=SC2034
TIDY_PACKAGES=(clang-14 clang-tidy-14)
# Renders and pushes the chart, for go_tool.
# shellcheck disable=SC2034
HELM=helm.sh/helm/v3@v3.19.0

say() { printf '==> %s\n' "$*"; }
skipped() { printf 'skipped: %s\n' "$*"; }
die() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

have() { command -v "$1" >/dev/null 2>&1; }

# Prints the arguments that are not installed, one a line.
missing_packages() {
  local installed
  installed=$(dpkg-query -W -f='${Package} ${db:Status-Status}\n' "$@" \
    2>/dev/null | sed -n 's/ installed$//p' || true)
  printf '%s\n' "$@" | grep -vxF "$installed" || true
}

is_debian_12() {
  [[ -r /etc/os-release ]] &&
    (. /etc/os-release && [[ ${ID:-} == debian && ${VERSION_ID:-} == 12 ]])
}

# ensure_packages PACKAGE...: installs only what is missing.
ensure_packages() {
  [[ ${MULLIGAN_SKIP_INSTALL:-0} == 1 ]] && return
  if ! is_debian_12; then
    local found
    found=$( (. /etc/os-release && printf '%s' "$PRETTY_NAME") 2>/dev/null ||
      uname -sr)
    die "packages are installed on Debian 12 only, this is $found.
  Install the equivalents of: $*
  then run again with MULLIGAN_SKIP_INSTALL=1."
  fi
  local missing
  mapfile -t missing < <(missing_packages "$@")
  ((${#missing[@]})) || return 0

  local as_root=()
  if ((EUID != 0)); then
    have sudo || die "not root and no sudo; run as root:
  apt-get install --no-install-recommends ${missing[*]}"
    as_root=(sudo)
  fi
  say "installing ${#missing[@]} Debian packages: ${missing[*]}"
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive
    apt-get -qq -o Dpkg::Use-Pty=0)
  "${apt[@]}" update || die "apt-get update failed"
  "${apt[@]}" install -y --no-install-recommends "${missing[@]}" >/dev/null ||
    die "apt-get could not install: ${missing[*]}"
}

# stripped PROGRAM FILE: writes it as it is shipped, without debug data and the build id made
# from it, so that the same sources in any folder give the same bytes.
stripped() {
  "${STRIP:-strip}" --strip-all --remove-section=.comment \
    --remove-section=.note.gnu.build-id -o "$2" "$1"
}

jobs() {
  if [[ -n ${MULLIGAN_JOBS:-} ]]; then
    printf '%s' "$MULLIGAN_JOBS"
    return
  fi
  local by_cpu by_memory
  by_cpu=$(nproc)
  by_memory=$(awk '/^MemAvailable:/ {print int($2 / 1500000)}' /proc/meminfo)
  ((by_memory >= 1)) || by_memory=1
  printf '%s' $((by_cpu < by_memory ? by_cpu : by_memory))
}

# configure PRESET [CMAKE ARGUMENT...]: quiet unless it fails.
configure() {
  local preset=$1 log commit=${MULLIGAN_GIT_COMMIT:-}
  shift
  [[ -z $commit ]] || set -- "-DMULLIGAN_GIT_COMMIT=$commit" "$@"
  log=$(mktemp)
  if ! (cd "$ROOT" && cmake --preset "$preset" "$@" >"$log" 2>&1); then
    cat "$log" >&2
    rm -f "$log"
    die "configuring preset '$preset' failed"
  fi
  rm -f "$log"
}

# build PRESET [TARGET...]: all targets when none is named.
build() {
  local preset=$1 targets=()
  shift
  (($#)) && targets=(--target "$@")
  (cd "$ROOT" && cmake --build --preset "$preset" -j "$(jobs)" \
    "${targets[@]}")
}

# go_tool FOLDER NAME MODULE@VERSION [PACKAGE]: builds FOLDER/bin/NAME once, in its own module
# that requires MODULE@VERSION, because `go install` fetches more than it needs. PACKAGE is the
# path of the program below MODULE.
go_tool() {
  local out=$1 name=$2 module=${3%@*} version=${3#*@} package=${3%@*}${4:-}
  [[ ! -x $out/bin/$name || $(cat "$out/bin/$name.version") != "$version" ]] || return 0
  mkdir -p "$out/$name" "$out/bin"
  printf 'module mulligan.dev/mulligan/build/%s\n\ngo 1.25.0\n\nrequire %s %s\n' \
    "$name" "$module" "$version" >"$out/$name/go.mod"
  say "building $name $version"
  (cd "$out/$name" && GOFLAGS=-mod=mod GOWORK=off GOTOOLCHAIN=local \
    go build -o "$out/bin/$name" "$package") >"$out/$name.log" 2>&1 || return
  printf '%s\n' "$version" >"$out/bin/$name.version"
}

# not_built FOLDER NAME: prints why go_tool could not build a tool.
not_built() { printf '%s cannot be built (%s)' "$2" "${1#"$ROOT"/}/$2.log"; }

# versions [FILE]: prints tests/e2e/versions.tsv without its comments, with the versions in
# FILE for the components that it names.
versions() {
  awk -F '\t' -v OFS='\t' '
    /^#/ || !NF { next }
    FILENAME == ARGV[1] { other[$1] = $2; next }
    $1 in other { $2 = other[$1]; delete other[$1] }
    { print }
    END {
      for (name in other) { print "error: unknown component " name >"/dev/stderr"; bad = 1 }
      exit bad
    }' "${1:-/dev/null}" "$ROOT/tests/e2e/versions.tsv"
}

# module_folder MODULE VERSION: prints its folder in the module cache.
module_folder() {
  (cd / && go mod download -json "$1@$2") | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p'
}

# component_folder NAME VERSIONS: the same for a component in the output of `versions`.
component_folder() {
  local version module
  IFS=$'\t' read -r _ version module _ < <(grep -P "^$1\t" "$2")
  module_folder "$module" "$version"
}
