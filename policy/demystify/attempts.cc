#include "policy/demystify/attempts.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace mulligan::demystify {
namespace {

// Whether `later` began after `earlier` had ended; false where no time tells.
bool BeganAfter(const Member& later, Seconds earlier_begin,
                Seconds earlier_end) {
  if (!Known(later.begin) || !Known(earlier_end)) return false;
  if (later.begin != earlier_end) return later.begin > earlier_end;
  return earlier_begin != earlier_end;
}

// The failed members of one attempt, while they are collected in the order of
// their ends.
struct OpenIncident {
  std::vector<int> pods;
  // Of the member that ended first.
  Seconds first_begin = kUnknownTime;
  Seconds first_end = kUnknownTime;
  // Of the member that ended last.
  Seconds last_begin = kUnknownTime;
  Seconds last_end = kUnknownTime;
  int restart = -1;
  std::unordered_set<std::string_view> slots;

  bool Takes(const Member& member) const {
    if (member.restart != restart) return false;
    if (!member.slot.empty() && slots.count(member.slot) > 0) return false;
    if (BeganAfter(member, first_begin, first_end)) return false;
    const bool late = Known(first_end) && Known(member.end) &&
                      member.end > first_end + kIncidentSpan;
    return !(late && FailedByItself(member.reading));
  }

  void Add(const Member& member) {
    if (pods.empty()) {
      first_begin = member.begin;
      first_end = member.end;
      restart = member.restart;
    }
    pods.push_back(member.reading.pod);
    last_begin = member.begin;
    last_end = member.end;
    if (!member.slot.empty()) slots.insert(member.slot);
  }
};

class Splitter {
 public:
  Splitter(const std::vector<Member>& members, bool gave_up)
      : members_(members), gave_up_(gave_up) {}

  Attempts Split() {
    for (const Member& member : members_) {
      newest_restart_ = std::max(newest_restart_, member.restart);
    }
    FindSuccessors();
    std::vector<OpenIncident> incidents = Collect();
    Attempts attempts;
    attempts.moved_on =
        !incidents.empty() && !gave_up_ && IsOver(incidents.back());
    const std::size_t past =
        incidents.size() - (incidents.empty() || attempts.moved_on ? 0 : 1);
    std::vector<bool> is_past(members_.size(), false);
    for (std::size_t i = 0; i < past; ++i) {
      std::vector<int>& pods = incidents[i].pods;
      for (const int pod : pods) is_past[At(pod)] = true;
      std::sort(pods.begin(), pods.end());
      attempts.earlier.push_back(std::move(pods));
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
  static std::size_t At(int pod) { return static_cast<std::size_t>(pod); }

  bool IsOldRestart(const Member& member) const {
    return member.restart >= 0 && member.restart < newest_restart_;
  }

  // Where pods that live or succeeded are, and when the latest of them began.
  void FindSuccessors() {
    for (const Member& member : members_) {
      if (member.ended()) continue;
      if (member.slot.empty()) {
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
    if (member.slot.empty()) return false;
    const auto found = in_slot_.find(member.slot);
    if (found == in_slot_.end()) return false;
    const Member& other = *found->second;
    if (Known(other.begin) && Known(member.end)) {
      return BeganAfter(other, member.begin, member.end);
    }
    return other.reading.pod > member.reading.pod;
  }

  // Ended members by the incident they belong to, oldest first.
  std::vector<OpenIncident> Collect() const {
    std::vector<const Member*> ended;
    for (const Member& member : members_) {
      if (member.ended()) ended.push_back(&member);
    }
    std::stable_sort(ended.begin(), ended.end(),
                     [](const Member* a, const Member* b) {
                       if (a->restart != b->restart) {
                         return a->restart < b->restart;
                       }
                       // Without an end: with those that ended last.
                       if (!Known(a->end)) return false;
                       return !Known(b->end) || a->end < b->end;
                     });
    std::vector<OpenIncident> incidents;
    // Replaced ones first: they are over even if others of their time are not.
    for (const bool replaced : {true, false}) {
      const std::size_t first = incidents.size();
      for (const Member* member : ended) {
        if (IsReplaced(*member) != replaced) continue;
        if (incidents.size() == first || !incidents.back().Takes(*member)) {
          incidents.emplace_back();
        }
        incidents.back().Add(*member);
      }
    }
    return incidents;
  }

  bool IsOver(const OpenIncident& incident) const {
    if (incident.restart >= 0 && incident.restart < newest_restart_) {
      return true;
    }
    if (incident.slots.empty()) {
      return latest_ != nullptr &&
             BeganAfter(*latest_, incident.last_begin, incident.last_end);
    }
    return incident.slots.size() == incident.pods.size() &&
           std::all_of(
               incident.pods.begin(), incident.pods.end(),
               [this](int pod) { return IsReplaced(members_[At(pod)]); });
  }

  const std::vector<Member>& members_;
  const bool gave_up_;
  int newest_restart_ = -1;
  const Member* latest_ = nullptr;
  std::unordered_map<std::string_view, const Member*> in_slot_;
};

}  // namespace

Attempts SplitAttempts(const std::vector<Member>& members, bool gave_up) {
  if (members.size() == 1) return {{}, {0}, false};
  return Splitter(members, gave_up).Split();
}

}  // namespace mulligan::demystify
