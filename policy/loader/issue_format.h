// Formats problems in policy files as text.
#ifndef MULLIGAN_POLICY_LOADER_ISSUE_FORMAT_H_
#define MULLIGAN_POLICY_LOADER_ISSUE_FORMAT_H_

#include <string>
#include <vector>

#include "mulligan/v1/policy_service.pb.h"
#include "policy/base/issue.h"
#include "policy/loader/load.h"

namespace mulligan {

// Returns one block per issue; each line ends in a newline:
//
//   training.yaml:7:15: error: unknown budget "aplication", did you mean ...
//      7 |       budget: aplication
//        |               ^
//
// Source lines come from the file's text in `texts`. For an issue of another
// file or without a line, only the first of these lines is returned. Lines
// longer than 120 bytes are cut around the column. `color` adds ANSI colours.
std::string FormatIssues(const Issues& issues,
                         const std::vector<PolicyText>& texts, bool color);

// Returns the message form; invalid UTF-8 becomes U+FFFD.
v1::PolicyIssue ToPolicyIssue(const Issue& issue);

// Returns for example "2 errors, 1 warning"; "no problems" if there are none.
std::string SummarizeIssues(const Issues& issues);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_LOADER_ISSUE_FORMAT_H_
