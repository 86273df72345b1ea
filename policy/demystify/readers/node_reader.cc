#include "policy/demystify/readers/node_reader.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "policy/base/conditions.h"
#include "policy/demystify/context.h"
#include "policy/demystify/fact.h"
#include "policy/demystify/pod_state.h"
#include "policy/demystify/readers/text_reader.h"
#include "policy/demystify/signatures/rows.h"
#include "policy/demystify/signatures/tables.h"

namespace mulligan::demystify {
namespace {

namespace core = kubernetes::core::v1;

// More than any real node has.
constexpr int kMaxTaints = 256;

template <typename Map>
std::string_view SpotLabelIn(const Map& labels) {
  std::string_view found;
  for (const auto& [key, value] : labels) {
    // The smallest, because the order of a map varies.
    if (IsSpotLabel(key, value) && (found.empty() || key < found)) found = key;
  }
  return found;
}

// Returns whether a condition without a row reports a problem: "...Ready" and
// "...Healthy" if False, all others if True.
bool SaysTrouble(const core::NodeCondition& condition) {
  const std::string_view type = condition.type();
  const bool good = type.ends_with("Ready") || type.ends_with("Healthy");
  return condition.status() == (good ? "False" : "True");
}

void ReadConditionWords(const core::NodeCondition& condition, int index, int i,
                        Candidates& facts) {
  if (!SaysTrouble(condition)) return;
  const Place place = {Root::kNodes, index, ".status.conditions", i, ".type"};
  const Seconds at = ToSeconds(condition.last_transition_time());
  const TextTable& words = NodeConditionTexts();
  if (AddText(facts, words, condition.type(), place, at) == nullptr) {
    AddText(facts, words, condition.reason(), place, at);
  }
}

// Adds a sign if the taint manager marked the pod while the node was not ready:
// it became ready again later.
void ReadReturn(const core::Pod& pod, const core::Node& node, int index,
                const PodState& state, Candidates& facts) {
  if (!Known(state.marked)) return;
  const auto* const marked =
      FindCondition(pod.status().conditions(), "DisruptionTarget", "True");
  const auto* const ready =
      FindCondition(node.status().conditions(), "Ready", "True");
  if (marked == nullptr || marked->reason() != "DeletionByTaintManager" ||
      ready == nullptr) {
    return;
  }
  const Seconds back = ToSeconds(ready->last_transition_time());
  if (Before(ToSeconds(node.metadata().creation_timestamp()), state.marked) &&
      Before(state.marked, back)) {
    AddSign(facts, sign::kNodeNotReady,
            {Root::kNodes, index, "", -1, ".status.conditions"}, "Ready", back);
  }
}

// Keeps only device faults near the end. Taints and other conditions do not
// explain a pod's own end.
void KeepDevices(const PodState& state, std::size_t from, Candidates& facts) {
  const auto explains = [&state](const Candidate& fact) {
    return IsOfDevice(fact.cause) && IsDeviceOfEnd(state, fact.at);
  };
  std::size_t kept = from;
  for (std::size_t i = from; i < facts.size(); ++i) {
    if (!explains(facts[i])) continue;
    facts[i].flags &= static_cast<std::uint16_t>(~kUnclearEndOnly);
    facts[kept++] = facts[i];
  }
  facts.resize(kept);
}

}  // namespace

void ReadNode(const Context& context, int index, Candidates& facts) {
  const core::Node& node = context.report.nodes(index);
  const int taints = std::min(node.spec().taints_size(), kMaxTaints);
  for (int i = 0; i < taints; ++i) {
    const core::Taint& taint = node.spec().taints(i);
    const Signature* row = FindTaint(taint.key());
    const Place place = {Root::kNodes, index, ".spec.taints", i, ".key"};
    if (row == nullptr) {
      AddText(facts, TaintTexts(), taint.key(), place,
              ToSeconds(taint.time_added()));
      continue;
    }
    AddFact(facts, "taint", *row, place, taint.key(),
            ToSeconds(taint.time_added()));
  }
  for (int i = 0; i < node.status().conditions_size(); ++i) {
    const core::NodeCondition& condition = node.status().conditions(i);
    const Signature* row = FindNodeCondition(
        condition.type(), condition.status(), condition.reason());
    if (row == nullptr) {
      ReadConditionWords(condition, index, i, facts);
      continue;
    }
    const Seconds at = ToSeconds(condition.last_transition_time());
    AddFact(facts, "node-condition", *row,
            {Root::kNodes, index, ".status.conditions", i, ".status"}, row->key,
            at);
    // The message names the announced maintenance.
    if (row->cause == v1::NODE_SHUTDOWN) {
      AddText(facts, AnnouncementTexts(), condition.message(),
              {Root::kNodes, index, ".status.conditions", i, ".message"}, at);
    }
  }
  const Seconds deleted = ToSeconds(node.metadata().deletion_timestamp());
  if (Known(deleted)) {
    AddSign(facts, sign::kNodeDeleted,
            {Root::kNodes, index, "", -1, ".metadata.deletionTimestamp"}, "set",
            deleted);
  }
}

void ReadNodeOf(const Context& context, int index, const PodState& state,
                Candidates& facts) {
  if (state.end == End::kClean) return;
  const int node = context.NodeOf(context.report.pods(index));
  if (node < 0) return;
  const std::size_t before = facts.size();
  ReadNode(context, node, facts);
  ReadReturn(context.report.pods(index), context.report.nodes(node), node,
             state, facts);
  if (!state.unclear_end()) KeepDevices(state, before, facts);
}

bool FindSpotSign(const Context& context, int index, Place& place,
                  std::string_view& label) {
  const core::Pod& pod = context.report.pods(index);
  const int node = context.NodeOf(pod);
  if (node >= 0) {
    label = SpotLabelIn(context.report.nodes(node).metadata().labels());
    place = {Root::kNodes, node, "", -1, ".metadata.labels"};
    if (!label.empty()) return true;
  }
  label = SpotLabelIn(pod.spec().node_selector());
  place = {Root::kPods, index, "", -1, ".spec.nodeSelector"};
  if (!label.empty()) return true;
  if (context.report.workload().interruptible()) {
    label = "true";
    place = {Root::kReport, -1, "", -1, "workload.interruptible"};
    return true;
  }
  return false;
}

}  // namespace mulligan::demystify
