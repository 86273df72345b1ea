#include "tests/server/test_server.h"

#include <google/protobuf/text_format.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/support/channel_arguments.h>
#include <spdlog/sinks/ostream_sink.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "absl/strings/str_format.h"
#include "google/rpc/status.pb.h"

namespace mulligan::testing {
namespace {

class TextSource final : public PolicySource {
 public:
  explicit TextSource(std::vector<PolicyText> texts)
      : texts_(std::move(texts)) {}
  std::vector<PolicyText> Read(Issues&) override { return texts_; }
  std::string Describe() const override { return "<test>"; }

 private:
  const std::vector<PolicyText> texts_;
};

constexpr char kOutOfMemory[] = R"pb(
  report {
    observed_at { seconds: 1700000100 }
    workload { kind: "Job" namespace: "ml" name: "train" uid: "u-1" }
    pods {
      metadata { name: "train-0" namespace: "ml" uid: "p-1" }
      status {
        phase: "Failed"
        container_statuses {
          name: "main"
          state {
            terminated {
              exit_code: 137
              reason: "OOMKilled"
              finished_at { seconds: 1700000000 }
            }
          }
        }
      }
    }
  }
)pb";

std::chrono::system_clock::time_point Deadline() {
  return std::chrono::system_clock::now() + std::chrono::seconds(60);
}

grpc::ByteBuffer ToBuffer(const std::string& bytes) {
  grpc::Slice slice(bytes);
  return {&slice, 1};
}

std::string ToString(const grpc::ByteBuffer& buffer) {
  std::vector<grpc::Slice> slices;
  std::string text;
  if (!buffer.Valid() || !buffer.Dump(&slices).ok()) return text;
  for (const grpc::Slice& slice : slices) {
    text.append(slice.begin(), slice.end());
  }
  return text;
}

}  // namespace

ServerOptions TestOptions() {
  ServerOptions options;
  options.listen_address = "127.0.0.1:0";
  options.admin_address = "off";
  options.drain_delay = absl::ZeroDuration();
  options.policy_poll = absl::ZeroDuration();
  options.shutdown_grace = absl::Seconds(20);
  return options;
}

ServerOptions TestOptionsWithAdmin() {
  ServerOptions options = TestOptions();
  options.admin_address = "127.0.0.1:0";
  return options;
}

TestServer::TestServer(const ServerOptions& options,
                       std::vector<PolicyText> policies)
    : TestServer(options, std::make_unique<TextSource>(std::move(policies))) {}

TestServer::TestServer(const ServerOptions& options,
                       std::unique_ptr<PolicySource> source)
    : log_(std::make_unique<Log>(
          LogLevel::kInfo, LogFormat::kJson,
          std::make_shared<spdlog::sinks::ostream_sink_mt>(log_text_))),
      source_(std::move(source)) {
  auto server = Server::Create(options, *source_, *log_);
  if (!server.ok()) {
    std::fprintf(stderr, "server did not start: %s\n",
                 server.status().ToString().c_str());
    std::abort();
  }
  server_ = *std::move(server);
  channel_ = NewChannel();
  stub_ = v1::RetryDecisionService::NewStub(channel_);
}

std::shared_ptr<grpc::Channel> TestServer::NewChannel() const {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);
  // Channels to one address share a connection otherwise.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  return grpc::CreateCustomChannel(
      absl::StrFormat("127.0.0.1:%d", server_->grpc_port()),
      grpc::InsecureChannelCredentials(), arguments);
}

grpc::Status TestServer::Decide(const v1::DecideRequest& request,
                                v1::DecideResponse* response) {
  grpc::ClientContext context;
  context.set_deadline(Deadline());
  return stub_->Decide(&context, request, response);
}

grpc::Status TestServer::BatchDecide(const v1::BatchDecideRequest& request,
                                     v1::BatchDecideResponse* response) {
  grpc::ClientContext context;
  context.set_deadline(Deadline());
  return stub_->BatchDecide(&context, request, response);
}

grpc::Status TestServer::Demystify(const v1::DemystifyRequest& request,
                                   v1::DemystifyResponse* response) {
  grpc::ClientContext context;
  context.set_deadline(Deadline());
  return stub_->Demystify(&context, request, response);
}

double TestServer::Metric(const std::string& series) const {
  std::istringstream lines(server_->metrics().Serialize());
  std::string line;
  while (std::getline(lines, line)) {
    if (line.size() > series.size() &&
        line.substr(0, series.size()) == series && line[series.size()] == ' ') {
      return std::stod(line.substr(series.size() + 1));
    }
  }
  return -1;
}

v1::DecideRequest OutOfMemoryRequest() {
  v1::DecideRequest request;
  if (!google::protobuf::TextFormat::ParseFromString(kOutOfMemory, &request)) {
    std::abort();
  }
  return request;
}

grpc::Status CallWithBytes(const std::shared_ptr<grpc::Channel>& channel,
                           const std::string& method, const std::string& bytes,
                           std::string* response) {
  grpc::GenericStub stub(channel);
  grpc::ClientContext context;
  context.set_deadline(Deadline());
  grpc::CompletionQueue queue;
  const auto call =
      stub.PrepareUnaryCall(&context, method, ToBuffer(bytes), &queue);
  call->StartCall();
  grpc::ByteBuffer answer;
  grpc::Status status;
  call->Finish(&answer, &status, nullptr);
  void* tag = nullptr;
  bool ok = false;
  queue.Next(&tag, &ok);
  if (response != nullptr) *response = ToString(answer);
  return status;
}

grpc::Status StreamOneMessage(const std::shared_ptr<grpc::Channel>& channel,
                              const std::string& method,
                              const std::string& bytes, std::string* response) {
  grpc::GenericStub stub(channel);
  grpc::ClientContext context;
  context.set_deadline(Deadline());
  grpc::CompletionQueue queue;
  void* tag = nullptr;
  bool ok = false;
  const auto call = stub.PrepareCall(&context, method, &queue);
  call->StartCall(nullptr);
  queue.Next(&tag, &ok);
  call->WriteLast(ToBuffer(bytes), grpc::WriteOptions(), nullptr);
  queue.Next(&tag, &ok);
  grpc::ByteBuffer answer;
  call->Read(&answer, nullptr);
  queue.Next(&tag, &ok);
  *response = ToString(answer);
  grpc::Status status;
  call->Finish(&status, nullptr);
  queue.Next(&tag, &ok);
  return status;
}

google::rpc::BadRequest BadRequestOf(const grpc::Status& status) {
  google::rpc::Status details;
  google::rpc::BadRequest bad_request;
  if (details.ParseFromString(status.error_details()) &&
      details.details_size() > 0) {
    details.details(0).UnpackTo(&bad_request);
  }
  return bad_request;
}

std::vector<std::string> BadFields(const grpc::Status& status) {
  std::vector<std::string> fields;
  const google::rpc::BadRequest bad_request = BadRequestOf(status);
  for (const auto& violation : bad_request.field_violations()) {
    fields.push_back(violation.field());
  }
  return fields;
}

}  // namespace mulligan::testing
