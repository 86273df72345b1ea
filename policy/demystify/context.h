// State shared by all readers of one report.
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

// Returns whether the pod was on a node, even if its spec names none.
bool WasPlaced(const kubernetes::core::v1::Pod& pod);

// Number of a node's events that are read for each of its pods. Keeps the cost
// linear in the size of the report.
inline constexpr std::size_t kMaxNodeEvents = 64;

// Up to this many objects a search is cheaper than an index.
inline constexpr int kSearchedObjects = 8;

struct Context {
  // `absent_now` is the time if the report has none.
  Context(const Owners& of, const UserSignatures* user_signatures,
          const google::protobuf::Timestamp& absent_now,
          PatternAllowance& allowance);

  const v1::FailureReport& report;
  const Owners& owners;
  // May be null.
  const UserSignatures* signatures;
  // For the signatures' patterns.
  PatternAllowance& patterns;
  // Reading changes it without affecting any answer.
  mutable LogReader log;
  // When the report was observed.
  Seconds now;
  // Exit codes have Spark's meaning.
  bool spark = false;
  // Earlier attempts that ended for reasons other than the program, according
  // to the ledger or the report.
  int external_ends = 0;
  // Returns who retries a failure, as text; empty if no one does. The argument
  // is the index of a pod that ended or is about to, which the operator may not
  // have seen yet; -1 if there is none. Called once for each open failure. If
  // null, no operator is consulted.
  std::function<std::string(int pod)> operator_retries = {};
  // An operator reports the program's failure; ignore the submitter's failure.
  bool program_failed = false;
  // When the last pod of each owner was created, in epoch seconds, by the
  // owner's UID; empty unless an operator tries the work again.
  std::unordered_map<std::string_view, std::int64_t> last_created;
  // Events about pods of the report, sorted by pod index.
  struct Link {
    int target;
    int event;
  };
  std::vector<Link> pod_events;
  // Indexes of events about nodes, by node name.
  std::unordered_map<std::string_view, std::vector<int>> node_events;
  // Events that may be about a deleted pod or another object of the workload.
  std::vector<int> other_events;
  // Events about shared objects such as claims, and nodes if the report has no
  // pods. They may concern other workloads.
  std::vector<int> shared_events;
  // Number of events about other workloads, which are not read.
  int foreign_events = 0;

  // Returns the index of the pod's node in report.nodes; -1 if absent. A single
  // pod that was placed but names no node is on the report's only node.
  int NodeOf(const kubernetes::core::v1::Pod& pod) const;

  // Returns the Job of the pod if its podFailurePolicy is within the API
  // server's bounds; null if the report has none.
  const kubernetes::batch::v1::Job* RulingJobOf(
      const kubernetes::core::v1::Pod& pod) const;

  // Returns indexes into report.usage that may be about `pod`.
  std::vector<int> UsageOf(const kubernetes::core::v1::Pod& pod) const;

  // Adds and returns the user signature that matches; null if none does.
  const Signature* AddUserSignature(Candidates& facts,
                                    v1::Signature::Source source,
                                    std::string_view text,
                                    std::optional<std::int32_t> exit_code,
                                    const Place& place, Seconds at) const;

 private:
  void IndexEvents();
  // Returns names that occur in the names of the workload's objects.
  std::vector<std::string_view> Stems() const;
  // The names that pods missing from the report may have.
  enum class PodNames : std::uint8_t {
    // They contain a name of the workload.
    kAny,
    // A Job's name, an optional index and a generated suffix.
    kOfJob,
    // None are missing, because the report's pods have no owner.
    kReported,
  };
  PodNames NamesOfPods() const;

  // Jobs with a podFailurePolicy, by UID and by name.
  std::unordered_map<std::string_view, const kubernetes::batch::v1::Job*>
      ruling_jobs_;
  // report.usage by pod name.
  std::unordered_map<std::string_view, std::vector<int>> usage_by_pod_;
  // Filled if there are too many nodes for a search.
  std::unordered_map<std::string_view, int> nodes_by_name_;
};

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_CONTEXT_H_
