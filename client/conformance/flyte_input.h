// What cases about Flyte have in common.
#ifndef MULLIGAN_CLIENT_CONFORMANCE_FLYTE_INPUT_H_
#define MULLIGAN_CLIENT_CONFORMANCE_FLYTE_INPUT_H_

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "client/conformance/case.h"
#include "google/protobuf/message.h"
#include "policy/native/flyte_api_error.h"
#include "policy/native/flyte_budget.h"
#include "policy/native/flyte_error_file.h"
#include "policy/native/flyte_phase.h"
#include "policy/native/flyte_settings.h"
#include "policy/native/flyte_types.h"

namespace mulligan::conformance {

// Reads the members of an object and keeps a book of it, so that none is
// passed over. The first misfit is kept; what did not fit reads as absent.
class Members {
 public:
  // `object` must outlive the reader. Null is an object without members.
  Members(const Json& object, std::string what);

  // Neither absent nor null. Counts as read.
  bool Has(const std::string& name);
  // Null when absent.
  const Json& Get(const std::string& name);
  std::string Text(const std::string& name, std::string otherwise = "");
  std::int64_t Number(const std::string& name, std::int64_t otherwise = 0);
  // In uint32, the peer's type of counters.
  std::uint32_t Count(const std::string& name, std::uint32_t otherwise = 0);
  double Fraction(const std::string& name, double otherwise = 0);
  bool Flag(const std::string& name, bool otherwise = false);
  absl::Duration Duration(const std::string& name,
                          absl::Duration otherwise = absl::ZeroDuration());
  void Message(const std::string& name, google::protobuf::Message& message);
  // By the peer's name; `otherwise` when absent.
  flyte::ErrorKind Kind(const std::string& name,
                        flyte::ErrorKind otherwise = flyte::ErrorKind::kUser);
  flyte::Phase PhaseOf(const std::string& name,
                       flyte::Phase otherwise = flyte::Phase::kUndefined);

  // Takes note of a misfit found elsewhere.
  void Note(const absl::Status& status);
  // The first misfit; else UNIMPLEMENTED naming a member nobody read.
  absl::Status Finish() const;

 private:
  const Json& object_;
  const std::string what_;
  std::set<std::string> read_;
  absl::Status status_;
};

// A case with the rules of its line, and its members `config` and `now`.
struct FlyteCase {
  flyte::Settings settings;
  absl::Time now;
  Members input;
};

// UNIMPLEMENTED for a line that is not known.
absl::StatusOr<FlyteCase> FlyteCaseFrom(const CaseInput& input);

// Members the input has of these types.
std::vector<flyte::Pod> FlytePods(Members& input);
flyte::Pods PointersToPods(const std::vector<flyte::Pod>& pods);
std::optional<flyte::ApiError> ApiErrorFrom(const std::string& name,
                                            Members& input);
// {code, message, kind}; a failure's error.
flyte::ExecutionError ExecutionErrorFrom(const Json& json, Members& input);
// A plugin's verdict: the member `phase` with what belongs to it, either in it
// or next to it. Codes and kinds are those of its error.
flyte::PhaseInfo PhaseInfoFrom(Members& input);
// null: no file; {}: a malformed one.
std::optional<flyte::ErrorFile> ErrorFileFrom(const Json& json, Members& input);
// defaultMaxAttempts, taskMinAttempts, maxNodeRetriesOnSystemFailures,
// ignoreRetryCause, interruptibleFailureThreshold.
flyte::RetryBudget RetryBudgetFrom(Members& input);
// attempts, systemFailures.
flyte::NodeAttempts NodeAttemptsFrom(Members& input);

// phase, reason, code, kind, message, cleanupOnFailure, isFailure, class,
// error (the text of an error that was returned, else null).
Json PhaseFacts(const flyte::PhaseResult& result);

}  // namespace mulligan::conformance

#endif  // MULLIGAN_CLIENT_CONFORMANCE_FLYTE_INPUT_H_
