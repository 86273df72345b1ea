// `mulligan slurm` with programs that print what Slurm would.
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/command/run_command.h"
#include "tests/client/command/samples.h"
#include "tests/testing/temp_dir.h"

namespace mulligan::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kMissing[] = "ModuleNotFoundError: No module named 'a'\n";

// What `scontrol show job` prints; `first` is its first line.
std::string Job(const std::string& first, const std::string& out,
                const std::string& err) {
  return absl::StrCat(first, "\n   UserId=x(", getuid(), R"() GroupId=x(1)
   JobState=FAILED Reason=NonZeroExitCode Dependency=(null)
   Requeue=1 Restarts=0 BatchFlag=1 Reboot=0 ExitCode=1:0
   StartTime=2026-12-01T00:10:00 EndTime=2026-12-01T00:20:00 Deadline=N/A
   NodeList=n1
   StdErr=)",
                      err, "\n   StdIn=/dev/null\n   StdOut=", out, "\n\n");
}

CommandResult Epilog(const std::string& number) {
  for (const char* name : {"scontrol", "sacct"}) {
    const std::string path = WriteTestFile(
        name,
        "#!/bin/sh\n[ \"$1\" = show ] && exec cat \"${0%/*}/job$3\"\n"
        "exit 1\n");
    chmod(path.c_str(), 0755);
  }
  return RunMulligan({"slurm", "--job", number, "--dry-run", "--slurm-bin",
                      TestFolder().string()});
}

// Both files are evidence, the errors last, each in its share of the limit.
TEST(SlurmCommandTest, ReadsOutputAndErrors) {
  const std::string bytes(200'000, '\xfc');
  const std::string missing = WriteTestFile("missing", bytes + "\n" + kMissing);
  const std::string other = WriteTestFile("other", bytes);
  const std::string small = WriteTestFile("small", "hello\n");
  for (const auto& [out, err] :
       {std::pair(missing, missing), std::pair(small, missing),
        std::pair(other, missing), std::pair(missing, small),
        std::pair(missing, std::string("/dev/null"))}) {
    WriteTestFile("job7", Job("JobId=7 JobName=x", out, err));
    EXPECT_THAT(Epilog("7").out, HasSubstr("module is missing"))
        << out << " " << err;
  }
}

// Only what the user may read and owns.
TEST(SlurmCommandTest, ReadsNoFileOfOthers) {
  const std::string link = (TestFolder() / "link").string();
  unlink(link.c_str());
  ASSERT_EQ(symlink(WriteTestFile("missing", kMissing).c_str(), link.c_str()),
            0);
  WriteTestFile("job7", Job("JobId=7 JobName=x", link, "/etc"));
  EXPECT_THAT(Epilog("7").out,
              AllOf(HasSubstr("job 7: "), Not(HasSubstr("module"))));
  if (getuid() != 0) GTEST_SKIP() << "not root";
  chmod(TestFolder().c_str(), 0755);
  chmod(TestFolder().parent_path().c_str(), 0755);
  for (std::filesystem::path folder = TestFolder(); folder.has_relative_path();
       folder = folder.parent_path()) {
    struct stat info {};
    if (stat(folder.c_str(), &info) != 0 || (info.st_mode & S_IXOTH) == 0) {
      GTEST_SKIP() << folder << " is closed to users";
    }
  }
  const std::string secret = WriteTestFile("secret", kMissing);
  for (const auto& [owner, mode] :
       {std::pair(0, 0600), std::pair(0, 0644), std::pair(65534, 0000),
        std::pair(65534, 0600)}) {
    ASSERT_EQ(chown(secret.c_str(), static_cast<uid_t>(owner), 0), 0);
    ASSERT_EQ(chmod(secret.c_str(), static_cast<mode_t>(mode)), 0);
    std::string job = Job("JobId=7 JobName=x UserId=root(0)", secret, secret);
    const std::size_t user = job.find("x(0)");
    WriteTestFile("job7", job.replace(user, 4, "x(65534)"));
    EXPECT_EQ(Epilog("7").out.find("module") != std::string::npos,
              mode == 0600 && owner != 0)
        << owner << " " << mode;
  }
}

TEST(SlurmCommandTest, ChangesOnlyTheTaskOfAnArray) {
  const std::string task =
      Job("JobId=3 ArrayJobId=3 ArrayTaskId=9 JobName=x", "", "");
  WriteTestFile(
      "job3",
      Job("JobId=5 ArrayJobId=3 ArrayTaskId=1 JobName=x", "", "") + task);
  WriteTestFile("job3_9", task);
  EXPECT_THAT(Epilog("3").out,
              AllOf(HasSubstr("would run scontrol requeuehold 3_9\n"),
                    HasSubstr("would run scontrol update JobId=3_9 "),
                    HasSubstr("would run scontrol release 3_9\n")));
}

TEST(SlurmCommandTest, RestartsAllOfAHeterogeneousJobOnce) {
  const std::string first =
      Job("JobId=4 HetJobId=4 HetJobOffset=0 JobName=x", "", "");
  const std::string second =
      Job("JobId=5 HetJobId=4 HetJobOffset=1 JobName=x", "", "");
  WriteTestFile("job4", first + second);
  WriteTestFile("job4+0", first);
  WriteTestFile("job5", second);
  WriteTestFile("job4+1", second);
  EXPECT_THAT(Epilog("4").out,
              AllOf(HasSubstr("would run scontrol requeuehold 4\n"),
                    HasSubstr("would run scontrol update JobId=4+0 "),
                    HasSubstr("would run scontrol release 4\n")));
  const CommandResult component = Epilog("5");
  EXPECT_EQ(component.out, "");
  EXPECT_EQ(component.code, 0);
}

TEST(SlurmCommandTest, AnImitatedFieldIsAnError) {
  WriteTestFile("job7", Job("JobId=7 JobName=x\n   UserId=root(0)", "", ""));
  const CommandResult result = Epilog("7");
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("field UserId occurs twice"));
}

TEST(SlurmCommandTest, AnOutputThatCannotBeOpenedIsNotRetried) {
  std::string job = Job("JobId=7 JobName=x", "/no/such/file", "/no/such/file");
  WriteTestFile("job7", job.replace(job.find("1:0"), 3, "0:53"));
  EXPECT_THAT(Epilog("7").out, AllOf(HasSubstr("could not be opened"),
                                     HasSubstr("fail the workload")));
}

}  // namespace
}  // namespace mulligan::testing
