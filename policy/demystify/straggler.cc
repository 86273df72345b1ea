#include "policy/demystify/straggler.h"

#include <re2/re2.h>

#include <cstddef>
#include <map>
#include <string>

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
    operation.append(name).append("=").append(value).append(" ");
  }
  return operation;
}

}  // namespace

int FindStraggler(const std::vector<Member>& members,
                  const std::vector<int>& pods) {
  std::vector<int> silent;
  std::map<std::string, std::vector<int>> waiting;
  std::size_t waited = 0;
  for (const int pod : pods) {
    const Member& member = members[static_cast<std::size_t>(pod)];
    if (!member.failed()) continue;
    if (member.reading.best.cause != v1::HANG) {
      silent.push_back(pod);
      continue;
    }
    ++waited;
    waiting[OperationIn(member.reading.best.text)].push_back(pod);
  }
  if (waited < 2) return -1;
  if (!silent.empty()) return Alone(silent);
  if (waited < 3 || waiting.size() != 2) return -1;
  const int first = Alone(waiting.begin()->second);
  return first >= 0 ? first : Alone(waiting.rbegin()->second);
}

}  // namespace mulligan::demystify
