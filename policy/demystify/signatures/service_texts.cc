// What services say of themselves, and clients of them, while they start, fail
// over or shut down: databases, queues, stores, and the transports below them.
#include "policy/demystify/signatures/application_texts.h"

namespace mulligan::demystify {
namespace {

constexpr TextSignature Away(std::string_view keyword, const char* pattern,
                             std::string_view name) {
  return AppText(keyword, pattern, name, v1::DEPENDENCY_UNAVAILABLE, kMedium,
                 Tier::kSpecific, kPeerEffect,
                 "a service starts, fails over or shuts down");
}

constexpr TextSignature Broke(std::string_view keyword, const char* pattern,
                              std::string_view name) {
  return AppText(keyword, pattern, name, v1::DEPENDENCY_UNAVAILABLE, kMedium,
                 Tier::kSpecific, kPeerEffect,
                 "the connection to a service broke");
}

constexpr TextSignature Unreached(std::string_view keyword, const char* pattern,
                                  std::string_view name) {
  return AppText(keyword, pattern, name, v1::DEPENDENCY_UNAVAILABLE, kMedium,
                 Tier::kSpecific, kPeerEffect,
                 "a service could not be reached");
}

constexpr TextSignature kServiceTexts[] = {
    // Redis and its kin answer with a word in capitals.
    Away("against a read only replica", nullptr, "redis-replica"),
    Away("clusterdown", nullptr, "redis-cluster-down"),
    Away("masterdown", nullptr, "redis-master-down"),
    Away("unblocked", "\\b(?-i:UNBLOCKED)\\b", "redis-unblocked"),
    Away("redis is busy", nullptr, "redis-busy"),
    Away("misconf", "\\b(?-i:MISCONF)\\b", "redis-no-disk"),
    // Who leads and who follows.
    Away("not primary", "\\bnot (the )?primary\\b", "not-primary"),
    Away("notprimary", nullptr, "not-primary-code"),
    Away("leader",
         "not (the )?(current )?leader\\b|leader (is )?(currently )?not "
         "available|no (cluster )?leader\\b",
         "no-leader"),
    Away("notleader", nullptr, "not-leader-code"),
    Away("coordinator",
         "(group|transaction) coordinator[^\\n]{0,20} not available|not the "
         "(correct )?coordinator",
         "no-coordinator"),
    Away("state lock", "error (acquiring|locking)", "terraform-locked"),
    Away("in state standby", nullptr, "hadoop-standby"),
    Away("recover",
         "(node|database|server|system|instance)\\b[^\\n]{0,30} (is )?(in "
         "recovery|recovering)",
         "recovering"),
    Away("terminating connection due to", nullptr, "postgres-terminating"),
    Away("is shutting down",
         "(server|system|database|node|broker|service|instance)\\b[^\\n]{0,30} "
         "is shutting down",
         "shutting-down"),
    Away("service_unavailable/", nullptr, "elasticsearch-blocked"),
    Away("rejected execution", nullptr, "elasticsearch-rejected"),
    Away("session expired", "keeper|zookeeper", "zookeeper-session"),
    Broke("connection loss", nullptr, "keeper-loss"),
    Away("no servers available", nullptr, "no-servers"),
    Away("nats: timeout", nullptr, "nats-timeout"),
    Away("no nodes available", nullptr, "no-nodes"),
    Away("datanodes",
         "all datanodes [^\\n]{0,200} are bad|could only be (written|"
         "replicated) to 0",
         "hdfs-datanodes"),
    Away("could not obtain block", nullptr, "hdfs-block"),
    Away("in readonly mode", nullptr, "clickhouse-readonly"),
    // The cloud's own service beside the node.
    Unreached("metadata",
              "(metadata (server|service)|metadata\\.google\\.internal|169\\."
              "254\\.169\\.254)[^\\n]{0,200}(unavailable|fail|timed|timeout|"
              "refused|error)|(fail|unable|could not)[^\\n]{0,120}(metadata ("
              "server|service)|metadata\\.google\\.internal|169\\.254\\.)",
              "metadata-server"),
    Away("again",
         "(internal|server|temporary|transient|unexpected) (server )?error"
         "[^\\n]{0,60}try again|(try|retry) again later|please try again in",
         "try-again"),
    Unreached("server misbehaving", nullptr, "go-dns"),
    Unreached("host not found", nullptr, "host-not-found"),
    Unreached("unable to execute http request", nullptr, "aws-java-http"),
    Unreached("communicat",
              "(error|could not|unable to|failed to|cannot|failure) (in )?"
              "communicat(e|ing|ion) with",
              "communicating"),
    Unreached("could not establish the connection", nullptr, "jdbc-establish"),
    Unreached("jdbc connection",
              "(unable to|could not|failed to) (acquire|obtain|get|open) (a )?"
              "jdbc connection",
              "jdbc-connection"),
    Unreached("login timeout expired", nullptr, "odbc-login-timeout"),
    Unreached("tcp provider: ", nullptr, "odbc-tcp"),
    Unreached("timeout expired", nullptr, "timeout-expired"),
    Unreached("execution expired", nullptr, "ruby-timeout"),
    Unreached("tcp connect error", nullptr, "rust-connect"),
    Unreached("error sending request for url", nullptr, "rust-request"),
    Unreached("failed with exception httpconnectionpool", nullptr,
              "mlflow-request"),
    Unreached("host is down", nullptr, "host-down"),
    Broke("response stream",
          "(error|fail)[^\\n]{0,60}(reading|read)[^\\n]{0,20} response stream",
          "aws-response-stream"),
    Broke("empty reply from server", nullptr, "curl-empty"),
    Broke("ssl_error_syscall", nullptr, "openssl-syscall"),
    Broke("not closed cleanly", nullptr, "curl-http2"),
    Broke("stream error: stream id", nullptr, "go-http2-stream"),
    Broke("goaway", nullptr, "http2-goaway"),
    Broke("hung up unexpectedly", nullptr, "git-hung-up"),
    Broke("early eof", nullptr, "git-early-eof"),
    Broke("while reading sideband", nullptr, "git-sideband"),
    Broke("in data send/receive", nullptr, "rsync-timeout"),
    Broke("terminated the handshake", nullptr, "java-tls-terminated"),
    Broke("ssl peer shut down", nullptr, "java-tls-shut-down"),
    Broke("socket hang up", nullptr, "node-hang-up"),
    Broke("exception while reading from stream", nullptr, "npgsql-stream"),
    Broke("transport endpoint shutdown", nullptr, "lustre-shutdown"),
    Broke("write: broken pipe", nullptr, "go-broken-pipe"),
};

}  // namespace

std::span<const TextSignature> ServiceTexts() { return kServiceTexts; }

}  // namespace mulligan::demystify
