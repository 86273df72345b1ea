#include "policy/demystify/attempts.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "policy/demystify/causes.h"
#include "policy/demystify/fact.h"
#include "policy/demystify/life_signs.h"
#include "policy/demystify/member.h"

namespace mulligan::demystify {
namespace {

// Returns whether `later` is known to have begun after `earlier_struck`.
bool BeganAfter(const Member& later, Seconds earlier_begin,
                Seconds earlier_struck) {
  if (!Known(later.begin) || !Known(earlier_struck)) return false;
  if (later.begin != earlier_struck) return later.begin > earlier_struck;
  return earlier_begin != earlier_struck;
}

// Returns whether one may have followed the other, judging by time.
bool IsNear(Seconds a, Seconds b) {
  return Known(a) && Known(b) && a <= b + kClockSkew && b <= a + kClockSkew;
}

// Returns whether the member could not reach a service.
bool IsOutage(const Member& member) {
  return member.reading.best.cause == v1::DEPENDENCY_UNAVAILABLE;
}

// The failed members of one attempt, collected in the order of their ends.
struct OpenIncident {
  std::vector<int> pods;
  // The member that was struck first.
  Seconds first_begin = kUnknownTime;
  Seconds first_struck = kUnknownTime;
  // The member that was struck last.
  Seconds last_begin = kUnknownTime;
  Seconds last_struck = kUnknownTime;
  int restart = -1;
  bool alone = false;
  // They had ended before their queue stopped the others (Member.retried).
  bool retried = false;
  // One of them has its own record in the ledger.
  bool recorded = false;
  // Each shows only that it ended.
  bool silent = true;
  // Each could not reach a service.
  bool outage = true;
  // All of them died because of another member.
  bool echoes = true;
  // The distinct slots of its members.
  std::vector<int> slots;

  // `has_its_slot`: another member has the slot of `member`.
  bool Takes(const Member& member, bool has_its_slot) const {
    if (member.restart != restart || member.retried != retried) return false;
    if (member.recorded && recorded) return false;
    if (alone && (!IsNear(member.struck, last_struck) ||
                  !(silent || MayFollow(member.reading) ||
                    (outage && IsOutage(member))))) {
      return false;
    }
    if (has_its_slot) return false;
    // In one restart of a JobSet, a slow member may begin in the second in
    // which the first one ends.
    const bool alongside = restart >= 0 && member.has_slot() &&
                           slots.size() == pods.size() &&
                           member.begin == first_struck;
    if (!alongside && BeganAfter(member, first_begin, first_struck)) {
      return false;
    }
    const bool late = Known(first_struck) && Known(member.struck) &&
                      member.struck > first_struck + kIncidentSpan;
    return !(late && FailedByItself(member.reading));
  }

