#include "policy/demystify/readers/event_reader.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <utility>

#include "policy/demystify/context.h"
#include "policy/demystify/fact.h"
#include "policy/demystify/pod_state.h"
#include "policy/demystify/readers/text_reader.h"
#include "policy/demystify/signatures/rows.h"
#include "policy/demystify/signatures/tables.h"
#include "policy/demystify/signatures/xids.h"
#include "policy/demystify/weighing/scene.h"
#include "policy/demystify/weighing/weighing.h"

namespace mulligan::demystify {
namespace {

namespace core = kubernetes::core::v1;

// Which stages may still be the cause.
struct Gate {
  bool create = true;
  bool schedule = true;
  bool start = true;

  bool Admits(Stage stage) const {
    return (create || stage != Stage::kCreate) &&
           (schedule || stage != Stage::kSchedule) &&
           (start || stage != Stage::kStart);
  }
};

bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

bool IsOfDevice(v1::Cause cause) {
  return cause == v1::GPU_FAULT || cause == v1::FABRIC_FAULT;
}

bool IsAboutImage(std::string_view text) {
  return Contains(text, "pull") || Contains(text, "ErrImage") ||
         Contains(text, "InvalidImageName") || Contains(text, "ImageInspect") ||
         Contains(text, "image \"");
}

// Null for kNone and kAny.
const TextTable* TableOf(Texts texts) {
  static constexpr std::pair<Texts, const TextTable& (*)()> kTables[] = {
      {Texts::kKubelet, KubeletTexts},       {Texts::kImage, ImageTexts},
      {Texts::kStart, StartTexts},           {Texts::kMount, MountTexts},
      {Texts::kScheduling, SchedulingTexts}, {Texts::kCreation, CreationTexts},
      {Texts::kKilling, KillingTexts},       {Texts::kKernel, KernelTexts},
      {Texts::kQueue, QueueTexts},           {Texts::kOperator, OperatorTexts}};
  for (const auto& [known, table] : kTables) {
    if (known == texts) return &table();
  }
  return nullptr;
}

class EventReader {
 public:
  // `state` is that of the pod the events are read for.
  EventReader(const Context& context, const Gate& gate, const PodState& state,
              Candidates& facts)
      : context_(context), gate_(gate), state_(state), facts_(facts) {}

  void Read(int index, std::optional<std::int32_t> exit_code) {
    const core::Event& event = context_.report.events(index);
    place_ = {Root::kEvents, index, "", -1, ".reason"};
    at_ = LastTime(event);
    if (!event.message().empty()) {
      context_.AddUserSignature(facts_, v1::Signature::EVENT, event.message(),
                                exit_code, At(".message"), at_);
    }
    if (ReadXid(event)) return;
    const EventSignature* row = FindEvent(event.reason());
    // The taint manager takes an eviction back under the same reason.
    if (event.message().compare(0, 19, "Cancelling deletion") == 0) return;
    if (row == nullptr) {
      if (ReadEviction(event) || ReadPodReason(event)) return;
      const bool worth = event.reason().empty() || event.type() == "Warning";
      if (!worth || ReadDevice(event.message())) return;
      row = &OtherEvent();
    }
    if (!gate_.Admits(row->stage)) return;
    const Signature* text = ReadText(*row, event);
    if (row->needs_text) {
      if (text == nullptr && event.type() == "Warning") {
        AddSign(facts_, sign::kUnreadWarning, place_, event.reason(), at_);
      }
      return;
    }
    if (text != nullptr && text->cause != row->row.cause) return;
    AddFact(facts_, "event", row->row, place_, event.reason(), at_);
  }

 private:
  Place At(const char* leaf) const {
    Place place = place_;
    place.leaf = leaf;
    return place;
  }

  // Kueue: EvictedDueTo and the reason of its condition.
  bool ReadEviction(const core::Event& event) {
    constexpr std::string_view kPrefix = "EvictedDueTo";
    const std::string_view reason = event.reason();
    if (reason.substr(0, kPrefix.size()) != kPrefix) return false;
    AddFact(facts_, "event", *FindEvictedReason(reason.substr(kPrefix.size())),
            place_, reason, at_);
    return true;
  }

