// The upper limit: the real server's transport, messages and allocator around
// handlers that parse the request and copy a prepared answer.
#include <google/protobuf/arena.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include "mulligan/v1/retry_decision_service.grpc.pb.h"
#include "policy/decide.h"
#include "policy/loader/load.h"
#include "server/grpc_server.h"
#include "server/net/acceptor.h"
#include "server/net/address.h"
#include "server/net/listener.h"
#include "server/observe/log.h"
#include "server/options.h"
#include "server/rpc/retry_decision_service.h"
#include "server/rpc/unary_call.h"

namespace mulligan {
namespace {

// Like RunUnary in server/rpc/unary_call.h, without its measurements.
template <typename Request, typename Response, typename Work>
grpc::ServerUnaryReactor* Answer(grpc::CallbackServerContext* context,
                                 const grpc::ByteBuffer& in,
                                 grpc::ByteBuffer& out, Work work) {
  alignas(8) char block[16 << 10];
  google::protobuf::ArenaOptions options;
  options.initial_block = block;
  options.initial_block_size = sizeof(block);
  options.start_block_size = sizeof(block);
  options.max_block_size = 256 << 10;
  google::protobuf::Arena arena(options);
  auto* request = google::protobuf::Arena::CreateMessage<Request>(&arena);
  auto* response = google::protobuf::Arena::CreateMessage<Response>(&arena);
  static const WireShape& shape = WireShape::Of(*Request::descriptor());
  if (!ParseRequest(in, shape, *request).ok()) {
    return FinishWith(
        context, grpc::Status(grpc::StatusCode::INVALID_ARGUMENT, "request"));
  }
  work(*request, *response);
  SerializeResponse(*response, out).IgnoreError();
  return FinishWith(context, grpc::Status::OK);
}

class EmptyService final : public RawRetryDecisionService {
 public:
  explicit EmptyService(v1::DecideResponse answer)
      : answer_(std::move(answer)) {}

  grpc::ServerUnaryReactor* Decide(grpc::CallbackServerContext* context,
                                   const grpc::ByteBuffer* request,
                                   grpc::ByteBuffer* response) override {
    return Answer<v1::DecideRequest, v1::DecideResponse>(
        context, *request, *response,
        [this](const v1::DecideRequest&, v1::DecideResponse& r) {
          r = answer_;
        });
  }

  grpc::ServerUnaryReactor* BatchDecide(grpc::CallbackServerContext* context,
                                        const grpc::ByteBuffer* request,
                                        grpc::ByteBuffer* response) override {
    return Answer<v1::BatchDecideRequest, v1::BatchDecideResponse>(
        context, *request, *response,
        [this](const v1::BatchDecideRequest& q, v1::BatchDecideResponse& r) {
          for (int i = 0; i < q.requests_size(); ++i) {
            *r.add_results()->mutable_response() = answer_;
          }
        });
  }

  grpc::ServerUnaryReactor* Demystify(grpc::CallbackServerContext* context,
                                      const grpc::ByteBuffer*,
                                      grpc::ByteBuffer*) override {
    return FinishWith(context, grpc::Status(grpc::StatusCode::UNIMPLEMENTED,
                                            "the empty server"));
  }

 private:
  const v1::DecideResponse answer_;
};

// The real server's answer, so that both send the same bytes.
v1::DecideResponse AnswerTo(const std::string& payload_file) {
  std::ifstream file(payload_file, std::ios::binary);
  v1::DecideRequest request;
  Issues issues;
  const auto policies = LoadPolicies({EmbeddedPolicy()}, issues);
  v1::DecideResponse response;
  if (policies == nullptr || !request.ParseFromIstream(&file) ||
      !Decide(request, *policies, request.report().observed_at(), response)
           .ok()) {
    std::fprintf(stderr, "%s: not a DecideRequest that can be answered\n",
                 payload_file.c_str());
    std::exit(1);
  }
  return response;
}

int Main(int argc, char** argv) {
  std::string payload;
  std::string port_file;
  CLI::App app("A server that decides nothing");
  app.add_option("--payload", payload, "one DecideRequest")->required();
  app.add_option("--port-file", port_file)->required();
  CLI11_PARSE(app, argc, argv);
  EmptyService service(AnswerTo(payload));
  ServerOptions options;
  options.listen_address = "127.0.0.1:0";
  const auto started = StartGrpcServer(options, TlsFiles(), {&service});
  auto listening =
      ListenOn(*ParseAddress(options.listen_address), "--listen-address");
  if (!started.ok() || !listening.ok()) {
    std::fprintf(stderr, "the empty server did not start\n");
    return 1;
  }
  const int port = listening->port;
  const int listener = listening->socket.number();
  const Log log(LogLevel::kWarning, LogFormat::kText);
  // More than the load generator opens.
  constexpr Acceptor::Bounds kBounds = {1000, {100'000, std::size_t{1} << 30}};
  Acceptor acceptor(
      *std::move(listening), Wire::kPlaintext, kBounds,
      [&](int connection) {
        grpc::experimental::ExternalConnectionAcceptor::NewConnectionParameters
            taken;
        taken.listener_fd = listener;
        taken.fd = connection;
        started->connections->HandleNewConnection(&taken);
      },
      log);
  std::ofstream(port_file) << "{\"grpcPort\": " << port << "}\n";
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  int received = 0;
  sigwait(&signals, &received);
  acceptor.Stop();
  started->server->Shutdown();
  return 0;
}

}  // namespace
}  // namespace mulligan

int main(int argc, char** argv) {
  // Before any thread exists, so that all of them inherit it.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return mulligan::Main(argc, argv);
}
