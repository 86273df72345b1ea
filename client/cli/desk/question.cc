#include "client/cli/desk/question.h"

#include <cstddef>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/cli/base/errors.h"
#include "client/cli/base/utf8.h"
#include "nlohmann/json.hpp"
#include "policy/limits.h"

namespace mulligan::cli {
namespace {

using QuestionJson = nlohmann::json;

// The limit of file systems, in bytes.
constexpr std::size_t kMaxFileName = 255;

absl::Status WrongMember(std::string_view member, const std::string& found,
                         std::string_view expected) {
  return Invalid("%s: %s, expected %s", member, Printable(found.substr(0, 80)),
                 expected);
}

absl::Status ReadText(const QuestionJson& json, const char* member,
                      std::string& text) {
  const auto found = json.find(member);
  if (found == json.end()) return absl::OkStatus();
  if (!found->is_string()) {
    return WrongMember(member, found->type_name(), "a string");
  }
  text = found->get<std::string>();
  return absl::OkStatus();
}

absl::Status ReadWhole(const QuestionJson& json, const char* member, int least,
                       int most, int& number) {
  const auto found = json.find(member);
  if (found == json.end()) return absl::OkStatus();
  if (found->is_number_integer() && *found >= least && *found <= most) {
    number = found->get<int>();
    return absl::OkStatus();
  }
  return WrongMember(member, found->dump(),
                     absl::StrCat("a number from ", least, " to ", most));
}

bool IsFileName(const std::string& name) {
  return !name.empty() && name.size() <= kMaxFileName && name[0] != '.' &&
         name.find('/') == name.npos && Printable(name) == name;
}

absl::Status ReadFiles(const QuestionJson& json,
                       std::vector<PolicyText>& files) {
  const auto found = json.find("policies");
  if (found == json.end()) return absl::OkStatus();
  if (!found->is_array() ||
      found->size() > static_cast<std::size_t>(kMaxCheckedFiles)) {
    return WrongMember("policies", found->type_name(),
                       absl::StrCat("a list of at most ", kMaxCheckedFiles));
  }
  std::set<std::string> names;
  std::size_t bytes = 0;
  for (const QuestionJson& entry : *found) {
    PolicyText file;
    if (absl::Status name = ReadText(entry, "file", file.file); !name.ok()) {
      return name;
    }
    if (absl::Status text = ReadText(entry, "text", file.yaml); !text.ok()) {
      return text;
    }
    if (!IsFileName(file.file) || !names.insert(file.file).second) {
      return WrongMember("policies.file", "\"" + file.file + "\"",
                         "the name of a file without folders, each once");
    }
    bytes += file.yaml.size();
    if (file.yaml.size() > kMaxCheckedFileBytes || bytes > kMaxCheckedBytes) {
      return Invalid(
          "policies: %s: too long, expected at most %d bytes a file and %d "
          "together",
          file.file, kMaxCheckedFileBytes, kMaxCheckedBytes);
    }
    files.push_back(std::move(file));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Question> ParseQuestion(std::string_view json) {
  const QuestionJson parsed =
      QuestionJson::parse(json, nullptr, /*allow_exceptions=*/false);
  if (!parsed.is_object()) {
    return Invalid("the body is not a JSON object");
  }
  Question question;
  absl::Status status = ReadFiles(parsed, question.policies);
  const std::pair<const char*, std::string*> texts[] = {
      {"failure", &question.failure},
      {"workload", &question.workload},
      {"suite", &question.suite},
      {"caseName", &question.case_name}};
  for (const auto& [member, text] : texts) {
    status.Update(ReadText(parsed, member, *text));
  }
  int seconds = static_cast<int>(absl::ToInt64Seconds(question.apart));
  status.Update(ReadWhole(parsed, "times", 1, kMaxAttempts, question.times));
  status.Update(ReadWhole(parsed, "apartSeconds", 1,
                          static_cast<int>(absl::ToInt64Seconds(kMaxApart)),
                          seconds));
  constexpr int kMaxLines = 1'000'000'000;
  status.Update(ReadWhole(parsed, "line", 0, kMaxLines, question.line));
  question.apart = absl::Seconds(seconds);
  if (!status.ok()) return status;
  return question;
}

}  // namespace mulligan::cli
