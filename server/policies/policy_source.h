// Sources of policies, which reloaders read repeatedly.
#ifndef MULLIGAN_SERVER_POLICIES_POLICY_SOURCE_H_
#define MULLIGAN_SERVER_POLICIES_POLICY_SOURCE_H_

#include <memory>
#include <string>
#include <vector>

#include "policy/base/issue.h"
#include "policy/loader/load.h"

namespace mulligan {

// Reads policy texts. Used by one thread at a time.
class PolicySource {
 public:
  virtual ~PolicySource() = default;

  // Returns the current texts; read errors become issues.
  virtual std::vector<PolicyText> Read(Issues& issues) = 0;

  // For logs: the folder, or "<embedded>".
  virtual std::string Describe() const = 0;
};

// Returns the files in `directory`; the embedded policies if empty.
std::unique_ptr<PolicySource> MakePolicySource(const std::string& directory);

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_POLICIES_POLICY_SOURCE_H_
