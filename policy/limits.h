// Bounds on all input. Tests cover each bound and the value just past it.
#ifndef MULLIGAN_POLICY_LIMITS_H_
#define MULLIGAN_POLICY_LIMITS_H_

#include <cstddef>
#include <cstdint>

namespace mulligan {

// Requests. The server refuses messages above kMaxRequestBytes before parsing
// them; --max-message-bytes changes that bound within its range. Validate
// (policy/request/validate.h) checks the others.
inline constexpr std::size_t kMaxRequestBytes = 4 << 20;
inline constexpr int kMinMessageBytesLimit = 64 << 10;
inline constexpr int kMaxMessageBytesLimit = 64 << 20;
inline constexpr int kMaxBatchItems = 1000;
inline constexpr int kMaxPods = 5000;
// Bound on each of a report's counts of pods that it does not list.
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
// The signal that ended an attempt without Kubernetes objects.
inline constexpr int kMaxSignal = 64;
// failure_id and request_id.
inline constexpr std::size_t kMaxIdBytes = 256;
// Names, namespaces, kinds, UIDs, reasons, label keys.
inline constexpr std::size_t kMaxNameBytes = 1024;
// Messages and label values: termination messages, log tails, event texts.
inline constexpr std::size_t kMaxTextBytes = 64 << 10;

// Answers. Longer warnings are cut. Warnings beyond the number are left out,
// and the last one says so.
inline constexpr int kMaxAnswerWarnings = 1000;
inline constexpr std::size_t kMaxWarningBytes = 4 << 10;
// Entries of NativeVerdict.counters, if they come from lists in an object.
inline constexpr int kMaxNativeCounters = 1000;

// Ledgers. Decide returns only ledgers within these bounds.
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

// PolicyService.CheckPolicy: number of files, bytes of each, bytes of all.
// Reading YAML takes about 0.3 s per MiB and blocks its thread.
inline constexpr int kMaxCheckedFiles = 100;
inline constexpr std::size_t kMaxCheckedFileBytes = 256 << 10;
inline constexpr std::size_t kMaxCheckedBytes = 1 << 20;

// Policies.
inline constexpr int kMaxBudgets = 32;
inline constexpr int kMaxRules = 1000;
inline constexpr int kMaxSignatures = 1000;
inline constexpr int kMaxListEntries = 1000;
inline constexpr std::size_t kMaxPatternBytes = 1024;
// RE2::ProgramSize and memory in bytes of one pattern. Counted repetitions such
// as (a{1000}){1000} need much of both.
inline constexpr int kMaxPatternProgram = 2000;
inline constexpr std::int64_t kMaxPatternMemory = 1 << 18;
// Pattern steps of a decision: the instructions of each pattern times the bytes
// it searches. Built-in patterns, which have automata, and log reading cost one
// step per eight bytes. A step takes up to 12 ns for a hostile pattern, usually
// a hundredth of that. The server bounds the time of a call as well.
inline constexpr std::int64_t kMaxPatternSteps = 500'000'000;
// Steps for compiling the patterns of, respectively, an inline policy, all
// files in CheckPolicy, and a folder of files. An instruction costs 100 steps,
// a class such as \PL 35,000 (policy/base/text_pattern.cc).
inline constexpr std::int64_t kMaxInlineCompileSteps = 10'000'000;
inline constexpr std::int64_t kMaxCheckedCompileSteps = 20'000'000;
inline constexpr std::int64_t kMaxCompileSteps = 100'000'000;
inline constexpr std::size_t kMaxInlinePolicyBytes = 64 << 10;
inline constexpr int kMaxInlinePatterns = 200;
// For a JobSet in a report: the first bounds its groups and its failure policy
// rules, the second the group names in all rules and the success policy.
// JobSet's logic looks up each name among the groups.
inline constexpr int kMaxJobSetGroups = 1000;
inline constexpr int kMaxJobSetTargets = 10'000;
// Patterns in all rules of a JobSet in a report.
inline constexpr int kMaxJobSetPatterns = 100;
inline constexpr std::size_t kMaxRuleNameBytes = 128;
inline constexpr std::int64_t kMaxBudgetLimit = 1'000'000;
// Ten years: longer than any job, and far from overflow.
inline constexpr std::int64_t kMaxPolicySeconds = 315'360'000;
inline constexpr double kMaxFactor = 1000;

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_LIMITS_H_
