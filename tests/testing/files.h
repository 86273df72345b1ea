// Files that tests read.

#ifndef MULLIGAN_TESTS_TESTING_FILES_H_
#define MULLIGAN_TESTS_TESTING_FILES_H_

#include <filesystem>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace mulligan::testing {

// Returns a path inside the repository, such as "tests/testdata/quickstart".
std::filesystem::path SourcePath(std::string_view relative);

// Returns the folder of case and fixture files outside the repository: that of
// the environment variable MULLIGAN_SHARED_DIR, else of the CMake variable of
// that name. Empty if it does not exist.
std::filesystem::path SharedDir();

// Returns the whole file as bytes; NOT_FOUND if it cannot be opened.
absl::StatusOr<std::string> ReadFile(const std::filesystem::path& path);

}  // namespace mulligan::testing

#endif  // MULLIGAN_TESTS_TESTING_FILES_H_
