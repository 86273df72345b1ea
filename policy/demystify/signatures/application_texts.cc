#include "policy/demystify/signatures/application_texts.h"

#include <vector>

#include "policy/demystify/signatures/tables.h"

namespace mulligan::demystify {

const TextTable& ApplicationTexts() {
  static const std::vector<TextSignature>* const rows = [] {
    auto* all = new std::vector<TextSignature>;
    for (const auto family :
         {HardwareTexts(), MemoryTexts(), DataTexts(), UserErrorTexts(),
          AccessTexts(), SetupTexts(), CollectiveTexts(), DependencyTexts(),
          ServiceTexts(), SignalTexts(), VagueUserErrorTexts(),
          ProgramErrorTexts(), ExceptionNames(), UncaughtTexts(),
          ProgramEndTexts()}) {
      all->insert(all->end(), family.begin(), family.end());
    }
    return all;
  }();
  static const TextTable* const table = new TextTable("text", *rows);
  return *table;
}

const TextTable& HardwareErrors() {
  static const TextTable* const table = new TextTable("text", HardwareTexts());
  return *table;
}

const TextTable& MemoryErrors() {
  static const TextTable* const table = new TextTable("text", MemoryTexts());
  return *table;
}

const TextTable& ProgramErrors() {
  static const std::vector<TextSignature>* const rows = [] {
    auto* all = new std::vector<TextSignature>;
    for (const auto family : {ProgramErrorTexts(), UncaughtTexts()}) {
      all->insert(all->end(), family.begin(), family.end());
    }
    return all;
  }();
  static const TextTable* const table = new TextTable("text", *rows);
  return *table;
}

}  // namespace mulligan::demystify
