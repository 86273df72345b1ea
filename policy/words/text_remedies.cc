// Remedies of the signature tables, filled with names from texts.
#include <algorithm>
#include <array>
#include <cstddef>
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
#include "policy/demystify/causes.h"
#include "policy/demystify/signatures/matching/keyword_matcher.h"
#include "policy/demystify/signatures/matching/lazy_pattern.h"
#include "policy/demystify/signatures/matching/pattern_options.h"
#include "policy/demystify/signatures/tables.h"
#include "policy/words/placeholders.h"
#include "policy/words/remedies.h"
#include "re2/re2.h"

namespace mulligan::words {
namespace {

using demystify::KeywordMatcher;
using demystify::LazyPattern;
using demystify::RemedyRow;

template <typename Values>
bool Contains(const Values& values, const auto& value) {
  return std::ranges::find(values, value) != std::end(values);
}

// Tables of texts by the kubelet, API server, schedulers and admission.
constexpr std::string_view kOfKubernetes[] = {
    "creation", "kubelet", "killing", "scheduling", "mount", "start"};
constexpr std::string_view kOfQueues[] = {"queue", "queue-wait"};
// Rows chosen by code belong to no table.
constexpr std::string_view kOfLogic;

// The writer of the texts in a row's table.
enum class Writer : std::uint8_t { kProgram, kKubernetes, kQueue };

Writer WriterOf(const RemedyRow& row) {
  if (Contains(kOfKubernetes, row.table) ||
      (row.table == kOfLogic && HasHistory(row.cause, kExplained))) {
    return Writer::kKubernetes;
  }
  return Contains(kOfQueues, row.table) ? Writer::kQueue : Writer::kProgram;
}

struct IndexedRemedy {
  IndexedRemedy(const RemedyRow& source, std::optional<std::size_t> at)
      : row(source),
        writer(WriterOf(source)),
        keyword(at),
        names(source.names, demystify::RemedyOptions()) {}

  const RemedyRow& row;
  const Writer writer;
  // Index of its keyword among those of all rows; empty if it has none.
  const std::optional<std::size_t> keyword;
  const LazyPattern names;
};

// In order of precedence.
using Remedies = std::vector<const IndexedRemedy*>;

// Created once and never freed.
struct RemedyIndex {
  std::unique_ptr<const KeywordMatcher> keywords;
  std::array<Remedies, v1::Cause_ARRAYSIZE> by_cause;
  // By the writer of their texts, for all causes.
  Remedies of_kubernetes;
  Remedies of_queues;

  Remedies& ForCause(v1::Cause cause) {
    return by_cause[static_cast<std::size_t>(cause)];
  }
  const Remedies& ForCause(v1::Cause cause) const {
    return by_cause[static_cast<std::size_t>(cause)];
  }
};

void AddRemedies(bool of_logic, std::vector<std::string_view>& keywords,
                 RemedyIndex& index) {
  for (const RemedyRow& row : demystify::RemedyRows()) {
    if ((row.table == kOfLogic) != of_logic) continue;
    std::optional<std::size_t> at;
    if (!row.words.empty()) {
      at = keywords.size();
      keywords.push_back(row.words);
    }
    const auto* const one = new IndexedRemedy(row, at);
    index.ForCause(row.cause).push_back(one);
    if (one->writer == Writer::kKubernetes) index.of_kubernetes.push_back(one);
    if (one->writer == Writer::kQueue) index.of_queues.push_back(one);
  }
}

const RemedyIndex& AllRemedies() {
  static const auto* const index = [] {
    auto* all = new RemedyIndex;
    std::vector<std::string_view> keywords;
    // Texts say more than code derives from them, unless code chose the row.
    AddRemedies(/*of_logic=*/false, keywords, *all);
    AddRemedies(/*of_logic=*/true, keywords, *all);
    all->keywords = std::make_unique<const KeywordMatcher>(keywords);
    return all;
  }();
  return *index;
}

struct Scanned {
  const std::string& text;
  KeywordMatcher::Hits hits{};

