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

// What tells of a member whether it comes before another one.
struct Suspect {
  const PodReading& member;
  GangClass member_class = ClassOf(member);
  Seconds began = BeginOfTrouble(member);
};

bool IsAnnounced(const Suspect& one) {
  return one.member_class == GangClass::kHardware ||
         one.member_class == GangClass::kDisruption;
}

// Could be an echo, but names what it met: a later kill that nobody explains is
// no better root.
bool IsNamed(const Suspect& one) {
  return one.member_class == GangClass::kEcho &&
         one.member.best.cause != v1::COLLECTIVE_CASCADE &&
         one.member.best.cause != v1::RENDEZVOUS_FAILED &&
         one.member.best.confidence >= v1::Diagnosis::MEDIUM;
}

// How much the evidence of a member settles; its exit code alone, nothing.
std::pair<Tier, v1::Diagnosis::Confidence> SettledBy(const PodReading& member) {
  if (SaysNothing(member)) return {Tier::kGeneric, v1::Diagnosis::LOW};
  return {member.best.tier, member.best.confidence};
}

// How much later than a member's own end `announced` may be found out and still
// have come first.
Seconds AnnouncementLag(const PodReading& member, const PodReading& announced) {
  const bool of_node = announced.best.cause == v1::NODE_LOST ||
                       announced.best.cause == v1::TAINT_EVICTED;
  return of_node && SaysNothing(member) ? kNodeLossSeenAfter : kClockSkew;
}

bool WasKilled(const PodReading& member) {
  constexpr std::int32_t kKilled = 128 + 9;
  return member.state.exit_code == kKilled;
}

bool EarlierBy(Seconds lag, Seconds x, Seconds y) {
  return Known(x) && Known(y) && x + lag < y;
}

// Whether a kill that nobody explains came before a member that says nothing
// more. Who stops a pod sends SIGTERM at once, SIGKILL only after its grace
// period, so that one about the time of the first end is the beginning.
bool KilledBefore(const Suspect& killed, const Suspect& other) {
  const Seconds lag =
      WasKilled(killed.member)
          ? -std::clamp<Seconds>(killed.member.state.grace, 0, kClockSkew)
          : kClockSkew;
  return SaysNothing(other.member) && EarlierBy(lag, killed.began, other.began);
}

// A watchdog ended it because a collective took too long: what was killed then
// or later was torn down with it.
bool IsTimeout(const PodReading& member) {
  return ClassOf(member) == GangClass::kEcho && member.best.cause == v1::HANG;
}

// Whether time makes `a` the root although the class of `b` comes first.
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
  if (b_unexplained && IsNamed(a) && Before(a.began, b.began)) return true;
  // A peer's death that showed well before had another cause.
  return a.member_class == GangClass::kEcho && MayFollow(b.member) &&
         EarlierBy(kClockSkew, a.began, b.began);
}

// Whether class, time or what the evidence settles makes `a` the root rather
// than `b` (less), or the other way round; neither (equivalent): they are
// alike.
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
  // Who stops a gang asks first: the one that was killed was not asked.
  const bool killed = WasKilled(a.member);
  if (a.member_class == GangClass::kUnexplained &&
      killed != WasKilled(b.member)) {
    return killed ? kFirst : kSecond;
  }
  return std::weak_ordering::equivalent;
}

// Members that ended like the root, itself included, where none of them says
// more than how it ended; 0: the root does.
int AlikeWith(const PodReading& root, const Attempt& attempt) {
  if (!MayFollow(root)) return 0;
  const Suspect first{root};
  return static_cast<int>(std::ranges::count_if(attempt.pods, [&](int pod) {
    const Member& member = attempt.member(pod);
    return member.failed() &&
           OrderOf(first, {member.reading}) == std::weak_ordering::equivalent;
  }));
}

