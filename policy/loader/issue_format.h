// Problems of policy files as people read them.
#ifndef MULLIGAN_POLICY_LOADER_ISSUE_FORMAT_H_
#define MULLIGAN_POLICY_LOADER_ISSUE_FORMAT_H_

#include <string>
#include <vector>

#include "mulligan/v1/policy_service.pb.h"
#include "policy/base/issue.h"
#include "policy/loader/load.h"

namespace mulligan {

// One block per issue, each line ended by a newline:
//
//   training.yaml:7:15: error: unknown budget "aplication", did you mean ...
//      7 |       budget: aplication
//        |               ^
//
// The source lines come from the text of that file in `texts`; an issue of
// another file, or without a line, is its first line alone. Lines longer than
// 120 bytes are cut around the column. With `color`, ANSI colours.
std::string FormatIssues(const Issues& issues,
                         const std::vector<PolicyText>& texts, bool color);

// As it is answered: text that is not UTF-8 has U+FFFD in its place.
v1::PolicyIssue ToPolicyIssue(const Issue& issue);

// "2 errors, 1 warning"; "no problems" when there are none.
std::string SummarizeIssues(const Issues& issues);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_LOADER_ISSUE_FORMAT_H_