  bool MayFill(const IndexedRemedy& one) const {
    if (!one.keyword.has_value()) return true;
    const std::size_t at = *one.keyword;
    return (hits[at / 64] >> (at % 64) & 1) != 0;
  }
};

std::vector<Scanned> Scan(const std::vector<std::string>& texts) {
  std::vector<Scanned> all;
  all.reserve(texts.size());
  for (const std::string& text : texts) {
    all.push_back({text});
    AllRemedies().keywords->Match(text, all.back().hits);
  }
  return all;
}

constexpr int kMaxGroups = 3;

// Returns empty if the text does not match.
std::optional<Remedy> Filled(const IndexedRemedy& one, const Scanned& in,
                             const Particulars& found,
                             const Placeholders& more) {
  if (!in.MayFill(one)) return std::nullopt;
  const std::string& text = in.text;
  re2::StringPiece pieces[kMaxGroups + 1];
  const int count = one.names.compiled().NumberOfCapturingGroups() + 1;
  if (!one.names.compiled().Match(text, 0, text.size(), RE2::UNANCHORED, pieces,
                                  count)) {
    return std::nullopt;
  }
  Placeholders values = PlaceholdersOf(found);
  values.insert(values.end(), more.begin(), more.end());
  Placeholders quoted = values;
  for (int i = 1; i < count; ++i) {
    const std::string group = absl::StrJoin(
        absl::StrSplit(pieces[i].as_string(), absl::ByAnyChar(" \t\r\n"),
                       absl::SkipEmpty()),
        " ");
    values.emplace_back(absl::StrCat("\\", i), group);
    quoted.emplace_back(absl::StrCat("\\", i), ShellWord(group));
  }
  const RemedyRow& row = one.row;
  Remedy remedy;
  remedy.problem = Fill(row.problem, values);
  const bool elsewhere = found.no_objects && !row.elsewhere.empty();
  remedy.step = Fill(elsewhere ? row.elsewhere : row.remedy, values);
  remedy.command = Fill(row.command, quoted);
  if (!remedy.command.empty()) {
    absl::StrAppend(&remedy.step, ": ", remedy.command);
  }
  remedy.actor = row.actor;
  remedy.source = text;
  return remedy;
}

// Returns the remedy of the first text that an accepted row matches.
template <typename IsMeant>
std::optional<Remedy> FirstFilled(const std::vector<Scanned>& texts,
                                  const Remedies& rows,
                                  const Particulars& found,
                                  const Placeholders& more,
                                  const IsMeant& is_meant) {
  for (const Scanned& text : texts) {
    for (const IndexedRemedy* one : rows) {
      if (!is_meant(*one)) continue;
      if (auto remedy = Filled(*one, text, found, more)) return remedy;
    }
  }
  return std::nullopt;
}

// Signatures are named "table/row"; a row chosen by code matches any table.
bool IsSignature(const RemedyRow& row, std::string_view signature) {
  const std::size_t slash = signature.find('/');
  return slash != signature.npos && signature.substr(slash + 1) == row.row &&
         (row.table == kOfLogic || signature.substr(0, slash) == row.table);
}

// Returns the registry's answer, which long messages have at the end.
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
  const RemedyIndex& all = AllRemedies();
  const Remedies& own = all.ForCause(cause);
  const bool explained = HasHistory(cause, kExplained);
  if (own.empty() && !explained) return {};
  const std::vector<Scanned> texts = Scan(found.texts);
  const auto first = [&](const Remedies& rows, const auto& is_meant) {
    return FirstFilled(texts, rows, found, {}, is_meant);
  };
  auto remedy = first(own, [&](const IndexedRemedy& one) {
    return one.writer != Writer::kQueue && IsSignature(one.row, signature);
  });
  if (remedy.has_value()) return *std::move(remedy);
  // Rows of the cause itself come before explanations by others.
  remedy = first(own, [](const IndexedRemedy& one) {
    return one.writer == Writer::kProgram;
  });
  if (remedy.has_value()) {
    remedy->problem += StatusIn(cause, found.texts);
    return *std::move(remedy);
  }
  remedy =
      first(explained ? all.of_kubernetes : own, [](const IndexedRemedy& one) {
        return one.writer == Writer::kKubernetes;
      });
  return std::move(remedy).value_or(Remedy());
}

Remedy RemedyInQueueMessage(const std::string& message, const QueueNames& queue,
                            const Particulars& found) {
  const Placeholders names = {{"{queue}", Named("queue", queue.queue)},
                              {"{workload}", Named("Workload", queue.workload)},
                              {"{ask}", queue.ask}};
  auto remedy = FirstFilled(Scan({message}), AllRemedies().of_queues, found,
                            names, [](const IndexedRemedy&) { return true; });
  if (remedy.has_value()) return *std::move(remedy);
  return {.step = absl::StrCat("see what ", Named("queue", queue.queue),
                               " waits for: ", queue.ask),
          .actor = v1::FirstStep::USER,
          .command = queue.ask};
}

}  // namespace mulligan::words
