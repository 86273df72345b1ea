// Cases about TrainJobs that are refused, or whose objects cannot be built.
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "client/conformance/compare.h"
#include "client/conformance/protos.h"
#include "client/conformance/trainer_input.h"
#include "client/conformance/trainer_job.h"
#include "policy/native/trainer_objects.h"
#include "policy/native/trainer_reconcile.h"
#include "policy/native/trainer_validation.h"

namespace mulligan::conformance {
namespace {

using trainer::Creation;
using trainer::SnapshotDefect;

struct DefectRow {
  std::vector<std::string_view> words;
  SnapshotDefect defect;
};

// More telling words first.
const std::vector<DefectRow>& DefectRows() {
  static const auto& rows = *new std::vector<DefectRow>{
      {{"not YAML", "invalid YAML", "unmarshal", "parse"},
       SnapshotDefect::kNotYaml},
      {{"owner", "owned", "not own", "controll", "UID"},
       SnapshotDefect::kOwnedByAnother},
      {{"differs", "does not match", "mismatch", "wrong runtime", "other name",
        "other kind", "another runtime"},
       SnapshotDefect::kWrongRuntime},
      {{"key", "data.runtime", "empty", "no data", "no runtime",
        "without runtime", "data"},
       SnapshotDefect::kWithoutRuntime},
      {{"not exist", "not found", "no ConfigMap", "missing", "absent"},
       SnapshotDefect::kMissing},
  };
  return rows;
}

std::optional<SnapshotDefect> DefectIn(const std::string& what) {
  for (const DefectRow& row : DefectRows()) {
    for (const std::string_view word : row.words) {
      if (Mentions(what, {word})) return row.defect;
    }
  }
  return std::nullopt;
}

// The build fails with that error; today nothing but an event tells.
absl::StatusOr<Answer> SnapshotAnswer(const std::string& what) {
  const auto defect = DefectIn(what);
  if (!defect.has_value()) return NotUnderstood("event.what", what);
  const bool missing = *defect == SnapshotDefect::kMissing;
  const trainer::TrainJob job;
  const trainer::Pass pass =
      trainer::Reconcile({job, nullptr, trainer::Objects::kBuildFailed,
                          std::string(trainer::SnapshotError(*defect)),
                          trainer::Version(), TrainerNow()});
  Json conditions = Json::array();
  for (const auto& condition : pass.status.conditions()) {
    conditions.push_back(ConditionFact(MessageJson(condition)));
  }
  // The API server's answer is known by its kind.
  const Json error =
      missing ? Described({pass.error, "NotFound", "not found error", true})
              : Json(pass.error);
  return Answer::Facts(
      {{"error", error},
       {"notFound", missing},
       {"errorNotFound", missing},
       {"notFoundError", missing},
       {"conditions", conditions},
       {"event",
        {{"type", "Warning"},
         {"reason", std::string(trainer::kResourcesFailedReason)},
         {"message", pass.event}}}});
}

// Numbers, also in words: ">0".
absl::StatusOr<std::int64_t> NumberIn(const Json& json,
                                      std::string_view member) {
  if (json.is_number_integer()) return json.get<std::int64_t>();
  if (json == Json("positive")) return 1;
  if (json == Json("negative")) return -1;
  static const RE2& bound = *new RE2("([<>])(=?) ?(-?\\d{1,9})");
  std::string side;
  std::string equal;
  std::int64_t number = 0;
  if (!json.is_string() ||
      !RE2::FullMatch(json.get<std::string>(), bound, &side, &equal, &number)) {
    return NotUnderstood(member, json);
  }
  if (!equal.empty()) return number;
  return side == ">" ? number + 1 : number - 1;
}

std::optional<trainer::Initializer> InitializerIn(const Json& json) {
  trainer::Initializer initializer;
  if (!json.is_string()) return initializer;
  const std::string text = json.get<std::string>();
  if (text == "set" || text == "valid") {
    initializer.storage_uri = "s3://bucket/path";
  } else if (text == "no path") {
    initializer.storage_uri = "s3://";
  } else if (text != "empty") {
    initializer.storage_uri = text;
  }
  return initializer;
}

absl::Status ReadRuntimeRef(const Json& json, Creation& creation) {
  auto& ref = *creation.spec.mutable_runtime_ref();
  if (json.is_object()) return FillFrom(json, "runtimeRef", ref);
  if (!json.is_string()) return NotUnderstood("spec.runtimeRef", json);
  const std::string text = json.get<std::string>();
  ref.set_kind(Mentions(text, {"ClusterTrainingRuntime"})
                   ? "ClusterTrainingRuntime"
                   : "TrainingRuntime");
  creation.runtime.exists =
      !Mentions(text, {"not exist", "not present", "unsupported", "unknown"});
  return absl::OkStatus();
}

absl::Status ReadRuntime(const Json& json, Creation& creation) {
  if (json.is_null()) {
    creation.runtime.exists = false;
    return absl::OkStatus();
  }
  if (!json.is_string()) return NotUnderstood("spec.runtime", json);
  const std::string text = json.get<std::string>();
  if (Mentions(text, {"not exist", "not found", "missing"})) {
    creation.runtime.exists = false;
  } else if (Mentions(text,
                      {"without initializer", "without an initializer"})) {
    creation.runtime.has_dataset_initializer = false;
    creation.runtime.has_model_initializer = false;
  } else if (!Mentions(text, {"with initializer", "with an initializer"})) {
    creation.runtime.policy = text;
  }
  return absl::OkStatus();
}

absl::Status ReadEnvironment(const Json& list, Creation& creation) {
  for (const std::string& name : TextsOf(list)) creation.env.push_back(name);
  if (!list.is_array()) return absl::OkStatus();
  for (const Json& variable : list) {
    if (variable.is_object()) creation.env.push_back(TextOf(variable, "name"));
  }
  return absl::OkStatus();
}

// Members of TrainJobs that failure handling never reads and Mulligan does not
// check.
bool IsUnrelated(std::string_view member) {
  constexpr std::array<std::string_view, 6> kUnrelated = {
      "name",
      "metadata.name",
      "trainer.args",
      "trainer.command",
      "trainer.resourcesPerNode",
      "podTemplateOverrides"};
  return std::find(kUnrelated.begin(), kUnrelated.end(), member) !=
         kUnrelated.end();
}

absl::Status ReadMember(const std::string& name, const Json& value,
                        Creation& creation) {
  if (name == "runtimeRef") return ReadRuntimeRef(value, creation);
  if (name == "runtime") return ReadRuntime(value, creation);
  if (name == "trainer.env") return ReadEnvironment(value, creation);
  if (name == "initContainer" && value.is_string()) {
    creation.runtime.init_containers.push_back(value.get<std::string>());
    return absl::OkStatus();
  }
  if (name == "initializer.dataset" ||
      name == "initializer.dataset.storageUri") {
    creation.dataset = InitializerIn(value);
    return absl::OkStatus();
  }
  if (name == "initializer.model" || name == "initializer.model.storageUri") {
    creation.model = InitializerIn(value);
    return absl::OkStatus();
  }
  if (name == "managedBy" && value.is_string()) {
    creation.spec.set_managed_by(value.get<std::string>());
    return absl::OkStatus();
  }
  const auto number = NumberIn(value, name);
  if (name == "trainer.numNodes" && number.ok()) {
    creation.spec.mutable_trainer()->set_num_nodes(
        static_cast<std::int32_t>(*number));
  } else if (name == "trainer.numProcPerNode" && number.ok()) {
    creation.num_proc_per_node = *number;
  } else if (name == "activeDeadlineSeconds" && number.ok()) {
    creation.spec.set_active_deadline_seconds(*number);
  } else {
    return NotUnderstood("spec." + name, value);
  }
  return absl::OkStatus();
}

Json ErrorsJson(const FieldErrors& errors) {
  Json list = Json::array();
  for (const FieldError& error : errors) list.push_back(error.detail);
  return list;
}

Json AdmissionFacts(const trainer::CreationIssues& issues) {
  const bool accepted = issues.errors.empty();
  return {{"admission", accepted ? "accepted" : "rejected"},
          {"allowed", accepted},
          {"errors", ErrorsJson(issues.errors)},
          {"warnings", issues.warnings},
          {"warning",
           issues.warnings.empty() ? Json() : Json(issues.warnings.front())}};
}

std::string Admission(const FieldErrors& errors) {
  return errors.empty() ? "accepted" : "rejected (Invalid)";
}

// Paths a case changes, as a list or a text "path (suspended)".
struct Change {
  std::vector<std::string> paths;
  bool suspended = false;
};

absl::StatusOr<Change> ChangeIn(const Json& update, bool suspended) {
  Change change;
  change.suspended = suspended;
  if (update.is_object()) {
    for (const auto& [path, value] : update.items()) {
      change.paths.push_back(path);
    }
    return change;
  }
  if (!update.is_string()) return NotUnderstood("event.specUpdate", update);
  const std::string text = update.get<std::string>();
  if (Mentions(text, {"(suspended)"})) change.suspended = true;
  change.paths.push_back(text.substr(0, text.find(' ')));
  return change;
}

FieldErrors ErrorsOf(const Change& change) {
  FieldErrors errors = trainer::ValidateFieldChanges(change.paths);
  const bool patches = std::any_of(change.paths.begin(), change.paths.end(),
                                   [](const std::string& path) {
                                     return path.starts_with("runtimePatches");
                                   });
  if (!patches) return errors;
  for (FieldError& error : trainer::ValidateRuntimePatchesChange(
           change.suspended, change.suspended, {})) {
    errors.push_back(std::move(error));
  }
  return errors;
}

// "updated: node selector, labels, still suspended" of "node selector and
// labels for replicated job node".
std::string JobSetUpdate(const Json& update, bool suspended) {
  std::string patched = TextOf(update, "runtimePatches");
  patched = patched.substr(0, patched.find(" for "));
  std::vector<std::string> parts;
  for (const auto& list : absl::StrSplit(patched, ", ")) {
    for (const auto& part : absl::StrSplit(list, " and ")) {
      parts.emplace_back(part);
    }
  }
  if (suspended) parts.emplace_back("still suspended");
  return "updated: " + absl::StrJoin(parts, ", ");
}

absl::StatusOr<trainer::JobSetView> JobSetViewIn(const std::string& text) {
  trainer::JobSetView view;
  if (Mentions(text, {"client error"})) {
    view.unreadable = true;
    return view;
  }
  if (text.empty() || Mentions(text, {"any", "not found", "no active"})) {
    return view;
  }
  constexpr std::string_view kActive = " active";
  if (!text.ends_with(kActive)) return NotUnderstood("jobSet", text);
  const std::string names = text.substr(0, text.size() - kActive.size());
  for (const auto& name : absl::StrSplit(names, " and ")) {
    view.active_groups.emplace_back(name);
  }
  return view;
}

// Old and new TrainJob, as far as the rule for runtimePatches looks at them.
absl::StatusOr<Answer> PatchesAnswer(const Json& input) {
  absl::Status known = CheckOnlyMembers(
      input, "input", {"kind", "level", "old", "new", "jobSet"});
  if (!known.ok()) return known;
  const auto view = JobSetViewIn(TextOf(input, "jobSet"));
  if (!view.ok()) return view.status();
  // Words instead of an object: there is none, it is being created.
  Json before = MemberOrNull(input, "old");
  if (!before.is_object()) before = Json();
  const Json after = MemberOrNull(input, "new");
  const bool changed =
      MemberOrNull(after, "runtimePatchesChanged") == Json(true);
  FieldErrors errors;
  if (!before.is_null() && changed) {
    errors = trainer::ValidateRuntimePatchesChange(
        MemberOrNull(before, "suspend") == Json(true),
        MemberOrNull(after, "suspend") == Json(true), *view);
  }
  return Answer::Facts({{"errors", ErrorsJson(errors)},
                        {"allowed", errors.empty()},
                        {"admission", Admission(errors)}});
}

// What runtimePatches of the spec put into the pods of a group.
Json PatchedPods(const Json& patches) {
  Json facts = Json::object();
  for (const auto& [group, patch] : patches.items()) {
    for (const auto& [member, value] : patch.items()) {
      facts["jobSet.podTemplate." + member] = value;
    }
  }
  return facts;
}

}  // namespace

absl::StatusOr<Answer> TrainJobBuildAnswer(const CaseInput& input) {
  absl::Status known = CheckOnlyMembers(input.input, "input",
                                        {"kind", "level", "spec", "event"});
  if (!known.ok()) return known;
  const Json spec = MemberOrNull(input.input, "spec");
  const std::string what = TextOf(MemberOrNull(input.input, "event"), "what");
  if (spec.is_null()) return SnapshotAnswer(what);
  Creation creation;
  creation.runtime.policy = "Torch";
  for (const auto& [name, value] : spec.items()) {
    if (IsUnrelated(name)) return Answer::Outside("unrelated-validation");
    absl::Status read = ReadMember(name, value, creation);
    if (!read.ok()) return read;
  }
  if (!what.empty()) {
    const bool current =
        Mentions(what, {"no deprecated", "not deprecated", "without"});
    creation.runtime.deprecated = !current && Mentions(what, {"deprecated"});
    if (Mentions(what, {"not exist", "no such", "not found", "unsupported",
                        "unknown", "not known", "not registered"})) {
      creation.runtime.exists = false;
    } else if (!creation.runtime.deprecated && !current) {
      return NotUnderstood("event.what", what);
    }
  }
  return Answer::Facts(AdmissionFacts(trainer::ValidateCreation(creation)));
}

absl::StatusOr<Answer> TrainJobUpdateAnswer(const CaseInput& input) {
  if (input.input.contains("new")) return PatchesAnswer(input.input);
  absl::Status known = CheckOnlyMembers(input.input, "input",
                                        {"kind", "level", "spec", "event"});
  if (!known.ok()) return known;
  const Json spec = MemberOrNull(input.input, "spec");
  const Json update =
      MemberOrNull(MemberOrNull(input.input, "event"), "specUpdate");
  if (update.is_null()) {
    const Json patches = MemberOrNull(spec, "runtimePatches");
    if (!patches.is_object()) return NotUnderstood("spec", spec);
    return Answer::Facts(PatchedPods(patches));
  }
  const bool suspended = MemberOrNull(spec, "suspend") == Json(true);
  const auto change = ChangeIn(update, suspended);
  if (!change.ok()) return change.status();
  const FieldErrors errors = ErrorsOf(*change);
  Json facts = {{"admission", Admission(errors)},
                {"allowed", errors.empty()},
                {"errors", ErrorsJson(errors)}};
  if (errors.empty() && update.is_object()) {
    facts["jobSet"] = JobSetUpdate(update, suspended);
  }
  return Answer::Facts(std::move(facts));
}

}  // namespace mulligan::conformance
