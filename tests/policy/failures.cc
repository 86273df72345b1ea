#include "tests/policy/failures.h"

#include "policy/demystify/conclusion.h"
#include "policy/request/views/spark_words.h"

namespace mulligan::testing {

Failure FailureIn(const v1::Diagnosis& diagnosis,
                  const v1::FailureReport& report) {
  static const auto* const no_facts = new demystify::Conclusion;
  Failure failure;
  failure.cause = diagnosis.cause();
  failure.domain = diagnosis.fault_domain();
  failure.outlook = diagnosis.outlook();
  failure.confidence = diagnosis.confidence();
  failure.situation = diagnosis.situation();
  failure.culprit.pod = diagnosis.culprit().pod();
  failure.culprit.container = diagnosis.culprit().container();
  failure.culprit.node = diagnosis.culprit().node();
  failure.culprit.kind = diagnosis.culprit().kind();
  failure.culprit.name = diagnosis.culprit().name();
  for (int i = 0; i < report.pods_size(); ++i) {
    if (report.pods(i).metadata().name() == failure.culprit.pod) {
      failure.culprit.index = i;
    }
  }
  failure.short_container = spark::ContainerShortOfMemory(
      failure.culprit.container,
      diagnosis.evidence().empty() ? "" : diagnosis.evidence(0).value());
  failure.signature = diagnosis.signature();
  failure.fingerprint = diagnosis.fingerprint();
  if (diagnosis.has_exit_code()) failure.exit_code = diagnosis.exit_code();
  failure.finished_at = diagnosis.finished_at();
  failure.cascades = diagnosis.cascades_size();
  failure.doubtful = diagnosis.confidence() == v1::Diagnosis::LOW &&
                     !diagnosis.needed_evidence().empty();
  failure.derived_cause = diagnosis.derived_cause();
  failure.derived_reason = diagnosis.derived_reason();
  failure.found = no_facts;
  return failure;
}

}  // namespace mulligan::testing
