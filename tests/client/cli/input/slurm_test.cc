#include "client/cli/input/slurm.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "client/cli/input/machine.h"
#include "client/cli/input/report_builder.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/proto_matchers.h"
#include "tests/testing/status_matchers.h"

namespace mulligan::cli {
namespace {

using ::mulligan::testing::EqualsProto;
using ::mulligan::testing::PartiallyEqualsProto;
using ::mulligan::testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// sacct 22.05 (openapi/dbv0.0.38), shortened.
std::string Record(const std::string& state, int start, int end,
                   const std::string& exit) {
  return absl::StrCat(
      R"({"account": "ml", "cluster": "loop", "job_id": 4, "name": "pre",
          "nodes": "n[1-2]", "partition": "low", "qos": "normal", "user": "eve",
          "exit_code": )",
      exit, R"(, "state": {"current": ")", state,
      R"(", "reason": "None"}, "time": {"start": )", start, R"(, "end": )", end,
      R"(}, "tres": {"allocated": [
           {"type": "mem", "name": null, "count": 400},
           {"type": "node", "name": null, "count": 2},
           {"type": "gres", "name": "gpu", "count": 8}]}})");
}

constexpr char kZero[] = R"({"status": "SUCCESS", "return_code": 0})";

std::string Jobs(const std::string& records) {
  return absl::StrCat(R"({"meta": {}, "errors": [], "jobs": [)", records, "]}");
}

