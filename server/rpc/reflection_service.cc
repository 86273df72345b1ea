#include "server/rpc/reflection_service.h"

#include <grpcpp/impl/codegen/proto_utils.h>
#include <grpcpp/impl/codegen/rpc_service_method.h>
#include <grpcpp/impl/codegen/server_callback_handlers.h>

#include <cstddef>
#include <utility>

#include "absl/strings/str_format.h"
#include "grpc/reflection/v1/reflection.pb.h"
#include "server/rpc/schemas.h"

namespace mulligan {
namespace {

namespace reflection = grpc::reflection::v1;
using Request = reflection::ServerReflectionRequest;
using Response = reflection::ServerReflectionResponse;

void SetError(grpc::StatusCode code, const std::string& what,
              Response& response) {
  response.mutable_error_response()->set_error_code(code);
  response.mutable_error_response()->set_error_message(what);
}

void SetFiles(std::vector<std::string> files, const std::string& what,
              Response& response) {
  if (files.empty()) {
    return SetError(grpc::StatusCode::NOT_FOUND, what + " is not known",
                    response);
  }
  for (std::string& file : files) {
    response.mutable_file_descriptor_response()->add_file_descriptor_proto(
        std::move(file));
  }
}

Response Answer(const Request& request,
                const std::vector<std::string>& services) {
  Response response;
  response.set_valid_host(request.host());
  *response.mutable_original_request() = request;
  switch (request.message_request_case()) {
    case Request::kFileByFilename:
      SetFiles(Schemas::Get().File(request.file_by_filename()),
               request.file_by_filename(), response);
      break;
    case Request::kFileContainingSymbol:
      SetFiles(Schemas::Get().FileOf(request.file_containing_symbol()),
               request.file_containing_symbol(), response);
      break;
    case Request::kListServices:
      for (const std::string& name : services) {
        response.mutable_list_services_response()->add_service()->set_name(
            name);
      }
      break;
    case Request::kFileContainingExtension:
    case Request::kAllExtensionNumbersOfType:
      // proto3 has none.
      SetError(grpc::StatusCode::NOT_FOUND, "there are no extensions",
               response);
      break;
    case Request::MESSAGE_REQUEST_NOT_SET:
      SetError(grpc::StatusCode::INVALID_ARGUMENT,
               "the request is empty, expected one of its questions", response);
  }
  return response;
}

// An unread answer holds up to 400 KB of schemas, and its question.
constexpr int kMaxConversations = 32;
constexpr std::size_t kMaxQuestionBytes = 1 << 10;

// One stream of questions and answers. Deletes itself.
class Conversation final : public grpc::ServerBidiReactor<Request, Response> {
 public:
  Conversation(const std::vector<std::string>& services, std::atomic<int>& open)
      : services_(services), open_(open) {
    if (++open_ <= kMaxConversations) {
      StartRead(&request_);
      return;
    }
    Finish({grpc::StatusCode::RESOURCE_EXHAUSTED,
            absl::StrFormat("more than %d streams of reflection are open",
                            kMaxConversations)});
  }

  void OnReadDone(bool ok) override {
    if (!ok) return Finish(grpc::Status::OK);
    if (request_.ByteSizeLong() > kMaxQuestionBytes) {
      return Finish(
          {grpc::StatusCode::INVALID_ARGUMENT,
           absl::StrFormat("the question has %d bytes, expected at most %d",
                           request_.ByteSizeLong(), kMaxQuestionBytes)});
    }
    response_ = Answer(request_, services_);
    StartWrite(&response_);
  }
  void OnWriteDone(bool ok) override {
    if (!ok) return Finish(grpc::Status::OK);
    StartRead(&request_);
  }
  void OnDone() override {
    --open_;
    delete this;
  }

 private:
  const std::vector<std::string>& services_;
  std::atomic<int>& open_;
  Request request_;
  Response response_;
};

}  // namespace

ReflectionService::ReflectionService(const std::string& package,
                                     std::vector<std::string> services)
    : method_("/" + package + ".ServerReflection/ServerReflectionInfo"),
      services_(std::move(services)) {
  // As generated code does.
  AddMethod(new grpc::internal::RpcServiceMethod(
      method_.c_str(), grpc::internal::RpcMethod::BIDI_STREAMING, nullptr));
  MarkMethodCallback(0,
                     new grpc::internal::CallbackBidiHandler<Request, Response>(
                         [this](grpc::CallbackServerContext*) {
                           return new Conversation(services_, open_);
                         }));
}

}  // namespace mulligan
