#include "policy/words/container_specs.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <unordered_map>
#include <utility>

#include "absl/strings/str_format.h"
#include "google/protobuf/struct.pb.h"
#include "policy/demystify/readers/volumes.h"

namespace mulligan {
namespace {

namespace core = kubernetes::core::v1;
using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

// Returns the amount as written; empty if it is not one.
std::string Written(const google::protobuf::Value& value) {
  if (value.has_string_value()) return value.string_value();
  return value.has_number_value()
             ? absl::StrFormat("%.15g", value.number_value())
             : std::string();
}

std::optional<std::string> AmountIn(const core::Container& container,
                                    std::string_view resource,
                                    Amounts amounts) {
  const core::ResourceRequirements& all = container.resources();
  const bool limits = amounts == Amounts::kLimits;
  const auto& json = limits ? all.limits() : all.requests();
  const std::string name(resource);
  if (const auto found = json.find(name); found != json.end()) {
    std::string written = Written(found->second);
    if (!written.empty()) return written;
  }
  const auto& bytes =
      limits ? all.limit_quantities() : all.request_quantities();
  if (const auto found = bytes.find(name); found != bytes.end()) {
    return found->second.string();
  }
  return std::nullopt;
}

const core::Container* ContainerIn(const core::PodSpec& spec,
                                   std::string_view name) {
  for (const auto* containers : {&spec.containers(), &spec.init_containers()}) {
    const auto found =
        std::ranges::find(*containers, name, &core::Container::name);
    if (found != containers->end()) return &*found;
  }
  return nullptr;
}

// For each type of message, the fields that may contain a template.
using Ways =
    std::unordered_map<const Descriptor*, std::vector<const FieldDescriptor*>>;

// Returns whether a message of `type` may contain a template. The entry made
// first ends the recursion of types that contain themselves.
bool LeadsToTemplate(const Descriptor* type, Ways& ways) {
  if (type == core::PodTemplateSpec::descriptor()) return true;
  if (const auto known = ways.find(type); known != ways.end()) {
    return !known->second.empty();
  }
  ways[type] = {};
  std::vector<const FieldDescriptor*> fields;
  for (int i = 0; i < type->field_count(); ++i) {
    const FieldDescriptor* field = type->field(i);
    if (field->type() == FieldDescriptor::TYPE_MESSAGE && !field->is_map() &&
        LeadsToTemplate(field->message_type(), ways)) {
      fields.push_back(field);
    }
  }
  std::ranges::sort(fields, {}, &FieldDescriptor::number);
  const bool leads = !fields.empty();
  ways[type] = std::move(fields);
  return leads;
}

// Returns the fields for a message inside a report.
const std::vector<const FieldDescriptor*>& WaysToTemplates(
    const Message& message) {
  static const Ways* const ways = [] {
    auto* all = new Ways;
    LeadsToTemplate(v1::FailureReport::descriptor(), *all);
    return all;
  }();
  return ways->at(message.GetDescriptor());
}

template <typename Take>
void ForEachMessage(const Message& message, const FieldDescriptor* field,
                    const Take& take) {
  const auto& reflection = *message.GetReflection();
  if (!field->is_repeated()) {
    if (reflection.HasField(message, field)) {
      take(reflection.GetMessage(message, field));
    }
    return;
  }
  for (int i = 0; i < reflection.FieldSize(message, field); ++i) {
    take(reflection.GetRepeatedMessage(message, field, i));
  }
}

// Calls `take` with each template in `message`, at any depth.
template <typename Take>
void ForEachTemplate(const Message& message, const Take& take) {
  if (message.GetDescriptor() == core::PodTemplateSpec::descriptor()) {
    take(static_cast<const core::PodTemplateSpec&>(message));
    return;
  }
  for (const FieldDescriptor* field : WaysToTemplates(message)) {
    ForEachMessage(message, field, [&take](const Message& part) {
      ForEachTemplate(part, take);
    });
  }
}

std::string_view NameIn(const Message& object) {
  const FieldDescriptor* field =
      object.GetDescriptor()->FindFieldByName("metadata");
  if (field == nullptr ||
      field->message_type() != kubernetes::meta::v1::ObjectMeta::descriptor()) {
    return {};
  }
  return static_cast<const kubernetes::meta::v1::ObjectMeta&>(
             object.GetReflection()->GetMessage(object, field))
      .name();
}

bool HasMounts(const core::PodSpec& spec) {
  const auto mounts = [](const core::Container& container) {
    return container.volume_mounts_size() > 0;
  };
  return std::ranges::any_of(spec.containers(), mounts) ||
         std::ranges::any_of(spec.init_containers(), mounts);
}

VolumeSpec SpecOf(const core::Volume& volume) {
  VolumeSpec spec;
  spec.name = volume.name();
  const core::VolumeSource& source = volume.volume_source();
  spec.claim = volume.has_persistent_volume_claim()
                   ? volume.persistent_volume_claim().claim_name()
                   : source.persistent_volume_claim().claim_name();
  spec.is_empty_dir = volume.has_empty_dir() || source.has_empty_dir();
  const core::EmptyDirVolumeSource& folder =
      volume.has_empty_dir() ? volume.empty_dir() : source.empty_dir();
  spec.size_limit = folder.has_size_limit()
                        ? Written(folder.size_limit())
                        : folder.size_limit_quantity().string();
  return spec;
}

constexpr Growable kGrowable[] = {
    {v1::CONTAINER_OOM, "memory", "memory limit"},
    {v1::STORAGE_EXHAUSTED, "ephemeral-storage", "ephemeral-storage limit"},
};

}  // namespace

const Growable* GrowableOf(v1::Cause cause) {
  const auto* row = std::ranges::find(kGrowable, cause, &Growable::cause);
  return row == std::end(kGrowable) ? nullptr : row;
}

const std::vector<ContainerSpecs::Spec>& ContainerSpecs::All() const {
  if (!specs_.empty()) return specs_;
  for (const core::Pod& pod : report_.pods()) {
    specs_.push_back({pod.metadata().name(), false, &pod.spec()});
  }
  if (!has_owners_) return specs_;
  const auto add = [this](const Message& object) {
    const std::string_view name = NameIn(object);
    ForEachTemplate(object, [&](const core::PodTemplateSpec& found) {
      specs_.push_back({name, true, &found.spec()});
    });
  };
  for (const FieldDescriptor* field : WaysToTemplates(report_)) {
    ForEachMessage(report_, field, add);
  }
  return specs_;
}

bool ContainerSpecs::Knows(std::string_view container) const {
  return std::ranges::any_of(All(), [container](const Spec& one) {
    return ContainerIn(*one.spec, container) != nullptr;
  });
}

std::optional<std::string> ContainerSpecs::OfPod(std::string_view pod,
                                                 std::string_view container,
                                                 std::string_view resource,
                                                 Amounts amounts) const {
  for (const core::Pod& one : report_.pods()) {
    if (one.metadata().name() != pod) continue;
    const core::Container* found = ContainerIn(one.spec(), container);
    if (found == nullptr) continue;
    if (auto amount = AmountIn(*found, resource, amounts)) return amount;
  }
  return std::nullopt;
}

std::optional<std::string> ContainerSpecs::OfTemplates(
    std::string_view workload, std::string_view container,
    std::string_view resource, Amounts amounts) const {
  // The amount on which all templates of `object` (of all objects if "") agree.
  const auto agreed = [&](std::string_view object) {
    std::optional<std::string> common;
    for (const Spec& one : All()) {
      if (!one.in_template || (!object.empty() && one.object != object)) {
        continue;
      }
      const core::Container* found = ContainerIn(*one.spec, container);
      if (found == nullptr) continue;
      auto amount = AmountIn(*found, resource, amounts);
      if (!amount.has_value()) continue;
      if (common.has_value() && common != amount) {
        return std::optional<std::string>();
      }
      common = std::move(amount);
    }
    return common;
  };
  auto own = agreed(workload);
  return own.has_value() ? own : agreed("");
}

std::optional<VolumeSpec> ContainerSpecs::VolumeAt(
    std::string_view pod, std::string_view container,
    std::string_view path) const {
  const core::PodSpec* found = nullptr;
  for (const Spec& one : All()) {
    if (!HasMounts(*one.spec)) continue;
    if (found == nullptr || one.object == pod) found = one.spec;
    if (one.object == pod) break;
  }
  if (found == nullptr) return std::nullopt;
  const core::VolumeMount* mount = demystify::MountAt(*found, container, path);
  if (mount == nullptr) return std::nullopt;
  for (const core::Volume& volume : found->volumes()) {
    if (volume.name() == mount->name()) return SpecOf(volume);
  }
  return std::nullopt;
}

}  // namespace mulligan
