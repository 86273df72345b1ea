#include "client/cli/suite/suite.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <set>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "client/cli/input/inputs.h"
#include "policy/loader/suggest.h"
#include "policy/loader/yaml_reader.h"
#include "policy/loader/yaml_tree.h"

namespace mulligan::cli {
namespace {

namespace fs = std::filesystem;

// The limit of repetitions; a suite is not a load test.
constexpr int kMaxTimes = 10'000;

// The errors that policies return (docs/errors.md).
constexpr const char* kErrors[] = {"INVALID_ARGUMENT", "NOT_FOUND",
                                   "FAILED_PRECONDITION", "RESOURCE_EXHAUSTED"};

bool IsSuiteName(const fs::path& path) {
  const fs::path extension = path.extension();
  return (extension == ".yaml" || extension == ".yml") &&
         path.stem().string().ends_with("_test");
}

// Adds the error if `wrong`.
void Check(bool wrong, const std::string& path, std::string message,
           Suite& suite) {
  if (wrong) suite.AddError(path, std::move(message));
}

void CheckError(const v1::ExpectedAnswer& expect, const std::string& path,
                Suite& suite) {
  Check(std::ranges::find(kErrors, expect.error()) == std::end(kErrors), path,
        absl::StrFormat("\"%s\" is not one of %s", expect.error(),
                        absl::StrJoin(kErrors, ", ")),
        suite);
  v1::ExpectedAnswer only;
  only.set_error(expect.error());
  Check(only.ByteSizeLong() != expect.ByteSizeLong(), path,
        "goes with no other key: an error is no answer", suite);
}

void CheckExpect(const v1::PolicyTestStep& step, const std::string& path,
                 Suite& suite) {
  const v1::ExpectedAnswer& expect = step.expect();
  Check(expect.ByteSizeLong() == 0, path,
        step.has_expect() ? "expects nothing, so nothing would be tested"
                          : "expect is missing, so nothing would be tested",
        suite);
  Check(expect.has_delay() && expect.delay().ByteSizeLong() == 0,
        path + ".delay", "expects nothing, expected atLeast or atMost", suite);
  if (!expect.error().empty()) CheckError(expect, path + ".error", suite);
}

void CheckShown(const v1::PolicyTestStep& step, const std::string& path,
                Suite& suite) {
  const std::string& fixture = step.fixture();
  Check(fixture.empty() && step.objects().empty(), path,
        "shows nothing, expected fixture or objects", suite);
  if (fixture.empty() || suite.spec().fixtures().contains(fixture)) return;
  std::vector<std::string> names;
  for (const auto& [name, unused] : suite.spec().fixtures()) {
    names.push_back(name);
  }
  suite.AddError(path + ".fixture",
                 absl::StrFormat("unknown fixture \"%s\"%s", fixture,
                                 DidYouMean(fixture, names)));
}

void CheckTime(const v1::PolicyTestStep& step, bool first,
               const std::string& path, Suite& suite) {
  const bool has_at = !step.at().empty();
  absl::Time ignored;
  Check(has_at &&
            !absl::ParseTime(absl::RFC3339_full, step.at(), &ignored, nullptr),
        path + ".at",
        absl::StrFormat("\"%s\" is not a time such as 2026-01-31T08:00:00Z",
                        step.at()),
        suite);
  Check(has_at && step.has_after() && step.times() <= 1, path + ".after",
        "goes with no at: one of them is enough", suite);
  Check(first && step.same_attempt(), path + ".sameAttempt",
        "there is no step before", suite);
  Check(!first && !has_at && !step.has_after(), path,
        "after is missing, expected the time since the step before (or at)",
        suite);
  Check(step.has_times() && (step.times() < 1 || step.times() > kMaxTimes),
        path + ".times",
        absl::StrFormat("%d, expected 1 to %d", step.times(), kMaxTimes),
        suite);
  Check(step.times() > 1 && !step.has_after(), path + ".times",
        "needs after: the time between them", suite);
}

void CheckCases(Suite& suite) {
  std::set<std::string> names;
  for (int i = 0; i < suite.spec().cases_size(); ++i) {
    const v1::PolicyTestCase& test = suite.spec().cases(i);
    const std::string path = absl::StrFormat("spec.cases[%d]", i);
    const bool is_new = names.insert(test.name()).second;
    Check(test.name().empty(), path, "name is missing, expected what is tested",
          suite);
    Check(
        !test.name().empty() && !is_new, path + ".name",
        absl::StrFormat("\"%s\" is the name of another case, too", test.name()),
        suite);
    Check(test.steps().empty(), path, "steps is missing, expected at least one",
          suite);
    for (int j = 0; j < test.steps_size(); ++j) {
      const std::string step = absl::StrFormat("%s.steps[%d]", path, j);
      CheckShown(test.steps(j), step, suite);
      CheckTime(test.steps(j), j == 0, step, suite);
      CheckExpect(test.steps(j), step + ".expect", suite);
    }
  }
}

void CheckSuite(Suite& suite) {
  const auto expect = [&suite](const char* path, const std::string& value,
                               const char* expected) {
    Check(value != expected, path,
          absl::StrFormat("\"%s\", expected %s", value, expected), suite);
  };
  expect("apiVersion", suite.test.api_version(), "mulligan.dev/v1");
  expect("kind", suite.test.kind(), "RetryPolicyTest");
  Check(suite.test.metadata().name().empty(), "metadata",
        "name is missing, expected that of the suite", suite);
  std::set<std::string> unused;
  for (const auto& [name, fixture] : suite.spec().fixtures()) {
    unused.insert(name);
    Check(fixture.objects().empty() && fixture.files().empty(),
          "spec.fixtures[" + name + "]",
          "shows nothing, expected objects or files", suite);
  }
  Check(suite.spec().cases().empty(), "spec", kNoCases, suite);
  CheckCases(suite);
  for (const v1::PolicyTestCase& test : suite.spec().cases()) {
    for (const auto& step : test.steps()) unused.erase(step.fixture());
  }
  for (const std::string& name : unused) {
    suite.AddError("spec.fixtures[" + name + "]", "is used by no step");
  }
}

// Returns the document's `kind` if it is a policy, else null.
const YamlNode* PolicyKind(const YamlNode& document) {
  const auto kind =
      std::ranges::find_if(document.entries, [](const auto& entry) {
        return entry.first.text == "kind" && entry.second.text == "RetryPolicy";
      });
  return kind == document.entries.end() ? nullptr : &kind->second;
}

void ParseInto(const std::string& text, Suite& suite) {
  const YamlDocuments parsed = ParseYaml(suite.file, text, suite.issues);
  if (HasErrors(suite.issues)) return;
  if (parsed.documents.size() != 1) {
    return suite.AddError(
        "", absl::StrFormat("holds %d documents, expected one RetryPolicyTest",
                            parsed.documents.size()));
  }
  if (const YamlNode* kind = PolicyKind(parsed.documents[0])) {
    suite.issues.push_back(
        {Issue::Severity::kError, suite.file, kind->position,
         "kind is \"RetryPolicy\", expected RetryPolicyTest; policies are read "
         "by `mulligan policy check`, their suites are named *_test.yaml"});
    return;
  }
  ReadYamlMessage(parsed.documents[0], suite.test, suite.positions,
                  suite.issues);
}

}  // namespace

std::string Suite::ResolvePath(const std::string& path) const {
  return (fs::path(file).parent_path() / path).string();
}

void Suite::AddError(std::string_view path, std::string message) {
  issues.push_back({Issue::Severity::kError, file, positions.Find(path),
                    std::move(message)});
}

std::string DidYouMean(const std::string& name,
                       const std::vector<std::string>& known) {
  const std::string nearest = Nearest(name, known);
  return nearest.empty() ? ""
                         : absl::StrCat(", did you mean \"", nearest, "\"?");
}

absl::StatusOr<std::vector<std::string>> FindSuites(
    const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    std::error_code error;
    if (!fs::exists(path, error)) {
      return absl::NotFoundError(absl::StrFormat(
          "%s: no such file or directory, expected a test suite", path));
    }
    if (!fs::is_directory(path, error)) {
      files.push_back(path);
      continue;
    }
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(path, error)) {
      if (IsSuiteName(entry.path())) found.push_back(entry.path().string());
    }
    if (found.empty()) {
      return absl::NotFoundError(absl::StrFormat(
          "%s: holds no test suite, expected files *_test.yaml", path));
    }
    std::ranges::sort(found);
    files.insert(files.end(), found.begin(), found.end());
  }
  return files;
}

Suite ReadSuite(const std::string& file) {
  return ParseSuite(file, ReadInput(file, std::cin));
}

Suite ParseSuite(const std::string& file,
                 const absl::StatusOr<std::string>& text) {
  Suite suite;
  suite.file = file;
  suite.positions = SourceMap(file);
  if (text.ok()) {
    ParseInto(*text, suite);
  } else {
    suite.AddError("", std::string(text.status().message()));
  }
  // Skips missing keys of suites that could not be read.
  if (!HasErrors(suite.issues)) CheckSuite(suite);
  return suite;
}

}  // namespace mulligan::cli
