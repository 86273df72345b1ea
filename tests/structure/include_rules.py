"""Allowed includes: proto <- policy <- server, client.

A rule applies to the files under its folder; the longest matching folder decides.
Includes are compared as written, without quotes or brackets. Includes that no
pattern allows are violations, so a new dependency is a decision made here.
"""

import re
from dataclasses import dataclass

STANDARD = """
algorithm any array bit bitset cassert cctype cerrno cfloat charconv cinttypes
climits cmath compare concepts cstddef cstdint cstdlib cstring deque
exception forward_list functional initializer_list iosfwd iterator limits list
map memory new numeric optional ostream queue ratio regex set span sstream
stack stdexcept string string_view system_error tuple type_traits typeindex
typeinfo unordered_map unordered_set utility variant vector
""".split()

MESSAGES = r"mulligan/(?!.*\.grpc\.pb\.h).*\.pb\.h"
ABSEIL_PURE = (r"absl/(status|strings|time|container|base|types|numeric|hash|"
               r"functional)/(?!clock\.h).*")


@dataclass(frozen=True)
class Rule:
    """Includes allowed under `folder`, and text no file there may contain."""
    folder: str
    allowed: tuple
    forbidden_text: tuple = ()

    def allows(self, include):
        return any(re.fullmatch(pattern, include) for pattern in self.allowed)


# The only clock is the report's time; the only randomness is a hash.
IMPURE_CALLS = (r"\b(system|steady|high_resolution)_clock\b", r"\babsl::Now\b",
                r"\bstd::time\b", r"\bgettimeofday\b", r"\bclock_gettime\b",
                r"\bstd::rand\b", r"\brandom_device\b", r"\bgetenv\b",
                r"\bthread_local\b", r"\bstd::(cout|cerr|clog)\b",
                r"\bf?printf\(", r"\bfopen\b")

PURE = (MESSAGES, r"google/(protobuf|rpc)/.*", ABSEIL_PURE, r"re2/.*", *STANDARD)
POLICY_HEADERS = (r"policy/(?!loader/).*", *PURE)


# Code reads failures as values (policy/demystify/failure.h), not as the message
# written for users. The message's enums are allowed.
AS_MESSAGE = (r"\bv1::Diagnosis\b(?!::|;)",)
# Nor does code read a fact's origin from the path that is shown.
BY_PATH = (r"\.path\(\)", r"mutable_path")


# The headers of policy/ that client/ and server/ may include: those next to
# decide.h, the set of policies, views of a report, values, and the loader.
PUBLIC_POLICY = (r"policy/\w+\.h", r"policy/(base|loader)/.*",
                 r"policy/rules/policy_set\.h",
                 r"policy/request/(accelerators|kind_names|kinds|kubernetes_codec|"
                 r"owner_graph|owners|refusal|workload|workload_view)\.h")
# Those of them that policy/ itself may include.
ROOT_HEADERS = r"policy/(compare|limits|native|wording)\.h"


def policy_layer(folder, *below, forbidden=(*AS_MESSAGE, *BY_PATH)):
    """A folder of policy/ that may include itself, the limits and those `below`."""
    known = "|".join((folder, *below))
    return Rule(f"policy/{folder}", (rf"policy/({known})/.*", ROOT_HEADERS,
                                     *PURE), (*IMPURE_CALLS, *forbidden))


def program_layer(program, foreign, folder, *below):
    """A folder of a program that may include itself, those `below`, and libraries
    except `foreign` ones."""
    known = "|".join((folder, *below))
    return Rule(f"{program}/{folder}",
                (rf"{program}/({known})/.*",
                 rf"(?!{foreign}/|tests/|policy/|{program}/).*", *PUBLIC_POLICY))


def cli_layer(folder, *below):
    return program_layer("client/cli", "server", folder, *below)


def server_layer(folder, *below):
    return program_layer("server", "client", folder, *below)


