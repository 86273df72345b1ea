// What the page of the playground asks.
#ifndef MULLIGAN_CLIENT_CLI_DESK_QUESTION_H_
#define MULLIGAN_CLIENT_CLI_DESK_QUESTION_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "policy/loader/read_files.h"

namespace mulligan::cli {

// How often a failure may be repeated, and how far apart at most.
inline constexpr int kMostAttempts = 20;
inline constexpr absl::Duration kMostApart = absl::Hours(24 * 30);

// A body of JSON; members that a page does not know are absent in it.
struct Question {
  // Files of policies, which are loaded together. Names are those of files,
  // without folders, each once.
  std::vector<PolicyText> policies;
  // Objects or a recorded decision, as they were pasted.
  std::string failure;
  // Of several workloads this one, by its label; empty: the worst.
  std::string workload;
  // How often it fails, from 1, and how long after each other.
  int times = 1;
  absl::Duration apart = absl::Hours(1);
  // The suite on the page, and the name of a case to be added to it.
  std::string suite;
  std::string case_name;
  // A line of the log, from 1; 0: none.
  int line = 0;
};

// INVALID_ARGUMENT names member, value and expected form.
absl::StatusOr<Question> ParseQuestion(std::string_view json);

inline bool IsBlankText(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_DESK_QUESTION_H_
