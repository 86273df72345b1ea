#include "policy/demystify/attempts.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "policy/demystify/causes.h"
#include "policy/demystify/fact.h"
#include "policy/demystify/life_signs.h"
#include "policy/demystify/member.h"
#include "policy/demystify/was_decided.h"

namespace mulligan::demystify {
namespace {

// Whether `later` began after `earlier` had been struck; false where no time
// tells.
bool BeganAfter(const Member& later, Seconds earlier_begin,
                Seconds earlier_struck) {
  if (!Known(later.begin) || !Known(earlier_struck)) return false;
  if (later.begin != earlier_struck) return later.begin > earlier_struck;
  return earlier_begin != earlier_struck;
}

// A member that may have followed the other, by its time alone.
bool IsNear(Seconds a, Seconds b) {
  return Known(a) && Known(b) && a <= b + kClockSkew && b <= a + kClockSkew;
}

// The failed members of one attempt, while they are collected in the order of
// their ends.
struct OpenIncident {
  std::vector<int> pods;
  // Of the member that was struck first.
  Seconds first_begin = kUnknownTime;
  Seconds first_struck = kUnknownTime;
  // Of the member that was struck last.
  Seconds last_begin = kUnknownTime;
  Seconds last_struck = kUnknownTime;
  int restart = -1;
  bool alone = false;
  // None of them says more than that it ended.
  bool silent = true;
  // All of them died of another member.
  bool echoes = true;
  // Those that its members hold, each once.
  std::vector<int> slots;

  // `has_its_slot`: another member holds that of `member`.
  bool Takes(const Member& member, bool has_its_slot) const {
    if (member.restart != restart) return false;
    if (alone && (!IsNear(member.struck, last_struck) ||
                  !(silent || MayFollow(member.reading)))) {
      return false;
    }
    if (has_its_slot) return false;
    if (BeganAfter(member, first_begin, first_struck)) return false;
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
    }
    silent = silent && MayFollow(member.reading);
    echoes = echoes && ClassOf(member.reading) == GangClass::kEcho;
    pods.push_back(member.reading.pod);
    last_begin = member.begin;
    last_struck = member.struck;
    if (member.has_slot()) slots.push_back(member.slot);
  }
};

class Splitter {
 public:
  Splitter(const std::vector<Member>& members, const OwnerAttempts& owner,
           const WasDecided& was_decided)
      : members_(members),
        owner_(owner),
        was_decided_(was_decided),
        slots_(CountSlots(members)) {}

  Attempts Split() {
    FindSuccessors();
    std::vector<OpenIncident> incidents = Collect();
    Attempts attempts;
    const std::vector<bool> followed = FindFollowed(incidents);
    const std::size_t at_hand = AtHand(incidents, followed);
    std::vector<bool> is_past(members_.size(), false);
    for (std::size_t i = 0; i < incidents.size(); ++i) {
      if (i == at_hand) continue;
      const bool open =
          incidents[i].alone && !IsOver(incidents[i]) && !followed[i];
      std::vector<int>& pods = incidents[i].pods;
      for (const int pod : pods) is_past[At(pod)] = true;
      std::ranges::sort(pods);
      attempts.earlier.push_back({std::move(pods), open});
    }
    for (const Member& member : members_) {
      const int pod = member.reading.pod;
      // Pods of an older restart are on their way out.
      if (is_past[At(pod)]) continue;
      if (IsOldRestart(member) && !member.ended()) continue;
      attempts.current.push_back(pod);
    }
    return attempts;
  }

 private:
  static std::size_t CountSlots(const std::vector<Member>& members) {
    int last = -1;
    for (const Member& member : members) last = std::max(last, member.slot);
    return static_cast<std::size_t>(last + 1);
  }

  static std::size_t At(int pod) { return static_cast<std::size_t>(pod); }

  bool IsOldRestart(const Member& member) const {
    return member.restart >= 0 && member.restart < owner_.newest;
  }

  // Of each incident, whether a later one is of a pod that took its place.
  std::vector<bool> FindFollowed(
      const std::vector<OpenIncident>& incidents) const {
    std::vector<bool> followed(incidents.size(), false);
    std::vector<bool> is_later(slots_);
    const Member* latest = nullptr;
    for (std::size_t i = incidents.size(); i-- > 0;) {
      const OpenIncident& incident = incidents[i];
      followed[i] =
          incident.slots.empty()
              ? latest != nullptr && BeganAfter(*latest, incident.last_begin,
                                                incident.last_struck)
              : std::ranges::any_of(incident.slots, [&is_later](int slot) {
                  return is_later[At(slot)];
                });
      for (const int slot : incident.slots) is_later[At(slot)] = true;
      const Member& root = members_[At(incident.pods.front())];
      if (latest == nullptr || Before(latest->begin, root.begin)) {
        latest = &root;
      }
    }
    return followed;
  }

