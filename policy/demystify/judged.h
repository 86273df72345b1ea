// Everything that a diagnosis refers to, kept until it is written.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_JUDGED_H_
#define MULLIGAN_POLICY_DEMYSTIFY_JUDGED_H_

#include <list>

#include "google/protobuf/timestamp.pb.h"
#include "policy/base/pattern_allowance.h"
#include "policy/demystify/conclusion.h"
#include "policy/demystify/context.h"
#include "policy/demystify/judge.h"

namespace mulligan::demystify {

// Points into the report, `owners` and the allowance, which must outlive it.
// Failure.found points into this.
struct Judged {
  // If `patterns` is null, uses an allowance of its own.
  Judged(const Owners& owners, const UserSignatures* signatures,
         const google::protobuf::Timestamp& now, PatternAllowance* patterns)
      : context(owners, signatures, now,
                patterns != nullptr ? *patterns : own_patterns) {}
  Judged(const Judged&) = delete;
  Judged& operator=(const Judged&) = delete;

  PatternAllowance own_patterns;
  Context context;
  Judgement judgement;
  // Of earlier attempts, and of a failure that is being retried.
  std::list<Conclusion> others;
};

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_JUDGED_H_
