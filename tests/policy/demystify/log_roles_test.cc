// Roles of the lines of a log: errors, advice, chatter and echoes.
#include <string>

#include "gtest/gtest.h"
#include "policy/demystify/logs/log_lines.h"
#include "policy/demystify/logs/severity.h"
#include "tests/policy/demystify/diagnose.h"

namespace mulligan::demystify {
namespace {

struct RoleCase {
  const char* name;
  const char* log;
  v1::Cause cause;
  // The line that decided, as the diagnosis shows it.
  const char* line;
};

constexpr RoleCase kLogRolesCases[] = {
    {"AdviceNamesNoCause",
     "Worker exits with an exit code 1. The worker may have exceeded K8s pod "
     "memory limits. The process receives a SIGTERM",
     v1::SIGTERM_UNEXPLAINED,
     "Worker exits with an exit code 1. The worker may have exceeded K8s pod "
     "memory limits. The process receives a SIGTERM"},
    {"HowToEnableAssertionsIsAdvice",
     "RuntimeError: CUDA error: uncorrectable ECC error encountered\n"
     "For debugging consider passing CUDA_LAUNCH_BLOCKING=1.\n"
     "Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.",
     v1::GPU_FAULT,
     "RuntimeError: CUDA error: uncorrectable ECC error encountered"},
    {"AListOfCausesIsAdvice",
     "ORTE was unable to reliably start one or more daemons.\n"
     "This usually is caused by:\n"
     "\n"
     "* not finding the required libraries: no such file or directory\n"
     "* lack of authority: permission denied\n",
     v1::RENDEZVOUS_FAILED,
     "ORTE was unable to reliably start one or more daemons."},
    {"ARequestMayBeWrappedAroundTheError",
     "error checking push permissions -- make sure you entered the correct "
     "tag, "
     "and try again: checking push permission: UNAUTHORIZED: authentication "
     "required",
     v1::CONFIG_USER_ERROR,
     "error checking push permissions -- make sure you entered the correct "
     "tag, "
     "and try again: checking push permission: UNAUTHORIZED: authentication "
     "required"},
    {"AdviceToCheckIsARequest",
     "Please check the following: the disk has no space left on device\n"
     "IndexError: list index out of range",
     v1::APP_ERROR, "IndexError: list index out of range"},
    {"MemoryWarnedOfBeforeAPeerIsLost",
     "distributed.nanny - WARNING - Worker exceeded 95% memory budget.\n"
     "distributed.scheduler.KilledWorker: ('sum-1', <Worker 'tcp://10.0.0.1'>)",
     v1::CONTAINER_OOM,
     "distributed.nanny - WARNING - Worker exceeded 95% memory budget."},
    {"AWarningDoesNotBeatTheError",
     "2026-01-02 03:04:05 W tensorflow/dso_loader.cc:64] cannot open shared "
     "object file\n"
     "WARNING: could not load library: cannot open shared object file\n"
     "ValueError: NaN loss in step 12: the loss is nan",
     v1::DATA_OR_NUMERIC, "ValueError: NaN loss in step 12: the loss is nan"},
    {"AWarningIsBetterThanNothing",
     "WARNING:root:No space left on device, giving up", v1::STORAGE_EXHAUSTED,
     "WARNING:root:No space left on device, giving up"},
    {"AnUnhandledRejectionIsNotAWarning",
     "(node:6) UnhandledPromiseRejectionWarning: Error: EACCES: permission "
     "denied, open '/out/a.pdf'",
     v1::CONFIG_USER_ERROR,
     "(node:6) UnhandledPromiseRejectionWarning: Error: EACCES: permission "
     "denied, open '/out/a.pdf'"},
    {"NcclWarnIsAReport",
     "[3] include/shm.h:28 NCCL WARN Call to posix_fallocate failed : No space "
     "left on device",
     v1::STORAGE_EXHAUSTED,
     "[3] include/shm.h:28 NCCL WARN Call to posix_fallocate failed : No space "
     "left on device"},
    {"OwnErrorBeforeTheEcho",
     "Traceback (most recent call last):\n"
     "IndexError: index 5 is out of bounds for axis 0 with size 5\n"
     "[rank0]: NCCL communicator was aborted on rank 0\n",
     v1::APP_ERROR,
     "IndexError: index 5 is out of bounds for axis 0 with size 5"},
    {"AnExceptionThatIsTheEcho",
     "Traceback (most recent call last):\n"
     "RuntimeError: [gloo/transport/tcp/pair.cc:598] Connection closed by peer "
     "[10.0.0.1]:12\n",
     v1::COLLECTIVE_CASCADE,
     "RuntimeError: [gloo/transport/tcp/pair.cc:598] Connection closed by peer "
     "[10.0.0.1]:12"},
    {"AnExceptionAfterTheEcho",
     "Watchdog caught collective operation timeout: WorkNCCL(SeqNum=1)\n"
     "RuntimeError: something of the teardown\n",
     v1::HANG,
     "Watchdog caught collective operation timeout: WorkNCCL(SeqNum=1)"},
    {"TorchrunReportsAKill",
     "WARNING:torch.distributed.elastic.multiprocessing.api:Sending process 12 "
     "closing signal SIGTERM\n"
     "ERROR:torch.distributed.elastic.multiprocessing.api:failed (exitcode: "
     "-9) local_rank: 1 (pid: 11) of binary: python\n"
     "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ",
     v1::SIGKILL_UNEXPLAINED,
     "ERROR:torch.distributed.elastic.multiprocessing.api:failed (exitcode: "
     "-9) local_rank: 1 (pid: 11) of binary: python"},
    {"TorchrunQuotesTheExceptionOfItsChild",
     "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: \n"
     "Root Cause (first observed failure):\n"
     "  exitcode  : 1 (pid: 88)\n"
     "  traceback : Traceback (most recent call last):\n"
     "    File \"data.py\", line 51, in __getitem__\n"
     "  IndexError: list index out of range\n",
     v1::APP_ERROR, "IndexError: list index out of range"},
    {"TorchrunQuotesTheEcho",
     "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: \n"
     "Root Cause (first observed failure):\n"
     "  traceback : Traceback (most recent call last):\n"
     "  RuntimeError: [gloo/transport/tcp/pair.cc:598] Connection closed by "
     "peer [10.0.0.1]:12\n",
     v1::COLLECTIVE_CASCADE,
     "RuntimeError: [gloo/transport/tcp/pair.cc:598] Connection closed by peer "
     "[10.0.0.1]:12"},
    {"TorchrunQuotesTheTextAfterTheEcho",
     "Watchdog caught collective operation timeout: WorkNCCL(SeqNum=1)\n"
     "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: \n"
     "Root Cause (first observed failure):\n"
     "  traceback : Traceback (most recent call last):\n"
     "  RuntimeError: something of the teardown\n",
     v1::HANG,
     "Watchdog caught collective operation timeout: WorkNCCL(SeqNum=1)"},
    {"AServiceItCouldDoWithoutIsNotTheEnd",
     "metrics: Connection refused by 10.1.2.3:9091, metrics are off\n"
     "epoch 1 accuracy 0.71\n"
     "Traceback (most recent call last):\n"
     "  File \"fit.py\", line 3, in <module>\n"
     "ZeroDivisionError: division by zero\n",
     v1::APP_ERROR, "ZeroDivisionError: division by zero"},
    {"ARetryThatHelpedIsNotTheEnd",
     "WARNING:http.client:Retrying after Connection reset by peer\n"
     "fetched 12 shards\n"
     "Traceback (most recent call last):\n"
     "RuntimeError: shape mismatch in layer 4\n",
     v1::APP_ERROR, "RuntimeError: shape mismatch in layer 4"},
    {"GivingUpOnTheServiceIsTheEnd",
     "store: Connection refused, attempt 1\n"
     "store: Connection refused, attempt 2\n"
     "Traceback (most recent call last):\n"
     "RuntimeError: no store after 2 attempts\n",
     v1::DEPENDENCY_UNAVAILABLE, "store: Connection refused, attempt 1"},
    {"AnExceptionAboutTheServiceIsTheEnd",
     "cache: connection timed out, going on without\n"
     "epoch 1 accuracy 0.71\n"
     "Traceback (most recent call last):\n"
     "OSError: could not connect to db:5432\n"
     "During handling of the above exception, another exception occurred:\n"
     "Traceback (most recent call last):\n"
     "RuntimeError: step 7 failed\n",
     v1::DEPENDENCY_UNAVAILABLE, "OSError: could not connect to db:5432"},
    {"FatalErrorOfAToolIsNotGos",
     "fatal error: An error occurred (403) when calling the GetObject "
     "operation: Forbidden\n",
     v1::CONFIG_USER_ERROR,
     "fatal error: An error occurred (403) when calling the GetObject "
     "operation: Forbidden"},
    {"FatalErrorOfGo",
     "fatal error: all goroutines are asleep - deadlock!\n\ngoroutine 1 "
     "[chan receive]:\n",
     v1::HANG, "fatal error: all goroutines are asleep - deadlock!"},
    {"ALicenceThatIsNotFree",
     "Error: unable to check out license for solver: all seats taken\n",
     v1::DEPENDENCY_UNAVAILABLE,
     "Error: unable to check out license for solver: all seats taken"},
    {"JavaPrintsTheWrapperFirst",
     "Exception in thread \"main\" com.acme.StageException: stage 3 failed\n"
     "\tat com.acme.Run.main(Run.java:3)\n"
     "Caused by: java.net.ConnectException: Connection refused\n"
     "\t... 5 more\n",
     v1::DEPENDENCY_UNAVAILABLE,
     "Caused by: java.net.ConnectException: Connection refused"},
    {"DotNetPrintsTheWrapperFirst",
     "Unhandled exception. System.AggregateException: One or more errors.\n"
     " ---> System.TimeoutException: The operation has timed out.\n",
     v1::DEPENDENCY_UNAVAILABLE,
     "---> System.TimeoutException: The operation has timed out."},
    {"AnErrorAboveAnotherChainIsItsOwn",
     "java.lang.IllegalStateException: bad frame 7\n"
     "\tat com.acme.Run.main(Run.java:3)\n"
     "closing\n"
     "Caused by: java.net.SocketException: Connection reset\n",
     v1::APP_ERROR, "java.lang.IllegalStateException: bad frame 7"},
    {"SkippedErrorsAreNotTheEnd",
     "shard 17: checksum mismatch, skipping\n"
     "profile acme not found, using defaults\n"
     "RuntimeError: worker 3 went away\n",
     v1::APP_ERROR, "RuntimeError: worker 3 went away"},
    {"ABareErrorIsNotAnException", "Error: bad frame 7\n", v1::APP_ERROR,
     "Error: bad frame 7"},
};

class LogRoles : public ::testing::TestWithParam<RoleCase> {};

TEST_P(LogRoles, DecideWhichLineNamesTheCause) {
  const RoleCase& test = GetParam();
  const v1::Diagnosis diagnosis = Diagnose(FailedPod(1, "Error", test.log));
  EXPECT_EQ(diagnosis.cause(), test.cause)
      << v1::Cause_Name(diagnosis.cause()) << " by " << diagnosis.signature();
  ASSERT_FALSE(diagnosis.evidence().empty());
  EXPECT_EQ(diagnosis.evidence(0).value(), test.line);
}

constexpr char kWarnsAndGoesOn[] =
    "W tensorflow/dso_loader.cc:64] libnvinfer.so.7: cannot open shared object "
    "file\n"
    "Epoch 1 loss 0.93\n";

TEST(LogRoleTest, WarningsOfMistakesDoNotEndAProgram) {
  EXPECT_EQ(Diagnose(FailedPod(1, "Error", kWarnsAndGoesOn)).cause(),
            v1::APP_ERROR);
  EXPECT_EQ(Diagnose(FailedPod(137, "Error", kWarnsAndGoesOn)).cause(),
            v1::SIGKILL_UNEXPLAINED);
}

TEST(LogRoleTest, AKilledProgramHadContinuedAfterAMistake) {
  const std::string mistake = "key 'foo' not found in the index\n";
  const std::string log = mistake + "step 2\nstep 3\n";
  EXPECT_EQ(Diagnose(FailedPod(137, "Error", log)).cause(),
            v1::SIGKILL_UNEXPLAINED);
  EXPECT_EQ(Diagnose(FailedPod(137, "Error", mistake)).cause(),
            v1::CONFIG_USER_ERROR);
  EXPECT_EQ(Diagnose(FailedPod(1, "Error", log)).cause(),
            v1::CONFIG_USER_ERROR);
  v1::FailureReport bare;
  bare.mutable_exit()->set_exit_code(143);
  bare.mutable_exit()->set_message(log);
  EXPECT_EQ(Diagnose(bare).cause(), v1::SIGTERM_UNEXPLAINED);
}

INSTANTIATE_TEST_SUITE_P(All, LogRoles, ::testing::ValuesIn(kLogRolesCases),
                         [](const auto& row) { return row.param.name; });

// Of a log longer than is scanned, the line shown is the log's own.
TEST(LogRolesTest, PositionsMapBackAcrossOmittedText) {
  const std::string log =
      std::string(20000, 'x') +
      "\nplease check the manual\nRuntimeError: CUDA out of "
      "memory. Tried to allocate 2.00 GiB\n";
  const v1::Diagnosis diagnosis = Diagnose(FailedPod(1, "Error", log));
  EXPECT_EQ(diagnosis.cause(), v1::GPU_OOM);
  EXPECT_EQ(diagnosis.evidence(0).value(),
            "RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB");
}

TEST(LogLinesTest, AdviceEndsWithItsSentence) {
  std::string text = "It failed. Please check the disk. No space left\nnext";
  EXPECT_TRUE(BlankAdvice(text));
  EXPECT_EQ(text, "It failed.                        No space left\nnext");
  std::string plain = "No space left";
  EXPECT_FALSE(BlankAdvice(plain));
  EXPECT_EQ(plain, "No space left");
}

TEST(LogLinesTest, AdviceInAdviceIsBlankedOnce) {
  std::string text;
  while (text.size() < 8000) text.append("  make sure:\n");
  EXPECT_TRUE(BlankAdvice(text));
  EXPECT_EQ(text.find_first_not_of(" \n"), std::string::npos);
}

TEST(LogLinesTest, ATracebackBeginsWithItsCauses) {
  const std::string first = "ok\nTraceback (most recent call last):\nE: 1\n";
  const std::string other = "Traceback (most recent call last):\nE: 2\n";
  const std::string chain =
      "\nDuring handling of the above exception, another exception occurred:\n";
  EXPECT_EQ(BeginOfLastTraceback(first), 3U);
  EXPECT_EQ(BeginOfLastTraceback(first + other), first.size());
  EXPECT_EQ(BeginOfLastTraceback(first + chain + other), 3U);
  EXPECT_EQ(BeginOfLastTraceback("no such thing"), std::string::npos);
}

TEST(LogLinesTest, AChainHasCausesAndPlaces) {
  EXPECT_EQ(KindInChain("Caused by: x.Y: z"), ChainLine::kCause);
  EXPECT_EQ(KindInChain(" ---> x.Y: z"), ChainLine::kCause);
  EXPECT_EQ(KindInChain("\tat x.y(Z.java:1)"), ChainLine::kPlace);
  EXPECT_EQ(KindInChain("\t... 5 more"), ChainLine::kPlace);
  EXPECT_EQ(KindInChain("  "), ChainLine::kPlace);
  EXPECT_EQ(KindInChain("closing"), ChainLine::kOther);
}

TEST(SeverityTest, IsLowWhereALineOnlyMentions) {
  for (const char* line : {
           "I0101 10:00:00 x.cc:1] one",
           "INFO:root:three",
           "no index, falling back to a scan",
           "Ignored error",
           "[info] connection refused",
           "[rank3]:[W123 10:00:00 socket.cpp:7] connection refused",
           "7#7: [warn] connection refused",
           "info: connection refused",
           "cache.c:12: warning: connection refused",
           R"({"level":"info","ts":1.5,"msg":"connection refused"})",
           R"({"severity": "WARNING", "message": "connection refused"})",
           R"({"level":30,"msg":"connection refused"})",
           R"(time="2026-08-22T11:58:00Z" level=info msg="no such host")",
           R"(ts=2026-08-22T11:58:00Z level=debug err="no such host")",
       }) {
    EXPECT_TRUE(IsChatter(line)) << line;
  }
  for (const char* line : {
           "end",
           "ERROR two",
           "[error] no such information",
           "no such info: connection refused",
           "[3] shm.h:28 NCCL WARN Call to posix_fallocate failed",
           R"({"level":"error","msg":"unless level=info is set"})",
           R"({"level":50,"msg":"connection refused"})",
           R"({"msg":"connection refused"})",
           R"(level=error msg="no such host")",
       }) {
    EXPECT_FALSE(IsChatter(line)) << line;
  }
}

}  // namespace
}  // namespace mulligan::demystify
