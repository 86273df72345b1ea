#include "policy/demystify/logs/scanned.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include "policy/demystify/logs/line_head.h"
#include "policy/demystify/logs/log_lines.h"
#include "policy/demystify/logs/severity.h"
#include "policy/demystify/logs/structured.h"

namespace mulligan::demystify {
namespace {

// Bytes that a line costs, because several patterns determine its role.
constexpr std::size_t kBytesOfLine = 256;

std::size_t CostOf(std::string_view text) {
  const auto lines = std::ranges::count(text, '\n') + 1;
  return text.size() + kBytesOfLine * static_cast<std::size_t>(lines);
}

}  // namespace

Scanned::Scanned(std::string_view log, PatternAllowance& allowance)
    : log_(log), allowance_(allowance) {
  constexpr std::size_t kMaxScanned = kScannedHead + kScannedTail;
  if (log.size() <= kMaxScanned) {
    AddLines(0, log.size());
  } else {
    AddLines(0, kScannedHead);
    all_.push_back('\n');
    AddLines(log.size() - kScannedTail, log.size());
  }
  BlankAdvice(all_);
  reports_ = all_;
  for (const Part& part : chatter_) Blank(reports_, part.begin, part.end);
}

void Scanned::AddLines(std::size_t begin, std::size_t end) {
  const std::size_t cost = CostOf(log_.substr(begin, end - begin));
  if (!allowance_.TakeReading(cost)) return;
  while (true) {
    const std::size_t stop = std::min(log_.find('\n', begin), end);
    begin += HeadOf(log_.substr(begin, stop - begin));
    AddLine(log_.substr(begin, stop - begin));
    if (stop == end) return;
    all_.push_back('\n');
    begin = stop + 1;
  }
}

void Scanned::AddLine(std::string_view line) {
  // An indented line continues the one before.
  const bool goes_on = line.starts_with("  ") || line.starts_with('\t');
  const bool is_chatter = IsChatter(line) || (goes_on && in_chatter_);
  in_chatter_ = is_chatter;
  if (!IsStructured(line)) return AddPart(line, line, line, is_chatter);
  const StructuredParts parts = PartsOf(line);
  for (const std::string_view part : parts.around) {
    if (part.data() != line.data()) all_.push_back('\n');
    AddPart(line, part, part, is_chatter);
  }
  // Quoted messages come last, unescaped.
  for (const std::string_view part : parts.messages) {
    all_.push_back('\n');
    AddPart(part, part, Unescaped(part), is_chatter || IsChatter(part));
  }
}

void Scanned::AddPart(std::string_view shown, std::string_view part,
                      std::string_view text, bool is_chatter) {
  const auto offset = static_cast<std::size_t>(part.data() - shown.data());
  const std::size_t at = all_.size();
  lines_.push_back({at, shown, offset});
  all_.append(text);
  if (is_chatter) chatter_.push_back({at, all_.size()});
}

LogFinding Scanned::Find(const TextTable& table, std::string_view text) const {
  std::size_t at = 0;
  const TextSignature* row = table.Find(text, &at, &allowance_);
  LogFinding finding = FindAt(row, at);
  finding.table = table.name();
  return finding;
}

LogFinding Scanned::FindAt(const TextSignature* row, std::size_t at) const {
  if (row == nullptr) return {};
  const Line& line = *(std::ranges::upper_bound(lines_, at, {}, &Line::at) - 1);
  return {.row = row,
          .table = "text",
          .line = line.shown,
          .begin = line.at,
          .end = std::min(all_.find('\n', at), all_.size()),
          .at = std::min(line.offset + at - line.at, line.shown.size())};
}

}  // namespace mulligan::demystify
