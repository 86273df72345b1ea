#include "policy/demystify/readers/event_reader.h"

#include <re2/re2.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

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

// The stages of a pod's life that may still be the cause.
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

Seconds LastTime(const core::Event& event) {
  return std::max({ToSeconds(event.last_timestamp()),
                   ToSeconds(event.series().last_observed_time()),
                   ToSeconds(event.event_time()),
                   ToSeconds(event.first_timestamp())});
}

// An event and the pod that it is read for.
struct EventRef {
  const Context& context;
  const Gate& gate;
  const PodState& state;
  int index;
  const core::Event& event = context.report.events(index);
  Seconds at = LastTime(event);
};

Place At(const EventRef& ref, const char* leaf) {
  return {Root::kEvents, ref.index, "", -1, leaf};
}

void AddDevice(const EventRef& ref, const TextSignature& text,
               std::size_t found_at, Candidates& facts) {
  const Place place = At(ref, ".message");
  const Scene scene = {.users_own = HasUserSignature(facts, place),
                       .of_device = true,
                       .state = ref.state};
  Candidate& fact = AddFact(facts, "text", text.row, place, {}, ref.at);
  fact.text = ref.event.message();
  fact.found_at = found_at;
  Weigh(Round::kRead, fact, scene);
  Weigh(Round::kSameObject, fact, scene);
}

// Adds a GPU driver error. Returns whether the event has one, even if harmless.
bool ReadXid(const EventRef& ref, Candidates& facts) {
  const Xid xid = WorstXid(ref.event.message());
  const bool in_message = xid.effect != XidEffect::kNone;
  const XidEffect effect =
      in_message ? xid.effect : XidInName(ref.event.reason());
  const TextSignature* text = XidSignature(effect);
  if (text == nullptr) return effect != XidEffect::kNone;
  AddDevice(ref, *text, xid.at, facts);
  if (!in_message) {
    facts.back().text = {};
    facts.back().value = ref.event.reason();
    facts.back().place = At(ref, ".reason");
  }
  return true;
}

// Adds other messages of detectors about accelerators and links.
bool ReadDevice(const EventRef& ref, Candidates& facts) {
  std::size_t found_at = 0;
  const TextSignature* text =
      HardwareErrors().Find(ref.event.message(), &found_at);
  if (text == nullptr || !IsOfDevice(text->row.cause)) return false;
  AddDevice(ref, *text, found_at, facts);
  return true;
}

// Kueue uses EvictedDueTo and the condition's reason. The kubelet and eviction
// manager use the pod's reason.
const Signature* FindOthersReason(std::string_view reason) {
  constexpr std::string_view kEvicted = "EvictedDueTo";
  return reason.starts_with(kEvicted)
             ? FindEvictedReason(reason.substr(kEvicted.size()))
             : FindPodReason(reason);
}

constexpr struct {
  Texts texts;
  const TextTable& (*table)();
  // Applies to any message while `stage` may be the cause.
  bool any;
  Stage stage;
} kEventTexts[] = {
    {Texts::kKubelet, KubeletTexts, true, Stage::kRun},
    {Texts::kKilling, KillingTexts, true, Stage::kRun},
    {Texts::kScheduling, SchedulingTexts, true, Stage::kSchedule},
    {Texts::kQueue, QueueTexts, true, Stage::kRun},
    {Texts::kStart, StartTexts, true, Stage::kStart},
    {Texts::kMount, MountTexts, true, Stage::kStart},
    {Texts::kCreation, CreationTexts, true, Stage::kCreate},
    {Texts::kImage, ImageTexts, false, Stage::kStart},
    {Texts::kKernel, KernelTexts, false, Stage::kRun},
    {Texts::kOperator, OperatorTexts, false, Stage::kRun},
};

// Returns the matching row of the tables for `texts`, or null.
const Signature* ReadText(const EventRef& ref, Texts texts, Candidates& facts) {
  const std::string& message = ref.event.message();
  if (message.empty()) return nullptr;
  Gate gate = ref.gate;
  if (texts == Texts::kAny && IsAboutImage(message)) {
    if (!gate.start) return nullptr;
    texts = Texts::kImage;
  }
  // A pod that has events was created.
  if (ref.event.involved_object().kind() == "Pod") gate.create = false;
  for (const auto& one : kEventTexts) {
    const bool applies = texts == Texts::kAny
                             ? one.any && gate.Admits(one.stage)
                             : one.texts == texts;
    if (!applies) continue;
    const Signature* row =
        AddText(facts, one.table(), message, At(ref, ".message"), ref.at);
    if (row != nullptr) return row;
  }
  return nullptr;
}

