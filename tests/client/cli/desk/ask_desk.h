// Requests to the playground, for tests.
#ifndef MULLIGAN_TESTS_CLIENT_CLI_DESK_ASK_DESK_H_
#define MULLIGAN_TESTS_CLIENT_CLI_DESK_ASK_DESK_H_

#include <nlohmann/json.hpp>
#include <string>

#include "absl/strings/str_cat.h"
#include "client/cli/desk/desk.h"
#include "policy/loader/load.h"

namespace mulligan::cli {

inline constexpr char kMine[] = R"(apiVersion: mulligan.dev/v1
kind: RetryPolicy
metadata: {name: mine}
spec:
  budgets:
    memory: {limit: 1}
  rules:
    - name: grow
      when: {causes: [CONTAINER_OOM]}
      then: {action: RETRY, budget: memory, resources: {memoryFactor: 2}}
  default: {action: FAIL}
)";
inline constexpr char kFails[] = R"(apiVersion: mulligan.dev/v1
kind: RetryPolicy
metadata: {name: mine}
spec:
  default: {action: FAIL}
)";

// Returns a pod of a Job that ran out of memory, as `kubectl get -o yaml`
// prints it.
inline std::string FailedPodText(const std::string& name) {
  return absl::StrCat(R"(apiVersion: v1
kind: Pod
metadata:
  name: )",
                      name, R"(
  namespace: ml
  uid: )",
                      name, R"(
  ownerReferences:
    - {apiVersion: batch/v1, kind: Job, name: )",
                      name, ", uid: j-", name, R"(, controller: true}
status:
  phase: Failed
  containerStatuses:
    - name: main
      state:
        terminated: {exitCode: 137, reason: OOMKilled,
                     startedAt: "2026-11-03T08:50:00Z",
                     finishedAt: "2026-11-03T09:00:00Z"}
)");
}

inline DeskSettings Settings() {
  return {.policies = {{"policy.yaml", EmbeddedPolicy().yaml}},
          .suites = {},
          .log = {}};
}

inline nlohmann::json AskDesk(Desk& desk, const std::string& page,
                              const nlohmann::json& question) {
  return nlohmann::json::parse(desk.Answer("POST", page, question.dump()).body);
}

inline nlohmann::json QuestionWith(const std::string& policy,
                                   const std::string& failure) {
  return {{"policies", {{{"file", "mine.yaml"}, {"text", policy}}}},
          {"failure", failure}};
}

}  // namespace mulligan::cli

#endif  // MULLIGAN_TESTS_CLIENT_CLI_DESK_ASK_DESK_H_