TEST(SlurmJson, ReadsARequeuedAttempt) {
  const std::string json =
      Jobs(absl::StrCat(Record("PREEMPTED", 100, 200, kZero), ",",
                        Record("PENDING", 0, 0, kZero)));
  ASSERT_TRUE(IsSlurmJson(json));
  ASSERT_OK_AND_ASSIGN(const v1::FailureReport report, ReadSlurmJson(json));
  EXPECT_THAT(report, EqualsProto(R"pb(
                workload {
                  kind: "slurm"
                  name: "pre"
                  uid: "loop/4"
                  labels { key: "account" value: "ml" }
                  labels { key: "cluster" value: "loop" }
                  labels { key: "partition" value: "low" }
                  labels { key: "qos" value: "normal" }
                  labels { key: "user" value: "eve" }
                }
                ended_attempt {
                  scheduler: "slurm"
                  id: "4.100"
                  exit_code: 0
                  state: "PREEMPTED"
                  nodes: "n1"
                  nodes: "n2"
                  started_at { seconds: 100 }
                  ended_at { seconds: 200 }
                  accelerators: 8
                  memory_bytes: 209715200
                  next: SCHEDULER
                }
              )pb"));
}

TEST(SlurmJson, ReadsTheLastAttempt) {
  ASSERT_OK_AND_ASSIGN(const v1::FailureReport report,
                       ReadSlurmJson(Jobs(absl::StrCat(
                           Record("NODE_FAIL", 100, 200, kZero), ",",
                           Record("FAILED", 300, 400,
                                  R"({"status": "SIGNALED", "return_code": null,
                     "signal": {"signal_id": 9, "name": "Killed"}})")))));
  EXPECT_THAT(report, PartiallyEqualsProto(R"pb(
                attempt: 2
                ended_attempt { state: "FAILED" signal: 9 id: "4.300" }
              )pb"));
  EXPECT_EQ(report.ended_attempt().next(), v1::EndedAttempt::NEXT_UNSPECIFIED);
}

TEST(SlurmJson, IgnoresSlurmsOwnSignalForMemory) {
  ASSERT_OK_AND_ASSIGN(
      const v1::FailureReport report,
      ReadSlurmJson(Jobs(Record("OUT_OF_MEMORY", 1, 2,
                                R"({"status": "SIGNALED", "return_code": null,
                                    "signal": {"signal_id": 125}})"))));
  EXPECT_EQ(report.ended_attempt().signal(), 0);
}

// Numbers and states of 23.11 and later; scontrol of 23.02 and later.
TEST(SlurmJson, ReadsLaterReleasesAndScontrol) {
  ASSERT_OK_AND_ASSIGN(const v1::FailureReport sacct,
                       ReadSlurmJson(R"({"jobs": [{"job_id": 5,
        "cluster": "c", "name": "n", "nodes": "a", "failed_node": "a",
        "restart_cnt": 2,
        "state": {"current": ["NODE_FAIL", "REQUEUED"], "reason": "None"},
        "exit_code": {"status": ["ERROR"], "return_code":
            {"set": true, "infinite": false, "number": 1},
          "signal": {"id": {"set": false, "infinite": false, "number": 0}}},
        "time": {"start": 10, "end": 20}}]})"));
  EXPECT_THAT(
      sacct, PartiallyEqualsProto(R"pb(
        attempt: 3
        ended_attempt { state: "NODE_FAIL" exit_code: 1 failed_node: "a" }
      )pb"));
  ASSERT_OK_AND_ASSIGN(const v1::FailureReport scontrol,
                       ReadSlurmJson(R"({"jobs": [{"job_id": 5,
        "cluster": "c", "name": "n", "nodes": "a",
        "job_state": ["TIMEOUT"], "state_reason": "TimeLimit",
        "start_time": {"set": true, "infinite": false, "number": 10},
        "end_time": {"set": true, "infinite": false, "number": 20},
        "tres_alloc_str": "cpu=1,mem=2G,node=1,gres/gpu=4"}]})"));
  EXPECT_THAT(scontrol, PartiallyEqualsProto(R"pb(
                ended_attempt {
                  state: "TIMEOUT"
                  reason: "TimeLimit"
                  started_at { seconds: 10 }
                  accelerators: 4
                  memory_bytes: 2147483648
                }
              )pb"));
}

// One job, and what names the cause.
struct StepRow {
  std::string name;
  const char* state;
  const char* code;
  const char* steps;
  const char* expected;
};

const StepRow kSteps[] = {
    {"OutOfMemory", R"("FAILED")", "1",
     R"({"state": "OUT_OF_MEMORY"}, {"state": "CANCELLED"})",
     "state: 'OUT_OF_MEMORY' exit_code: 1"},
    {"NodeFail", R"(["FAILED"])", "1",
     R"({"state": ["OUT_OF_MEMORY"]}, {"state": ["NODE_FAIL"]})",
     "state: 'NODE_FAIL' exit_code: 1"},
    {"Requeued", R"("REQUEUED")", "1", R"({"state": "OUT_OF_MEMORY"})",
     "state: 'OUT_OF_MEMORY' exit_code: 1"},
    {"Signal", R"("FAILED")", "1",
     R"({"state": "CANCELLED", "exit_code": {"signal": {"signal_id": 11}}})",
     "state: 'FAILED' signal: 11"},
    {"SignalOfLaterReleases", R"(["FAILED"])", R"({"set": true, "number": 1})",
     R"({"state": ["FAILED"], "exit_code": {"signal": {"id":
         {"set": true, "number": 6}}}})",
     "state: 'FAILED' signal: 6"},
    {"TheScriptsOwnCode", R"("FAILED")", "42",
     R"({"state": "FAILED", "exit_code": {"signal": {"signal_id": 11}}})",
     "state: 'FAILED' exit_code: 42"},
    {"EndedByOthers", R"("FAILED")", "1",
     R"({"state": "CANCELLED", "exit_code": {"signal": {"signal_id": 9}}})",
     "state: 'FAILED' exit_code: 1"},
    {"TheJobsOwnState", R"("TIMEOUT")", "0", R"({"state": "OUT_OF_MEMORY"})",
     "state: 'TIMEOUT' exit_code: 0"},
    {"Completed", R"("COMPLETED")", "0", R"({"state": "OUT_OF_MEMORY"})",
     "state: 'COMPLETED' exit_code: 0"},
    {"Flag", R"(["FAILED", "LAUNCH_FAILED"])", "0", "",
     "state: 'LAUNCH_FAILED' exit_code: 0"},
    {"FlagFirst", R"(["REQUEUED", "NODE_FAIL"])", "0", "",
     "state: 'NODE_FAIL' exit_code: 0"},
};

class SlurmSteps : public ::testing::TestWithParam<StepRow> {};

TEST_P(SlurmSteps, TheMostTellingStateIsReported) {
  ASSERT_OK_AND_ASSIGN(
      const v1::FailureReport report,
      ReadSlurmJson(Jobs(absl::StrCat(
          R"({"job_id": 5, "state": {"current": )", GetParam().state,
          R"(}, "exit_code": {"return_code": )", GetParam().code,
          R"(}, "steps": [)", GetParam().steps, "]}"))));
  EXPECT_THAT(report, EqualsProto(absl::StrCat(
                          "workload { kind: 'slurm' name: '5' } ended_attempt "
                          "{ scheduler: 'slurm' id: '5.0' accelerators: 0 ",
                          GetParam().expected, " }")));
}

INSTANTIATE_TEST_SUITE_P(All, SlurmSteps, ::testing::ValuesIn(kSteps),
                         [](const auto& row) { return row.param.name; });

TEST(SlurmJson, AJobThatWaitsAgainHasNotEnded) {
  EXPECT_THAT(ReadSlurmJson(Jobs(R"({"job_id": 5, "state": {"current":
                  ["PENDING", "LAUNCH_FAILED"]}})")),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("its state is PENDING")));
}

TEST(SlurmJson, RejectsAnythingButOneEndedJob) {
  EXPECT_THAT(ReadSlurmJson(Jobs(Record("RUNNING", 1, 0, kZero))),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("no attempt of it has ended")));
  EXPECT_THAT(
      ReadSlurmJson(R"({"jobs": [{"job_id": 1, "state": {"current": "FAILED"}},
                                 {"job_id": 2, "state": {"current": "FAILED"}}]})"),
      StatusIs(absl::StatusCode::kInvalidArgument,
               HasSubstr("expected those of one job")));
  EXPECT_FALSE(IsSlurmJson(R"({"jobs": [{"metadata": {"name": "job_id"}}]})"));
  // Members may have any type.
  ASSERT_OK(ReadSlurmJson(R"({"jobs": [{"job_id": "x", "name": 7, "nodes": [1],
      "state": {"current": "FAILED", "reason": {}}, "exit_code": [],
      "time": "now", "tres": {"allocated": [3]}}]})")
                .status());
}