  // The number of the incident at hand; their count: all are over.
  std::size_t AtHand(const std::vector<OpenIncident>& incidents,
                     const std::vector<bool>& followed) const {
    const std::size_t none = incidents.size();
    if (none == 0 || owner_.gave_up) return none - (none == 0 ? 0 : 1);
    std::size_t last = none;
    for (std::size_t i = none; i-- > 0;) {
      if (!IsOver(incidents[i]) && !followed[i]) {
        if (last == none) last = i;
        const bool decided =
            was_decided_ && was_decided_(incidents[i].pods.front()).has_value();
        if (!decided) return i;
      }
      // What came before a gang's last attempt is past.
      if (!incidents[i].alone) break;
    }
    return last;
  }

  // Where pods that live or succeeded are, and when the latest of them began.
  void FindSuccessors() {
    for (const Member& member : members_) {
      if (member.ended()) continue;
      if (!member.has_slot()) {
        if (Known(member.begin) &&
            (latest_ == nullptr || latest_->begin < member.begin)) {
          latest_ = &member;
        }
      } else {
        const Member*& last = in_slot_[member.slot];
        if (last == nullptr || Before(last->begin, member.begin)) {
          last = &member;
        }
      }
    }
  }

  bool IsReplaced(const Member& member) const {
    if (!member.has_slot()) return false;
    const auto found = in_slot_.find(member.slot);
    if (found == in_slot_.end()) return false;
    const Member& other = *found->second;
    if (Known(other.begin) && Known(member.struck)) {
      return BeganAfter(other, member.begin, member.struck);
    }
    return other.reading.pod > member.reading.pod;
  }

  // Ended members by the incident they belong to, oldest first.
  std::vector<OpenIncident> Collect() const {
    std::vector<const Member*> ended;
    for (const Member& member : members_) {
      if (member.ended()) ended.push_back(&member);
    }
    std::ranges::stable_sort(ended, [](const Member* a, const Member* b) {
      if (a->restart != b->restart) {
        return a->restart < b->restart;
      }
      // Without an end: with those that ended last.
      if (!Known(a->struck)) return false;
      return !Known(b->struck) || a->struck < b->struck;
    });
    std::vector<OpenIncident> incidents;
    // The incident, by its number, that a member of each slot joined last.
    std::vector<std::size_t> joined(slots_, members_.size());
    // Replaced ones first: they are over even if others of their time are not,
    // but for those that died with them and wait for their turn.
    for (const bool replaced : {true, false}) {
      const std::size_t first = incidents.size();
      for (const Member* member : ended) {
        if (IsReplaced(*member) != replaced) continue;
        const bool has_its_slot =
            member->has_slot() &&
            joined[At(member->slot)] + 1 == incidents.size();
        const bool joins =
            !incidents.empty() &&
            incidents.back().Takes(*member, has_its_slot) &&
            (incidents.size() > first || incidents.back().echoes ||
             ClassOf(member->reading) == GangClass::kEcho);
        if (!joins) incidents.emplace_back();
        incidents.back().Add(*member);
        if (member->has_slot()) {
          joined[At(member->slot)] = incidents.size() - 1;
        }
      }
    }
    return incidents;
  }

  bool IsOver(const OpenIncident& incident) const {
    if (owner_.full ||
        (incident.restart >= 0 && incident.restart < owner_.newest)) {
      return true;
    }
    if (incident.slots.empty()) {
      return latest_ != nullptr &&
             BeganAfter(*latest_, incident.last_begin, incident.last_struck);
    }
    return incident.slots.size() == incident.pods.size() &&
           std::ranges::all_of(incident.pods, [this](int pod) {
             return IsReplaced(members_[At(pod)]);
           });
  }

  const std::vector<Member>& members_;
  const OwnerAttempts& owner_;
  const WasDecided& was_decided_;
  const std::size_t slots_;
  const Member* latest_ = nullptr;
  std::unordered_map<int, const Member*> in_slot_;
};

}  // namespace

OwnerAttempts OwnerAttemptsOf(const Owners& owners) {
  return {owners.NewestAttempt(), owners.gave_up(), JobIsFull(owners.report)};
}

Attempts SplitAttempts(const std::vector<Member>& members,
                       const OwnerAttempts& owner,
                       const WasDecided& was_decided) {
  if (members.size() == 1 && members.front().restart >= owner.newest &&
      !owner.full) {
    return {{}, {0}};
  }
  return Splitter(members, owner, was_decided).Split();
}

}  // namespace mulligan::demystify
