// Bounds on everything that comes in. Each has a test at the bound and one
// past it.
#ifndef MULLIGAN_POLICY_LIMITS_H_
#define MULLIGAN_POLICY_LIMITS_H_

#include <cstddef>
#include <cstdint>

namespace mulligan {

// Requests. The server refuses messages beyond kMaxRequestBytes before they
// are parsed, unless --max-message-bytes says otherwise within its range; the
// other bounds are checked by Validate (policy/request/validate.h).
inline constexpr std::size_t kMaxRequestBytes = 4 << 20;
inline constexpr int kLeastMaxMessageBytes = 64 << 10;
inline constexpr int kMostMaxMessageBytes = 64 << 20;
inline constexpr int kMaxBatchItems = 1000;
inline constexpr int kMaxPods = 5000;
// Pods that the report counts instead, of each kind.
inline constexpr std::int32_t kMaxOmittedPods = 10'000'000;
inline constexpr int kMaxJobs = 5000;
inline constexpr int kMaxNodes = 5000;
inline constexpr int kMaxEvents = 10000;
inline constexpr int kMaxUsage = 10000;
inline constexpr int kMaxHints = 8;
inline constexpr std::size_t kMaxHintSourceBytes = 64;
inline constexpr std::size_t kMaxHintTextBytes = 1024;
inline constexpr int kMaxRecentWindows = 4;
inline constexpr int kMaxFailureGroups = 1000;
inline constexpr std::int32_t kMaxRecentCount = 1'000'000;
inline constexpr std::int64_t kMaxRecentSeconds = std::int64_t{7} * 24 * 3600;
inline constexpr int kMaxContainersPerPod = 256;
inline constexpr int kMaxConditionsPerObject = 256;
inline constexpr int kMaxLabels = 512;
// failure_id and request_id.
inline constexpr std::size_t kMaxIdBytes = 256;
// Names, namespaces, kinds, UIDs, reasons, label keys.
inline constexpr std::size_t kMaxNameBytes = 1024;
// Messages and label values: termination messages, log tails, event texts.
inline constexpr std::size_t kMaxTextBytes = 64 << 10;

// Answers. Warnings beyond the number are left out, which the last one says;
// longer ones are cut. A list of numbers can ask for one each.
inline constexpr int kMaxAnswerWarnings = 1000;
inline constexpr std::size_t kMaxWarningBytes = 4 << 10;
// NativeVerdict.counters of lists in an object.
inline constexpr int kMaxNativeCounters = 1000;

// Ledgers. What Decide returns is always within these.
inline constexpr std::size_t kMaxLedgerJsonBytes = 16 << 10;
inline constexpr int kMaxHistory = 64;
inline constexpr int kMaxLedgerBudgets = 32;
inline constexpr std::int32_t kMaxLedgerCount = 1'000'000'000;
inline constexpr std::size_t kMaxLedgerNodeBytes = 253;
inline constexpr std::size_t kMaxLedgerUidBytes = 128;
inline constexpr std::size_t kMaxFingerprintBytes = 64;
inline constexpr std::size_t kMaxArtifactBytes = 128;
inline constexpr std::size_t kMaxPartBytes = 16;
inline constexpr int kMaxRecordAdvice = 8;

// PolicyService.CheckPolicy: number of files, bytes of each, and bytes of all.
// Reading YAML takes some 0.3 s a MiB, during which a thread answers nothing
// else.
inline constexpr int kMaxCheckedFiles = 100;
inline constexpr std::size_t kMaxCheckedFileBytes = 256 << 10;
inline constexpr std::size_t kMaxCheckedBytes = 1 << 20;

// Policies.
inline constexpr int kMaxBudgets = 32;
inline constexpr int kMaxRules = 1000;
inline constexpr int kMaxSignatures = 1000;
inline constexpr int kMaxListEntries = 1000;
inline constexpr std::size_t kMaxPatternBytes = 1024;
// RE2::ProgramSize of one pattern, and bytes it may use: a counted repetition
// like (a{1000}){1000} asks for much.
inline constexpr int kMaxPatternProgram = 2000;
inline constexpr std::int64_t kMaxPatternMemory = 1 << 18;
// What the patterns of a decision may do: the instructions of each times the
// bytes it searches; of built-in ones, which have automata, and for reading a
// log, a step for eight bytes. Hostile patterns take up to 12 ns for each,
// usual ones a hundredth of that. (Besides, the server bounds the time of a
// call.)
inline constexpr std::int64_t kMaxPatternSteps = 500'000'000;
// What the patterns of a policy may take to compile, in the same steps: an
// instruction is 100, a class such as \PL 35,000 (policy/base/text_pattern.cc).
// Of an inline policy, of all files in CheckPolicy, of a folder of files.
inline constexpr std::int64_t kMaxInlineCompileSteps = 10'000'000;
inline constexpr std::int64_t kMaxCheckedCompileSteps = 20'000'000;
inline constexpr std::int64_t kMaxCompileSteps = 100'000'000;
inline constexpr std::size_t kMaxInlinePolicyBytes = 64 << 10;
inline constexpr int kMaxInlinePatterns = 200;
// Of a JobSet in a report: groups, and rules of its failure policy; group names
// in all its rules and its success policy. Its logic looks up each name among
// the groups.
inline constexpr int kMaxJobSetGroups = 1000;
inline constexpr int kMaxJobSetTargets = 10'000;
// Patterns of a JobSet in a report, in all its rules.
inline constexpr int kMaxJobSetPatterns = 100;
inline constexpr std::size_t kMaxRuleNameBytes = 128;
inline constexpr std::int64_t kMaxBudgetLimit = 1'000'000;
// Ten years: longer than any job, far from every overflow.
inline constexpr std::int64_t kMaxPolicySeconds = 315'360'000;
inline constexpr double kMaxFactor = 1000;

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_LIMITS_H_
