// Strict parsing of one YAML scalar. Errors say what was found and what was
// expected. Nothing is guessed, rounded or wrapped.
#ifndef MULLIGAN_POLICY_LOADER_YAML_SCALAR_H_
#define MULLIGAN_POLICY_LOADER_YAML_SCALAR_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/duration.pb.h"
#include "google/protobuf/message.h"
#include "policy/loader/yaml_tree.h"

namespace mulligan {

// REQUIRES, for all: the node is a scalar.

// Refuses unquoted text that YAML may take for a number, boolean or null.
absl::StatusOr<std::string> ReadString(const YamlNode& node);

// `true` or `false`; not yes, on, True or "true".
absl::StatusOr<bool> ReadBool(const YamlNode& node);

// Decimal digits without leading zeros, from `min` to `max`.
absl::StatusOr<int64_t> ReadInteger(const YamlNode& node, int64_t min,
                                    int64_t max);

// As ReadInteger, from 0 to `max`.
absl::StatusOr<uint64_t> ReadUnsigned(const YamlNode& node, uint64_t max);

// A finite decimal number such as 2, 1.5 or 1e3.
absl::StatusOr<double> ReadDouble(const YamlNode& node);

// Whole numbers with units d, h, m, s, ms, largest first: "90s", "1m30s",
// "7d". Not negative, at most 3650d.
absl::StatusOr<google::protobuf::Duration> ReadDuration(const YamlNode& node);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_LOADER_YAML_SCALAR_H_
