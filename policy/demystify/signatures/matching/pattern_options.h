// RE2 options of patterns in text tables.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_SIGNATURES_MATCHING_PATTERN_OPTIONS_H_
#define MULLIGAN_POLICY_DEMYSTIFY_SIGNATURES_MATCHING_PATTERN_OPTIONS_H_

#include <re2/re2.h>

namespace mulligan::demystify {

// Options of a row's patterns.
inline re2::RE2::Options PatternOptions() {
  re2::RE2::Options options;
  options.set_case_sensitive(false);
  options.set_dot_nl(true);
  // Texts are bytes, not necessarily UTF-8.
  options.set_encoding(re2::RE2::Options::EncodingLatin1);
  options.set_log_errors(false);
  return options;
}

// Options of patterns that extract names, whose groups are shown to users.
inline re2::RE2::Options RemedyOptions() {
  re2::RE2::Options options;
  options.set_case_sensitive(false);
  options.set_log_errors(false);
  return options;
}

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_SIGNATURES_MATCHING_PATTERN_OPTIONS_H_
