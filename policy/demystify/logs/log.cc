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

// Whether it tells only that a process which the program started ended.
bool IsOfChild(const Finding& finding) {
  return finding.row != nullptr && (finding.row->row.flags & kOfChild) != 0;
}

// The finding if it names the cause and is no echo, else nothing.
Finding IfItSettles(const Finding& finding) {
  const bool settles = finding.row != nullptr && !IsEcho(finding) &&
                       finding.row->row.tier >= Tier::kSpecific;
  return settles ? finding : Finding{};
}

// XIDs are told apart by number, so that they have a table of their own.
Finding FindXid(const Scanned& scanned, bool faults_only) {
  const Xid xid = WorstXid(scanned.told());
  if (faults_only && xid.effect <= XidEffect::kProgram) return {};
  return scanned.FindAt(XidSignature(xid.effect), xid.at);
}

// What the lines say that tell of an exception: the program's own last word.
Finding FindInExceptions(const Scanned& scanned) {
  std::string exceptions(scanned.reports());
  if (!KeepExceptions(exceptions)) return {};
  return IfItSettles(scanned.Find(ApplicationTexts(), exceptions));
}

// Whether it tells of a mistake, which ends a program by itself.
bool IsMistake(const Finding& finding) {
  return finding.row != nullptr &&
         (finding.row->row.cause == v1::CONFIG_USER_ERROR ||
          finding.row->row.cause == v1::DATA_OR_NUMERIC);
}

// What the log says from `begin` on.
Finding FindFrom(const Scanned& scanned, std::size_t begin) {
  std::string rest(scanned.told());
  std::fill_n(rest.begin(), begin, ' ');
  return scanned.Find(ApplicationTexts(), rest);
}

// What the last line of low severity that is known says, after which no line
// reports anything: the program's last word. Of a mistake it is not, for the
// program went on, unless that is a tool's, which ends a script.
Finding FindInChatter(const Scanned& scanned) {
  constexpr int kMostLooks = 8;
  Finding said;
  for (int i = 0; i < kMostLooks; ++i) {
    const Finding later = FindFrom(scanned, said.end);
    if (later.row == nullptr) break;
    said = later;
  }
  const bool reported = scanned.reports().find_first_not_of(
                            " \t\r\n", said.end) != std::string_view::npos;
  const bool went_on = reported || (IsMistake(said) && !IsOfTool(said.line));
  return went_on ? Finding{} : said;
}

// What the lines that report say; where they are silent the last word of those
// that do not, and of memory also where they are vague or tell of a lost peer:
// programs warn before they, or those they watch, end for want of it.
Finding FindAnywhere(const Scanned& scanned) {
  const Finding found = scanned.Find(ApplicationTexts(), scanned.reports());
  if (!scanned.has_chatter()) return found;
  if (found.row == nullptr) {
    const Finding said = FindInChatter(scanned);
    if (said.row != nullptr) return said;
  } else if (found.row->row.tier >= Tier::kSpecific &&
             found.row->row.cause != v1::COLLECTIVE_CASCADE) {
    return found;
  }
  const Finding memory =
      IfItSettles(scanned.Find(MemoryErrors(), scanned.told()));
  return memory.row != nullptr ? memory : found;
}

// Whether `inner` is what `outer` was raised from: Java and .NET print the
// wrapper first, and between the two nothing but where it was raised.
bool IsCauseOf(const Scanned& scanned, const Finding& inner,
               const Finding& outer) {
  bool chained = false;
  for (std::size_t begin = outer.begin; begin <= inner.begin;) {
    const std::size_t end =
        std::min(scanned.told().find('\n', begin), scanned.told().size());
    if (begin > outer.begin) {
      const ChainLine line =
          KindInChain(scanned.told().substr(begin, end - begin));
      if (line == ChainLine::kOther) return false;
      chained |= line == ChainLine::kCause;
    }
    begin = end + 1;
  }
  return chained;
}

// An error of the program's own that it met before `echo` and anything else
// that may be one.
Finding OwnErrorBefore(const Scanned& scanned, const Finding& echo) {
  const Finding own = scanned.Find(ProgramErrors(), scanned.reports());
  if (own.row == nullptr || own.begin >= echo.begin ||
      IsCauseOf(scanned, echo, own)) {
    return {};
  }
  const std::string_view until = scanned.reports().substr(0, own.end);
  return IsEcho(scanned.Find(ApplicationTexts(), until)) ? Finding{} : own;
}