void ReadEvent(const EventRef& ref, Candidates& facts) {
  const core::Event& event = ref.event;
  const Place reason = At(ref, ".reason");
  if (!event.message().empty()) {
    ref.context.AddUserSignature(facts, v1::Signature::EVENT, event.message(),
                                 ref.state.exit_code, At(ref, ".message"),
                                 ref.at);
  }
  if (ReadXid(ref, facts)) return;
  // The taint manager cancels an eviction with the same reason.
  if (event.message().starts_with("Cancelling deletion")) return;
  // A failed deletion, mostly of a missing object, did not end the work.
  if (event.reason().starts_with("FailedToDelete") ||
      event.reason() == "FailedDelete") {
    return;
  }
  const EventSignature* row = FindEvent(event.reason());
  if (row == nullptr) {
    if (const Signature* others = FindOthersReason(event.reason())) {
      AddFact(facts, "event", *others, reason, event.reason(), ref.at);
      return;
    }
    const bool worth = event.reason().empty() || event.type() == "Warning";
    if (!worth || ReadDevice(ref, facts)) return;
    row = &OtherEvent();
  }
  if (!ref.gate.Admits(row->stage)) return;
  const Signature* text = ReadText(ref, row->texts, facts);
  if (row->needs_text) {
    if (text == nullptr && event.type() == "Warning") {
      AddSign(facts, sign::kUnreadWarning, reason, event.reason(), ref.at);
    }
    return;
  }
  if (text != nullptr && text->cause != row->row.cause) return;
  AddFact(facts, "event", row->row, reason, event.reason(), ref.at);
}

bool SaysScheduled(const Context& context, int event) {
  return context.report.events(event).reason() == "Scheduled";
}

// The progress of the event's object, in order.
enum class Step : std::uint8_t {
  kNone,
  kMade,
  kPlaced,
  kMounted,
  kPulled,
  kRuns,
  kDone,
};

constexpr struct {
  std::string_view reason;
  Step step;
} kSteps[] = {
    // SuccessfulCreate is a Job's, for its pod; QuotaReserved and Admitted are
    // Kueue's; the others are the scheduler's and the kubelet's, for a pod.
    {"SuccessfulCreate", Step::kMade}, {"Scheduled", Step::kPlaced},
    {"Pulling", Step::kMounted},       {"Pulled", Step::kPulled},
    {"Created", Step::kPulled},        {"Started", Step::kRuns},
    {"QuotaReserved", Step::kRuns},    {"Admitted", Step::kRuns},
    {"Completed", Step::kDone},
};

Step StepOf(const core::Event& event) {
  // The taint manager cancels an eviction with the same reason.
  if (event.message().starts_with("Cancelling deletion")) return Step::kRuns;
  const auto found = std::ranges::find(
      kSteps, event.reason(), [](const auto& row) { return row.reason; });
  return found == std::end(kSteps) ? Step::kNone : found->step;
}

// Returns the step that the object reaches once the event's problem is solved.
Step StepAfter(const core::Event& event) {
  const EventSignature* const row = FindEvent(event.reason());
  switch (row == nullptr ? Stage::kRun : row->stage) {
    case Stage::kCreate:
      return Step::kMade;
    case Stage::kSchedule:
      return Step::kPlaced;
    case Stage::kStart:
      if (row->texts == Texts::kMount) return Step::kMounted;
      return IsAboutImage(event.message()) ? Step::kPulled : Step::kRuns;
    default:
      return Step::kRuns;
  }
}

// Recognizes problems that were overcome, for objects with events only: a later
// event shows a later step. Pod events without times, or of the same second,
// are ordered as in the report: the API server and kubectl describe list them
// by name, which ends in their time.
class Overcome {
 public:
  explicit Overcome(const Context& context) : context_(context) {
    for (const int index : context.other_events) {
      const core::Event& event = context.report.events(index);
      const std::string_view key = KeyOf(event);
      if (StepOf(event) != Step::kNone && !key.empty()) {
        steps_[key].push_back(index);
      }
    }
  }

