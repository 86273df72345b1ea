// What is looked at of a log.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_LOGS_SCANNED_H_
#define MULLIGAN_POLICY_DEMYSTIFY_LOGS_SCANNED_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/container/inlined_vector.h"
#include "policy/base/pattern_allowance.h"
#include "policy/demystify/signatures/matching/text_table.h"

namespace mulligan::demystify {

// What was found where. `line` is a part of the log as it was reported.
struct LogFinding {
  const TextSignature* row = nullptr;
  std::string_view table;
  std::string_view line;
  // Where the line begins and ends, of what is looked at.
  std::size_t begin = 0;
  std::size_t end = 0;
  // Where in the line it was found.
  std::size_t at = 0;
};

// Copies of a log's lines without their heads, in which lines of some roles are
// blank. Of a long one its beginning and its end, each on lines of its own:
// nobody said what stands across the gap. Findings are parts of `log`.
class Scanned {
 public:
  // What reading it costs is taken from `allowance`: what that does not suffice
  // for is not looked at.
  Scanned(std::string_view log, PatternAllowance& allowance);

  // All but advice.
  std::string_view told() const { return told_; }
  // Without lines of low severity, too.
  std::string_view reports() const { return reports_; }
  bool has_chatter() const { return !chatter_.empty(); }

  // `text` is one of those above, or the beginning of one.
  LogFinding Find(const TextTable& table, std::string_view text) const;

  // Whether the table knows anything in `text`, whatever that is.
  bool Knows(const TextTable& table, std::string_view text) const {
    return table.Find(text, nullptr, &allowance_) != nullptr;
  }

  // The row found at a position.
  LogFinding FindAt(const TextSignature* row, std::size_t at) const;

 private:
  // A line of what is looked at: where it begins, the line of the log that
  // shows it, and how far in that it begins.
  struct Line {
    std::size_t at;
    std::string_view shown;
    std::size_t offset;
  };
  struct Part {
    std::size_t begin;
    std::size_t end;
  };

  // The lines of the log from `begin` to `end`.
  void AddLines(std::size_t begin, std::size_t end);
  // One of them, without its head.
  void AddLine(std::string_view line);
  // A line of what is looked at, `part` of `shown`, as it was `said`.
  void AddPart(std::string_view shown, std::string_view part,
               std::string_view said, bool is_chatter);

  std::string_view log_;
  PatternAllowance& allowance_;
  std::string told_;
  std::string reports_;
  absl::InlinedVector<Part, 8> chatter_;
  bool in_chatter_ = false;
  absl::InlinedVector<Line, 16> lines_;
};

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_LOGS_SCANNED_H_
