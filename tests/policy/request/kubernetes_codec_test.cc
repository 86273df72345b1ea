#include "policy/request/kubernetes_codec.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "gmock/gmock.h"
#include "google/protobuf/timestamp.pb.h"
#include "gtest/gtest.h"
#include "mulligan/kubernetes/core/v1/pod.pb.h"
#include "mulligan/kubernetes/meta/v1/unknown.pb.h"
#include "tests/testing/files.h"
#include "tests/testing/proto_matchers.h"
#include "tests/testing/status_matchers.h"

namespace mulligan {
namespace {

using ::mulligan::testing::EqualsProto;
using ::mulligan::testing::IsOk;
using ::mulligan::testing::StatusIs;
using ::testing::HasSubstr;

const std::string kMagic("k8s\0", 4);

kubernetes::meta::v1::Unknown EnvelopeOf(std::string_view api_version,
                                         std::string_view kind,
                                         std::string_view raw) {
  kubernetes::meta::v1::Unknown envelope;
  envelope.mutable_type_meta()->set_api_version(std::string(api_version));
  envelope.mutable_type_meta()->set_kind(std::string(kind));
  envelope.set_raw(std::string(raw));
  return envelope;
}

std::string Wrap(const kubernetes::meta::v1::Unknown& envelope) {
  return kMagic + envelope.SerializeAsString();
}

TEST(KubernetesEnvelopeTest, UnwrapsTypeAndBytes) {
  kubernetes::core::v1::Pod pod;
  pod.mutable_status()->set_phase("Failed");
  const std::string bytes =
      Wrap(EnvelopeOf("v1", "Pod", pod.SerializeAsString()));

  ASSERT_TRUE(HasKubernetesEnvelope(bytes));
  ASSERT_OK_AND_ASSIGN(const EnvelopedObject object,
                       UnwrapKubernetesEnvelope(bytes));
  EXPECT_EQ(object.api_version, "v1");
  EXPECT_EQ(object.kind, "Pod");
  kubernetes::core::v1::Pod unwrapped;
  ASSERT_TRUE(unwrapped.ParseFromString(object.raw));
  EXPECT_THAT(unwrapped, EqualsProto(pod));
}

// Bytes as the API server writes them: every field present, even if empty.
TEST(KubernetesEnvelopeTest, UnwrapsBytesWithEmptyEncodingAndType) {
  const std::string bytes = kMagic + std::string(
                                         "\x0a\x0f\x0a\x08"
                                         "batch/v1"
                                         "\x12\x03"
                                         "Job"
                                         "\x12\x02\x0a\x00"
                                         "\x1a\x00"
                                         "\x22\x00",
                                         25);
  ASSERT_OK_AND_ASSIGN(const EnvelopedObject object,
                       UnwrapKubernetesEnvelope(bytes));
  EXPECT_EQ(object.api_version, "batch/v1");
  EXPECT_EQ(object.kind, "Job");
  EXPECT_EQ(object.raw, std::string("\x0a\x00", 2));
}

TEST(KubernetesEnvelopeTest, AcceptsTheProtobufContentType) {
  auto envelope = EnvelopeOf("v1", "Pod", "");
  envelope.set_content_type("application/vnd.kubernetes.protobuf");
  EXPECT_THAT(UnwrapKubernetesEnvelope(Wrap(envelope)), IsOk());
}

TEST(KubernetesEnvelopeTest, RefusesOtherContentAndNamesIt) {
  auto json = EnvelopeOf("v1", "Pod", "{}");
  json.set_content_type("application/json");
  EXPECT_THAT(UnwrapKubernetesEnvelope(Wrap(json)),
              StatusIs(absl::StatusCode::kUnimplemented,
                       HasSubstr("contentType 'application/json'")));

  auto compressed = EnvelopeOf("v1", "Pod", "\x1f\x8b");
  compressed.set_content_encoding("gzip");
  EXPECT_THAT(UnwrapKubernetesEnvelope(Wrap(compressed)),
              StatusIs(absl::StatusCode::kUnimplemented,
                       HasSubstr("contentEncoding 'gzip'")));
}

TEST(KubernetesEnvelopeTest, RefusesDamagedEnvelopes) {
  const std::string whole = Wrap(EnvelopeOf("v1", "Pod", "raw"));
  for (const std::string& bytes :
       {kMagic + "\x0a\x7f", whole.substr(0, whole.size() - 1)}) {
    EXPECT_THAT(
        UnwrapKubernetesEnvelope(bytes),
        StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("damaged")));
  }
}

TEST(KubernetesEnvelopeTest, IsNotDetectedInOtherInput) {
  kubernetes::core::v1::Pod pod;
  pod.mutable_metadata()->set_name("k8s");
  for (const std::string& bytes :
       {std::string(), std::string("k8s"), std::string("k8s "),
        std::string("{\"kind\":\"Pod\"}"), std::string("kind: Pod"),
        pod.SerializeAsString()}) {
    EXPECT_FALSE(HasKubernetesEnvelope(bytes)) << bytes;
    EXPECT_THAT(UnwrapKubernetesEnvelope(bytes),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         HasSubstr("no Kubernetes envelope")));
  }
}

TEST(KubernetesEnvelopeTest, PublishedPodSurvivesAnEnvelope) {
  // Published fixtures include the envelope.
  ASSERT_OK_AND_ASSIGN(const std::string bytes,
                       testing::ReadFile(testing::SourcePath(
                           "tests/proto/testdata/wire/core.v1.Pod.pb")));
  ASSERT_TRUE(HasKubernetesEnvelope(bytes));
  ASSERT_OK_AND_ASSIGN(const EnvelopedObject object,
                       UnwrapKubernetesEnvelope(bytes));
  EXPECT_EQ(object.api_version, "v1");
  EXPECT_EQ(object.kind, "Pod");
  kubernetes::core::v1::Pod pod;
  ASSERT_TRUE(pod.ParseFromString(object.raw));
  EXPECT_EQ(pod.metadata().name(), "nameValue");
}

TEST(IsSetTest, ZeroTimesOfKubernetesAndGoAreUnset) {
  google::protobuf::Timestamp time;
  EXPECT_FALSE(IsSet(time));
  ASSERT_TRUE(time.ParseFromString(""));
  EXPECT_FALSE(IsSet(time));
  time.set_seconds(-62135596800);  // 0001-01-01T00:00:00Z
  EXPECT_FALSE(IsSet(time));
  time.set_seconds(std::numeric_limits<std::int64_t>::min());
  EXPECT_FALSE(IsSet(time));
}

TEST(IsSetTest, LaterTimesAreSet) {
  google::protobuf::Timestamp time;
  for (const std::int64_t seconds :
       {std::int64_t{1}, std::int64_t{1767268800},
        std::numeric_limits<std::int64_t>::max()}) {
    time.set_seconds(seconds);
    EXPECT_TRUE(IsSet(time)) << seconds;
  }
}

}  // namespace
}  // namespace mulligan
