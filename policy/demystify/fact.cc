#include "policy/demystify/fact.h"

#include <cstddef>

#include "absl/strings/str_cat.h"
#include "policy/base/utf8.h"
#include "policy/demystify/signatures/matching/text_table.h"
#include "policy/request/kinds.h"

namespace mulligan::demystify {
namespace {

// By Root; an owner's is its kind's field.
constexpr std::string_view kRoots[] = {
    "pods",          "jobs",          "nodes", "events", "usage", "",
    "kueueWorkload", "creationError", "exit",  "",       "hints",
};

template <typename Object>
ObjectName Named(std::string_view kind, const Object& object) {
  return {kind, object.metadata().namespace_(), object.metadata().name()};
}

}  // namespace

Candidate& AddSign(Candidates& candidates, const Signature& sign,
                   const Place& place, std::string_view value, Seconds at) {
  return AddFact(candidates, "sign", sign, place, value, at);
}

std::string ValueOf(const v1::FailureReport& report, const Candidate& fact) {
  if (fact.place.root == Root::kHints) {
    const v1::Hint& hint = report.hints(fact.place.index);
    return Excerpt(
        {hint.source(), hint.text().empty() ? "" : ": ", hint.text()});
  }
  if (!fact.text.empty()) {
    const LineAt shown = LineAround(fact.text, fact.found_at);
    return ExcerptFrom(shown.line, BeginToShow(shown));
  }
  if (fact.value.empty()) return absl::StrCat(fact.number);
  return Excerpt(fact.value);
}

std::string PathOf(const Place& place) {
  std::string path;
  path.reserve(72);
  path.append(place.root == Root::kOwner
                  ? place.owner->kind->field
                  : kRoots[static_cast<std::size_t>(place.root)]);
  if (place.index >= 0) absl::StrAppend(&path, "[", place.index, "]");
  path.append(place.list);
  if (place.item >= 0) absl::StrAppend(&path, "[", place.item, "]");
  path.append(place.leaf);
  return path;
}

bool IsOwnersMessage(const Place& place) {
  if (place.root != Root::kOwner || place.item >= 0) return false;
  const std::string_view path = place.owner->message_path;
  const std::string_view leaf = place.leaf;
  return !leaf.empty() && path.ends_with(leaf) &&
         path.size() == place.owner->kind->field.size() + leaf.size();
}

ObjectName ObjectOf(const v1::FailureReport& report, const Place& place) {
  switch (place.root) {
    case Root::kPods:
      return Named("Pod", report.pods(place.index));
    case Root::kJobs:
      return Named("Job", report.jobs(place.index));
    case Root::kNodes:
      return Named("Node", report.nodes(place.index));
    case Root::kEvents: {
      const auto& about = report.events(place.index).involved_object();
      return {about.kind(), about.namespace_(), about.name()};
    }
    case Root::kOwner:
      return {place.owner->kind_name, place.owner->meta->namespace_(),
              place.owner->meta->name()};
    case Root::kWorkload:
      return Named("Workload", report.kueue_workload());
    case Root::kUsage:
    case Root::kCreationError:
    case Root::kExit:
    case Root::kReport:
    case Root::kHints:
      return {};
  }
  return {};
}

std::string ObjectText(const ObjectName& object) {
  if (object.name.empty()) return {};
  return Excerpt({object.kind, "/", object.space,
                  object.space.empty() ? "" : "/", object.name});
}

}  // namespace mulligan::demystify
