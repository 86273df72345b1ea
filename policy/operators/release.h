// Releases of operators, as policies name them.
#ifndef MULLIGAN_POLICY_OPERATORS_RELEASE_H_
#define MULLIGAN_POLICY_OPERATORS_RELEASE_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mulligan/v1/native.pb.h"

namespace mulligan {

// The minor number of a release of `major`, written "1.30", "v1.30" or
// "1.30.4"; nothing for anything else.
std::optional<int> MinorOf(std::string_view release, int major);

// The minor release of versions[`operator_name`]; `latest`, the newest one
// whose semantics are known here, when it is absent. What is no release, or a
// newer one, is `latest` too, and said in `warnings`.
int ChosenMinor(const v1::NativeSemantics& semantics,
                const std::string& operator_name, int major, int latest,
                std::vector<std::string>& warnings);

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_OPERATORS_RELEASE_H_
