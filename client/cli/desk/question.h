// The questions of the playground's page.
#ifndef MULLIGAN_CLIENT_CLI_DESK_QUESTION_H_
#define MULLIGAN_CLIENT_CLI_DESK_QUESTION_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "policy/loader/read_files.h"

namespace mulligan::cli {

// The most repetitions of a failure, and the most time between them.
inline constexpr int kMaxAttempts = 20;
inline constexpr absl::Duration kMaxApart = absl::Hours(24 * 30);

// The JSON body of a question. Absent members keep their defaults.
struct Question {
  // Policies to load together. File names are unique and without folders.
  std::vector<PolicyText> policies;
  // Pasted objects or a recorded decision.
  std::string failure;
  // The label of the chosen workload; empty for the worst.
  std::string workload;
  // The number of failures, and the time between them.
  int times = 1;
  absl::Duration apart = absl::Hours(1);
  // The suite on the page, and the name of the case to add.
  std::string suite;
  std::string case_name;
  // A line of the log, from 1; 0 for none.
  int line = 0;
};

// INVALID_ARGUMENT names the member, its value and the expected form.
absl::StatusOr<Question> ParseQuestion(std::string_view json);

inline bool IsBlankText(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_DESK_QUESTION_H_
