// Signatures from policy files.
#include "policy/demystify/signatures/user_signatures.h"

#include <google/protobuf/text_format.h>

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/policy/demystify/diagnose.h"
#include "tests/policy/demystify/report_text.h"

namespace mulligan::demystify {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;

struct Created {
  std::unique_ptr<const UserSignatures> signatures;
  Issues issues;
};

Created Create(const std::string& text) {
  v1::RetryPolicySpec spec;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &spec));
  Created created;
  PatternAllowance allowance;
  created.signatures = UserSignatures::Create(
      "fleet", spec, SourceMap("p.yaml"), allowance, created.issues);
  return created;
}

constexpr char kFleet[] = R"pb(
  signatures {
    name: "lemon"
    cause: GPU_FAULT
    message_pattern: "gpu-doctor: device [0-9]+ failed"
    confidence: HIGH
    meaning: "our health check failed"
  }
  signatures { name: "code-42" cause: DECLARED_FATAL exit_codes: 42 }
  signatures {
    name: "both"
    cause: DATA_OR_NUMERIC
    message_pattern: "shard"
    exit_codes: 9
  }
  signatures {
    name: "operator"
    cause: CONTROLLER_ERROR
    message_pattern: "lost lease"
    sources: OPERATOR_MESSAGE
  })pb";

TEST(UserSignature, TextNamesTheCause) {
  const auto created = Create(kFleet);
  ASSERT_NE(created.signatures, nullptr);
  const auto diagnosis =
      Diagnose(FailedPod(1, "Error", "gpu-doctor: device 3 failed"),
               {created.signatures.get()});
  EXPECT_EQ(diagnosis.cause(), v1::GPU_FAULT);
  EXPECT_EQ(diagnosis.confidence(), v1::Diagnosis::HIGH);
  EXPECT_EQ(diagnosis.signature(), "fleet/lemon");
  EXPECT_EQ(diagnosis.evidence(0).meaning(), "our health check failed");
}

TEST(UserSignature, ComesBeforeBuiltInTextsAndExitCodes) {
  const auto created = Create(kFleet);
  EXPECT_EQ(Diagnose(FailedPod(42, "Error", "CUDA out of memory"),
                     {created.signatures.get()})
                .cause(),
            v1::DECLARED_FATAL);
}

TEST(UserSignature, ComesAfterStructuredEvidence) {
  const auto created = Create(kFleet);
  EXPECT_EQ(
      Diagnose(FailedPod(42, "OOMKilled"), {created.signatures.get()}).cause(),
      v1::CONTAINER_OOM);
}

TEST(UserSignature, PatternAndCodesMustBothHold) {
  const auto created = Create(kFleet);
  const DemystifyOptions options{created.signatures.get()};
  EXPECT_EQ(Diagnose(FailedPod(9, "Error", "shard 3"), options).cause(),
            v1::DATA_OR_NUMERIC);
  EXPECT_EQ(Diagnose(FailedPod(8, "Error", "shard 3"), options).cause(),
            v1::APP_ERROR);
  EXPECT_EQ(Diagnose(FailedPod(9, "Error", "other"), options).cause(),
            v1::APP_ERROR);
}

TEST(UserSignature, SearchesOnlyTheConfiguredPlaces) {
  const auto created = Create(kFleet);
  const DemystifyOptions options{created.signatures.get()};
  EXPECT_EQ(Diagnose(FailedPod(1, "Error", "lost lease"), options).cause(),
            v1::APP_ERROR);
  EXPECT_EQ(Diagnose(Report("ray_job { status { job_deployment_status: "
                            "'Failed' message: 'lost lease' } }"),
                     options)
                .cause(),
            v1::CONTROLLER_ERROR);
}

TEST(UserSignature, IsSearchedInEvents) {
  const auto created = Create(kFleet);
  EXPECT_EQ(Diagnose(Report(Event("Custom", "gpu-doctor: device 0 failed",
                                  "Node", "n")),
                     {created.signatures.get()})
                .cause(),
            v1::GPU_FAULT);
}

// Before the reason next to the message, however certain.
TEST(UserSignature, IsSearchedInMessagesOfWaitingContainers) {
  const auto created = Create(R"pb(
    signatures {
      name: "own"
      cause: DEPENDENCY_UNAVAILABLE
      message_pattern: "quoll"
    })pb");
  const auto waits = [&created](const std::string& reason,
                                const std::string& message) {
    return Diagnose(Report(Pending(
                        "metadata { name: 'p' }",
                        Container("name: 'main'", WaitState(reason, message)))),
                    {created.signatures.get()})
        .signature();
  };
  for (const char* const reason :
       {"ImagePullBackOff", "ErrImageNeverPull", "CreateContainerConfigError",
        "CreateContainerError", "RunContainerError"}) {
    EXPECT_EQ(waits(reason, "manifest unknown: quoll"), "fleet/own") << reason;
    EXPECT_NE(waits(reason, "manifest unknown"), "fleet/own") << reason;
  }
  // The container decides how it ended, not the wait.
  EXPECT_NE(waits("CrashLoopBackOff", "back-off quoll"), "fleet/own");
}

