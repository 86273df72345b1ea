#include "tests/client/command/samples.h"

#include <algorithm>

#include "google/protobuf/util/json_util.h"
#include "gtest/gtest.h"

namespace mulligan::testing {

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

v1::DecideResponse ParseResponse(const std::string& json) {
  v1::DecideResponse response;
  EXPECT_TRUE(google::protobuf::util::JsonStringToMessage(json, &response).ok())
      << json;
  return response;
}

}  // namespace mulligan::testing
