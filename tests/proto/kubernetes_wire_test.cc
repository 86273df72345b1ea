// Bytes that the published objects of wire_fixture_test.cc do not have.

#include <cstdint>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "mulligan/kubernetes/batch/v1/job.pb.h"
#include "mulligan/kubernetes/core/v1/pod.pb.h"
#include "tests/testing/proto_matchers.h"

namespace mulligan::testing {
namespace {

// Writes fields by number, without a schema.
class Wire {
 public:
  Wire& Int(std::uint32_t number, std::int64_t value) {
    Varint(number << 3);
    // As in Go, a negative int32 takes ten bytes too.
    Varint(static_cast<std::uint64_t>(value));
    return *this;
  }
  Wire& Text(std::uint32_t number, const std::string& value) {
    Varint(number << 3 | 2);
    Varint(value.size());
    bytes_ += value;
    return *this;
  }
  Wire& Sub(std::uint32_t number, const Wire& value) {
    return Text(number, value.bytes_);
  }
  const std::string& Bytes() const { return bytes_; }

 private:
  void Varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) {
      bytes_ += static_cast<char>(value | 0x80);
    }
    bytes_ += static_cast<char>(value);
  }

  std::string bytes_;
};

TEST(KubernetesWireTest, DecodesUnpackedAndPackedExitCodes) {
  const Wire unpacked = Wire().Text(2, "In").Int(3, 42).Int(3, 143);
  const Wire packed = Wire().Text(2, "In").Text(3, "\x2a\x8f\x01");
  for (const Wire& requirement : {unpacked, packed}) {
    const Wire rule = Wire().Text(1, "FailJob").Sub(2, requirement);
    const Wire spec = Wire().Int(7, 0).Sub(11, Wire().Sub(1, rule));
    kubernetes::batch::v1::Job job;
    ASSERT_TRUE(job.ParseFromString(Wire().Sub(2, spec).Bytes()));
    EXPECT_THAT(job, EqualsProto(R"pb(
                  spec {
                    backoff_limit: 0
                    pod_failure_policy {
                      rules {
                        action: "FailJob"
                        on_exit_codes { operator: "In" values: 42 values: 143 }
                      }
                    }
                  }
                )pb"));
  }
}

// nil and 0 are different limits in Kubernetes.
TEST(KubernetesWireTest, KeepsAbsentPointers) {
  kubernetes::batch::v1::Job job;
  ASSERT_TRUE(job.ParseFromString(Wire().Text(2, "").Bytes()));
  EXPECT_TRUE(job.has_spec());
  EXPECT_FALSE(job.spec().has_backoff_limit());
}

// Fields of later Kubernetes releases are kept.
TEST(KubernetesWireTest, UnknownFieldsRoundTrip) {
  const std::string bytes =
      Wire().Sub(3, Wire().Text(1, "Failed").Text(999, "new")).Bytes();
  kubernetes::core::v1::Pod pod;
  ASSERT_TRUE(pod.ParseFromString(bytes));
  EXPECT_EQ(pod.SerializeAsString(), bytes);
}

}  // namespace
}  // namespace mulligan::testing
