// A pattern that is compiled at first use, when a text contains its keyword.
// The tables have more than a thousand patterns, which take tenths of a second
// to compile, and a process needs few.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_SIGNATURES_MATCHING_LAZY_PATTERN_H_
#define MULLIGAN_POLICY_DEMYSTIFY_SIGNATURES_MATCHING_LAZY_PATTERN_H_

#include <re2/re2.h>

#include <cstdlib>
#include <memory>

#include "absl/base/call_once.h"

namespace mulligan::demystify {

// Safe to share. Aborts on invalid patterns, which the build excludes.
class LazyPattern {
 public:
  // `pattern` may be null; compiled() must not be called then.
  LazyPattern(const char* pattern, const re2::RE2::Options& options)
      : pattern_(pattern), options_(options) {}
  LazyPattern(const LazyPattern&) = delete;
  LazyPattern& operator=(const LazyPattern&) = delete;

  bool exists() const { return pattern_ != nullptr; }

  const re2::RE2& compiled() const {
    absl::call_once(once_, [this] {
      compiled_ = std::make_unique<const re2::RE2>(pattern_, options_);
      if (!compiled_->ok()) std::abort();
    });
    return *compiled_;
  }

 private:
  const char* pattern_;
  re2::RE2::Options options_;
  mutable absl::once_flag once_;
  mutable std::unique_ptr<const re2::RE2> compiled_;
};

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_SIGNATURES_MATCHING_LAZY_PATTERN_H_
