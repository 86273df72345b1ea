// The desk's answers as JSON. The page shows strings as text. Only "html" is
// markup, escaped already (print/html.h).
#ifndef MULLIGAN_CLIENT_CLI_DESK_DESK_JSON_H_
#define MULLIGAN_CLIENT_CLI_DESK_DESK_JSON_H_

#include <vector>

#include "client/cli/desk/failure.h"
#include "client/cli/desk/loaded_log.h"
#include "client/cli/input/policy_files.h"
#include "client/cli/suite/suite.h"
#include "nlohmann/json.hpp"
#include "policy/base/issue.h"

namespace mulligan::cli {

using DeskJson = nlohmann::ordered_json;

// [{"file", "line", "column", "severity": "error" or "warning", "message"}]
DeskJson IssuesJson(const Issues& issues);

// Describes the latest attempt, with all before it: {"headline", "verdict",
// "class", "price", "native", "nativePrice", "rule": {"policy", "rule", "file",
// "line"}, "html", "choices", "workload"}
DeskJson StoryJson(const Failure& failure,
                   const std::vector<AnsweredAttempt>& attempts,
                   const LoadedPolicies& policies);

// {"file", "issues", "cases": [{"name", "line", "failures": [text]}]}
DeskJson SuiteJson(const SuiteOutcome& outcome);

// {"rules", "decided", "never": ["training/default"]}, over all policies.
DeskJson CoverageJson(const RuleCoverage& coverage);

// {"log", "decisions", "changed", "left", "cut", "unreadable",
// "firstUnreadable", "examples": [{"line", "workload", "change"}], "html"}
DeskJson ComparedJson(const LoadedLog& log, const Compared& compared);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_DESK_DESK_JSON_H_
