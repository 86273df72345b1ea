// Exit codes (field.md section 9, kubernetes.md section 9.4). All but a few
// are conventions: any program may exit with any code.
#include <algorithm>

#include "policy/demystify/signatures/tables.h"

namespace mulligan::demystify {
namespace {

using enum ExitContext;

constexpr ExitCodeSignature Any(std::int32_t code, std::string_view key,
                                v1::Cause cause,
                                v1::Diagnosis::Confidence confidence, Tier tier,
                                std::string_view meaning,
                                std::uint8_t flags = kNoFlags) {
  return {code,
          kAny,
          {key, cause, confidence, tier, kExitCodeWeight, flags, meaning}};
}

constexpr ExitCodeSignature Spark(std::int32_t code, std::string_view key,
                                  v1::Cause cause,
                                  v1::Diagnosis::Confidence confidence,
                                  std::string_view meaning,
                                  std::uint8_t flags = kNoFlags) {
  return {code,
          kSpark,
          {key, cause, confidence, Tier::kSpecific, kExitCodeWeight, flags,
           meaning}};
}

// Sorted by code; of two rows with one code the one with a context is first.
constexpr ExitCodeSignature kCodes[] = {
    // Windows NTSTATUS as int32.
    Any(-2146233082, "0x80131506", v1::CRASH_SIGNAL, kMedium, Tier::kSpecific,
        ".NET runtime error"),
    Any(-2146232797, "0x80131623", v1::CRASH_SIGNAL, kMedium, Tier::kSpecific,
        ".NET FailFast"),
    Any(-1073741819, "0xC0000005", v1::CRASH_SIGNAL, kMedium, Tier::kSpecific,
        "Windows access violation"),
    Any(-1073741801, "0xC0000017", v1::CONTAINER_OOM, kMedium, Tier::kSpecific,
        "Windows ran out of memory"),
    Any(-1073741795, "0xC000001D", v1::CRASH_SIGNAL, kMedium, Tier::kSpecific,
        "Windows illegal instruction"),
    Any(-1073741676, "0xC0000094", v1::CRASH_SIGNAL, kMedium, Tier::kSpecific,
        "Windows integer division by zero"),
    Any(-1073741571, "0xC00000FD", v1::CRASH_SIGNAL, kMedium, Tier::kSpecific,
        "Windows stack overflow"),
    Any(-1073741523, "0xC000012D", v1::CONTAINER_OOM, kMedium, Tier::kSpecific,
        "Windows commit limit reached"),
    Any(-1073741515, "0xC0000135", v1::CONFIG_MISSING, kMedium, Tier::kSpecific,
        "Windows could not find a library"),
    Any(-1073741510, "0xC000013A", v1::SIGTERM_UNEXPLAINED, kLow,
        Tier::kGeneric, "ended by Ctrl-C, Windows' stop request"),
    Any(-1073741502, "0xC0000142", v1::CONFIG_MISSING, kMedium, Tier::kSpecific,
        "a Windows library failed to initialise"),
    Any(-1073740940, "0xC0000374", v1::CRASH_SIGNAL, kMedium, Tier::kSpecific,
        "Windows heap corruption"),
    Any(-1073740791, "0xC0000409", v1::CRASH_SIGNAL, kMedium, Tier::kSpecific,
        "Windows stack buffer overrun or abort"),
    Any(-532462766, "0xE0434352", v1::APP_ERROR, kMedium, Tier::kGeneric,
        "unhandled .NET exception"),
    Any(-1, "-1", v1::NODE_LOST, kLow, Tier::kGeneric,
        "the runtime could not read the exit code"),
    Any(2, "2", v1::CONFIG_USER_ERROR, kLow, Tier::kConvention,
        "misuse of a command or wrong arguments, by convention"),
    {50,
     kSpark,
     {"spark/50", v1::APP_ERROR, kMedium, Tier::kConvention, kExitCodeWeight,
      kNoFlags, "Spark: uncaught exception"}},
    {51,
     kSpark,
     {"spark/51", v1::APP_ERROR, kMedium, Tier::kConvention, kExitCodeWeight,
      kNoFlags, "Spark: exception while handling an uncaught exception"}},
    Spark(52, "spark/52", v1::CONTAINER_OOM, kMedium,
          "Spark: the JVM ran out of memory"),
    Spark(53, "spark/53", v1::STORAGE_EXHAUSTED, kMedium,
          "Spark: the disk store could not be used"),
    Spark(54, "spark/54", v1::DEPENDENCY_UNAVAILABLE, kMedium,
          "Spark: the external block store could not be set up"),
    Spark(55, "spark/55", v1::DEPENDENCY_UNAVAILABLE, kMedium,
          "Spark: the external block store could not be used"),
    Spark(56, "spark/56", v1::COLLECTIVE_CASCADE, kLow,
          "Spark: the executor could not reach the driver", kPeerEffect),
    Spark(57, "spark/57", v1::HANG, kMedium,
          "Spark: killed by the task reaper because a task did not end"),
    Spark(58, "spark/58", v1::COLLECTIVE_CASCADE, kLow,
          "Spark: the executor could not register again", kPeerEffect),
    Any(64, "64", v1::CONFIG_USER_ERROR, kMedium, Tier::kConvention,
        "EX_USAGE: wrong usage"),
    Any(65, "65", v1::DECLARED_FATAL, kLow, Tier::kConvention,
        "EX_DATAERR: wrong input data"),
    Any(66, "66", v1::DECLARED_FATAL, kLow, Tier::kConvention,
        "EX_NOINPUT: an input file is missing"),
    Any(67, "67", v1::DECLARED_FATAL, kLow, Tier::kConvention,
        "EX_NOUSER: unknown user"),
    Any(68, "68", v1::DEPENDENCY_UNAVAILABLE, kLow, Tier::kConvention,
        "EX_NOHOST: unknown host"),
    Any(69, "69", v1::DEPENDENCY_UNAVAILABLE, kLow, Tier::kConvention,
        "EX_UNAVAILABLE: a service is unavailable"),
    Any(70, "70", v1::APP_ERROR, kMedium, Tier::kGeneric,
        "EX_SOFTWARE: internal software error"),
    Any(71, "71", v1::DECLARED_RETRYABLE, kLow, Tier::kConvention,
        "EX_OSERR: operating system error"),
    Any(72, "72", v1::CONFIG_USER_ERROR, kLow, Tier::kConvention,
        "EX_OSFILE: a system file is missing"),
    Any(74, "74", v1::DECLARED_RETRYABLE, kLow, Tier::kConvention,
        "EX_IOERR: input or output error"),
    Any(75, "75", v1::DECLARED_RETRYABLE, kMedium, Tier::kConvention,
        "EX_TEMPFAIL: temporary failure, to be tried again"),
    Any(77, "77", v1::DECLARED_FATAL, kLow, Tier::kConvention,
        "EX_NOPERM: no permission"),
    Any(78, "78", v1::CONFIG_USER_ERROR, kMedium, Tier::kConvention,
        "EX_CONFIG: wrong configuration"),
    {101,
     kSpark,
     {"spark/101", v1::APP_ERROR, kMedium, Tier::kConvention, kExitCodeWeight,
      kNoFlags, "Spark: exception when the driver was submitted"}},
    Any(101, "101", v1::APP_ERROR, kMedium, Tier::kGeneric, "Rust panic"),
    Any(124, "124", v1::DEADLINE_POD, kLow, Tier::kConvention,
        "timeout(1) ended the command"),
    Any(125, "125", v1::SANDBOX_OR_MOUNT, kLow, Tier::kConvention,
        "the container engine itself failed"),
    Any(126, "126", v1::CONFIG_MISSING, kMedium, Tier::kConvention,
        "the command is not executable"),
    Any(127, "127", v1::CONFIG_MISSING, kMedium, Tier::kConvention,
        "the command or a library was not found"),
    // What the runtime could not start has a reason of its own.
    Any(128, "128", v1::APP_ERROR, kLow, Tier::kGeneric,
        "a fatal error of git, or an invalid exit argument"),
    Any(129, "SIGHUP", v1::APP_ERROR, kLow, Tier::kGeneric,
        "ended by SIGHUP: terminal or operator"),
    Any(130, "SIGINT", v1::APP_ERROR, kLow, Tier::kGeneric,
        "ended by SIGINT: an interactive style stop"),
    Any(131, "SIGQUIT", v1::CRASH_SIGNAL, kMedium, Tier::kConvention,
        "ended by SIGQUIT"),
    Any(132, "SIGILL", v1::CRASH_SIGNAL, kMedium, Tier::kConvention,
        "illegal instruction: wrong CPU or faulty hardware"),
    Any(133, "SIGTRAP", v1::CRASH_SIGNAL, kMedium, Tier::kConvention,
        "trace trap: the program hit a deliberate trap"),
    Any(134, "SIGABRT", v1::CRASH_SIGNAL, kMedium, Tier::kConvention,
        "abort: the program or its watchdog ended it"),
    Any(135, "SIGBUS", v1::CRASH_SIGNAL, kMedium, Tier::kConvention,
        "bus error: faulty memory, or /dev/shm is full"),
    Any(136, "SIGFPE", v1::CRASH_SIGNAL, kMedium, Tier::kConvention,
        "arithmetic error"),
    Any(137, "SIGKILL", v1::SIGKILL_UNEXPLAINED, kLow, Tier::kGeneric,
        "killed; memory, grace period, probe, node and people all look like "
        "this"),
    Any(138, "SIGUSR1", v1::DECLARED_RETRYABLE, kMedium, Tier::kConvention,
        "SIGUSR1: the program asks to be run again (training-operator)"),
    Any(139, "SIGSEGV", v1::CRASH_SIGNAL, kMedium, Tier::kConvention,
        "segmentation fault"),
    Any(140, "SIGUSR2", v1::DEADLINE_POD, kLow, Tier::kConvention,
        "SIGUSR2: a batch system's time limit"),
    Any(142, "SIGALRM", v1::HANG, kLow, Tier::kConvention,
        "SIGALRM: the program's own alarm clock"),
    Any(143, "SIGTERM", v1::SIGTERM_UNEXPLAINED, kLow, Tier::kGeneric,
        "asked to stop; who asked is not in the exit code"),
    Any(152, "SIGXCPU", v1::DEADLINE_POD, kLow, Tier::kConvention,
        "CPU time limit"),
    Any(153, "SIGXFSZ", v1::STORAGE_EXHAUSTED, kLow, Tier::kConvention,
        "file size limit"),
    Any(159, "SIGSYS", v1::CRASH_SIGNAL, kMedium, Tier::kConvention,
        "forbidden system call"),
    Any(241, "241", v1::SIGTERM_UNEXPLAINED, kLow, Tier::kGeneric,
        "SIGTERM as a Python launcher passes it on (256-15)"),
    Any(245, "245", v1::CRASH_SIGNAL, kLow, Tier::kGeneric,
        "SIGSEGV as a Python launcher passes it on (256-11)"),
    Any(247, "247", v1::SIGKILL_UNEXPLAINED, kLow, Tier::kGeneric,
        "SIGKILL as a Python launcher passes it on (256-9)"),
    Any(249, "249", v1::CRASH_SIGNAL, kLow, Tier::kGeneric,
        "SIGBUS as a Python launcher passes it on (256-7)"),
    Any(250, "250", v1::CRASH_SIGNAL, kLow, Tier::kGeneric,
        "SIGABRT as a Python launcher passes it on (256-6)"),
    {255,
     kRuntimeUnknown,
     {"255", v1::NODE_LOST, kMedium, Tier::kSpecific, kExitCodeWeight, kNoFlags,
      "the runtime lost the container"}},
    Any(255, "255", v1::APP_ERROR, kLow, Tier::kGeneric,
        "exit(-1), or a failed ssh"),
    Any(48879, "0xbeef", v1::UNKNOWN, kLow, Tier::kGeneric,
        "training-operator's placeholder for a pod without container status"),
    // Google Cloud Batch.
    Any(50000, "50000", v1::UNKNOWN, kLow, Tier::kGeneric,
        "Google Batch: other failure of the service"),
    Any(50001, "50001", v1::SPOT_RECLAIMED, kHigh, Tier::kDecisive,
        "Google Batch: the spot machine was taken back"),
    Any(50002, "50002", v1::NODE_LOST, kHigh, Tier::kDecisive,
        "Google Batch: the machine stopped reporting"),
    Any(50003, "50003", v1::NODE_LOST, kHigh, Tier::kDecisive,
        "Google Batch: the machine was rebooted while the task ran"),
    Any(50004, "50004", v1::HANG, kHigh, Tier::kDecisive,
        "Google Batch: task and machine stopped answering"),
    Any(50005, "50005", v1::DEADLINE_POD, kHigh, Tier::kDecisive,
        "Google Batch: the task exceeded its maximum run time"),
    Any(50006, "50006", v1::NODE_LOST, kHigh, Tier::kDecisive,
        "Google Batch: the machine was recreated while the task ran"),
};

constexpr bool LessByCode(const ExitCodeSignature& a,
                          const ExitCodeSignature& b) {
  return a.code < b.code;
}
static_assert(std::is_sorted(std::begin(kCodes), std::end(kCodes), LessByCode));

constexpr Signature kOrdinary = {"1..123",
                                 v1::APP_ERROR,
                                 kMedium,
                                 Tier::kGeneric,
                                 kExitCodeWeight,
                                 kNoFlags,
                                 "the program itself ended with an error"};
constexpr Signature kSignalled = {"128+n",
                                  v1::APP_ERROR,
                                  kLow,
                                  Tier::kGeneric,
                                  kExitCodeWeight,
                                  kNoFlags,
                                  "above 128: ended by a signal, or a code of "
                                  "the program's own"};
constexpr Signature kOutside = {"outside 0..255",
                                v1::APP_ERROR,
                                kLow,
                                Tier::kGeneric,
                                kExitCodeWeight,
                                kNoFlags,
                                "no process on Linux ends with this code; no "
                                "table knows it"};

constexpr int kHighestSignal = 64;

}  // namespace

int SignalOf(std::int32_t code) {
  if (code == 241 || code == 245 || code == 247 || code == 249 || code == 250) {
    return 256 - code;
  }
  if (code > 128 && code <= 128 + kHighestSignal) return code - 128;
  if (code < -1 && code >= -kHighestSignal) return -code;
  return 0;
}

std::span<const ExitCodeSignature> ExitCodes() { return kCodes; }

const Signature& FindExitCode(std::int32_t code, ExitContext context) {
  // Python's and torchrun's notation of a signal.
  if (code < -1 && code >= -kHighestSignal) code = 128 - code;
  const std::span<const ExitCodeSignature> codes = ExitCodes();
  auto row = std::lower_bound(
      codes.begin(), codes.end(), code,
      [](const ExitCodeSignature& a, std::int32_t b) { return a.code < b; });
  for (; row != codes.end() && row->code == code; ++row) {
    if (row->context == kAny || row->context == context) return row->row;
  }
  if (code > 0 && code < 128) return kOrdinary;
  return code > 128 && code < 256 ? kSignalled : kOutside;
}

}  // namespace mulligan::demystify
