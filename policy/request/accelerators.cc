#include "policy/request/accelerators.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "absl/strings/str_cat.h"
#include "google/protobuf/struct.pb.h"
#include "policy/base/quantity.h"

namespace mulligan {
namespace {

namespace core = kubernetes::core::v1;

// Resource names of devices, after the vendor's prefix. A star stands for a
// suffix such as a slice size or a model. Network cards have other names.
constexpr std::string_view kDevices[] = {
    "gpu",        "gpu.shared", "mig-*", "tpu",          "neuron",
    "neuroncore", "gaudi",      "i915",  "neurondevice", "xe",
    "npu",        "Ascend*",    "vgpu*", "mlu*",         "dcu*",
};

std::int64_t Count(double number) {
  if (!std::isfinite(number)) return 0;
  return static_cast<std::int64_t>(
      std::clamp(number, 0.0, static_cast<double>(kMaxAcceleratorsPerPod)));
}

std::int64_t Count(std::string_view text) {
  return Count(QuantityValue(text).value_or(0));
}

std::int64_t Count(const core::Quantity& quantity) {
  return Count(quantity.string());
}

std::int64_t Count(const google::protobuf::Value& value) {
  if (value.kind_case() == google::protobuf::Value::kStringValue) {
    return Count(value.string_value());
  }
  return Count(value.number_value());
}

std::int64_t Sum(const auto& amounts) {
  std::int64_t sum = 0;
  for (const auto& [resource, amount] : amounts) {
    if (IsAccelerator(resource)) sum += Count(amount);
  }
  return sum;
}

// Requests and limits of an extended resource are equal, and either may be
// absent, as may the binary or the JSON form.
std::int64_t OfContainer(const core::Container& container) {
  if (!container.has_resources()) return 0;
  const core::ResourceRequirements& resources = container.resources();
  return std::max({Sum(resources.limits()), Sum(resources.requests()),
                   Sum(resources.limit_quantities()),
                   Sum(resources.request_quantities())});
}

}  // namespace

bool IsAccelerator(std::string_view resource) {
  const std::size_t slash = resource.find('/');
  if (slash == std::string_view::npos) return false;
  const std::string_view device = resource.substr(slash + 1);
  return std::ranges::any_of(kDevices, [device](std::string_view known) {
    if (known.back() != '*') return device == known;
    known.remove_suffix(1);
    return device.starts_with(known);
  });
}

std::int64_t AcceleratorsOf(const core::Pod& pod) {
  std::int64_t total = 0;
  for (const core::Container& container : pod.spec().containers()) {
    total += OfContainer(container);
  }
  for (const core::Container& container : pod.spec().init_containers()) {
    total = std::max(total, OfContainer(container));
  }
  return std::min(total, kMaxAcceleratorsPerPod);
}

}  // namespace mulligan
