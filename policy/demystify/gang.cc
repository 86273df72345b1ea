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

bool IsAnnounced(GangClass member_class) {
  return member_class == GangClass::kHardware ||
         member_class == GangClass::kDisruption;
}

// Could be an echo, but names what it met: a later kill that nobody explains is
// no better root.
bool IsNamed(const PodReading& member, GangClass member_class) {
  return member_class == GangClass::kEcho &&
         member.best.cause != v1::COLLECTIVE_CASCADE &&
         member.best.cause != v1::RENDEZVOUS_FAILED &&
         member.best.confidence >= v1::Diagnosis::MEDIUM;
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

// Whether a kill that nobody explains came before a member that says nothing
// more. Who stops a pod sends SIGTERM at once, SIGKILL only after its grace
// period, so that one about the time of the first end is the beginning.
bool KilledBefore(const PodReading& killed, const PodReading& other) {
  if (!SaysNothing(other)) return false;
  const Seconds at = BeginOfTrouble(killed);
  const Seconds later = BeginOfTrouble(other);
  if (!Known(at) || !Known(later)) return false;
  if (!WasKilled(killed)) return at + kClockSkew < later;
  return at < later + std::clamp<Seconds>(killed.state.grace, 0, kClockSkew);
}

// A watchdog ended it because a collective took too long: what was killed then
// or later was torn down with it.
bool IsTimeout(const PodReading& member) {
  return ClassOf(member) == GangClass::kEcho && member.best.cause == v1::HANG;
}

bool EarlierBy(Seconds lag, Seconds x, Seconds y) {
  return Known(x) && Known(y) && x + lag < y;
}

// Whether time makes `a` the root although the class of `b` comes first.
bool LeadsByTime(const PodReading& a, const PodReading& b) {
  const GangClass class_a = ClassOf(a);
  const GangClass class_b = ClassOf(b);
  const Seconds begin_a = BeginOfTrouble(a);
  const Seconds begin_b = BeginOfTrouble(b);
  if (IsAnnounced(class_b) && FailedByItself(a) &&
      EarlierBy(AnnouncementLag(a, b), begin_a, begin_b)) {
    return true;
  }
  if (class_b == GangClass::kUnexplained && IsTimeout(a)) {
    return !EarlierBy(kClockSkew, begin_b, begin_a);
  }
  if (class_a == GangClass::kUnexplained && KilledBefore(a, b)) return true;
  if (class_b == GangClass::kUnexplained && IsNamed(a, class_a) &&
      Before(begin_a, begin_b)) {
    return true;
  }
  // A peer's death that showed well before had another cause.
  return class_a == GangClass::kEcho && MayFollow(b) &&
         EarlierBy(kClockSkew, begin_a, begin_b);
}

// Whether class, time or what the evidence settles makes `a` the root rather
// than `b` (less), or the other way round; neither (equivalent): they are
// alike.
std::weak_ordering OrderOf(const PodReading& a, const PodReading& b) {
  constexpr auto kFirst = std::weak_ordering::less;
  constexpr auto kSecond = std::weak_ordering::greater;
  const GangClass class_a = ClassOf(a);
  const GangClass class_b = ClassOf(b);
  if (class_a != class_b) {
    if (LeadsByTime(a, b)) return kFirst;
    return !LeadsByTime(b, a) && class_a < class_b ? kFirst : kSecond;
  }
  const Seconds begin_a = BeginOfTrouble(a);
  const Seconds begin_b = BeginOfTrouble(b);
  if (EarlierBy(kClockSkew, begin_a, begin_b)) return kFirst;
  if (EarlierBy(kClockSkew, begin_b, begin_a)) return kSecond;
  const auto settled_a = SettledBy(a);
  const auto settled_b = SettledBy(b);
  if (settled_a != settled_b) return settled_b <=> settled_a;
  if (Before(begin_a, begin_b)) return kFirst;
  if (Before(begin_b, begin_a)) return kSecond;
  // Who stops a gang asks first: the one that was killed was not asked.
  if (class_a == GangClass::kUnexplained && WasKilled(a) != WasKilled(b)) {
    return WasKilled(a) ? kFirst : kSecond;
  }
  return std::weak_ordering::equivalent;
}

// Members that ended like the root, itself included, where none of them says
// more than how it ended; 0: the root does.
int AlikeWith(const PodReading& root, const std::vector<Member>& members,
              const std::vector<int>& pods) {
  if (!MayFollow(root)) return 0;
  return static_cast<int>(std::ranges::count_if(pods, [&](int pod) {
    const Member& member = members[static_cast<std::size_t>(pod)];
    return member.failed() &&
           OrderOf(root, member.reading) == std::weak_ordering::equivalent;
  }));
}

// Whether `a` is root rather than `b`; of members that nothing tells apart the
// first by name, so that the order of the report does not show.
bool Precedes(const Context& context, const PodReading& a,
              const PodReading& b) {
  const std::weak_ordering order = OrderOf(a, b);
  if (order != std::weak_ordering::equivalent) return std::is_lt(order);
  if (Stronger(a.best, b.best)) return true;
  if (Stronger(b.best, a.best)) return false;
  const auto name = [&context](const PodReading& member) -> const auto& {
    return context.report.pods(member.pod).metadata().name();
  };
  return name(a) < name(b);
}

// Whether a member died because of the root: echoes, kills, and plain errors
// that came no earlier than the root's own trouble.
bool IsCascade(const PodReading& member, const PodReading& root) {
  const GangClass of_member = ClassOf(member);
  const GangClass of_root = ClassOf(root);
  if (of_member == GangClass::kRecovered) return false;
  const bool later =
      !Known(member.state.finished_at) ||
      !Before(member.state.finished_at + AnnouncementLag(member, root),
              BeginOfTrouble(root));
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

// One member alone, else nobody.
int Alone(const std::vector<int>& pods) {
  return pods.size() == 1 ? pods.front() : -1;
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

Straggler InAnotherOperation(const std::string& own, int pod,
                             const std::string& others) {
  return {pod, false,
          "it was in " + Shown(own, others) + ", the others in " +
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

LastReports ReadLastReports(const Context& context,
                            const std::vector<Member>& members,
                            const std::vector<int>& pods) {
  LastReports reports;
  for (const int pod : pods) {
    const Member& member = members[static_cast<std::size_t>(pod)];
    const bool runs =
        !member.reading.failing() && PodRuns(context.report.pods(pod));
    if (!member.failed() && !runs) continue;
    if (runs || member.reading.best.cause != v1::HANG) {
      reports.silent.push_back(pod);
      reports.runs = runs;
      continue;
    }
    ++reports.waited;
    reports.waiting[OperationIn(member.reading.best.text)].push_back(pod);
  }
  return reports;
}

// Of so many that ended first one is named: it is right half the time.
constexpr int kWorthAGuess = 2;

// Somebody began it, but none of the members in the report is known to be the
// one: all lost another, or several ended alike.
void LookForNobody(const std::vector<Member>& members,
                   const std::vector<int>& pods, const PodReading& root,
                   Gang& gang) {
  const std::string failing =
      std::to_string(gang.failing) + " members that failed ";
  if (gang.rootless) {
    gang.nobody = true;
    gang.stands_out = "none of the " + failing + "began it";
  } else if (const int alike = AlikeWith(root, members, pods);
             alike > kWorthAGuess || alike == gang.failing) {
    gang.nobody = true;
    gang.stands_out = std::to_string(alike) + " of " + failing +
                      "ended so at once, none says why";
  }
}

}  // namespace

Gang ReadGang(const Context& context, const std::vector<Member>& members,
              const std::vector<int>& pods) {
  Gang gang;
  PodReading root;
  for (const int pod : pods) {
    const Member& member = members[static_cast<std::size_t>(pod)];
    const PodReading& reading = member.reading;
    if (member.settled) continue;
    if (!reading.failing()) {
      ++gang.healthy;
      if (PodRuns(context.report.pods(pod))) ++gang.running;
    } else if (member.succeeded()) {
      if (gang.succeeded++ == 0) gang.first_succeeded = pod;
      if (reading.state.phase == Phase::kFailed &&
          gang.succeeded_as_failed < 0) {
        gang.succeeded_as_failed = pod;
      }
    } else {
      ++gang.failing;
      if (!root.failing() || Precedes(context, reading, root)) root = reading;
    }
  }
  gang.root = root.pod;
  if (gang.root < 0) return gang;
  gang.cause = root.best;
  gang.state = root.state;
  gang.named = NamedBy(context, pods, root);
  const bool timeout = gang.named < 0 && IsTimeout(root);
  if (timeout) {
    Straggler straggler = FindStraggler(context, members, pods);
    gang.stands_out = std::move(straggler.how);
    gang.nobody = straggler.nobody;
    if (straggler.pod != gang.root) gang.named = straggler.pod;
  }
  gang.rootless = gang.failing > 1 && root.best.cause == v1::COLLECTIVE_CASCADE;
  if (gang.named < 0 && gang.failing > 1) {
    LookForNobody(members, pods, root, gang);
  }
  for (const int pod : pods) {
    const Member& member = members[static_cast<std::size_t>(pod)];
    if (pod == gang.named || !member.failed()) continue;
    // Whoever waited for the one died of it, the member that tells included.
    const bool waited = timeout && gang.named >= 0 && IsTimeout(member.reading);
    // Of those that work for themselves only words tell that one died of
    // another.
    const bool may_follow =
        !member.alone || ClassOf(member.reading) == GangClass::kEcho;
    if (waited ||
        (pod != gang.root && may_follow && IsCascade(member.reading, root))) {
      gang.cascades.push_back(&member.reading);
    }
  }
  return gang;
}

Straggler FindStraggler(const Context& context,
                        const std::vector<Member>& members,
                        const std::vector<int>& pods) {
  const LastReports reports = ReadLastReports(context, members, pods);
  if (reports.waited < 2) return {};
  if (!reports.silent.empty()) {
    const int pod = Alone(reports.silent);
    if (pod < 0) return {};
    return {pod, false,
            reports.runs ? "it reported nothing, and still runs"
                         : "it reported nothing"};
  }
  const auto& [one, first] = *reports.waiting.begin();
  if (reports.waiting.size() == 1 && !one.empty()) {
    return {-1, true,
            "all " + std::to_string(reports.waited) +
                " members waited in the same operation, none stands out"};
  }
  if (reports.waited < 3 || reports.waiting.size() != 2) return {};
  const auto& [other, last] = *reports.waiting.rbegin();
  if (Alone(first) >= 0) return InAnotherOperation(one, Alone(first), other);
  if (Alone(last) >= 0) return InAnotherOperation(other, Alone(last), one);
  return {};
}

}  // namespace mulligan::demystify
