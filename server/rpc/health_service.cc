#include "server/rpc/health_service.h"

#include <grpcpp/support/status.h>

#include <cstddef>
#include <optional>
#include <utility>

#include "absl/strings/str_format.h"
#include "server/rpc/unary_call.h"

namespace mulligan {

using grpc::health::v1::HealthCheckRequest;
using grpc::health::v1::HealthCheckResponse;

namespace {

// A watch takes 19 KiB and is open for as long as its caller likes.
constexpr std::size_t kMaxWatches = 2000;

}  // namespace

// One Watch. Everything except OnDone runs under the service's mutex. At most
// one write is active; of changes meanwhile only the last is sent.
class HealthService::Watcher final
    : public grpc::ServerWriteReactor<HealthCheckResponse> {
 public:
  Watcher(HealthService& service, const std::string& name)
      : service_(service),
        // Enough to detect that a name is too long.
        name_(name.substr(0, kMaxNameBytes + 1)),
        start_(SteadyClock::now()) {
    service_.metrics_.OnCallStarted(RpcMethod::kHealthWatch);
    const std::lock_guard lock(service_.mutex_);
    service_.watchers_.insert(this);
    if (name_.size() > std::size_t{kMaxNameBytes}) {
      FinishLocked({grpc::StatusCode::INVALID_ARGUMENT,
                    absl::StrFormat("service: expected a name of at most %d "
                                    "bytes",
                                    kMaxNameBytes)});
    } else if (service_.watchers_.size() > kMaxWatches) {
      FinishLocked({grpc::StatusCode::RESOURCE_EXHAUSTED,
                    absl::StrFormat("more than %d watches", kMaxWatches)});
    } else if (service_.ended_) {
      EndLocked();
    } else {
      SendLocked();
    }
  }

  const std::string& name() const { return name_; }

  // Sends the current health of the name.
  void SendLocked() {
    const auto found = service_.serving_.find(name_);
    if (found == service_.serving_.end()) {
      next_ = HealthCheckResponse::SERVICE_UNKNOWN;
    } else {
      next_ = found->second ? HealthCheckResponse::SERVING
                            : HealthCheckResponse::NOT_SERVING;
    }
    WriteLocked();
  }

  // Ends the call after the last health was sent.
  void EndLocked() {
    ending_ = true;
    FinishWhenSentLocked();
  }

  void OnWriteDone(bool ok) override {
    const std::lock_guard lock(service_.mutex_);
    writing_ = false;
    if (!ok) {
      FinishLocked(grpc::Status::CANCELLED);
      return;
    }
    WriteLocked();
    FinishWhenSentLocked();
  }

  void OnCancel() override {
    const std::lock_guard lock(service_.mutex_);
    FinishLocked(grpc::Status::CANCELLED);
  }

  void OnDone() override {
    {
      const std::lock_guard lock(service_.mutex_);
      service_.watchers_.erase(this);
    }
    service_.metrics_.OnCallHandled(RpcMethod::kHealthWatch, code_,
                                    SecondsBetween(start_, SteadyClock::now()));
    delete this;
  }

 private:
  void WriteLocked() {
    if (writing_ || finished_ || !next_.has_value()) return;
    response_.set_status(*std::exchange(next_, std::nullopt));
    writing_ = true;
    StartWrite(&response_);
  }

  void FinishWhenSentLocked() {
    if (ending_ && !writing_) {
      FinishLocked({grpc::StatusCode::UNAVAILABLE, "the server is stopping"});
    }
  }

  void FinishLocked(const grpc::Status& status) {
    if (std::exchange(finished_, true)) return;
    code_ = status.error_code();
    Finish(status);
  }

  HealthService& service_;
  const std::string name_;
  const SteadyClock::time_point start_;
  HealthCheckResponse response_;
  std::optional<HealthCheckResponse::ServingStatus> next_;
  bool writing_ = false;
  bool ending_ = false;
  bool finished_ = false;
  grpc::StatusCode code_ = grpc::StatusCode::OK;
};

HealthService::HealthService(const std::vector<std::string>& names,
                             Metrics& metrics)
    : metrics_(metrics) {
  for (const std::string& name : names) serving_[name] = false;
}

void HealthService::SetServing(const std::string& name, bool serving) {
  const std::lock_guard lock(mutex_);
  serving_[name] = serving;
  for (Watcher* watcher : watchers_) {
    if (watcher->name() == name) watcher->SendLocked();
  }
}

void HealthService::EndWatches() {
  const std::lock_guard lock(mutex_);
  ended_ = true;
  for (Watcher* watcher : watchers_) watcher->EndLocked();
}

grpc::ServerUnaryReactor* HealthService::Check(
    grpc::CallbackServerContext* context, const HealthCheckRequest* request,
    HealthCheckResponse* response) {
  const SteadyClock::time_point start = SteadyClock::now();
  metrics_.OnCallStarted(RpcMethod::kHealthCheck);
  grpc::Status status;
  {
    const std::lock_guard lock(mutex_);
    const auto found = serving_.find(request->service());
    if (found == serving_.end()) {
      status = {grpc::StatusCode::NOT_FOUND, "no health for this service"};
    } else {
      response->set_status(found->second ? HealthCheckResponse::SERVING
                                         : HealthCheckResponse::NOT_SERVING);
    }
  }
  metrics_.OnCallHandled(RpcMethod::kHealthCheck, status.error_code(),
                         SecondsBetween(start, SteadyClock::now()));
  return FinishWith(context, status);
}

grpc::ServerWriteReactor<HealthCheckResponse>* HealthService::Watch(
    grpc::CallbackServerContext*, const HealthCheckRequest* request) {
  return new Watcher(*this, request->service());
}

}  // namespace mulligan
