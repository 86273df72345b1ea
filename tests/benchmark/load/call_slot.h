// One outstanding call; the slot is reused for the next.
#ifndef MULLIGAN_TESTS_BENCHMARK_LOAD_CALL_SLOT_H_
#define MULLIGAN_TESTS_BENCHMARK_LOAD_CALL_SLOT_H_

#include <grpcpp/client_context.h>
#include <grpcpp/completion_queue.h>

#include <chrono>
#include <memory>
#include <optional>

#include "absl/strings/str_format.h"
#include "tests/benchmark/load/load.h"

namespace mulligan::load {

class CallSlot {
 public:
  CallSlot(const Plan& plan, grpc::GenericStub& stub,
           grpc::CompletionQueue& queue)
      : plan_(plan), stub_(stub), queue_(queue) {}

  // Sends; the queue yields `this` when the answer has arrived.
  void Start(Clock::time_point due) {
    context_.emplace();
    if (plan_.deadline.count() > 0) {
      context_->set_deadline(
          std::chrono::system_clock::now() +
          std::chrono::duration_cast<std::chrono::system_clock::duration>(
              plan_.deadline));
    }
    response_.Clear();
    due_ = due;
    call_ = stub_.PrepareUnaryCall(&*context_, plan_.method, plan_.request,
                                   &queue_);
    call_->StartCall();
    call_->Finish(&response_, &status_, this);
  }

  void Record(Result& result) const {
    if (status_.ok()) {
      result.latency.Add(
          static_cast<std::uint64_t>((Clock::now() - due_).count()));
    } else if (result.errors++ == 0) {
      result.first_error = absl::StrFormat("%d %s", status_.error_code(),
                                           status_.error_message());
    }
  }

 private:
  const Plan& plan_;
  grpc::GenericStub& stub_;
  grpc::CompletionQueue& queue_;
  std::optional<grpc::ClientContext> context_;
  std::unique_ptr<grpc::GenericClientAsyncResponseReader> call_;
  grpc::ByteBuffer response_;
  grpc::Status status_;
  Clock::time_point due_;
};

}  // namespace mulligan::load

#endif  // MULLIGAN_TESTS_BENCHMARK_LOAD_CALL_SLOT_H_
