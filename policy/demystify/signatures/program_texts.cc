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

// One process was killed and its container lived on: kubelet and node end whole
// containers, the kernel's OOM killer picks a process.
constexpr TextSignature Killed(std::string_view keyword, const char* pattern,
                               std::string_view name, std::string_view meaning,
                               std::uint8_t flags = kNoFlags) {
  return Blaming(kResourceLimit,
                 AppText(keyword, pattern, name, v1::SIGKILL_UNEXPLAINED, kLow,
                         Tier::kConvention, flags, meaning));
}

// How others, or the runtime, tell that a program ended; the error itself may
// stand elsewhere in the log.
constexpr TextSignature kEnds[] = {
    // mpirun reports what happened to a rank.
    Killed("exited on signal", "exited on signal (9|15)\\b", "mpi-rank-killed",
           "mpirun saw a rank being killed", kNamesMember),
    AppText("exited on signal", nullptr, "mpi-rank-crashed", v1::CRASH_SIGNAL,
            kMedium, Tier::kSpecific, kNamesMember, "mpirun saw a rank crash"),
    Killed("bad termination of one of your application",
           "exit code: (9|15|137|143)\\b", "hydra-killed",
           "mpiexec saw a rank being killed", kNamesMember),
    AppText("bad termination of one of your application",
            "exit code: (4|6|7|8|11|13[24569])\\b", "hydra-crashed",
            v1::CRASH_SIGNAL, kMedium, Tier::kSpecific, kNamesMember,
            "mpiexec saw a rank crash"),
    AppText("core dumped", nullptr, "core", v1::CRASH_SIGNAL, kMedium,
            Tier::kConvention, kNoFlags, "the program crashed"),
    Error("terminate called after throwing", nullptr, "cpp-exception",
          Tier::kSpecific, "an uncaught C++ exception"),
    Killed("killed", "(^|\\n)[^\\n]{0,120}\\bkilled\\s*($|\\n)", "shell-killed",
           "the shell saw a program being killed"),
    Error("traceback (most recent call last)", nullptr, "python-traceback",
          Tier::kConvention, "an uncaught Python exception"),
    // Tools in any language.
    Error("error: ", "(^|\\n)(?-i:(fatal e|E)rror): ", "error-line",
          Tier::kConvention, "the program told of an error"),
};

constexpr TextSignature Stopped(std::string_view keyword, const char* pattern,
                                std::string_view name) {
  return AppText(keyword, pattern, name, v1::SIGTERM_UNEXPLAINED, kLow,
                 Tier::kConvention, kNoFlags, "the program was asked to stop");
}

// Programs tell of signals that ended them or their children.
constexpr TextSignature kSignals[] = {
    Killed("137",
           "(exit|return|status)(ed)?( with)?( code| status| value)?[ :=(]*137"
           "\\b",
           "child-137", "a process of the program was killed"),
    Killed("-9",
           "(return|exit) ?(code|status)[ :=]*-9\\b|exits with return code = "
           "-9\\b",
           "child-9", "a process of the program was killed"),
    Killed("signals.sigkill", nullptr, "python-sigkill",
           "a process of the program was killed"),
    Killed("signal: killed", nullptr, "go-killed",
           "a process of the program was killed"),
    Killed("killed by signal", "killed by signal:? ?(9|kill)", "by-signal-9",
           "a process of the program was killed"),
    // A process of the program crashed, in the notations of Python, shells and
    // supervisors.
    AppText("code", "(return|exit) ?(code|status)[ :=]*-(4|6|7|8|11)\\b",
            "child-crashed", v1::CRASH_SIGNAL, kMedium, Tier::kConvention,
            kNoFlags, "a process of the program crashed"),
    AppText("signals.sig", "signals\\.sig(ill|abrt|bus|fpe|segv)",
            "python-crashed", v1::CRASH_SIGNAL, kMedium, Tier::kConvention,
            kNoFlags, "a process of the program crashed"),
    AppText("signal",
            "(killed|terminated|exited|died|ended) (by |with |from )+"
            "(uncaught )?signal:? ?\\(?(4|6|7|8|11|(sig)?(ill|abrt|bus|fpe|"
            "segv)|aborted)\\b",
            "by-signal-crash", v1::CRASH_SIGNAL, kMedium, Tier::kConvention,
            kNoFlags, "a process of the program crashed"),
    // Slurm says why.
    AppText("due to time limit", nullptr, "slurm-time", v1::DEADLINE_POD,
            kMedium, Tier::kSpecific, kNoFlags,
            "the batch system's time limit passed"),
    AppText("due to node failure", nullptr, "slurm-node", v1::NODE_LOST,
            kMedium, Tier::kSpecific, kNoFlags,
            "the batch system lost the node"),
    AppText("due to preemption", nullptr, "slurm-preemption",
            v1::PREEMPTED_QUEUE, kMedium, Tier::kSpecific, kNoFlags,
            "the batch system gave the place to other work"),
    Stopped("sigterm",
            "(received|got|caught)( signal| a)? ?(signals\\.)?sigterm|sigterm "
            "(was )?received",
            "received-sigterm"),
    Stopped("-15",
            "(return|exit) ?(code|status)[ :=]*-15\\b|exits with return code = "
            "-15\\b",
            "child-15"),
    Stopped("signal 15", "(received|got|caught|on) signal 15\\b", "signal-15"),
    Stopped("keyboardinterrupt", nullptr, "interrupted"),
    Stopped("signal=terminated", nullptr, "go-terminated"),
    Stopped("terminated", "received signal:? terminated|(^|\\n)terminated\\s*$",
            "terminated"),
};

