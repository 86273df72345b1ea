// The samples of the text tables, for tests.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_SIGNATURES_SAMPLES_H_
#define MULLIGAN_POLICY_DEMYSTIFY_SIGNATURES_SAMPLES_H_

#include <span>
#include <string_view>

namespace mulligan::demystify {

struct TextSample {
  // Names of its row, as in evidence: "text" and "ecc".
  std::string_view table;
  std::string_view name;
  std::string_view text;
};

std::span<const TextSample> TextSamples();

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_SIGNATURES_SAMPLES_H_
