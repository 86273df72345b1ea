// A call that stays open and unread until it is destroyed.
#ifndef MULLIGAN_TESTS_SERVER_OPEN_CALL_H_
#define MULLIGAN_TESTS_SERVER_OPEN_CALL_H_

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/completion_queue.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/slice.h>

#include <memory>
#include <string>

namespace mulligan::testing {

class OpenCall {
 public:
  OpenCall(const std::shared_ptr<grpc::Channel>& channel,
           const std::string& method)
      : stub_(channel), call_(stub_.PrepareCall(&context_, method, &queue_)) {
    call_->StartCall(this);
    Next();
  }
  ~OpenCall() {
    context_.TryCancel();
    queue_.Shutdown();
    while (Next()) {
    }
  }
  OpenCall(const OpenCall&) = delete;
  OpenCall& operator=(const OpenCall&) = delete;

  // Sends the only message.
  void WriteLast(const std::string& bytes) {
    const grpc::Slice slice(bytes);
    call_->WriteLast(grpc::ByteBuffer(&slice, 1), grpc::WriteOptions(), this);
    Next();
  }

 private:
  bool Next() {
    void* tag = nullptr;
    bool ok = false;
    return queue_.Next(&tag, &ok);
  }

  grpc::GenericStub stub_;
  grpc::ClientContext context_;
  grpc::CompletionQueue queue_;
  const std::unique_ptr<grpc::GenericClientAsyncReaderWriter> call_;
};

}  // namespace mulligan::testing

#endif  // MULLIGAN_TESTS_SERVER_OPEN_CALL_H_
