#include "tests/client/command/samples.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "google/protobuf/util/json_util.h"
#include "gtest/gtest.h"
#include "tests/client/command/run_command.h"

namespace mulligan::testing {
namespace {

// Out of memory; the embedded policies retry it.
constexpr char kLoggedRequest[] =
    R"({"report":{"observedAt":"2026-11-20T12:00:00Z","pods":[{"metadata":)"
    R"({"name":"train-0","namespace":"ml","uid":"p-1"},"status":{"phase":)"
    R"("Failed","containerStatuses":[{"name":"main","state":{"terminated":)"
    R"({"exitCode":137,"reason":"OOMKilled","finishedAt":)"
    R"("2026-11-20T11:59:00Z"}}}]}}]}})";

}  // namespace

const char kOomPod[] = R"({"apiVersion":"v1","kind":"Pod",
  "metadata":{"name":"a","namespace":"n","uid":"u-1"},
  "spec":{"containers":[{"name":"main"}],"restartPolicy":"Never"},
  "status":{"phase":"Failed","containerStatuses":[{"name":"main","state":
    {"terminated":{"exitCode":137,"reason":"OOMKilled",
     "startedAt":"2026-01-31T07:00:00Z",
     "finishedAt":"2026-01-31T07:30:00Z"}}}]}})";

std::string CompactRequest() {
  std::string pod = kOomPod;
  pod.erase(std::remove(pod.begin(), pod.end(), '\n'), pod.end());
  return R"({"report":{"observedAt":"2026-01-31T08:00:00Z","pods":[)" + pod +
         R"(]},"requestId":"r","nosuch":1})";
}

std::string DecisionLog(int lines) {
  const CommandResult answer = RunMulligan({"explain", "--requests", "-"},
                                           absl::StrCat(kLoggedRequest, "\n"));
  std::string response = answer.out;
  response.pop_back();
  const std::string line =
      absl::StrCat(R"({"decidedAt":"2026-11-20T12:00:00Z","request":)",
                   kLoggedRequest, R"(,"response":)", response, "}\n");
  std::string log;
  for (int i = 0; i < lines; ++i) log += line;
  return log;
}

v1::DecideResponse ParseResponse(const std::string& json) {
  v1::DecideResponse response;
  EXPECT_TRUE(google::protobuf::util::JsonStringToMessage(json, &response).ok())
      << json;
  return response;
}

}  // namespace mulligan::testing
