// Crashes and uncaught errors of programs: nothing more telling was found.
#include "policy/demystify/signatures/application_texts.h"

namespace mulligan::demystify {
namespace {

constexpr TextSignature Crash(std::string_view keyword, const char* pattern,
                              std::string_view name, std::string_view meaning) {
  return AppText(keyword, pattern, name, v1::CRASH_SIGNAL, kMedium,
                 Tier::kSpecific, kNoFlags, meaning);
}

constexpr TextSignature Error(std::string_view keyword, const char* pattern,
                              std::string_view name, Tier tier,
                              std::string_view meaning) {
  return AppText(keyword, pattern, name, v1::APP_ERROR, kMedium, tier, kNoFlags,
                 meaning);
}

// A mistake in the program: the same input meets it again.
constexpr TextSignature Mistake(std::string_view keyword, const char* pattern,
                                std::string_view name) {
  return Blaming(kApplication, kCannotRecover,
                 Error(keyword, pattern, name, Tier::kSpecific,
                       "a mistake in the program"));
}

// How others, or the runtime, tell that a program ended; the error itself may
// stand elsewhere in the log.
constexpr TextSignature kEnds[] = {
    // mpirun reports what happened to a rank.
    AppText("exited on signal", "exited on signal (9|15)\\b", "mpi-rank-killed",
            v1::SIGKILL_UNEXPLAINED, kLow, Tier::kConvention, kNamesMember,
            "mpirun saw a rank being killed"),
    AppText("exited on signal", nullptr, "mpi-rank-crashed", v1::CRASH_SIGNAL,
            kMedium, Tier::kSpecific, kNamesMember, "mpirun saw a rank crash"),
    AppText("core dumped", nullptr, "core", v1::CRASH_SIGNAL, kMedium,
            Tier::kConvention, kNoFlags, "the program crashed"),
    Error("terminate called after throwing", nullptr, "cpp-exception",
          Tier::kSpecific, "an uncaught C++ exception"),
    AppText("killed", "(^|\\n)[^\\n]{0,120}\\bkilled\\s*($|\\n)",
            "shell-killed", v1::SIGKILL_UNEXPLAINED, kLow, Tier::kConvention,
            kNoFlags, "the shell saw a program being killed"),
    Error("traceback (most recent call last)", nullptr, "python-traceback",
          Tier::kConvention, "an uncaught Python exception"),
    // Tools in any language.
    Error("error: ", "(^|\\n)(?-i:(fatal e|E)rror): ", "error-line",
          Tier::kConvention, "the program told of an error"),
};

constexpr TextSignature Killed(std::string_view keyword, const char* pattern,
                               std::string_view name) {
  return AppText(keyword, pattern, name, v1::SIGKILL_UNEXPLAINED, kLow,
                 Tier::kConvention, kNoFlags,
                 "a process of the program was killed");
}

constexpr TextSignature Stopped(std::string_view keyword, const char* pattern,
                                std::string_view name) {
  return AppText(keyword, pattern, name, v1::SIGTERM_UNEXPLAINED, kLow,
                 Tier::kConvention, kNoFlags, "the program was asked to stop");
}

// Programs tell of signals that ended them or their children.
constexpr TextSignature kSignals[] = {
    Killed("137",
           "(exit|return|status)(ed)?( with)?( code| status| value)?[ :=]*137"
           "\\b",
           "child-137"),
    Killed("-9",
           "(return|exit) ?(code|status)[ :=]*-9\\b|exits with return code = "
           "-9\\b",
           "child-9"),
    Killed("signals.sigkill", nullptr, "python-sigkill"),
    Killed("signal: killed", nullptr, "go-killed"),
    Killed("killed by signal", "killed by signal:? ?(9|kill)", "by-signal-9"),
    Stopped("sigterm",
            "(received|got|caught)( signal| a)? ?(signals\\.)?sigterm|sigterm "
            "(was )?received",
            "received-sigterm"),
    Stopped("-15",
            "(return|exit) ?(code|status)[ :=]*-15\\b|exits with return code = "
            "-15\\b",
            "child-15"),
    Stopped("signal 15", "(received|got|caught|on) signal 15\\b", "signal-15"),
    Stopped("signal=terminated", nullptr, "go-terminated"),
    Stopped("terminated", "received signal:? terminated|(^|\\n)terminated\\s*$",
            "terminated"),
};

// Errors the program itself tells of.
constexpr TextSignature kErrors[] = {
    Crash("illegal memory access", nullptr, "cuda-illegal-access",
          "a CUDA kernel accessed memory it does not own"),
    Error("device-side assert", nullptr, "cuda-assert", Tier::kSpecific,
          "an assertion in a CUDA kernel failed"),
    Crash("unspecified launch failure", nullptr, "cuda-launch",
          "a CUDA kernel crashed"),
    Crash("memory access fault by gpu", nullptr, "amd-access-fault",
          "a GPU kernel accessed memory it does not own"),
    Crash("segmentation fault", nullptr, "segfault", "segmentation fault"),
    Crash("sigsegv", "fatal|signal|sigsegv", "sigsegv", "segmentation fault"),
    Crash("stack smashing detected", nullptr, "stack-smashing",
          "the program overwrote its stack"),
    Crash("double free", "double free or corruption", "double-free",
          "the program damaged its heap"),
    Crash("malloc", "malloc\\(\\): (corrupted|invalid|memory corruption)",
          "heap", "the program damaged its heap"),
    Crash("free()", "free\\(\\): invalid", "invalid-free",
          "the program damaged its heap"),
    Crash("corrupted size vs. prev_size", nullptr, "heap-size",
          "the program damaged its heap"),
    Crash("corrupted double-linked list", nullptr, "heap-list",
          "the program damaged its heap"),
    Crash("munmap_chunk()", nullptr, "heap-chunk",
          "the program damaged its heap"),
    Crash("invalid next size", nullptr, "heap-next",
          "the program damaged its heap"),
    Crash("illegal instruction", nullptr, "illegal-instruction",
          "the program uses an instruction the CPU lacks"),
    Crash("bus error", nullptr, "bus-error", "bus error"),
    Crash("a fatal error has been detected by the java runtime", nullptr,
          "java-crash", "the JVM crashed"),
    Error("panic: ", "(^|\\n)[^\\n]{0,40}\\bpanic: ", "go-panic",
          Tier::kSpecific, "a Go program panicked"),
    Error("goroutine ", "(^|\\n)goroutine \\d+ \\[", "go-goroutine",
          Tier::kSpecific, "a Go program panicked"),
    // Compilers and command line tools say "fatal error" too; the runtime goes
    // on with a goroutine, or names what it found.
    Error("fatal error: ",
          "(^|\\n)fatal error: (all goroutines|concurrent map|found bad|runtime"
          "|stack|sync: |unexpected signal|[^\\n]*\\n.*\\ngoroutine \\d)",
          "go-fatal", Tier::kSpecific, "the Go runtime ended the program"),
    Mistake("nameerror", "\\bnameerror:", "python-name"),
    Mistake("typeerror", "\\btypeerror:", "python-type"),
    Mistake("attributeerror", "\\battributeerror:", "python-attribute"),
    Mistake("unboundlocalerror", nullptr, "python-unbound"),
    Mistake("notimplementederror", nullptr, "python-not-implemented"),
    Mistake("recursionerror", nullptr, "python-recursion"),
    Mistake("nullpointerexception", nullptr, "java-null"),
    Mistake("classcastexception", nullptr, "java-cast"),
    Mistake("nosuchmethoderror", nullptr, "java-method"),
    Error("panicked at", nullptr, "rust-panic", Tier::kSpecific,
          "a Rust program panicked"),
    Error("assertionerror", nullptr, "assertion", Tier::kSpecific,
          "an assertion failed"),
    Error("unhandledpromiserejection", nullptr, "node-rejection",
          Tier::kSpecific, "an unhandled JavaScript rejection"),
    Error("unhandled exception", nullptr, "unhandled", Tier::kSpecific,
          "an unhandled exception"),
    Error("exception in thread", nullptr, "java-exception", Tier::kSpecific,
          "an uncaught Java exception"),
    Error("uncaught exception", nullptr, "uncaught", Tier::kSpecific,
          "an uncaught exception"),
    Error("error",
          "(^|\\n)(\\[[^\\]\\n]{1,40}\\]:? "
          "?)*(([a-z_]\\w*\\.)*(?-i:[A-Z]\\w*)|([a-z_]\\w*\\.)+)(?-i:Error)"
          "(:|\\n|$)",
          "python-error", Tier::kConvention, "an uncaught Python exception"),
    Error("exception",
          "(^|\\n)(\\[[^\\]\\n]{1,40}\\]:? "
          "?)*([a-z_]\\w*\\.)*(?-i:[A-Z]\\w*)?(?-i:Exception)(:|\\n|$)",
          "python-exception", Tier::kConvention, "an uncaught exception"),
};

}  // namespace

std::span<const TextSignature> SignalTexts() { return kSignals; }
std::span<const TextSignature> ProgramErrorTexts() { return kErrors; }
std::span<const TextSignature> ProgramEndTexts() { return kEnds; }

}  // namespace mulligan::demystify
