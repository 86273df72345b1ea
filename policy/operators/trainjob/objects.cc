#include "policy/operators/trainjob/objects.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "policy/operators/trainjob/conditions.h"

namespace mulligan::trainjob {
namespace {

constexpr std::size_t kMaxErrorLength = 950;
constexpr std::string_view kController =
    "trainer.kubeflow.org/trainjob-controller";

// Texts the builders of objects write, and no API server.
constexpr std::array<std::string_view, 7> kBuildTexts = {
    "invalid runtime snapshot",
    "unsupported runtime",
    "runtime info or object is missing",
    "TrainingRuntime specified in TrainJob is not found",
    "not found specified TrainingRuntime",
    "not found specified ClusterTrainingRuntime",
    "failed to build",
};

struct CreatedRow {
  Objects objects;
  std::string_view status;
  std::string_view reason;
  std::string_view message;
};

constexpr std::array<CreatedRow, 3> kCreatedRows = {{
    {Objects::kReady, kTrue, kJobsCreationSucceeded,
     "Succeeded to create Jobs"},
    {Objects::kBuildFailed, kFalse, kJobsBuildFailed, "Failed to build Jobs"},
    {Objects::kCreationFailed, kFalse, kJobsCreationFailed,
     "Failed to create Jobs"},
}};

bool IsContinuation(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

// The first `limit` characters of UTF-8 text.
std::string_view Characters(std::string_view text, std::size_t limit) {
  std::size_t characters = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (IsContinuation(text[i])) continue;
    if (++characters > limit) return text.substr(0, i);
  }
  return text;
}

std::string OrDefault(const std::string& text, std::string_view otherwise) {
  return text.empty() ? std::string(otherwise) : text;
}

}  // namespace

Objects ObjectsAfter(const v1::CreationError& error) {
  if (error.phase() == v1::CreationError::BUILD) return Objects::kBuildFailed;
  if (error.phase() == v1::CreationError::CREATE || error.http_code() != 0) {
    return Objects::kCreationFailed;
  }
  const bool built = std::none_of(
      kBuildTexts.begin(), kBuildTexts.end(), [&](std::string_view text) {
        return error.message().find(text) != std::string::npos;
      });
  return built ? Objects::kCreationFailed : Objects::kBuildFailed;
}

Condition CreatedCondition(Objects objects) {
  for (const CreatedRow& row : kCreatedRows) {
    if (row.objects == objects) {
      return MakeCondition(kCreated, row.status, row.reason, row.message);
    }
  }
  return Condition();
}

std::string ResourcesFailedMessage(std::string_view error) {
  const std::string_view cut = Characters(error, kMaxErrorLength);
  return absl::StrCat(
      "TrainJob resources reconciliation failed: ", std::string(cut),
      error.size() > kMaxErrorLength ? " ..." : "");
}

std::string RuntimeKindOf(const RuntimeRef& ref) {
  return absl::StrCat(OrDefault(ref.kind(), "ClusterTrainingRuntime"), ".",
                      OrDefault(ref.api_group(), kGroup));
}

bool IsRuntimeSupported(const RuntimeRef& ref) {
  const std::string kind = RuntimeKindOf(ref);
  return kind == "ClusterTrainingRuntime.trainer.kubeflow.org" ||
         kind == "TrainingRuntime.trainer.kubeflow.org";
}

bool IsManagedByOther(const TrainJobSpec& spec, const Version& version) {
  return !version.first_release && !spec.managed_by().empty() &&
         spec.managed_by() != kController;
}

}  // namespace mulligan::trainjob