constexpr char kShown[] = R"(JobId=9 JobName=my job
   UserId=eve(1000) GroupId=eve(1000) MCS_label=N/A
   JobState=FAILED Reason=NonZeroExitCode Dependency=(null)
   Requeue=1 Restarts=1 BatchFlag=1 Reboot=0 ExitCode=3:0
   StartTime=2026-11-29T21:50:23 EndTime=2026-11-29T21:50:24 Deadline=N/A
   Partition=low AllocNode:Sid=localhost:7510
   NodeList=n1
   TRES=cpu=1,mem=100M,node=1,billing=1
   Comment=why: a=b c
   StdOut=/home/eve/a b.out
   AdminComment={"a": "b=c"}
)";

TEST(SlurmText, ReadsTheFieldsOfAJob) {
  ASSERT_TRUE(IsSlurmText(kShown));
  ASSERT_OK_AND_ASSIGN(const SlurmFieldMap fields, SlurmFields(kShown));
  EXPECT_EQ(fields.at("AdminComment"), "{\"a\": \"b=c\"}");
  EXPECT_EQ(fields.at("StdOut"), "/home/eve/a b.out");
  ASSERT_OK_AND_ASSIGN(const v1::FailureReport report, ReadSlurmText(kShown));
  EXPECT_THAT(report, PartiallyEqualsProto(R"pb(
                attempt: 2
                workload { kind: "slurm" name: "my job" }
                ended_attempt {
                  state: "FAILED"
                  reason: "NonZeroExitCode"
                  exit_code: 3
                  nodes: "n1"
                  memory_bytes: 104857600
                }
              )pb"));
  EXPECT_EQ(report.ended_attempt().ended_at().seconds() -
                report.ended_attempt().started_at().seconds(),
            1);
}

// Texts that users may write: none becomes another field.
TEST(SlurmText, TextsOfUsersAreNoFields) {
  constexpr char kJob[] = R"(JobId=9 JobName=%s
   UserId=eve(1000) GroupId=eve(1000) MCS_label=%s
   Priority=1 Nice=0 Account=%s QOS=normal WCKey=%s
   JobState=FAILED Reason=NonZeroExitCode Dependency=(null)
   Requeue=1 Restarts=1 BatchFlag=1 Reboot=0 ExitCode=3:0
   StartTime=2026-11-29T21:50:23 EndTime=2026-11-29T21:50:24 Deadline=N/A
   Partition=low AllocNode:Sid=%s:7510
   ReqNodeList=(null) ExcNodeList=(null)
   NodeList=n1
   MinCPUsNode=1 MinMemoryNode=100M MinTmpDiskNode=0
   Features=%s DelayBoot=00:00:00
   OverSubscribe=OK Contiguous=0 Licenses=(null) Network=%s
   Command=%s
   WorkDir=%s
   Comment=%s
   StdErr=/home/eve/%s
   StdIn=/dev/null
   StdOut=/home/eve/%s
)";
  const auto job = [&kJob](int place, const std::string& text) {
    std::vector<std::string> parts = absl::StrSplit(kJob, "%s");
    std::string all = parts[0];
    for (std::size_t i = 1; i < parts.size(); ++i) {
      absl::StrAppend(&all, static_cast<int>(i) == place ? text : "x",
                      parts[i]);
    }
    return all;
  };
  constexpr int kPlaces = 12;
  ASSERT_OK_AND_ASSIGN(SlurmFieldMap plain, SlurmFields(job(0, "")));
  // Those that hold the texts, and QOS, which is not read after one.
  const auto without_texts = [](SlurmFieldMap fields) {
    for (const char* name : {"JobName", "MCS_label", "Account", "QOS", "WCKey",
                             "AllocNode:Sid", "StdErr", "StdOut"}) {
      fields.erase(name);
    }
    return fields;
  };
  const std::string fields[] = {"UserId=root(0)",  "ExitCode=0:0",
                                "StdOut=/secret",  "AdminComment={}",
                                "MinMemoryCPU=9T", "JobId=9 ArrayJobId=1",
                                "ArrayJobId=1",    "JobState=COMPLETED"};
  for (const std::string& field : fields) {
    for (int place = 1; place <= kPlaces; ++place) {
      SCOPED_TRACE(absl::StrCat(place, " ", field));
      for (const char* start : {"x ", " ", "x\n   ", "x\n\n", "x\r", "x\t"}) {
        const auto read = SlurmFields(job(place, start + field));
        if (!read.ok()) continue;
        SlurmFieldMap got = without_texts(*read);
        // There is no ledger yet; the user's own would have no advantage.
        if (field == "AdminComment={}") got.erase("AdminComment");
        EXPECT_EQ(got, without_texts(plain));
      }
    }
  }
  // Text on one line is no error.
  EXPECT_EQ(SlurmFields(job(1, "x UserId=root(0)"))->at("JobName"),
            "x UserId=root(0)");
}

