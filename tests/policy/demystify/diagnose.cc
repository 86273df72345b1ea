#include "tests/policy/demystify/diagnose.h"

#include <google/protobuf/text_format.h>

#include <string>
#include <utility>

#include "gtest/gtest.h"
#include "policy/answer/diagnosis_writer.h"

namespace mulligan::demystify {

v1::FailureReport Report(std::string_view text) {
  v1::FailureReport report;
  EXPECT_TRUE(
      google::protobuf::TextFormat::MergeFromString(std::string(text), &report))
      << text;
  return report;
}

v1::Diagnosis Diagnose(const v1::FailureReport& report,
                       const DemystifyOptions& options, Findings* findings,
                       bool full) {
  v1::Diagnosis diagnosis;
  const Owners owners(report);
  Findings found = Demystify(owners, options);
  WriteDiagnosis(found, found.failure, full ? Detail::kFull : Detail::kSummary,
                 diagnosis);
  if (findings != nullptr) {
    *findings = std::move(found);
    findings->judged = nullptr;  // it points to `owners`
  }
  return diagnosis;
}

v1::Diagnosis Diagnose(std::string_view text) { return Diagnose(Report(text)); }

v1::FailureReport FailedPod(int exit_code, std::string_view reason,
                            std::string_view message) {
  v1::FailureReport report;
  auto& pod = *report.add_pods();
  pod.mutable_metadata()->set_name("p-0");
  pod.mutable_status()->set_phase("Failed");
  auto& status = *pod.mutable_status()->add_container_statuses();
  status.set_name("main");
  auto& terminated = *status.mutable_state()->mutable_terminated();
  terminated.set_exit_code(exit_code);
  terminated.set_reason(std::string(reason));
  terminated.set_message(std::string(message));
  return report;
}

}  // namespace mulligan::demystify
