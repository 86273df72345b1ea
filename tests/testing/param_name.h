// Names of parametrized tests whose parameters are texts. Not in
// mulligan::testing, which would hide gtest's ::testing from tests that write
// testing::.

#ifndef MULLIGAN_TESTS_TESTING_PARAM_NAME_H_
#define MULLIGAN_TESTS_TESTING_PARAM_NAME_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace mulligan {

// Returns a unique test name of letters, digits and _, such as "3_127_0_0_1".
// Use as the last argument of INSTANTIATE_TEST_SUITE_P:
//
//   [](const auto& row) { return ParamName(row.index, row.param); }
inline std::string ParamName(std::size_t index, std::string_view text) {
  constexpr std::size_t kMaxBytes = 40;
  std::string name = std::to_string(index) + "_";
  for (const char c : text.substr(0, kMaxBytes)) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                       (c >= 'A' && c <= 'Z');
    if (plain || name.back() != '_') name += plain ? c : '_';
  }
  return name;
}

}  // namespace mulligan

#endif  // MULLIGAN_TESTS_TESTING_PARAM_NAME_H_
