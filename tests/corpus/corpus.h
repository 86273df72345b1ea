// Real failures with their established cause, and how well a build names them.
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
  v1::Diagnosis::FaultDomain fault_domain =
      v1::Diagnosis::FAULT_DOMAIN_UNSPECIFIED;
};

// Reads one JSON object per line: id, input (a FailureReport in JSON names; a
// single Job may stand under "job"), truth {cause, acceptable, faultDomain}.
// INVALID_ARGUMENT names the line that does not parse.
absl::StatusOr<std::vector<Case>> ReadCases(const std::filesystem::path& file);

enum class Grade { kRight, kAcceptable, kWrong, kConfidentlyWrong };

struct Miss {
  std::string id;
  v1::Cause expected = v1::CAUSE_UNSPECIFIED;
  v1::Cause named = v1::CAUSE_UNSPECIFIED;
  v1::Diagnosis::Confidence confidence = v1::Diagnosis::CONFIDENCE_UNSPECIFIED;
  std::string summary;
};

struct Score {
  int cases = 0;
  int right = 0;
  int acceptable = 0;
  int wrong = 0;
  // Of the wrong ones, those said with high confidence.
  int confidently_wrong = 0;
  int fault_domain_right = 0;
  std::vector<Miss> misses;

  double named_share() const;
  double confidently_wrong_share() const;
};

Score ScoreCases(const std::vector<Case>& cases);
Score Sum(const std::vector<Score>& scores);

// A few lines for people; misses one per line.
std::string Describe(const std::string& name, const Score& score);

}  // namespace mulligan::corpus

#endif  // MULLIGAN_TESTS_CORPUS_CORPUS_H_
