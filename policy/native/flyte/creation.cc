#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>

#include "absl/numeric/int128.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "policy/native/flyte/plugins.h"
#include "policy/native/go_text.h"
#include "policy/native/objects.h"

namespace mulligan::flyte {
namespace {

using v1::CreationError;

// A quantity in billionths.
using Quantity = absl::int128;
// By resource: "cpu", "memory".
using Quantities = std::map<std::string, Quantity>;

// Powers of 10, starting at billionths, and of 1024.
struct Scale {
  int decimal = 0;
  int binary = 0;
};

// Returns the scale of a quantity's suffix: "", "m", "Gi", "e3".
std::optional<Scale> ScaleOf(std::string_view suffix) {
  // Each is 1000 times the previous; plain units have no suffix.
  constexpr std::string_view kDecimal = "num kMGTPE";
  constexpr std::string_view kBinary = "KMGTPE";
  if (suffix.empty()) return Scale{9, 0};
  const std::size_t decimal = kDecimal.find(suffix[0]);
  if (suffix.size() == 1 && decimal != kDecimal.npos) {
    return Scale{3 * static_cast<int>(decimal), 0};
  }
  const std::size_t binary = kBinary.find(suffix[0]);
  if (suffix.substr(1) == "i" && binary != kBinary.npos) {
    return Scale{9, static_cast<int>(binary) + 1};
  }
  if (suffix[0] != 'e' && suffix[0] != 'E') return std::nullopt;
  // No quantity has more than 10^18 units.
  const auto exponent = GoInteger(suffix.substr(1));
  if (!exponent.has_value() || *exponent > 18) return std::nullopt;
  return Scale{9 + static_cast<int>(*exponent), 0};
}

// Parses a resource.Quantity of letters and digits, all that Flyte's patterns
// accept: "1Gi", "200m", "1e3". Returns nothing for other texts and for values
// beyond Kubernetes' bounds.
std::optional<Quantity> QuantityOf(std::string_view text) {
  // More than 2^63 units, at which Kubernetes caps quantities.
  constexpr std::size_t kMaxDigits = 19;
  const std::size_t count =
      std::min(text.find_first_not_of("0123456789"), text.size());
  const std::optional<Scale> scale = ScaleOf(text.substr(count));
  if (count == 0 || count > kMaxDigits || !scale.has_value()) {
    return std::nullopt;
  }
  Quantity quantity = 0;
  for (const char digit : text.substr(0, count)) {
    quantity = quantity * 10 + (digit - '0');
  }
  for (int i = 0; i < scale->binary; ++i) quantity *= 1024;
  for (int power = scale->decimal; power > 0; --power) {
    // 2^127 is about 1.7e38.
    if (quantity > absl::Int128Max() / 10) return std::nullopt;
    quantity *= 10;
  }
  return quantity;
}

// Returns the amounts of `kind` ("limits") that follow `what` ("requested").
Quantities Amounts(const std::string& message, const std::string& what,
                   const std::string& kind) {
  const RE2 list_of(
      absl::StrCat(what, ": ((?:", kind, ".[a-zA-Z]+=[a-zA-Z0-9]+,*)+)"));
  static const RE2& entry_of = *new RE2("[^.,]*\\.([^=,]*)=([^,]*),*");
  std::string list;
  Quantities amounts;
  if (!RE2::PartialMatch(message, list_of, &list)) return amounts;
  re2::StringPiece rest(list);
  std::string resource;
  std::string amount;
  while (RE2::Consume(&rest, entry_of, &resource, &amount)) {
    if (const auto quantity = QuantityOf(amount)) {
      amounts[resource] = *quantity;
    }
  }
  return amounts;
}

// backoff.IsResourceRequestsEligible, negated: whether, according to the API
// server's quota admission message, some limit or request alone is not below
// its quota. An amount equal to its quota never fits.
bool IsBeyondQuota(const std::string& message) {
  for (const char* const kind : {"limits", "requests"}) {
    const Quantities limited = Amounts(message, "limited", kind);
    for (const auto& [resource, quantity] :
         Amounts(message, "requested", kind)) {
      const auto limit = limited.find(resource);
      if (limit != limited.end() && quantity >= limit->second) return true;
    }
  }
  return false;
}

// Reasons that client-go trusts regardless of the code.
constexpr std::array<std::string_view, 18> kKnownReasons = {
    "Unauthorized",
    "Forbidden",
    "NotFound",
    "AlreadyExists",
    "Conflict",
    "Gone",
    "Invalid",
    "ServerTimeout",
    "Timeout",
    "TooManyRequests",
    "BadRequest",
    "MethodNotAllowed",
    "NotAcceptable",
    "RequestEntityTooLarge",
    "UnsupportedMediaType",
    "InternalError",
    "Expired",
    "ServiceUnavailable"};

// As in apimachinery's api/errors, a reason takes precedence over the code.
bool Is(const CreationError& error, std::string_view reason, int code) {
  if (error.reason() == reason) return true;
  return !HasText(kKnownReasons, error.reason()) && error.http_code() == code;
}

bool IsForbidden(const CreationError& error) {
  return Is(error, "Forbidden", 403);
}

// As backoff.IsResourceQuotaExceeded.
bool IsOverQuota(const CreationError& error) {
  return IsForbidden(error) &&
         absl::StrContains(error.message(), "exceeded quota");
}

// As backoff.IsBackOffError: errors that wait instead of failing.
bool IsBackOffError(const CreationError& error) {
  return IsOverQuota(error) || error.reason() == "TooManyRequests" ||
         error.http_code() == 429 || error.reason() == "ServerTimeout" ||
         (IsForbidden(error) &&
          absl::StrContains(error.message(), "etcdserver:"));
}

// Returns the message, else the best substitute. Never empty.
std::string TextOf(const CreationError& error) {
  if (!error.message().empty()) return error.message();
  if (!error.reason().empty()) return error.reason();
  return absl::StrCat("HTTP status ", error.http_code());
}

// Refusals that repeat.
struct RefusalRow {
  std::string_view reason;
  int code;
  // Flyte's code in v1 and in v2.
  const char* v1;
  const char* v2;
};
constexpr std::array<RefusalRow, 3> kRefusals = {{
    {"BadRequest", 400, "BadTaskFormat", "BadRequest"},
    {"Invalid", 422, "BadTaskFormat", "InvalidResource"},
    {"RequestEntityTooLarge", 413, "EntityTooLarge", "EntityTooLarge"},
}};

PhaseResult BuildFailure(const CreationError& error, bool v2) {
  if (!v2) return PermanentFailure("FailedToBuildResource", error.message());
  if (error.reason() == "BadTaskSpecification" ||
      error.reason() == "MetadataTooLarge") {
    return PermanentFailure(error.reason(), error.message());
  }
  return absl::UnknownError(error.message());
}

// Returns whether v1 waits until there is quota.
bool AwaitsQuota(const CreationError& error, bool is_pod,
                 const Settings& settings) {
  if (!settings.quota_backoff) return IsOverQuota(error);
  return is_pod && settings.backoff_base_seconds != 0 && IsBackOffError(error);
}

}  // namespace

PhaseResult CreationPhase(const CreationError& error, bool is_pod,
                          const Settings& settings) {
  const bool v2 = settings.rules.v2;
  if (error.phase() == CreationError::BUILD) return BuildFailure(error, v2);
  if (error.reason() == "AlreadyExists") {
    return InPhase(Phase::kQueued, "task submitted to K8s");
  }
  if (!v2 && IsOverQuota(error) && IsBeyondQuota(error.message())) {
    return PermanentFailure(
        "ResourceRequestsExceedLimits",
        absl::StrCat("requested resources exceed limits: ", TextOf(error)));
  }
  if (!v2 && AwaitsQuota(error, is_pod, settings)) {
    return InPhase(Phase::kWaitingForResources,
                   absl::StrCat("Exceeded resourcequota: ", TextOf(error)));
  }
  if (IsForbidden(error)) {
    return RetryableFailure(ErrorKind::kUser, "RuntimeFailure", TextOf(error));
  }
  for (const RefusalRow& row : kRefusals) {
    const bool is_known =
        row.code == 413 || settings.rules.refusal_is_permanent;
    if (is_known && Is(error, row.reason, row.code)) {
      return PermanentFailure(v2 ? row.v2 : row.v1, TextOf(error));
    }
  }
  return absl::UnknownError(
      absl::StrCat("failed to create resource: ", TextOf(error)));
}

}  // namespace mulligan::flyte
