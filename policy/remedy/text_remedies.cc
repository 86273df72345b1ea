// What the rows of the signature tables advise, where a text names what is
// wrong.
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "policy/base/shell.h"
#include "policy/demystify/signatures/matching/pattern_options.h"
#include "policy/demystify/signatures/tables.h"
#include "policy/remedy/remedies.h"
#include "policy/remedy/words.h"
#include "re2/re2.h"

namespace mulligan::remedy {
namespace {

using demystify::RemedyRow;

template <typename Values>
bool Contains(const Values& values, const auto& value) {
  return std::ranges::find(values, value) != std::end(values);
}

// Tables of what the kubelet, the API server, schedulers and admission write.
constexpr std::string_view kOfKubernetes[] = {
    "creation", "kubelet", "killing", "scheduling", "mount", "start"};
constexpr std::string_view kOfQueues[] = {"queue", "queue-wait"};
// Rows that logic chooses are in no table.
constexpr std::string_view kOfLogic;

// Causes that texts of Kubernetes explain, whatever the cause of their row.
constexpr v1::Cause kExplained[] = {
    v1::CREATE_REJECTED,       v1::QUOTA_EXCEEDED,   v1::API_TRANSIENT,
    v1::UNSCHEDULABLE,         v1::CONFIG_MISSING,   v1::SANDBOX_OR_MOUNT,
    v1::NODE_PRESSURE_EVICTED, v1::START_TIMEOUT,    v1::IMAGE_INVALID,
    v1::LAUNCHER_FAILED,       v1::CONFIG_USER_ERROR};

// Who writes the texts of a row's table.
enum class Writer : std::uint8_t { kProgram, kKubernetes, kQueue };

struct CompiledRemedy {
  const RemedyRow* row;
  Writer writer;
  std::unique_ptr<const RE2> names;
};

Writer WriterOf(const RemedyRow& row) {
  if (Contains(kOfKubernetes, row.table) ||
      (row.table == kOfLogic && Contains(kExplained, row.cause))) {
    return Writer::kKubernetes;
  }
  return Contains(kOfQueues, row.table) ? Writer::kQueue : Writer::kProgram;
}

const std::vector<CompiledRemedy>& AllRemedies() {
  static const auto* const all = [] {
    auto* rows = new std::vector<CompiledRemedy>;
    for (const RemedyRow& row : demystify::RemedyRows()) {
      rows->push_back(
          {&row, WriterOf(row),
           std::make_unique<const RE2>(row.names, demystify::RemedyOptions())});
    }
    // What a text says is more than what logic makes of it, unless logic chose.
    std::stable_partition(
        rows->begin(), rows->end(),
        [](const CompiledRemedy& one) { return one.row->table != kOfLogic; });
    return rows;
  }();
  return *all;
}

// Most groups of a row's `names`.
constexpr int kMostGroups = 3;

// Nothing: the text does not name it.
std::optional<Remedy> Filled(const CompiledRemedy& compiled,
                             const std::string& text, const Particulars& found,
                             const Words& more) {
  re2::StringPiece pieces[kMostGroups + 1];
  const int count = compiled.names->NumberOfCapturingGroups() + 1;
  if (!compiled.names->Match(text, 0, text.size(), RE2::UNANCHORED, pieces,
                             count)) {
    return std::nullopt;
  }
  Words words = WordsOf(found);
  words.insert(words.end(), more.begin(), more.end());
  Words quoted = words;
  for (int i = 1; i < count; ++i) {
    const std::string group = absl::StrJoin(
        absl::StrSplit(pieces[i].as_string(), absl::ByAnyChar(" \t\r\n"),
                       absl::SkipEmpty()),
        " ");
    words.emplace_back(absl::StrCat("\\", i), group);
    quoted.emplace_back(absl::StrCat("\\", i), ShellWord(group));
  }
  const RemedyRow& row = *compiled.row;
  Remedy remedy;
  remedy.problem = Fill(row.problem, words);
  remedy.step = Fill(row.remedy, words);
  remedy.command = Fill(row.command, quoted);
  if (!remedy.command.empty()) {
    absl::StrAppend(&remedy.step, ": ", remedy.command);
  }
  remedy.actor = row.actor;
  remedy.source = text;
  return remedy;
}

// By the first text that any of the rows which are `meant` names something in.
template <typename IsMeant>
std::optional<Remedy> FirstFilled(const std::vector<std::string>& texts,
                                  const Particulars& found, const Words& more,
                                  const IsMeant& is_meant) {
  for (const std::string& text : texts) {
    for (const CompiledRemedy& compiled : AllRemedies()) {
      if (!is_meant(compiled)) continue;
      if (auto remedy = Filled(compiled, text, found, more)) return remedy;
    }
  }
  return std::nullopt;
}

// Signatures are called "table/row"; logic says which table a row of none is.
bool IsSignature(const RemedyRow& row, std::string_view signature) {
  const std::size_t slash = signature.find('/');
  return slash != signature.npos && signature.substr(slash + 1) == row.row &&
         (row.table == kOfLogic || signature.substr(0, slash) == row.table);
}

// What the registry answered, which long messages have at their end.
std::string StatusIn(v1::Cause cause, const std::vector<std::string>& texts) {
  static const RE2 kStatus("\\b(40[13] (?:Forbidden|Unauthorized))");
  if (cause != v1::IMAGE_DENIED) return "";
  std::string status;
  for (const std::string& text : texts) {
    if (RE2::PartialMatch(text, kStatus, &status)) {
      return absl::StrCat(" (", status, ")");
    }
  }
  return "";
}

}  // namespace

Remedy RemedyInTexts(v1::Cause cause, std::string_view signature,
                     const Particulars& found) {
  auto remedy =
      FirstFilled(found.texts, found, {}, [&](const CompiledRemedy& one) {
        return one.row->cause == cause && one.writer != Writer::kQueue &&
               IsSignature(*one.row, signature);
      });
  if (remedy.has_value()) return *std::move(remedy);
  // Rows of the cause itself before what others explain of it.
  remedy = FirstFilled(found.texts, found, {}, [&](const CompiledRemedy& one) {
    return one.row->cause == cause && one.writer == Writer::kProgram;
  });
  if (remedy.has_value()) {
    remedy->problem += StatusIn(cause, found.texts);
    return *std::move(remedy);
  }
  const bool explained = Contains(kExplained, cause);
  remedy = FirstFilled(found.texts, found, {}, [&](const CompiledRemedy& one) {
    return one.writer == Writer::kKubernetes &&
           (explained || one.row->cause == cause);
  });
  return std::move(remedy).value_or(Remedy());
}

Remedy RemedyInQueueWords(const std::string& said, const QueueNames& queue,
                          const Particulars& found) {
  const Words names = {{"{queue}", Named("queue", queue.queue)},
                       {"{workload}", Named("Workload", queue.workload)},
                       {"{ask}", queue.ask}};
  auto remedy = FirstFilled(
      {said}, found, names,
      [](const CompiledRemedy& one) { return one.writer == Writer::kQueue; });
  if (remedy.has_value()) return *std::move(remedy);
  return {.step = absl::StrCat("see what ", Named("queue", queue.queue),
                               " waits for: ", queue.ask),
          .actor = v1::FirstStep::USER,
          .command = queue.ask};
}

}  // namespace mulligan::remedy