  // Kubelet and eviction manager use the pod's reason as the event's.
  bool ReadPodReason(const core::Event& event) {
    const Signature* row = FindPodReason(event.reason());
    if (row == nullptr) return false;
    AddFact(facts_, "event", *row, place_, event.reason(), at_);
    return true;
  }

  // The driver's errors are told apart by number, whatever the detector calls
  // its event; some of them are no trouble at all. Returns whether it is one.
  bool ReadXid(const core::Event& event) {
    const Xid xid = WorstXid(event.message());
    XidEffect effect = xid.effect;
    const bool told = effect != XidEffect::kNone;
    if (!told) effect = XidInName(event.reason());
    if (effect == XidEffect::kNone) return false;
    const TextSignature* text = XidSignature(effect);
    if (text == nullptr) return true;
    AddDevice(*text, event.message(), xid.at);
    if (!told) {
      facts_.back().text = {};
      facts_.back().value = event.reason();
      facts_.back().place = place_;
    }
    return true;
  }

  // Other words of detectors about accelerators and links.
  bool ReadDevice(const std::string& message) {
    std::size_t found_at = 0;
    const TextSignature* text = HardwareErrors().Find(message, &found_at);
    if (text == nullptr || !IsOfDevice(text->row.cause)) return false;
    AddDevice(*text, message, found_at);
    return true;
  }

  void AddDevice(const TextSignature& text, std::string_view message,
                 std::size_t found_at) {
    const Scene scene = {.users_own = UsersOwnReads(facts_, At(".message")),
                         .of_device = true,
                         .state = state_};
    Candidate& fact =
        AddFact(facts_, "text", text.row, At(".message"), {}, at_);
    fact.text = message;
    fact.found_at = found_at;
    Weigh(Round::kRead, fact, scene);
    Weigh(Round::kBeside, fact, scene);
  }

  const Signature* ReadText(const EventSignature& row,
                            const core::Event& event) {
    const std::string& message = event.message();
    if (message.empty() || row.texts == Texts::kNone) return nullptr;
    if (const TextTable* table = TableOf(row.texts)) {
      return AddText(facts_, *table, message, At(".message"), at_);
    }
    if (IsAboutImage(message)) {
      if (!gate_.start) return nullptr;
      return AddText(facts_, ImageTexts(), message, At(".message"), at_);
    }
    return ReadAnyText(message, event.involved_object().kind() == "Pod");
  }

  // What a pod has events about was created.
  const Signature* ReadAnyText(const std::string& message, bool is_of_pod) {
    struct Try {
      Texts texts;
      bool admitted;
    };
    const std::array<Try, 7> tries = {
        {{Texts::kKubelet, true},
         {Texts::kKilling, true},
         {Texts::kScheduling, gate_.schedule},
         {Texts::kQueue, true},
         {Texts::kStart, gate_.start},
         {Texts::kMount, gate_.start},
         {Texts::kCreation, gate_.create && !is_of_pod}}};
    for (const Try& attempt : tries) {
      if (!attempt.admitted) continue;
      const Signature* row = AddText(facts_, *TableOf(attempt.texts), message,
                                     At(".message"), at_);
      if (row != nullptr) return row;
    }
    return nullptr;
  }

