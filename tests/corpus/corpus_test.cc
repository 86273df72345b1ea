// The scorer, and the score of this build on real failures.
#include "tests/corpus/corpus.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/files.h"
#include "tests/testing/status_matchers.h"

namespace mulligan::corpus {
namespace {

using ::mulligan::testing::StatusIs;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class CorpusFile : public ::testing::Test {
 protected:
  std::filesystem::path Write(const std::string& text) {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    const std::filesystem::path file =
        std::filesystem::path(::testing::TempDir()) /
        (std::string("corpus-") + test->name() + ".jsonl");
    std::ofstream(file) << text;
    return file;
  }
};

constexpr char kOom[] =
    R"({"status":{"phase":"Failed","containerStatuses":[{"state":)"
    R"({"terminated":{"exitCode":137,"reason":"OOMKilled"}}}]}})";

std::string Line(const std::string& cause, const std::string& acceptable) {
  return std::string(R"({"id":"a","input":{"pods":[)") + kOom +
         R"(]},"truth":{"cause":")" + cause + R"(","acceptable":[)" +
         acceptable + R"(],"faultDomain":"RESOURCE_LIMIT"}})" + "\n";
}

TEST_F(CorpusFile, GradesRightAcceptableAndWrong) {
  ASSERT_OK_AND_ASSIGN(const std::vector<Case> cases,
                       ReadCases(Write(Line("container_oom", "") +
                                       Line("app_error", "\"container_oom\"") +
                                       Line("drained", ""))));
  ASSERT_THAT(cases, SizeIs(3));
  const Score score = ScoreCases(cases);
  EXPECT_EQ(score.right, 1);
  EXPECT_EQ(score.acceptable, 1);
  EXPECT_EQ(score.wrong, 1);
  EXPECT_EQ(score.confidently_wrong, 1) << "OOMKilled is said with confidence";
  EXPECT_EQ(score.fault_domain_right, 3);
  ASSERT_THAT(score.misses, SizeIs(1));
  EXPECT_EQ(score.misses[0].expected, v1::DRAINED);
  EXPECT_THAT(Describe("x", score), HasSubstr("expected DRAINED"));
}

TEST_F(CorpusFile, SingleJobIsAListOfOne) {
  ASSERT_OK_AND_ASSIGN(
      const std::vector<Case> cases,
      ReadCases(Write(R"({"id":"a","input":{"job":{"metadata":{"name":"j"}}},)"
                      R"("truth":{"cause":"unknown"}})")));
  ASSERT_THAT(cases, SizeIs(1));
  EXPECT_EQ(cases[0].report.jobs(0).metadata().name(), "j");
}

TEST_F(CorpusFile, BadLineIsNamed) {
  EXPECT_THAT(ReadCases(Write(Line("unknown", "") + "{")).status(),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(":2:")));
}

// At least 90 % named rightly or acceptably, at most 1 % wrong with high
// confidence.
TEST(Corpus, ReachesItsThresholds) {
  MULLIGAN_REQUIRE_SHARED("corpus");
  std::vector<Score> scores;
  std::string report;
  for (const auto& entry : std::filesystem::directory_iterator(
           mulligan::testing::SharedDir() / "corpus")) {
    if (entry.path().extension() != ".jsonl") continue;
    ASSERT_OK_AND_ASSIGN(const std::vector<Case> cases,
                         ReadCases(entry.path()));
    scores.push_back(ScoreCases(cases));
    report += Describe(entry.path().filename().string(), scores.back());
  }
  const Score sum = Sum(scores);
  ASSERT_GT(sum.cases, 0);
  EXPECT_GE(sum.named_share(), 0.90) << report;
  EXPECT_LE(sum.confidently_wrong_share(), 0.01) << report;
}

}  // namespace
}  // namespace mulligan::corpus