  bool IsPast(int index) const {
    const core::Event& event = context_.report.events(index);
    const auto steps = steps_.find(KeyOf(event));
    if (steps == steps_.end() || StepOf(event) != Step::kNone) return false;
    const Step after = StepAfter(event);
    return std::ranges::any_of(steps->second, [&](int other) {
      const core::Event& then = context_.report.events(other);
      const Step step = StepOf(then);
      // A pod is placed once, and its volumes are mounted once.
      const bool once = after == Step::kPlaced ||
                        (after == Step::kMounted && step >= Step::kRuns);
      return step >= after && IsOfOnePart(event, then) &&
             (once || IsLater(other, index));
    });
  }

 private:
  static std::string_view KeyOf(const core::Event& event) {
    const auto& object = event.involved_object();
    return object.uid().empty() ? object.name() : object.uid();
  }

  // One container of a pod may start while another does not.
  static bool IsOfOnePart(const core::Event& a, const core::Event& b) {
    const std::string& container = a.involved_object().field_path();
    return container.empty() || b.involved_object().field_path().empty() ||
           container == b.involved_object().field_path();
  }

  bool IsLater(int index, int than) const {
    const Seconds at = LastTime(context_.report.events(index));
    const Seconds other = LastTime(context_.report.events(than));
    if (Known(at) && Known(other) && at != other) return at > other;
    return index > than &&
           context_.report.events(index).involved_object().kind() == "Pod";
  }

  const Context& context_;
  // Events that show an object's step, by its UID or name.
  std::unordered_map<std::string_view, std::vector<int>> steps_;
};

// Seconds. A process that the kernel kills ends at once, and its parent soon.
constexpr Seconds kKillSeenBefore = 600;

bool IsOfMemory(v1::Cause cause) {
  return cause == v1::CONTAINER_OOM || cause == v1::HOST_OOM;
}

// Returns whether a kernel's message names another pod's UID.
bool NamesAnotherPod(const std::string& message, const core::Pod& pod) {
  if (message.find("kubepods") == message.npos) return false;
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

// Of the facts from a pod's node, from index `from` on, removes those that
// cannot concern its end: older than the pod unless about a broken device, and
// memory kills that it survived.
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

// Returns the events about the pod's node, or null.
const std::vector<int>* NodeEventsOf(const Context& context,
                                     const core::Pod& pod) {
  const auto& all = context.node_events;
  // A single pod is on the only node.
  if (pod.spec().node_name().empty() && context.report.pods_size() == 1) {
    return all.size() == 1 && WasPlaced(pod) ? &all.begin()->second : nullptr;
  }
  const auto found = all.find(pod.spec().node_name());
  return found == all.end() ? nullptr : &found->second;
}

void ReadNodeEvents(const Context& context, const core::Pod& pod,
                    const Gate& gate, const PodState& state,
                    Candidates& facts) {
  const std::vector<int>* const events = NodeEventsOf(context, pod);
  if (events == nullptr) return;
  const std::size_t before = facts.size();
  for (const int event : *events) {
    if (NamesAnotherPod(context.report.events(event).message(), pod)) continue;
    ReadEvent({context, gate, state, event}, facts);
  }
  KeepOfPod(pod, state, before, facts);
}

}  // namespace

Seconds FirstTime(const core::Event& event) {
  return Earlier(ToSeconds(event.first_timestamp()),
                 Earlier(ToSeconds(event.event_time()),
                         ToSeconds(event.last_timestamp())));
}

void ReadEventsOfPod(const Context& context, int index, const PodState& state,
                     Candidates& facts) {
  const auto& all = context.pod_events;
  const std::span<const Context::Link> links(
      std::ranges::lower_bound(all, index, {}, &Context::Link::target),
      std::ranges::upper_bound(all, index, {}, &Context::Link::target));
  const bool scheduled =
      state.started || state.blocked ||
      std::ranges::any_of(links, [&context](const Context::Link& link) {
        return SaysScheduled(context, link.event);
      });
  const Gate gate = {.create = false,
                     .schedule = !scheduled,
                     .start = !state.started || state.blocked};
  for (const Context::Link& link : links) {
    ReadEvent({context, gate, state, link.event}, facts);
  }
  ReadNodeEvents(context, context.report.pods(index), gate, state, facts);
}

void ReadOtherEvents(const Context& context, Candidates& facts) {
  const Overcome overcome(context);
  const Gate gate;
  for (const int index : context.other_events) {
    if (!overcome.IsPast(index)) {
      ReadEvent({context, gate, kNoPod, index}, facts);
    }
  }
}

void ReadSharedEvents(const Context& context, Candidates& facts) {
  const Gate gate;
  for (const int index : context.shared_events) {
    ReadEvent({context, gate, kNoPod, index}, facts);
  }
}

}  // namespace mulligan::demystify
