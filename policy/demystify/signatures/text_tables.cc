// The tables of texts, built at first use.
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "policy/demystify/signatures/rows.h"
#include "policy/demystify/signatures/tables.h"

namespace mulligan::demystify {
namespace {

using TextRows = std::span<const TextSignature>;

std::vector<TextSignature>* Joined(std::initializer_list<TextRows> families) {
  auto* all = new std::vector<TextSignature>;
  for (const TextRows family : families) {
    all->insert(all->end(), family.begin(), family.end());
  }
  return all;
}

template <auto kRows>
const TextTable& TableOf(std::string_view name) {
  static const TextTable* const table = new TextTable(name, kRows());
  return *table;
}

}  // namespace

const TextTable& ApplicationTexts() {
  // In order of precedence.
  static const std::vector<TextSignature>* const all = Joined(
      {rows::HardwareTexts(), rows::MemoryTexts(), rows::LongRunTexts(),
       rows::DataTexts(), rows::UserErrorTexts(), rows::AccessTexts(),
       rows::SetupTexts(), rows::CollectiveTexts(), rows::DependencyTexts(),
       rows::ServiceTexts(), rows::SignalTexts(), rows::VagueUserErrorTexts(),
       rows::ProgramErrorTexts(), rows::ExceptionNames(), rows::GeneralTexts(),
       rows::MistakeNames(), rows::UncaughtTexts(), rows::ProgramEndTexts()});
  static const TextTable* const table = new TextTable("text", *all);
  return *table;
}

const TextTable& HardwareErrors() {
  return TableOf<rows::HardwareTexts>("text");
}
const TextTable& MemoryErrors() { return TableOf<rows::MemoryTexts>("text"); }

const TextTable& ProgramErrors() {
  static const std::vector<TextSignature>* const all = Joined(
      {rows::ProgramErrorTexts(), rows::MistakeNames(), rows::UncaughtTexts()});
  static const TextTable* const table = new TextTable("text", *all);
  return *table;
}

const TextTable& PassingTexts() {
  return TableOf<rows::PassingTexts>("passing");
}
const TextTable& EndingTexts() { return TableOf<rows::EndingTexts>("ending"); }
const TextTable& ImageTexts() { return TableOf<rows::ImageTexts>("image"); }
const TextTable& StartTexts() { return TableOf<rows::StartTexts>("start"); }
const TextTable& MountTexts() { return TableOf<rows::MountTexts>("mount"); }
const TextTable& SchedulingTexts() {
  return TableOf<rows::SchedulingTexts>("scheduling");
}
const TextTable& KubeletTexts() {
  return TableOf<rows::KubeletTexts>("kubelet");
}
const TextTable& KillingTexts() {
  return TableOf<rows::KillingTexts>("killing");
}
const TextTable& KernelTexts() { return TableOf<rows::KernelTexts>("kernel"); }
const TextTable& CreationTexts() {
  return TableOf<rows::CreationTexts>("creation");
}
const TextTable& QueueTexts() { return TableOf<rows::QueueTexts>("queue"); }
const TextTable& QueueWaitTexts() {
  return TableOf<rows::QueueWaitTexts>("queue-wait");
}
const TextTable& OperatorTexts() {
  return TableOf<rows::OperatorTexts>("operator");
}
const TextTable& SchedulerTexts() {
  return TableOf<rows::SchedulerTexts>("scheduler-text");
}
const TextTable& TaintTexts() { return TableOf<rows::TaintTexts>("taint"); }
const TextTable& NodeConditionTexts() {
  return TableOf<rows::NodeConditionTexts>("node-condition");
}
const TextTable& AnnouncementTexts() {
  return TableOf<rows::AnnouncementTexts>("announcement");
}

}  // namespace mulligan::demystify
