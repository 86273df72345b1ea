// What every reader of one report shares.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_CONTEXT_H_
#define MULLIGAN_POLICY_DEMYSTIFY_CONTEXT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "mulligan/v1/report.pb.h"
#include "policy/demystify/candidate.h"
#include "policy/demystify/signatures/tables.h"
#include "policy/demystify/signatures/user_signatures.h"

namespace mulligan::demystify {

// Of the events of one node so many are read for each of its pods, so that a
// report's cost stays linear in its size.
inline constexpr std::size_t kMaxNodeEvents = 64;

struct Context {
  // `absent_now` is what time it is where the report does not say.
  Context(const v1::FailureReport& of, const UserSignatures* user_signatures,
          const google::protobuf::Timestamp& absent_now,
          PatternAllowance& allowance);

  const v1::FailureReport& report;
  // May be null.
  const UserSignatures* signatures;
  // For the signatures' patterns.
  PatternAllowance& patterns;
  // When the report was observed.
  Seconds now;
  // Exit codes are read as Spark's.
  bool spark = false;
  // Ray says that the application itself failed: how the submitter ended says
  // nothing more.
  bool ray_application_failed = false;
  // Events about pods of the report, sorted by the index of the pod.
  struct Link {
    int target;
    int event;
  };
  std::vector<Link> pod_events;
  // Indexes of events about nodes, by the name of the node.
  std::unordered_map<std::string_view, std::vector<int>> node_events;
  // Events about neither a pod nor a node of the report, but perhaps about
  // something of the workload: a pod that is gone, its Job.
  std::vector<int> other_events;
  // Events about other workloads, which are not read.
  int strange_events = 0;

  // Index into report.nodes; -1 when the node is not in the report.
  int NodeOf(const kubernetes::core::v1::Pod& pod) const;

  // Indexes into report.usage that may be about `pod`.
  std::vector<int> UsageOf(const kubernetes::core::v1::Pod& pod) const;

  // Adds the user signature that matches, if any.
  void AddUserSignature(Candidates& facts, v1::Signature::Source source,
                        std::string_view text,
                        std::optional<std::int32_t> exit_code,
                        const Place& place, Seconds at) const;

 private:
  void IndexEvents();
  // Names that objects of the workload begin with or contain.
  std::vector<std::string_view> Stems() const;

  // report.usage by pod name.
  std::unordered_map<std::string_view, std::vector<int>> usage_by_pod_;
  // Filled when there are too many nodes for a search.
  std::unordered_map<std::string_view, int> nodes_by_name_;
};

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_CONTEXT_H_
