// Texts that take the longest to read for their size.
#ifndef MULLIGAN_TESTS_TESTING_COSTLY_TEXT_H_
#define MULLIGAN_TESTS_TESTING_COSTLY_TEXT_H_

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace mulligan::testing {

struct CostlyText {
  const char* name;
  // Repeated to make the text.
  std::string_view piece;
  // Repeated in the second half instead; empty for `piece`.
  std::string_view rest = {};
};

inline constexpr CostlyText kCostlyTexts[] = {
    {"AdviceBeforeColons", "make sure. ", ":"},
    {"AdviceWithoutEnd", "please check "},
    {"Lists", "common causes:\n- make sure:\n"},
    {"EmptyLines", "\n"},
    {"ShortLines", "a\n"},
    {"LinesOfGlog", "W \n"},
    {"Xids", "Xid 1\n"},
    {"XidsOfDrivers", "NVRM: Xid (PCI:0000:3b:00): 31, pid=1\n"},
    {"XidsWithoutNumber", "xid ("},
    {"BegunObjects", "{\"\n"},
    {"Objects", "{\"level\":\"info\",\"msg\":\"a b\"}\n"},
    {"Logfmt", "t=a b=\"c d\" e=\"f g\"\n"},
    {"Heads", "11:58:00 "},
    {"Exceptions", "ValueError: x\n"},
    {"Tracebacks",
     "Traceback (most recent call last)\nDuring the above exception\n"},
    {"Children", "exitcode : 1 (pid: 7)\nChildFailedError: \n"},
    {"Warnings", "UserWarning: retry\nINFO CUDA out of memory\n"},
    {"Gaps", "gpu error cuda nccl failed "},
    {"Brackets", "["},
    {"Words", "epoch 3 step 1200 loss 0.3312 lr 0.0001 tokens 8192\n"},
};

// Returns `bytes` bytes of such a text, which differs for each `number`.
inline std::string MakeCostly(const CostlyText& text, std::size_t number,
                              std::size_t bytes) {
  const std::string end = " " + std::to_string(number);
  const std::size_t size = bytes - std::min(bytes, end.size());
  std::string made;
  while (made.size() < (text.rest.empty() ? size : size / 2)) {
    made += text.piece;
  }
  while (made.size() < size) made += text.rest;
  made.resize(size);
  return made + end;
}

}  // namespace mulligan::testing

#endif  // MULLIGAN_TESTS_TESTING_COSTLY_TEXT_H_
