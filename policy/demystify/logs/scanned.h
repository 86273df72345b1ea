// The searched parts of a log.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_LOGS_SCANNED_H_
#define MULLIGAN_POLICY_DEMYSTIFY_LOGS_SCANNED_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/container/inlined_vector.h"
#include "policy/base/pattern_allowance.h"
#include "policy/demystify/signatures/matching/text_table.h"

namespace mulligan::demystify {

// A match. `line` is a part of the log as reported.
struct LogFinding {
  const TextSignature* row = nullptr;
  std::string_view table;
  std::string_view line;
  // Offsets of the line in the searched text.
  std::size_t begin = 0;
  std::size_t end = 0;
  // Offset of the match in the line.
  std::size_t at = 0;
};

// Copies of a log's lines without prefixes, with lines of some roles blanked.
// Of a long log, only start and end are copied. Findings are parts of `log`.
class Scanned {
 public:
  // Charges `allowance` for reading; what it does not cover is skipped.
  Scanned(std::string_view log, PatternAllowance& allowance);

  // All lines, without advice.
  std::string_view all() const { return all_; }
  // Also without lines of low severity.
  std::string_view reports() const { return reports_; }
  bool has_chatter() const { return !chatter_.empty(); }

  // REQUIRES: `text` is one of the above, or a prefix of one.
  LogFinding Find(const TextTable& table, std::string_view text) const;

  // Returns whether the table matches anything in `text`.
  bool Knows(const TextTable& table, std::string_view text) const {
    return table.Find(text, nullptr, &allowance_) != nullptr;
  }

  // Returns the finding of `row` at a position.
  LogFinding FindAt(const TextSignature* row, std::size_t at) const;

 private:
  // A searched line: its offset, the line of the log, and its offset in that.
  struct Line {
    std::size_t at;
    std::string_view shown;
    std::size_t offset;
  };
  struct Part {
    std::size_t begin;
    std::size_t end;
  };

  void AddLines(std::size_t begin, std::size_t end);
  void AddLine(std::string_view line);
  // Adds a searched line: `part` of `shown`, with the searched `text`.
  void AddPart(std::string_view shown, std::string_view part,
               std::string_view text, bool is_chatter);

  std::string_view log_;
  PatternAllowance& allowance_;
  std::string all_;
  std::string reports_;
  absl::InlinedVector<Part, 8> chatter_;
  bool in_chatter_ = false;
  absl::InlinedVector<Line, 16> lines_;
};

}  // namespace mulligan::demystify

#endif  // MULLIGAN_POLICY_DEMYSTIFY_LOGS_SCANNED_H_
