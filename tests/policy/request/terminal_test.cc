// Terminal escapes are removed from logs in every field that holds one.
#include "policy/request/terminal.h"

#include <string>

#include "gtest/gtest.h"
#include "tests/policy/fixtures.h"
#include "tests/testing/proto_matchers.h"

namespace mulligan {
namespace {

using ::mulligan::testing::EqualsProto;

struct Holder {
  const char* name;
  // A report with `%` in the place of the log.
  const char* report;
};

constexpr Holder kLogs[] = {
    {"of the end",
     R"pb(pods {
            status {
              container_statuses { state { terminated { message: "%" } } }
            }
          })pb"},
    {"of the end before",
     R"pb(pods {
            status {
              container_statuses { last_state { terminated { message: "%" } } }
            }
          })pb"},
    {"of an init container",
     R"pb(pods {}
          pods {
            status {
              init_container_statuses { state { terminated { message: "%" } } }
            }
          })pb"},
    {"of an exit", R"pb(exit { exit_code: 1 message: "%" })pb"},
    {"that Ray quotes",
     R"pb(ray_job { status { job_status: "FAILED" message: "%" } })pb"},
};

v1::FailureReport With(const Holder& log, const std::string& text) {
  std::string report = log.report;
  report.replace(report.find('%'), 1, text);
  return testing::Parse<v1::FailureReport>(report);
}

TEST(Escapes, AreRemovedFromEveryLog) {
  for (const Holder& log : kLogs) {
    v1::FailureReport report =
        With(log, "\\x1b[36m(run pid=7)\\x1b[0m ValueError: x");
    EXPECT_TRUE(HasEscapes(report)) << log.name;
    RemoveEscapes(report);
    EXPECT_FALSE(HasEscapes(report)) << log.name;
    EXPECT_THAT(report, EqualsProto(With(log, "(run pid=7) ValueError: x")))
        << log.name;
  }
}

TEST(Escapes, AreNotInPlainLogs) {
  for (const Holder& log : kLogs) {
    EXPECT_FALSE(HasEscapes(With(log, "[31mValueError: x"))) << log.name;
  }
}

}  // namespace
}  // namespace mulligan
