// Replicas that restart one by one under load behind the client's round robin,
// as in a rollout or after a node failure.
#include <atomic>
#include <csignal>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "client/client.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/run.h"
#include "tests/server/program.h"
#include "tests/server/sockets.h"
#include "tests/server/test_server.h"
#include "tests/testing/temp_dir.h"

namespace mulligan {
namespace {

using testing::OutOfMemoryRequest;
using testing::Program;
using testing::Serving;

constexpr int kReplicas = 3;
constexpr int kCallers = 4;
constexpr int kRounds = 2;
// Failures of one workload before the next one starts.
constexpr int kFailures = 20;

// Allows more attempts than a workload uses, from one budget.
constexpr char kPolicy[] = R"(apiVersion: mulligan.dev/v1
kind: RetryPolicy
metadata: {name: patient}
spec:
  budgets:
    memory: {limit: 1000}
  maxAttempts: 1000
  derivation: {sameFingerprint: 0, crashLoopFailures: 0}
  default: {action: RETRY, budget: memory}
)";

// A server that restarts on its port.
class Replica {
 public:
  explicit Replica(const std::string& policy_dir)
      : policies_("--policy-dir=" + policy_dir) {
    Start("127.0.0.1:0");
    address_ = absl::StrFormat("127.0.0.1:%d", program_->grpc_port());
  }

  const std::string& address() const { return address_; }

  // Waits until it has answered a call; returns whether it has.
  bool WaitForCalls() {
    const absl::Time end = absl::Now() + absl::Seconds(30);
    while (!HasAnswered() && absl::Now() < end) {
      absl::SleepFor(absl::Milliseconds(5));
    }
    return absl::Now() < end;
  }

  // Returns the exit code of the old program.
  int Restart(int signal) {
    program_->Signal(signal);
    const int code = program_->Wait();
    Start(address_);
    EXPECT_NE(program_->grpc_port(), 0) << program_->output();
    return code;
  }

 private:
  void Start(const std::string& address) {
    program_ = std::make_unique<Program>(
        Serving({"--listen-address=" + address, "--admin-address=127.0.0.1:0",
                 policies_}));
  }

  bool HasAnswered() {
    std::istringstream metrics(
        testing::Http(program_->admin_port(), "GET", "/metrics"));
    for (std::string line; std::getline(metrics, line);) {
      if (line.find("grpc_server_handled_total{") == 0 &&
          line.find("\"Decide\"") != std::string::npos &&
          line.find("\"OK\"") != std::string::npos) {
        return line.substr(line.rfind(' ')) != " 0";
      }
    }
    return false;
  }

  const std::string policies_;
  std::string address_;
  std::unique_ptr<Program> program_;
};

// Reports workloads that fail repeatedly, one after the other, and keeps their
// ledgers like a controller. Runs until Stop.
class Caller {
 public:
  Caller(const Client& client, int number) : client_(client), number_(number) {
    thread_ = std::thread([this] {
      while (!stopping_ && complaint_.empty()) FailWorkload();
      done_ = true;
    });
  }
  ~Caller() { Stop(); }

  void Stop() {
    stopping_ = true;
    if (thread_.joinable()) thread_.join();
  }

  // Waits until an open call and the next are answered, or no more will come.
  void WaitForAnswers() const {
    const int before = answers_;
    while (answers_ < before + 2 && !done_)
      absl::SleepFor(absl::Milliseconds(1));
  }

  // REQUIRE: Stop was called.
  int answers() const { return answers_; }
  // Describes what went wrong; empty if nothing did.
  const std::string& complaint() const { return complaint_; }

 private:
  void FailWorkload() {
    const std::string uid = absl::StrFormat("w-%d-%d", number_, ++workloads_);
    v1::DecideRequest request = OutOfMemoryRequest();
    request.mutable_report()->mutable_workload()->set_uid(uid);
    for (int failure = 1; failure <= kFailures; ++failure) {
      Fail(absl::StrFormat("%s-%d", uid, failure), request);
      const auto answer = client_.Decide(request);
      if (!answer.ok()) {
        complaint_ = answer.status().ToString();
        return;
      }
      *request.mutable_ledger() = answer->ledger();
      ++answers_;
      const int used = request.ledger().budgets().at("memory").used();
      if (used != failure) {
        complaint_ =
            absl::StrFormat("%s: %d failures, %d charged", uid, failure, used);
        return;
      }
    }
  }

  // The next pod of the workload ends a minute after the last.
  static void Fail(const std::string& uid, v1::DecideRequest& request) {
    v1::FailureReport& report = *request.mutable_report();
    auto& pod = *report.mutable_pods(0);
    pod.mutable_metadata()->set_uid(uid);
    pod.mutable_metadata()->set_name(uid);
    auto& end = *pod.mutable_status()
                     ->mutable_container_statuses(0)
                     ->mutable_state()
                     ->mutable_terminated()
                     ->mutable_finished_at();
    end.set_seconds(end.seconds() + 60);
    auto& observed = *report.mutable_observed_at();
    observed.set_seconds(observed.seconds() + 60);
  }

  const Client& client_;
  const int number_;
  int workloads_ = 0;
  std::atomic<int> answers_ = 0;
  std::string complaint_;
  std::atomic<bool> stopping_ = false;
  std::atomic<bool> done_ = false;
  std::thread thread_;
};

struct RollCase {
  const char* name;
  int signal;
  int code;
};

class RollTest : public ::testing::TestWithParam<RollCase> {};

TEST_P(RollTest, LosesNothingAndChargesEachFailureOnce) {
  const std::string folder = testing::TestFolder().string();
  testing::WriteTestFile("patient.yaml", kPolicy);
  std::vector<std::unique_ptr<Replica>> replicas;
  std::string target = "ipv4:";
  for (int i = 0; i < kReplicas; ++i) {
    replicas.push_back(std::make_unique<Replica>(folder));
    if (i > 0) target += ",";
    target += replicas.back()->address();
  }
  const auto client = Client::Create({.target = target});
  ASSERT_TRUE(client.ok()) << client.status();
  std::vector<std::unique_ptr<Caller>> callers;
  for (int i = 0; i < kCallers; ++i) {
    callers.push_back(std::make_unique<Caller>(**client, i));
  }
  for (const auto& replica : replicas) ASSERT_TRUE(replica->WaitForCalls());
  for (int i = 0; i < kRounds * kReplicas; ++i) {
    Replica& replica = *replicas[static_cast<std::size_t>(i % kReplicas)];
    EXPECT_EQ(replica.Restart(GetParam().signal), GetParam().code);
    // Restarts the next one once this one is back and no call waits.
    ASSERT_TRUE(replica.WaitForCalls());
    for (const auto& caller : callers) caller->WaitForAnswers();
  }
  for (const auto& caller : callers) {
    caller->Stop();
    EXPECT_EQ(caller->complaint(), "");
    EXPECT_GT(caller->answers(), kFailures);
  }
}

INSTANTIATE_TEST_SUITE_P(All, RollTest,
                         ::testing::Values(RollCase{"Stopped", SIGTERM,
                                                    kExitOk},
                                           RollCase{"Killed", SIGKILL, -1}),
                         [](const auto& param) { return param.param.name; });

}  // namespace
}  // namespace mulligan
