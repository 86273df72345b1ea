#include "client/cli/input/requests.h"

#include <sstream>
#include <string>
#include <vector>

#include "client/cli/input/report_builder.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/limits.h"

namespace mulligan::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Answers with the request id; "refuse" and "away" are errors.
std::vector<absl::StatusOr<v1::DecideResponse>> Echo(
    const v1::BatchDecideRequest& batch) {
  std::vector<absl::StatusOr<v1::DecideResponse>> responses;
  for (const v1::DecideRequest& request : batch.requests()) {
    if (request.request_id() == "refuse") {
      responses.emplace_back(
          absl::InvalidArgumentError("report: is \"empty\""));
    } else if (request.request_id() == "away") {
      responses.emplace_back(absl::UnavailableError("draining"));
    } else {
      responses.emplace_back(v1::DecideResponse());
      responses.back()->set_request_id(request.request_id());
    }
  }
  return responses;
}

struct Answer {
  std::vector<std::string> lines;
  RequestsOutcome outcome;
};

Answer Ask(const std::string& input, int batch,
           const BatchDecider& decide = Echo) {
  std::istringstream in(input);
  std::ostringstream out;
  Answer answer;
  answer.outcome = AnswerRequests(in, out, batch, decide);
  std::istringstream lines(out.str());
  for (std::string line; std::getline(lines, line);) {
    answer.lines.push_back(line);
  }
  return answer;
}

class AnswerRequestsTest : public ::testing::TestWithParam<int> {};

TEST_P(AnswerRequestsTest, AnswersEveryLineInOrder) {
  const Answer answer =
      Ask("{\"requestId\":\"1\",\"nosuch\":[{}]}\n"
          "\n"
          "{\"requestId\":\n"
          "[]\n"
          "{\"requestId\":5} x\n"
          "{\"requestId\":5}\n"
          "{\"requestId\":\"refuse\"}\n"
          "   \t\r\n"
          "{\"requestId\":\"away\"}\n"
          "{\"requestId\":\"2\"}",
          GetParam());
  EXPECT_THAT(
      answer.lines,
      ElementsAre(
          R"({"requestId":"1"})",
          R"({"error":{"code":"INVALID_ARGUMENT","message":"line 3, column )"
          R"(14: expected a value, found the end of the input"}})",
          R"({"error":{"code":"INVALID_ARGUMENT","message":"line 4: expected )"
          R"(a DecideRequest object"}})",
          R"({"error":{"code":"INVALID_ARGUMENT","message":"line 5, column )"
          R"(17: expected the end of the line after the request"}})",
          R"({"error":{"code":"INVALID_ARGUMENT","message":"line 6: )"
          R"(requestId: 5 is not a string"}})",
          R"({"error":{"code":"INVALID_ARGUMENT","message":"report: is )"
          R"(\"empty\""}})",
          R"({"error":{"code":"UNAVAILABLE","message":"draining"}})",
          R"({"requestId":"2"})"));
  EXPECT_EQ(answer.outcome.answered, 8);
  EXPECT_EQ(answer.outcome.unanswered, 1);
}

INSTANTIATE_TEST_SUITE_P(BatchSizes, AnswerRequestsTest,
                         ::testing::Values(1, 2, 3, 1000));

TEST(AnswerRequestsTest, WarnsAboutRepairsAndUnknownEnumNames) {
  const Answer answer =
      Ask("{\"requestId\":\"\xff\",\"explain\":\"full\"}\n", 1);
  EXPECT_THAT(answer.lines,
              ElementsAre("{\"warnings\":[\"text that is not UTF-8 was "
                          "replaced by U+FFFD\",\"explain: \\\"full\\\" is "
                          "ignored, it is not one of EXPLAIN_NONE, SUMMARY, "
                          "FULL\"],\"requestId\":\"\xef\xbf\xbd\"}"));
}