// Whether the program went on after `finding`: before `end` some line follows
// that tells neither of it nor of another try.
bool WentOn(const Scanned& scanned, const Finding& finding, std::size_t end) {
  std::size_t begin = finding.end + 1;
  while (begin < end) {
    const std::size_t next = std::min(scanned.told().find('\n', begin), end);
    const std::string_view line = scanned.told().substr(begin, next - begin);
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

// What the exception says that torchrun quotes as that of the first child to
// fail, where `echo` tells only that one did.
Finding QuotedByLauncher(const Scanned& scanned, const Finding& echo) {
  if (echo.row->row.tier > Tier::kConvention) return {};
  const std::size_t summary =
      scanned.told().find("Root Cause (first observed failure)");
  const std::size_t begin = BeginOfLastTraceback(scanned.told());
  if (summary == std::string_view::npos || begin == std::string_view::npos ||
      begin < summary) {
    return {};
  }
  const Finding quoted = FindFrom(scanned, begin);
  return IsEcho(quoted) ? Finding{} : quoted;
}

// What the process said of which `launcher` tells that it ended.
Finding SaidByChild(const Scanned& scanned, const Finding& launcher) {
  Finding said = launcher;
  while (IsOfChild(said)) {
    said = scanned.Find(ApplicationTexts(),
                        scanned.reports().substr(0, said.begin));
  }
  return said;
}

// What the last uncaught exception says, where the program had met `other` long
// before, and gone on: a service it could do without, a file it did not need.
Finding LastExceptionAfter(const Scanned& scanned, const Finding& other) {
  const bool passing = other.row->row.cause == v1::DEPENDENCY_UNAVAILABLE ||
                       other.row->row.cause == v1::CONFIG_USER_ERROR;
  if (!passing) return {};
  const std::size_t begin = BeginOfLastTraceback(scanned.told());
  if (begin == std::string_view::npos || begin <= other.begin ||
      !WentOn(scanned, other, begin)) {
    return {};
  }
  const Finding last = FindFrom(scanned, begin);
  return IsOfChild(last) ? Finding{} : last;
}

Finding Best(const Scanned& scanned) {
  // First, what the driver says of the GPU.
  Finding found = FindXid(scanned, /*faults_only=*/true);
  if (found.row != nullptr) return found;
  // Second, what the log says of the machine.
  found = IfItSettles(scanned.Find(HardwareErrors(), scanned.reports()));
  if (found.row != nullptr) return found;
  // Third, what an exception names, unless it could be an echo.
  found = FindInExceptions(scanned);
  if (found.row != nullptr) return found;
  // Fourth, everything else, unless the program went on and met its end later,
  // a launcher tells of one that said more itself, or an error of its own came
  // before an echo or is quoted in it.
  found = FindAnywhere(scanned);
  if (found.row == nullptr) return FindXid(scanned, /*faults_only=*/false);
  const Finding said = SaidByChild(scanned, found);
  if (said.row != nullptr) found = said;
  const Finding last = LastExceptionAfter(scanned, found);
  if (last.row != nullptr) return last;
  if (!IsEcho(found)) return found;
  const Finding own = OwnErrorBefore(scanned, found);
  if (own.row != nullptr) return own;
  const Finding quoted = QuotedByLauncher(scanned, found);
  return quoted.row != nullptr ? quoted : found;
}

}  // namespace

LogReader::Said LogReader::Read(std::string_view text, bool killed) const {
  const Scanned scanned(text, allowance_);
  const Finding found = Best(scanned);
  const bool went_on = killed && IsMistake(found) &&
                       WentOn(scanned, found, scanned.told().size());
  if (went_on) return {};
  Said said;
  if (found.row != nullptr) said.push_back(found);
  if (IsMistake(found)) {
    const Finding passing = scanned.Find(PassingTexts(), scanned.reports());
    if (passing.row != nullptr) said.push_back(passing);
  } else if (!killed) {
    // Programs tell that they are done as they tell all that goes well.
    const Finding ending = scanned.Find(EndingTexts(), scanned.told());
    if (ending.row != nullptr) said.push_back(ending);
  }
  return said;
}

const Signature* LogReader::Add(Candidates& candidates, std::string_view text,
                                const Place& place, Seconds at, bool killed) {
  if (text.empty()) return nullptr;
  if (text != text_ || killed != killed_) {
    said_ = Read(text, killed);
    text_ = text;
    killed_ = killed;
  }
  for (const Finding& found : said_) {
    Candidate& fact =
        AddFact(candidates, found.table, found.row->row, place, {}, at);
    fact.text = found.line.empty() ? text : found.line;
    fact.found_at = found.at;
  }
  const bool decides =
      !said_.empty() && said_.front().row->row.tier > Tier::kHint;
  return decides ? &said_.front().row->row : nullptr;
}

}  // namespace mulligan::demystify
