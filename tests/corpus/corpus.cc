#include "tests/corpus/corpus.h"

#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <fstream>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "policy/demystify/demystify.h"

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

// A single Job stands under "job".
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
  v1::Diagnosis::FaultDomain_Parse(Text(truth->struct_value(), "faultDomain"),
                                   &result.fault_domain);
  return result;
}

double Share(int part, int whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / whole;
}

}  // namespace

double Score::named_share() const { return Share(right + acceptable, cases); }
double Score::confidently_wrong_share() const {
  return Share(confidently_wrong, cases);
}

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

Score ScoreCases(const std::vector<Case>& cases) {
  Score score;
  for (const Case& one : cases) {
    v1::Diagnosis diagnosis;
    Demystify(one.report, {}, diagnosis);
    ++score.cases;
    const bool right = diagnosis.cause() == one.cause;
    const bool acceptable =
        std::find(one.acceptable.begin(), one.acceptable.end(),
                  diagnosis.cause()) != one.acceptable.end();
    if (diagnosis.fault_domain() == one.fault_domain) {
      ++score.fault_domain_right;
    }
    if (right) {
      ++score.right;
    } else if (acceptable) {
      ++score.acceptable;
    } else {
      ++score.wrong;
      if (diagnosis.confidence() == v1::Diagnosis::HIGH)
        ++score.confidently_wrong;
      score.misses.push_back({one.id, one.cause, diagnosis.cause(),
                              diagnosis.confidence(), diagnosis.summary()});
    }
  }
  return score;
}

Score Sum(const std::vector<Score>& scores) {
  Score sum;
  for (const Score& score : scores) {
    sum.cases += score.cases;
    sum.right += score.right;
    sum.acceptable += score.acceptable;
    sum.wrong += score.wrong;
    sum.confidently_wrong += score.confidently_wrong;
    sum.fault_domain_right += score.fault_domain_right;
  }
  return sum;
}

std::string Describe(const std::string& name, const Score& score) {
  std::string text = absl::StrFormat(
      "%s: %d cases, %d right, %d acceptable (%.1f%% named), %d wrong, of "
      "these %d with high confidence (%.1f%%), fault domain right %d "
      "(%.1f%%)\n",
      name, score.cases, score.right, score.acceptable,
      100 * score.named_share(), score.wrong, score.confidently_wrong,
      100 * score.confidently_wrong_share(), score.fault_domain_right,
      100 * Share(score.fault_domain_right, score.cases));
  for (const Miss& miss : score.misses) {
    absl::StrAppendFormat(
        &text, "  %s: expected %s, named %s (%s): %s\n", miss.id,
        v1::Cause_Name(miss.expected), v1::Cause_Name(miss.named),
        v1::Diagnosis::Confidence_Name(miss.confidence), miss.summary);
  }
  return text;
}

}  // namespace mulligan::corpus
