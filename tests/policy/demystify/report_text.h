// Reports in text format, one function for each kind of part. Of a message that
// occurs more than once all parts count: each part states its own `status`.
// A text may stand for any part that has no function.
#ifndef MULLIGAN_TESTS_POLICY_DEMYSTIFY_REPORT_TEXT_H_
#define MULLIGAN_TESTS_POLICY_DEMYSTIFY_REPORT_TEXT_H_

#include <string>
#include <string_view>
#include <vector>

namespace mulligan::demystify {

// "field { parts } ".
std::string Wrapped(std::string_view field,
                    const std::vector<std::string>& parts);

template <typename... Parts>
std::string Object(std::string_view field, const Parts&... parts) {
  return Wrapped(field, {parts...});
}
std::string InPhase(std::string_view phase);
template <typename... Parts>
std::string Pod(std::string_view phase, const Parts&... parts) {
  return Object("pods", InPhase(phase), parts...);
}
template <typename... Parts>
std::string Failed(const Parts&... parts) {
  return Pod("Failed", parts...);
}
template <typename... Parts>
std::string Pending(const Parts&... parts) {
  return Pod("Pending", parts...);
}
template <typename... Parts>
std::string Job(const Parts&... parts) {
  return Object("jobs", parts...);
}
template <typename... Parts>
std::string JobSet(const Parts&... parts) {
  return Object("job_set", parts...);
}
template <typename... Parts>
std::string TrainJob(const Parts&... parts) {
  return Object("train_job", parts...);
}
template <typename... Parts>
std::string RayJob(const Parts&... parts) {
  return Object("ray_job", parts...);
}
template <typename... Parts>
std::string Workload(const Parts&... parts) {
  return Object("kueue_workload", parts...);
}
// Node "n"; a pod is on it with kOnNode.
template <typename... Parts>
std::string Node(const Parts&... parts) {
  return Object("nodes", "metadata { name: 'n' }", parts...);
}
inline constexpr char kOnNode[] = "spec { node_name: 'n' }";

// Of any object: the reason and message of its status.
std::string Reason(std::string_view reason, std::string_view message = "");

// Of any object: conditions whose status is "True" and "False". Times are in
// seconds, here and below; 0: unknown.
std::string Condition(std::string_view type, std::string_view reason = "",
                      std::string_view message = "", int at = 0);
std::string Condition(std::string_view type, std::string_view reason, int at);
std::string FalseCondition(std::string_view type, std::string_view reason = "",
                           std::string_view message = "", int at = 0);
std::string FalseCondition(std::string_view type, std::string_view reason,
                           int at);
// DisruptionTarget.
std::string Disruption(std::string_view reason, std::string_view message = "");
std::string Disruption(std::string_view reason, int at);

// Of a pod: a container that has ended or waits.
std::string Exited(int code, std::string_view reason = "Error",
                   std::string_view message = "", int at = 0);
std::string Exited(int code, std::string_view reason, int at);
std::string Waits(std::string_view reason, std::string_view message = "");

// Of a pod: a container with any of the states below.
template <typename... Parts>
std::string Container(const Parts&... parts) {
  return Object("status", Object("container_statuses", parts...));
}
template <typename... Parts>
std::string InitContainer(const Parts&... parts) {
  return Object("status", Object("init_container_statuses", parts...));
}
inline constexpr char kRuns[] = "state { running {} }";
std::string WaitState(std::string_view reason, std::string_view message = "");
std::string ExitState(int code, std::string_view reason = "Error",
                      std::string_view message = "", int at = 0);
std::string ExitState(int code, std::string_view reason, int at);
std::string LastExit(int code, std::string_view reason = "Error", int at = 0);

// A warning about pod "p", or about another object.
std::string Event(std::string_view reason, std::string_view message,
                  std::string_view kind = "Pod", std::string_view name = "p");
std::string ObservedAt(int at);

}  // namespace mulligan::demystify

#endif  // MULLIGAN_TESTS_POLICY_DEMYSTIFY_REPORT_TEXT_H_
