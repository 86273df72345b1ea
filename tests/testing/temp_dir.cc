#include "tests/testing/temp_dir.h"

#include <cstdlib>
#include <fstream>
#include <string>
#include <system_error>

#include "gtest/gtest.h"

namespace mulligan::testing {
namespace {

namespace fs = std::filesystem;

fs::path WriteWhole(const fs::path& path, std::string_view text) {
  fs::create_directories(path.parent_path());
  const fs::path partial = path.string() + ".partial";
  std::ofstream(partial, std::ios::binary) << text;
  fs::rename(partial, path);
  return path;
}

}  // namespace

TempDir::TempDir() {
  std::string name = (fs::path(::testing::TempDir()) / "mulligan-XXXXXX");
  if (mkdtemp(name.data()) == nullptr) std::abort();
  path_ = name;
}

TempDir::~TempDir() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

fs::path TempDir::Write(const fs::path& name, std::string_view text) const {
  return WriteWhole(path_ / name, text);
}

fs::path TestFolder() {
  static const TempDir process;
  const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
  std::string name = "all";
  if (test != nullptr) {
    name = std::string(test->test_suite_name()) + "_" + test->name();
  }
  for (char& c : name) {
    if (c == '/') c = '_';
  }
  fs::path folder = process.path() / name;
  fs::create_directories(folder);
  return folder;
}

fs::path WriteTestFile(const fs::path& name, std::string_view text) {
  return WriteWhole(TestFolder() / name, text);
}

}  // namespace mulligan::testing
