// Objects that could not be created: refused, failed call, quota or conflict.
#include <ostream>
#include <string>

#include "gtest/gtest.h"
#include "tests/policy/demystify/diagnose.h"

namespace mulligan::demystify {
namespace {

struct CreationCase {
  const char* name;
  int http_code;
  const char* reason;
  const char* message;
  v1::Cause cause;
};

constexpr CreationCase kCreationErrorCases[] = {
    {"PodsXIsForbiddenExceededQuotaCompute", 403, "Forbidden",
     "pods \"x\" is forbidden: exceeded quota: compute, requested: "
     "requests.nvidia.com/gpu=8, used: 8, limited: 8",
     v1::QUOTA_EXCEEDED},
    {"OperationCannotBeFulfilledOnResourcequotasQ", 409, "Conflict",
     "Operation cannot be fulfilled on resourcequotas \"q\": the object has "
     "been modified; please apply your changes to the latest version and try "
     "again",
     v1::API_TRANSIENT},
    {"NamespacesNopeNotFound", 404, "NotFound", "namespaces \"nope\" not found",
     v1::CREATE_REJECTED},
    {"NoMatchesForKindRayJobInVersion", 0, "",
     "no matches for kind \"RayJob\" in version \"ray.io/v1\"",
     v1::CREATE_REJECTED},
    {"PodsIsForbiddenUserSystemServiceaccountA", 403, "Forbidden",
     "pods is forbidden: User \"system:serviceaccount:a:b\" cannot create "
     "resource \"pods\" in API group \"\" in the namespace \"c\"",
     v1::CREATE_REJECTED},
    {"JobsBatchXAlreadyExists", 409, "AlreadyExists",
     "jobs.batch \"x\" already exists", v1::CREATE_CONFLICT},
    {"EtcdserverRequestTimedOut", 500, "InternalError",
     "etcdserver: request timed out", v1::API_TRANSIENT},
    {"TheServerIsCurrentlyUnableToHandle", 503, "ServiceUnavailable",
     "the server is currently unable to handle the request", v1::API_TRANSIENT},
    {"TooManyRequestsPleaseTryAgainLater", 429, "TooManyRequests",
     "Too many requests, please try again later.", v1::API_TRANSIENT},
    {"PostHttps109601443", 0, "",
     "Post \"https://10.96.0.1:443/apis/batch/v1/namespaces/x/jobs\": dial tcp "
     "10.96.0.1:443: connect: connection refused",
     v1::API_TRANSIENT},
    {"ClientRateLimiterWaitReturnedAnError", 0, "",
     "client rate limiter Wait returned an error: context deadline exceeded",
     v1::API_TRANSIENT},
    {"InternalErrorOccurredFailedCallingWebhookMpod", 500, "InternalError",
     "Internal error occurred: failed calling webhook \"mpod.kb.io\": failed "
     "to call webhook: Post \"https://x.svc:443/mutate\": no endpoints "
     "available for service \"x\"",
     v1::API_TRANSIENT},
};

class CreationError : public ::testing::TestWithParam<CreationCase> {};

TEST_P(CreationError, NamesTheCause) {
  const CreationCase& param = GetParam();
  v1::FailureReport report;
  auto& error = *report.mutable_creation_error();
  error.set_phase(v1::CreationError::CREATE);
  error.set_http_code(param.http_code);
  error.set_reason(param.reason);
  error.set_message(param.message);
  const v1::Diagnosis diagnosis = Diagnose(report);
  EXPECT_EQ(diagnosis.cause(), param.cause) << diagnosis.DebugString();
}

INSTANTIATE_TEST_SUITE_P(, CreationError,
                         ::testing::ValuesIn(kCreationErrorCases),
                         [](const auto& test) { return test.param.name; });

struct MisdirectedCase {
  const char* name;
  const char* message;
  v1::Diagnosis::FaultDomain domain;
};

class MisdirectedCall : public ::testing::TestWithParam<MisdirectedCase> {};

// A wrong CA or host name fails until someone corrects it, whatever the code.
TEST_P(MisdirectedCall, IsNotExpectedToRecover) {
  for (const int code : {0, 500}) {
    v1::FailureReport report;
    auto& error = *report.mutable_creation_error();
    error.set_http_code(code);
    if (code != 0) error.set_reason("InternalError");
    error.set_message(GetParam().message);
    const v1::Diagnosis diagnosis = Diagnose(report);
    EXPECT_EQ(diagnosis.cause(), v1::API_TRANSIENT) << diagnosis.DebugString();
    EXPECT_EQ(diagnosis.fault_domain(), GetParam().domain);
    EXPECT_EQ(diagnosis.outlook(), v1::Diagnosis::MAY_RECOVER) << code;
    EXPECT_EQ(diagnosis.confidence(), v1::Diagnosis::MEDIUM) << code;
  }
}

INSTANTIATE_TEST_SUITE_P(
    , MisdirectedCall,
    ::testing::Values(
        MisdirectedCase{
            "WebhookOfAnotherCa",
            "Internal error occurred: failed calling webhook \"v.acme.io\": "
            "failed to call webhook: Post \"https://v.acme.svc:443/v\": tls: "
            "failed to verify certificate: x509: certificate signed by unknown "
            "authority",
            v1::Diagnosis::CONTROL_PLANE},
        MisdirectedCase{
            "ServiceOfAWebhookThatDoesNotExist",
            "Internal error occurred: failed calling webhook \"v.acme.io\": "
            "failed to call webhook: Post \"https://v.acme.svc:443/v\": dial "
            "tcp: lookup v.acme.svc on 10.96.0.10:53: no such host",
            v1::Diagnosis::CONTROL_PLANE},
        MisdirectedCase{"ApiServerOfAnotherCa",
                        "Post \"https://kube.acme.com:6443/apis/batch/v1/"
                        "jobs\": x509: certificate signed by unknown authority",
                        v1::Diagnosis::CONTROL_PLANE},
        MisdirectedCase{"ApiServerOfAWrongName",
                        "Post \"https://kube.acme.com:6443/apis/batch/v1/"
                        "jobs\": dial tcp: lookup kube.acme.com: no such host",
                        v1::Diagnosis::CONFIGURATION}),
    [](const auto& test) { return test.param.name; });

struct CodeCase {
  int http_code;
  v1::Cause cause;

