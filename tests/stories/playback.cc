#include "tests/stories/playback.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>

#include "absl/strings/str_cat.h"
#include "google/protobuf/message.h"
#include "tests/testing/random.h"

namespace mulligan::stories {
namespace {

using testing::Random;

constexpr View kViews[] = {View::kPods, View::kOnePod,      View::kJobs,
                           View::kTop,  View::kTopAndQueue, View::kPodsAndJobs,
                           View::kAll,  View::kAllAndEvents};
constexpr const char* kViewNames[] = {
    "pods",          "the changed pod", "Jobs", "top alone",
    "top and queue", "pods and Jobs",   "all",  "all and events"};
constexpr int kOneVersionOld = 4;
constexpr int kOldOneIn = 6;
constexpr std::int64_t kReportedAsNewSeconds = 60;

bool Sees(View view, const Story& story, const std::string& kind) {
  switch (view) {
    case View::kPods:
    case View::kOnePod:
      return kind == "Pod";
    case View::kJobs:
      return kind == "Job";
    case View::kTop:
      return kind == story.top;
    case View::kTopAndQueue:
      return kind == story.top || kind == "Workload";
    case View::kPodsAndJobs:
      return kind == "Pod" || kind == "Job";
    case View::kAll:
      return kind != "Event";
    case View::kAllAndEvents:
      return true;
  }
  return false;
}

// A caller's cache of the objects, which never goes back in time.
class Cache {
 public:
  Cache(const Story& story, const Caller& caller)
      : story_(story), caller_(caller) {}

  // Adds the change if the caller sees its kind.
  void Add(int change) {
    if (!Sees(caller_.view, story_, At(change).kind)) return;
    const auto [at, is_new] = objects_.try_emplace(At(change).uid);
    if (is_new) at->second.order = static_cast<int>(objects_.size());
    at->second.versions.push_back(change);
  }

  // Returns what the caller reports after `change`, the latest one; nothing if
  // it sees no object that could have failed.
  std::optional<v1::FailureReport> Look(int change, Random& random) {
    for (auto& [uid, object] : objects_) {
      const auto& versions = object.versions;
      const bool old = caller_.lags && random.OneIn(kOneVersionOld);
      if (!old) {
        object.shown = versions.back();
      } else if (versions.size() > 1) {
        object.shown = std::max(object.shown, versions.end()[-2]);
      }
    }
    return Report(change, random, [](const Object& one) { return one.shown; });
  }

  // Returns what it would have reported after the earlier `change`.
  std::optional<v1::FailureReport> LookBack(int change, Random& random) const {
    return Report(change, random, [change](const Object& object) {
      const auto next = std::ranges::upper_bound(object.versions, change);
      return next == object.versions.begin() ? -1 : *std::prev(next);
    });
  }

 private:
  struct Object {
    // Indices of its changes, in order.
    std::vector<int> versions;
    // The change last reported; -1: none.
    int shown = -1;
    // Its position among all objects, by creation.
    int order = 0;
  };

  // A report of each object in the state that `version` picks.
  template <typename Version>
  std::optional<v1::FailureReport> Report(int change, Random& random,
                                          const Version& version) const {
    std::vector<std::pair<int, int>> seen;
    for (const auto& [uid, object] : objects_) {
      const int shown = version(object);
      if (shown < 0 || IsDeletion(At(shown))) continue;
      if (caller_.view == View::kOnePod && uid != At(change).uid) continue;
      seen.emplace_back(shown, object.order);
    }
    random.Shuffle(seen);
    v1::FailureReport report;
    bool has_work = false;
    std::map<std::string, int> orders;
    for (const auto& [shown, order] : seen) {
      const Change& one = At(shown);
      Add(one.object, order, orders[one.kind], report);
      has_work |= one.kind != "Event" && one.kind != "Node";
    }
    if (!has_work) return std::nullopt;
    return report;
  }

  const Change& At(int change) const {
    return story_.changes[static_cast<std::size_t>(change)];
  }

  // If a report has one field for the kind, the object created last remains:
  // the RayCluster of the retry, not the one that is being removed.
  static void Add(const v1::FailureReport& object, int order, int& kinds_order,
                  v1::FailureReport& report) {
    std::vector<const google::protobuf::FieldDescriptor*> fields;
    object.GetReflection()->ListFields(object, &fields);
    if (!fields.front()->is_repeated()) {
      if (order < kinds_order) return;
      report.GetReflection()->ClearField(&report, fields.front());
    }
    kinds_order = order;
    report.MergeFrom(object);
  }

