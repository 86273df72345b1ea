#include <string>
#include <vector>

#include "client/cli/input/report_builder.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace mulligan::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(ListsOfOneTest, SingularFieldBecomesAList) {
  std::vector<std::string> warnings;
  EXPECT_EQ(ListsOfOne(R"({"requestId":"job","report": {"job" : {"a":"job"},)"
                       R"("exit":{}, "pod":{"metadata":{"name":"p"}}}})",
                       warnings),
            R"({"requestId":"job","report": {"jobs":[{"a":"job"}],)"
            R"("exit":{}, "pods":[{"metadata":{"name":"p"}}]}})");
  EXPECT_THAT(warnings, ElementsAre("report.job is read as report.jobs[0]",
                                    "report.pod is read as report.pods[0]"));
}

TEST(ListsOfOneTest, KeepsEverythingElse) {
  for (const char* const request :
       {R"({"report":{"jobs":[{}],"job":{}}})", R"({"report":{"job":"j"}})",
        R"({"report":{"job":null}})", R"({"report":{"jobSet":{}}})",
        R"({"report":{"warning":{}}})", R"({"job":{}})", R"({"report":[]})",
        R"({})"}) {
    std::vector<std::string> warnings;
    EXPECT_EQ(ListsOfOne(request, warnings), request);
    EXPECT_THAT(warnings, IsEmpty());
  }
}

}  // namespace
}  // namespace mulligan::cli
