// What the name of an exception tells of a failure that no other text explains:
// libraries without number name theirs by the same few words.
#include "policy/demystify/signatures/application_texts.h"

namespace mulligan::demystify {
namespace {

// A line that begins with the name of an exception in which one of `words`
// stands: of a package ("google.api_core.exceptions.Forbidden: "), or with an
// ending that says what it is ("ConfigError: ").
#define MULLIGAN_EXCEPTION_NAMED(words)                                     \
  "(^|\\n)(\\[[^\\]\\n]{1,40}\\]:? ?)*(exception in thread \"[^\"\\n]*\" |" \
  "caused by: | *---> |unhandled exception\\. "                             \
  ")?(([a-z_]\\w*\\.)+(?-i:\\w*(" words ")\\w*)|(?-i:\\w*(" words           \
  ")\\w*(Error|Exception|Fault))): "

constexpr TextSignature kExceptionNames[] = {
    AppText(
        ": ",
        MULLIGAN_EXCEPTION_NAMED(
            "Timeout|TimedOut|Unavailable|Throttl|TooManyRequests|RateLimit|"
            "Busy|Overload|Unreachable|Disconnected"),
        "named-outage", v1::DEPENDENCY_UNAVAILABLE, kMedium, Tier::kSpecific,
        kPeerEffect, "a service did not answer as it should"),
    Config(": ",
           MULLIGAN_EXCEPTION_NAMED(
               "NotFound|DoesNotExist|NoSuch|Unsupported|NotSupported|"
               "Incompatib|VersionConflict|VersionMismatch|Permission|"
               "AccessDenied|Forbidden|"
               "Unauthorized|NotAuthorized|Authenticat|Authoriz|Credential|"
               "InvalidIdentity|Config|Setting|UsageError"),
           "named-configuration",
           "what the program is told or allowed does not fit"),
    Blaming(kApplication, kCannotRecover,
            AppText(": ",
                    MULLIGAN_EXCEPTION_NAMED(
                        "Pars|Decod|Deserializ|Serialization|Format|Corrupt|"
                        "Mismatch|Malformed|Encoding|Checksum|Schema|"
                        "Validation|BadRequest|InvalidArgument|"
                        "Duplicate|Exists|Constraint|Violation|Integrity|"
                        "DataError"),
                    "named-data", v1::DATA_OR_NUMERIC, kMedium, Tier::kSpecific,
                    kNoFlags, "the data is not as the program expects it")),
};
#undef MULLIGAN_EXCEPTION_NAMED

}  // namespace

std::span<const TextSignature> ExceptionNames() { return kExceptionNames; }

}  // namespace mulligan::demystify
