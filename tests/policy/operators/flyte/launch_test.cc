#include "policy/operators/flyte/launch.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/operators/flyte/error_file.h"
#include "policy/operators/flyte/quota.h"
#include "tests/policy/operators/flyte/test_objects.h"

namespace mulligan::flyte {
namespace {

using ::testing::HasSubstr;

constexpr char kQuota[] =
    "pods is forbidden: exceeded quota: q, requested: limits.memory=3Gi, "
    "used: limits.memory=7976Gi, limited: limits.memory=8000Gi";
constexpr char kNeverFits[] =
    "pods is forbidden: exceeded quota: q, requested: "
    "limits.cpu=1,limits.memory=8000Gi, used: limits.cpu=0,limits.memory=0, "
    "limited: limits.cpu=4,limits.memory=8000Gi";

struct LaunchCase {
  std::string name;
  ApiError error;
  bool is_pod;
  std::string v1;
  std::string v2;
};

void PrintTo(const LaunchCase& test, std::ostream* out) { *out << test.name; }

class LaunchTest : public testing::TestWithParam<LaunchCase> {};

TEST_P(LaunchTest, DependsOnTheLine) {
  const LaunchCase& test = GetParam();
  const auto judge = [&](const char* version) {
    return Summary(LaunchPhase(test.error, test.is_pod, SettingsOf(version)));
  };
  EXPECT_THAT(judge("v1"), HasSubstr(test.v1));
  EXPECT_THAT(judge("v2"), HasSubstr(test.v2));
}

INSTANTIATE_TEST_SUITE_P(
    Errors, LaunchTest,
    testing::Values(
        LaunchCase{
            "Exists", {409, "AlreadyExists", ""}, true, "Queued", "Queued"},
        LaunchCase{"Conflict", {409, "Conflict", "c"}, true, "error", "error"},
        LaunchCase{"QuotaOfAPod",
                   {403, "Forbidden", kQuota},
                   true,
                   "WaitingForResources",
                   "RetryableFailure USER RuntimeFailure"},
        LaunchCase{"QuotaOfACustomResource",
                   {403, "Forbidden", kQuota},
                   false,
                   "RetryableFailure USER RuntimeFailure",
                   "RetryableFailure USER RuntimeFailure"},
        LaunchCase{"QuotaThatNeverFits",
                   {403, "Forbidden", kNeverFits},
                   false,
                   "PermanentFailure USER ResourceRequestsExceedLimits",
                   "RetryableFailure USER RuntimeFailure"},
        LaunchCase{"ForbiddenByCodeAlone",
                   {403, "", "no"},
                   true,
                   "RetryableFailure USER RuntimeFailure",
                   "RetryableFailure USER RuntimeFailure"},
        LaunchCase{"AReasonGoesBeforeTheCode",
                   {403, "NotFound", "ns"},
                   true,
                   "error",
                   "error"},
        LaunchCase{
            "Throttled", {429, "", ""}, true, "WaitingForResources", "error"},
        LaunchCase{
            "ThrottledCustomResource", {429, "", ""}, false, "error", "error"},
        LaunchCase{"EtcdOverQuota",
                   {403, "Forbidden", "etcdserver: mvcc: database space"},
                   true,
                   "WaitingForResources",
                   "RetryableFailure USER RuntimeFailure"},
        LaunchCase{"Webhook",
                   {400, "", "denied the request"},
                   true,
                   "PermanentFailure USER BadTaskFormat",
                   "PermanentFailure USER BadRequest"},
        LaunchCase{"Invalid",
                   {422, "Invalid", ""},
                   true,
                   "PermanentFailure USER BadTaskFormat",
                   "PermanentFailure USER InvalidResource"},
        LaunchCase{"TooLarge",
                   {413, "RequestEntityTooLarge", ""},
                   true,
                   "PermanentFailure USER EntityTooLarge",
                   "PermanentFailure USER EntityTooLarge"},
        LaunchCase{"NoAnswer",
                   {0, "", "connection refused"},
                   true,
                   "error: failed to create resource: connection refused",
                   "error: failed to create resource: connection refused"}),
    [](const auto& test) { return test.param.name; });

TEST(LaunchTest, BeforeTheFixARefusalWasAnError) {
  EXPECT_THAT(Summary(LaunchPhase(ApiError{422, "Invalid", "bad"}, true,
                                  SettingsOf("1.16.5"))),
              HasSubstr("error"));
}

TEST(LaunchTest, WithoutTheGuardOnlyQuotasWait) {
  Settings settings = SettingsOf("v1");
  settings.quota_backoff = false;
  EXPECT_EQ(Summary(LaunchPhase(ApiError{403, "", kQuota}, false, settings)),
            "WaitingForResources");
  EXPECT_THAT(Summary(LaunchPhase(ApiError{429, "", ""}, true, settings)),
              HasSubstr("error"));
}

TEST(BuildTest, FailsForEverUnlessFlyte2TakesItForItsOwnFault) {
  EXPECT_EQ(Summary(BuildFailurePhase("", "bad", SettingsOf("v1"))),
            "PermanentFailure USER FailedToBuildResource");
  EXPECT_EQ(Summary(BuildFailurePhase("BadTaskSpecification", "bad",
                                      SettingsOf("v2"))),
            "PermanentFailure USER BadTaskSpecification");
  EXPECT_EQ(Summary(BuildFailurePhase("", "bad", SettingsOf("v2"))),
            "error: bad");
}

TEST(ObservedTest, ATerminalPhaseGoesBeforeADeletion) {
  ObservedObject object;
  object.name = "ns/p";
  object.is_deleted = true;
  object.plugin = InPhase(Phase::kRunning);
  EXPECT_EQ(Summary(ObservedPhase(object, RulesOf(1))),
            "RetryableFailure SYSTEM UnexpectedObjectDeletion");
  object.plugin = RetryableFailure(ErrorKind::kUser, "Error", "");
  EXPECT_EQ(Summary(ObservedPhase(object, RulesOf(1))),
            "RetryableFailure USER Error");
  object.plugin = absl::UnknownError("boom");
  EXPECT_EQ(Summary(ObservedPhase(object, RulesOf(1))), "error: boom");
}

TEST(ObservedTest, WhatIsGoneIsRetriedAndOtherErrorsAreReturned) {
  for (const ApiError& gone :
       {ApiError{404, "NotFound", ""}, ApiError{410, "", ""},
        ApiError{410, "Expired", ""}}) {
    ObservedObject object;
    object.lookup_error = gone;
    EXPECT_EQ(Summary(ObservedPhase(object, RulesOf(2))),
              "RetryableFailure SYSTEM ResourceDeletedExternally");
  }
  ObservedObject object;
  object.lookup_error = ApiError{403, "Forbidden", ""};
  EXPECT_EQ(Summary(ObservedPhase(object, RulesOf(2))), "error: Forbidden");
}

TEST(StateTest, CorruptionIsTheUsersInFlyte1AndPermanentInFlyte2) {
  EXPECT_EQ(Summary(CorruptedStatePhase(true, "m", RulesOf(1))),
            "RetryableFailure USER CorruptedPluginState");
  EXPECT_THAT(Summary(CorruptedStatePhase(false, "m", RulesOf(1))),
              HasSubstr("error"));
  EXPECT_EQ(Summary(CorruptedStatePhase(false, "m", RulesOf(2))),
            "PermanentFailure SYSTEM CorruptedPluginState");
  EXPECT_EQ(Summary(IdentityFailurePhase("m")),
            "PermanentFailure USER BadTaskDefinition");
}

TEST(QuantityTest, ReadsWhatKubernetesReads) {
  const auto quantity = [](const char* text) {
    return ParseQuantity(text).value_or(-1);
  };
  EXPECT_EQ(quantity("1"), quantity("1000m"));
  EXPECT_EQ(quantity("0.1"), quantity("100m"));
  EXPECT_EQ(quantity("1e3"), quantity("1k"));
  EXPECT_EQ(quantity("1Gi"), quantity("1024Mi"));
  EXPECT_EQ(quantity("+2"), quantity("2.0"));
  EXPECT_LT(quantity("999M"), quantity("1G"));
  EXPECT_LT(quantity("1G"), quantity("1Gi"));
  EXPECT_EQ(quantity("-1"), -quantity("1"));
  EXPECT_EQ(quantity("0.0000000001"), quantity("1n"));
  EXPECT_LT(quantity("8000Ei"), quantity("8001Ei"));
}

TEST(QuantityTest, RefusesTheRest) {
  for (const char* const text :
       {"", "Gi", "1 Gi", "1gi", "1.2.3", "1e", "1e99", "--1", "0x10",
        "99999999999999999999", "1e2147483647", "1e-99999999999"}) {
    EXPECT_FALSE(ParseQuantity(text).has_value()) << text;
  }
}

TEST(QuotaTest, EqualToTheQuotaIsTooBigAndOtherResourcesDoNotCount) {
  EXPECT_FALSE(IsEligible({{"cpu", 2}}, {{"cpu", 2}}));
  EXPECT_TRUE(IsEligible({{"cpu", 1}}, {{"cpu", 2}}));
  EXPECT_TRUE(IsEligible({{"gpu", 9}}, {{"cpu", 2}}));
  EXPECT_TRUE(AreRequestsEligible({403, "", kQuota}));
  EXPECT_FALSE(AreRequestsEligible({403, "", kNeverFits}));
  EXPECT_FALSE(AreRequestsEligible(
      {403, "",
       "requested: requests.cpu=5, used: requests.cpu=0, limited: "
       "requests.cpu=4"}));
  EXPECT_TRUE(AreRequestsEligible({403, "", "requested: , limited: "}));
}

// The peer's own way to compute it, step by step.
TEST(QuotaBackoffTest, GrowsByTheBaseUpToTheCap) {
  for (const std::int64_t base : {0, 1, 2, 3, 10}) {
    std::uint32_t exponent = 0;
    absl::Duration expected = absl::Seconds(1);
    for (int step = 0; step < 80; ++step) {
      const QuotaBackoff next =
          NextQuotaBackoff(exponent, base, absl::Seconds(20));
      EXPECT_EQ(next.delay, std::min(expected, absl::Seconds(20))) << base;
      EXPECT_EQ(next.exponent - exponent, expected > absl::Seconds(20) ? 0 : 1);
      if (next.exponent != exponent) expected *= base;
      exponent = next.exponent;
    }
  }
}

TEST(ErrorFileTest, TheEarliestWorkerWinsAndNoTimeIsEarliest) {
  ContainerError late = {"b", "late", true, ErrorKind::kUser, "w1", 100};
  ContainerError early = {"a", "early", false, ErrorKind::kSystem, "w0", 99};
  const TaskError error = ReadErrorFiles({{late}, {early}});
  EXPECT_EQ(Summary(error.failure), "PermanentFailure SYSTEM a");
  EXPECT_EQ(error.source->worker, "w0");
  late.timestamp_seconds = 0;
  EXPECT_EQ(Summary(ReadErrorFiles({{early}, {late}}).failure),
            "RetryableFailure USER b");
}

TEST(ErrorFileTest, UnreadableFilesAreTheSystemsFault) {
  EXPECT_EQ(Summary(ReadErrorFiles({}).failure),
            "RetryableFailure SYSTEM ErrorFileNotFound");
  EXPECT_EQ(Summary(ReadErrorFiles({ErrorFile()}).failure),
            "RetryableFailure SYSTEM ErrorFileBadFormat");
}

TEST(ErrorFileTest, OutputsMayBeMissingOrTooLarge) {
  EXPECT_EQ(Summary(FinishedTaskPhase({})), "Success");
  EXPECT_EQ(Summary(FinishedTaskPhase({std::nullopt, true, false, false})),
            "RetryableFailure UNKNOWN OutputsNotFound");
  EXPECT_EQ(Summary(FinishedTaskPhase({std::nullopt, false, false, false})),
            "Success");
  EXPECT_EQ(Summary(FinishedTaskPhase({std::nullopt, true, true, true})),
            "PermanentFailure UNKNOWN OutputSizeExceeded");
}

}  // namespace
}  // namespace mulligan::flyte
