// What runtimes and registries say when an image cannot be pulled (docker,
// containerd, CRI-O; Docker Hub, ECR, GCR, ACR, Quay, Harbor).
// Trouble on the way comes first: an outage often names the credentials or the
// image too.
#include "policy/demystify/signatures/tables.h"

namespace mulligan::demystify {
namespace {

constexpr TextSignature Transient(std::string_view keyword, const char* pattern,
                                  std::string_view name,
                                  std::string_view meaning) {
  return ContainerText(keyword, pattern, name, v1::IMAGE_PULL_TRANSIENT,
                       v1::Diagnosis::MEDIUM, meaning);
}

constexpr TextSignature Denied(std::string_view keyword, const char* pattern,
                               std::string_view name,
                               std::string_view meaning) {
  return ContainerText(keyword, pattern, name, v1::IMAGE_DENIED,
                       v1::Diagnosis::MEDIUM, meaning);
}

constexpr TextSignature Invalid(std::string_view keyword, const char* pattern,
                                std::string_view name,
                                std::string_view meaning) {
  return ContainerText(keyword, pattern, name, v1::IMAGE_INVALID,
                       v1::Diagnosis::MEDIUM, meaning);
}

constexpr TextSignature Unknown(std::string_view keyword, const char* pattern,
                                std::string_view name) {
  return ContainerText(keyword, pattern, name, v1::IMAGE_PULL_TRANSIENT,
                       v1::Diagnosis::LOW,
                       "the pull failed for no known fault of the image");
}

constexpr TextSignature OnlyFact(std::string_view keyword,
                                 std::string_view name) {
  return {keyword,
          nullptr,
          {name, v1::IMAGE_INVALID, v1::Diagnosis::LOW, Tier::kConvention,
           kContainerWeight, kNoFlags,
           "the image could not be pulled; nothing says why"}};
}

constexpr TextSignature kImageTexts[] = {
    Transient("toomanyrequests", nullptr, "rate-limit",
              "the registry limits the rate of pulls"),
    Transient("too many requests", nullptr, "rate-limit-429",
              "the registry limits the rate of pulls"),
    Transient("rate limit", nullptr, "rate-limit-text",
              "the registry limits the rate of pulls"),
    Transient("rate exceeded", nullptr, "rate-exceeded",
              "the registry limits the rate of pulls"),
    Transient("pull qps exceeded", nullptr, "pull-qps",
              "the kubelet limits the rate of pulls"),
    Transient("status", "status( code)?\\b.{0,300}?\\b5\\d\\d\\b", "status-5xx",
              "the registry failed"),
    Transient("service unavailable", nullptr, "unavailable",
              "the registry failed"),
    Transient("bad gateway", nullptr, "bad-gateway", "the registry failed"),
    Transient("gateway time", "gateway time-?out", "gateway-timeout",
              "the registry failed"),
    Transient("internal server error", nullptr, "internal-error",
              "the registry failed"),
    Transient("registry is unavailable", nullptr, "registry-unavailable",
              "the registry did not answer"),
    Transient("registry endpoint",
              "(no available|unable to ping|failed to ping) registry endpoint",
              "registry-endpoint", "the registry did not answer"),
    Transient("registryunavailable", nullptr, "registry-unavailable-reason",
              "the registry did not answer"),
    Transient("i/o timeout", nullptr, "io-timeout",
              "the registry could not be reached in time"),
    Transient("tls handshake timeout", nullptr, "tls-timeout",
              "the registry could not be reached in time"),
    Transient("timeout exceeded", nullptr, "client-timeout",
              "the registry did not answer in time"),
    Transient("timed out", nullptr, "timed-out",
              "the registry did not answer in time"),
    Transient("deadline exceeded", nullptr, "deadline",
              "the pull did not finish in time"),
    Transient("deadlineexceeded", nullptr, "deadline-code",
              "the pull did not finish in time"),
    Transient("request canceled", nullptr, "canceled",
              "the pull was interrupted"),
    Transient("context canceled", nullptr, "context-canceled",
              "the pull was interrupted"),
    Transient("connection reset", nullptr, "reset",
              "the connection to the registry broke"),
    Transient("connection refused", nullptr, "refused",
              "the registry refused the connection"),
    Transient("use of closed network connection", nullptr, "closed",
              "the connection to the registry broke"),
    Transient("broken pipe", nullptr, "broken-pipe",
              "the connection to the registry broke"),
    Transient("stream error", nullptr, "stream-error",
              "the connection to the registry broke"),
    Transient("no such host", nullptr, "no-host",
              "the registry's name did not resolve"),
    Transient("name resolution", nullptr, "dns",
              "the registry's name did not resolve"),
    Transient("server misbehaving", nullptr, "dns-misbehaving",
              "the name server failed"),
    Transient("no route to host", nullptr, "no-route",
              "the registry could not be reached"),
    Transient("network is unreachable", nullptr, "no-network",
              "the registry could not be reached"),
    Transient("unexpected eof", nullptr, "unexpected-eof",
              "the connection to the registry broke"),
    Transient("eof", ": EOF\\b|EOF$", "eof",
              "the connection to the registry broke"),
    Transient("download failed after", nullptr, "download-failed",
              "the download kept failing"),
    Transient("failed to register layer", nullptr, "layer",
              "the node could not unpack the image"),
    Transient("content digest", "content digest [^\\n]{0,100}not found",
              "content-lost", "the node lost a part of the image"),
    Transient("failed to extract layer", nullptr, "extract",
              "the node could not unpack the image"),
    Transient("no space left on device", nullptr, "no-space",
              "the node has no room for the image"),
    Transient("unexpected commit digest", nullptr, "commit-digest",
              "the download was damaged"),
    Transient("failed size validation", nullptr, "size",
              "the download was damaged"),
    Transient("short read", nullptr, "short-read", "the download was damaged"),
    Transient("input/output error", nullptr, "io-error",
              "the node's disk failed"),
    Transient("transport is closing", nullptr, "runtime-closing",
              "the container runtime went away"),
    Denied("repository does not exist or may require", nullptr,
           "denied-or-missing",
           "the registry refuses: private, or no such repository"),
    Denied("unauthorized", nullptr, "unauthorized",
           "the registry wants other credentials"),
    Denied("401", "\\b401\\b", "401", "the registry wants other credentials"),
    Denied("403", "\\b403\\b", "403", "the registry refuses"),
    Denied("authentication required", nullptr, "authentication",
           "the registry wants credentials"),
    Denied("no basic auth credentials", nullptr, "no-credentials",
           "the registry wants credentials"),
    Denied("authorization token has expired", nullptr, "token-expired",
           "the credentials have expired"),
    Denied("authorization failed", nullptr, "authorization",
           "the registry wants other credentials"),
    Denied("insufficient_scope", nullptr, "scope",
           "the credentials do not cover the repository"),
    Denied("denied",
           "\\b(access|requested access|permission)\\b.{0,60}denied|"
           "denied:|access to the resource is denied|permission.{0,40}denied",
           "denied", "the registry refuses"),
    Denied("forbidden", nullptr, "forbidden", "the registry refuses"),
    Denied("not authorized", nullptr, "not-authorized", "the registry refuses"),
    Denied("invalid username/password", nullptr, "bad-password",
           "the credentials are wrong"),
    Denied("failed to fetch anonymous token", nullptr, "anonymous-token",
           "the registry wants credentials"),
    Denied("failed to fetch oauth token", nullptr, "oauth-token",
           "the registry wants other credentials"),
    Denied("x509", nullptr, "certificate",
           "the node does not trust the registry's certificate"),
    Denied("server gave http response to https client", nullptr, "plain-http",
           "the node speaks TLS and the registry does not"),
    Denied("signature",
           "signature.{0,60}(validation|verif|required|invalid)|"
           "no (valid )?signatures?",
           "signature", "the image's signature was refused"),
    Denied("imagepullsecret", "unable to retrieve some image pull secrets",
           "pull-secret", "the image pull secret is missing"),
    Invalid("no match for platform", nullptr, "platform",
            "the image is not built for the node's platform"),
    Invalid("no matching manifest", nullptr, "platform-manifest",
            "the image is not built for the node's platform"),
    Invalid("does not match the specified platform", nullptr,
            "platform-mismatch",
            "the image is not built for the node's platform"),
    Invalid("no image found in",
            "no image found in (manifest list|image index)"
            " for architecture",
            "platform-index", "the image is not built for the node's platform"),
    Invalid("cannot be used on this platform", nullptr, "platform-os",
            "the image is not built for the node's platform"),
    Invalid("manifest unknown", nullptr, "manifest-unknown",
            "the registry has no such tag"),
    Invalid("manifest_unknown", nullptr, "manifest-unknown-code",
            "the registry has no such tag"),
    Invalid("name unknown", nullptr, "name-unknown",
            "the registry has no such repository"),
    Invalid("name_unknown", nullptr, "name-unknown-code",
            "the registry has no such repository"),
    Invalid("invalid reference format", nullptr, "reference-format",
            "the image reference does not parse"),
    Invalid("couldn't parse image", nullptr, "reference-parse",
            "the image reference does not parse"),
    Invalid("invalidimagename", nullptr, "invalid-name",
            "the image reference does not parse"),
    Invalid("must be lowercase", nullptr, "lowercase",
            "the image reference does not parse"),
    Invalid("errimageneverpull", nullptr, "never-pull",
            "the image is not on the node and may not be pulled"),
    Invalid("pull policy of never", nullptr, "never-pull-policy",
            "the image is not on the node and may not be pulled"),
    Invalid("media type",
            "(unsupported|unknown|mismatched?).{0,60}media type|"
            "media type.{0,80}(unsupported|not supported|no longer supported)",
            "media-type", "the runtime does not know the image's format"),
    Invalid("schema 1", nullptr, "schema-1",
            "the runtime does not know the image's format"),
    Invalid("not found",
            "(image|tag|repository|manifest|reference|pull|"
            "NotFound|resolve).*not found",
            "not-found", "the registry has no such image or tag"),
    Invalid("does not exist",
            "(image|tag|repository|manifest|project).{0,120}"
            "does not exist",
            "does-not-exist", "the registry has no such image or tag"),
    // Words that nobody knows: what is wrong with an image, runtimes and
    // registries say in the few ways above; outages have new ones each time.
    Unknown("rpc error: code = ", nullptr, "unknown-rpc"),
    Unknown("error response from daemon", nullptr, "unknown-daemon"),
    Unknown("failed to pull and unpack image", nullptr, "unknown-containerd"),
    Unknown("unable to pull image or oci artifact", nullptr, "unknown-crio"),
    Unknown("failed to pull image", "failed to pull image \\S+: \\S",
            "unknown"),
    // Only the fact that it failed.
    OnlyFact("errimagepull", "pull-failed"),
    OnlyFact("imagepullbackoff", "pull-back-off"),
    OnlyFact("back-off pulling image", "back-off"),
    OnlyFact("failed to pull image", "failed-to-pull"),
};

}  // namespace

const TextTable& ImageTexts() {
  static const TextTable* const table = new TextTable("image", kImageTexts);
  return *table;
}

}  // namespace mulligan::demystify
