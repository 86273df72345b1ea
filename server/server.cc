#include "server/server.h"

#include <chrono>
#include <string>
#include <thread>
#include <utility>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "mulligan_build_info.h"
#include "server/address.h"
#include "server/grpc_server.h"
#include "server/rpc_method.h"

namespace mulligan {
namespace {

// Names of grpc.health.v1 besides the services': "liveness" stays healthy
// while draining, else the kubelet would kill what is about to stop.
constexpr char kLiveness[] = "liveness";
const char* const kReadinessNames[] = {
    "", "readiness", kRetryDecisionServiceName, kPolicyServiceName};

constexpr char kReflection[] = "grpc.reflection.v1";
constexpr char kReflectionAlpha[] = "grpc.reflection.v1alpha";

// What reflection lists: the schemas of v1alpha are those of v1.
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

// Warnings go to the log; errors are returned, in the words of
// `mulligan policy check`.
absl::StatusOr<std::shared_ptr<const Snapshot>> LoadFirst(PolicySource& source,
                                                          Metrics& metrics,
                                                          const Log& log) {
  Issues issues;
  std::unique_ptr<const PolicySet> policies = LoadFrom(source, issues);
  if (policies == nullptr) {
    return absl::InvalidArgumentError(FormatIssues(issues));
  }
  for (const Issue& issue : issues) {
    const std::string text = FormatIssue(issue);
    log.Write(LogLevel::kWarning, "policy warning",
              {{"issue", std::string_view(text)}});
  }
  const absl::Time now = absl::Now();
  metrics.OnPoliciesLoaded(*policies,
                           absl::ToDoubleSeconds(now - absl::UnixEpoch()));
  const std::string place = source.Describe();
  const auto count = static_cast<std::int64_t>(policies->policies().size());
  log.Write(LogLevel::kInfo, "policies loaded",
            {{"source", std::string_view(place)},
             {"revision", std::string_view(policies->revision())},
             {"policies", count}});
  PolicySeries series = metrics.MakePolicySeries(*policies);
  return std::make_shared<const Snapshot>(
      Snapshot{std::move(policies), std::move(series), now, ""});
}

}  // namespace

absl::StatusOr<std::unique_ptr<Server>> Server::Create(
    const ServerOptions& options, PolicySource& source, const Log& log) {
  if (absl::Status valid = ValidateOptions(options); !valid.ok()) return valid;
  auto metrics = std::make_unique<Metrics>();
  auto snapshot = LoadFirst(source, *metrics, log);
  if (!snapshot.ok()) return snapshot.status();
  std::unique_ptr<Server> server(
      new Server(options, log, std::move(metrics), *std::move(snapshot)));
  if (absl::Status listening = server->Listen(); !listening.ok()) {
    return listening;
  }
  return server;
}

Server::Server(const ServerOptions& options, const Log& log,
               std::unique_ptr<Metrics> metrics,
               std::shared_ptr<const Snapshot> first)
    : options_(options),
      log_(log),
      metrics_(std::move(metrics)),
      snapshots_(std::move(first)),
      pages_(*metrics_, snapshots_, readiness_),
      health_(HealthNames(), *metrics_),
      decisions_({snapshots_, *metrics_, log_}),
      policies_({snapshots_, *metrics_, log_}),
      reflection_(kReflection, ServiceNames()),
      reflection_alpha_(kReflectionAlpha, ServiceNames()) {}

Server::~Server() {
  if (grpc_ == nullptr) return;
  readiness_.Set(ServingState::kDraining);
  health_.EndWatches();
  grpc_->Shutdown(std::chrono::system_clock::now());
}

absl::Status Server::Listen() {
  if (options_.admin_address != "off") {
    auto admin =
        AdminHttp::Start(*ParseAddress(options_.admin_address), pages_, log_);
    if (!admin.ok()) return admin.status();
    admin_ = *std::move(admin);
  }
  std::vector<grpc::Service*> services = {&decisions_, &policies_, &health_};
  if (options_.reflection) {
    services.push_back(&reflection_);
    services.push_back(&reflection_alpha_);
  }
  auto listening = StartGrpcServer(options_, services);
  if (!listening.ok()) return listening.status();
  grpc_ = std::move(listening->server);
  grpc_port_ = listening->port;
  health_.SetServing(kLiveness, true);
  SetReady(true);
  log_.Write(LogLevel::kInfo, "serving",
             {{"version", kVersion},
              {"commit", kCommit},
              {"listen_address", std::string_view(options_.listen_address)},
              {"grpc_port", std::int64_t{grpc_port_}},
              {"admin_port", std::int64_t{admin_port()}}});
  return absl::OkStatus();
}

void Server::SetReady(bool ready) {
  readiness_.Set(ready ? ServingState::kServing : ServingState::kDraining);
  for (const char* name : kReadinessNames) health_.SetServing(name, ready);
}

void Server::Drain() {
  SetReady(false);
  log_.Write(
      LogLevel::kInfo, "stopping: not ready, still serving",
      {{"drain_delay_seconds", absl::ToDoubleSeconds(options_.drain_delay)},
       {"calls_in_flight", metrics_->CallsInFlight()}});
  std::this_thread::sleep_for(absl::ToChronoNanoseconds(options_.drain_delay));
  log_.Write(LogLevel::kInfo, "stopping: no new calls",
             {{"shutdown_grace_seconds",
               absl::ToDoubleSeconds(options_.shutdown_grace)},
              {"calls_in_flight", metrics_->CallsInFlight()}});
  // An open watch would hold Shutdown until the deadline.
  health_.EndWatches();
  grpc_->Shutdown(std::chrono::system_clock::now() +
                  absl::ToChronoMilliseconds(options_.shutdown_grace));
}

}  // namespace mulligan
