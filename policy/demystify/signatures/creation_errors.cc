// API errors: metav1.Status reasons, HTTP codes, and the texts that tell them
// apart. A call that was refused is not a call that failed, and neither is a
// quota.
#include <algorithm>

#include "policy/demystify/signatures/tables.h"

namespace mulligan::demystify {
namespace {

constexpr Signature ApiError(std::string_view key, v1::Cause cause,
                             v1::Diagnosis::Confidence confidence,
                             std::string_view meaning) {
  return {key,      cause,  confidence, Tier::kDecisive, kOperatorWeight,
          kNoFlags, meaning};
}

constexpr Signature kReasons[] = {
    ApiError("AlreadyExists", v1::CREATE_CONFLICT, kHigh,
             "an object of that name exists, usually the previous one"),
    ApiError("BadRequest", v1::CREATE_REJECTED, kHigh,
             "the API server could not read the object"),
    ApiError("Conflict", v1::CREATE_CONFLICT, kMedium,
             "the object was changed or is being deleted by somebody else"),
    ApiError("Expired", v1::API_TRANSIENT, kHigh,
             "the request was out of date"),
    ApiError("Forbidden", v1::CREATE_REJECTED, kMedium,
             "the API server refuses the object: permission, policy or quota"),
    ApiError("Gone", v1::API_TRANSIENT, kMedium,
             "the requested version is gone"),
    ApiError("InternalError", v1::API_TRANSIENT, kHigh,
             "the API server failed to serve the request"),
    ApiError("Invalid", v1::CREATE_REJECTED, kHigh,
             "the API server found a field invalid"),
    ApiError("MethodNotAllowed", v1::CREATE_REJECTED, kHigh,
             "the API does not allow the call"),
    ApiError("NotAcceptable", v1::CREATE_REJECTED, kHigh,
             "the API does not offer the wanted form"),
    ApiError("NotFound", v1::CREATE_REJECTED, kHigh,
             "the namespace, kind or a named object does not exist"),
    ApiError("RequestEntityTooLarge", v1::CREATE_REJECTED, kHigh,
             "the object is too large"),
    ApiError("ServerTimeout", v1::API_TRANSIENT, kHigh,
             "the API server did not finish in time"),
    ApiError("ServiceUnavailable", v1::API_TRANSIENT, kHigh,
             "the API server is unavailable"),
    ApiError("StorageReadError", v1::API_TRANSIENT, kMedium,
             "the API server could not read its storage"),
    ApiError("Timeout", v1::API_TRANSIENT, kHigh,
             "the request did not finish in time"),
    ApiError("TooManyRequests", v1::API_TRANSIENT, kHigh,
             "the API server asks to slow down"),
    ApiError("Unauthorized", v1::CREATE_REJECTED, kMedium,
             "the caller is not known to the API server"),
    ApiError("UnsupportedMediaType", v1::CREATE_REJECTED, kHigh,
             "the API does not take the form sent"),
};
static_assert(IsSorted(kReasons));

struct HttpCode {
  std::int32_t first;
  std::int32_t last;
  Signature row;
};
// First match wins.
constexpr HttpCode kHttpCodes[] = {
    {408, 408,
     ApiError("408", v1::API_TRANSIENT, kHigh, "the request timed out")},
    {409, 409,
     ApiError("409", v1::CREATE_CONFLICT, kMedium,
              "the object exists or is being changed")},
    {410, 410, ApiError("410", v1::API_TRANSIENT, kMedium, "gone")},
    {425, 425, ApiError("425", v1::API_TRANSIENT, kMedium, "too early")},
    {429, 429,
     ApiError("429", v1::API_TRANSIENT, kHigh,
              "the API server asks to slow down")},
    {403, 403,
     ApiError("403", v1::CREATE_REJECTED, kMedium,
              "forbidden: permission, policy or quota")},
    {400, 499,
     ApiError("4xx", v1::CREATE_REJECTED, kHigh,
              "the API server refuses the object")},
    {500, 599,
     ApiError("5xx", v1::API_TRANSIENT, kHigh, "the API server failed")},
};

constexpr Signature kBuild = ApiError(
    "BUILD", v1::CREATE_REJECTED, kHigh,
    "the objects could not be built from the specification; no call was "
    "made");
constexpr Signature kNoAnswer =
    ApiError("no answer", v1::API_TRANSIENT, kLow,
             "the call failed without an answer that says more");

constexpr TextSignature Creation(std::string_view keyword, const char* pattern,
                                 std::string_view name, v1::Cause cause,
                                 v1::Diagnosis::Confidence confidence,
                                 std::string_view meaning) {
  return {keyword,
          pattern,
          {name, cause, confidence, Tier::kDecisive, kOperatorWeight, kNoFlags,
           meaning}};
}

constexpr TextSignature kCreationErrorsTexts[] = {
    Creation("must specify ", "failed quota", "quota-needs-request",
             v1::CREATE_REJECTED, kHigh,
             "a quota demands requests or limits the specification lacks"),
    Creation("exceeded quota", nullptr, "quota-exceeded", v1::QUOTA_EXCEEDED,
             kHigh, "a ResourceQuota is used up"),
    Creation("current usage is", "quota is .*requesting", "quota-old-text",
             v1::QUOTA_EXCEEDED, kHigh, "a ResourceQuota is used up"),
    Creation("limited to", "requested:.*used:.*limited:", "quota-numbers",
             v1::QUOTA_EXCEEDED, kHigh, "a ResourceQuota is used up"),
    Creation("resourcequotas", "cannot be fulfilled on resourcequotas",
             "quota-conflict", v1::QUOTA_EXCEEDED, kHigh,
             "two requests changed the quota at once"),
    Creation("quota evaluation timed out", nullptr, "quota-timeout",
             v1::QUOTA_EXCEEDED, kMedium,
             "the quota was not evaluated in time"),
    Creation("insufficient quota", nullptr, "quota-insufficient",
             v1::QUOTA_EXCEEDED, kMedium, "a quota is used up"),
    Creation("quota",
             "quota.{0,40}(exceed|exhaust|reached)|"
             "(exceed|exhaust|reach)\\w*.{0,60}quota",
             "quota-other", v1::QUOTA_EXCEEDED, kMedium, "a quota is used up"),
    Creation("because it is being terminated", nullptr, "namespace-terminating",
             v1::CREATE_REJECTED, kHigh, "the namespace is being deleted"),
    Creation("object is being deleted", nullptr, "being-deleted",
             v1::CREATE_CONFLICT, kHigh,
             "the previous object of that name is still terminating"),
    Creation("already exists", nullptr, "already-exists", v1::CREATE_CONFLICT,
             kHigh, "an object of that name exists"),
    Creation("alreadyexists", nullptr, "already-exists-reason",
             v1::CREATE_CONFLICT, kHigh, "an object of that name exists"),
    Creation("the object has been modified", nullptr, "modified",
             v1::CREATE_CONFLICT, kMedium,
             "somebody else changed the object at the same time"),
    // A webhook that refuses for now says what it waits for.
    Creation("denied the request",
             "denied the request.*(phase is pending|not (yet )?(ready|synced|"
             "initiali[sz]ed)|in progress|try again|temporarily)",
             "webhook-not-yet", v1::API_TRANSIENT, kMedium,
             "an admission webhook refuses the object for now"),
    Creation("denied the request", nullptr, "webhook-denied",
             v1::CREATE_REJECTED, kHigh,
             "an admission webhook refuses the object"),
    Creation("calling webhook", "fail(ed|ure) calling webhook",
             "webhook-failed", v1::API_TRANSIENT, kHigh,
             "an admission webhook did not answer"),
    Creation("call webhook", "failed to call webhook", "webhook-call",
             v1::API_TRANSIENT, kHigh, "an admission webhook did not answer"),
    Creation("webhook",
             "webhook.*(timed? ?out|refused|unavailable|no endpoints)",
             "webhook-trouble", v1::API_TRANSIENT, kMedium,
             "an admission webhook did not answer"),
    Creation("is invalid", "is invalid: |is invalid$", "invalid",
             v1::CREATE_REJECTED, kHigh, "a field is invalid"),
    Creation("invalid value", nullptr, "invalid-value", v1::CREATE_REJECTED,
             kHigh, "a field is invalid"),
    Creation("required value", nullptr, "required-value", v1::CREATE_REJECTED,
             kHigh, "a field is missing"),
    Creation("unsupported value", nullptr, "unsupported-value",
             v1::CREATE_REJECTED, kHigh,
             "a field has a value the API does not know"),
    Creation("field is immutable", nullptr, "immutable", v1::CREATE_REJECTED,
             kHigh, "a field cannot be changed"),
    Creation("unknown field", nullptr, "unknown-field", v1::CREATE_REJECTED,
             kHigh, "the API does not know a field"),
    Creation("strict decoding error", nullptr, "strict-decoding",
             v1::CREATE_REJECTED, kHigh, "the API does not know a field"),
    Creation("error validating data", nullptr, "validation",
             v1::CREATE_REJECTED, kHigh,
             "the specification does not fit the schema"),
    Creation("failed to decode", nullptr, "decode", v1::CREATE_REJECTED,
             kMedium, "the API server could not read the object"),
    Creation("cannot be handled as a", nullptr, "decode-type",
             v1::CREATE_REJECTED, kHigh,
             "the API server could not read the object"),
    Creation("no matches for kind", nullptr, "no-kind", v1::CREATE_REJECTED,
             kHigh, "the kind is not installed in the cluster"),
    Creation("could not find the requested resource", nullptr, "no-resource",
             v1::CREATE_REJECTED, kHigh,
             "the API does not exist in the cluster"),
    Creation("violates podsecurity", nullptr, "pod-security",
             v1::CREATE_REJECTED, kHigh,
             "the namespace's pod security level forbids the pod"),
    Creation("security context constraint", nullptr, "openshift-scc",
             v1::CREATE_REJECTED, kHigh,
             "no security context constraint allows the pod"),
    Creation("pod security policy", nullptr, "pod-security-policy",
             v1::CREATE_REJECTED, kHigh,
             "no pod security policy allows the pod"),
    Creation("podsecuritypolicy", nullptr, "psp", v1::CREATE_REJECTED, kHigh,
             "no pod security policy allows the pod"),
    Creation("cannot create resource", nullptr, "rbac", v1::CREATE_REJECTED,
             kHigh, "the caller has no permission"),
    Creation("cannot ", "user \\S+ cannot \\w+ (resource )?", "rbac-verb",
             v1::CREATE_REJECTED, kHigh, "the caller has no permission"),
    Creation("blockownerdeletion", "cannot set blockownerdeletion",
             "rbac-finalizers", v1::CREATE_REJECTED, kHigh,
             "the caller has no permission"),
    Creation("retry after", "retry after (the|it|\\d)", "retry-after",
             v1::API_TRANSIENT, kHigh,
             "the API server refuses the object for now"),
    Creation("serviceaccount",
             "service ?accounts? \\S* ?(was )?not found|"
             "error looking up service account",
             "no-service-account", v1::CREATE_REJECTED, kMedium,
             "the service account does not exist"),
    Creation("looking up service account", nullptr, "service-account",
             v1::CREATE_REJECTED, kMedium,
             "the service account does not exist"),
    Creation("no priorityclass", nullptr, "no-priority-class",
             v1::CREATE_REJECTED, kHigh, "the priority class does not exist"),
    Creation("namespaces \"", "namespaces \"[^\"]*\" not found", "no-namespace",
             v1::CREATE_REJECTED, kHigh, "the namespace does not exist"),
    Creation("must be no more than", nullptr, "name-too-long",
             v1::CREATE_REJECTED, kHigh, "a name or value is too long"),
    Creation("maximum ", "(maximum|minimum) (cpu|memory|\\S+) usage per",
             "limit-range", v1::CREATE_REJECTED, kHigh,
             "a LimitRange forbids the resources asked for"),
    Creation("request entity too large", nullptr, "too-large",
             v1::CREATE_REJECTED, kHigh, "the object is too large"),
    Creation("etcdserver: request is too large", nullptr, "etcd-too-large",
             v1::CREATE_REJECTED, kHigh, "the object is too large"),
    Creation("too long: must have at most", nullptr, "too-long",
             v1::CREATE_REJECTED, kHigh, "a value is too long"),
    Creation("etcdserver", nullptr, "etcd", v1::API_TRANSIENT, kHigh,
             "the cluster's storage is in trouble"),
    Creation("leader changed", nullptr, "leader-changed", v1::API_TRANSIENT,
             kHigh, "the cluster's storage changed its leader"),
    Creation("too many requests", nullptr, "too-many-requests",
             v1::API_TRANSIENT, kHigh, "the API server asks to slow down"),
    Creation("client rate limiter", nullptr, "client-rate-limit",
             v1::API_TRANSIENT, kHigh, "the caller's own rate limit"),
    Creation("timeout",
             "timeout: request did not complete|(tls handshake|i/o|"
             "gateway|client|server|request) time-?out|timeout exceeded",
             "timeout", v1::API_TRANSIENT, kHigh,
             "the API server did not answer in time"),
    Creation("timed out", nullptr, "timed-out", v1::API_TRANSIENT, kMedium,
             "the API server did not answer in time"),
    Creation("context deadline exceeded", nullptr, "context-deadline",
             v1::API_TRANSIENT, kHigh, "the API server did not answer in time"),
    Creation("connection refused", nullptr, "refused", v1::API_TRANSIENT, kHigh,
             "the API server could not be reached"),
    Creation("connection reset", nullptr, "reset", v1::API_TRANSIENT, kHigh,
             "the connection broke"),
    Creation("connection lost", nullptr, "lost", v1::API_TRANSIENT, kHigh,
             "the connection broke"),
    Creation("broken pipe", nullptr, "broken-pipe", v1::API_TRANSIENT, kHigh,
             "the connection broke"),
    Creation("unexpected eof", nullptr, "unexpected-eof", v1::API_TRANSIENT,
             kHigh, "the connection broke"),
    Creation("eof", ": EOF\\b|^EOF$", "eof", v1::API_TRANSIENT, kMedium,
             "the connection broke"),
    Creation("no route to host", nullptr, "no-route", v1::API_TRANSIENT, kHigh,
             "the API server could not be reached"),
    Creation("no such host", nullptr, "no-host", v1::API_TRANSIENT, kMedium,
             "the API server's name did not resolve"),
    Creation("no endpoints available", nullptr, "no-endpoints",
             v1::API_TRANSIENT, kHigh,
             "a service of the control plane has no pods"),
    Creation("currently unable to handle", nullptr, "unable-to-handle",
             v1::API_TRANSIENT, kHigh,
             "the API server is overloaded or starting"),
    Creation("service unavailable", nullptr, "service-unavailable",
             v1::API_TRANSIENT, kHigh, "the API server is unavailable"),
    Creation("internal error occurred", nullptr, "internal", v1::API_TRANSIENT,
             kHigh, "the API server failed to serve the request"),
    Creation("internal server error", nullptr, "internal-500",
             v1::API_TRANSIENT, kHigh,
             "the API server failed to serve the request"),
    Creation("bad gateway", nullptr, "bad-gateway", v1::API_TRANSIENT, kHigh,
             "the API server is unavailable"),
    Creation("unable to return a response", nullptr, "no-response",
             v1::API_TRANSIENT, kHigh, "the API server did not answer in time"),
    Creation("re)initializing", nullptr, "initializing", v1::API_TRANSIENT,
             kHigh, "the API server is starting"),
    Creation("not yet ready to handle", nullptr, "not-ready", v1::API_TRANSIENT,
             kHigh, "the API server is starting"),
    Creation("throttl", nullptr, "throttled", v1::API_TRANSIENT, kMedium,
             "the provider asks to slow down"),
    Creation("forbidden", nullptr, "forbidden", v1::CREATE_REJECTED, kMedium,
             "the API server refuses the object"),
    Creation("not found", "\\bnot found\\b", "not-found", v1::CREATE_REJECTED,
             kMedium, "something the object refers to does not exist"),
};

}  // namespace

const Signature* FindStatusReason(std::string_view reason) {
  return Find(kReasons, reason);
}

const Signature* FindHttpCode(std::int32_t code) {
  for (const HttpCode& http : kHttpCodes) {
    if (code >= http.first && code <= http.last) return &http.row;
  }
  return nullptr;
}

const Signature& BuildFailure() { return kBuild; }
const Signature& NoAnswer() { return kNoAnswer; }

const TextTable& CreationTexts() {
  static const TextTable* const table =
      new TextTable("creation", kCreationErrorsTexts);
  return *table;
}

}  // namespace mulligan::demystify
