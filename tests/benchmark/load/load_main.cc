// Load generator; prints one JSON object.
#include <grpcpp/create_channel.h>
#include <grpcpp/grpcpp.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>

#include "absl/strings/str_format.h"
#include "tests/benchmark/load/load.h"
#include "tests/benchmark/load/process_usage.h"

namespace mulligan::load {
namespace {

struct Arguments {
  std::string target;
  std::string method = "/mulligan.v1.RetryDecisionService/Decide";
  std::string payload;
  int connections = 2;
  int outstanding = 64;
  double rate = 0;
  double deadline = 0;
  double warm_up = 1;
  double duration = 5;
  int server_pid = 0;
};

bool Connect(const Arguments& arguments, Plan& plan) {
  for (int i = 0; i < arguments.connections; ++i) {
    grpc::ChannelArguments options;
    options.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    options.SetMaxReceiveMessageSize(-1);
    const auto channel = grpc::CreateCustomChannel(
        arguments.target, grpc::InsecureChannelCredentials(), options);
    if (!channel->WaitForConnected(std::chrono::system_clock::now() +
                                   std::chrono::seconds(10))) {
      std::fprintf(stderr, "no connection to %s\n", arguments.target.c_str());
      return false;
    }
    plan.stubs.push_back(std::make_unique<grpc::GenericStub>(channel));
  }
  return true;
}

void Print(const Result& result, const Plan& plan) {
  const auto calls = static_cast<double>(result.latency.total());
  std::puts(absl::StrFormat(
                R"({"calls": %d, "calls_per_second": %.1f, "p50_us": %.1f, )"
                R"("p99_us": %.1f, "p999_us": %.1f, "server_cpu_us": %.2f, )"
                R"("errors": %d, "not_started": %d, "rss_kib": %d})",
                result.latency.total(), calls / result.seconds,
                result.latency.QuantileMicroseconds(0.5),
                result.latency.QuantileMicroseconds(0.99),
                result.latency.QuantileMicroseconds(0.999),
                calls > 0 ? result.server_cpu_seconds / calls * 1e6 : 0,
                result.errors, result.not_started, ResidentKib(plan.server_pid))
                .c_str());
  if (!result.first_error.empty()) {
    std::fprintf(stderr, "first error: %s\n", result.first_error.c_str());
  }
}

int Main(int argc, char** argv) {
  Arguments arguments;
  CLI::App app("Sends one request over and over to a server on loopback");
  app.add_option("--target", arguments.target)->required();
  app.add_option("--method", arguments.method);
  app.add_option("--payload", arguments.payload, "request bytes")
      ->required()
      ->check(CLI::ExistingFile);
  app.add_option("--connections", arguments.connections)
      ->check(CLI::Range(1, 1000));
  app.add_option("--outstanding", arguments.outstanding, "closed loop")
      ->check(CLI::Range(1, 10000));
  app.add_option("--rate", arguments.rate, "calls a second: open loop")
      ->check(CLI::Range(0.0, 1e6));
  app.add_option("--deadline", arguments.deadline,
                 "of a call, seconds; 0: none");
  app.add_option("--warm-up", arguments.warm_up, "seconds");
  app.add_option("--duration", arguments.duration, "seconds");
  app.add_option("--server-pid", arguments.server_pid);
  CLI11_PARSE(app, argc, argv);

  std::ifstream file(arguments.payload, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  const grpc::Slice slice(bytes.str());
  Plan plan;
  plan.method = arguments.method;
  plan.request = grpc::ByteBuffer(&slice, 1);
  plan.outstanding = arguments.outstanding;
  plan.rate = arguments.rate;
  plan.deadline = std::chrono::duration<double>(arguments.deadline);
  plan.warm_up = std::chrono::duration<double>(arguments.warm_up);
  plan.duration = std::chrono::duration<double>(arguments.duration);
  plan.server_pid = arguments.server_pid;
  if (!Connect(arguments, plan)) return 1;
  const Result result = plan.rate > 0 ? RunOpenLoop(plan) : RunClosedLoop(plan);
  Print(result, plan);
  return result.errors == 0 ? 0 : 3;
}

}  // namespace
}  // namespace mulligan::load

int main(int argc, char** argv) { return mulligan::load::Main(argc, argv); }