// Before any match of the built-in tables in the same text, however certain.
TEST(UserSignature, ComesBeforeBuiltInMatchesInTheSameText) {
  const auto created = Create(R"pb(
    signatures {
      name: "own"
      cause: UNKNOWN
      message_pattern: "quoll"
      confidence: LOW
      sources: [ TERMINATION_MESSAGE, EVENT, POD_MESSAGE ]
    })pb");
  const DemystifyOptions options{created.signatures.get()};
  const auto event = [&options](const std::string& message) {
    return Diagnose(Report(Pending("metadata { name: 'p' }") +
                           Event("Custom", message)),
                    options)
        .signature();
  };
  for (const char* const known :
       {"NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus",
        "Multi-Attach error for volume pvc-1",
        "0/3 nodes are available: 3 Insufficient memory",
        "toomanyrequests: You have reached your pull rate limit"}) {
    EXPECT_NE(event(known), "fleet/own") << known;
    EXPECT_NE(event(known), "") << known;
    EXPECT_EQ(event(std::string(known) + "; quoll"), "fleet/own") << known;
  }
  v1::FailureReport report = FailedPod(1, "Error");
  report.mutable_pods(0)->mutable_status()->set_message(
      "The node was low on resource: memory; quoll");
  EXPECT_EQ(Diagnose(report, options).signature(), "fleet/own");
}

TEST(UserSignature, SaysWhoHasToActAndWhetherItCanRecover) {
  const auto created = Create(R"pb(
    signatures {
      name: "licence"
      cause: DEPENDENCY_UNAVAILABLE
      message_pattern: "no seats"
      fault_domain: CONFIGURATION
      outlook: CANNOT_RECOVER
    }
  )pb");
  const v1::Diagnosis diagnosis =
      Diagnose(FailedPod(1, "Error", "no seats"), {created.signatures.get()});
  EXPECT_EQ(diagnosis.fault_domain(), v1::Diagnosis::CONFIGURATION);
  EXPECT_EQ(diagnosis.outlook(), v1::Diagnosis::CANNOT_RECOVER);
}

TEST(UserSignature, SaysWhatToDoWhereItDecides) {
  const auto created = Create(R"pb(
    signatures {
      name: "ost"
      cause: DEPENDENCY_UNAVAILABLE
      message_pattern: "ost 7"
      remedy: "page #storage"
    }
  )pb");
  EXPECT_EQ(created.signatures->RemedyOf("fleet/ost"), "page #storage");
  EXPECT_EQ(created.signatures->RemedyOf("text/ost"), "");
}

// tests/policies/bad/signatures.yaml has the other mistakes.
TEST(UserSignature, EveryMistakeIsReported) {
  const auto created = Create(
      "signatures { cause: APP_ERROR } signatures { name: 'stale' cause: "
      "NOT_FAILED exit_codes: 1 } signatures { name: 'later' cause: APP_ERROR "
      "exit_codes: 1 fault_domain: 99 outlook: 99 }");
  EXPECT_EQ(created.signatures, nullptr);
  EXPECT_THAT(
      created.issues,
      ElementsAre(
          Field(&Issue::message, HasSubstr("signatures[0].name: missing")),
          Field(&Issue::message, HasSubstr("neither messagePattern")),
          Field(&Issue::message, HasSubstr("signatures[1].cause: missing")),
          Field(&Issue::message, HasSubstr("99 is no fault domain")),
          Field(&Issue::message, HasSubstr("99 is no outlook"))));
}

TEST(UserSignature, PatternLengthIsBounded) {
  const auto at = [](std::size_t size) {
    return Create("signatures { name: 'a' cause: APP_ERROR message_pattern: '" +
                  std::string(size, 'x') + "' }");
  };
  EXPECT_NE(at(kMaxPatternBytes).signatures, nullptr);
  EXPECT_EQ(at(kMaxPatternBytes + 1).signatures, nullptr);
}

TEST(UserSignature, RegexBombIsRefusedOrHarmless) {
  const auto created = Create(
      "signatures { name: 'a' cause: APP_ERROR "
      "message_pattern: '((a{0,100}){0,100}){0,100}' }");
  EXPECT_EQ(created.signatures, nullptr);
  const auto nested = Create(
      "signatures { name: 'a' cause: APP_ERROR message_pattern: '(a*)*b' }");
  ASSERT_NE(nested.signatures, nullptr);
  EXPECT_EQ(Diagnose(FailedPod(1, "Error", std::string(100000, 'a')),
                     {nested.signatures.get()})
                .cause(),
            v1::APP_ERROR);
}

}  // namespace
}  // namespace mulligan::demystify