  const Story& story_;
  const Caller& caller_;
  std::map<std::string, Object> objects_;
};

Caller RandomCaller(Random& random, bool lags) {
  Caller caller;
  caller.view = kViews[random.Below(static_cast<int>(std::size(kViews)))];
  caller.asks_always = random.Below(5) < 2;
  caller.one_in = caller.asks_always ? 1 : 1 + random.Below(12);
  caller.lags = lags;
  return caller;
}

std::vector<Caller> RandomCallers(Random& random, unsigned seed, bool faults) {
  if (seed % 16 < 2) {
    return {Caller{.view = seed % 16 == 0 ? View::kAll : View::kAllAndEvents}};
  }
  const bool lags = random.OneIn(2) && faults;
  std::vector<Caller> callers = {RandomCaller(random, lags)};
  if (random.OneIn(4)) callers.push_back(RandomCaller(random, lags));
  return callers;
}

bool IsAsked(const Caller& caller, const Story& story, const Change& change,
             Random& random) {
  const bool sees = Sees(caller.view, story, change.kind);
  if (caller.view == View::kOnePod && !sees) return false;
  if (caller.asks_always) return sees || random.OneIn(4);
  return random.OneIn(caller.one_in);
}

void Stamp(absl::Time now, v1::FailureReport& report) {
  const absl::Duration since = now - absl::UnixEpoch();
  auto& observed = *report.mutable_observed_at();
  observed.set_seconds(absl::ToInt64Seconds(since));
  observed.set_nanos(static_cast<int>(
      absl::ToInt64Nanoseconds(since - absl::Seconds(observed.seconds()))));
}

// Returns an old report of the same caller for after the latest one: one that
// it sent, or one that it could have sent.
std::optional<Ask> OldReport(const Story& story, const Cache& cache,
                             const Playback& playback, Random& random) {
  const Ask& latest = playback.asks.back();
  std::vector<const Ask*> sent;
  for (const Ask& ask : playback.asks) {
    if (ask.caller == latest.caller && !ask.is_old) sent.push_back(&ask);
  }
  if (sent.size() < 2) return std::nullopt;
  Ask again = *sent[static_cast<std::size_t>(
      random.Below(static_cast<int>(sent.size()) - 1))];
  again.is_resent = random.OneIn(2);
  if (!again.is_resent) {
    const int change = random.Below(latest.change);
    auto report = cache.LookBack(change, random);
    if (!report) return std::nullopt;
    again.report = *std::move(report);
    Stamp(story.changes[static_cast<std::size_t>(change)].at, again.report);
  }
  again.change = latest.change;
  again.is_old = true;
  // After longer, an old report may rightly say that something took too long.
  const auto& now = latest.report.observed_at();
  if (now.seconds() - again.report.observed_at().seconds() <
          kReportedAsNewSeconds &&
      random.OneIn(2)) {
    *again.report.mutable_observed_at() = now;
  }
  return again;
}

// In one of three playbacks a node's clock is wrong by up to ten minutes.
NodeClock RandomClock(const Story& story, unsigned seed) {
  Random random(~seed);
  if (seed % 16 < 2 || !random.OneIn(3)) return {};
  std::set<std::string> nodes;
  for (const Change& change : story.changes) {
    for (const auto& pod : change.object.pods()) {
      if (!pod.spec().node_name().empty()) nodes.insert(pod.spec().node_name());
    }
  }
  if (nodes.empty()) return {};
  const auto node =
      std::next(nodes.begin(), random.Below(static_cast<int>(nodes.size())));
  constexpr int kSeconds[] = {-600, -90, -20, 20, 90, 600};
  const int seconds =
      kSeconds[random.Below(static_cast<int>(std::size(kSeconds)))];
  return {*node, seconds, seconds < 0 && random.OneIn(3)};
}

}  // namespace

Playback SamplePlayback(const Story& story, unsigned seed, bool faults) {
  Random random(seed);
  Playback playback;
  playback.seed = seed;
  playback.callers = RandomCallers(random, seed, faults);
  const bool sends_old = seed % 16 >= 2 && random.OneIn(3) && faults;
  std::vector<Cache> caches;
  for (const Caller& caller : playback.callers) {
    caches.emplace_back(story, caller);
  }
  absl::Time now;
  for (int i = 0; i < static_cast<int>(story.changes.size()); ++i) {
    const Change& change = story.changes[static_cast<std::size_t>(i)];
    for (Cache& cache : caches) cache.Add(i);
    std::vector<int> turns;
    for (int who = 0; who < static_cast<int>(caches.size()); ++who) {
      if (IsAsked(playback.callers[static_cast<std::size_t>(who)], story,
                  change, random)) {
        turns.push_back(who);
      }
    }
    random.Shuffle(turns);
    for (const int who : turns) {
      now = std::max(now, change.at + absl::Milliseconds(random.Below(2000)));
      Cache& cache = caches[static_cast<std::size_t>(who)];
      auto report = cache.Look(i, random);
      if (!report) continue;
      Stamp(now, *report);
      playback.asks.push_back({.change = i, .caller = who, .report = *report});
      if (!sends_old || !random.OneIn(kOldOneIn)) continue;
      auto old = OldReport(story, cache, playback, random);
      if (old) playback.asks.push_back(*std::move(old));
    }
  }
  if (faults) playback.clock = RandomClock(story, seed);
  for (Ask& ask : playback.asks) StampBy(playback.clock, ask.report);
  return playback;
}

bool SeesAll(const Caller& caller) {
  return (caller.view == View::kAll || caller.view == View::kAllAndEvents) &&
         caller.asks_always && !caller.lags;
}

std::string ToText(const Caller& caller) {
  return absl::StrCat(kViewNames[static_cast<int>(caller.view)],
                      caller.asks_always
                          ? ", every change"
                          : absl::StrCat(", one in ", caller.one_in),
                      caller.lags ? ", may be one version old" : "");
}

std::string ToText(const NodeClock& clock) {
  if (clock.node.empty()) return "all clocks agree";
  return absl::StrCat("node ", clock.node, " is ", std::abs(clock.seconds),
                      " s ", clock.seconds < 0 ? "behind" : "ahead",
                      clock.was_set ? " at the end of its containers" : "");
}

}  // namespace mulligan::stories