  friend std::ostream& operator<<(std::ostream& out, const CodeCase& row) {
    return out << row.http_code;
  }
};

class HttpCode : public ::testing::TestWithParam<CodeCase> {};

TEST_P(HttpCode, DecidesWithoutReasonAndMessage) {
  v1::FailureReport report;
  report.mutable_creation_error()->set_http_code(GetParam().http_code);
  EXPECT_EQ(Diagnose(report).cause(), GetParam().cause);
}

INSTANTIATE_TEST_SUITE_P(
    , HttpCode,
    ::testing::Values(
        CodeCase{400, v1::CREATE_REJECTED}, CodeCase{403, v1::CREATE_REJECTED},
        CodeCase{404, v1::CREATE_REJECTED}, CodeCase{409, v1::CREATE_CONFLICT},
        CodeCase{422, v1::CREATE_REJECTED}, CodeCase{429, v1::API_TRANSIENT},
        CodeCase{500, v1::API_TRANSIENT}, CodeCase{503, v1::API_TRANSIENT},
        CodeCase{504, v1::API_TRANSIENT}, CodeCase{0, v1::API_TRANSIENT}),
    [](const auto& test) { return std::to_string(test.param.http_code); });

TEST(CreationErrorPhase, BuildIsARefusalWithAnyMessage) {
  v1::FailureReport report;
  report.mutable_creation_error()->set_phase(v1::CreationError::BUILD);
  report.mutable_creation_error()->set_message("connection refused");
  const v1::Diagnosis diagnosis = Diagnose(report);
  EXPECT_EQ(diagnosis.cause(), v1::CREATE_REJECTED);
  EXPECT_EQ(diagnosis.confidence(), v1::Diagnosis::HIGH);
}

v1::Evidence FirstEvidenceOf(const v1::FailureReport& report) {
  const v1::Diagnosis diagnosis = Diagnose(report);
  EXPECT_GT(diagnosis.evidence_size(), 0) << diagnosis.DebugString();
  return diagnosis.evidence_size() > 0 ? diagnosis.evidence(0) : v1::Evidence();
}

TEST(CreationErrorPhase, BuildWithTheCodeOfACallIsDoubted) {
  v1::FailureReport report;
  auto& error = *report.mutable_creation_error();
  error.set_phase(v1::CreationError::BUILD);
  error.set_http_code(429);
  error.set_reason("TooManyRequests");
  Findings findings;
  const v1::Diagnosis diagnosis = Diagnose(report, {}, &findings);
  EXPECT_EQ(diagnosis.cause(), v1::API_TRANSIENT);
  EXPECT_EQ(diagnosis.confidence(), v1::Diagnosis::MEDIUM);
  ASSERT_EQ(findings.warnings.size(), 1U);
  EXPECT_NE(findings.warnings[0].find("httpCode 429"), std::string::npos);
}

TEST(CreationErrorPhase, BuildIsNotAQuotaErrorBecauseOfAnotherFact) {
  v1::FailureReport report;
  auto& error = *report.mutable_creation_error();
  error.set_phase(v1::CreationError::BUILD);
  error.set_http_code(403);
  error.set_message("a quota was reached");
  EXPECT_EQ(Diagnose(report).cause(), v1::QUOTA_EXCEEDED);
}

TEST(CreationErrorCode, OfSuccessIsDoubtedAndShown) {
  for (const int code : {100, 200, 201, 304, 399}) {
    v1::FailureReport report;
    auto& error = *report.mutable_creation_error();
    error.set_http_code(code);
    Findings findings;
    const v1::Diagnosis diagnosis = Diagnose(report, {}, &findings);
    EXPECT_EQ(diagnosis.cause(), v1::API_TRANSIENT);
    EXPECT_EQ(diagnosis.confidence(), v1::Diagnosis::LOW);
    EXPECT_EQ(FirstEvidenceOf(report).path(), "creationError.httpCode");
    EXPECT_EQ(FirstEvidenceOf(report).value(), std::to_string(code));
    ASSERT_EQ(findings.warnings.size(), 1U);
    EXPECT_NE(findings.warnings[0].find("is not the code of an error"),
              std::string::npos);
    // Other evidence still names the cause.
    error.set_phase(v1::CreationError::BUILD);
    EXPECT_EQ(Diagnose(report).cause(), v1::CREATE_REJECTED);
    EXPECT_EQ(Diagnose(report).confidence(), v1::Diagnosis::LOW);
    error.set_phase(v1::CreationError::CREATE);
    error.set_reason("AlreadyExists");
    EXPECT_EQ(Diagnose(report).cause(), v1::CREATE_CONFLICT);
    EXPECT_EQ(Diagnose(report).confidence(), v1::Diagnosis::LOW);
  }
}

TEST(CreationErrorEvidence, NamesOnlyFieldsThatWereSent) {
  struct Sent {
    const char* error;
    const char* path;
    const char* value;
  };
  for (const Sent& sent : {
           Sent{R"(message: "odd" reason: "Odd")", ".message", "odd"},
           Sent{R"(reason: "Odd" http_code: 200)", ".reason", "Odd"},
           Sent{"phase: CREATE", ".phase", "CREATE"},
           Sent{R"(kind: "Pod")", ".kind", "Pod"},
           Sent{"", "", "{}"},
       }) {
    const v1::Evidence evidence = FirstEvidenceOf(
        Report("creation_error { " + std::string(sent.error) + " }"));
    EXPECT_EQ(evidence.path(), "creationError" + std::string(sent.path));
    EXPECT_EQ(evidence.value(), sent.value);
  }
  v1::FailureReport report;
  report.mutable_creation_error()->set_phase(
      static_cast<v1::CreationError::Phase>(77));
  EXPECT_EQ(FirstEvidenceOf(report).path(), "creationError.phase");
  EXPECT_EQ(FirstEvidenceOf(report).value(), "77");
}

TEST(CreationErrorPhase, UnknownNumberIsWarnedAbout) {
  v1::FailureReport report;
  report.mutable_creation_error()->set_phase(
      static_cast<v1::CreationError::Phase>(77));
  report.mutable_creation_error()->set_http_code(503);
  Findings findings;
  EXPECT_EQ(Diagnose(report, {}, &findings).cause(), v1::API_TRANSIENT);
  ASSERT_EQ(findings.warnings.size(), 1U);
  EXPECT_NE(findings.warnings[0].find("77"), std::string::npos);
}

}  // namespace
}  // namespace mulligan::demystify
