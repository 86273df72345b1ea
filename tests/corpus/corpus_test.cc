// Reading real failures, and what one piece of evidence more does to an answer.
#include "tests/corpus/corpus.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "mulligan/v1/retry_decision_service.pb.h"
#include "policy/demystify/demystify.h"
#include "policy/request/container_ends.h"
#include "policy/verdict/received.h"
#include "tests/testing/files.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"

namespace mulligan::corpus {
namespace {

using ::mulligan::testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::filesystem::path Write(const std::string& text) {
  return testing::WriteTestFile("corpus.jsonl", text);
}

constexpr char kOom[] =
    R"({"status":{"phase":"Failed","containerStatuses":[{"state":)"
    R"({"terminated":{"exitCode":137,"reason":"OOMKilled"}}}]}})";

std::string Line(const std::string& cause, const std::string& acceptable) {
  return std::string(R"({"id":"a","input":{"pods":[)") + kOom +
         R"(]},"truth":{"cause":")" + cause + R"(","acceptable":[)" +
         acceptable + "]}}\n";
}

TEST(CorpusFileTest, HoldsWhatIsTrueAndWhatIsAcceptable) {
  ASSERT_OK_AND_ASSIGN(
      const std::vector<Case> cases,
      ReadCases(Write(Line("container_oom", "") +
                      Line("app_error", "\"container_oom\""))));
  ASSERT_THAT(cases, SizeIs(2));
  EXPECT_EQ(cases[0].id, "a");
  EXPECT_EQ(cases[0].report.pods_size(), 1);
  EXPECT_EQ(cases[0].cause, v1::CONTAINER_OOM);
  EXPECT_THAT(cases[0].acceptable, IsEmpty());
  EXPECT_EQ(cases[1].cause, v1::APP_ERROR);
  EXPECT_THAT(cases[1].acceptable, ElementsAre(v1::CONTAINER_OOM));
}

TEST(CorpusFileTest, SingleJobIsAListOfOne) {
  ASSERT_OK_AND_ASSIGN(
      const std::vector<Case> cases,
      ReadCases(Write(R"({"id":"a","input":{"job":{"metadata":{"name":"j"}}},)"
                      R"("truth":{"cause":"unknown"}})")));
  ASSERT_THAT(cases, SizeIs(1));
  EXPECT_EQ(cases[0].report.jobs(0).metadata().name(), "j");
}

TEST(CorpusFileTest, BadLineIsNamed) {
  EXPECT_THAT(ReadCases(Write(Line("unknown", "") + "{")).status(),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(":2:")));
}

v1::Diagnosis DiagnosisOf(const v1::FailureReport& report) {
  v1::Diagnosis diagnosis;
  Demystify(Owners(report), {}, diagnosis);
  return diagnosis;
}

bool IsRight(const Case& sample, v1::Cause cause) {
  return cause == sample.cause ||
         std::find(sample.acceptable.begin(), sample.acceptable.end(), cause) !=
             sample.acceptable.end();
}

// Failures written by an engineer before this build was asked about them.
TEST(Corpus, FailuresOfTheFieldKeepTheirCauseAndWhoHasToAct) {
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

struct Dress {
  const char* name;
  // What stands in front of each line of a log, and behind it.
  const char* head;
  const char* tail;
};

constexpr Dress kDresses[] = {
    {"container runtime", "2026-08-22T11:58:00.123456789Z stderr F ", ""},
    {"container runtime's part", "2026-08-22T11:58:00.123456789Z stdout P ",
     ""},
    {"time and tab", "2026-08-22T11:58:00Z\t", ""},
    {"kubectl --timestamps", "2026-08-22T11:58:00.123456789Z ", ""},
    {"kubectl --prefix", "[pod/train-worker-0/main] ", ""},
    {"clock", "11:58:00.123 ", ""},
    {"time in brackets", "[2026-08-22 11:58:00,123] ", ""},
    {"the kernel", "[   12.345678] ", ""},
    {"Docker Compose", "train-1  | ", ""},
    {"syslog", "Aug 22 11:58:00 node-7 train[4242]: ", ""},
    {"date and clock", "2026-08-22 11:58:00,123 ", ""},
    {"Java's date", "26/08/22 11:58:00 ", ""},
    {"Ray", "(train_fn pid=1234, ip=10.0.0.3) ", ""},
    {"coloured Ray", "\x1b[36m(train_fn pid=1234)\x1b[0m ", ""},
    {"coloured", "\x1b[1;31m", "\x1b[0m"},
    {"line that is drawn anew", "\x1b[2K\x1b[1G", ""},
    {"Windows", "", "\r"},
    {"blanks at its end", "", "  "},
};

std::string Dressed(const Dress& dress, const std::string& log) {
  std::string dressed;
  for (std::size_t begin = 0; begin <= log.size();) {
    const std::size_t end = std::min(log.find('\n', begin), log.size());
    const std::string line = log.substr(begin, end - begin);
    if (!line.empty()) dressed += dress.head + line;
    dressed += dress.tail;
    if (end < log.size()) dressed += '\n';
    begin = end + 1;
  }
  return dressed;
}

// Changes the logs of a report. Returns whether it has any.
template <typename Change>
bool ChangeLogs(v1::FailureReport& report, const Change& change) {
  bool any = false;
  for (auto& pod : *report.mutable_pods()) {
    ForEachEnd(*pod.mutable_status(), [&](auto& end) {
      if (end.message().empty()) return;
      end.set_message(change(end.message()));
      any = true;
    });
  }
  return any;
}

std::string Told(const v1::FailureReport& report) {
  v1::DemystifyRequest request;
  *request.mutable_report() = report;
  google::protobuf::Timestamp now;
  now.set_seconds(1'800'000'000);
  const v1::Diagnosis told =
      DiagnosisOf(Received<v1::DemystifyRequest>(request, now).report());
  return absl::StrJoin(
      std::vector<std::string>{
          v1::Cause_Name(told.cause()),
          v1::Diagnosis::FaultDomain_Name(told.fault_domain()),
          v1::Diagnosis::Outlook_Name(told.outlook()),
          v1::Diagnosis::Confidence_Name(told.confidence()), told.signature()},
      " ");
}

// Who collects a log or shows it says nothing about the failure.
TEST(Corpus, WhatStandsAroundTheLinesOfALogChangesNothing) {
  ASSERT_OK_AND_ASSIGN(const std::vector<Case> cases,
                       ReadCases(mulligan::testing::SourcePath(
                           "tests/testdata/field_samples.jsonl")));
  int tried = 0;
  for (const Case& sample : cases) {
    const std::string plain = Told(sample.report);
    for (const Dress& dress : kDresses) {
      v1::FailureReport report = sample.report;
      const bool any = ChangeLogs(
          report, [&](const std::string& log) { return Dressed(dress, log); });
      if (!any) continue;
      ++tried;
      EXPECT_EQ(Told(report), plain) << sample.id << " by " << dress.name;
    }
  }
  EXPECT_GT(tried, 1000);
}

// As a logger writes it that writes objects of JSON or logfmt.
std::string Structured(const char* before, const std::string& log,
                       const char* after) {
  return absl::StrCat(before,
                      absl::StrReplaceAll(log, {{"\\", "\\\\"},
                                                {"\"", "\\\""},
                                                {"\n", "\\n"},
                                                {"\r", "\\r"},
                                                {"\t", "\\t"}}),
                      after);
}

// What a program says through a structured logger it says.
TEST(Corpus, AStructuredLoggerChangesNoCause) {
  constexpr Dress kLoggers[] = {
      {"zap", R"({"level":"error","ts":1.5,"caller":"a.go:1","msg":")", "\"}"},
      {"python-json-logger",
       R"({"asctime": "2026-08-22 11:58:00", "levelname": "ERROR", )"
       R"("message": "training failed", "exc_info": ")",
       "\"}"},
      {"Google Cloud", R"({"severity":"ERROR","message":")",
       R"(","timestamp":"2026-08-22T11:58:00Z"})"},
      {"logrus", R"(time="2026-08-22T11:58:00Z" level=error msg=")", "\""},
  };
  ASSERT_OK_AND_ASSIGN(const std::vector<Case> cases,
                       ReadCases(mulligan::testing::SourcePath(
                           "tests/testdata/field_samples.jsonl")));
  int tried = 0;
  for (const Case& sample : cases) {
    for (const Dress& logger : kLoggers) {
      v1::FailureReport report = sample.report;
      const bool any = ChangeLogs(report, [&](const std::string& log) {
        return Structured(logger.head, log, logger.tail);
      });
      if (!any) continue;
      ++tried;
      EXPECT_EQ(DiagnosisOf(report).cause(), DiagnosisOf(sample.report).cause())
          << sample.id << " by " << logger.name;
    }
  }
  EXPECT_GT(tried, 1000);
}

