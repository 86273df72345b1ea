#include "client/client.h"

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "client/fallback.h"
#include "gmock/gmock.h"
#include "grpcpp/grpcpp.h"
#include "grpcpp/health_check_service_interface.h"
#include "gtest/gtest.h"
#include "mulligan/v1/retry_decision_service.grpc.pb.h"
#include "tests/testing/proto_matchers.h"
#include "tests/testing/status_matchers.h"

namespace mulligan {
namespace {

using ::mulligan::testing::EqualsProto;
using ::mulligan::testing::StatusIs;
using ::testing::HasSubstr;

// Answers the n-th call with the n-th status, and with OK after the last.
class ScriptedService final : public v1::RetryDecisionService::Service {
 public:
  explicit ScriptedService(std::vector<grpc::Status> script)
      : script_(std::move(script)) {}

  int calls() const { return calls_; }

  grpc::Status Decide(grpc::ServerContext*, const v1::DecideRequest* request,
                      v1::DecideResponse* response) override {
    response->set_request_id(request->request_id());
    return Next();
  }
  grpc::Status BatchDecide(grpc::ServerContext*,
                           const v1::BatchDecideRequest* request,
                           v1::BatchDecideResponse* response) override {
    for (const v1::DecideRequest& item : request->requests()) {
      response->add_results()->mutable_response()->set_request_id(
          item.request_id());
    }
    return Next();
  }
  grpc::Status Demystify(grpc::ServerContext*, const v1::DemystifyRequest*,
                         v1::DemystifyResponse* response) override {
    response->mutable_diagnosis()->set_summary("summary");
    return Next();
  }

 private:
  grpc::Status Next() {
    const auto call = static_cast<size_t>(calls_++);
    return call < script_.size() ? script_[call] : grpc::Status::OK;
  }

  const std::vector<grpc::Status> script_;
  std::atomic<int> calls_{0};
};

class ClientTest : public ::testing::Test {
 protected:
  // Starts a server that answers by `script`, and its client.
  void Start(std::vector<grpc::Status> script, ClientOptions options = {}) {
    grpc::EnableDefaultHealthCheckService(true);
    service_ = std::make_unique<ScriptedService>(std::move(script));
    grpc::ServerBuilder builder;
    int port = 0;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(),
                             &port);
    builder.RegisterService(service_.get());
    server_ = builder.BuildAndStart();
    ASSERT_NE(server_, nullptr);
    options.target = "127.0.0.1:" + std::to_string(port);
    ASSERT_OK_AND_ASSIGN(client_, Client::Create(std::move(options)));
  }

  std::unique_ptr<ScriptedService> service_;
  std::unique_ptr<grpc::Server> server_;
  std::unique_ptr<Client> client_;
};

const grpc::Status kUnavailable(grpc::StatusCode::UNAVAILABLE, "draining");

TEST_F(ClientTest, AnswersAllCalls) {
  Start({});
  v1::DecideRequest request;
  request.set_request_id("a");
  ASSERT_OK_AND_ASSIGN(const v1::DecideResponse response,
                       client_->Decide(request));
  EXPECT_THAT(response, EqualsProto(R"pb(request_id: "a")pb"));

  v1::BatchDecideRequest batch;
  *batch.add_requests() = request;
  ASSERT_OK_AND_ASSIGN(const v1::BatchDecideResponse results,
                       client_->BatchDecide(batch));
  EXPECT_EQ(results.results_size(), 1);

  ASSERT_OK_AND_ASSIGN(const v1::DemystifyResponse diagnosis,
                       client_->Demystify({}));
  EXPECT_EQ(diagnosis.diagnosis().summary(), "summary");
}

TEST_F(ClientTest, RetriesOnceIfUnavailable) {
  Start({kUnavailable}, {.target = "", .retry_backoff = absl::Milliseconds(1)});
  EXPECT_OK(client_->Decide({}));
  EXPECT_EQ(service_->calls(), 2);
}

TEST_F(ClientTest, GivesUpAfterTheSecondUnavailable) {
  Start({kUnavailable, kUnavailable},
        {.target = "", .retry_backoff = absl::Milliseconds(1)});
  EXPECT_THAT(client_->Decide({}),
              StatusIs(absl::StatusCode::kUnavailable, "draining"));
  EXPECT_EQ(service_->calls(), 2);
}

TEST_F(ClientTest, DoesNotRetryPastTheDeadline) {
  Start({kUnavailable}, {.target = "",
                         .deadline = absl::Seconds(10),
                         .retry_backoff = absl::Hours(1)});
  EXPECT_THAT(client_->Decide({}), StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_EQ(service_->calls(), 1);
}

TEST_F(ClientTest, ReturnsOtherErrorsWithDetails) {
  Start({grpc::Status(grpc::StatusCode::INVALID_ARGUMENT, "report: is empty",
                      "details")});
  const auto response = client_->Decide({});
  EXPECT_THAT(response,
              StatusIs(absl::StatusCode::kInvalidArgument, "report: is empty"));
  EXPECT_EQ(response.status().GetPayload(kStatusDetailsUrl),
            absl::Cord("details"));
  EXPECT_EQ(service_->calls(), 1);
}

TEST_F(ClientTest, CheckHealthReportsUnhealthyServices) {
  Start({});
  EXPECT_OK(client_->CheckHealth(""));
  EXPECT_THAT(client_->CheckHealth("nosuch"),
              StatusIs(absl::StatusCode::kNotFound));
  server_->GetHealthCheckService()->SetServingStatus("a", false);
  EXPECT_THAT(client_->CheckHealth("a"),
              StatusIs(absl::StatusCode::kUnavailable,
                       HasSubstr("the server is NOT_SERVING")));
}

TEST(ClientCreateTest, ReportsBadOptions) {
  EXPECT_THAT(Client::Create({}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("target: \"\" is not valid, expected")));
  EXPECT_THAT(
      Client::Create({.target = "a:1", .deadline = absl::ZeroDuration()}),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("deadline: ")));
  EXPECT_THAT(
      Client::Create({.target = "a:1", .retry_backoff = absl::Seconds(-1)}),
      StatusIs(absl::StatusCode::kInvalidArgument,
               HasSubstr("retry_backoff: ")));
}

}  // namespace
}  // namespace mulligan
