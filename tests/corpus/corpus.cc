#include "tests/corpus/corpus.h"

#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>

#include <fstream>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace mulligan::corpus {
namespace {

using google::protobuf::Struct;
using google::protobuf::Value;

const Value* Field(const Struct& object, const char* name) {
  const auto found = object.fields().find(name);
  return found == object.fields().end() ? nullptr : &found->second;
}

std::string Text(const Struct& object, const char* name) {
  const Value* value = Field(object, name);
  return value == nullptr ? std::string() : value->string_value();
}

v1::Cause ParseCause(const std::string& name) {
  v1::Cause cause = v1::CAUSE_UNSPECIFIED;
  v1::Cause_Parse(absl::AsciiStrToUpper(name), &cause);
  return cause;
}

void AddDomain(const std::string& name, Case& result) {
  v1::Diagnosis::FaultDomain domain;
  if (v1::Diagnosis::FaultDomain_Parse(name, &domain)) {
    result.domains.push_back(domain);
  }
}

// Moves a single Job under "job" to the list "jobs".
void ListJobs(Struct& input) {
  const auto job = input.fields().find("job");
  if (job == input.fields().end()) return;
  Value jobs;
  *jobs.mutable_list_value()->add_values() = job->second;
  (*input.mutable_fields())["jobs"] = jobs;
  input.mutable_fields()->erase("job");
}

absl::Status ReadReport(Struct input, v1::FailureReport& report) {
  ListJobs(input);
  std::string json;
  auto status = google::protobuf::util::MessageToJsonString(input, &json);
  google::protobuf::util::JsonParseOptions options;
  options.ignore_unknown_fields = true;
  if (status.ok()) {
    status =
        google::protobuf::util::JsonStringToMessage(json, &report, options);
  }
  if (status.ok()) return absl::OkStatus();
  return absl::InvalidArgumentError(std::string(status.message()));
}

absl::StatusOr<Case> ReadCase(const std::string& line) {
  Struct object;
  const auto status =
      google::protobuf::util::JsonStringToMessage(line, &object);
  if (!status.ok()) {
    return absl::InvalidArgumentError(std::string(status.message()));
  }
  const Value* input = Field(object, "input");
  const Value* truth = Field(object, "truth");
  if (input == nullptr || truth == nullptr) {
    return absl::InvalidArgumentError("expected the fields input and truth");
  }
  Case result;
  result.id = Text(object, "id");
  if (absl::Status read = ReadReport(input->struct_value(), result.report);
      !read.ok()) {
    return read;
  }
  result.cause = ParseCause(Text(truth->struct_value(), "cause"));
  if (const Value* list = Field(truth->struct_value(), "acceptable")) {
    for (const Value& value : list->list_value().values()) {
      result.acceptable.push_back(ParseCause(value.string_value()));
    }
  }
  AddDomain(Text(truth->struct_value(), "faultDomain"), result);
  if (const Value* list =
          Field(truth->struct_value(), "acceptableFaultDomains")) {
    for (const Value& value : list->list_value().values()) {
      AddDomain(value.string_value(), result);
    }
  }
  return result;
}

}  // namespace

absl::StatusOr<std::vector<Case>> ReadCases(const std::filesystem::path& file) {
  std::ifstream stream(file);
  if (!stream) {
    return absl::NotFoundError(absl::StrCat("cannot open ", file.string()));
  }
  std::vector<Case> cases;
  std::string line;
  for (int number = 1; std::getline(stream, line); ++number) {
    if (line.empty()) continue;
    absl::StatusOr<Case> read = ReadCase(line);
    if (!read.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat(file.string(), ":", number, ": ",
                       absl::string_view(read.status().message())));
    }
    cases.push_back(*std::move(read));
  }
  return cases;
}

}  // namespace mulligan::corpus
