// The playground: a page on which policies are tried. Without the HTTP around
// it.
#ifndef MULLIGAN_CLIENT_CLI_DESK_DESK_H_
#define MULLIGAN_CLIENT_CLI_DESK_DESK_H_

#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "client/cli/desk/door.h"
#include "client/cli/desk/log_shelf.h"
#include "client/cli/desk/question.h"
#include "policy/loader/read_files.h"

namespace mulligan::cli {

struct DeskSettings {
  // What the page begins with; at least one.
  std::vector<PolicyText> policies;
  // Suites, which are read anew each time they run.
  std::vector<std::string> suites;
  // Decisions to compare with; none without lines.
  ShelvedLog log;
};

// Answers the page. Writes no file. Safe to share.
class Desk {
 public:
  // Of one question. What is not decided by then is left out, and told.
  static constexpr absl::Duration kMostTime = absl::Seconds(5);

  explicit Desk(DeskSettings settings);

  // `page` and `method` as LetIn lets them in. 503: suites or logs are at work
  // already, ask again. 400, 404 and 405 have {"error": ...}.
  DeskAnswer Answer(std::string_view method, std::string_view page,
                    std::string body);

 private:
  // What the page begins with: policies, situations, suites and log.
  DeskAnswer Start() const;
  // Issues, story, price, rule and native verdict.
  DeskAnswer Try(const Question& question);
  // Results of the suites and of that on the page.
  DeskAnswer RunSuites(const Question& question);
  // The suite on the page with one more case.
  DeskAnswer Keep(const Question& question);
  // What changes over the log.
  DeskAnswer CompareLog(const Question& question);
  DeskAnswer TakeLog(const std::string& body);
  // A line of the log.
  DeskAnswer Record(const Question& question);

  const DeskSettings settings_;
  LogShelf shelf_;
  // One at a time of what takes long, so that others are answered.
  std::mutex suites_at_work_;
  std::mutex log_at_work_;
};

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_DESK_DESK_H_