RULES = (
    Rule("policy", POLICY_HEADERS, IMPURE_CALLS),
    # Dependencies inside policy/ also point one way.
    policy_layer("base"),
    policy_layer("request", "base"),
    policy_layer("demystify", "request", "base"),
    # Others may include only policy/native.h.
    policy_layer("native", "request", "base"),
    policy_layer("rules", "demystify", "request", "base"),
    policy_layer("budget", "rules", "demystify", "request", "base"),
    policy_layer("verdict", "budget", "rules", "demystify", "request",
                 "base"),
    # Above the verdict, so that no decision depends on texts.
    policy_layer("words", "verdict", "budget", "rules", "demystify", "request",
                 "base", forbidden=BY_PATH),
    # The only writer of answers.
    policy_layer("answer", "words", "verdict", "budget", "rules",
                 "demystify", "request", "base", forbidden=()),
    # The loader may read files; the rest of policy/ must not include it.
    Rule("policy/loader",
         POLICY_HEADERS + (r"policy/loader/.*", r"yaml-cpp/.*", r"openssl/.*",
                           "filesystem", "fstream"),
         IMPURE_CALLS),
    # A program of the build, which reads YAML like the loader.
    Rule("tools/rows",
         (r"tools/rows/.*", r"policy/(base|demystify/signatures)/.*",
          r"policy/loader/yaml_.*", *PURE, "fstream", "iostream")),
    # Programs: any library, but not each other or tests.
    Rule("server", (r"(?!client/|tests/|policy/).*", *PUBLIC_POLICY)),
    # The server: observability, admission, serving.
    server_layer("observe"),
    server_layer("admission"),
    server_layer("policies", "observe"),
    server_layer("net", "observe"),
    server_layer("rpc", "policies", "net", "admission", "observe"),
    server_layer("admin", "rpc", "policies", "net", "observe"),
    Rule("client", (r"(?!server/|tests/|policy/|client/cli/).*",
                    *PUBLIC_POLICY)),
    # The command line: input, story, output, commands.
    Rule("client/cli", (r"(?!server/|tests/|policy/).*", *PUBLIC_POLICY)),
    cli_layer("base"),
    cli_layer("input", "base"),
    cli_layer("import", "base"),
    cli_layer("story", "input", "base"),
    cli_layer("print", "story", "input", "base"),
    cli_layer("log", "input", "base"),
    cli_layer("replay", "log", "print", "story", "input", "base"),
    cli_layer("report", "log", "print", "story", "input", "base"),
    cli_layer("suite", "print", "story", "input", "base"),
    cli_layer("desk", "suite", "replay", "log", "print", "story", "input",
              "base"),
)

# Below this folder, no two units include each other, directly or indirectly.
ONE_WAY = "policy"

# Folders in which each source has a header of the same name. In others, a header
# declares what several sources define: rows of a table (request/views, native,
# signatures) or steps of one task (words).
HAVE_HEADERS = ("policy/answer", "policy/base", "policy/budget", "policy/demystify",
                "policy/demystify/logs", "policy/demystify/readers",
                "policy/demystify/signatures/matching",
                "policy/demystify/weighing", "policy/loader", "policy/request",
                "policy/rules", "policy/verdict")

# Link closures: target -> libraries that must not appear in it.
GRPC = r"gRPC::.*|mulligan_grpc"
SERVING = r"spdlog::.*|prometheus-cpp::.*|CLI11::.*"
LINK_RULES = {
    "mulligan_proto": rf"{GRPC}|{SERVING}|mulligan_(policy|loader|server_lib)",
    "mulligan_request": "mulligan_(native|verdict|words|policy)",
    "mulligan_native": "mulligan_(verdict|words|policy)",
    "mulligan_verdict": "mulligan_(words|policy)",
    "mulligan_policy": rf"{GRPC}|{SERVING}|yaml-cpp|OpenSSL::.*|"
                       r"mulligan_(loader|server_lib|client)",
    "mulligan_loader": rf"{GRPC}|{SERVING}|mulligan_(server_lib|client)",
    "mulligan_server_lib": r"mulligan_client",
    "mulligan-server": r"mulligan_client",
    "mulligan_client": r"mulligan_server_lib",
    "mulligan": r"mulligan_server_lib",
}
