// What programs print before they end: log tails as termination messages.
#include <string>

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
    {"NVRMXidPCI0000650079", 1,
     "NVRM: Xid (PCI:0000:65:00): 79, pid=1234, GPU has fallen off the bus.",
     v1::GPU_FAULT},
    {"N1234NVRMXidPCI00003", 1,
     "[ 123.4] NVRM: Xid (PCI:0000:3b:00): 48, pid=8812, An uncorrectable "
     "double bit error (DBE) has been detected on GPU",
     v1::GPU_FAULT},
    {"NVRMXidPCI0000B300", 1,
     "NVRM: Xid (PCI:0000:b3:00): 74, pid='<unknown>', name=<unknown>, NVLink: "
     "fatal error detected on link 10(0x10000)",
     v1::FABRIC_FAULT},
    {"XidOfAProgramIsNotAGpuFault", 1,
     "NVRM: Xid (PCI:0000:3b:00): 13, pid=2, Graphics SM Warp Exception on "
     "(GPC 0, TPC 1): Out Of Range Address\nTraceback (most recent call "
     "last):\nRuntimeError: CUDA error: an illegal memory access was "
     "encountered",
     v1::CRASH_SIGNAL},
    {"RuntimeErrorNoCUDAGPUsAreAvailable", 1,
     "RuntimeError: No CUDA GPUs are available", v1::GPU_FAULT},
    {"RuntimeErrorCUDAErrorAllCUDACapableDevices", 1,
     "RuntimeError: CUDA error: all CUDA-capable devices are busy or "
     "unavailable\nCUDA kernel errors might be asynchronously reported",
     v1::GPU_FAULT},
    {"RuntimeErrorCUDAOutOfMemoryTriedTo", 1,
     "RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB (GPU 0; "
     "15.78 GiB total capacity; 13.91 GiB already allocated)",
     v1::GPU_OOM},
    {"JaxlibXlaExtensionXlaRuntimeErrorRESOURCEEXHAUSTEDOut", 1,
     "jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory "
     "while trying to allocate 17179869184 bytes.",
     v1::GPU_OOM},
    {"RESOURCEEXHAUSTEDAttemptingToAllocate635", 1,
     "RESOURCE_EXHAUSTED: Attempting to allocate 6.35G. That was not possible. "
     "There are 2.20G free.; (0x0x0_HBM0)",
     v1::GPU_OOM},
    {"TensorflowPythonFrameworkErrorsImplResourceExhaustedErrorOOM", 1,
     "tensorflow.python.framework.errors_impl.ResourceExhaustedError: OOM when "
     "allocating tensor with shape[256,1024,1024] and type float on "
     "/job:localhost/replica:0/task:0/device:GPU:0",
     v1::GPU_OOM},
    {"ValueErrorNoAvailableMemoryForTheCache", 1,
     "ValueError: No available memory for the cache blocks. Try increasing "
     "`gpu_memory_utilization` when initializing the engine.",
     v1::GPU_OOM},
    {"ExceptionInThreadMainJavaLangOutOfMemoryError", 1,
     "Exception in thread \"main\" java.lang.OutOfMemoryError: Java heap "
     "space\n\tat java.base/java.util.Arrays.copyOf",
     v1::CONTAINER_OOM},
    {"FATALERRORReachedHeapLimitAllocationFailed", 134,
     "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out "
     "of memory\n----- Native stack trace -----",
     v1::CONTAINER_OOM},
    {"NumpyCoreExceptionsArrayMemoryErrorUnableToAllocate", 1,
     "numpy.core._exceptions._ArrayMemoryError: Unable to allocate 29.8 GiB "
     "for an array with shape (4000000000,) and data type int64",
     v1::CONTAINER_OOM},
    {"FatalErrorRuntimeOutOfMemoryRuntime", 2,
     "fatal error: runtime: out of memory\n\nruntime stack:\nruntime.throw",
     v1::CONTAINER_OOM},
    {"TerminateCalledAfterThrowingAnInstanceOf", 134,
     "terminate called after throwing an instance of 'std::bad_alloc'\n  "
     "what():  std::bad_alloc",
     v1::CONTAINER_OOM},
    {"RuntimeErrorDataLoaderWorkerPid1623IsKilled", 1,
     "RuntimeError: DataLoader worker (pid 1623) is killed by signal: Killed.",
     v1::CONTAINER_OOM},
    {"RayExceptionsOutOfMemoryErrorTaskWasKilledDue", 1,
     "ray.exceptions.OutOfMemoryError: Task was killed due to the node running "
     "low on memory.",
     v1::CONTAINER_OOM},
    {"TracebackMostRecentCallLastFileX", 1,
     "Traceback (most recent call last):\n  File \"x.py\", line 3\nMemoryError",
     v1::CONTAINER_OOM},
    {"OSErrorErrno28NoSpaceLeftOn", 1,
     "OSError: [Errno 28] No space left on device: '/tmp/checkpoint'",
     v1::STORAGE_EXHAUSTED},
    {"RuntimeErrorDataLoaderWorkerPid331IsKilled", 1,
     "RuntimeError: DataLoader worker (pid 331) is killed by signal: Bus "
     "error. It is possible that dataloader's workers are out of shared "
     "memory. Please try to raise your shared memory limit.",
     v1::STORAGE_EXHAUSTED},
    {"WriteErrorDiskQuotaExceeded", 1, "write error: Disk quota exceeded",
     v1::STORAGE_EXHAUSTED},
    {"UsageTrainPyHDataDATATrain", 2,
     "usage: train.py [-h] --data DATA\ntrain.py: error: the following "
     "arguments are required: --data",
     v1::CONFIG_USER_ERROR},
    {"TrainPyErrorArgumentLrInvalidFloat", 2,
     "train.py: error: argument --lr: invalid float value: 'abc'",
     v1::CONFIG_USER_ERROR},
    {"ModuleNotFoundErrorNoModuleNamedTransformers", 1,
     "ModuleNotFoundError: No module named 'transformers'",
     v1::CONFIG_USER_ERROR},
    {"ImportErrorLibGLSo1CannotOpenShared", 1,
     "ImportError: libGL.so.1: cannot open shared object file: No such file or "
     "directory",
     v1::CONFIG_USER_ERROR},
    {"ErrorCouldNotFindOrLoadMain", 1,
     "Error: Could not find or load main class "
     "org.apache.spark.deploy.SparkSubmit",
     v1::CONFIG_USER_ERROR},
    {"ErrorCannotFindModuleAppIndexJs", 1,
     "Error: Cannot find module '/app/index.js'\nRequire stack:\n  code: "
     "'MODULE_NOT_FOUND'",
     v1::CONFIG_USER_ERROR},
    {"KeyErrorAWSREGIONFileOsPyIn", 1,
     "KeyError: 'AWS_REGION'\n  File \"os.py\" in __getitem__ os.environ",
     v1::CONFIG_USER_ERROR},
    {"Sh1PyhtonNotFound", 127, "sh: 1: pyhton: not found",
     v1::CONFIG_USER_ERROR},
    {"PythonCanTOpenFileAppMain", 2,
     "python: can't open file '/app/main.py': [Errno 2] No such file or "
     "directory",
     v1::CONFIG_USER_ERROR},
    {"YamlScannerScannerErrorMappingValuesAreNot", 1,
     "yaml.scanner.ScannerError: mapping values are not allowed here\n  in "
     "\"config.yaml\", line 3",
     v1::CONFIG_USER_ERROR},
    {"BotocoreExceptionsNoCredentialsErrorUnableToLocateCredential", 1,
     "botocore.exceptions.NoCredentialsError: Unable to locate credentials",
     v1::CONFIG_USER_ERROR},
    {"HuggingfaceHubUtilsErrorsGatedRepoError401Client", 1,
     "huggingface_hub.utils._errors.GatedRepoError: 401 Client Error. Cannot "
     "access gated repo for url",
     v1::CONFIG_USER_ERROR},
    {"FATALPasswordAuthenticationFailedForUserApp", 1,
     "FATAL: password authentication failed for user \"app\"",
     v1::CONFIG_USER_ERROR},
    {"ErrorListenEADDRINUSEAddressAlreadyInUse", 1,
     "Error: listen EADDRINUSE: address already in use :::3000",
     v1::CONFIG_USER_ERROR},
    {"LevelFatalMsgFailedToLoadConfig", 1,
     "level=fatal msg=\"failed to load config: open /etc/cfg.yaml: no such "
     "file or directory\"",
     v1::CONFIG_USER_ERROR},
    {"ExecUsrBinAppExecFormatError", 255,
     "exec /usr/bin/app: exec format error", v1::IMAGE_INVALID},
    {"RuntimeErrorFunctionMseLossBackward0ReturnedNanValues", 1,
     "RuntimeError: Function 'MseLossBackward0' returned nan values in its 0th "
     "output.",
     v1::DATA_OR_NUMERIC},
    {"FloatingPointErrorMinimumLossScaleReached00001", 1,
     "FloatingPointError: Minimum loss scale reached (0.0001). Your loss is "
     "probably exploding.",
     v1::DATA_OR_NUMERIC},
    {"LossIsNanStoppingTrainingLossTensor", 1,
     "Loss is nan, stopping training\n{'loss': tensor(nan)}",
     v1::DATA_OR_NUMERIC},
    {"JsonDecoderJSONDecodeErrorExpectingValueLine1", 1,
     "json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)",
     v1::DATA_OR_NUMERIC},
    {"PyarrowLibArrowInvalidParquetMagicBytesNot", 1,
     "pyarrow.lib.ArrowInvalid: Parquet magic bytes not found in footer. "
     "Either the file is corrupted or this is not a parquet file.",
     v1::DATA_OR_NUMERIC},
    {"TorchDistributedElasticRendezvousApiRendezvousConnectionErro", 1,
     "torch.distributed.elastic.rendezvous.api.RendezvousConnectionError: The "
     "connection to the C10d store has failed. See inner exception for "
     "details.",
     v1::RENDEZVOUS_FAILED},
    {"TorchDistributedDistStoreErrorTimedOutAfter1801", 1,
     "torch.distributed.DistStoreError: Timed out after 1801 seconds waiting "
     "for clients. 3/4 clients joined.",
     v1::RENDEZVOUS_FAILED},
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
    {"RuntimeErrorPytorchThirdPartyGlooGlooTransport", 1,
     "RuntimeError: [/pytorch/third_party/gloo/gloo/transport/tcp/pair.cc:598] "
     "Connection closed by peer [10.0.3.4]:21034",
     v1::COLLECTIVE_CASCADE},
    {"TorchDistributedDistBackendErrorNCCLErrorInProcessGroupNCCL", 1,
     "torch.distributed.DistBackendError: NCCL error in: "
     "ProcessGroupNCCL.cpp:1333, internal error - ncclRemoteError: A call "
     "failed possibly due to a network error or a remote process exiting "
     "prematurely.",
     v1::COLLECTIVE_CASCADE},
    {"ORTEHasLostCommunicationWithARemote", 1,
     "ORTE has lost communication with a remote daemon.\n\n  HNP daemon   : "
     "[[31,0],0] on node launcher\n  Remote daemon: [[31,0],2] on node "
     "worker-1",
     v1::COLLECTIVE_CASCADE},
    {"HorovodCommonExceptionsHorovodInternalErrorTmpPipGloo", 1,
     "horovod.common.exceptions.HorovodInternalError: "
     "[/tmp/pip/gloo/transport/tcp/pair.cc:589] Read error [10.1.2.3]:4432: "
     "Connection reset by peer",
     v1::COLLECTIVE_CASCADE},
    {"E0321CoordinationServiceAgentCcPolled", 134,
     "E0321 coordination_service_agent.cc] Polled an error from coordination "
     "service (this can be an error from this or another task). UNAVAILABLE: "
     "The following tasks are unhealthy (stopped sending heartbeats)",
     v1::COLLECTIVE_CASCADE},
    {"Psycopg2OperationalErrorCouldNotConnectTo", 1,
     "psycopg2.OperationalError: could not connect to server: Connection "
     "refused\n\tIs the server running on host \"db\" (10.0.0.3) and accepting "
     "TCP/IP connections on port 5432?",
     v1::DEPENDENCY_UNAVAILABLE},
    {"RequestsExceptionsConnectionErrorHTTPSConnectionPoolHostHugg", 1,
     "requests.exceptions.ConnectionError: "
     "HTTPSConnectionPool(host='huggingface.co', port=443): Max retries "
     "exceeded with url: /api/models",
     v1::DEPENDENCY_UNAVAILABLE},
    {"ComMysqlCjJdbcExceptionsCommunicationsExceptionCommunication", 1,
     "com.mysql.cj.jdbc.exceptions.CommunicationsException: Communications "
     "link failure",
     v1::DEPENDENCY_UNAVAILABLE},
    {"BotocoreExceptionsClientErrorAnErrorOccurredSlowDown", 1,
     "botocore.exceptions.ClientError: An error occurred (SlowDown) when "
     "calling the PutObject operation: Please reduce your request rate.",
     v1::DEPENDENCY_UNAVAILABLE},
    {"DialTcpLookupRedisMasterOn10", 1,
     "dial tcp: lookup redis-master on 10.96.0.10:53: no such host",
     v1::DEPENDENCY_UNAVAILABLE},
    {"KafkaErrorsNoBrokersAvailableNoBrokersAvailable", 1,
     "kafka.errors.NoBrokersAvailable: NoBrokersAvailable",
     v1::DEPENDENCY_UNAVAILABLE},
    {"Curl28FailedToConnectToMetadata", 28,
     "curl: (28) Failed to connect to metadata.google.internal port 80 after "
     "130000 ms: Connection timed out",
     v1::DEPENDENCY_UNAVAILABLE},
    {"OpenaiRateLimitErrorErrorCode429ErrorMessage", 1,
     "openai.RateLimitError: Error code: 429 - {'error': {'message': 'Rate "
     "limit reached'}}",
     v1::DEPENDENCY_UNAVAILABLE},
    {"HTTPError503ServiceUnavailable", 1, "HTTP Error 503: Service Unavailable",
     v1::DEPENDENCY_UNAVAILABLE},
    {"OSErrorErrno5InputOutputErrorMnt", 1,
     "OSError: [Errno 5] Input/output error: '/mnt/data'",
     v1::DEPENDENCY_UNAVAILABLE},
    {"RuntimeErrorCUDAErrorDeviceSideAssertTriggered", 1,
     "RuntimeError: CUDA error: device-side assert triggered", v1::APP_ERROR},
    {"SegmentationFaultCoreDumped", 139, "Segmentation fault (core dumped)",
     v1::CRASH_SIGNAL},
    {"PanicRuntimeErrorIndexOutOfRange", 2,
     "panic: runtime error: index out of range [3] with length 3\n\ngoroutine "
     "1 [running]:\nmain.main()",
     v1::APP_ERROR},
    {"TracebackMostRecentCallLastFileA", 1,
     "Traceback (most recent call last):\n  File \"a.py\", line 1, in "
     "<module>\nValueError: could not broadcast input array from shape (3,) "
     "into shape (4,)",
     v1::APP_ERROR},
    {"ThreadMainPanickedAtSrcMainRs", 101,
     "thread 'main' panicked at src/main.rs:4:5:\nexplicit panic",
     v1::APP_ERROR},
    {"AssertionErrorExpected10RowsGot3", 1,
     "AssertionError: expected 10 rows, got 3", v1::APP_ERROR},
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
