#include "tests/stories/stream.h"

#include <algorithm>
#include <fstream>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/cli/base/json_text.h"
#include "client/cli/base/proto_json.h"
#include "google/protobuf/message.h"
#include "policy/request/kind_names.h"
#include "tests/testing/files.h"

namespace mulligan::stories {
namespace {

using cli::JsonMemberOf;
using cli::JsonStringValue;

constexpr std::string_view kEnds[] = {"succeeded", "failed", "runs", "deleted",
                                      "suspended"};
constexpr std::string_view kTypes[] = {"ADDED", "MODIFIED", "DELETED"};

absl::Status Malformed(const char* what, std::string_view value) {
  return absl::InvalidArgumentError(
      absl::StrCat(what, ": ", std::string(value)));
}

absl::Status ReadHead(std::string_view line, Story& story) {
  story.name = JsonStringValue(JsonMemberOf(line, "story"));
  story.ends = JsonStringValue(JsonMemberOf(line, "ends"));
  if (story.name.empty()) return Malformed("no story", line);
  if (std::ranges::find(kEnds, story.ends) == std::end(kEnds)) {
    return Malformed("unknown end", story.ends);
  }
  for (const auto& [budget, number] :
       cli::JsonMembers(JsonMemberOf(line, "truth"))) {
    int& failures = story.truth[budget];
    if (!absl::SimpleAtoi(std::string(number), &failures) || failures < 1) {
      return Malformed("not a number of failures", number);
    }
  }
  story.needs = JsonStringValue(JsonMemberOf(line, "needs"));
  const std::string unpaid(JsonMemberOf(line, "unpaid"));
  if (unpaid != "null" && !absl::SimpleAtoi(unpaid, &story.unpaid)) {
    return Malformed("not a number of failures", unpaid);
  }
  const std::string loop_ends(JsonMemberOf(line, "loopEnds"));
  if (loop_ends != "null" && !absl::SimpleAtod(loop_ends, &story.loop_ends)) {
    return Malformed("not a time", loop_ends);
  }
  return absl::OkStatus();
}

// Parses the object into the field that a report of it alone would have.
absl::Status ReadObject(std::string_view object, Change& change) {
  const Kind* kind = FindKind(change.kind);
  if (kind == nullptr || kind->field.empty()) {
    return Malformed("a report has no place for kind", change.kind);
  }
  const auto* field = change.object.GetDescriptor()->FindFieldByCamelcaseName(
      std::string(kind->field));
  if (field == nullptr) return Malformed("no field", kind->field);
  const auto& reflection = *change.object.GetReflection();
  return cli::ParseProtoJson(
      object, field->is_repeated()
                  ? *reflection.AddMessage(&change.object, field)
                  : *reflection.MutableMessage(&change.object, field));
}

// Whether a restarted watch sent the change again.
bool IsRepeated(const Change& change, const Story& story) {
  return std::ranges::any_of(story.changes, [&change](const Change& earlier) {
    return earlier.uid == change.uid && earlier.version == change.version &&
           IsDeletion(earlier) == IsDeletion(change);
  });
}

absl::Status ReadChange(std::string_view line, Story& story) {
  Change change;
  double at = 0;
  if (!absl::SimpleAtod(std::string(JsonMemberOf(line, "at")), &at)) {
    return Malformed("no time", JsonMemberOf(line, "at"));
  }
  change.at = absl::FromUnixMicros(static_cast<int64_t>(at * 1e6));
  change.type = JsonStringValue(JsonMemberOf(line, "type"));
  if (std::ranges::find(kTypes, change.type) == std::end(kTypes)) {
    return Malformed("unknown type", change.type);
  }
  change.kind = JsonStringValue(JsonMemberOf(line, "kind"));
  const std::string_view object = JsonMemberOf(line, "object");
  const std::string_view metadata = JsonMemberOf(object, "metadata");
  change.name = JsonStringValue(JsonMemberOf(metadata, "name"));
  change.uid = JsonStringValue(JsonMemberOf(metadata, "uid"));
  change.version = JsonStringValue(JsonMemberOf(metadata, "resourceVersion"));
  if (change.uid.empty() || change.version.empty()) {
    return Malformed("an object without uid or version", line);
  }
  if (IsRepeated(change, story)) return absl::OkStatus();
  if (const auto status = ReadObject(object, change); !status.ok()) {
    return status;
  }
  story.changes.push_back(std::move(change));
  return absl::OkStatus();
}

absl::Status ReadLine(std::string_view line, bool first, Story& story) {
  const auto end = cli::CheckJsonValue(line);
  if (!end.ok()) return end.status();
  return first ? ReadHead(line, story) : ReadChange(line, story);
}

// Senior before junior. A story has one of the operators' kinds.
std::string TopKind(const Story& story) {
  for (const std::string_view top :
       {"SparkApplication", "RayJob", "TrainJob", "", "JobSet", "RayCluster",
        "Job", "Pod"}) {
    for (const Change& change : story.changes) {
      if (top.empty() ? IsTrainingKind(change.kind) : change.kind == top) {
        return change.kind;
      }
    }
  }
  return "";
}

}  // namespace

std::vector<std::filesystem::path> StoryFiles() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(
           testing::SourcePath("tests/stories/recorded"))) {
    if (entry.path().extension() == ".jsonl") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

absl::StatusOr<Story> ReadStory(const std::filesystem::path& file) {
  Story story;
  std::ifstream in(file);
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    const absl::Status status = ReadLine(line, number == 1, story);
    if (!status.ok()) {
      return absl::InvalidArgumentError(absl::StrCat(
          file.filename().string(), ":", number, ": ", status.message()));
    }
  }
  story.top = TopKind(story);
  if (story.name != file.stem().string() || story.top.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(file.string(), " has no workload, or another name"));
  }
  return story;
}

int Sum(const std::map<std::string, int>& failures) {
  int sum = 0;
  for (const auto& [budget, number] : failures) sum += number;
  return sum;
}

std::string ToText(const std::map<std::string, int>& failures) {
  if (failures.empty()) return "nothing";
  return absl::StrJoin(failures, ", ", absl::PairFormatter(" "));
}

}  // namespace mulligan::stories
