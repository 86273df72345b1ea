#include "policy/demystify/log.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include "policy/demystify/log_lines.h"
#include "policy/demystify/signatures/tables.h"
#include "policy/demystify/signatures/xids.h"

namespace mulligan::demystify {
namespace {

// What was found where. `line` is a part of the log as it was reported.
struct Finding {
  const TextSignature* row = nullptr;
  std::string_view table;
  std::string_view line;
  // Where the line begins.
  std::size_t begin = 0;
};

// The text that is looked at, a copy whose positions lead back to the log.
class Scanned {
 public:
  explicit Scanned(std::string_view log) : log_(log) {
    constexpr std::size_t kMost = kScannedHead + kScannedTail;
    if (log.size() <= kMost) {
      text_ = std::string(log);
      head_ = log.size();
      return;
    }
    head_ = kScannedHead;
    skipped_ = log.size() - kMost;
    text_ = std::string(log.substr(0, kScannedHead));
    text_.append(log.substr(log.size() - kScannedTail));
  }

  std::string& text() { return text_; }

  Finding Find(const TextTable& table) const { return FindIn(table, text_); }

  Finding FindBefore(const TextTable& table, std::size_t end) const {
    return FindIn(table, std::string_view(text_).substr(0, end));
  }

  Xid WorstXid() const { return demystify::WorstXid(text_); }

  // The row found at a position.
  Finding FindAt(const TextSignature* row, std::size_t at) const {
    if (row == nullptr) return {};
    Finding finding{row, "text", {}, at};
    const std::string_view text = text_;
    const std::size_t before = text.substr(0, at).rfind('\n');
    finding.begin = before == std::string_view::npos ? 0 : before + 1;
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::size_t from =
        finding.begin + (finding.begin < head_ ? 0 : skipped_);
    finding.line = log_.substr(from, end - finding.begin);
    return finding;
  }

 private:
  Finding FindIn(const TextTable& table, std::string_view text) const {
    std::size_t at = 0;
    const TextSignature* row = table.Find(text, &at);
    if (row == nullptr) return {};
    Finding finding = FindAt(row, at);
    finding.table = table.name();
    return finding;
  }

  std::string_view log_;
  std::string text_;
  // Where what is looked at goes on after the part left out, and its size.
  std::size_t head_ = 0;
  std::size_t skipped_ = 0;
};

// An error of the program's own that it met before `found` and anything else
// that may be one.
Finding OwnErrorFirst(const Scanned& scanned, const Finding& found) {
  Finding own = scanned.Find(ProgramErrors());
  if (own.row == nullptr || own.begin >= found.begin) return {};
  const Finding first =
      scanned.FindBefore(ApplicationTexts(), own.begin + own.line.size());
  const bool echo =
      first.row != nullptr && (first.row->row.flags & kPeerEffect) != 0;
  return echo ? Finding{} : own;
}

// XIDs are told apart by number, so that they have a table of their own.
Finding FindXid(const Scanned& scanned, bool faults_only) {
  const Xid xid = scanned.WorstXid();
  if (faults_only && xid.effect <= XidEffect::kProgram) return {};
  return scanned.FindAt(XidSignature(xid.effect), xid.at);
}

bool IsEcho(const Finding& finding) {
  return (finding.row->row.flags & kPeerEffect) != 0;
}

// What the lines say that report a fault of the machine.
Finding FindHardware(Scanned& scanned) {
  const std::string told = scanned.text();
  BlankChatter(scanned.text());
  const Finding found = scanned.Find(HardwareErrors());
  scanned.text() = told;
  const bool settles = found.row != nullptr && !IsEcho(found) &&
                       found.row->row.tier >= Tier::kSpecific;
  return settles ? found : Finding{};
}

// What the lines say that tell of an exception: the program's own last word.
Finding FindInExceptions(Scanned& scanned) {
  const std::string told = scanned.text();
  const bool any = KeepExceptions(scanned.text());
  const Finding found = any ? scanned.Find(ApplicationTexts()) : Finding{};
  scanned.text() = told;
  const bool settles = found.row != nullptr && !IsEcho(found) &&
                       found.row->row.tier >= Tier::kSpecific;
  return settles ? found : Finding{};
}

// What all lines say, those of low severity only where no other does.
Finding FindInReports(Scanned& scanned) {
  const std::string told = scanned.text();
  const bool chatter = BlankChatter(scanned.text());
  const Finding found = scanned.Find(ApplicationTexts());
  if (found.row != nullptr || !chatter) return found;
  scanned.text() = told;
  return scanned.Find(ApplicationTexts());
}

Finding Best(Scanned& scanned) {
  // First, what the driver says of the GPU.
  Finding found = FindXid(scanned, /*faults_only=*/true);
  if (found.row != nullptr) return found;
  // Second, what the log says of the machine.
  found = FindHardware(scanned);
  if (found.row != nullptr) return found;
  // Third, what an exception names, unless it could be an echo.
  found = FindInExceptions(scanned);
  if (found.row != nullptr) return found;
  // Fourth, everything else.
  found = FindInReports(scanned);
  if (found.row == nullptr) return FindXid(scanned, /*faults_only=*/false);
  if (!IsEcho(found)) return found;
  const Finding own = OwnErrorFirst(scanned, found);
  return own.row != nullptr ? own : found;
}

}  // namespace

const Signature* AddLog(Candidates& candidates, std::string_view text,
                        const Place& place, Seconds at) {
  if (text.empty()) return nullptr;
  Scanned scanned(text);
  BlankAdvice(scanned.text());
  const Finding found = Best(scanned);
  if (found.row == nullptr) return nullptr;
  Candidate candidate =
      MakeCandidate(found.table, found.row->row, place, std::string_view());
  candidate.text = found.line.empty() ? text : found.line;
  candidate.keyword = found.row->keyword;
  candidate.at = at;
  Add(candidates, candidate);
  return &found.row->row;
}

}  // namespace mulligan::demystify
