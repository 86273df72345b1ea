// Real failures with their established cause. tests/evaluation scores them.
#ifndef MULLIGAN_TESTS_CORPUS_CORPUS_H_
#define MULLIGAN_TESTS_CORPUS_CORPUS_H_

#include <filesystem>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "mulligan/v1/cause.pb.h"
#include "mulligan/v1/diagnosis.pb.h"
#include "mulligan/v1/report.pb.h"

namespace mulligan::corpus {

struct Case {
  std::string id;
  v1::FailureReport report;
  v1::Cause cause = v1::CAUSE_UNSPECIFIED;
  // Other causes an expert would accept.
  std::vector<v1::Cause> acceptable;
  // Who has to act, and who else an expert would name.
  std::vector<v1::Diagnosis::FaultDomain> domains;
};

// Reads one JSON object per line: id, input (a FailureReport in JSON names; a
// single Job may be under "job"), truth {cause, acceptable, faultDomain,
// acceptableFaultDomains}. Returns INVALID_ARGUMENT, which names the line, if
// one does not parse.
absl::StatusOr<std::vector<Case>> ReadCases(const std::filesystem::path& file);

}  // namespace mulligan::corpus

#endif  // MULLIGAN_TESTS_CORPUS_CORPUS_H_
