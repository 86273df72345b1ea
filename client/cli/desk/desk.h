// The playground, a page for trying policies, without HTTP.
#ifndef MULLIGAN_CLIENT_CLI_DESK_DESK_H_
#define MULLIGAN_CLIENT_CLI_DESK_DESK_H_

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "client/cli/desk/access.h"
#include "client/cli/desk/loaded_log.h"
#include "client/cli/desk/question.h"
#include "policy/loader/read_files.h"

namespace mulligan::cli {

struct DeskSettings {
  // The policies that the page begins with; at least one.
  std::vector<PolicyText> policies;
  // Suites, which are read again each time they run.
  std::vector<std::string> suites;
  // Decisions to compare with; may have no lines.
  LoadedLog log;
};

// Answers the page. Writes no file. Thread-safe.
class Desk {
 public:
  // The time for one question. The answer says which work was not done by then.
  static constexpr absl::Duration kMaxTime = absl::Seconds(5);

  explicit Desk(DeskSettings settings);

  // REQUIRES: CheckAccess() admits `page` and `method`. 503 means that another
  // question about suites or the log is in progress; retry. 400, 404 and 405
  // have
  // {"error": ...}.
  DeskAnswer Answer(std::string_view method, std::string_view page,
                    std::string body);

 private:
  // Returns policies, situations, suites and log.
  DeskAnswer Start() const;
  // Returns issues, story, price, rule and native verdict.
  DeskAnswer Try(const Question& question);
  // Returns the results of the suites, including the page's.
  DeskAnswer RunSuites(const Question& question);
  // Returns the page's suite with one more case.
  DeskAnswer Keep(const Question& question);
  // Returns what changes over the log.
  DeskAnswer CompareLog(const Question& question);
  DeskAnswer TakeLog(const std::string& body);
  // Returns a line of the log.
  DeskAnswer Record(const Question& question);

  // Returns the current log; null if there is none.
  std::shared_ptr<const LoadedLog> Log() const;

  const DeskSettings settings_;
  mutable std::mutex log_mutex_;
  std::shared_ptr<const LoadedLog> log_;  // guarded by log_mutex_
  // Limit slow work, so that other questions are answered.
  std::mutex suites_at_work_;
  std::mutex log_at_work_;
};

// The files of the page, embedded by client/cli/CMakeLists.txt:
// page/desk.html, desk.css (to follow the style sheet of all pages) and
// desk.js.
std::string_view DeskHtml();
std::string_view DeskStyle();
std::string_view DeskScript();

// [{"group": ..., "title": ..., "report": a FailureReport}]
std::string_view SituationsJson();

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_DESK_DESK_H_
