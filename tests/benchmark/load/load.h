// Sends the same bytes to a server repeatedly and measures.
#ifndef MULLIGAN_TESTS_BENCHMARK_LOAD_LOAD_H_
#define MULLIGAN_TESTS_BENCHMARK_LOAD_LOAD_H_

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/support/byte_buffer.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/benchmark/load/histogram.h"

namespace mulligan::load {

using Clock = std::chrono::steady_clock;

struct Plan {
  // Full method path, "/mulligan.v1.RetryDecisionService/Decide".
  std::string method;
  grpc::ByteBuffer request;
  // One per connection.
  std::vector<std::unique_ptr<grpc::GenericStub>> stubs;
  // Closed loop: outstanding calls. Open loop: not used.
  int outstanding = 64;
  // Open loop: calls per second on a fixed schedule; 0 for a closed loop.
  double rate = 0;
  std::chrono::duration<double> warm_up{1};
  std::chrono::duration<double> duration{5};
  // Of each call; zero: none.
  std::chrono::duration<double> deadline{0};
  // The process whose CPU time is measured.
  int server_pid = 0;
};

struct Result {
  Histogram latency;
  double seconds = 0;
  double server_cpu_seconds = 0;
  std::uint64_t errors = 0;
  // Open loop: calls that were not sent because as many others were outstanding
  // as fit into the deadline, or 4096 without one.
  std::uint64_t not_started = 0;
  std::string first_error;
};

// Keeps `outstanding` calls in progress; latency counts from sending.
Result RunClosedLoop(const Plan& plan);

// Calls start on schedule; latency counts from the time a call was due, so it
// shows a server that falls behind.
Result RunOpenLoop(const Plan& plan);

}  // namespace mulligan::load

#endif  // MULLIGAN_TESTS_BENCHMARK_LOAD_LOAD_H_
