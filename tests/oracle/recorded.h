// Recorded behaviour of the operators' own code on generated objects.
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

// One line of a file in tests/oracle/data, whose README explains the members of
// `expect`.
struct Recorded {
  std::string id;
  v1::DecideRequest request;
  google::protobuf::Struct expect;
  // The point of docs/conformance.md that allows other answers; empty: none.
  // `instead` lists these answers.
  std::string point;
  std::vector<google::protobuf::Struct> instead;
};

// One member in which an answer differs, as texts.
struct Difference {
  std::string want;
  std::string got;
};

// Reads a .jsonl or .jsonl.gz file. Returns INVALID_ARGUMENT with the line if
// one is malformed.
absl::StatusOr<std::vector<Recorded>> ReadRecorded(
    const std::filesystem::path& file);

// Returns the members of `expect` in which the answer differs, by name.
// `answer` is an error if the request was refused.
std::map<std::string, Difference> Differences(
    const Recorded& recorded, const absl::StatusOr<v1::DecideResponse>& answer);

// Whether the answer is one of those that the point of the case allows.
bool IsExplained(const Recorded& recorded,
                 const absl::StatusOr<v1::DecideResponse>& answer);

// The answer of `policies` to the request of a case.
absl::StatusOr<v1::DecideResponse> Ask(const Recorded& recorded,
                                       const PolicySet& policies);

// Reads tests/oracle/differences.tsv: members known to differ, by id.
absl::StatusOr<std::map<std::string, std::set<std::string>>> ReadKnown(
    const std::filesystem::path& file);

}  // namespace mulligan::oracle

#endif  // MULLIGAN_TESTS_ORACLE_RECORDED_H_
