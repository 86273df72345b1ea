// The families of application texts, in the order they are tried.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_SIGNATURES_APPLICATION_TEXTS_H_
#define MULLIGAN_POLICY_DEMYSTIFY_SIGNATURES_APPLICATION_TEXTS_H_

#include <span>

#include "policy/demystify/signatures/text_table.h"

namespace mulligan::demystify {

constexpr TextSignature AppText(std::string_view keyword, const char* pattern,
                                std::string_view name, v1::Cause cause,
                                v1::Diagnosis::Confidence confidence, Tier tier,
                                std::uint8_t flags, std::string_view meaning) {
  return {keyword,
          pattern,
          {name, cause, confidence, tier, kTextWeight, flags, meaning}};
}

// Wrong arguments, configuration, credentials or imports.
constexpr TextSignature Config(std::string_view keyword, const char* pattern,
                               std::string_view name,
                               std::string_view meaning) {
  return AppText(keyword, pattern, name, v1::CONFIG_USER_ERROR, kMedium,
                 Tier::kSpecific, kNoFlags, meaning);
}

// What may have gone while the program ran: the next attempt may find it again.
constexpr TextSignature Fading(TextSignature text) {
  text.row.flags |= kMayFade;
  return text;
}

std::span<const TextSignature> HardwareTexts();
std::span<const TextSignature> MemoryTexts();
std::span<const TextSignature> DataTexts();
std::span<const TextSignature> UserErrorTexts();
std::span<const TextSignature> AccessTexts();
std::span<const TextSignature> SetupTexts();
std::span<const TextSignature> VagueUserErrorTexts();
std::span<const TextSignature> CollectiveTexts();
std::span<const TextSignature> DependencyTexts();
std::span<const TextSignature> ServiceTexts();
std::span<const TextSignature> SignalTexts();
std::span<const TextSignature> ExceptionNames();
std::span<const TextSignature> ProgramErrorTexts();
std::span<const TextSignature> UncaughtTexts();
std::span<const TextSignature> ProgramEndTexts();

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_SIGNATURES_APPLICATION_TEXTS_H_
