#include "policy/demystify/straggler.h"

#include <re2/re2.h>

#include <cstddef>
#include <map>
#include <string>

#include "policy/demystify/life_signs.h"

namespace mulligan::demystify {
namespace {

// One member alone, else nobody.
int Alone(const std::vector<int>& pods) {
  return pods.size() == 1 ? pods.front() : -1;
}

// "SeqNum=1, OpType=ALLREDUCE, NumelIn=104857600" of NCCL's watchdog, as far
// as it is told.
std::string OperationIn(std::string_view line) {
  static const re2::RE2* const part =
      new re2::RE2("\\b(SeqNum|OpType|NumelIn)=(\\w+)");
  std::string operation;
  re2::StringPiece rest(line.data(), line.size());
  std::string name;
  std::string value;
  while (re2::RE2::FindAndConsume(&rest, *part, &name, &value)) {
    if (!operation.empty()) operation.push_back(' ');
    operation.append(name).append("=").append(value);
  }
  return operation;
}

// Number and kind; the size only where they do not tell two apart.
std::string Shown(const std::string& operation, const std::string& other) {
  const std::size_t size = operation.find(" NumelIn");
  const std::string brief = operation.substr(0, size);
  return brief == other.substr(0, other.find(" NumelIn")) ? operation : brief;
}

Straggler InAnotherOperation(const std::string& own, int pod,
                             const std::string& others) {
  return {pod, false,
          "it was in " + Shown(own, others) + ", the others in " +
              Shown(others, own)};
}

// Members by what they report of the collective operation.
struct LastReports {
  std::vector<int> silent;
  // The silent one still runs; of several it does not matter.
  bool runs = false;
  std::map<std::string, std::vector<int>> waiting;
  std::size_t waited = 0;
};

LastReports ReadLastReports(const Context& context,
                            const std::vector<Member>& members,
                            const std::vector<int>& pods) {
  LastReports reports;
  for (const int pod : pods) {
    const Member& member = members[static_cast<std::size_t>(pod)];
    const bool runs =
        !member.reading.failing() && PodRuns(context.report.pods(pod));
    if (!member.failed() && !runs) continue;
    if (runs || member.reading.best.cause != v1::HANG) {
      reports.silent.push_back(pod);
      reports.runs = runs;
      continue;
    }
    ++reports.waited;
    reports.waiting[OperationIn(member.reading.best.text)].push_back(pod);
  }
  return reports;
}

}  // namespace

Straggler FindStraggler(const Context& context,
                        const std::vector<Member>& members,
                        const std::vector<int>& pods) {
  const LastReports reports = ReadLastReports(context, members, pods);
  if (reports.waited < 2) return {};
  if (!reports.silent.empty()) {
    const int pod = Alone(reports.silent);
    if (pod < 0) return {};
    return {pod, false,
            reports.runs ? "it reported nothing, and still runs"
                         : "it reported nothing"};
  }
  const auto& [one, first] = *reports.waiting.begin();
  if (reports.waiting.size() == 1 && !one.empty()) {
    return {-1, true,
            "all " + std::to_string(reports.waited) +
                " members waited in the same operation, none stands out"};
  }
  if (reports.waited < 3 || reports.waiting.size() != 2) return {};
  const auto& [other, last] = *reports.waiting.rbegin();
  if (Alone(first) >= 0) return InAnotherOperation(one, Alone(first), other);
  if (Alone(last) >= 0) return InAnotherOperation(other, Alone(last), one);
  return {};
}

}  // namespace mulligan::demystify
