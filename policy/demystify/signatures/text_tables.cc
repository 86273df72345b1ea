// The tables of texts, built at first use.
#include <initializer_list>
#include <span>
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
  static const TextTable* const table =
      new TextTable("text", rows::HardwareTexts());
  return *table;
}

const TextTable& MemoryErrors() {
  static const TextTable* const table =
      new TextTable("text", rows::MemoryTexts());
  return *table;
}

const TextTable& ProgramErrors() {
  static const std::vector<TextSignature>* const all = Joined(
      {rows::ProgramErrorTexts(), rows::MistakeNames(), rows::UncaughtTexts()});
  static const TextTable* const table = new TextTable("text", *all);
  return *table;
}

const TextTable& PassingTexts() {
  static const TextTable* const table =
      new TextTable("passing", rows::PassingTexts());
  return *table;
}

const TextTable& EndingTexts() {
  static const TextTable* const table =
      new TextTable("ending", rows::EndingTexts());
  return *table;
}

const TextTable& ImageTexts() {
  static const TextTable* const table =
      new TextTable("image", rows::ImageTexts());
  return *table;
}

const TextTable& StartTexts() {
  static const TextTable* const table =
      new TextTable("start", rows::StartTexts());
  return *table;
}

const TextTable& MountTexts() {
  static const TextTable* const table =
      new TextTable("mount", rows::MountTexts());
  return *table;
}

const TextTable& SchedulingTexts() {
  static const TextTable* const table =
      new TextTable("scheduling", rows::SchedulingTexts());
  return *table;
}

const TextTable& KubeletTexts() {
  static const TextTable* const table =
      new TextTable("kubelet", rows::KubeletTexts());
  return *table;
}

const TextTable& KillingTexts() {
  static const TextTable* const table =
      new TextTable("killing", rows::KillingTexts());
  return *table;
}

const TextTable& KernelTexts() {
  static const TextTable* const table =
      new TextTable("kernel", rows::KernelTexts());
  return *table;
}

const TextTable& CreationTexts() {
  static const TextTable* const table =
      new TextTable("creation", rows::CreationTexts());
  return *table;
}

const TextTable& QueueTexts() {
  static const TextTable* const table =
      new TextTable("queue", rows::QueueTexts());
  return *table;
}

const TextTable& QueueWaitTexts() {
  static const TextTable* const table =
      new TextTable("queue-wait", rows::QueueWaitTexts());
  return *table;
}

const TextTable& OperatorTexts() {
  static const TextTable* const table =
      new TextTable("operator", rows::OperatorTexts());
  return *table;
}

const TextTable& SchedulerTexts() {
  static const TextTable* const table =
      new TextTable("scheduler-text", rows::SchedulerTexts());
  return *table;
}

const TextTable& TaintTexts() {
  static const TextTable* const table =
      new TextTable("taint", rows::TaintTexts());
  return *table;
}

const TextTable& NodeConditionTexts() {
  static const TextTable* const table =
      new TextTable("node-condition", rows::NodeConditionTexts());
  return *table;
}

const TextTable& AnnouncementTexts() {
  static const TextTable* const table =
      new TextTable("announcement", rows::AnnouncementTexts());
  return *table;
}

}  // namespace mulligan::demystify
