#include "client/cli/batch_json.h"

#include <string_view>
#include <utility>

#include "client/cli/json_text.h"
#include "client/cli/proto_json.h"

namespace mulligan::cli {
namespace {

bool ParseTogether(const std::vector<std::string>& json,
                   v1::BatchDecideRequest& batch) {
  std::string joined = R"({"requests":[)";
  for (const std::string& request : json) {
    joined += request;
    joined.push_back(',');
  }
  joined.back() = ']';
  joined.push_back('}');
  return ParseProtoJson(joined, batch).ok() &&
         static_cast<size_t>(batch.requests_size()) == json.size();
}

// The responses within the JSON of a whole batch; empty when it cannot be
// printed.
std::vector<absl::StatusOr<std::string>> PrintTogether(
    const v1::BatchDecideResponse& batch) {
  std::vector<absl::StatusOr<std::string>> responses;
  const absl::StatusOr<std::string> json =
      PrintProtoJson(batch, JsonLayout::kCompact);
  if (!json.ok()) return responses;
  for (const JsonMember& results : JsonMembers(*json)) {
    for (const std::string_view result : JsonItems(results.value)) {
      for (const JsonMember& response : JsonMembers(result)) {
        responses.emplace_back(std::string(response.value));
      }
    }
  }
  return responses;
}

}  // namespace

std::vector<absl::Status> ParseRequests(const std::vector<std::string>& json,
                                        v1::BatchDecideRequest& batch) {
  std::vector<absl::Status> statuses(json.size());
  if (json.size() > 1 && ParseTogether(json, batch)) return statuses;
  // One of them is at fault: find out which.
  batch.Clear();
  for (size_t i = 0; i < json.size(); ++i) {
    statuses[i] = ParseProtoJson(json[i], *batch.add_requests());
    if (!statuses[i].ok()) batch.mutable_requests()->RemoveLast();
  }
  return statuses;
}

std::vector<absl::StatusOr<std::string>> PrintResponses(
    const v1::BatchDecideResponse& batch) {
  std::vector<absl::StatusOr<std::string>> responses = PrintTogether(batch);
  if (responses.size() == static_cast<size_t>(batch.results_size())) {
    return responses;
  }
  responses.clear();
  for (const v1::BatchDecideResult& result : batch.results()) {
    absl::StatusOr<std::string> json =
        PrintProtoJson(result.response(), JsonLayout::kCompact);
    if (json.ok()) json->pop_back();
    responses.push_back(std::move(json));
  }
  return responses;
}

}  // namespace mulligan::cli
