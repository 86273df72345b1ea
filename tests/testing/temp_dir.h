// Files that tests write.
#ifndef MULLIGAN_TESTS_TESTING_TEMP_DIR_H_
#define MULLIGAN_TESTS_TESTING_TEMP_DIR_H_

#include <filesystem>
#include <string_view>

namespace mulligan::testing {

// A new folder below the system's for temporary files, removed with all that
// it holds when the object goes.
class TempDir {
 public:
  TempDir();
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  const std::filesystem::path& path() const { return path_; }

  // Writes a file, with the folders of its name; all or nothing, as `mv` does.
  // Returns its path.
  std::filesystem::path Write(const std::filesystem::path& name,
                              std::string_view text) const;

 private:
  std::filesystem::path path_;
};

// A folder for the running test, below one that goes with the process.
std::filesystem::path TestFolder();

// Writes a file in it; all or nothing. Returns its path.
std::filesystem::path WriteTestFile(const std::filesystem::path& name,
                                    std::string_view text);

}  // namespace mulligan::testing

#endif  // MULLIGAN_TESTS_TESTING_TEMP_DIR_H_
