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

constexpr TextSignature kTexts[] = {
    // mpirun reports what happened to a rank.
    AppText("exited on signal", "exited on signal (9|15)\\b", "mpi-rank-killed",
            v1::SIGKILL_UNEXPLAINED, kLow, Tier::kGeneric, kNoFlags,
            "mpirun saw a rank being killed"),
    Crash("exited on signal", nullptr, "mpi-rank-crashed",
          "mpirun saw a rank crash"),
    Crash("illegal memory access", nullptr, "cuda-illegal-access",
          "a CUDA kernel accessed memory it does not own"),
    Crash("device-side assert", nullptr, "cuda-assert",
          "an assertion in a CUDA kernel failed"),
    Crash("unspecified launch failure", nullptr, "cuda-launch",
          "a CUDA kernel crashed"),
    Crash("memory access fault by gpu", nullptr, "amd-access-fault",
          "a GPU kernel accessed memory it does not own"),
    Crash("segmentation fault", nullptr, "segfault", "segmentation fault"),
    Crash("sigsegv", "fatal|signal|sigsegv", "sigsegv", "segmentation fault"),
    Crash("core dumped", nullptr, "core", "the program crashed"),
    Crash("stack smashing detected", nullptr, "stack-smashing",
          "the program overwrote its stack"),
    Crash("double free", "double free or corruption", "double-free",
          "the program damaged its heap"),
    Crash("malloc", "malloc\\(\\): (corrupted|invalid|memory corruption)",
          "heap", "the program damaged its heap"),
    Crash("free()", "free\\(\\): invalid", "invalid-free",
          "the program damaged its heap"),
    Crash("illegal instruction", nullptr, "illegal-instruction",
          "the program uses an instruction the CPU lacks"),
    Crash("bus error", nullptr, "bus-error", "bus error"),
    Crash("a fatal error has been detected by the java runtime", nullptr,
          "java-crash", "the JVM crashed"),
    Error("panic: ", "(^|\\n)panic: |goroutine \\d+ \\[", "go-panic",
          Tier::kSpecific, "a Go program panicked"),
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
    Error("terminate called after throwing", nullptr, "cpp-exception",
          Tier::kSpecific, "an uncaught C++ exception"),
    Error("uncaught exception", nullptr, "uncaught", Tier::kSpecific,
          "an uncaught exception"),
    Error("traceback (most recent call last)", nullptr, "python-traceback",
          Tier::kConvention, "an uncaught Python exception"),
};

}  // namespace

std::span<const TextSignature> ProgramTexts() { return kTexts; }

}  // namespace mulligan::demystify
