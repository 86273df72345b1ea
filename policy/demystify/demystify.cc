#include "policy/demystify/demystify.h"

#include <utility>

#include "policy/demystify/context.h"
#include "policy/demystify/diagnosis_writer.h"
#include "policy/demystify/findings.h"
#include "policy/demystify/verdict.h"

namespace mulligan {

Findings Demystify(const v1::FailureReport& report,
                   const DemystifyOptions& options, v1::Diagnosis& diagnosis) {
  const demystify::Context context(report, options.signatures);
  demystify::Verdict verdict = demystify::Judge(context);
  demystify::WriteDiagnosis(context, verdict, options.full, diagnosis);
  Findings findings;
  findings.warnings = std::move(verdict.warnings);
  demystify::CheckReport(context, findings.warnings);
  if (context.patterns.used_up()) {
    findings.warnings.emplace_back(kPatternsUsedUp);
  }
  const demystify::Seconds since = demystify::SinceOf(context, verdict);
  if (demystify::Known(since)) findings.since.set_seconds(since);
  return findings;
}

}  // namespace mulligan
