// The published schemas stay readable by everyone who has old bytes, old JSON
// or old stubs. tests/proto/golden.binpb is what was published;
// scripts/update-golden-descriptors rewrites it.

#include <google/protobuf/descriptor.pb.h>

#include <filesystem>
#include <string_view>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/proto/descriptor_compatibility.h"
#include "tests/testing/files.h"

namespace mulligan::testing {
namespace {

using ::google::protobuf::FileDescriptorProto;
using ::google::protobuf::FileDescriptorSet;
using ::testing::IsEmpty;
using ::testing::SizeIs;

FileDescriptorSet Descriptors(const std::filesystem::path& file) {
  FileDescriptorSet set;
  const auto bytes = ReadFile(file);
  EXPECT_TRUE(bytes.ok() && set.ParseFromString(*bytes)) << file;
  return set;
}

// Those can never be rewritten: clients have them compiled in.
TEST(GoldenDescriptorTest, SchemasAreCompatibleWithEveryRelease) {
  const FileDescriptorSet current = Descriptors(MULLIGAN_DESCRIPTOR_SET);
  int releases = 0;
  for (const auto& release :
       std::filesystem::directory_iterator(SourcePath("tests/compat"))) {
    const auto file = release.path() / "descriptors.binpb";
    if (!std::filesystem::exists(file)) continue;
    ++releases;
    EXPECT_THAT(IncompatibleChanges(Descriptors(file), current), IsEmpty())
        << release.path();
  }
  EXPECT_GT(releases, 0);
}

TEST(GoldenDescriptorTest, SchemasAreCompatibleWithTheGoldenOnes) {
  const FileDescriptorSet golden =
      Descriptors(SourcePath("tests/proto/golden.binpb"));
  const FileDescriptorSet current = Descriptors(MULLIGAN_DESCRIPTOR_SET);
  EXPECT_THAT(IncompatibleChanges(golden, current), IsEmpty())
      << "these changes break callers in the field; if that is wanted, run "
         "scripts/update-golden-descriptors and say so in CHANGELOG.md";
}

// Guards the guard: an empty or partial golden file would pass everything.
TEST(GoldenDescriptorTest, GoldenFileHoldsTheWholeApi) {
  const FileDescriptorSet golden =
      Descriptors(SourcePath("tests/proto/golden.binpb"));
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
