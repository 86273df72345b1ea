// What the operators' own code did with generated objects, recorded.
#ifndef MULLIGAN_TESTS_ORACLE_RECORDED_H_
#define MULLIGAN_TESTS_ORACLE_RECORDED_H_

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "google/protobuf/struct.pb.h"
#include "mulligan/v1/retry_decision_service.pb.h"
#include "policy/rules/policy_set.h"

namespace mulligan::oracle {

// One line of a file in tests/oracle/data (its README says what the members of
// `expect` mean).
struct Recorded {
  std::string id;
  v1::DecideRequest request;
  google::protobuf::Struct expect;
  // The point of docs/conformance.md by which the answer may differ; empty:
  // none. `instead`: what it may be then.
  std::string point;
  std::vector<google::protobuf::Struct> instead;
};

// One member in which an answer differs, as texts to be shown.
struct Difference {
  std::string want;
  std::string got;
};

// Reads a .jsonl or .jsonl.gz file; INVALID_ARGUMENT names the line that is
// none.
absl::StatusOr<std::vector<Recorded>> ReadRecorded(
    const std::filesystem::path& file);

// The members of `expect` in which the answer differs, by name. `answer` is an
// error where the request was refused.
std::map<std::string, Difference> Differences(
    const Recorded& recorded, const absl::StatusOr<v1::DecideResponse>& answer);

// Whether the answer is one of those that the point of the case allows.
bool IsExplained(const Recorded& recorded,
                 const absl::StatusOr<v1::DecideResponse>& answer);

// What policies answer to the request of a case.
absl::StatusOr<v1::DecideResponse> Ask(const Recorded& recorded,
                                       const PolicySet& policies);

// tests/oracle/differences.tsv: by id, the members that are known to differ.
absl::StatusOr<std::map<std::string, std::set<std::string>>> ReadKnown(
    const std::filesystem::path& file);

}  // namespace mulligan::oracle

#endif  // MULLIGAN_TESTS_ORACLE_RECORDED_H_
