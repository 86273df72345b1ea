#include "policy/demystify/gang.h"

#include <re2/re2.h>

#include <algorithm>
#include <compare>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "policy/demystify/causes.h"
#include "policy/demystify/context.h"
#include "policy/demystify/fact.h"
#include "policy/demystify/member.h"
#include "policy/demystify/pod_state.h"
#include "policy/demystify/readers/pod_life.h"
#include "policy/demystify/readers/pod_reader.h"
#include "policy/demystify/weighing/worth.h"

namespace mulligan::demystify {
namespace {

// The properties of a member that decide whether it precedes another.
struct Suspect {
  const PodReading& member;
  GangClass member_class = ClassOf(member);
  Seconds began = BeginOfTrouble(member);
};

bool IsAnnounced(const Suspect& one) {
  return one.member_class == GangClass::kHardware ||
         one.member_class == GangClass::kDisruption;
}

// Returns whether the member may be an echo but names its problem, so that a
// later unexplained kill is not a better root.
bool NamesProblem(const Suspect& one) {
  return one.member_class == GangClass::kEcho &&
         one.member.best.cause != v1::COLLECTIVE_CASCADE &&
         one.member.best.cause != v1::RENDEZVOUS_FAILED &&
         one.member.best.confidence >= v1::Diagnosis::MEDIUM;
}

// Returns how much a member's evidence settles: nothing if only its exit code.
std::pair<Tier, v1::Diagnosis::Confidence> SettledBy(const PodReading& member) {
  if (ShowsOnlyItsEnd(member)) return {Tier::kGeneric, v1::Diagnosis::LOW};
  return {member.best.tier, member.best.confidence};
}

// Returns the seconds after the member's end within which `announced` may be
// detected and still have happened first.
Seconds AnnouncementLag(const PodReading& member, const PodReading& announced) {
  const bool of_node = announced.best.cause == v1::NODE_LOST ||
                       announced.best.cause == v1::TAINT_EVICTED;
  return of_node && ShowsOnlyItsEnd(member) ? kNodeLossSeenAfter : kClockSkew;
}

bool WasKilled(const PodReading& member) {
  constexpr std::int32_t kKilled = 128 + 9;
  return member.state.exit_code == kKilled;
}

bool EarlierBy(Seconds lag, Seconds x, Seconds y) {
  return Known(x) && Known(y) && x + lag < y;
}

// Returns whether an unexplained kill preceded a member without a reason of its
// own. SIGKILL follows SIGTERM after a grace period, so a SIGKILL near the
// first end means that the stop began earlier.
bool KilledBefore(const Suspect& killed, const Suspect& other) {
  const Seconds lag =
      WasKilled(killed.member)
          ? -std::clamp<Seconds>(killed.member.state.grace, 0, kClockSkew)
          : kClockSkew;
  return ShowsOnlyItsEnd(other.member) &&
         EarlierBy(lag, killed.began, other.began);
}

// Returns whether a watchdog ended the member because a collective took too
// long. Members killed then or later were torn down with it.
bool IsTimeout(const PodReading& member) {
  return ClassOf(member) == GangClass::kEcho && member.best.cause == v1::HANG;
}

// Returns whether time makes `a` the root although `b` has the earlier class.
bool LeadsByTime(const Suspect& a, const Suspect& b) {
  if (IsAnnounced(b) && FailedByItself(a.member) &&
      EarlierBy(AnnouncementLag(a.member, b.member), a.began, b.began)) {
    return true;
  }
  const bool b_unexplained = b.member_class == GangClass::kUnexplained;
  if (b_unexplained && IsTimeout(a.member)) {
    return !EarlierBy(kClockSkew, b.began, a.began);
  }
  if (a.member_class == GangClass::kUnexplained && KilledBefore(a, b)) {
    return true;
  }
  if (b_unexplained && NamesProblem(a) && Before(a.began, b.began)) return true;
  // A peer's death that was reported well before had another cause.
  return a.member_class == GangClass::kEcho && MayFollow(b.member) &&
         EarlierBy(kClockSkew, a.began, b.began);
}

// Compares two suspects by class, time and evidence: less if `a` is the root
// rather than `b`, greater for the reverse, equivalent if undecided.
std::weak_ordering OrderOf(const Suspect& a, const Suspect& b) {
  constexpr auto kFirst = std::weak_ordering::less;
  constexpr auto kSecond = std::weak_ordering::greater;
  if (a.member_class != b.member_class) {
    if (LeadsByTime(a, b)) return kFirst;
    return !LeadsByTime(b, a) && a.member_class < b.member_class ? kFirst
                                                                 : kSecond;
  }
  if (EarlierBy(kClockSkew, a.began, b.began)) return kFirst;
  if (EarlierBy(kClockSkew, b.began, a.began)) return kSecond;
  const auto settled_a = SettledBy(a.member);
  const auto settled_b = SettledBy(b.member);
  if (settled_a != settled_b) return settled_b <=> settled_a;
  if (Before(a.began, b.began)) return kFirst;
  if (Before(b.began, a.began)) return kSecond;
  // A stop sends SIGTERM first, so the member with SIGKILL was not part of it.
  const bool killed = WasKilled(a.member);
  if (a.member_class == GangClass::kUnexplained &&
      killed != WasKilled(b.member)) {
    return killed ? kFirst : kSecond;
  }
  return std::weak_ordering::equivalent;
}

// Returns the number of members that ended like the root, including it; 0 if
// the root shows more than how it ended.
int CountTies(const PodReading& root, const Attempt& attempt) {
  if (!MayFollow(root)) return 0;
  const Suspect first{root};
  return static_cast<int>(std::ranges::count_if(attempt.pods, [&](int pod) {
    const Member& member = attempt.member(pod);
    return member.failed() &&
           OrderOf(first, {member.reading}) == std::weak_ordering::equivalent;
  }));
}

// Returns whether `a` is the root rather than `b`. Ties are resolved by name,
// so that the order of the report does not matter.
bool Precedes(const Context& context, const PodReading& a,
              const PodReading& b) {
  const std::weak_ordering order = OrderOf({a}, {b});
  if (order != std::weak_ordering::equivalent) return std::is_lt(order);
  if (Stronger(a.best, b.best)) return true;
  if (Stronger(b.best, a.best)) return false;
  const auto& pods = context.report.pods();
  return pods[a.pod].metadata().name() < pods[b.pod].metadata().name();
}

// Returns whether a member died because of the root: it is an echo, a kill, or
// a plain error that did not precede the root's trouble.
bool IsCascade(const PodReading& member, const PodReading& root) {
  const GangClass of_member = ClassOf(member);
  const GangClass of_root = ClassOf(root);
  if (of_member == GangClass::kRecovered) return false;
  const bool later = !EarlierBy(AnnouncementLag(member, root),
                                member.state.finished_at, BeginOfTrouble(root));
  if (of_member == GangClass::kEcho) {
    return of_root != GangClass::kEcho ||
           (member.best.cause != root.best.cause && later);
  }
  if (!later) return false;
  if (of_member == GangClass::kUnexplained) {
    return of_root < GangClass::kUnexplained;
  }
  const bool plain =
      member.best.tier <= Tier::kConvention && of_member == GangClass::kOwn;
  if (of_root == GangClass::kUnexplained) return ShowsOnlyItsEnd(member);
  return plain &&
         (of_root < GangClass::kOwn || (root.best.tier > member.best.tier &&
                                        member.best.cause != root.best.cause));
}

// Returns the stated parts of the operation in a message of NCCL's watchdog:
// "SeqNum=1, OpType=ALLREDUCE, NumelIn=104857600".
std::string OperationIn(std::string_view line) {
  static const re2::RE2* const part =
      new re2::RE2("\\b(SeqNum|OpType|NumelIn)=(\\w+)");
  std::string operation;
  re2::StringPiece rest(line.data(), line.size());
  std::string name;
  std::string value;
  while (re2::RE2::FindAndConsume(&rest, *part, &name, &value)) {
    if (!operation.empty()) operation.push_back(' ');
    operation.append(name).append("=").append(value);
  }
  return operation;
}

// Returns number and kind, and the size only if it distinguishes the two.
std::string Shown(const std::string& operation, const std::string& other) {
  const std::size_t size = operation.find(" NumelIn");
  const std::string brief = operation.substr(0, size);
  return brief == other.substr(0, other.find(" NumelIn")) ? operation : brief;
}

struct Straggler {
  // Index into report.pods; -1 if no member stands out.
  int pod = -1;
  // Why it or none stands out, as in "it reported nothing"; may be empty.
  std::string reason;
};

Straggler StragglerIn(const std::string& own, int pod,
                      const std::string& others) {
  return {pod, "it was in " + Shown(own, others) + ", the others in " +
                   Shown(others, own)};
}

// Members by the collective operation that each reported last.
struct LastReports {
  std::vector<int> silent;
  // Whether the silent member still runs; only used if there is one.
  bool runs = false;
  std::map<std::string, std::vector<int>> waiting;
  std::size_t waited = 0;
};

LastReports ReadLastReports(const Attempt& attempt) {
  LastReports reports;
  for (const int pod : attempt.pods) {
    const Member& member = attempt.member(pod);
    const bool runs =
        !member.reading.failing() && PodRuns(attempt.report().pods(pod));
    if (!member.failed() && !runs) continue;
    if (!runs && member.reading.best.cause == v1::HANG) {
      ++reports.waited;
      reports.waiting[OperationIn(member.reading.best.text)].push_back(pod);
    } else {
      reports.silent.push_back(pod);
      reports.runs = runs;
    }
  }
  return reports;
}

// Returns the member that kept the others waiting in a collective operation.
// Waiting members report their operation, so it is the only member that
//
//   1. reports none, whether it ended or still runs, while two or more do, or
//   2. reports another operation (number, kind or size) than the rest.
//
// If all report the same operation, the straggler is unknown.
Straggler FindStraggler(const Attempt& attempt) {
  const LastReports reports = ReadLastReports(attempt);
  if (reports.waited < 2 || reports.silent.size() > 1) return {};
  if (!reports.silent.empty()) {
    return {reports.silent.front(), reports.runs
                                        ? "it reported nothing, and still runs"
                                        : "it reported nothing"};
  }
  const auto& [one, first] = *reports.waiting.begin();
  if (reports.waiting.size() == 1 && !one.empty()) {
    return {-1, "all " + std::to_string(reports.waited) +
                    " members waited in the same operation, none stands out"};
  }
  if (reports.waited < 3 || reports.waiting.size() != 2) return {};
  const auto& [other, last] = *reports.waiting.rbegin();
  if (first.size() == 1) return StragglerIn(one, first[0], other);
  if (last.size() == 1) return StragglerIn(other, last[0], one);
  return {};
}

// Names a culprit among at most this many first ends: right half the time.
constexpr int kMaxGuessed = 2;

// Returns a remark without a pod if the culprit is unknown: all members lost
// another one, or several ended alike.
Straggler ExplainNoCulprit(const Attempt& attempt, const PodReading& root,
                           int failing) {
  if (failing < 2) return {};
  const std::string failed = std::to_string(failing) + " members that failed ";
  if (root.best.cause == v1::COLLECTIVE_CASCADE) {
    return {-1, "none of the " + failed + "began it"};
  }
  const int alike = CountTies(root, attempt);
  if (alike <= kMaxGuessed && alike != failing) return {};
  return {-1, std::to_string(alike) + " of " + failed +
                  "ended so at once, none says why"};
}

// Returns the members that died because of the root, or of the member `named`.
// `waited_for`: that member kept the others waiting.
std::vector<const PodReading*> FindCascades(const Attempt& attempt,
                                            const PodReading& root, int named,
                                            bool waited_for) {
  std::vector<const PodReading*> cascades;
  for (const int pod : attempt.pods) {
    const Member& member = attempt.member(pod);
    if (pod == named || !member.failed()) continue;
    // All waiting members died because of it, also the one that reports it.
    const bool waited = waited_for && IsTimeout(member.reading);
    // If members work alone, only a message shows that one died of another.
    const bool may_follow =
        !member.alone || ClassOf(member.reading) == GangClass::kEcho;
    if (waited ||
        (pod != root.pod && may_follow && IsCascade(member.reading, root))) {
      cascades.push_back(&member.reading);
    }
  }
  return cascades;
}

}  // namespace

Gang ReadGang(const Attempt& attempt) {
  Gang gang;
  PodReading root;
  int failing = 0;
  for (const int pod : attempt.pods) {
    const Member& member = attempt.member(pod);
    const PodReading& reading = member.reading;
    if (member.settled) continue;
    if (!reading.failing()) {
      ++gang.healthy;
      if (PodRuns(attempt.report().pods(pod))) ++gang.running;
    } else if (member.succeeded()) {
      if (gang.succeeded++ == 0) gang.first_succeeded = pod;
      if (reading.state.phase == Phase::kFailed &&
          gang.succeeded_as_failed < 0) {
        gang.succeeded_as_failed = pod;
      }
    } else {
      ++failing;
      if (!root.failing() || Precedes(attempt.context, reading, root))
        root = reading;
    }
  }
  gang.root = root.pod;
  if (gang.root < 0) return gang;
  gang.state = root.state;
  gang.named = NamedBy(attempt, root);
  gang.rootless = failing > 1 && root.best.cause == v1::COLLECTIVE_CASCADE;
  const bool timeout = gang.named < 0 && IsTimeout(root);
  if (gang.named < 0) {
    Straggler found = timeout ? FindStraggler(attempt)
                              : ExplainNoCulprit(attempt, root, failing);
    gang.no_culprit = found.pod < 0 && !found.reason.empty();
    gang.stands_out = std::move(found.reason);
    if (found.pod != gang.root) gang.named = found.pod;
  }
  gang.cascades =
      FindCascades(attempt, root, gang.named, timeout && gang.named >= 0);
  return gang;
}

}  // namespace mulligan::demystify
