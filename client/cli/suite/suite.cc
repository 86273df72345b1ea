#include "client/cli/suite/suite.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <set>
#include <system_error>
#include <utility>

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

// A suite is no load test.
constexpr int kMostTimes = 10'000;

// What policies answer besides answers (docs/errors.md).
constexpr const char* kErrors[] = {"INVALID_ARGUMENT", "NOT_FOUND",
                                   "FAILED_PRECONDITION", "RESOURCE_EXHAUSTED"};

bool IsSuiteName(const fs::path& path) {
  const fs::path extension = path.extension();
  return (extension == ".yaml" || extension == ".yml") &&
         path.stem().string().ends_with("_test");
}

class Checker {
 public:
  explicit Checker(Suite& suite) : suite_(suite) {}

  void Check() {
    Expect("apiVersion", suite_.test.api_version(), "mulligan.dev/v1");
    Expect("kind", suite_.test.kind(), "RetryPolicyTest");
    if (suite_.test.metadata().name().empty()) {
      suite_.AddError("metadata",
                      "name is missing, expected that of the suite");
    }
    for (const auto& [name, fixture] : suite_.spec().fixtures()) {
      unused_.insert(name);
      if (fixture.objects().empty() && fixture.files().empty()) {
        suite_.AddError("spec.fixtures[" + name + "]",
                        "shows nothing, expected objects or files");
      }
    }
    if (suite_.spec().cases().empty()) {
      suite_.AddError("spec", kNoCases);
    }
    for (int i = 0; i < suite_.spec().cases_size(); ++i) CheckCase(i);
    for (const std::string& name : unused_) {
      suite_.AddError("spec.fixtures[" + name + "]", "is used by no step");
    }
  }

 private:
  void Expect(const char* path, const std::string& value,
              const char* expected) {
    if (value == expected) return;
    suite_.AddError(path,
                    absl::StrFormat("\"%s\", expected %s", value, expected));
  }

  void CheckCase(int number) {
    const v1::PolicyTestCase& test = suite_.spec().cases(number);
    const std::string path = absl::StrFormat("spec.cases[%d]", number);
    if (test.name().empty()) {
      suite_.AddError(path, "name is missing, expected what is tested");
    } else if (!names_.insert(test.name()).second) {
      suite_.AddError(path + ".name", absl::StrFormat("\"%s\" is the name of "
                                                      "another case, too",
                                                      test.name()));
    }
    if (test.steps().empty()) {
      suite_.AddError(path, "steps is missing, expected at least one");
    }
    for (int i = 0; i < test.steps_size(); ++i) {
      CheckStep(test.steps(i), i == 0,
                absl::StrFormat("%s.steps[%d]", path, i));
    }
  }

  void CheckStep(const v1::PolicyTestStep& step, bool first,
                 const std::string& path) {
    CheckShown(step, path);
    CheckTime(step, first, path);
    CheckExpect(step, path);
  }

  void CheckExpect(const v1::PolicyTestStep& step, const std::string& path) {
    const v1::ExpectedAnswer& expect = step.expect();
    if (expect.ByteSizeLong() == 0) {
      suite_.AddError(path + ".expect",
                      step.has_expect()
                          ? "expects nothing, so nothing would be tested"
                          : "expect is missing, so nothing would be tested");
    }
    if (expect.has_delay() && expect.delay().ByteSizeLong() == 0) {
      suite_.AddError(path + ".expect.delay",
                      "expects nothing, expected atLeast or atMost");
    }
    if (!expect.error().empty()) CheckError(expect, path + ".expect.error");
  }

  void CheckError(const v1::ExpectedAnswer& expect, const std::string& path) {
    if (std::ranges::find(kErrors, expect.error()) == std::end(kErrors)) {
      suite_.AddError(path,
                      absl::StrFormat("\"%s\" is none of %s", expect.error(),
                                      absl::StrJoin(kErrors, ", ")));
    }
    v1::ExpectedAnswer only;
    only.set_error(expect.error());
    if (only.ByteSizeLong() != expect.ByteSizeLong()) {
      suite_.AddError(path, "goes with no other key: an error is no answer");
    }
  }

  void CheckShown(const v1::PolicyTestStep& step, const std::string& path) {
    const std::string& fixture = step.fixture();
    if (fixture.empty() && step.objects().empty()) {
      suite_.AddError(path, "shows nothing, expected fixture or objects");
    }
    if (!fixture.empty() && !suite_.spec().fixtures().contains(fixture)) {
      std::vector<std::string> names;
      for (const auto& [name, unused] : suite_.spec().fixtures()) {
        names.push_back(name);
      }
      const std::string nearest = Nearest(fixture, names);
      suite_.AddError(
          path + ".fixture",
          absl::StrFormat(
              "unknown fixture \"%s\"%s", fixture,
              nearest.empty() ? "" : ", did you mean \"" + nearest + "\"?"));
    }
    unused_.erase(fixture);
  }

  void CheckTime(const v1::PolicyTestStep& step, bool first,
                 const std::string& path) {
    absl::Time ignored;
    if (!step.at().empty() &&
        !absl::ParseTime(absl::RFC3339_full, step.at(), &ignored, nullptr)) {
      suite_.AddError(path + ".at",
                      absl::StrFormat("\"%s\" is not a time such as "
                                      "2026-01-31T08:00:00Z",
                                      step.at()));
    }
    if (!step.at().empty() && step.has_after() && step.times() <= 1) {
      suite_.AddError(path + ".after",
                      "goes with no at: one of them is enough");
    }
    if (first && step.same_attempt()) {
      suite_.AddError(path + ".sameAttempt", "there is no step before");
    }
    if (!first && step.at().empty() && !step.has_after()) {
      suite_.AddError(path,
                      "after is missing, expected the time since the "
                      "step before (or at)");
    }
    if (step.has_times() && (step.times() < 1 || step.times() > kMostTimes)) {
      suite_.AddError(
          path + ".times",
          absl::StrFormat("%d, expected 1 to %d", step.times(), kMostTimes));
    }
    if (step.times() > 1 && !step.has_after()) {
      suite_.AddError(path + ".times", "needs after: the time between them");
    }
  }

  Suite& suite_;
  std::set<std::string> unused_;
  std::set<std::string> names_;
};

// Where the document says that it is a policy, whose keys are none of a
// suite's; null: it does not.
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

std::string Suite::Beside(const std::string& path) const {
  return (fs::path(file).parent_path() / path).string();
}

void Suite::AddError(std::string_view path, std::string message) {
  issues.push_back({Issue::Severity::kError, file, positions.Find(path),
                    std::move(message)});
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
  const absl::StatusOr<std::string> text = ReadInput(file, std::cin);
  if (text.ok()) return ParseSuite(file, *text);
  Suite suite;
  suite.file = file;
  suite.positions = SourceMap(file);
  suite.AddError("", std::string(text.status().message()));
  return suite;
}

Suite ParseSuite(const std::string& file, const std::string& text) {
  Suite suite;
  suite.file = file;
  suite.positions = SourceMap(file);
  ParseInto(text, suite);
  // Of what could not be read, nothing is missing.
  if (!HasErrors(suite.issues)) Checker(suite).Check();
  return suite;
}

}  // namespace mulligan::cli
