// One decision of a peer, as data.
#ifndef MULLIGAN_CLIENT_CONFORMANCE_CASE_H_
#define MULLIGAN_CLIENT_CONFORMANCE_CASE_H_

#include <nlohmann/json.hpp>
#include <string>

#include "absl/status/statusor.h"

namespace mulligan::conformance {

using Json = nlohmann::json;

// What an evaluator sees of a case: everything except what the peer answers,
// so that no answer can be read off the question.
struct CaseInput {
  // Repository and test the case was taken from, for example
  // "kubernetes-sigs/jobset pkg/controllers/failure_policy_test.go: ...".
  std::string source;
  // What the case exercises: the file's `kind`, `fn` or `input.kind`. May be
  // empty; then the members of `input` tell.
  std::string kind;
  // The peer's release line or pull request where the file has one ("v1").
  std::string line;
  Json input;
  // Feature gates under which the peer answers; null when there are none.
  Json feature_gates;
};

struct Case {
  std::string id;
  CaseInput input;
  // What the peer's test asserts: a JSON object.
  Json expect;
};

// Parses one line of a case file. INVALID_ARGUMENT names the missing or
// mistyped member.
absl::StatusOr<Case> ParseCase(const std::string& line);

}  // namespace mulligan::conformance

#endif  // MULLIGAN_CLIENT_CONFORMANCE_CASE_H_
