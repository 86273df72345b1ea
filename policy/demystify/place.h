// Where a fact was read, written out.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_PLACE_H_
#define MULLIGAN_POLICY_DEMYSTIFY_PLACE_H_

#include <string>
#include <string_view>

#include "mulligan/v1/report.pb.h"
#include "policy/demystify/candidate.h"

namespace mulligan::demystify {

// Lists of a pod's status that places name.
inline constexpr char kContainerStatuses[] = ".status.containerStatuses";
inline constexpr char kInitContainerStatuses[] =
    ".status.initContainerStatuses";

// "pods[2].status.containerStatuses[0].state.terminated.reason".
std::string PathOf(const Place& place);

// The object a place belongs to. Views point into the report.
struct ObjectName {
  std::string_view kind;
  std::string_view space;
  std::string_view name;
};
ObjectName ObjectOf(const v1::FailureReport& report, const Place& place);

// "Pod/namespace/name"; empty when the object has no name.
std::string ObjectText(const ObjectName& object);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_PLACE_H_