// Errors the program itself tells of.
constexpr TextSignature kErrors[] = {
    // Watches are counted for a user on the whole node.
    Blaming(
        kInfrastructure, kMayRecover,
        Error("too many open files",
              "(watch|notify)[^\\n]{0,80}too many open files|too many open "
              "files[^\\n]{0,80}(watch|notify)",
              "watches", Tier::kSpecific, "the node has no file watches left")),
    Crash("illegal memory access", nullptr, "cuda-illegal-access",
          "a CUDA kernel accessed memory it does not own"),
    Blaming(kApplication, kCannotRecover,
            Error("device-side assert", nullptr, "cuda-assert", Tier::kSpecific,
                  "an assertion in a CUDA kernel failed: an index or label is "
                  "outside its range")),
    Crash("misaligned address", nullptr, "cuda-misaligned",
          "a CUDA kernel accessed memory it does not own"),
    Crash("unspecified launch failure", nullptr, "cuda-launch",
          "a CUDA kernel crashed"),
    Crash("memory access fault by gpu", nullptr, "amd-access-fault",
          "a GPU kernel accessed memory it does not own"),
    // Go prints the signal below its panic.
    Mistake("panic: runtime error", nullptr, "go-mistake"),
    Mistake("entry in nil map", nullptr, "go-nil-map"),
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
    Crash("illegal instruction", "cuda error[^\\n]{0,40}illegal instruction",
          "cuda-instruction", "a CUDA kernel crashed"),
    Blaming(kApplication, kCannotRecover,
            Crash("illegal instruction", nullptr, "illegal-instruction",
                  "the program uses an instruction the CPU lacks")),
    // The same input meets it again, unless threads race for it.
    Blaming(kApplication, kCannotRecover,
            Crash("assert",
                  "assertion [`'\"(][^\\n]{1,300} failed|assertion failed: \\(",
                  "c-assertion", "an assertion in the program failed")),
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
    Mistake("valueerror", "\\bvalueerror:", "python-value"),
    Mistake("keyerror", "\\bkeyerror:", "python-key"),
    Mistake("indexerror", "\\bindexerror:", "python-index"),
    Mistake("stopiteration", "(^|\\n)stopiteration\\b", "python-stop"),
    Mistake("zerodivisionerror", nullptr, "python-division"),
    Mistake("internal compiler error", nullptr, "compiler-error"),
    Mistake(
        "quer",
        "query[^\\n]{0,40} too (complex|large|long)|resources exceeded during "
        "query",
        "query-too-complex"),
    Mistake("shapes cannot be multiplied", nullptr, "torch-shapes"),
    Mistake("must match the size of tensor", nullptr, "torch-sizes"),
    Mistake("size mismatch, ", nullptr, "torch-size-mismatch"),
    Mistake("must match",
            "\\b(dim(ension)?|size|shape|length)s? [^\\n]{0,40}must match",
            "dimensions-match"),
    Mistake("expected all tensors to be on the same device", nullptr,
            "torch-devices"),
    Mistake("nullpointerexception", nullptr, "java-null"),
    Mistake("illegalargumentexception", nullptr, "java-argument"),
    Mistake("indexoutofboundsexception", nullptr, "java-index"),
    Mistake("unsupportedoperationexception", nullptr, "java-unsupported"),
    Mistake("classcastexception", nullptr, "java-cast"),
    Mistake("nosuchmethoderror", nullptr, "java-method"),
    Mistake("nullreferenceexception", nullptr, "dotnet-null"),
    Mistake("nomethoderror", nullptr, "ruby-method"),
    Mistake("referenceerror", "\\breferenceerror:", "node-reference"),
    Mistake("not found", "object '[^']+' not found", "r-object"),
    Mistake(
        "already exists",
        "(relation|table|column|index|constraint|schema)[^\\n]{0,80} already "
        "exists",
        "sql-exists"),
    Mistake("duplicate", "duplicate (key value violates|entry '[^']*' for key)",
            "sql-duplicate"),
    Mistake(
        "unique constraint",
        "unique constraint[^\\n]{0,80}(failed|violated)|violat\\w+[^\\n]{0,20}"
        "unique constraint",
        "sql-unique"),
    Mistake("check failed: ", "(^|\\n|[^\\w\\s] )check failed: ", "cpp-check"),
    Mistake("modified by an inplace operation", nullptr, "torch-inplace"),
    Mistake("does not require grad", nullptr, "torch-no-grad"),
    Mistake("backward through the graph", nullptr, "torch-backward"),
    Mistake("finished reduction in the prior", nullptr, "torch-reduction"),
    Mistake("not used in producing", nullptr, "torch-unused"),
    Mistake("should be the same", "input type[^\\n]{0,80} should be the same",
            "torch-input-type"),
    Mistake("expected",
            "expected "
            "[^\\n]{0,80}\\b(types?|shapes?|tensors?|channels?|dimensions?|"
            "size|input|fields|columns|arguments?)\\b[^\\n]{0,120} but "
            "(got|found|received)|expected scalar type",
            "expected-but-got"),
    Mistake("stackoverflowerror", nullptr, "java-stack"),
    Mistake("abstractmethoderror", nullptr, "java-abstract"),
    Mistake("incompatibleclasschange", nullptr, "java-class-change"),
    Mistake("nosuchfielderror", nullptr, "java-field"),
    Mistake("task not serializable", nullptr, "spark-serializable"),
    Mistake("analysisexception", nullptr, "spark-analysis"),
    Mistake("sequence contains no", nullptr, "dotnet-sequence"),
    Mistake("argumentnullexception", nullptr, "dotnet-argument-null"),
    Mistake("argumentoutofrange", nullptr, "dotnet-argument-range"),
    Mistake("invalidcastexception", nullptr, "dotnet-cast"),
    Mistake("argument is of length zero", nullptr, "r-length"),
    Mistake("unused argument", nullptr, "r-unused"),
    Mistake("non-numeric argument", nullptr, "r-numeric"),
    Mistake("subscript out of bounds", nullptr, "r-subscript"),
    Mistake("boundserror", nullptr, "julia-bounds"),
    Mistake("error[e", "\\berror\\[e\\d{4}\\]", "rustc"),
    Mistake("error ts", "\\berror ts\\d{4}", "typescript"),
    Mistake("mergeerror", nullptr, "pandas-merge"),
    Mistake("name too long", nullptr, "name-too-long"),
    Mistake("notfittederror", nullptr, "sklearn-fit"),
    Mistake("overflowerror", "\\boverflowerror:", "python-overflow"),
    Mistake("undefvarerror", nullptr, "julia-variable"),
    Mistake("methoderror: no method matching", nullptr, "julia-method"),
    Mistake(
        "panicked at",
        "panicked at[^\\n]*\\n?[^\\n]*(out of bounds|out of range|assertion|"
        "`none` value|overflow|divide by zero|divisor of zero|unreachable "
        "code|not( yet)? implemented|`err` "
        "value:[^\\n]*(notfound|alreadyexists|"
        "missing|invalid|parse\\w*error))",
        "rust-mistake"),
    Error("panicked at", nullptr, "rust-panic", Tier::kSpecific,
          "the program panicked"),
    Error("locked", "(database|table) is locked", "sql-locked", Tier::kSpecific,
          "another process holds the database's lock"),
    Error("lock wait timeout exceeded", nullptr, "sql-lock-timeout",
          Tier::kSpecific, "another process holds the database's lock"),
    Error("could not serialize access", nullptr, "sql-serialization",
          Tier::kSpecific, "two transactions met"),
    Blaming(kResourceLimit, kCannotRecover,
            Error("too many open files", nullptr, "open-files", Tier::kSpecific,
                  "the process may not open more files")),
    Blaming(kResourceLimit, kCannotRecover,
            Error("items of ancdata", nullptr, "torch-files", Tier::kSpecific,
                  "the process may not open more files")),
    Blaming(kResourceLimit,
            Error("resource temporarily unavailable",
                  "(fork|clone|pthread|thread|process)", "processes",
                  Tier::kSpecific, "the process may not start more threads")),
    Blaming(kResourceLimit,
            Error("can't start new thread", nullptr, "python-threads",
                  Tier::kSpecific, "the process may not start more threads")),
    Error("assertionerror", nullptr, "assertion", Tier::kSpecific,
          "an assertion failed"),
};

// Errors of which no more is known than that nobody caught them.
constexpr TextSignature kUncaught[] = {
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

std::span<const TextSignature> UncaughtTexts() { return kUncaught; }
std::span<const TextSignature> SignalTexts() { return kSignals; }
std::span<const TextSignature> ProgramErrorTexts() { return kErrors; }
std::span<const TextSignature> ProgramEndTexts() { return kEnds; }

}  // namespace mulligan::demystify
