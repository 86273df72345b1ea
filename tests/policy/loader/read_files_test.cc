#include "policy/loader/read_files.h"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/loader/load.h"

namespace mulligan {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

class ReadFilesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    root_ = fs::path(::testing::TempDir()) /
            (std::string("read_files_") + test->name());
    fs::remove_all(root_);
    fs::create_directories(root_);
  }
  void TearDown() override { fs::remove_all(root_); }

  void Write(const fs::path& name, const std::string& content) {
    fs::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name, std::ios::binary) << content;
  }

  // "name=content" of every file read.
  std::vector<std::string> ReadDirectory() {
    std::vector<std::string> read;
    for (const PolicyText& text : ReadPolicyDirectory(root_, issues_)) {
      read.push_back(fs::path(text.file).filename().string() + "=" + text.yaml);
    }
    return read;
  }

  std::vector<std::string> Messages() const {
    std::vector<std::string> messages;
    for (const Issue& issue : issues_) messages.push_back(issue.message);
    return messages;
  }

  fs::path root_;
  Issues issues_;
};

TEST_F(ReadFilesTest, ReadsYamlFilesInNameOrder) {
  Write("b.yaml", "2");
  Write("a.yml", "1");
  Write("c.yaml", "");
  Write("README.md", "no");
  Write("yaml", "no");
  Write(".hidden.yaml", "no");
  Write("sub/d.yaml", "no");
  EXPECT_THAT(ReadDirectory(), ElementsAre("a.yml=1", "b.yaml=2", "c.yaml="));
  EXPECT_THAT(issues_, IsEmpty());
}

TEST_F(ReadFilesTest, SkipsSuitesButNoPolicyThatIsNamedLikeOne) {
  Write("a_test.yaml", "# a suite\nkind: RetryPolicyTest\n");
  Write("load_test.yaml", "kind: RetryPolicy\n");
  // A comment, however long, does not change what a file is.
  Write("b_test.yaml",
        std::string(6000, '#') + "\nkind: \"RetryPolicyTest\"\n");
  Write("c_test.yaml", "");
  Write("d_test.yaml", "# no RetryPolicyTest\n{kind: RetryPolicy}\n");
  EXPECT_THAT(ReadDirectory(),
              ElementsAre(HasSubstr("d_test.yaml="),
                          "load_test.yaml=kind: RetryPolicy\n"));
  EXPECT_THAT(issues_, IsEmpty());
}

TEST_F(ReadFilesTest, ShowsFilesUnderTheGivenFolder) {
  Write("a.yaml", "");
  const auto texts = ReadPolicyDirectory(root_, issues_);
  ASSERT_THAT(texts, SizeIs(1));
  EXPECT_EQ(texts[0].file, (root_ / "a.yaml").string());
}

TEST_F(ReadFilesTest, ReadsAMountedConfigMapOnce) {
  Write("..2026_01/a.yaml", "old");
  Write("..2026_02/a.yaml", "new");
  fs::create_directory_symlink("..2026_02", root_ / "..data");
  fs::create_symlink("..data/a.yaml", root_ / "a.yaml");
  EXPECT_THAT(ReadDirectory(), ElementsAre("a.yaml=new"));
  EXPECT_THAT(issues_, IsEmpty());
}

TEST_F(ReadFilesTest, FollowsLinksOutsideConfigMapsToo) {
  Write("elsewhere/real", "x");
  fs::create_symlink("elsewhere/real", root_ / "a.yaml");
  EXPECT_THAT(ReadDirectory(), ElementsAre("a.yaml=x"));
}

TEST_F(ReadFilesTest, ReportsAnEmptyFolder) {
  EXPECT_THAT(ReadDirectory(), IsEmpty());
  EXPECT_THAT(Messages(), ElementsAre("holds no *.yaml or *.yml file"));
}

TEST_F(ReadFilesTest, ReportsAMissingFolder) {
  EXPECT_THAT(ReadPolicyDirectory(root_ / "gone", issues_), IsEmpty());
  EXPECT_THAT(Messages(), ElementsAre(StartsWith("cannot be read: ")));
  EXPECT_EQ(issues_[0].file, (root_ / "gone").string());
}

TEST_F(ReadFilesTest, ReportsBrokenLinks) {
  Write("a.yaml", "1");
  fs::create_symlink("gone", root_ / "b.yaml");
  EXPECT_THAT(ReadDirectory(), ElementsAre("a.yaml=1"));
  EXPECT_THAT(Messages(), ElementsAre("no such file"));
}

TEST_F(ReadFilesTest, DoesNotWaitForAPipe) {
  ASSERT_EQ(::mkfifo((root_ / "a.yaml").c_str(), 0600), 0);
  EXPECT_THAT(ReadDirectory(), IsEmpty());
  EXPECT_THAT(Messages(), ElementsAre("not a regular file"));
}

TEST_F(ReadFilesTest, RefusesAFolderWithTheNameOfAFile) {
  fs::create_directory(root_ / "a.yaml");
  EXPECT_THAT(ReadDirectory(), IsEmpty());
  EXPECT_THAT(Messages(), ElementsAre("not a regular file"));
}

TEST_F(ReadFilesTest, ReadsAFileAtTheSizeBoundAndRefusesOneByteMore) {
  Write("a.yaml", std::string(kMaxPolicyFileBytes, '#'));
  Write("b.yaml", std::string(kMaxPolicyFileBytes + 1, '#'));
  EXPECT_THAT(ReadDirectory(),
              ElementsAre("a.yaml=" + std::string(kMaxPolicyFileBytes, '#')));
  EXPECT_THAT(Messages(), ElementsAre("larger than 256 KiB"));
}

TEST_F(ReadFilesTest, ReadsOneFileByPath) {
  Write("policy.txt", "x: 1");
  const auto texts = ReadPolicyFile(root_ / "policy.txt", issues_);
  ASSERT_THAT(texts, SizeIs(1));
  EXPECT_EQ(texts[0].yaml, "x: 1");
  EXPECT_THAT(ReadPolicyFile(root_ / "gone", issues_), IsEmpty());
  EXPECT_THAT(Messages(), ElementsAre("no such file"));
  EXPECT_THAT(issues_[0].file, HasSubstr("gone"));
}

}  // namespace
}  // namespace mulligan
