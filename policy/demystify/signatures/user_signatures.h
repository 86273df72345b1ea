// The signatures of one policy file, compiled.
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

// Texts and exit codes of a fleet that name a cause (RetryPolicySpec
// .signatures). Immutable and safe to share between threads.
class UserSignatures {
 public:
  // Compiles `spec.signatures()` within `allowance`. Every problem (pattern
  // that RE2 refuses, missing cause, duplicate name, neither pattern nor codes,
  // pattern beyond the size bound) becomes an issue at its position; returns
  // null then. Never returns null without adding an error.
  static std::unique_ptr<const UserSignatures> Create(
      const std::string& policy_name, const v1::RetryPolicySpec& spec,
      const SourceMap& positions, PatternAllowance& allowance, Issues& issues);

  ~UserSignatures();
  UserSignatures(const UserSignatures&) = delete;
  UserSignatures& operator=(const UserSignatures&) = delete;

  // The first signature that matches `text` of `source` and the exit code that
  // belongs to it; null when none does. Signatures without a pattern look at
  // the code only and match with the source TERMINATION_MESSAGE. The key of
  // the result is "<policy>/<signature>".
  const demystify::Signature* Match(v1::Signature::Source source,
                                    std::string_view text,
                                    std::optional<std::int32_t> exit_code,
                                    PatternAllowance& patterns) const;

  // What the signature that Diagnosis.signature names says to do first; empty:
  // nothing, or it is none of these.
  std::string_view RemedyOf(std::string_view signature) const;

 private:
  struct Row;

  UserSignatures();

  std::vector<std::unique_ptr<const Row>> rows_;
};

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_DEMYSTIFY_SIGNATURES_USER_SIGNATURES_H_
