#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <functional>
#include <iostream>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/cli/base/errors.h"
#include "client/cli/input/documents.h"
#include "client/cli/input/inputs.h"
#include "client/cli/input/report_builder.h"
#include "client/cli/suite/suite.h"
#include "policy/base/times.h"

namespace mulligan::cli {
namespace {

using ::google::protobuf::Struct;
using ::google::protobuf::Value;
using Visit = std::function<void(std::string& text)>;

void VisitStrings(Value& value, const Visit& visit);

void VisitStrings(Struct& object, const Visit& visit) {
  for (auto& [key, value] : *object.mutable_fields()) {
    VisitStrings(value, visit);
  }
}

void VisitStrings(Value& value, const Visit& visit) {
  switch (value.kind_case()) {
    case Value::kStringValue:
      return visit(*value.mutable_string_value());
    case Value::kStructValue:
      return VisitStrings(*value.mutable_struct_value(), visit);
    case Value::kListValue:
      for (Value& item : *value.mutable_list_value()->mutable_values()) {
        VisitStrings(item, visit);
      }
      return;
    default:
      return;
  }
}

// Parses "2026-11-03T09:07:33Z", also with fractions or an offset.
bool ReadTime(const std::string& text, absl::Time& time) {
  constexpr std::size_t kShortest = 20;
  return text.size() >= kShortest && text[10] == 'T' &&
         absl::ParseTime(absl::RFC3339_full, text, &time, nullptr);
}

const Value* Find(const Struct& object, const std::string& key) {
  const auto found = object.fields().find(key);
  return found == object.fields().end() ? nullptr : &found->second;
}

std::string TextOf(const Struct& object, const std::string& key) {
  const Value* const value = Find(object, key);
  return value == nullptr ? "" : value->string_value();
}

// Calls `visit` for each pod in `object`: a Pod, a list with pods, a
// FailureReport or a DecideRequest.
void VisitPods(Struct& object, bool is_pod,
               const std::function<void(Struct& pod)>& visit) {
  if (is_pod || TextOf(object, "kind") == "Pod") return visit(object);
  auto& fields = *object.mutable_fields();
  if (fields.contains("report")) {
    VisitPods(*fields["report"].mutable_struct_value(), false, visit);
  }
  for (const char* key : {"items", "pods"}) {
    if (!fields.contains(key)) continue;
    for (Value& item : *fields[key].mutable_list_value()->mutable_values()) {
      VisitPods(*item.mutable_struct_value(), std::string("pods") == key,
                visit);
    }
  }
}

// A pod without an owner is the workload itself and is not replaced.
bool IsReplaced(const Struct& pod) {
  const Value* const metadata = Find(pod, "metadata");
  return metadata != nullptr &&
         Find(metadata->struct_value(), "ownerReferences") != nullptr;
}

void RestartContainers(int times, Struct& pod) {
  auto& status = *(*pod.mutable_fields())["status"].mutable_struct_value();
  for (Value& container : *(*status.mutable_fields())["containerStatuses"]
                               .mutable_list_value()
                               ->mutable_values()) {
    Value& count =
        (*container.mutable_struct_value()->mutable_fields())["restartCount"];
    count.set_number_value(count.number_value() + times);
  }
}

// Adds `by` to every time in the objects.
void MoveTimes(absl::Duration by, SceneObjects& objects) {
  for (Struct& object : objects) {
    VisitStrings(object, [by](std::string& text) {
      absl::Time time;
      if (!ReadTime(text, time)) return;
      text = absl::FormatTime("%Y-%m-%d%ET%H:%M:%E*SZ", time + by,
                              absl::UTCTimeZone());
    });
  }
}

// Returns `object` if it is a FailureReport, or the report of a DecideRequest.
Struct& ReportIn(Struct& object) {
  const auto report = object.mutable_fields()->find("report");
  return report == object.mutable_fields()->end()
             ? object
             : *report->second.mutable_struct_value();
}

// Gives pods the names and UIDs of attempt `number`, wherever the objects
// mention them, and a report its failureId and number. A pod without an owner
// is the workload itself, so its containers are restarted instead.
void BecomeAttempt(int number, SceneObjects& objects) {
  std::set<std::string> identities;
  for (Struct& object : objects) {
    Struct& report = ReportIn(object);
    identities.insert(TextOf(report, "failureId"));
    auto& fields = *report.mutable_fields();
    if (const auto attempt = fields.find("attempt"); attempt != fields.end()) {
      attempt->second.set_number_value(attempt->second.number_value() + number -
                                       1);
    }
    VisitPods(object, false, [&](Struct& pod) {
      if (!IsReplaced(pod)) return RestartContainers(number - 1, pod);
      const Struct& metadata = Find(pod, "metadata")->struct_value();
      identities.insert(TextOf(metadata, "name"));
      identities.insert(TextOf(metadata, "uid"));
    });
  }
  identities.erase("");
  for (Struct& object : objects) {
    VisitStrings(object, [&](std::string& text) {
      if (identities.contains(text)) absl::StrAppend(&text, "-", number);
    });
  }
}

// Rejects objects that a report ignores, because they would stay untested.
absl::Status CheckAllTaken(const ReportBuilder& builder) {
  if (builder.warnings().empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrJoin(builder.warnings(), "; "));
}

absl::Status AddObjects(const SceneObjects& objects, ReportBuilder& builder) {
  for (const Struct& object : objects) {
    std::string json;
    if (!google::protobuf::util::MessageToJsonString(object, &json).ok()) {
      return Invalid("an object is nested too deeply");
    }
    absl::Status status = builder.Add("object", std::move(json));
    if (!status.ok()) return status;
  }
  return CheckAllTaken(builder);
}

absl::StatusOr<v1::DecideRequest> SceneRequest(const SceneObjects& objects) {
  ReportBuilder builder;
  absl::Status added = AddObjects(objects, builder);
  if (!added.ok()) return added;
  absl::StatusOr<v1::DecideRequest> request = builder.Build();
  if (absl::Status all = CheckAllTaken(builder); request.ok() && !all.ok()) {
    return all;
  }
  return request;
}

absl::Status ReadFile(const std::string& file, SceneObjects& objects) {
  absl::StatusOr<std::string> bytes = ReadInput(file, std::cin);
  if (!bytes.ok()) return bytes.status();
  const absl::StatusOr<Documents> documents =
      SplitDocuments(file, *std::move(bytes));
  if (!documents.ok()) return documents.status();
  for (const std::string& json : documents->json) {
    Struct& object = objects.emplace_back();
    if (!google::protobuf::util::JsonStringToMessage(json, &object).ok()) {
      return Invalid("%s: expected Kubernetes objects", file);
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Time LatestTime(const SceneObjects& objects) {
  absl::Time latest = absl::InfinitePast();
  for (Struct object : objects) {
    VisitStrings(object, [&latest](std::string& text) {
      absl::Time time;
      if (ReadTime(text, time)) latest = std::max(latest, time);
    });
  }
  return latest;
}

Fixtures ReadFixtures(Suite& suite) {
  Fixtures fixtures;
  const auto check = [&suite](const std::string& path,
                              const absl::Status& status) {
    if (status.ok()) return;
    suite.AddError(path, std::string(status.message()));
  };
  for (const auto& [name, fixture] : suite.spec().fixtures()) {
    const std::string path = absl::StrCat("spec.fixtures[", name, "]");
    SceneObjects& objects = fixtures[name];
    objects.assign(fixture.objects().begin(), fixture.objects().end());
    for (int i = 0; i < fixture.files_size(); ++i) {
      check(absl::StrCat(path, ".files[", i, "]"),
            ReadFile(suite.ResolvePath(fixture.files(i)), objects));
    }
    ReportBuilder builder;
    check(path, AddObjects(objects, builder));
  }
  return fixtures;
}

void CheckSteps(const Fixtures& fixtures, Suite& suite) {
  for (int i = 0; i < suite.spec().cases_size(); ++i) {
    Scene scene(fixtures);
    for (int j = 0; j < suite.spec().cases(i).steps_size(); ++j) {
      const absl::Status shown =
          scene.Show(suite.spec().cases(i).steps(j), false).status();
      if (shown.ok()) continue;
      suite.AddError(absl::StrCat("spec.cases[", i, "].steps[", j, "]"),
                     std::string(shown.message()));
      break;
    }
  }
}

absl::Status Scene::Advance(const v1::PolicyTestStep& step, bool repeated) {
  const absl::Duration after = ToDuration(step.after());
  if (!step.at().empty() && !repeated) {
    absl::ParseTime(absl::RFC3339_full, step.at(), &now_, nullptr);
  } else if (now_ != absl::InfinitePast()) {
    now_ += after;
  } else {
    // The first step happens at the time of its latest object.
    SceneObjects shown = Fixture(step);
    shown.insert(shown.end(), step.objects().begin(), step.objects().end());
    now_ = LatestTime(shown);
    if (now_ == absl::InfinitePast()) {
      return Invalid("there is no time in what is shown, expected at");
    }
    now_ += after;
  }
  return absl::OkStatus();
}

SceneObjects Scene::Fixture(const v1::PolicyTestStep& step) const {
  const auto fixture = fixtures_.find(step.fixture());
  return fixture == fixtures_.end() ? SceneObjects() : fixture->second;
}

SceneObjects Scene::Stage(const v1::PolicyTestStep& step) {
  if (attempt_ == 0) first_ = now_;
  if (!step.same_attempt()) {
    ++attempt_;
    moved_ = now_ - first_;
  }
  SceneObjects objects = Fixture(step);
  MoveTimes(moved_, objects);
  if (attempt_ > 1) BecomeAttempt(attempt_, objects);
  objects.insert(objects.end(), step.objects().begin(), step.objects().end());
  return objects;
}

absl::StatusOr<v1::DecideRequest> Scene::Show(const v1::PolicyTestStep& step,
                                              bool repeated) {
  if (absl::Status timed = Advance(step, repeated); !timed.ok()) return timed;
  absl::StatusOr<v1::DecideRequest> request = SceneRequest(Stage(step));
  if (!request.ok()) return request;
  SetTime(now_, *request->mutable_report()->mutable_observed_at());
  return request;
}

}  // namespace mulligan::cli
