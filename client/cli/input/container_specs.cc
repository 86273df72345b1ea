#include "client/cli/input/container_specs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "client/cli/base/json_text.h"

namespace mulligan::cli {
namespace {

// Members that hold no specification, or a copy of one.
bool IsPassedOver(std::string_view key) {
  return key == "status" || key == "metadata" || key == "managedFields";
}

struct Unit {
  std::string_view suffix;
  double value;
  std::string_view larger;
  int step;
};

constexpr std::array<Unit, 13> kUnits = {{
    {"Ki", 1024.0, "Mi", 1024},
    {"Mi", 1048576.0, "Gi", 1024},
    {"Gi", 1073741824.0, "Ti", 1024},
    {"Ti", 1099511627776.0, "Pi", 1024},
    {"Pi", 1125899906842624.0, "", 0},
    {"Ei", 1152921504606846976.0, "", 0},
    {"m", 1e-3, "", 1000},
    {"k", 1e3, "M", 1000},
    {"M", 1e6, "G", 1000},
    {"G", 1e9, "T", 1000},
    {"T", 1e12, "P", 1000},
    {"P", 1e15, "", 0},
    {"", 1, "", 0},
}};

// A quantity taken apart.
struct Amount {
  double number = 0;
  const Unit* unit = nullptr;
};

std::optional<Amount> AmountOf(std::string_view quantity) {
  const std::size_t end = quantity.find_first_not_of("0123456789.");
  const std::string_view suffix =
      end == quantity.npos ? std::string_view() : quantity.substr(end);
  Amount amount;
  if (end == 0 ||
      !absl::SimpleAtod({quantity.data(), quantity.size() - suffix.size()},
                        &amount.number)) {
    return std::nullopt;
  }
  for (const Unit& unit : kUnits) {
    if (unit.suffix == suffix) amount.unit = &unit;
  }
  if (amount.unit == nullptr) return std::nullopt;
  return amount;
}

// At most two decimals, none that are zero.
std::string Number(double value) {
  std::string text = absl::StrFormat("%.2f", value);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text;
}

// Limits or requests.
using Amounts = std::map<std::string, std::string> ContainerSpec::*;

// Which amount of which container.
struct Asked {
  Amounts amounts;
  std::string_view container;
  std::string_view resource;
};

std::optional<std::string> AmountIn(const ContainerSpec& spec,
                                    const Asked& asked) {
  if (spec.container != asked.container) return std::nullopt;
  const auto& amounts = spec.*asked.amounts;
  const auto found = amounts.find(std::string(asked.resource));
  if (found == amounts.end()) return std::nullopt;
  return found->second;
}

std::optional<std::string> OfPod(const std::vector<ContainerSpec>& containers,
                                 std::string_view pod, const Asked& asked) {
  for (const ContainerSpec& spec : containers) {
    if (spec.in_template || spec.object != pod) continue;
    if (auto amount = AmountIn(spec, asked)) return amount;
  }
  return std::nullopt;
}

// What the templates of `object` say with one voice; "": those of all objects.
std::optional<std::string> Agreed(const std::vector<ContainerSpec>& containers,
                                  std::string_view object, const Asked& asked) {
  std::optional<std::string> agreed;
  for (const ContainerSpec& spec : containers) {
    if (!spec.in_template) continue;
    if (!object.empty() && spec.object != object) continue;
    const auto amount = AmountIn(spec, asked);
    if (!amount.has_value()) continue;
    if (agreed.has_value() && agreed != amount) return std::nullopt;
    agreed = amount;
  }
  return agreed;
}

std::optional<std::string> OfTemplates(
    const std::vector<ContainerSpec>& containers, std::string_view workload,
    const Asked& asked) {
  auto own = Agreed(containers, workload, asked);
  return own.has_value() ? own : Agreed(containers, "", asked);
}

void ReadAmounts(std::string_view json,
                 std::map<std::string, std::string>& amounts) {
  for (const JsonMember& amount : JsonMembers(json)) {
    const bool quoted = TypeOfJson(amount.value) == JsonType::kString;
    amounts[amount.key] =
        quoted ? JsonStringValue(amount.value) : std::string(amount.value);
  }
}

std::string Text(std::string_view object, std::string_view key) {
  const std::string_view value = JsonMemberOf(object, key);
  if (TypeOfJson(value) == JsonType::kString) return JsonStringValue(value);
  return value == "null" ? "" : std::string(value);
}

VolumeSpec VolumeIn(std::string_view json) {
  VolumeSpec volume;
  for (const JsonMember& member : JsonMembers(json)) {
    if (member.key == "name") {
      volume.name = JsonStringValue(member.value);
      continue;
    }
    volume.kind = member.key;
    volume.claim = Text(member.value, "claimName");
    volume.size_limit = Text(member.value, "sizeLimit");
  }
  return volume;
}

// Whether `path` is `folder` or below it.
bool IsBelow(std::string_view path, std::string_view folder) {
  while (folder.size() > 1 && folder.back() == '/') folder.remove_suffix(1);
  return path.starts_with(folder) &&
         (path.size() == folder.size() || path[folder.size()] == '/');
}

}  // namespace

void ContainerSpecs::Read(std::string_view json) { Walk(json, {}); }

void ContainerSpecs::ReadContainer(std::string_view json, const Place& place) {
  ContainerSpec& spec = containers_.emplace_back(ContainerSpec{
      place.object, Text(json, "name"), place.in_template, {}, {}});
  const std::string_view resources = JsonMemberOf(json, "resources");
  ReadAmounts(JsonMemberOf(resources, "limits"), spec.limits);
  ReadAmounts(JsonMemberOf(resources, "requests"), spec.requests);
}

void ContainerSpecs::Walk(std::string_view json, Place place) {
  if (TypeOfJson(json) == JsonType::kArray) {
    for (const std::string_view item : JsonItems(json)) Walk(item, place);
    return;
  }
  const std::string name = Text(JsonMemberOf(json, "metadata"), "name");
  if (!name.empty()) place.object = name;
  PodSpec pod{place.object, {}, {}};
  for (const JsonMember& member : JsonMembers(json)) {
    if (IsPassedOver(member.key)) continue;
    const bool containers = member.key == "containers";
    if (containers || member.key == "initContainers") {
      for (const std::string_view item : JsonItems(member.value)) {
        if (containers) ReadContainer(item, place);
        for (const std::string_view mount :
             JsonItems(JsonMemberOf(item, "volumeMounts"))) {
          pod.mounts.push_back({Text(item, "name"), Text(mount, "mountPath"),
                                Text(mount, "name")});
        }
      }
    } else if (member.key == "volumes") {
      for (const std::string_view item : JsonItems(member.value)) {
        pod.volumes.push_back(VolumeIn(item));
      }
    } else {
      Place inside = place;
      inside.in_template |= member.key.ends_with("emplate");
      Walk(member.value, std::move(inside));
    }
  }
  if (!pod.mounts.empty()) pods_.push_back(std::move(pod));
}

bool ContainerSpecs::Knows(std::string_view container) const {
  return std::ranges::find(containers_, container, &ContainerSpec::container) !=
         containers_.end();
}

std::optional<std::string> ContainerSpecs::LimitOf(
    std::string_view pod, std::string_view container,
    std::string_view resource) const {
  return OfPod(containers_, pod, {&ContainerSpec::limits, container, resource});
}

std::optional<std::string> ContainerSpecs::RequestOf(
    std::string_view pod, std::string_view container,
    std::string_view resource) const {
  return OfPod(containers_, pod,
               {&ContainerSpec::requests, container, resource});
}

std::optional<std::string> ContainerSpecs::TemplateLimitOf(
    std::string_view workload, std::string_view container,
    std::string_view resource) const {
  return OfTemplates(containers_, workload,
                     {&ContainerSpec::limits, container, resource});
}

std::optional<std::string> ContainerSpecs::TemplateRequestOf(
    std::string_view workload, std::string_view container,
    std::string_view resource) const {
  return OfTemplates(containers_, workload,
                     {&ContainerSpec::requests, container, resource});
}

std::optional<std::string> Multiply(std::string_view quantity, double factor) {
  const std::optional<Amount> amount = AmountOf(quantity);
  if (!amount.has_value()) return std::nullopt;
  const Unit& unit = *amount->unit;
  // The small term keeps 4 * 1.1 from becoming 4.41.
  double grown = std::ceil(amount->number * factor * 100 - 1e-6) / 100;
  if (unit.suffix.empty()) grown = std::ceil(grown);
  if (!unit.larger.empty() && grown >= unit.step &&
      std::fmod(grown, unit.step) == 0) {
    return Number(grown / unit.step) + std::string(unit.larger);
  }
  return Number(grown) + std::string(unit.suffix);
}

std::optional<double> QuantityValue(std::string_view quantity) {
  const std::optional<Amount> amount = AmountOf(quantity);
  if (!amount.has_value()) return std::nullopt;
  return amount->number * amount->unit->value;
}

std::optional<VolumeSpec> ContainerSpecs::VolumeAt(
    std::string_view pod, std::string_view container,
    std::string_view path) const {
  const PodSpec* found = nullptr;
  for (const PodSpec& spec : pods_) {
    if (found == nullptr || spec.object == pod) found = &spec;
    if (spec.object == pod) break;
  }
  if (found == nullptr) return std::nullopt;
  const Mount* closest = nullptr;
  for (const Mount& mount : found->mounts) {
    if (mount.container != container || !IsBelow(path, mount.path)) continue;
    if (closest == nullptr || mount.path.size() > closest->path.size()) {
      closest = &mount;
    }
  }
  if (closest == nullptr) return std::nullopt;
  for (const VolumeSpec& volume : found->volumes) {
    if (volume.name == closest->volume) return volume;
  }
  return std::nullopt;
}

}  // namespace mulligan::cli
