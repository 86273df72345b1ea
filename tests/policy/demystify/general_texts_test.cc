// Failures in words that no row was written for: programs, services and tools
// that the tables do not name.
#include "gtest/gtest.h"
#include "policy/demystify/demystify.h"
#include "tests/policy/demystify/diagnose.h"

namespace mulligan::demystify {
namespace {

using D = v1::Diagnosis;

struct GeneralCase {
  const char* name;
  int exit_code;
  const char* log;
  v1::Cause cause;
  D::FaultDomain domain;
  D::Outlook outlook = D::OUTLOOK_UNSPECIFIED;
};

constexpr GeneralCase kGeneralCases[] = {
    // Exhausted resources.
    {"MemoryOfAPool", 1, "frobd: worker pool has insufficient free memory",
     v1::CONTAINER_OOM, D::RESOURCE_LIMIT},
    {"MemoryOfADevice", 1, "frobnicate: not enough memory left on CUDA device",
     v1::GPU_OOM, D::RESOURCE_LIMIT},
    {"RoomOfAStore", 1, "acme.SpoolOutOfSpaceError: cannot append block 9",
     v1::STORAGE_EXHAUSTED, D::RESOURCE_LIMIT},
    // Codes.
    {"AStatusOfAChildIsNotHttp", 1, "frobctl: publish: ended with status 512",
     v1::APP_ERROR, D::APPLICATION},
    {"HttpSaysTheGatewayFailed", 1, "frobctl: publish: got status code 504",
     v1::DEPENDENCY_UNAVAILABLE, D::INFRASTRUCTURE},
    {"HttpSaysTheRequestIsWrong", 1, "frobctl: publish: status code: 422",
     v1::CONFIG_USER_ERROR, D::CONFIGURATION, D::MAY_RECOVER},
    {"HttpAsksToSlowDown", 1, "AcmeError(429, 'later')",
     v1::DEPENDENCY_UNAVAILABLE, D::APPLICATION},
    {"AKeywordThatIsNotThere", 1,
     "frob: keyword nu is undefined in dictionary case/transport",
     v1::CONFIG_USER_ERROR, D::CONFIGURATION, D::CANNOT_RECOVER},
    {"APackageThatIsNotInstalled", 1,
     "frob: 'R.utils' package which cannot be found", v1::CONFIG_USER_ERROR,
     D::CONFIGURATION, D::CANNOT_RECOVER},
    {"APathThatCannotBe", 1, "frob: cannot write out: Is a directory",
     v1::CONFIG_USER_ERROR, D::CONFIGURATION, D::CANNOT_RECOVER},
    {"InvalidData", 1, "frob: /in.mp4: Invalid data found in stream 0",
     v1::DATA_OR_NUMERIC, D::APPLICATION, D::CANNOT_RECOVER},
    {"AnotherCpu", 126, "frob: cannot execute binary file", v1::IMAGE_INVALID,
     D::CONFIGURATION, D::CANNOT_RECOVER},
    {"GrpcInternal", 1, "rpc error: code = Internal desc = stream 3",
     v1::DEPENDENCY_UNAVAILABLE, D::INFRASTRUCTURE},
    {"SqlStateOfAConnection", 1, "frob: SQLSTATE[08006] [7] nobody there",
     v1::DEPENDENCY_UNAVAILABLE, D::INFRASTRUCTURE},
    {"SqlStateOfAStatement", 1, "frob: SQLSTATE[42703] in statement 4",
     v1::CONFIG_USER_ERROR, D::CONFIGURATION},
    {"SqlStateOfATransaction", 1, "frob: sqlstate=40001 in statement 4",
     v1::APP_ERROR, D::APPLICATION, D::MAY_RECOVER},
    {"SqlStateOfData", 1, "frob: sqlState: 22003 in statement 4",
     v1::DATA_OR_NUMERIC, D::APPLICATION, D::CANNOT_RECOVER},
    {"CurlByItsManual", 18, "curl: (18) transfer closed with 9 bytes remaining",
     v1::DEPENDENCY_UNAVAILABLE, D::INFRASTRUCTURE},
    {"RsyncByItsManual", 10,
     "rsync error: error in socket IO (code 10) at clientserver.c(139)",
     v1::DEPENDENCY_UNAVAILABLE, D::INFRASTRUCTURE},
    {"RsyncCalledWrongly", 1,
     "rsync error: syntax or usage error (code 1) at main.c(1795)",
     v1::CONFIG_USER_ERROR, D::CONFIGURATION},
    // Names of exceptions in the forms of several languages.
    {"NestedException", 1,
     "boom; nested exception is org.acme.LeaseUnavailableException: later",
     v1::DEPENDENCY_UNAVAILABLE, D::INFRASTRUCTURE},
    {"CppWhat", 134,
     "terminate called after throwing an instance of 'std::runtime_error'\n"
     "  what():  acme::ConfigError: no section [a]",
     v1::CONFIG_USER_ERROR, D::CONFIGURATION},
    {"LostWorkerByName", 1, "acme.pool.WorkerLostError: 3 of 8",
     v1::COLLECTIVE_CASCADE, D::INFRASTRUCTURE},
    // Phrases.
    {"DoesNotFit", 1, "frob: this build is not compiled with zstd",
     v1::CONFIG_USER_ERROR, D::CONFIGURATION},
    {"TooOld", 1, "frob: the server is too old for protocol 9",
     v1::CONFIG_USER_ERROR, D::CONFIGURATION},
    {"AnErrorsMessageCountsMoreThanItsClass", 1,
     "ValueError: the reader only supports version 3 tables",
     v1::CONFIG_USER_ERROR, D::CONFIGURATION},
    {"AssertionAboutTheBuild", 1, "AssertionError: frob not built with MKL",
     v1::CONFIG_USER_ERROR, D::CONFIGURATION},
    {"Refusal", 1, "frob: writing to /prod is forbidden for this role",
     v1::CONFIG_USER_ERROR, D::CONFIGURATION},
    {"AbsentMayComeLater", 1, "frob: run 7 was not found",
     v1::CONFIG_USER_ERROR, D::CONFIGURATION, D::MAY_RECOVER},
    {"ServiceIsAway", 1, "frob: the metastore is temporarily unavailable",
     v1::DEPENDENCY_UNAVAILABLE, D::INFRASTRUCTURE},
    {"LinkBroke", 1, "frob: channel to shard 3 was dropped",
     v1::DEPENDENCY_UNAVAILABLE, D::INFRASTRUCTURE},
    {"TooManyForTheService", 1, "frob: too many open sessions for tenant 3",
     v1::DEPENDENCY_UNAVAILABLE, D::APPLICATION},
    {"LockRace", 1, "frob: could not acquire the index lock", v1::APP_ERROR,
     D::APPLICATION, D::MAY_RECOVER},
    {"Shapes", 1, "RuntimeError: layer 3: dtype mismatch with its input",
     v1::APP_ERROR, D::APPLICATION, D::CANNOT_RECOVER},
    {"PlainMistakeStaysOne", 1, "ValueError: bad luck", v1::APP_ERROR,
     D::APPLICATION, D::CANNOT_RECOVER},
    // Failures late in a run, or because of an earlier run's leftovers.
    {"TokenRanOut", 1, "frob.UploadError: the session token has expired",
     v1::CONFIG_USER_ERROR, D::CONFIGURATION, D::MAY_RECOVER},
    {"CheckpointOfAnotherWorldSize", 1,
     "RuntimeError: checkpoint was saved with world size 64 but the current "
     "one is 32",
     v1::CONFIG_USER_ERROR, D::CONFIGURATION, D::CANNOT_RECOVER},
    {"SavingACheckpointIsNotAnError", 1,
     "saved checkpoint 12 with world size 8", v1::APP_ERROR, D::APPLICATION},
    {"PoisonedCache", 1,
     "OSError: /root/.cache/frob/blobs/1f: incomplete block 9",
     v1::DATA_OR_NUMERIC, D::APPLICATION, D::MAY_RECOVER},
    {"CrashedWhenDone", 139,
     "step 900/900\nTraining finished, model saved\nSegmentation fault",
     v1::CRASH_SIGNAL, D::APPLICATION, D::MAY_BE_DONE},
    {"PythonCrashedWhenDone", 134,
     "Fatal Python error: _enter_buffered_busy\nPython runtime state: "
     "finalizing (tstate=0x1)",
     v1::CRASH_SIGNAL, D::APPLICATION, D::MAY_BE_DONE},
    {"CrashedInTheMiddle", 139, "step 3/900\nSegmentation fault",
     v1::CRASH_SIGNAL, D::APPLICATION},
    {"SlowFirstRank", 1,
     "rank 0: tokenizing the corpus, 40 % done\nrank 5: Watchdog caught "
     "collective operation timeout",
     v1::HANG, D::APPLICATION},
    {"EndedByTheLauncher", 143,
     "srun: Job step aborted: Waiting up to 32 seconds for job step to finish",
     v1::COLLECTIVE_CASCADE, D::INFRASTRUCTURE},
    {"TheLaunchersOwnErrorIsNotAnEcho", 1,
     "terminating remaining workers\nRuntimeError: layer 3: dtype mismatch",
     v1::APP_ERROR, D::APPLICATION},
    {"BrokenPipeOfAShell", 141, "", v1::APP_ERROR, D::APPLICATION,
     D::MAY_RECOVER},
    {"WrongCpu", 132, "Illegal instruction (core dumped)", v1::CRASH_SIGNAL,
     D::APPLICATION, D::MAY_RECOVER},
    // Near misses.
    {"ASchedulersCountIsNotAMemoryError", 1,
     "submitted 3 pods\n0/3 nodes are available: 3 Insufficient memory.",
     v1::APP_ERROR, D::APPLICATION},
    {"AnOptionIsNotATimeOut", 1, "frob --timeout=30 ended", v1::APP_ERROR,
     D::APPLICATION},
    {"ACountIsNotACode", 1, "frob: exit code 50, 404 records, 429 files",
     v1::APP_ERROR, D::APPLICATION},
};

class GeneralText : public ::testing::TestWithParam<GeneralCase> {};

TEST_P(GeneralText, NamesCauseAndWhoHasToAct) {
  const GeneralCase& param = GetParam();
  const v1::Diagnosis diagnosis =
      Diagnose(FailedPod(param.exit_code, "Error", param.log));
  EXPECT_EQ(diagnosis.cause(), param.cause) << diagnosis.DebugString();
  EXPECT_EQ(diagnosis.fault_domain(), param.domain) << diagnosis.DebugString();
  EXPECT_LT(diagnosis.confidence(), D::HIGH);
  if (param.outlook != D::OUTLOOK_UNSPECIFIED) {
    EXPECT_EQ(diagnosis.outlook(), param.outlook) << diagnosis.DebugString();
  }
}

INSTANTIATE_TEST_SUITE_P(, GeneralText, ::testing::ValuesIn(kGeneralCases),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace mulligan::demystify
