#include "client/client.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <random>
#include <utility>

#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "client/fallback.h"
#include "client/tls_mistake.h"
#include "grpc/health/v1/health.grpc.pb.h"
#include "grpcpp/grpcpp.h"
#include "grpcpp/security/tls_certificate_provider.h"
#include "grpcpp/security/tls_credentials_options.h"
#include "mulligan/v1/retry_decision_service.grpc.pb.h"

namespace mulligan {
namespace {

constexpr char kServiceConfig[] =
    R"({"loadBalancingConfig": [{"round_robin": {}}]})";
// By default gRPC waits a second, longer than our backoff.
constexpr int kFirstReconnectMillis = 50;
constexpr int kMaxReconnectMillis = 5000;

absl::Status ToAbsl(const grpc::Status& status) {
  if (status.ok()) return absl::OkStatus();
  // The codes have the same numbers.
  absl::Status result(static_cast<absl::StatusCode>(status.error_code()),
                      status.error_message());
  if (!status.error_details().empty()) {
    result.SetPayload(kStatusDetailsUrl, absl::Cord(status.error_details()));
  }
  return result;
}

absl::Duration Vary(absl::Duration pause) {
  thread_local std::minstd_rand random{std::random_device{}()};
  return pause * std::uniform_real_distribution<double>(0.5, 1.5)(random);
}

std::shared_ptr<grpc::ChannelCredentials> MakeCredentials(
    const ClientTls& tls) {
  if (!tls.enabled()) return grpc::InsecureChannelCredentials();
  constexpr unsigned kReadAgainSeconds = 1;
  grpc::experimental::TlsChannelCredentialsOptions options;
  options.set_certificate_provider(
      std::make_shared<grpc::experimental::FileWatcherCertificateProvider>(
          tls.key, tls.certificate, tls.ca, kReadAgainSeconds));
  options.watch_root_certs();
  if (!tls.certificate.empty()) options.watch_identity_key_cert_pairs();
  return grpc::experimental::TlsCredentials(options);
}

absl::Status InvalidOption(const char* name, const std::string& value,
                           const char* expected) {
  return absl::InvalidArgumentError(absl::StrFormat(
      "%s: \"%s\" is not valid, expected %s", name, value, expected));
}

}  // namespace

struct Client::Connection {
  explicit Connection(ClientOptions client_options)
      : options(std::move(client_options)) {
    grpc::ChannelArguments arguments;
    arguments.SetServiceConfigJSON(kServiceConfig);
    arguments.SetMaxReceiveMessageSize(options.max_response_bytes);
    arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS,
                     kFirstReconnectMillis);
    if (!options.tls.server_name.empty()) {
      arguments.SetSslTargetNameOverride(options.tls.server_name);
    }
    arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, kMaxReconnectMillis);
    const auto channel = grpc::CreateCustomChannel(
        options.target, MakeCredentials(options.tls), arguments);
    service = v1::RetryDecisionService::NewStub(channel);
    health = grpc::health::v1::Health::NewStub(channel);
  }

  // `method` is a member function of the stub.
  template <typename Response, typename Stub, typename Method, typename Request>
  absl::StatusOr<Response> CallOnce(Stub& stub, Method method,
                                    const Request& request,
                                    absl::Time deadline) const {
    grpc::ClientContext context;
    context.set_deadline(absl::ToChronoTime(deadline));
    Response response;
    const grpc::Status status = (stub.*method)(&context, request, &response);
    if (!status.ok()) return ToAbsl(status);
    return response;
  }

  template <typename Response, typename Method, typename Request>
  absl::StatusOr<Response> Call(Method method, const Request& request) const {
    const absl::Time deadline = absl::Now() + options.deadline;
    absl::StatusOr<Response> response =
        CallOnce<Response>(*service, method, request, deadline);
    const absl::Status& status = response.status();
    const std::optional<absl::Duration> asked = RetryDelay(status);
    if (!absl::IsUnavailable(status) && !IsOverload(status)) return response;
    // Not before the requested time, and not all callers at once.
    const absl::Duration pause =
        std::max(asked.value_or(absl::ZeroDuration()),
                 Vary(std::max(options.retry_backoff,
                               asked.value_or(absl::ZeroDuration()) * 2)));
    if (absl::Now() + pause >= deadline) return response;
    absl::SleepFor(pause);
    return CallOnce<Response>(*service, method, request, deadline);
  }

  const ClientOptions options;
  std::unique_ptr<v1::RetryDecisionService::Stub> service;
  std::unique_ptr<grpc::health::v1::Health::Stub> health;
};

Client::Client(std::unique_ptr<Connection> connection)
    : connection_(std::move(connection)) {}

Client::~Client() = default;

absl::StatusOr<std::unique_ptr<Client>> Client::Create(ClientOptions options) {
  if (options.target.empty()) {
    return InvalidOption("target", options.target, "HOST:PORT");
  }
  if (options.deadline <= absl::ZeroDuration()) {
    return InvalidOption("deadline", absl::FormatDuration(options.deadline),
                         "a positive duration");
  }
  const ClientTls& tls = options.tls;
  if (tls.certificate.empty() != tls.key.empty()) {
    return InvalidOption("tls.key", tls.key,
                         "a key together with tls.certificate, or neither");
  }
  if (!tls.enabled() && !(tls.certificate.empty() && tls.server_name.empty())) {
    return InvalidOption("tls.ca", tls.ca,
                         "the certificates that sign the server's");
  }
  if (absl::Status status = CheckTlsFiles(tls); !status.ok()) return status;
  if (options.retry_backoff < absl::ZeroDuration()) {
    return InvalidOption("retry_backoff",
                         absl::FormatDuration(options.retry_backoff),
                         "zero or a positive duration");
  }
  return std::unique_ptr<Client>(
      new Client(std::make_unique<Connection>(std::move(options))));
}

absl::StatusOr<v1::DecideResponse> Client::Decide(
    const v1::DecideRequest& request) const {
  return connection_->Call<v1::DecideResponse>(
      &v1::RetryDecisionService::Stub::Decide, request);
}

absl::StatusOr<v1::BatchDecideResponse> Client::BatchDecide(
    const v1::BatchDecideRequest& request) const {
  return connection_->Call<v1::BatchDecideResponse>(
      &v1::RetryDecisionService::Stub::BatchDecide, request);
}

absl::StatusOr<v1::DemystifyResponse> Client::Demystify(
    const v1::DemystifyRequest& request) const {
  return connection_->Call<v1::DemystifyResponse>(
      &v1::RetryDecisionService::Stub::Demystify, request);
}

absl::Status Client::CheckHealth(const std::string& service) const {
  grpc::health::v1::HealthCheckRequest request;
  request.set_service(service);
  const auto response =
      connection_->CallOnce<grpc::health::v1::HealthCheckResponse>(
          *connection_->health, &grpc::health::v1::Health::Stub::Check, request,
          absl::Now() + connection_->options.deadline);
  if (!response.ok()) return response.status();
  using Health = grpc::health::v1::HealthCheckResponse;
  if (response->status() == Health::SERVING) return absl::OkStatus();
  return absl::UnavailableError(absl::StrFormat(
      "the server is %s", Health::ServingStatus_Name(response->status())));
}

}  // namespace mulligan
