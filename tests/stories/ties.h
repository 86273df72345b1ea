// What connects the objects of a report, as far as they show.
#ifndef MULLIGAN_TESTS_STORIES_TIES_H_
#define MULLIGAN_TESTS_STORIES_TIES_H_

#include <set>
#include <string>

#include "mulligan/v1/report.pb.h"

namespace mulligan::stories {

// UIDs of the objects, of their owners, and of those that their labels name.
std::set<std::string> TiesOf(const v1::FailureReport& report);

// Whether objects have several owners that nothing in the report owns: only a
// RayJob shows that its clusters and its submitter belong together.
bool HasStrangers(const v1::FailureReport& report);

// Whether a pod ran on a node that the report does not have.
bool LacksANode(const v1::FailureReport& report);

}  // namespace mulligan::stories

#endif  // MULLIGAN_TESTS_STORIES_TIES_H_
