// The signatures of one policy file, compiled.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_USER_SIGNATURES_H_
#define MULLIGAN_POLICY_DEMYSTIFY_USER_SIGNATURES_H_

#include <memory>
#include <string>

#include "mulligan/v1/policy.pb.h"
#include "policy/rules/issue.h"
#include "policy/rules/source_map.h"

namespace mulligan {

// Texts and exit codes of a fleet that name a cause (RetryPolicySpec
// .signatures). Immutable and safe to share between threads.
class UserSignatures {
 public:
  // Compiles `spec.signatures()`. Every problem (pattern that RE2 refuses,
  // missing cause, duplicate name, neither pattern nor codes, pattern beyond
  // the size bound) becomes an issue at its position; returns null then.
  // Never returns null without adding an error.
  static std::unique_ptr<const UserSignatures> Create(
      const std::string& policy_name, const v1::RetryPolicySpec& spec,
      const SourceMap& positions, Issues& issues);

  virtual ~UserSignatures() = default;
};

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_DEMYSTIFY_USER_SIGNATURES_H_
