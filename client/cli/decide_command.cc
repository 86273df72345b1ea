// `mulligan decide`: asks a server.
#include <algorithm>
#include <fstream>
#include <memory>
#include <utility>

#include "absl/strings/str_format.h"
#include "client/cli/base/errors.h"
#include "client/cli/base/utf8.h"
#include "client/cli/commands.h"
#include "client/cli/input/requests.h"
#include "client/client.h"
#include "client/fallback.h"
#include "client/tls_mistake.h"
#include "policy/limits.h"

namespace mulligan::cli {
namespace {

constexpr char kDefaultServer[] = "127.0.0.1:8980";

struct DecideFlags {
  RequestOptions request;
  OutputOptions output;
  ServerFlags server;
  // Requests per call with --requests; 1 uses Decide, more BatchDecide.
  int batch = 1;
  // Not counted in the server's metrics.
  bool preview = false;
};

struct HealthOptions {
  ServerFlags server;
  // As in grpc.health.v1; empty for the whole server.
  std::string service;
};

// gRPC 1.51's messages about calls without an answer, and their meaning.
// Servers' own messages are passed on.
constexpr std::pair<std::string_view, std::string_view> kGrpcMessages[] = {
    {"Connection refused",
     "nothing listens there: is the server running, is --server its address?"},
    {"DNS resolution failed",
     "the name of --server is not known: expected a HOST:PORT that resolves"},
    {"Connection timed out", "the address of --server does not answer"},
    {"No route to host", "the address of --server cannot be reached"},
    {"Network is unreachable", "the address of --server cannot be reached"},
    {"Connection reset", "the server closed the connection"},
    {"Socket closed", "the server closed the connection"},
    {"Deadline Exceeded", "no answer within --deadline"},
    {"Received message larger than max",
     "the answer is larger than this client takes"},
    {"Trying to connect an http1.x server",
     "what listens there does not speak gRPC: is it the admin port, or a "
     "proxy?"},
};

absl::Status WithReadableMessage(const ServerFlags& server,
                                 const absl::Status& status) {
  absl::Status reworded(status.code(), WhyNot(server, status));
  status.ForEachPayload([&](auto url, const absl::Cord& payload) {
    reworded.SetPayload(url, payload);
  });
  return reworded;
}

// Prints the error. Returns kExitUsage if the request must change, else
// kExitNoAnswer.
int FailToAnswer(const ServerFlags& server, Streams& streams,
                 const absl::Status& status) {
  PrintError(streams,
             absl::StrFormat(
                 "%s answered %s: %s (nothing was charged; fallback: %s)",
                 server.server, absl::StatusCodeToString(status.code()),
                 WhyNot(server, status), FallbackName(FallbackFor(status))));
  constexpr absl::StatusCode kRefusals[] = {
      absl::StatusCode::kInvalidArgument, absl::StatusCode::kNotFound,
      absl::StatusCode::kFailedPrecondition, absl::StatusCode::kOutOfRange};
  const bool is_refused =
      std::ranges::find(kRefusals, status.code()) != std::end(kRefusals);
  // RESOURCE_EXHAUSTED without overload.
  const bool is_too_large = absl::IsResourceExhausted(status) &&
                            FallbackFor(status) == Fallback::kNativePolicy;
  return is_refused || is_too_large ? kExitUsage : kExitNoAnswer;
}

std::vector<absl::StatusOr<v1::DecideResponse>> DecideBatch(
    const Client& client, const v1::BatchDecideRequest& batch) {
  std::vector<absl::StatusOr<v1::DecideResponse>> responses;
  if (batch.requests_size() == 1) {
    responses.push_back(client.Decide(batch.requests(0)));
    return responses;
  }
  absl::StatusOr<v1::BatchDecideResponse> answer = client.BatchDecide(batch);
  if (!answer.ok()) {
    responses.assign(static_cast<size_t>(batch.requests_size()),
                     answer.status());
    return responses;
  }
  for (v1::BatchDecideResult& result : *answer->mutable_results()) {
    if (result.has_response()) {
      responses.emplace_back(std::move(*result.mutable_response()));
    } else {
      responses.emplace_back(
          absl::Status(static_cast<absl::StatusCode>(result.error().code()),
                       result.error().message()));
    }
  }
  return responses;
}

int DecideRequests(const DecideFlags& options, const Client& client,
                   Streams& streams) {
  std::ifstream file;
  const absl::StatusOr<std::istream*> in =
      OpenRequests(options.request.requests, streams.in, file);
  if (!in.ok()) return Fail(streams, in.status());
  const RequestsOutcome outcome = AnswerRequests(
      **in, streams.out, options.batch,
      [&](const v1::BatchDecideRequest& batch) {
        auto responses = DecideBatch(client, batch);
        for (auto& response : responses) {
          if (response.ok()) continue;
          response = WithReadableMessage(options.server, response.status());
        }
        return responses;
      });
  const int code = FinishOutput(streams);
  if (code != kExitOk || outcome.unanswered == 0) return code;
  std::string message = absl::StrFormat("%s had no answer to %d of %d requests",
                                        options.server.server,
                                        outcome.unanswered, outcome.answered);
  if (outcome.gone_at_line > 0) {
    message += absl::StrFormat(
        ", to the last %d calls in a row: stopped after line %d, the rest "
        "was not asked",
        kMaxSilentBatches, outcome.gone_at_line);
  }
  PrintError(streams, message);
  return kExitNoAnswer;
}

int RunDecide(DecideFlags& options, Streams& streams) {
  if (!DefaultToStandardInput(options.request, streams)) return kExitUsage;
  const absl::StatusOr<std::unique_ptr<Client>> client =
      Connect(options.server);
  if (!client.ok()) return Fail(streams, client.status());
  if (!options.request.requests.empty()) {
    return DecideRequests(options, **client, streams);
  }
  const Answerer there = {[&](v1::DecideRequest request) {
                            if (options.preview) {
                              request.set_purpose(v1::DecideRequest::PREVIEW);
                            }
                            return (*client)->Decide(request);
                          },
                          [&options](Streams& to, const absl::Status& status) {
                            return FailToAnswer(options.server, to, status);
                          },
                          // The server's policy files are unavailable.
                          nullptr};
  return AnswerOne(options.request, options.output, there, streams);
}

int RunHealthcheck(HealthOptions& options, Streams& streams) {
  const absl::StatusOr<std::unique_ptr<Client>> client =
      Connect(options.server);
  if (!client.ok()) return Fail(streams, client.status());
  const absl::Status health = (*client)->CheckHealth(options.service);
  if (health.ok()) {
    streams.out << "SERVING\n";
    return FinishOutput(streams);
  }
  PrintError(streams, absl::StrFormat("%s: %s: %s", options.server.server,
                                      absl::StatusCodeToString(health.code()),
                                      WhyNot(options.server, health)));
  return kExitNoAnswer;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Client>> Connect(const ServerFlags& options) {
  absl::Duration deadline;
  if (!absl::ParseDuration(options.deadline, &deadline) ||
      deadline <= absl::ZeroDuration()) {
    return Invalid(
        "--deadline: \"%s\" is not a positive duration such as 5s or 500ms",
        Printable(options.deadline));
  }
  const size_t colon = options.server.rfind(':');
  if (colon == std::string::npos || colon == 0 ||
      colon + 1 == options.server.size()) {
    return Invalid("--server: \"%s\" is not HOST:PORT",
                   Printable(options.server));
  }
  return Client::Create(
      {.target = options.server, .deadline = deadline, .tls = options.tls});
}

std::string WhyNot(const ServerFlags& server, const absl::Status& status) {
  const std::string message(status.message());
  if (absl::IsUnavailable(status)) {
    const std::string_view mistake = TlsMistake(server.tls, message);
    if (!mistake.empty()) return std::string(mistake);
  } else if (!absl::IsDeadlineExceeded(status) &&
             !absl::IsResourceExhausted(status)) {
    // The server's message may quote the request.
    return message;
  }
  for (const auto& [says, means] : kGrpcMessages) {
    if (message.find(says) != message.npos) return std::string(means);
  }
  return message;
}

void AddServerFlags(CLI::App& command, ServerFlags& server) {
  server.server = kDefaultServer;
  server.deadline = "5s";
  AddOption(command, "--server", server.server, "Server to ask", "HOST:PORT")
      ->envname("MULLIGAN_SERVER")
      ->capture_default_str();
  AddOption(command, "--deadline", server.deadline, "Deadline of one call",
            "DURATION")
      ->capture_default_str();
  CLI::Option* ca = AddOption(command, "--tls-ca", server.tls.ca,
                              "CA of the server's certificate, PEM", "FILE");
  CLI::Option* certificate =
      AddOption(command, "--tls-cert", server.tls.certificate,
                "Client certificate with its chain, PEM", "FILE")
          ->needs(ca);
  CLI::Option* key = AddOption(command, "--tls-key", server.tls.key,
                               "Key of the certificate, PEM", "FILE")
                         ->needs(certificate);
  certificate->needs(key);
  AddOption(command, "--tls-server-name", server.tls.server_name,
            "Name in the server's certificate, if not HOST", "NAME")
      ->needs(ca);
}

void AddDecide(CLI::App& app, Streams& streams, int& code) {
  const auto [command, options] =
      AddCommand("decide", "Ask a server for its decision", R"(Examples:
  mulligan decide --server mulligan:8980 -f pod.json -o json
  mulligan decide --requests failures.jsonl --batch 100 > answers.jsonl)",
                 RunDecide, app, streams, code);
  AddServerFlags(command, options.server);
  AddRequestFlags(command, options.request);
  AddOption(command, "--batch", options.batch,
            "Requests per call with --requests", "N")
      ->check(CLI::Range(1, kMaxBatchItems))
      ->capture_default_str();
  command
      .add_flag("--preview", options.preview,
                "Do not count it in the server's metrics")
      ->excludes("--requests");
  AddAnswerFlags(command, options.output);
}

void AddHealthcheck(CLI::App& app, Streams& streams, int& code) {
  const auto [command, options] = AddCommand(
      "healthcheck", "Ask a server whether it serves (grpc.health.v1)",
      R"(Example:
  mulligan healthcheck --server mulligan:8980 --service readiness)",
      RunHealthcheck, app, streams, code);
  AddServerFlags(command, options.server);
  AddOption(command, "--service", options.service,
            "Service name; default: the server as a whole", "NAME");
}

}  // namespace mulligan::cli
