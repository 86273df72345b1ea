// The parts of a pass of the RayJob controller that kuberay_reconcile.h puts
// together, and what they share.
#ifndef MULLIGAN_POLICY_OPERATORS_RAYJOB_PASS_H_
#define MULLIGAN_POLICY_OPERATORS_RAYJOB_PASS_H_

#include <string>
#include <string_view>

#include "policy/operators/rayjob/reconcile.h"

namespace mulligan::rayjob {

// A pass under way.
class PassWriter {
 public:
  explicit PassWriter(const World& world) : world_(world) {
    pass_.status = world.job.status();
  }

  [[nodiscard]] const World& world() const { return world_; }
  [[nodiscard]] const RayJob& job() const { return world_.job; }
  [[nodiscard]] const RayJobSpec& spec() const { return world_.job.spec(); }
  Pass& result() { return pass_; }
  RayJobStatus& status() { return pass_.status; }

  void SetState(std::string_view state);
  // Ends the pass with an error. Always false.
  bool Fail(std::string error);
  // "namespace/name" with the RayJob's namespace.
  [[nodiscard]] std::string Named(const std::string& name) const;
  // Event "<what> namespace/name: error".
  void Warn(std::string_view reason, std::string_view what,
            const std::string& name, const std::string& error);

 private:
  const World& world_;
  Pass pass_;
};

// Each returns whether the pass goes on: for the first two to what needs the
// object, for the others to the retry gate and the write.

// Creates the cluster where there is none.
bool EnsureCluster(PassWriter& pass);
// The same for the submitter Job.
bool EnsureSubmitterJob(PassWriter& pass);
// State Running.
bool Follow(PassWriter& pass);
// States Suspending and Retrying. The flag suspend is not read again: what was
// begun is finished.
bool TearDown(PassWriter& pass);
// States Complete and Failed.
bool CleanUpAtEnd(PassWriter& pass);

}  // namespace mulligan::rayjob

#endif  // MULLIGAN_POLICY_OPERATORS_RAYJOB_PASS_H_
