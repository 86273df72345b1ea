// The published schemas stay readable by everyone who has old bytes, old JSON
// or old stubs. tests/proto/golden.binpb is what was published;
// scripts/update-golden-descriptors rewrites it.

#include <google/protobuf/descriptor.pb.h>

#include <string>
#include <string_view>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/proto/descriptor_compatibility.h"
#include "tests/testing/files.h"
#include "tests/testing/status_matchers.h"

namespace mulligan::testing {
namespace {

using ::google::protobuf::FileDescriptorProto;
using ::google::protobuf::FileDescriptorSet;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(GoldenDescriptorTest, SchemasAreCompatibleWithTheGoldenOnes) {
  ASSERT_OK_AND_ASSIGN(const std::string golden_bytes,
                       ReadFile(SourcePath("tests/proto/golden.binpb")));
  ASSERT_OK_AND_ASSIGN(const std::string current_bytes,
                       ReadFile(MULLIGAN_DESCRIPTOR_SET));
  FileDescriptorSet golden;
  FileDescriptorSet current;
  ASSERT_TRUE(golden.ParseFromString(golden_bytes));
  ASSERT_TRUE(current.ParseFromString(current_bytes));

  EXPECT_THAT(IncompatibleChanges(golden, current), IsEmpty())
      << "these changes break callers in the field; if that is wanted, run "
         "scripts/update-golden-descriptors and say so in CHANGELOG.md";
}

// Guards the guard: an empty or partial golden file would pass everything.
TEST(GoldenDescriptorTest, GoldenFileHoldsTheWholeApi) {
  ASSERT_OK_AND_ASSIGN(const std::string bytes,
                       ReadFile(SourcePath("tests/proto/golden.binpb")));
  FileDescriptorSet golden;
  ASSERT_TRUE(golden.ParseFromString(bytes));
  int services = 0;
  int mirrors = 0;
  for (const FileDescriptorProto& file : golden.file()) {
    EXPECT_EQ(std::string_view(file.name()).substr(0, 9), "mulligan/");
    EXPECT_THAT(file.source_code_info().location(), SizeIs(0));
    services += file.service_size();
    if (file.package().find(".kubernetes.") != std::string::npos) ++mirrors;
  }
  EXPECT_GE(services, 2);
  EXPECT_GE(mirrors, 20);
}

}  // namespace
}  // namespace mulligan::testing
