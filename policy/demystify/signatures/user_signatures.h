// The compiled signatures of one policy file.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_SIGNATURES_USER_SIGNATURES_H_
#define MULLIGAN_POLICY_DEMYSTIFY_SIGNATURES_USER_SIGNATURES_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mulligan/v1/policy.pb.h"
#include "policy/base/issue.h"
#include "policy/base/pattern_allowance.h"
#include "policy/demystify/signatures/signature.h"

namespace mulligan {

// RetryPolicySpec.signatures: a fleet's own texts and exit codes that name a
// cause. Immutable; safe to share between threads.
class UserSignatures {
 public:
  // Compiles `spec.signatures()` within `allowance`. Adds an issue for every
  // invalid pattern, missing cause, duplicate name, and signature without
  // pattern and codes. Returns null exactly if it added an error.
  static std::unique_ptr<const UserSignatures> Create(
      const std::string& policy_name, const v1::RetryPolicySpec& spec,
      const SourceMap& positions, PatternAllowance& allowance, Issues& issues);

  ~UserSignatures();
  UserSignatures(const UserSignatures&) = delete;
  UserSignatures& operator=(const UserSignatures&) = delete;

  // Returns the first signature that matches `text` of `source` and its exit
  // code; null if none does. A signature without a pattern only checks the
  // code, for the source TERMINATION_MESSAGE. The key of the result is
  // "<policy>/<signature>".
  const demystify::Signature* Match(v1::Signature::Source source,
                                    std::string_view text,
                                    std::optional<std::int32_t> exit_code,
                                    PatternAllowance& patterns) const;

  // Returns the remedy of the signature that Diagnosis.signature names; empty
  // if it has none or is not one of these.
  std::string_view RemedyOf(std::string_view signature) const;

 private:
  struct Row;

  UserSignatures();

  std::vector<std::unique_ptr<const Row>> rows_;
};

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_DEMYSTIFY_SIGNATURES_USER_SIGNATURES_H_
