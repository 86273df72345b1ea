// What ties the objects of a report together, as far as they tell.
#ifndef MULLIGAN_TESTS_STORIES_TIES_H_
#define MULLIGAN_TESTS_STORIES_TIES_H_

#include <set>
#include <string>

#include "mulligan/v1/report.pb.h"

namespace mulligan::stories {

// UIDs of the objects, of their owners, and of those that their labels name.
std::set<std::string> TiesOf(const v1::FailureReport& report);

// Whether objects have several owners, and nothing in the report owns those: of
// a RayJob's clusters and its submitter only the RayJob knows that they are
// its.
bool HasStrangers(const v1::FailureReport& report);

// A pod ran on a node that the report does not have, any more or yet.
bool LacksANode(const v1::FailureReport& report);

}  // namespace mulligan::stories

#endif  // MULLIGAN_TESTS_STORIES_TIES_H_
