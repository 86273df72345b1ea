#include "client/cli/suite/scene.h"

#include <google/protobuf/util/json_util.h>

#include <iostream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/cli/input/documents.h"
#include "client/cli/input/inputs.h"
#include "client/cli/input/report_builder.h"
#include "client/cli/suite/moved_objects.h"
#include "policy/base/times.h"

namespace mulligan::cli {
namespace {

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
