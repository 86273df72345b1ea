// Advice on full volumes, container file systems and shared memory.
#include <optional>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "policy/words/remedies.h"
#include "re2/re2.h"

namespace mulligan::words {
namespace {

// Reads one kind of text; empty if the text is of another kind.
using Reader = std::optional<Remedy> (*)(const std::string& text,
                                         const Particulars& found,
                                         const ContainerSpecs& specs);

// An emptyDir over its sizeLimit, by the kubelet.
std::optional<Remedy> FullEmptyDir(const std::string& text,
                                   const Particulars& /*found*/,
                                   const ContainerSpecs& /*specs*/) {
  static const RE2 kOver(
      "Usage of EmptyDir volume \"([^\"]+)\" exceeds the limit \"([^\"]+)\"");
  std::string name;
  std::string limit;
  if (!RE2::PartialMatch(text, kOver, &name, &limit)) return std::nullopt;
  return Remedy{
      .problem = absl::StrCat("emptyDir volume ", name,
                              " is larger than its sizeLimit of ", limit),
      .step = absl::StrCat("raise sizeLimit of emptyDir volume ", name,
                           " above ", limit, ", or write less to it")};
}

// The container's or pod's own limit; GrowthStep advises on the amount.
std::optional<Remedy> OwnLimit(const std::string& text,
                               const Particulars& /*found*/,
                               const ContainerSpecs& /*specs*/) {
  const std::string limit = StorageLimitIn(text);
  if (limit.empty()) return std::nullopt;
  return Remedy{.problem = absl::StrCat(
                    "used more ephemeral storage than its limit of ", limit)};
}

std::optional<Remedy> FullSharedMemory(const std::string& text,
                                       const Particulars& found,
                                       const ContainerSpecs& specs) {
  static const RE2 kShared("(?i)/dev/shm|shared memory|\\bshm\\b");
  if (!RE2::PartialMatch(text, kShared)) return std::nullopt;
  const std::optional<VolumeSpec> mounted =
      specs.VolumeAt(found.pod, found.container, "/dev/shm");
  if (found.no_objects) {
    return Remedy{.problem = "/dev/shm is full",
                  .step =
                      "give the job a larger /dev/shm (docker run "
                      "--shm-size), or have it use less of it"};
  }
  if (!mounted.has_value()) {
    return Remedy{
        .problem = "/dev/shm is full: it has 64Mi where nothing is mounted",
        .step = absl::StrCat(
            "mount an emptyDir with medium: Memory on /dev/shm of ",
            ContainerText(found))};
  }
  return Remedy{
      .problem = absl::StrCat("/dev/shm, volume ", mounted->name, ", is full"),
      .step = absl::StrCat(
          "raise sizeLimit of volume ", mounted->name, ", mounted on /dev/shm",
          mounted->size_limit.empty() ? "" : ", above " + mounted->size_limit)};
}

// Returns the path in a message: "No space left on device: '/ckpt/model.pt'".
std::string PathInText(const std::string& text) {
  static const RE2 kPath(
      "['\"](/[^'\"]+)['\"]|: (/[^\\s:;,]+)|(?:to|on) (/[^\\s:;,]+)");
  std::string quoted;
  std::string bare;
  std::string named;
  if (!RE2::PartialMatch(text, kPath, &quoted, &bare, &named)) return "";
  return !quoted.empty() ? quoted : !bare.empty() ? bare : named;
}

std::optional<Remedy> UsersQuota(const std::string& text,
                                 const Particulars& /*found*/,
                                 const ContainerSpecs& /*specs*/) {
  static const RE2 kQuota("(?i)disk quota exceeded|\\[errno 122\\]|EDQUOT");
  if (!RE2::PartialMatch(text, kQuota)) return std::nullopt;
  const std::string path = PathInText(text);
  const std::string where = path.empty() ? "" : " where " + path + " is";
  return Remedy{
      .problem = absl::StrCat("the user's disk quota is used up", where),
      .step = absl::StrCat("raise the user's quota on the file system", where,
                           ", or delete what is no longer needed there")};
}

Remedy FullVolume(const VolumeSpec& volume, const std::string& path) {
  if (!volume.claim.empty()) {
    return {
        .problem = absl::StrCat("persistent volume claim ", volume.claim,
                                " has no room left for ", path),
        .step = absl::StrCat("expand persistent volume claim ", volume.claim,
                             ", or delete what is no longer needed there")};
  }
  return {
      .problem = absl::StrCat("volume ", volume.name,
                              volume.is_empty_dir ? " (emptyDir)" : "",
                              " has no room left for ", path),
      .step =
          volume.size_limit.empty()
              ? absl::StrCat("make room where volume ", volume.name, " lies")
              : absl::StrCat("raise sizeLimit of emptyDir volume ", volume.name,
                             " above ", volume.size_limit)};
}

std::optional<Remedy> FullFileSystem(const std::string& text,
                                     const Particulars& found,
                                     const ContainerSpecs& specs) {
  static const RE2 kFull("(?i)no space left|ENOSPC|disk (?:is )?full");
  if (!RE2::PartialMatch(text, kFull)) return std::nullopt;
  const std::string path = PathInText(text);
  if (path.empty()) return std::nullopt;
  const std::optional<VolumeSpec> volume =
      specs.VolumeAt(found.pod, found.container, path);
  if (volume.has_value()) return FullVolume(*volume, path);
  const std::string container = ContainerText(found);
  Remedy remedy{.problem = absl::StrCat("no room left on the file system of ",
                                        container, " for ", path)};
  if (found.no_objects) {
    remedy.problem = absl::StrCat("no room left on the file system of ", path);
    remedy.step = absl::StrCat("make room on the file system of ", path,
                               ", or have the job write less there");
  } else if (found.limit.empty() && found.request.empty()) {
    remedy.step =
        absl::StrCat("request ephemeral-storage for ", container,
                     ", so that it gets a node with room: it asks for none");
  }
  return remedy;
}

constexpr Reader kReaders[] = {FullEmptyDir, OwnLimit, FullSharedMemory,
                               UsersQuota, FullFileSystem};

}  // namespace

Remedy RemedyOfStorage(const Particulars& found, const ContainerSpecs& specs) {
  for (const std::string& text : found.texts) {
    for (const Reader read : kReaders) {
      std::optional<Remedy> remedy = read(text, found, specs);
      if (!remedy.has_value()) continue;
      remedy->source = text;
      remedy->actor = v1::FirstStep::USER;
      return *std::move(remedy);
    }
  }
  return {};
}

}  // namespace mulligan::words
