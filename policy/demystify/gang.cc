#include "policy/demystify/gang.h"

#include <cstddef>

#include "policy/demystify/life_signs.h"

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

// Whether `a` is root rather than `b`.
bool Precedes(const PodReading& a, const PodReading& b) {
  const GangClass class_a = ClassOf(a);
  const GangClass class_b = ClassOf(b);
  const Seconds begin_a = BeginOfTrouble(a);
  const Seconds begin_b = BeginOfTrouble(b);
  const auto well_before = [](Seconds x, Seconds y) {
    return Known(x) && Known(y) && x + kClockSkew < y;
  };
  if (class_a != class_b) {
    if (IsAnnounced(class_b) && FailedByItself(a) &&
        well_before(begin_a, begin_b)) {
      return true;
    }
    if (IsAnnounced(class_a) && FailedByItself(b) &&
        well_before(begin_b, begin_a)) {
      return false;
    }
    if (IsNamed(a, class_a) && class_b == GangClass::kUnexplained &&
        Before(begin_a, begin_b)) {
      return true;
    }
    if (IsNamed(b, class_b) && class_a == GangClass::kUnexplained &&
        Before(begin_b, begin_a)) {
      return false;
    }
    return class_a < class_b;
  }
  if (well_before(begin_a, begin_b)) return true;
  if (well_before(begin_b, begin_a)) return false;
  if (a.best.tier != b.best.tier) return a.best.tier > b.best.tier;
  if (a.best.confidence != b.best.confidence) {
    return a.best.confidence > b.best.confidence;
  }
  if (Before(begin_a, begin_b)) return true;
  if (Before(begin_b, begin_a)) return false;
  return Stronger(a.best, b.best);
}

// Whether a member died because of the root: echoes, kills, and plain errors
// that came no earlier than the root's own trouble.
bool IsCascade(const PodReading& member, const PodReading& root) {
  const GangClass of_member = ClassOf(member);
  const GangClass of_root = ClassOf(root);
  if (of_member == GangClass::kRecovered) return false;
  const bool later =
      !Known(member.state.finished_at) ||
      !Before(member.state.finished_at + kClockSkew, BeginOfTrouble(root));
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
  return plain &&
         (of_root < GangClass::kOwn || (root.best.tier > member.best.tier &&
                                        member.best.cause != root.best.cause));
}

// Whose facts explain the answer.
int SubjectOf(const Gang& gang) {
  if (gang.root >= 0) return gang.root;
  return gang.first_succeeded;
}

}  // namespace

Gang ReadGang(const Context& context, const std::vector<Member>& members,
              const std::vector<int>& pods, Candidates& facts) {
  Gang gang;
  PodReading root;
  for (const int pod : pods) {
    const Member& member = members[static_cast<std::size_t>(pod)];
    const PodReading& reading = member.reading;
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
      if (!root.failing() || Precedes(reading, root)) root = reading;
    }
  }
  gang.root = root.pod;
  const int subject = SubjectOf(gang);
  if (members.size() > 1) {
    facts.clear();
    if (subject >= 0) root = ReadPod(context, subject, facts);
  }
  if (gang.root < 0) return gang;
  gang.cause = root.best;
  gang.state = root.state;
  gang.rootless = gang.failing > 1 && root.best.cause == v1::COLLECTIVE_CASCADE;
  for (const int pod : pods) {
    const Member& member = members[static_cast<std::size_t>(pod)];
    if (pod != gang.root && member.failed() &&
        IsCascade(member.reading, root)) {
      gang.cascades.push_back(member.reading);
    }
  }
  return gang;
}

}  // namespace mulligan::demystify
