#include "server/server.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <utility>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "mulligan_build_info.h"
#include "server/admission/allocator.h"
#include "server/grpc_server.h"
#include "server/net/address.h"
#include "server/net/listener_probe.h"
#include "server/observe/rpc_method.h"
#include "server/options_validation.h"
#include "server/policies/inline_policy_cache.h"

namespace mulligan {
namespace {

// Names of grpc.health.v1 in addition to the services'. "liveness" stays
// healthy while draining; otherwise the kubelet would kill the server.
constexpr char kLiveness[] = "liveness";
const char* const kReadinessNames[] = {
    "", "readiness", kRetryDecisionServiceName, kPolicyServiceName};

constexpr absl::Duration kMonitorInterval = absl::Seconds(2);
constexpr absl::Duration kDrainPoll = absl::Milliseconds(5);
// For decisions that wait to be logged.
constexpr absl::Duration kLogPatience = absl::Seconds(3);
constexpr absl::Duration kSettleTime = absl::Milliseconds(50);
// Calls still open then lack their message or a caller that reads.
constexpr absl::Duration kMaxLastAnswers = absl::Milliseconds(500);

// Most bytes that gRPC takes for an open stream with its headers.
constexpr std::size_t kStreamBytes = 16 << 10;
// A waiting request takes twice its bytes (RunInPool), so arriving requests
// beyond half of the memory would be refused once complete. Half is at least
// six of the largest messages (options_validation.cc).
constexpr std::size_t kWaitingFactor = 2;

constexpr char kReflection[] = "grpc.reflection.v1";
constexpr char kReflectionAlpha[] = "grpc.reflection.v1alpha";

// Services that reflection lists; the schemas of v1alpha are those of v1.
std::vector<std::string> ServiceNames() {
  return {"grpc.health.v1.Health",
          std::string(kReflection) + ".ServerReflection", kPolicyServiceName,
          kRetryDecisionServiceName};
}

std::vector<std::string> HealthNames() {
  std::vector<std::string> names(std::begin(kReadinessNames),
                                 std::end(kReadinessNames));
  names.emplace_back(kLiveness);
  return names;
}

// Counts loaded policies and failed attempts.
ReloadEvents CountIn(Metrics& metrics) {
  return {[&metrics](const PolicySet& policies, absl::Time now) {
            metrics.OnPoliciesLoaded(policies, now);
            return metrics.MakePolicySeries(policies);
          },
          [&metrics](absl::Time since) { metrics.OnPolicyLoadFailed(since); },
          [&metrics] { metrics.OnPoliciesRestored(); }};
}

// Returns null if there are no candidate policies.
std::unique_ptr<PolicySource> MakeCandidateSource(
    const ServerOptions& options) {
  if (options.candidate_policy_dir.empty()) return nullptr;
  return MakePolicySource(options.candidate_policy_dir);
}

std::unique_ptr<PolicyReloader> MakeCandidate(PolicySource* source,
                                              Metrics& metrics,
                                              const Log& log) {
  if (source == nullptr) return nullptr;
  CandidateMetrics& counts = metrics.candidate();
  return PolicyReloader::CreateCandidate(
      "candidate policies", *source,
      {[&counts](const PolicySet& policies, absl::Time) {
         counts.OnLoaded(policies);
         return PolicySeries();
       },
       [&counts](absl::Time) { counts.SetFailing(true); },
       [&counts] { counts.SetFailing(false); }},
      log);
}

// A connection needs one descriptor; others are reserved for everything else.
std::size_t MaxConnections(const ServerOptions& options,
                           std::size_t descriptors) {
  constexpr std::size_t kOthers = 256;
  const std::size_t room =
      descriptors > 2 * kOthers ? descriptors - kOthers : descriptors / 2;
  return std::min<std::size_t>(
      static_cast<std::size_t>(options.max_connections), room);
}

Acceptor::Bounds BoundsOf(const ServerOptions& options,
                          std::size_t descriptors) {
  const auto memory = static_cast<std::size_t>(options.max_memory_bytes);
  return {MaxConnections(options, descriptors),
          {memory / kStreamBytes, memory / kWaitingFactor}};
}

std::unique_ptr<InlinePolicies> MakeInlinePolicies(
    const ServerOptions& options) {
  if (options.inline_policies) return std::make_unique<InlinePolicyCache>();
  return std::make_unique<NoInlinePolicies>();
}

// Returns null if the log is off.
absl::StatusOr<std::unique_ptr<DecisionLog>> StartDecisionLog(
    const DecisionLogOptions& options, const Log& log) {
  if (!options.enabled()) return nullptr;
  return DecisionLog::Start(options, log);
}

// If only one list is given, the other one allows no one.
bool AllowsAnyCaller(const ServerOptions& options) {
  return options.allowed_callers.empty() &&
         options.allowed_policy_callers.empty();
}

}  // namespace

absl::StatusOr<std::unique_ptr<Server>> Server::Create(
    const ServerOptions& options, PolicySource& source, const Log& log) {
  if (absl::Status valid = ValidateOptions(options); !valid.ok()) return valid;
  auto metrics = std::make_unique<Metrics>();
  auto policies =
      PolicyReloader::Create("policies", source, CountIn(*metrics), log);
  if (!policies.ok()) return policies.status();
  auto decision_log = StartDecisionLog(options.decision_log, log);
  if (!decision_log.ok()) return decision_log.status();
  std::unique_ptr<Server> server(new Server(options, log, std::move(metrics),
                                            *std::move(policies),
                                            *std::move(decision_log)));
  if (absl::Status listening = server->Listen(); !listening.ok()) {
    return listening;
  }
  return server;
}

Server::Server(const ServerOptions& options, const Log& log,
               std::unique_ptr<Metrics> metrics,
               std::unique_ptr<PolicyReloader> policies,
               std::unique_ptr<DecisionLog> decision_log)
    : options_(options),
      log_(log),
      metrics_(std::move(metrics)),
      policies_(std::move(policies)),
      candidate_source_(MakeCandidateSource(options)),
      candidate_(MakeCandidate(candidate_source_.get(), *metrics_, log)),
      pages_(*metrics_, policies_->snapshots(), readiness_, candidate()),
      memory_(static_cast<std::size_t>(options.max_memory_bytes)),
      unread_(memory_, absl::ToChronoMilliseconds(options.send_timeout)),
      decision_callers_(options.allowed_callers, AllowsAnyCaller(options)),
      policy_callers_(options.allowed_policy_callers, AllowsAnyCaller(options)),
      inline_policies_(MakeInlinePolicies(options)),
      decision_log_(std::move(decision_log)),
      pool_(std::max(2U, std::thread::hardware_concurrency()),
            &ReturnFreedMemory),
      health_(HealthNames(), *metrics_),
      decisions_(Environment(decision_callers_)),
      policy_service_(Environment(policy_callers_)),
      reflection_(kReflection, ServiceNames()),
      reflection_alpha_(kReflectionAlpha, ServiceNames()) {}

CallEnvironment Server::Environment(const AllowList& allowed) {
  return {policies_->snapshots(),
          *metrics_,
          log_,
          pool_,
          memory_,
          unread_,
          *inline_policies_,
          arrivals_,
          allowed,
          candidate(),
          decision_log_.get()};
}

Server::~Server() {
  if (grpc_ == nullptr) return;
  readiness_.Set(ServingState::kDraining);
  RefuseCalls();
  monitor_.reset();
  acceptor_->CutConnections();
  grpc_->Shutdown(std::chrono::system_clock::now());
}

absl::Status Server::Listen() {
  const std::size_t descriptors = RaiseDescriptorLimit();
  if (options_.tls.enabled()) {
    auto copies = TlsCopies::Create(options_.tls, absl::Now());
    if (!copies.ok()) {
      return absl::UnavailableError(copies.status().message());
    }
    tls_ = *std::move(copies);
  }
  absl::StatusOr<ListeningSocket> socket =
      ListenOn(*ParseAddress(options_.listen_address), "--listen-address");
  if (!socket.ok()) return socket.status();
  if (options_.admin_address != "off") {
    auto admin =
        AdminHttp::Start(*ParseAddress(options_.admin_address), pages_);
    if (!admin.ok()) return admin.status();
    admin_ = *std::move(admin);
  }
  std::vector<grpc::Service*> services = {&decisions_, &policy_service_,
                                          &health_};
  if (options_.reflection) {
    services.push_back(&reflection_);
    services.push_back(&reflection_alpha_);
  }
  auto started = StartGrpcServer(
      options_, tls_ == nullptr ? TlsFiles() : tls_->paths(), services);
  if (!started.ok()) return started.status();
  grpc_ = std::move(started->server);
  connections_ = std::move(started->connections);
  grpc_port_ = socket->port;
  listening_socket_ = socket->socket.number();
  acceptor_ = std::make_unique<Acceptor>(
      *std::move(socket),
      options_.tls.enabled() ? Wire::kTls : Wire::kPlaintext,
      BoundsOf(options_, descriptors),
      [this](int connection) {
        grpc::experimental::ExternalConnectionAcceptor::NewConnectionParameters
            taken;
        taken.listener_fd = listening_socket_;
        taken.fd = connection;
        connections_->HandleNewConnection(&taken);
      },
      log_);
  health_.SetServing(kLiveness, true);
  SetReady(true);
  monitor_ =
      std::make_unique<Monitor>(kMonitorInterval, [this] { RunChecks(); });
  if (options_.policy_poll > absl::ZeroDuration()) {
    policies_->StartPolling(options_.policy_poll);
    if (candidate_ != nullptr) candidate_->StartPolling(options_.policy_poll);
  }
  log_.Write(LogLevel::kInfo, "serving",
             {{"version", kVersion},
              {"commit", kCommit},
              {"listen_address", std::string_view(options_.listen_address)},
              {"tls", options_.tls.enabled()},
              {"grpc_port", std::int64_t{grpc_port_}},
              {"admin_port", std::int64_t{admin_port()}}});
  return absl::OkStatus();
}

void Server::RunChecks() {
  const ProbeResult probe =
      ProbeListener(listening_socket_, options_.tls.enabled(),
                    [this](int port) { acceptor_->ExpectProbe(port); });
  acceptor_->ExpectProbe(0);
  if (readiness_.state() != ServingState::kDraining &&
      probe != ProbeResult::kNotAsked) {
    readiness_.SetListening(acceptor_->IsAlive() &&
                            probe == ProbeResult::kAnswered);
  }
  Metrics::State state;
  if (tls_ != nullptr) {
    CheckTlsFiles();
    const absl::Time end = tls_->certificate_end();
    readiness_.SetCertificateEnd(end);
    state.certificate_end = absl::ToDoubleSeconds(end - absl::UnixEpoch());
  }
  state.connections = static_cast<double>(acceptor_->connections());
  state.refused_connections = static_cast<double>(acceptor_->refused());
  state.ended_connections = static_cast<double>(acceptor_->offences());
  state.queued_calls = static_cast<double>(pool_.queued());
  state.memory_under_way = static_cast<double>(memory_.used());
  metrics_->OnState(state);
  if (const int late = unread_.CancelLate(UnreadAnswers::Clock::now());
      late > 0) {
    log_.Write(LogLevel::kWarning, "answers were not read in time",
               {{"calls_cancelled", std::int64_t{late}},
                {"send_timeout_seconds",
                 absl::ToInt64Seconds(options_.send_timeout)}});
  }
  if (decision_log_ != nullptr) {
    metrics_->OnDecisionLog(decision_log_->counts());
  }
}

void Server::CheckTlsFiles() {
  const absl::Status taken = tls_->Refresh(absl::Now());
  readiness_.SetTlsFilesUsable(taken.ok());
  if (taken == tls_status_) return;
  tls_status_ = taken;
  if (taken.ok()) {
    log_.Write(LogLevel::kInfo, "the TLS files are usable again", {});
    return;
  }
  const std::string why(taken.message());
  log_.Write(LogLevel::kError,
             "TLS files are unusable, the old ones stay in force",
             {{"error", std::string_view(why)}});
}

void Server::Reload() {
  policies_->Reload();
  if (candidate_ != nullptr) candidate_->Reload();
}

void Server::SetReady(bool ready) {
  readiness_.Set(ready ? ServingState::kServing : ServingState::kDraining);
  for (const char* name : kReadinessNames) health_.SetServing(name, ready);
}

void Server::RefuseCalls() {
  // An open watch would hold Shutdown until its deadline.
  health_.EndWatches();
  acceptor_->Stop();
  arrivals_.Close();
}

std::int64_t Server::Drain() {
  SetReady(false);
  log_.Write(
      LogLevel::kInfo, "stopping: not ready, still serving",
      {{"drain_delay_seconds", absl::ToDoubleSeconds(options_.drain_delay)},
       {"calls_in_flight", metrics_->CallsInFlight()}});
  std::this_thread::sleep_for(absl::ToChronoNanoseconds(options_.drain_delay));
  log_.Write(LogLevel::kInfo, "stopping: refusing new calls",
             {{"shutdown_grace_seconds",
               absl::ToDoubleSeconds(options_.shutdown_grace)},
              {"calls_in_flight", metrics_->CallsInFlight()}});
  monitor_.reset();
  RefuseCalls();
  const absl::Time deadline = absl::Now() + options_.shutdown_grace;
  while (metrics_->CallsInFlight() > 0 && absl::Now() < deadline) {
    absl::SleepFor(kDrainPoll);
  }
  const std::int64_t cut_off = metrics_->CallsInFlight();
  // Lets answers leave. Ending connections ends calls that only gRPC knows with
  // UNAVAILABLE; Shutdown would end them with CANCELLED, which callers would
  // take for their own cancellation.
  const absl::Time last = absl::Now() + kMaxLastAnswers;
  while (acceptor_->open_streams() > 0 && absl::Now() < last) {
    absl::SleepFor(kDrainPoll);
  }
  absl::SleepFor(kSettleTime);
  acceptor_->CutConnections();
  grpc_->Shutdown(std::chrono::system_clock::now() + std::chrono::seconds(1));
  if (decision_log_ != nullptr) decision_log_->Close(kLogPatience);
  return cut_off;
}

}  // namespace mulligan
