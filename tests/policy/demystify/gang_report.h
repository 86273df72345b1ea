// Gangs whose members have ended, one line per member.
#ifndef MULLIGAN_TESTS_POLICY_DEMYSTIFY_GANG_REPORT_H_
#define MULLIGAN_TESTS_POLICY_DEMYSTIFY_GANG_REPORT_H_

#include <string>
#include <vector>

#include "mulligan/v1/diagnosis.pb.h"
#include "mulligan/v1/report.pb.h"

namespace mulligan::demystify {

struct GangMember {
  const char* name;
  int code;
  const char* reason;
  long finished;
  const char* log;
};

inline kubernetes::core::v1::Pod PodOf(const GangMember& member) {
  kubernetes::core::v1::Pod pod;
  pod.mutable_metadata()->set_name(member.name);
  pod.mutable_status()->set_phase("Failed");
  auto& status = *pod.mutable_status()->add_container_statuses();
  status.set_name("main");
  auto& end = *status.mutable_state()->mutable_terminated();
  end.set_exit_code(member.code);
  end.set_reason(member.reason);
  end.set_message(member.log);
  if (member.finished > 0)
    end.mutable_finished_at()->set_seconds(member.finished);
  return pod;
}

inline v1::FailureReport GangOf(const std::vector<GangMember>& members) {
  v1::FailureReport report;
  for (const GangMember& member : members) *report.add_pods() = PodOf(member);
  return report;
}

inline std::vector<std::string> CascadesOf(const v1::Diagnosis& diagnosis) {
  std::vector<std::string> names;
  for (const auto& cascade : diagnosis.cascades()) {
    names.push_back(cascade.pod());
  }
  return names;
}

}  // namespace mulligan::demystify

#endif  // MULLIGAN_TESTS_POLICY_DEMYSTIFY_GANG_REPORT_H_