  void Add(const Member& member) {
    if (pods.empty()) {
      first_begin = member.begin;
      first_struck = member.struck;
      restart = member.restart;
      alone = member.alone;
      retried = member.retried;
    }
    recorded = recorded || member.recorded;
    silent = silent && MayFollow(member.reading);
    outage = outage && IsOutage(member);
    echoes = echoes && ClassOf(member.reading) == GangClass::kEcho;
    pods.push_back(member.reading.pod);
    last_begin = member.begin;
    last_struck = member.struck;
    if (member.has_slot()) slots.push_back(member.slot);
  }
};

std::size_t Index(int number) { return static_cast<std::size_t>(number); }

// Members that are alive or succeeded and may have replaced others.
struct Successors {
  // For each slot, the one that began last, or null.
  std::vector<const Member*> in_slot;
  // The one without a slot that began last, or null.
  const Member* latest = nullptr;
};

Successors FindSuccessors(const std::vector<Member>& members) {
  int last_slot = -1;
  for (const Member& member : members) {
    last_slot = std::max(last_slot, member.slot);
  }
  Successors found{std::vector<const Member*>(Index(last_slot + 1))};
  for (const Member& member : members) {
    if (member.ended()) continue;
    if (member.has_slot()) {
      const Member*& last = found.in_slot[Index(member.slot)];
      if (last == nullptr || Before(last->begin, member.begin)) last = &member;
    } else if (Known(member.begin) && (found.latest == nullptr ||
                                       found.latest->begin < member.begin)) {
      found.latest = &member;
    }
  }
  return found;
}

bool IsReplaced(const Member& member, const Successors& successors) {
  if (!member.has_slot()) return false;
  const Member* const other = successors.in_slot[Index(member.slot)];
  if (other == nullptr) return false;
  return Known(other->begin) && Known(member.struck)
             ? BeganAfter(*other, member.begin, member.struck)
             : other->reading.pod > member.reading.pod;
}

bool IsOldRestart(int restart, const OwnerAttempts& owner) {
  return restart >= 0 && restart < owner.newest;
}

// Returns the members that ended, oldest first; those without an end come last.
std::vector<const Member*> EndedOf(const std::vector<Member>& members) {
  std::vector<const Member*> ended;
  for (const Member& member : members) {
    if (member.ended()) ended.push_back(&member);
  }
  std::ranges::stable_sort(ended, [](const Member* a, const Member* b) {
    if (a->restart != b->restart) return a->restart < b->restart;
    return Known(a->struck) && (!Known(b->struck) || a->struck < b->struck);
  });
  return ended;
}

// Groups ended members by incident, oldest first.
std::vector<OpenIncident> Collect(const std::vector<Member>& members,
                                  const OwnerAttempts& owner,
                                  const Successors& successors) {
  const std::vector<const Member*> ended = EndedOf(members);
  std::vector<OpenIncident> incidents;
  Seconds last_recorded = kUnknownTime;
  for (const Member* member : ended) {
    if (member->recorded && Known(member->struck)) {
      last_recorded = std::max(last_recorded, member->struck);
    }
  }
  // A failure without a record of its own that is older than a recorded one was
  // reported together with that one.
  const auto was_reported = [last_recorded](const Member& member) {
    return !member.recorded && Known(member.struck) && Known(last_recorded) &&
           member.struck <= last_recorded;
  };
  // For each slot, the number of the incident that its members joined last.
  std::vector<std::size_t> joined(successors.in_slot.size(), members.size());
  // Replaced members come first: their incident is over even if others of that
  // time are not, except members that died with them and await replacement.
  for (const bool replaced : {true, false}) {
    const std::size_t first = incidents.size();
    for (const Member* member : ended) {
      const bool is_over = IsOldRestart(member->restart, owner) ||
                           IsReplaced(*member, successors);
      if (is_over != replaced) continue;
      const bool has_its_slot =
          member->has_slot() &&
          joined[Index(member->slot)] + 1 == incidents.size();
      const bool joins =
          !incidents.empty() && incidents.back().Takes(*member, has_its_slot) &&
          (incidents.size() > first || incidents.back().echoes ||
           (incidents.back().recorded && was_reported(*member)) ||
           ClassOf(member->reading) == GangClass::kEcho);
      if (!joins) incidents.emplace_back();
      incidents.back().Add(*member);
      if (member->has_slot()) {
        joined[Index(member->slot)] = incidents.size() - 1;
      }
    }
  }
  return incidents;
}

bool IsOver(const OpenIncident& incident, const std::vector<Member>& members,
            const OwnerAttempts& owner, const Successors& successors) {
  if (owner.full || IsOldRestart(incident.restart, owner)) return true;
  if (std::ranges::all_of(incident.pods, [&members](int pod) {
        return members[Index(pod)].retried;
      })) {
    return true;
  }
  if (incident.slots.empty()) {
    return successors.latest != nullptr &&
           BeganAfter(*successors.latest, incident.last_begin,
                      incident.last_struck);
  }
  return incident.slots.size() == incident.pods.size() &&
         std::ranges::all_of(incident.pods, [&](int pod) {
           return IsReplaced(members[Index(pod)], successors);
         });
}

// Returns, for each incident, whether it is open: no pod has replaced the
// failed ones, and no later incident is a replacement's.
std::vector<bool> FindOpen(const std::vector<OpenIncident>& incidents,
                           const std::vector<Member>& members,
                           const OwnerAttempts& owner,
                           const Successors& successors) {
  std::vector<bool> open(incidents.size());
  std::vector<bool> is_later(successors.in_slot.size());
  const Member* latest = nullptr;
  for (std::size_t i = incidents.size(); i-- > 0;) {
    const OpenIncident& incident = incidents[i];
    const bool followed =
        incident.slots.empty()
            ? latest != nullptr &&
                  BeganAfter(*latest, incident.last_begin, incident.last_struck)
            : std::ranges::any_of(incident.slots, [&is_later](int slot) {
                return is_later[Index(slot)];
              });
    open[i] = !followed && !IsOver(incident, members, owner, successors);
    for (const int slot : incident.slots) is_later[Index(slot)] = true;
    const Member& root = members[Index(incident.pods.front())];
    if (latest == nullptr || Before(latest->begin, root.begin)) latest = &root;
  }
  return open;
}

// Returns the number of the current incident; their count if all are over.
std::size_t CurrentOf(const std::vector<OpenIncident>& incidents,
                      const std::vector<bool>& open,
                      const OwnerAttempts& owner) {
  const std::size_t none = incidents.size();
  if (owner.gave_up && none > 0) {
    const bool retried =
        Before(incidents.back().last_struck, owner.retried_until);
    return retried ? none : none - 1;
  }
  std::size_t last = none;
  for (std::size_t i = none; i-- > 0;) {
    if (open[i]) {
      if (last == none) last = i;
      if (!incidents[i].recorded) return i;
    }
    // Incidents before a gang's last attempt are past.
    if (!incidents[i].alone) break;
  }
  return last;
}

}  // namespace

OwnerAttempts OwnerAttemptsOf(const Owners& owners) {
  return {owners.NewestAttempt(), owners.gave_up(),
          owners.retried_until.value_or(kUnknownTime),
          JobIsFull(owners.report)};
}

Attempts SplitAttempts(const std::vector<Member>& members,
                       const OwnerAttempts& owner) {
  if (members.size() == 1 && members.front().restart >= owner.newest &&
      !owner.full && !Known(owner.retried_until)) {
    return {{}, {0}};
  }
  const Successors successors = FindSuccessors(members);
  std::vector<OpenIncident> incidents = Collect(members, owner, successors);
  const std::vector<bool> open =
      FindOpen(incidents, members, owner, successors);
  const std::size_t current = CurrentOf(incidents, open, owner);
  Attempts attempts;
  std::vector<bool> is_past(members.size());
  for (std::size_t i = 0; i < incidents.size(); ++i) {
    if (i == current) continue;
    std::vector<int>& pods = incidents[i].pods;
    for (const int pod : pods) is_past[Index(pod)] = true;
    std::ranges::sort(pods);
    const bool retried = Before(incidents[i].last_struck, owner.retried_until);
    attempts.earlier.push_back(
        {std::move(pods), incidents[i].alone && open[i] && !retried});
  }
  for (const Member& member : members) {
    const int pod = member.reading.pod;
    // Pods of an older restart are being removed.
    const bool leaves = IsOldRestart(member.restart, owner) && !member.ended();
    if (!is_past[Index(pod)] && !leaves) attempts.current.push_back(pod);
  }
  return attempts;
}

}  // namespace mulligan::demystify