// A program that fails says why last, and as an error: what it mentioned before
// is not the reason. Known are logs that have no line of an error.
TEST(Corpus, WhatAProgramMentionedBeforeIsNotTheReason) {
  constexpr const char* kMentions[] = {
      "2026-08-22 11:58:00 INFO train: dial tcp 10.0.0.3:6379: connect: "
      "connection refused\n",
      R"({"level":"info","ts":1,"msg":"ConnectionRefusedError: refused"})"
      "\n",
      "time=\"2026-08-22T11:58:00Z\" level=info msg=\"connection refused\"\n",
      "2026/08/22 11:58:00 [warn] 7#7: connection refused\n",
      "info: Train.Cache[0]\n      connection refused\n",
      "cache.c:12: warning: connection refused\n",
  };
  ASSERT_OK_AND_ASSIGN(const std::vector<Case> cases,
                       ReadCases(mulligan::testing::SourcePath(
                           "tests/testdata/field_samples.jsonl")));
  int tried = 0;
  std::set<std::string> changed;
  for (const Case& sample : cases) {
    for (const char* mention : kMentions) {
      v1::FailureReport report = sample.report;
      const bool any = ChangeLogs(
          report, [&](const std::string& log) { return mention + log; });
      if (!any) continue;
      ++tried;
      if (DiagnosisOf(report).cause() != DiagnosisOf(sample.report).cause()) {
        changed.insert(sample.id);
      }
    }
  }
  EXPECT_GT(tried, 1000);
  EXPECT_LE(changed.size() * 200, cases.size()) << absl::StrJoin(changed, ", ");
}

// `sample` without one of its objects, each once.
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

// A true object hardly ever turns a rightly named cause into a less certain
// one: for at most one sample in fifty. Known are a drain that only an
// autoscaler's event knows of, a pod that succeeded although its claim was
// full, a Job's failure policy where the pod shows a bad image, a gang of which
// one member alone seems well.
TEST_P(MoreEvidenceTest, MakesNoAnswerWorse) {
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
