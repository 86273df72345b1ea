#include "policy/remedy/container_specs.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/str_format.h"
#include "google/protobuf/struct.pb.h"

namespace mulligan {
namespace {

namespace core = kubernetes::core::v1;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

// As it was written; empty: it is no amount.
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
  const auto found =
      std::ranges::find(spec.containers(), name, &core::Container::name);
  return found == spec.containers().end() ? nullptr : &*found;
}

// Calls `take` with each template in `message`, at any depth: a kind of object
// that has one needs no line here.
template <typename Take>
void ForEachTemplate(const Message& message, const Take& take) {
  if (message.GetDescriptor() == core::PodTemplateSpec::descriptor()) {
    take(static_cast<const core::PodTemplateSpec&>(message));
    return;
  }
  const auto& reflection = *message.GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection.ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    if (field->type() != FieldDescriptor::TYPE_MESSAGE || field->is_map()) {
      continue;
    }
    if (!field->is_repeated()) {
      ForEachTemplate(reflection.GetMessage(message, field), take);
      continue;
    }
    for (int i = 0; i < reflection.FieldSize(message, field); ++i) {
      ForEachTemplate(reflection.GetRepeatedMessage(message, field, i), take);
    }
  }
}

// Of an object of Kubernetes; empty: it has none.
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

// Whether `path` is `folder` or below it.
bool IsBelow(std::string_view path, std::string_view folder) {
  while (folder.size() > 1 && folder.back() == '/') folder.remove_suffix(1);
  return path.starts_with(folder) &&
         (path.size() == folder.size() || path[folder.size()] == '/');
}

// The mount closest above `path`; null: none is.
const core::VolumeMount* MountAt(const core::PodSpec& spec,
                                 std::string_view container,
                                 std::string_view path) {
  const core::VolumeMount* closest = nullptr;
  for (const auto* containers : {&spec.containers(), &spec.init_containers()}) {
    for (const core::Container& one : *containers) {
      if (one.name() != container) continue;
      for (const core::VolumeMount& mount : one.volume_mounts()) {
        const bool closer =
            closest == nullptr ||
            mount.mount_path().size() > closest->mount_path().size();
        if (closer && IsBelow(path, mount.mount_path())) closest = &mount;
      }
    }
  }
  return closest;
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

}  // namespace

ContainerSpecs::ContainerSpecs(const v1::FailureReport& report) {
  for (const core::Pod& pod : report.pods()) {
    specs_.push_back({pod.metadata().name(), false, &pod.spec()});
  }
  const auto add = [this](const Message& object) {
    const std::string_view name = NameIn(object);
    ForEachTemplate(object, [&](const core::PodTemplateSpec& found) {
      specs_.push_back({name, true, &found.spec()});
    });
  };
  const auto& reflection = *report.GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection.ListFields(report, &fields);
  for (const FieldDescriptor* field : fields) {
    if (field->type() != FieldDescriptor::TYPE_MESSAGE || field->is_map() ||
        field->message_type() == core::Pod::descriptor()) {
      continue;
    }
    if (!field->is_repeated()) {
      add(reflection.GetMessage(report, field));
      continue;
    }
    for (int i = 0; i < reflection.FieldSize(report, field); ++i) {
      add(reflection.GetRepeatedMessage(report, field, i));
    }
  }
}

bool ContainerSpecs::Knows(std::string_view container) const {
  return std::ranges::any_of(specs_, [container](const Spec& one) {
    return ContainerIn(*one.spec, container) != nullptr;
  });
}

std::optional<std::string> ContainerSpecs::OfPod(std::string_view pod,
                                                 std::string_view container,
                                                 std::string_view resource,
                                                 Amounts amounts) const {
  for (const Spec& one : specs_) {
    if (one.in_template || one.object != pod) continue;
    const core::Container* found = ContainerIn(*one.spec, container);
    if (found == nullptr) continue;
    if (auto amount = AmountIn(*found, resource, amounts)) return amount;
  }
  return std::nullopt;
}

std::optional<std::string> ContainerSpecs::OfTemplates(
    std::string_view workload, std::string_view container,
    std::string_view resource, Amounts amounts) const {
  // What the templates of `object` say with one voice; "": those of all.
  const auto agreed = [&](std::string_view object) {
    std::optional<std::string> said;
    for (const Spec& one : specs_) {
      if (!one.in_template || (!object.empty() && one.object != object)) {
        continue;
      }
      const core::Container* found = ContainerIn(*one.spec, container);
      if (found == nullptr) continue;
      auto amount = AmountIn(*found, resource, amounts);
      if (!amount.has_value()) continue;
      if (said.has_value() && said != amount) {
        return std::optional<std::string>();
      }
      said = std::move(amount);
    }
    return said;
  };
  auto own = agreed(workload);
  return own.has_value() ? own : agreed("");
}

std::optional<VolumeSpec> ContainerSpecs::VolumeAt(
    std::string_view pod, std::string_view container,
    std::string_view path) const {
  const core::PodSpec* found = nullptr;
  for (const Spec& one : specs_) {
    if (!HasMounts(*one.spec)) continue;
    if (found == nullptr || one.object == pod) found = one.spec;
    if (one.object == pod) break;
  }
  if (found == nullptr) return std::nullopt;
  const core::VolumeMount* mount = MountAt(*found, container, path);
  if (mount == nullptr) return std::nullopt;
  for (const core::Volume& volume : found->volumes()) {
    if (volume.name() == mount->name()) return SpecOf(volume);
  }
  return std::nullopt;
}

}  // namespace mulligan