TEST(SlurmText, AddressesOneJob) {
  constexpr char kArray[] =
      "JobId=3 ArrayJobId=3 ArrayTaskId=3 JobName=JobId=7\n   UserId=a(1)\n\n"
      "JobId=5 ArrayJobId=3 ArrayTaskId=1 JobName=x\n   UserId=a(1)\n\n";
  EXPECT_EQ(*SlurmAddress(kArray, "3"), "3_3");
  EXPECT_EQ(*SlurmAddress(kArray, "5"), "3_1");
  EXPECT_FALSE(SlurmAddress(kArray, "7").ok());
  EXPECT_FALSE(SlurmFields(kArray).ok());
  EXPECT_EQ(*SlurmAddress("JobId=4 HetJobId=4 HetJobOffset=0 JobName=x", "4"),
            "4+0");
  EXPECT_EQ(*SlurmAddress("JobId=8 JobName=x ArrayJobId=1 ArrayTaskId=2", "8"),
            "8");
  EXPECT_FALSE(
      SlurmAddress("JobId=8 JobName=x\nJobId=8 ArrayTaskId=2 JobName=", "8")
          .ok());
}

// Slurm's exit code if the job's output cannot be opened.
TEST(SlurmText, AnOutputThatIsNotOpenedIsNoSignal) {
  std::string text = kShown;
  text.replace(text.find("3:0"), 3, "0:53");
  ASSERT_OK_AND_ASSIGN(const v1::FailureReport report, ReadSlurmText(text));
  EXPECT_EQ(report.ended_attempt().signal(), 0);
  EXPECT_THAT(report.ended_attempt().reason(),
              HasSubstr("open the job's output"));
}

TEST(SlurmText, AddsALogToTheAttempt) {
  ReportBuilder builder;
  ASSERT_OK(builder.Add("job", kShown));
  ASSERT_OK(builder.Add("log",
                        "Traceback (most recent call last):\nKeyError: "
                        "'lr'\n"));
  ASSERT_OK_AND_ASSIGN(const v1::DecideRequest request, builder.Build());
  EXPECT_FALSE(request.report().has_exit());
  EXPECT_THAT(request.report().ended_attempt().log_tail(),
              HasSubstr("KeyError"));
}

TEST(SlurmText, ExpandsHosts) {
  EXPECT_THAT(
      ExpandHosts("n[1-3,7],gpu[08-10],login"),
      ElementsAre("n1", "n2", "n3", "n7", "gpu08", "gpu09", "gpu10", "login"));
  EXPECT_THAT(ExpandHosts(""), IsEmpty());
  EXPECT_THAT(ExpandHosts("n[1-"), ElementsAre("n[1-"));
  EXPECT_EQ(ExpandHosts("n[1-99999999]").size(), 5000U);
  EXPECT_EQ(SlurmMebibytes("2.5G"), 2560);
  EXPECT_EQ(SlurmMebibytes("100"), 100);
  EXPECT_EQ(SlurmMebibytes("x"), 0);
}

TEST(Machine, CountsVisibleDevices) {
  EXPECT_EQ(CountDevices("0,1,2,3"), 4);
  EXPECT_EQ(CountDevices("GPU-8932f937,MIG-1"), 2);
  EXPECT_EQ(CountDevices("0,-1,1"), 1);
  EXPECT_EQ(CountDevices(""), 0);
  EXPECT_EQ(ReadMachine().name.empty(), false);
}

}  // namespace
}  // namespace mulligan::cli
