#include "tests/testing/files.h"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <system_error>

#include "absl/status/status.h"

namespace mulligan::testing {

std::filesystem::path SourcePath(std::string_view relative) {
  return std::filesystem::path(MULLIGAN_SOURCE_DIR) / relative;
}

std::filesystem::path SharedDir() {
  const char* from_environment = std::getenv("MULLIGAN_SHARED_DIR");
  const std::filesystem::path dir =
      from_environment != nullptr ? from_environment : MULLIGAN_SHARED_DIR;
  std::error_code ignored;
  return std::filesystem::is_directory(dir, ignored) ? dir
                                                     : std::filesystem::path();
}

absl::StatusOr<std::string> ReadFile(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return absl::NotFoundError("cannot open " + path.string());
  return std::string(std::istreambuf_iterator<char>(in), {});
}

}  // namespace mulligan::testing
