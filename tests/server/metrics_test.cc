#include "server/observe/metrics.h"

#include <map>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "re2/re2.h"
#include "re2/stringpiece.h"
#include "tests/server/test_server.h"
#include "tests/testing/files.h"
#include "tests/testing/status_matchers.h"

namespace mulligan {
namespace {

using ::testing::HasSubstr;
using testing::OutOfMemoryRequest;
using testing::TestServer;

std::string TypeName(MetricType type) {
  switch (type) {
    case MetricType::kCounter:
      return "counter";
    case MetricType::kGauge:
      return "gauge";
    case MetricType::kHistogram:
      return "histogram";
  }
  return "";
}

// Returns types by name, from the "# TYPE name type" lines.
std::map<std::string, std::string> TypesIn(const std::string& exposition) {
  std::map<std::string, std::string> types;
  std::istringstream lines(exposition);
  std::string line;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::string hash;
    std::string keyword;
    std::string name;
    std::string type;
    words >> hash >> keyword >> name >> type;
    if (hash == "#" && keyword == "TYPE") types[name] = type;
  }
  return types;
}

TEST(MetricTableTest, MatchesServedMetrics) {
  TestServer server;
  std::map<std::string, std::string> expected;
  for (const MetricInfo& info : kMetrics) {
    expected[info.name] = TypeName(info.type);
  }
  EXPECT_EQ(TypesIn(server->metrics().Serialize()), expected);
}

TEST(MetricTableTest, MatchesServedLabels) {
  TestServer server;
  std::map<std::string, std::set<std::string>> served;
  std::istringstream lines(server->metrics().Serialize());
  std::string line;
  while (std::getline(lines, line)) {
    std::string name;
    std::string labels;
    if (!RE2::PartialMatch(
            line, R"re(^([a-z_]+?)(?:_bucket|_sum|_count)?\{(.*)\} )re", &name,
            &labels)) {
      continue;
    }
    std::string label;
    for (re2::StringPiece rest(labels);
         RE2::FindAndConsume(&rest, R"re(([a-z_]+)=")re", &label);) {
      if (label != "le") served[name].insert(label);
    }
  }
  for (const MetricInfo& info : kMetrics) {
    std::set<std::string> expected;
    std::istringstream names(info.labels);
    std::string one;
    while (std::getline(names, one, ',')) expected.insert(one);
    EXPECT_EQ(served[info.name], expected) << info.name;
  }
}

TEST(MetricTableTest, MatchesDocumentation) {
  ASSERT_OK_AND_ASSIGN(
      const std::string text,
      testing::ReadFile(testing::SourcePath("docs/metrics.md")));
  std::set<std::string> documented;
  std::istringstream lines(text);
  std::string line;
  while (std::getline(lines, line)) {
    if (line.substr(0, 3) == "| `") {
      documented.insert(line);
    }
  }
  std::set<std::string> expected;
  for (const MetricInfo& info : kMetrics) {
    std::string labels;
    std::istringstream names(info.labels);
    std::string one;
    while (std::getline(names, one, ',')) {
      labels += (labels.empty() ? "`" : ", `") + one + "`";
    }
    expected.insert(absl::StrFormat("| `%s` | %s | %s | %s |", info.name,
                                    TypeName(info.type), labels, info.help));
  }
  EXPECT_EQ(documented, expected);
}

TEST(MetricsTest, CountsDivergenceFromOperators) {
  TestServer server;
  const std::string retries =
      "mulligan_native_divergence_total{difference=\"only_mulligan_retries\","
      "kind=\"Job\"}";
  EXPECT_EQ(server.Metric(retries), 0);
  v1::DecideRequest request = OutOfMemoryRequest();
  auto& job = *request.mutable_report()->add_jobs();
  job.mutable_spec()->set_backoff_limit(0);
  job.mutable_status()->set_failed(1);
  v1::DecideResponse response;
  ASSERT_TRUE(server.Decide(request, &response).ok());
  EXPECT_EQ(server.Metric("mulligan_native_verdicts_total{kind=\"Job\"}"), 0);
  request.set_compare_native(true);
  ASSERT_TRUE(server.Decide(request, &response).ok());
  EXPECT_EQ(response.native().action(), v1::Decision::FAIL);
  EXPECT_EQ(response.decision().action(), v1::Decision::RETRY);
  EXPECT_EQ(server.Metric("mulligan_native_verdicts_total{kind=\"Job\"}"), 1);
  EXPECT_EQ(server.Metric(retries), 1);
  request.set_purpose(v1::DecideRequest::PREVIEW);
  ASSERT_TRUE(server.Decide(request, &response).ok());
  EXPECT_EQ(server.Metric(retries), 1);
}

TEST(MetricsTest, EverySeriesExistsBeforeTheFirstCall) {
  TestServer server;
  EXPECT_EQ(server.Metric("mulligan_decisions_total{action=\"RETRY\","
                          "cause=\"SPOT_RECLAIMED\"}"),
            0);
  EXPECT_EQ(server.Metric("mulligan_decisions_by_kind_total{action=\"FAIL\","
                          "kind=\"other\"}"),
            0);
  EXPECT_EQ(server.Metric("mulligan_budget_exhausted_total{budget="
                          "\"maxAttempts\"}"),
            0);
  EXPECT_EQ(server.Metric(
                "grpc_server_handled_total{grpc_code=\"Unavailable\","
                "grpc_method=\"Decide\",grpc_service="
                "\"mulligan.v1.RetryDecisionService\",grpc_type=\"unary\"}"),
            0);
}

TEST(MetricsTest, CountsADecision) {
  TestServer server;
  v1::DecideResponse response;
  ASSERT_TRUE(server.Decide(OutOfMemoryRequest(), &response).ok());
  const std::string action =
      v1::Decision::Action_Name(response.decision().action());
  EXPECT_EQ(server.Metric(absl::StrFormat(
                "mulligan_decisions_total{action=\"%s\",cause=\"%s\"}", action,
                v1::Cause_Name(response.diagnosis().cause()))),
            1);
  EXPECT_EQ(server.Metric(absl::StrFormat(
                "mulligan_decisions_by_kind_total{action=\"%s\",kind=\"Job\"}",
                action)),
            1);
  EXPECT_EQ(server.Metric(absl::StrFormat(
                "mulligan_decisions_by_policy_total{action=\"%s\",policy="
                "\"%s\"}",
                action, response.policy().name())),
            1);
  ASSERT_EQ(response.accounting().units(), 1);
  EXPECT_EQ(server.Metric(
                absl::StrFormat("mulligan_budget_charged_total{budget=\"%s\"}",
                                response.accounting().charged_to())),
            1);
  EXPECT_EQ(server.Metric("mulligan_decision_duration_seconds_count"), 1);
  EXPECT_EQ(server.Metric("mulligan_request_bytes_count"), 1);
  EXPECT_EQ(server.Metric("mulligan_request_bytes_sum"),
            static_cast<double>(OutOfMemoryRequest().ByteSizeLong()));
  EXPECT_EQ(server.Metric(
                "grpc_server_handled_total{grpc_code=\"OK\","
                "grpc_method=\"Decide\",grpc_service="
                "\"mulligan.v1.RetryDecisionService\",grpc_type=\"unary\"}"),
            1);
}

// Returns the series with `prefix` that are not zero, without values.
std::set<std::string> NonZero(const Metrics& metrics,
                              const std::string& prefix) {
  std::set<std::string> names;
  std::istringstream lines(metrics.Serialize());
  std::string line;
  while (std::getline(lines, line)) {
    if (line.substr(0, prefix.size()) != prefix) continue;
    const std::size_t space = line.rfind(' ');
    if (std::stod(line.substr(space)) != 0) names.insert(line.substr(0, space));
  }
  return names;
}

TEST(MetricsTest, PreviewIsNotCounted) {
  TestServer server;
  v1::DecideRequest request = OutOfMemoryRequest();
  request.set_purpose(v1::DecideRequest::PREVIEW);
  v1::DecideResponse response;
  ASSERT_TRUE(server.Decide(request, &response).ok());
  EXPECT_THAT(NonZero(server->metrics(), "mulligan_decision"),
              ::testing::IsEmpty());
  EXPECT_THAT(NonZero(server->metrics(), "mulligan_budget"),
              ::testing::IsEmpty());
  EXPECT_THAT(NonZero(server->metrics(), "grpc_server_handled"),
              ::testing::SizeIs(1));
}

TEST(MetricsTest, DuplicateIsCountedButNotCharged) {
  TestServer server;
  v1::DecideRequest request = OutOfMemoryRequest();
  v1::DecideResponse first;
  ASSERT_TRUE(server.Decide(request, &first).ok());
  *request.mutable_ledger() = first.ledger();
  v1::DecideResponse second;
  ASSERT_TRUE(server.Decide(request, &second).ok());
  EXPECT_EQ(server.Metric("mulligan_duplicate_reports_total"), 1);
  EXPECT_EQ(server.Metric(
                absl::StrFormat("mulligan_budget_charged_total{budget=\"%s\"}",
                                first.accounting().charged_to())),
            1);
}

TEST(MetricsTest, NamesFromCallersAreNotLabels) {
  TestServer server;
  const std::size_t before = server->metrics().Serialize().size();
  v1::DecideRequest request = OutOfMemoryRequest();
  for (int i = 0; i < 20; ++i) {
    request.mutable_report()->mutable_workload()->set_kind(
        absl::StrFormat("Kind%d", i));
    request.mutable_report()->mutable_workload()->set_namespace_(
        absl::StrFormat("namespace%d", i));
    v1::DecideResponse response;
    ASSERT_TRUE(server.Decide(request, &response).ok());
  }
  const std::string after = server->metrics().Serialize();
  EXPECT_THAT(after, ::testing::Not(HasSubstr("Kind7")));
  // Only digits changed.
  EXPECT_LT(after.size(), before + 500);
}

TEST(MetricsTest, CountsOnManyThreads) {
  Metrics metrics;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&metrics] {
      for (int n = 0; n < 5000; ++n) {
        metrics.OnCallStarted(RpcMethod::kDecide);
        metrics.OnCallHandled(RpcMethod::kDecide, grpc::StatusCode::OK, 1e-5);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(metrics.CallsInFlight(), 0);
  EXPECT_THAT(metrics.Serialize(),
              HasSubstr("grpc_server_started_total{grpc_method=\"Decide\","
                        "grpc_service=\"mulligan.v1.RetryDecisionService\","
                        "grpc_type=\"unary\"} 20000\n"));
}

TEST(MetricsTest, OutOfRangeAnswersAreNotCounted) {
  Metrics metrics;
  v1::DecideResponse response;
  response.mutable_decision()->set_action(
      static_cast<v1::Decision::Action>(77));
  response.mutable_diagnosis()->set_cause(static_cast<v1::Cause>(9999));
  response.mutable_diagnosis()->set_derived_cause(
      static_cast<v1::DerivedCause>(-5));
  metrics.OnDecision({}, response, PolicySeries(), 1e-6);
  EXPECT_THAT(metrics.Serialize(),
              HasSubstr("mulligan_decision_duration_seconds_count 1\n"));
}

}  // namespace
}  // namespace mulligan