// Whether `a` is root rather than `b`; of members that nothing tells apart the
// first by name, so that the order of the report does not show.
bool Precedes(const Context& context, const PodReading& a,
              const PodReading& b) {
  const std::weak_ordering order = OrderOf({a}, {b});
  if (order != std::weak_ordering::equivalent) return std::is_lt(order);
  if (Stronger(a.best, b.best)) return true;
  if (Stronger(b.best, a.best)) return false;
  const auto& pods = context.report.pods();
  return pods[a.pod].metadata().name() < pods[b.pod].metadata().name();
}

// Whether a member died because of the root: echoes, kills, and plain errors
// that came no earlier than the root's own trouble.
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
  if (of_root == GangClass::kUnexplained) return SaysNothing(member);
  return plain &&
         (of_root < GangClass::kOwn || (root.best.tier > member.best.tier &&
                                        member.best.cause != root.best.cause));
}

// "SeqNum=1, OpType=ALLREDUCE, NumelIn=104857600" of NCCL's watchdog, as far
// as it is told.
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

// Number and kind; the size only where they do not tell two apart.
std::string Shown(const std::string& operation, const std::string& other) {
  const std::size_t size = operation.find(" NumelIn");
  const std::string brief = operation.substr(0, size);
  return brief == other.substr(0, other.find(" NumelIn")) ? operation : brief;
}

struct Straggler {
  // Index into report.pods; -1: nobody stands out.
  int pod = -1;
  // How it, or nobody, stands out, for people: "it reported nothing, and still
  // runs". Empty: nothing to say.
  std::string how;
};

Straggler InAnotherOperation(const std::string& own, int pod,
                             const std::string& others) {
  return {pod, "it was in " + Shown(own, others) + ", the others in " +
                   Shown(others, own)};
}

// Members by what they report of the collective operation.
struct LastReports {
  std::vector<int> silent;
  // The silent one still runs; of several it does not matter.
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

// The member that kept the others waiting. `pods` are the members of an attempt
// in which a watchdog ended a collective operation. Every member that waited
// reports it; so the one is meant that
// 1. alone reports none, whether it ended or still runs, while two or more
//    others do, or
// 2. alone reports another operation (number, kind or size) than the rest.
// Where every member reports the same operation, none of them is known to be
// the reason.
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
  if (first.size() == 1) return InAnotherOperation(one, first[0], other);
  if (last.size() == 1) return InAnotherOperation(other, last[0], one);
  return {};
}

// Of so many that ended first one is named: it is right half the time.
constexpr int kWorthAGuess = 2;

// Somebody began it, but none of the members in the report is known to be the
// one: all lost another, or several ended alike.
Straggler FindNobody(const Attempt& attempt, const PodReading& root,
                     int failing) {
  if (failing < 2) return {};
  const std::string failed = std::to_string(failing) + " members that failed ";
  if (root.best.cause == v1::COLLECTIVE_CASCADE) {
    return {-1, "none of the " + failed + "began it"};
  }
  const int alike = AlikeWith(root, attempt);
  if (alike <= kWorthAGuess && alike != failing) return {};
  return {-1, std::to_string(alike) + " of " + failed +
                  "ended so at once, none says why"};
}

// Members that died because of the root, or of the one that it names.
// `waited_for`: that one kept the others waiting.
std::vector<const PodReading*> FindCascades(const Attempt& attempt,
                                            const PodReading& root, int named,
                                            bool waited_for) {
  std::vector<const PodReading*> cascades;
  for (const int pod : attempt.pods) {
    const Member& member = attempt.member(pod);
    if (pod == named || !member.failed()) continue;
    // Whoever waited for the one died of it, the member that tells included.
    const bool waited = waited_for && IsTimeout(member.reading);
    // Of those that work for themselves only words tell that one died of
    // another.
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
    Straggler found =
        timeout ? FindStraggler(attempt) : FindNobody(attempt, root, failing);
    gang.nobody = found.pod < 0 && !found.how.empty();
    gang.stands_out = std::move(found.how);
    if (found.pod != gang.root) gang.named = found.pod;
  }
  gang.cascades =
      FindCascades(attempt, root, gang.named, timeout && gang.named >= 0);
  return gang;
}

}  // namespace mulligan::demystify