TEST(AnswerRequestsTest, RejectsWhatAParserWouldDropSilently) {
  const struct {
    const char* request;
    const char* error;
  } kTests[] = {
      {R"({"report":{"jobs":{"kind":"Job"}}})",
       "line 1: report.jobs: found an object, expected a list"},
      {R"({"report":{"nodes":5}})",
       "line 1: report.nodes: found 5, expected a list"},
      {R"({"report":[]})", "line 1: report: found a list, expected an object"},
      {R"({"report":{"job_set":{"status":[]}}})",
       "line 1: report.jobSet.status: found a list, expected an object"},
      {R"({"report":{"pods":[{"kind":"Pod"},{"kind":"List"}]}})",
       "line 1: report.pods[1]: kind is \\\"List\\\", expected Pod"},
      {R"({"report":{"job_set":{"kind":"Job"}}})",
       "line 1: report.jobSet: kind is \\\"Job\\\", expected JobSet"},
      {R"({"requestId":"1","requestId":"2"})",
       "line 1, column 18: duplicate key \\\"requestId\\\""},
      {R"({"requestId":"1","request\u0049d":"2"})",
       "line 1, column 18: duplicate key \\\"request\\\\u0049d\\\""},
      {R"({"request_id":"1","requestId":"2"})",
       "line 1: requestId: is given twice, as requestId and request_id"},
      {R"({"policy":"a","inlinePolicy":{}})",
       "line 1: inlinePolicy: conflicts with another field, "
       "expected at most one of policy, inlinePolicy"},
  };
  for (const auto& test : kTests) {
    EXPECT_THAT(
        Ask(test.request, 1).lines,
        ElementsAre(
            std::string(R"({"error":{"code":"INVALID_ARGUMENT","message":")") +
            test.error + R"("}})"));
  }
}

TEST(AnswerRequestsTest, AcceptsObjectsInTheirFields) {
  const Answer answer = Ask(
      R"({"requestId":"1","report":{"pods":[{"kind":"Pod"},{"metadata":{}}],)"
      R"("events":[{"kind":"Event"}],"jobs":null,"usage":[{"pod":"a"}],)"
      R"("kubeflowJob":{"kind":"TrainingJob"},"workload":{"kind":"Job"}}})",
      1);
  EXPECT_THAT(answer.lines, ElementsAre(R"({"requestId":"1"})"));
}

TEST(AnswerRequestsTest, RejectsLongLinesAlone) {
  const std::string frame = "{\"requestId\":\"\"}";
  const std::string fits = "{\"requestId\":\"" +
                           std::string(kMaxRequestBytes - frame.size(), 'x') +
                           "\"}";
  const Answer answer = Ask(fits + "\n " + fits + "\n{\"requestId\":\"3\"}", 1);
  ASSERT_EQ(answer.lines.size(), 3);
  EXPECT_EQ(answer.lines[0].size(), fits.size());
  EXPECT_EQ(answer.lines[1],
            R"({"error":{"code":"RESOURCE_EXHAUSTED","message":"line 2: is )"
            R"(longer than 4194304 bytes"}})");
  EXPECT_EQ(answer.lines[2], R"({"requestId":"3"})");
}

TEST(AnswerRequestsTest, LimitsBatchSize) {
  std::vector<int> sizes;
  const BatchDecider decide = [&sizes](const v1::BatchDecideRequest& batch) {
    sizes.push_back(batch.requests_size());
    return Echo(batch);
  };
  Ask("{}\n{}\n{}\n{}\n{}\n", 2, decide);
  EXPECT_THAT(sizes, ElementsAre(2, 2, 1));
}

TEST(AnswerRequestsTest, MissingResultsAreErrors) {
  const BatchDecider decide = [](const v1::BatchDecideRequest&) {
    return std::vector<absl::StatusOr<v1::DecideResponse>>();
  };
  const Answer answer = Ask("{}\n", 1, decide);
  EXPECT_THAT(answer.lines,
              ElementsAre(::testing::HasSubstr("\"code\":\"INTERNAL\"")));
}

// Returns one line at a time, like a pipe whose writer waits for answers.
class OneLineAtATime : public std::streambuf {
 public:
  explicit OneLineAtATime(std::vector<std::string> lines)
      : lines_(std::move(lines)) {}

 protected:
  int_type underflow() override {
    if (next_ == lines_.size()) return traits_type::eof();
    std::string& line = lines_[next_++];
    setg(line.data(), line.data(), line.data() + line.size());
    return traits_type::to_int_type(line[0]);
  }

 private:
  std::vector<std::string> lines_;
  size_t next_ = 0;
};

TEST(AnswerRequestsTest, AnswersBeforeWaitingForTheNextLine) {
  OneLineAtATime lines(
      {"{\"requestId\":\"1\"}\n", "\n", "[]\n", "{\"requestId\":\"2\"}\n"});
  std::istream in(&lines);
  std::ostringstream out;
  std::vector<std::string> seen;
  const BatchDecider decide = [&](const v1::BatchDecideRequest& batch) {
    seen.push_back(out.str());
    return Echo(batch);
  };
  AnswerRequests(in, out, 1000, decide);
  EXPECT_THAT(seen, ElementsAre("", ::testing::HasSubstr("line 3")));
}

