#include "policy/operators/jobset/creation.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_format.h"

namespace mulligan::jobset {

std::optional<Event> CreationFailedEvent(std::string_view kind,
                                         std::string_view name,
                                         std::string_view error) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 3>
      kReasons = {{{"Job", "JobCreationFailed"},
                   {"Service", "HeadlessServiceCreationFailed"},
                   {"PersistentVolumeClaim", "PVCCreationFailed"}}};
  for (const auto& [known, reason] : kReasons) {
    if (known != kind) continue;
    std::string message(error);
    if (kind == "Job" && !name.empty()) {
      message = absl::StrFormat("job \"%s\" creation failed with error: %s",
                                name, error);
    }
    return Event{"Warning", std::string(reason), std::move(message)};
  }
  return std::nullopt;
}

}  // namespace mulligan::jobset
