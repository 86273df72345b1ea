// Parses flag values. The functions store the value and return "", or return
// the expected form.
#ifndef MULLIGAN_SERVER_OPTION_VALUES_H_
#define MULLIGAN_SERVER_OPTION_VALUES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/time/time.h"

namespace mulligan {

std::string ApplyBool(const std::string& value, bool& target);

// From 0 to ten minutes.
std::string ApplyDuration(const std::string& value, absl::Duration& target);

std::string ApplyBytes(const std::string& value, std::int64_t min,
                       std::int64_t max, std::int64_t& target);

// The same for counts.
std::string ApplyCount(const std::string& value, std::int64_t min,
                       std::int64_t max, std::int64_t& target);

// From 0 to 1.
std::string ApplyShare(const std::string& value, double& target);

// Names as in certificates, separated by commas.
std::string ApplyNames(const std::string& value,
                       std::vector<std::string>& names);

// Fields of DecisionRecord, separated by commas.
std::string ApplyRecordFields(const std::string& value,
                              std::vector<std::string>& paths);

}  // namespace mulligan

#endif  // MULLIGAN_SERVER_OPTION_VALUES_H_
