#include "client/cli/suite/moved_objects.h"

#include <algorithm>
#include <functional>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"

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

}  // namespace

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

}  // namespace mulligan::cli
