// What the desk answers, as JSON. Texts are data there: the page shows them as
// text. What is "html" is escaped already (print/html.h).
#ifndef MULLIGAN_CLIENT_CLI_DESK_DESK_JSON_H_
#define MULLIGAN_CLIENT_CLI_DESK_DESK_JSON_H_

#include <vector>

#include "client/cli/desk/failure.h"
#include "client/cli/desk/log_shelf.h"
#include "client/cli/input/policy_files.h"
#include "client/cli/suite/suite.h"
#include "nlohmann/json.hpp"
#include "policy/base/issue.h"

namespace mulligan::cli {

using DeskJson = nlohmann::ordered_json;

// [{"file", "line", "column", "severity": "error" or "warning", "message"}]
DeskJson IssuesJson(const Issues& issues);

// {"headline", "verdict", "class", "price", "native", "nativePrice", "rule":
// {"policy", "rule", "file", "line"}, "html", "choices", "workload"}: the
// latest attempt, with all before it.
DeskJson StoryJson(const Failure& failure,
                   const std::vector<Attempted>& attempts,
                   const LoadedPolicies& policies);

// {"file", "issues", "cases": [{"name", "line", "failures": [text]}]}
DeskJson SuiteJson(const SuiteOutcome& outcome);

// {"rules", "decided", "never": ["training/default"]} of all policies.
DeskJson CoverageJson(const RuleCoverage& coverage);

// {"log", "decisions", "changed", "left", "cut", "examples": [{"line",
// "workload", "change"}], "html"}
DeskJson ComparedJson(const ShelvedLog& log, const Compared& compared);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_DESK_DESK_JSON_H_
