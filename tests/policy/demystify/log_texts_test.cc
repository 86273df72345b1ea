// What programs print before they end, as termination messages: rows of the
// table that decide no sample of tests/testdata/field_samples.jsonl, and texts
// in which two rows compete.
#include "gtest/gtest.h"
#include "tests/policy/demystify/diagnose.h"

namespace mulligan::demystify {
namespace {

struct LogCase {
  const char* name;
  int exit_code;
  const char* log;
  v1::Cause cause;
};

constexpr LogCase kLogTextsCases[] = {
    {"XidOfAProgramIsNotAGpuFault", 1,
     "NVRM: Xid (PCI:0000:3b:00): 13, pid=2, Graphics SM Warp Exception on "
     "(GPC 0, TPC 1): Out Of Range Address\nTraceback (most recent call "
     "last):\nRuntimeError: CUDA error: an illegal memory access was "
     "encountered",
     v1::CRASH_SIGNAL},
    {"FATALERRORReachedHeapLimitAllocationFailed", 134,
     "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out "
     "of memory\n----- Native stack trace -----",
     v1::CONTAINER_OOM},
    {"RuntimeErrorDataLoaderWorkerPid1623IsKilled", 1,
     "RuntimeError: DataLoader worker (pid 1623) is killed by signal: Killed.",
     v1::CONTAINER_OOM},
    {"RuntimeErrorDataLoaderWorkerPid331IsKilled", 1,
     "RuntimeError: DataLoader worker (pid 331) is killed by signal: Bus "
     "error. It is possible that dataloader's workers are out of shared "
     "memory. Please try to raise your shared memory limit.",
     v1::STORAGE_EXHAUSTED},
    {"UsageTrainPyHDataDATATrain", 2,
     "usage: train.py [-h] --data DATA\ntrain.py: error: the following "
     "arguments are required: --data",
     v1::CONFIG_USER_ERROR},
    {"ErrorCouldNotFindOrLoadMain", 1,
     "Error: Could not find or load main class "
     "org.apache.spark.deploy.SparkSubmit",
     v1::CONFIG_USER_ERROR},
    {"ErrorCannotFindModuleAppIndexJs", 1,
     "Error: Cannot find module '/app/index.js'\nRequire stack:\n  code: "
     "'MODULE_NOT_FOUND'",
     v1::CONFIG_USER_ERROR},
    {"FloatingPointErrorMinimumLossScaleReached00001", 1,
     "FloatingPointError: Minimum loss scale reached (0.0001). Your loss is "
     "probably exploding.",
     v1::DATA_OR_NUMERIC},
    {"RuntimeErrorTheServerSocketHasFailedTo", 1,
     "RuntimeError: The server socket has failed to listen on any local "
     "network address. The server socket has failed to bind to [::]:29500 "
     "(errno: 98 - Address already in use).",
     v1::CONFIG_USER_ERROR},
    {"WSocketCpp601C10D", 1,
     "[W socket.cpp:601] [c10d] The client socket has failed to connect to "
     "[train-0]:29500 (errno: 111 - Connection refused).",
     v1::RENDEZVOUS_FAILED},
    {"EProcessGroupNCCLCpp475Rank0Watchdog", 134,
     "[E ProcessGroupNCCL.cpp:475] [Rank 0] Watchdog caught collective "
     "operation timeout: WorkNCCL(SeqNum=4, OpType=BROADCAST) ran for 1800117 "
     "milliseconds before timing out.",
     v1::HANG},
    {"HorovodCommonExceptionsHorovodInternalErrorTmpPipGloo", 1,
     "horovod.common.exceptions.HorovodInternalError: "
     "[/tmp/pip/gloo/transport/tcp/pair.cc:589] Read error [10.1.2.3]:4432: "
     "Connection reset by peer",
     v1::COLLECTIVE_CASCADE},
    {"ComMysqlCjJdbcExceptionsCommunicationsExceptionCommunication", 1,
     "com.mysql.cj.jdbc.exceptions.CommunicationsException: Communications "
     "link failure",
     v1::DEPENDENCY_UNAVAILABLE},
    {"DialTcpLookupRedisMasterOn10", 1,
     "dial tcp: lookup redis-master on 10.96.0.10:53: no such host",
     v1::DEPENDENCY_UNAVAILABLE},
    {"KafkaErrorsNoBrokersAvailableNoBrokersAvailable", 1,
     "kafka.errors.NoBrokersAvailable: NoBrokersAvailable",
     v1::DEPENDENCY_UNAVAILABLE},
    {"OpenaiRateLimitErrorErrorCode429ErrorMessage", 1,
     "openai.RateLimitError: Error code: 429 - {'error': {'message': 'Rate "
     "limit reached'}}",
     v1::DEPENDENCY_UNAVAILABLE},
    {"AirflowExceptionsAirflowFailExceptionBadInput", 1,
     "airflow.exceptions.AirflowFailException: bad input", v1::DECLARED_FATAL},
    // Flyte: flytekit 1.16.24 and flytecopilot. A plain pod ends with 0 and an
    // error file; these end with 1 (FLYTE_FAIL_ON_ERROR, or while it uploads).
    {"FlyteRecoverable", 1,
     "!! Begin User Error Captured by Flyte !!\nTrace:\n\n    Traceback (most "
     "recent call last):\n      File \"/root/w.py\", line 9, in t\n    "
     "flytekit.exceptions.base.FlyteRecoverableException: "
     "RecoverableFlyteException: error=the queue is empty\n\nMessage:\n\n    "
     "FlyteRecoverableException: RecoverableFlyteException: error=the queue is "
     "empty\n!! End Error Captured by Flyte !!",
     v1::DECLARED_RETRYABLE},
    {"FlyteUserExceptionIsOrdinary", 1,
     "!! Begin User Error Captured by Flyte !!\nTrace:\n\n    Traceback (most "
     "recent call last):\n      File \"/root/w.py\", line 9, in t\n    "
     "ValueError: 7 rows\n\nMessage:\n\n    ValueError: 7 rows\n!! End Error "
     "Captured by Flyte !!",
     v1::APP_ERROR},
    {"FlyteNonRecoverable", 1,
     "!! Begin Non-recoverable System Error Captured by Flyte !!\nTrace:\n\n  "
     "  Traceback (most recent call last):\n    TypeError: Cannot convert from "
     "Scalar\n\nMessage:\n\n    TypeError: Cannot convert from Scalar\n!! End "
     "Error Captured by Flyte !!",
     v1::DECLARED_FATAL},
    {"Flyte2NonRecoverable", 1,
     "Traceback (most recent call last):\n  File \"/root/w.py\", line 9, in "
     "t\nflyte.errors.NonRecoverableError: the input has no rows",
     v1::DECLARED_FATAL},
    {"FlyteShellTask", 1,
     "FlyteRecoverableException: RecoverableFlyteException: error=Failed to "
     "Execute Script, return-code 3 \nCurrent directory contents: .\n-in.csv\n"
     "StdOut: \nStdErr: 7 rows\n",
     v1::DECLARED_RETRYABLE},
    {"FlyteShellTaskWithoutItsCommand", 1,
     "FlyteRecoverableException: RecoverableFlyteException: error=Failed to "
     "Execute Script, return-code 127 \nCurrent directory contents: "
     ".\n-in.csv\n"
     "StdOut: \nStdErr: /bin/bash: line 1: bwa: command not found\n",
     v1::CONFIG_USER_ERROR},
    {"FlyteUpload", 1,
     "flytekit.exceptions.system.FlyteUploadDataException: "
     "SYSTEM:UploadDataError: error=Failed to put data from "
     "/tmp/flyte-a/engine "
     "to s3://b/p (recursive=True).\n\nOriginal exception: Generic S3 error",
     v1::DEPENDENCY_UNAVAILABLE},
    {"FlyteUploadWithoutTheRight", 1,
     "flytekit.exceptions.system.FlyteUploadDataException: "
     "SYSTEM:UploadDataError: error=Failed to put data from "
     "/tmp/flyte-a/engine "
     "to s3://b/p (recursive=True).\n\nOriginal exception: An error occurred "
     "(AccessDenied) when calling the PutObject operation: Access Denied",
     v1::CONFIG_USER_ERROR},
    {"FlyteDownload", 1,
     "flytekit.exceptions.system.FlyteDownloadDataException: "
     "SYSTEM:DownloadDataError: error=Failed to get data from s3://b/i.pb to "
     "/tmp/i.pb (recursive=False).\n\nOriginal exception: Generic S3 error",
     v1::DEPENDENCY_UNAVAILABLE},
    {"FlyteCopilotUpload", 1,
     R"({"json":{},"level":"error","msg":"Uploading failed, err failed to )"
     R"(write","ts":"2026-11-03T14:00:00Z"})",
     v1::DEPENDENCY_UNAVAILABLE},
    {"TorchDistributedElasticMultiprocessingErrorsChildFailedError", 1,
     "torch.distributed.elastic.multiprocessing.errors.ChildFailedError:"
     "\ntrain.py FAILED\nRoot Cause: torch.OutOfMemoryError: CUDA out of "
     "memory.",
     v1::GPU_OOM},
};

class LogText : public ::testing::TestWithParam<LogCase> {};

TEST_P(LogText, NamesTheCause) {
  const LogCase& param = GetParam();
  const v1::Diagnosis diagnosis =
      Diagnose(FailedPod(param.exit_code, "Error", param.log));
  EXPECT_EQ(diagnosis.cause(), param.cause) << diagnosis.DebugString();
  EXPECT_LT(diagnosis.confidence(), v1::Diagnosis::HIGH)
      << "a text is never proof";
}

INSTANTIATE_TEST_SUITE_P(, LogText, ::testing::ValuesIn(kLogTextsCases),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace mulligan::demystify
