#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <functional>
#include <iostream>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
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

// "2026-11-03T09:07:33Z" and with fractions or an offset.
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

// Calls `visit` for each pod in `object`: a Pod, a list with pods, or a
// FailureReport or DecideRequest.
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

// A pod without an owner is the workload itself.
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

// The latest time (a string as RFC 3339 writes it) anywhere in the objects;
// InfinitePast when there is none.
absl::Time LatestTime(const std::vector<Struct>& objects) {
  absl::Time latest = absl::InfinitePast();
  for (Struct object : objects) {
    VisitStrings(object, [&latest](std::string& text) {
      absl::Time time;
      if (ReadTime(text, time)) latest = std::max(latest, time);
    });
  }
  return latest;
}

// Adds `by` to every time in the objects.
void MoveTimes(absl::Duration by, std::vector<Struct>& objects) {
  for (Struct& object : objects) {
    VisitStrings(object, [by](std::string& text) {
      absl::Time time;
      if (!ReadTime(text, time)) return;
      text = absl::FormatTime("%Y-%m-%d%ET%H:%M:%E*SZ", time + by,
                              absl::UTCTimeZone());
    });
  }
}

// Gives pods the names and UIDs of attempt `number`, wherever the objects
// mention them, and a FailureReport the failureId. The containers of a pod
// without an owner have been restarted instead: it is the workload itself.
void BecomeAttempt(int number, std::vector<Struct>& objects) {
  std::set<std::string> identities;
  for (Struct& object : objects) {
    identities.insert(TextOf(object, "failureId"));
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

using ::google::protobuf::Struct;

absl::StatusOr<v1::DecideRequest> SceneRequest(
    const std::vector<Struct>& objects) {
  ReportBuilder builder;
  for (const Struct& object : objects) {
    std::string json;
    if (!google::protobuf::util::MessageToJsonString(object, &json).ok()) {
      return absl::InvalidArgumentError("an object is nested too deeply");
    }
    absl::Status status = builder.Add("object", std::move(json));
    if (!status.ok()) return status;
  }
  absl::StatusOr<v1::DecideRequest> request = builder.Build();
  // In a test, what is passed over would be tested by nobody.
  if (request.ok() && !builder.warnings().empty()) {
    return absl::InvalidArgumentError(absl::StrJoin(builder.warnings(), "; "));
  }
  return request;
}

}  // namespace

absl::StatusOr<Scene::Objects> Scene::Read(
    const v1::PolicyTestFixture& fixture) const {
  Objects objects(fixture.objects().begin(), fixture.objects().end());
  for (const std::string& name : fixture.files()) {
    const std::string file = suite_.Beside(name);
    absl::StatusOr<std::string> bytes = ReadInput(file, std::cin);
    if (!bytes.ok()) return bytes.status();
    const absl::StatusOr<Documents> documents =
        SplitDocuments(file, *std::move(bytes));
    if (!documents.ok()) return documents.status();
    for (const std::string& json : documents->json) {
      Struct object;
      if (!google::protobuf::util::JsonStringToMessage(json, &object).ok()) {
        return absl::InvalidArgumentError(
            absl::StrCat(file, ": expected Kubernetes objects"));
      }
      objects.push_back(std::move(object));
    }
  }
  return objects;
}

absl::Status Scene::Advance(const v1::PolicyTestStep& step, bool repeated) {
  const absl::Duration after = ToDuration(step.after());
  if (!step.at().empty() && !repeated) {
    absl::ParseTime(absl::RFC3339_full, step.at(), &now_, nullptr);
  } else if (now_ != absl::InfinitePast()) {
    now_ += after;
  } else {
    // The first step: when its objects were as they are.
    Objects shown(step.objects().begin(), step.objects().end());
    const Objects& fixture = fixtures_[step.fixture()];
    shown.insert(shown.end(), fixture.begin(), fixture.end());
    now_ = LatestTime(shown);
    if (now_ == absl::InfinitePast()) {
      return absl::InvalidArgumentError(
          "there is no time in what is shown, expected at");
    }
    now_ += after;
  }
  return absl::OkStatus();
}

Scene::Objects Scene::Stage(const v1::PolicyTestStep& step) {
  if (attempt_ == 0) first_ = now_;
  if (!step.same_attempt()) {
    ++attempt_;
    moved_ = now_ - first_;
  }
  Objects objects = fixtures_[step.fixture()];
  MoveTimes(moved_, objects);
  if (attempt_ > 1) BecomeAttempt(attempt_, objects);
  objects.insert(objects.end(), step.objects().begin(), step.objects().end());
  return objects;
}

absl::StatusOr<v1::DecideRequest> Scene::Show(const v1::PolicyTestStep& step,
                                              bool repeated) {
  const bool is_new = !fixtures_.contains(step.fixture());
  if (is_new && !step.fixture().empty()) {
    absl::StatusOr<Objects> objects =
        Read(suite_.spec().fixtures().at(step.fixture()));
    if (!objects.ok()) return objects.status();
    fixtures_[step.fixture()] = *std::move(objects);
  }
  if (absl::Status timed = Advance(step, repeated); !timed.ok()) return timed;
  absl::StatusOr<v1::DecideRequest> request = SceneRequest(Stage(step));
  if (!request.ok()) return request;
  SetTime(now_, *request->mutable_report()->mutable_observed_at());
  return request;
}

}  // namespace mulligan::cli