TEST(AnswerRequestsTest, StopsWhenTheServerIsGone) {
  std::string input;
  for (int i = 0; i < 100; ++i) input += "{\"requestId\":\"away\"}\n";
  const Answer gone = Ask(input, 2);
  EXPECT_EQ(gone.lines.size(), 2U * kMaxSilentBatches);
  EXPECT_EQ(gone.outcome.unanswered, 2U * kMaxSilentBatches);
  EXPECT_EQ(gone.outcome.gone_at_line, 2U * kMaxSilentBatches);
  // Any answer in between shows that the server is there.
  std::string flaky;
  for (int i = 0; i < 10; ++i) {
    flaky += "{\"requestId\":\"away\"}\n{\"requestId\":\"refuse\"}\n";
  }
  const Answer there = Ask(flaky, 1);
  EXPECT_EQ(there.lines.size(), 20U);
  EXPECT_EQ(there.outcome.gone_at_line, 0U);
}

std::vector<std::string> ReadAll(const std::string& text, size_t bound) {
  std::istringstream stream(text);
  LineReader reader(stream, bound);
  std::vector<std::string> lines;
  std::string line;
  while (true) {
    switch (reader.Next(line)) {
      case LineReader::Result::kLine:
        lines.push_back(line);
        break;
      case LineReader::Result::kTooLong:
        lines.push_back("<too long>" + line);
        break;
      case LineReader::Result::kEnd:
        return lines;
    }
  }
}

TEST(LineReaderTest, SplitsAtLineBreaks) {
  EXPECT_THAT(ReadAll("a\n\nbc\r\nd", 10), ElementsAre("a", "", "bc", "d"));
  EXPECT_THAT(ReadAll("a\n", 10), ElementsAre("a"));
  EXPECT_THAT(ReadAll("\n", 10), ElementsAre(""));
  EXPECT_THAT(ReadAll("", 10), IsEmpty());
}

TEST(LineReaderTest, KeepsZeroBytes) {
  EXPECT_THAT(ReadAll(std::string("a\0b\nc", 5), 10),
              ElementsAre(std::string("a\0b", 3), "c"));
}

TEST(LineReaderTest, SkipsLongLines) {
  EXPECT_THAT(ReadAll("12345\n123456\nx", 5),
              ElementsAre("12345", "<too long>", "x"));
}

// Line, buffer and input end in all combinations around the buffer's size.
TEST(LineReaderTest, JoinsChunks) {
  for (size_t length = (1 << 16) - 3; length <= (1 << 16) + 3; ++length) {
    SCOPED_TRACE(length);
    const std::string line(length, 'x');
    EXPECT_THAT(ReadAll(line + "\nb\n", 1 << 20), ElementsAre(line, "b"));
    EXPECT_THAT(ReadAll(line, 1 << 20), ElementsAre(line));
    EXPECT_THAT(ReadAll(line + "\nb", 100), ElementsAre("<too long>", "b"));
  }
}

TEST(ListsOfOneTest, SingularFieldBecomesAList) {
  std::vector<std::string> warnings;
  EXPECT_EQ(ListsOfOne(R"({"requestId":"job","report": {"job" : {"a":"job"},)"
                       R"("exit":{}, "pod":{"metadata":{"name":"p"}}}})",
                       warnings),
            R"({"requestId":"job","report": {"jobs":[{"a":"job"}],)"
            R"("exit":{}, "pods":[{"metadata":{"name":"p"}}]}})");
  EXPECT_THAT(warnings, ElementsAre("report.job is read as report.jobs[0]",
                                    "report.pod is read as report.pods[0]"));
}

TEST(ListsOfOneTest, KeepsEverythingElse) {
  for (const char* const request :
       {R"({"report":{"jobs":[{}],"job":{}}})", R"({"report":{"job":"j"}})",
        R"({"report":{"job":null}})", R"({"report":{"jobSet":{}}})",
        R"({"report":{"warning":{}}})", R"({"job":{}})", R"({"report":[]})",
        R"({})"}) {
    std::vector<std::string> warnings;
    EXPECT_EQ(ListsOfOne(request, warnings), request);
    EXPECT_THAT(warnings, IsEmpty());
  }
}

}  // namespace
}  // namespace mulligan::cli
