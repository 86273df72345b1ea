// Real failures, and the effect of one more piece of evidence on an answer.
#include "tests/corpus/corpus.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "mulligan/v1/retry_decision_service.pb.h"
#include "policy/answer/diagnosis_writer.h"
#include "policy/demystify/demystify.h"
#include "tests/testing/files.h"
#include "tests/testing/status_matchers.h"

namespace mulligan::corpus {
namespace {

v1::Diagnosis DiagnosisOf(const v1::FailureReport& report) {
  v1::Diagnosis diagnosis;
  const Owners owners(report);
  const Findings found = Demystify(owners);
  WriteDiagnosis(found, found.failure, Detail::kSummary, diagnosis);
  return diagnosis;
}

bool IsRight(const Case& sample, v1::Cause cause) {
  return cause == sample.cause ||
         std::find(sample.acceptable.begin(), sample.acceptable.end(), cause) !=
             sample.acceptable.end();
}

// Failures labelled by an engineer before this build was asked about them.
TEST(Corpus, FieldFailuresKeepTheirCauseAndDomain) {
  ASSERT_OK_AND_ASSIGN(const std::vector<Case> cases,
                       ReadCases(mulligan::testing::SourcePath(
                           "tests/testdata/field_samples.jsonl")));
  EXPECT_GT(cases.size(), 200U);
  for (const Case& sample : cases) {
    const v1::Diagnosis diagnosis = DiagnosisOf(sample.report);
    EXPECT_TRUE(IsRight(sample, diagnosis.cause()))
        << sample.id << ": " << v1::Cause_Name(diagnosis.cause());
    EXPECT_THAT(sample.domains, ::testing::Contains(diagnosis.fault_domain()))
        << sample.id << ": "
        << v1::Diagnosis::FaultDomain_Name(diagnosis.fault_domain());
  }
}

// All variants of `sample` that lack one of its objects.
std::vector<v1::FailureReport> WithLess(const Case& sample) {
  std::vector<v1::FailureReport> all;
  const auto without_each = [&](int size, auto remove) {
    for (int i = 0; i < size; ++i) {
      v1::FailureReport report = sample.report;
      remove(report, i);
      if (report.ByteSizeLong() > 0) all.push_back(std::move(report));
    }
  };
  without_each(sample.report.pods_size(), [](v1::FailureReport& report, int i) {
    report.mutable_pods()->DeleteSubrange(i, 1);
  });
  without_each(sample.report.jobs_size(), [](v1::FailureReport& report, int i) {
    report.mutable_jobs()->DeleteSubrange(i, 1);
  });
  without_each(sample.report.nodes_size(),
               [](v1::FailureReport& report, int i) {
                 report.mutable_nodes()->DeleteSubrange(i, 1);
               });
  without_each(sample.report.events_size(),
               [](v1::FailureReport& report, int i) {
                 report.mutable_events()->DeleteSubrange(i, 1);
               });
  return all;
}

struct MoreEvidenceRow {
  const char* name;
  std::vector<std::filesystem::path> files;
};

class MoreEvidenceTest : public ::testing::TestWithParam<MoreEvidenceRow> {};

// A true object makes a correct cause less certain for at most one sample in
// fifty. Known cases: a drain that only an autoscaler's event shows, a pod that
// succeeded although its claim was full, a Job's failure policy where the pod
// shows a bad image, a gang of which one member alone seems well.
TEST_P(MoreEvidenceTest, RarelyMakesAnAnswerWorse) {
  std::vector<Case> cases;
  for (const std::filesystem::path& file : GetParam().files) {
    ASSERT_OK_AND_ASSIGN(const std::vector<Case> read, ReadCases(file));
    cases.insert(cases.end(), read.begin(), read.end());
  }
  std::set<std::string> worse;
  int tried = 0;
  for (const Case& sample : cases) {
    const v1::Diagnosis full = DiagnosisOf(sample.report);
    for (const v1::FailureReport& report : WithLess(sample)) {
      const v1::Diagnosis less = DiagnosisOf(report);
      ++tried;
      if (less.confidence() >= v1::Diagnosis::MEDIUM &&
          IsRight(sample, less.cause()) &&
          full.confidence() < less.confidence()) {
        worse.insert(sample.id);
      }
    }
  }
  EXPECT_GT(tried, 0);
  EXPECT_LE(worse.size() * 50, cases.size()) << absl::StrJoin(worse, ", ");
}

// The samples of the repository, and those outside it that were known when this
// was written.
std::vector<MoreEvidenceRow> MoreEvidenceRows() {
  std::vector<MoreEvidenceRow> rows = {
      {"Field", {testing::SourcePath("tests/testdata/field_samples.jsonl")}}};
  MoreEvidenceRow corpus = {"Corpus", {}};
  for (const char* name :
       {"apps.jsonl", "apps-2.jsonl", "infra.jsonl", "infra-2.jsonl"}) {
    const auto file = testing::SharedDir() / "corpus" / name;
    if (std::filesystem::exists(file)) corpus.files.push_back(file);
  }
  if (!corpus.files.empty()) rows.push_back(corpus);
  return rows;
}

INSTANTIATE_TEST_SUITE_P(, MoreEvidenceTest,
                         ::testing::ValuesIn(MoreEvidenceRows()),
                         [](const auto& row) {
                           return std::string(row.param.name);
                         });

}  // namespace
}  // namespace mulligan::corpus
