// Files that tests write.
#ifndef MULLIGAN_TESTS_TESTING_TEMP_DIR_H_
#define MULLIGAN_TESTS_TESTING_TEMP_DIR_H_

#include <filesystem>
#include <string_view>

namespace mulligan::testing {

// A new temporary folder, removed with its contents by the destructor.
class TempDir {
 public:
  TempDir();
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  const std::filesystem::path& path() const { return path_; }

  // Writes a file atomically, creating the folders of its name. Returns its
  // path.
  std::filesystem::path Write(const std::filesystem::path& name,
                              std::string_view text) const;

 private:
  std::filesystem::path path_;
};

// Returns the folder of the running test, which is removed with the process.
std::filesystem::path TestFolder();

// Writes a file in it, atomically. Returns its path.
std::filesystem::path WriteTestFile(const std::filesystem::path& name,
                                    std::string_view text);

}  // namespace mulligan::testing

#endif  // MULLIGAN_TESTS_TESTING_TEMP_DIR_H_
