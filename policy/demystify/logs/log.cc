#include "policy/demystify/logs/log.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include "policy/demystify/fact.h"
#include "policy/demystify/logs/log_lines.h"
#include "policy/demystify/logs/scanned.h"
#include "policy/demystify/logs/severity.h"
#include "policy/demystify/signatures/tables.h"
#include "policy/demystify/signatures/xids.h"

namespace mulligan::demystify {
namespace {

using Finding = LogFinding;

bool IsEcho(const Finding& finding) {
  return finding.row != nullptr && (finding.row->row.flags & kPeerEffect) != 0;
}

// Returns whether it only reports that a child process ended.
bool IsOfChild(const Finding& finding) {
  return finding.row != nullptr && (finding.row->row.flags & kOfChild) != 0;
}

// Returns the finding if it names a cause and is not an echo, else nothing.
Finding IfSpecific(const Finding& finding) {
  const bool settles = finding.row != nullptr && !IsEcho(finding) &&
                       finding.row->row.tier >= Tier::kSpecific;
  return settles ? finding : Finding{};
}

// XIDs differ by number, so they have a table of their own.
Finding FindXid(const Scanned& scanned, bool faults_only) {
  const Xid xid = WorstXid(scanned.all());
  if (faults_only && xid.effect <= XidEffect::kProgram) return {};
  return scanned.FindAt(XidSignature(xid.effect), xid.at);
}

// Returns the finding in lines with an exception, which the program ended with.
Finding FindInExceptions(const Scanned& scanned) {
  std::string exceptions(scanned.reports());
  if (!KeepExceptions(exceptions)) return {};
  return IfSpecific(scanned.Find(ApplicationTexts(), exceptions));
}

// Returns whether it is a user's mistake, for which a program ends by itself.
bool IsMistake(const Finding& finding) {
  return finding.row != nullptr &&
         (finding.row->row.cause == v1::CONFIG_USER_ERROR ||
          finding.row->row.cause == v1::DATA_OR_NUMERIC);
}

// Returns the finding in the log from `begin` on.
Finding FindFrom(const Scanned& scanned, std::size_t begin) {
  std::string rest(scanned.all());
  std::fill_n(rest.begin(), begin, ' ');
  return scanned.Find(ApplicationTexts(), rest);
}

// Returns the last known line of low severity, if no later line reports
// anything. Excludes mistakes that did not end the program, except a tool's.
Finding FindInChatter(const Scanned& scanned) {
  constexpr int kMaxSearches = 8;
  Finding last;
  for (int i = 0; i < kMaxSearches; ++i) {
    const Finding later = FindFrom(scanned, last.end);
    if (later.row == nullptr) break;
    last = later;
  }
  const bool reported = scanned.reports().find_first_not_of(
                            " \t\r\n", last.end) != std::string_view::npos;
  const bool went_on = reported || (IsMistake(last) && !IsOfTool(last.line));
  return went_on ? Finding{} : last;
}

// Returns the finding in the reporting lines, else the last one in the others.
// If it is vague or about a lost peer, low-severity lines about memory come
// first, because programs warn before they run out.
Finding FindAnywhere(const Scanned& scanned) {
  const Finding found = scanned.Find(ApplicationTexts(), scanned.reports());
  if (!scanned.has_chatter()) return found;
  if (found.row == nullptr) {
    const Finding chatter = FindInChatter(scanned);
    if (chatter.row != nullptr) return chatter;
  } else if (found.row->row.tier >= Tier::kSpecific &&
             found.row->row.cause != v1::COLLECTIVE_CASCADE) {
    return found;
  }
  const Finding memory =
      IfSpecific(scanned.Find(MemoryErrors(), scanned.all()));
  return memory.row != nullptr ? memory : found;
}

// Returns whether `outer` was raised from `inner`: Java and .NET print the
// wrapper first, and only stack frames between the two.
bool IsCauseOf(const Scanned& scanned, const Finding& inner,
               const Finding& outer) {
  bool chained = false;
  for (std::size_t begin = outer.begin; begin <= inner.begin;) {
    const std::size_t end =
        std::min(scanned.all().find('\n', begin), scanned.all().size());
    if (begin > outer.begin) {
      const ChainLine line =
          KindInChain(scanned.all().substr(begin, end - begin));
      if (line == ChainLine::kOther) return false;
      chained |= line == ChainLine::kCause;
    }
    begin = end + 1;
  }
  return chained;
}

// Returns the program's own error before `echo` and all possible echoes.
Finding OwnErrorBefore(const Scanned& scanned, const Finding& echo) {
  const Finding own = scanned.Find(ProgramErrors(), scanned.reports());
  if (own.row == nullptr || own.begin >= echo.begin ||
      IsCauseOf(scanned, echo, own)) {
    return {};
  }
  const std::string_view until = scanned.reports().substr(0, own.end);
  return IsEcho(scanned.Find(ApplicationTexts(), until)) ? Finding{} : own;
}

// Returns whether the program went on after `finding`: a later line before
// `end` is neither known nor about a retry.
bool WentOn(const Scanned& scanned, const Finding& finding, std::size_t end) {
  std::size_t begin = finding.end + 1;
  while (begin < end) {
    const std::size_t next = std::min(scanned.all().find('\n', begin), end);
    const std::string_view line = scanned.all().substr(begin, next - begin);
    begin = next + 1;
    const bool blank =
        line.find_first_not_of(" \t\r") == std::string_view::npos;
    if (blank || line.find("etry") != std::string_view::npos ||
        line.find("ttempt") != std::string_view::npos) {
      continue;
    }
    if (!scanned.Knows(ApplicationTexts(), line)) return true;
  }
  return false;
}

// Returns the exception that torchrun quotes for the first failed child, if
// `echo` only says that a child failed.
Finding QuotedByLauncher(const Scanned& scanned, const Finding& echo) {
  if (echo.row->row.tier > Tier::kConvention) return {};
  const std::size_t summary =
      scanned.all().find("Root Cause (first observed failure)");
  const std::size_t begin = BeginOfLastTraceback(scanned.all());
  if (summary == std::string_view::npos || begin == std::string_view::npos ||
      begin < summary) {
    return {};
  }
  const Finding quoted = FindFrom(scanned, begin);
  return IsEcho(quoted) ? Finding{} : quoted;
}

// Returns the last message before `launcher` that is not a launcher's report:
// that of the process whose end it reports.
Finding FindOfChild(const Scanned& scanned, const Finding& launcher) {
  Finding found = launcher;
  while (IsOfChild(found)) {
    found = scanned.Find(ApplicationTexts(),
                         scanned.reports().substr(0, found.begin));
  }
  return found;
}

// Returns the last uncaught exception if the program went on after `other`,
// such as a failed optional service or file.
Finding LastExceptionAfter(const Scanned& scanned, const Finding& other) {
  const bool passing = other.row->row.cause == v1::DEPENDENCY_UNAVAILABLE ||
                       other.row->row.cause == v1::CONFIG_USER_ERROR;
  if (!passing) return {};
  const std::size_t begin = BeginOfLastTraceback(scanned.all());
  if (begin == std::string_view::npos || begin <= other.begin ||
      !WentOn(scanned, other, begin)) {
    return {};
  }
  const Finding last = FindFrom(scanned, begin);
  return IsOfChild(last) ? Finding{} : last;
}

Finding Best(const Scanned& scanned) {
  // 1. The GPU driver's errors.
  Finding found = FindXid(scanned, /*faults_only=*/true);
  if (found.row != nullptr) return found;
  // 2. Errors of the machine.
  found = IfSpecific(scanned.Find(HardwareErrors(), scanned.reports()));
  if (found.row != nullptr) return found;
  // 3. Causes named by an exception, unless it may be an echo.
  found = FindInExceptions(scanned);
  if (found.row != nullptr) return found;
  // 4. All other texts. The message of a launcher's child, a later exception,
  //    and an own error before an echo or quoted in it take precedence.
  found = FindAnywhere(scanned);
  if (found.row == nullptr) return FindXid(scanned, /*faults_only=*/false);
  const Finding child = FindOfChild(scanned, found);
  if (child.row != nullptr) found = child;
  const Finding last = LastExceptionAfter(scanned, found);
  if (last.row != nullptr) return last;
  if (!IsEcho(found)) return found;
  const Finding own = OwnErrorBefore(scanned, found);
  if (own.row != nullptr) return own;
  const Finding quoted = QuotedByLauncher(scanned, found);
  return quoted.row != nullptr ? quoted : found;
}

}  // namespace

LogReader::Findings LogReader::Read(std::string_view text, bool killed) const {
  const Scanned scanned(text, allowance_);
  const Finding found = Best(scanned);
  const bool went_on = killed && IsMistake(found) &&
                       WentOn(scanned, found, scanned.all().size());
  if (went_on) return {};
  Findings findings;
  if (found.row != nullptr) findings.push_back(found);
  if (IsMistake(found)) {
    const Finding passing = scanned.Find(PassingTexts(), scanned.reports());
    if (passing.row != nullptr) findings.push_back(passing);
  } else if (!killed) {
    // Programs report success at a low level.
    const Finding ending = scanned.Find(EndingTexts(), scanned.all());
    if (ending.row != nullptr) findings.push_back(ending);
  }
  return findings;
}

const Signature* LogReader::Add(Candidates& candidates, std::string_view text,
                                const Place& place, Seconds at, bool killed) {
  if (text.empty()) return nullptr;
  if (text != text_ || killed != killed_) {
    findings_ = Read(text, killed);
    text_ = text;
    killed_ = killed;
  }
  for (const Finding& found : findings_) {
    Candidate& fact =
        AddFact(candidates, found.table, found.row->row, place, {}, at);
    fact.text = found.line.empty() ? text : found.line;
    fact.found_at = found.at;
  }
  const bool decides =
      !findings_.empty() && findings_.front().row->row.tier > Tier::kHint;
  return decides ? &findings_.front().row->row : nullptr;
}

}  // namespace mulligan::demystify