  const Context& context_;
  const Gate gate_;
  const PodState& state_;
  Candidates& facts_;
  Place place_;
  Seconds at_ = kUnknownTime;
};

Seconds Latest(std::initializer_list<Seconds> times) { return std::max(times); }

// What the kernel kills is gone at once, and its parent soon.
constexpr Seconds kKillSeenBefore = 600;

bool IsOfMemory(v1::Cause cause) {
  return cause == v1::CONTAINER_OOM || cause == v1::HOST_OOM;
}

// The kernel names whom it killed by the UID of its pod.
bool NamesAnotherPod(const std::string& message, const core::Pod& pod) {
  if (!Contains(message, "kubepods")) return false;
  static const re2::RE2* const named =
      new re2::RE2("kubepods\\S*?pod([0-9a-f]{8}[-_][-_0-9a-f]+)");
  std::string uid;
  if (!re2::RE2::PartialMatch(re2::StringPiece(message.data(), message.size()),
                              *named, &uid)) {
    return false;
  }
  std::ranges::replace(uid, '_', '-');
  const std::string& own = pod.metadata().uid();
  return !own.empty() && own.compare(0, uid.size(), uid) != 0;
}

// Of what befell the node of a pod, from the fact `from` on, keeps what may
// have to do with its end:
// 1. nothing from before the pod was there, but a device that broke
// 2. no kill for memory that it outlived
void KeepOfPod(const core::Pod& pod, const PodState& state, std::size_t from,
               Candidates& facts) {
  const Seconds born = ToSeconds(pod.metadata().creation_timestamp());
  const auto is_of_others = [&](const Candidate& fact) {
    return (!IsOfDevice(fact.cause) && Before(fact.at, born)) ||
           (IsOfMemory(fact.cause) && Known(fact.at) &&
            Before(fact.at + kKillSeenBefore, state.finished_at));
  };
  facts.erase(std::remove_if(facts.begin() + static_cast<std::ptrdiff_t>(from),
                             facts.end(), is_of_others),
              facts.end());
}

}  // namespace

Seconds FirstTime(const core::Event& event) {
  return Earlier(ToSeconds(event.first_timestamp()),
                 Earlier(ToSeconds(event.event_time()),
                         ToSeconds(event.last_timestamp())));
}

Seconds LastTime(const core::Event& event) {
  return Latest({ToSeconds(event.last_timestamp()),
                 ToSeconds(event.series().last_observed_time()),
                 ToSeconds(event.event_time()),
                 ToSeconds(event.first_timestamp())});
}

void ReadEventsOfPod(const Context& context, int index, const PodState& state,
                     Candidates& facts) {
  const core::Pod& pod = context.report.pods(index);
  const auto first = std::ranges::lower_bound(context.pod_events, index, {},
                                              &Context::Link::target);
  auto last = first;
  Gate gate;
  gate.create = false;
  gate.start = !state.started || state.blocked;
  gate.schedule = !state.started && !state.blocked;
  for (; last != context.pod_events.end() && last->target == index; ++last) {
    if (context.report.events(last->event).reason() == "Scheduled") {
      gate.schedule = false;
    }
  }
  EventReader reader(context, gate, state, facts);
  for (auto link = first; link != last; ++link) {
    reader.Read(link->event, state.exit_code);
  }
  if (context.node_events.empty()) return;
  std::string_view node = pod.spec().node_name();
  if (node.empty() && context.report.pods_size() == 1) {
    // The only pod: the only node is its node.
    if (context.node_events.size() > 1 || !WasPlaced(pod)) return;
    node = context.node_events.begin()->first;
  }
  const auto events = context.node_events.find(node);
  if (events == context.node_events.end()) return;
  const std::size_t before = facts.size();
  for (const int event : events->second) {
    if (NamesAnotherPod(context.report.events(event).message(), pod)) continue;
    reader.Read(event, state.exit_code);
  }
  KeepOfPod(pod, state, before, facts);
}

void ReadOtherEvents(const Context& context, Candidates& facts) {
  Gate gate;
  for (const int index : context.other_events) {
    const std::string& reason = context.report.events(index).reason();
    if (reason == "Scheduled") gate.schedule = false;
  }
  EventReader reader(context, gate, kNoPod, facts);
  for (const int index : context.other_events) {
    reader.Read(index, std::nullopt);
  }
}

void ReadSharedEvents(const Context& context, Candidates& facts) {
  EventReader reader(context, Gate(), kNoPod, facts);
  for (const int index : context.shared_events) {
    reader.Read(index, std::nullopt);
  }
}

}  // namespace mulligan::demystify
