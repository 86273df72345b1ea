// What every reader of one report shares.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_CONTEXT_H_
#define MULLIGAN_POLICY_DEMYSTIFY_CONTEXT_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "google/protobuf/timestamp.pb.h"
#include "mulligan/v1/report.pb.h"
#include "policy/demystify/fact.h"
#include "policy/demystify/logs/log.h"
#include "policy/demystify/signatures/user_signatures.h"
#include "policy/request/owners.h"

namespace mulligan::demystify {

// Whether a pod shows that it was on a node, named or not.
bool WasPlaced(const kubernetes::core::v1::Pod& pod);

// Of the events of one node so many are read for each of its pods, so that a
// report's cost stays linear in its size.
inline constexpr std::size_t kMaxNodeEvents = 64;

// Up to this many objects a search is cheaper than an index.
inline constexpr int kSearchedObjects = 8;

struct Context {
  // `absent_now` is what time it is where the report does not say.
  Context(const Owners& of, const UserSignatures* user_signatures,
          const google::protobuf::Timestamp& absent_now,
          PatternAllowance& allowance);

  const v1::FailureReport& report;
  const Owners& owners;
  // May be null.
  const UserSignatures* signatures;
  // For the signatures' patterns.
  PatternAllowance& patterns;
  // Changes by reading, which shows in no answer.
  mutable LogReader log;
  // When the report was observed.
  Seconds now;
  // Exit codes are read as Spark's.
  bool spark = false;
  // Attempts before that ended for reasons that are not the program's, as far
  // as the ledger or the report tells.
  int not_the_programs = 0;
  // Who starts what failed again by itself, in words; an empty text: nobody.
  // Given the index of a pod that has ended or is about to, which the operator
  // may not have seen yet; -1: none has. Asked once of each failure that is
  // open. Empty: nobody is asked.
  std::function<std::string(int pod)> operator_retries = {};
  // An operator says that the program itself failed: how whatever submitted it
  // ended says nothing more.
  bool program_failed = false;
  // Events about pods of the report, sorted by the index of the pod.
  struct Link {
    int target;
    int event;
  };
  std::vector<Link> pod_events;
  // Indexes of events about nodes, by the name of the node.
  std::unordered_map<std::string_view, std::vector<int>> node_events;
  // Events about no pod of the report, but perhaps about something of the
  // workload: a pod that is gone, its Job.
  std::vector<int> other_events;
  // Events about what workloads share, such as claims and, in a report without
  // pods, nodes: nothing says that it is this workload's.
  std::vector<int> shared_events;
  // Events about other workloads, which are not read.
  int strange_events = 0;

  // Index into report.nodes; -1 when the node is not in the report. The only
  // node is that of an only pod that was somewhere, but does not say where.
  int NodeOf(const kubernetes::core::v1::Pod& pod) const;

  // The Job that made the pod, if it has a podFailurePolicy that an API server
  // would take; null: none of those that are told.
  const kubernetes::batch::v1::Job* RulingJobOf(
      const kubernetes::core::v1::Pod& pod) const;

  // Indexes into report.usage that may be about `pod`.
  std::vector<int> UsageOf(const kubernetes::core::v1::Pod& pod) const;

  // Adds and returns the user signature that matches; null: none does.
  const Signature* AddUserSignature(Candidates& facts,
                                    v1::Signature::Source source,
                                    std::string_view text,
                                    std::optional<std::int32_t> exit_code,
                                    const Place& place, Seconds at) const;

 private:
  void IndexEvents();
  // Names that objects of the workload begin with or contain.
  std::vector<std::string_view> Stems() const;
  // What is known of the names of pods that are not in the report.
  enum class PodNames : std::uint8_t {
    // They have some name of the workload in them.
    kAny,
    // A Job's name, perhaps an index, and a made-up end.
    kOfJob,
    // The pods of the report belong to nobody: there are no others.
    kReported,
  };
  PodNames NamesOfPods() const;

  // Jobs with a podFailurePolicy, by UID and by name.
  std::unordered_map<std::string_view, const kubernetes::batch::v1::Job*>
      ruling_jobs_;
  // report.usage by pod name.
  std::unordered_map<std::string_view, std::vector<int>> usage_by_pod_;
  // Filled when there are too many nodes for a search.
  std::unordered_map<std::string_view, int> nodes_by_name_;
};

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_CONTEXT_H_
