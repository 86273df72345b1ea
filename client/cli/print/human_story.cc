#include "client/cli/print/human_story.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "client/cli/base/utf8.h"
#include "client/cli/story/wording.h"

namespace mulligan::cli {
namespace {

// More attempts than these are summed up.
constexpr std::size_t kShownAttempts = 8;
// Columns of the table before the last, which takes what is left.
constexpr std::size_t kColumns = 5;
// A last column narrower than this goes to a line of its own.
constexpr std::size_t kLeastWidth = 24;

using Row = std::array<std::string, kColumns + 1>;

std::string ShortTime(const google::protobuf::Timestamp& time) {
  return absl::FormatTime("%m-%d %H:%M:%S",
                          absl::FromUnixSeconds(time.seconds()),
                          absl::UTCTimeZone());
}

Row AttemptRow(const Attempt& attempt) {
  return {absl::StrFormat("%s%d", attempt.at_hand ? ">" : " ", attempt.number),
          ShortTime(attempt.ended),
          attempt.ran_for ? FormatDuration(*attempt.ran_for) : "?",
          v1::Cause_Name(attempt.cause),
          Printable(attempt.paid_by),
          Printable(attempt.done)};
}

std::size_t WidthOf(const std::vector<Row>& rows, std::size_t column) {
  std::size_t width = 0;
  for (const Row& row : rows) {
    width = std::max(width, DisplayWidth(row[column]));
  }
  return width;
}

std::string Padded(const std::string& text, std::size_t width) {
  return text + std::string(width - std::min(width, DisplayWidth(text)), ' ');
}

void WriteRows(const std::vector<Row>& rows, const std::vector<bool>& marked,
               Layout& layout) {
  std::array<std::size_t, kColumns> widths{};
  std::size_t left = 1;
  for (std::size_t i = 0; i < kColumns; ++i) {
    widths[i] = WidthOf(rows, i);
    left += widths[i] + 2;
  }
  const bool own_line = left + kLeastWidth > layout.width();
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::string lead = " ";
    for (std::size_t i = 0; i < kColumns; ++i) {
      lead += Padded(rows[r][i], widths[i]) + "  ";
    }
    const Style style = r == 0      ? Style::kDim
                        : marked[r] ? Style::kBold
                                    : Style::kPlain;
    if (!own_line) {
      layout.Hanging(lead, rows[r][kColumns], style);
      continue;
    }
    lead.erase(lead.find_last_not_of(' ') + 1);
    layout.Line(lead, style);
    if (r > 0) {
      layout.Hanging(std::string(widths[0] + 3, ' ') + "-> ",
                     rows[r][kColumns]);
    }
  }
}

// "11 earlier: 9 CONTAINER_OOM, 2 SPOT_RECLAIMED".
std::string SumUp(const std::vector<Attempt>& attempts, std::size_t count) {
  std::vector<std::pair<v1::Cause, int>> causes;
  for (std::size_t i = 0; i < count; ++i) {
    const auto known = std::find_if(
        causes.begin(), causes.end(),
        [&](const auto& entry) { return entry.first == attempts[i].cause; });
    if (known == causes.end()) {
      causes.emplace_back(attempts[i].cause, 1);
    } else {
      ++known->second;
    }
  }
  std::string text = absl::StrFormat("%d earlier: ", count);
  for (const auto& [cause, number] : causes) {
    text += absl::StrFormat("%s%d %s", text.back() == ' ' ? "" : ", ", number,
                            v1::Cause_Name(cause));
  }
  return text;
}

void WriteAttempts(const Story& story, bool all, Layout& layout) {
  if (story.attempts.empty()) return;
  layout.BlankLine();
  const std::size_t hidden = all || story.attempts.size() <= kShownAttempts
                                 ? 0
                                 : story.attempts.size() - kShownAttempts;
  std::vector<Row> rows = {
      {" #", "Ended (UTC)", "Ran", "Cause", "Paid by", "Done about it"}};
  std::vector<bool> marked = {false};
  for (std::size_t i = hidden; i < story.attempts.size(); ++i) {
    rows.push_back(AttemptRow(story.attempts[i]));
    marked.push_back(story.attempts[i].at_hand && story.attempts.size() > 1);
  }
  WriteRows(rows, marked, layout);
  if (hidden > 0) layout.Paragraph(2, SumUp(story.attempts, hidden));
  if (story.dropped > 0) {
    layout.Paragraph(2, absl::StrFormat("%d older ones are no longer in the "
                                        "ledger",
                                        story.dropped));
  }
  if (!story.seeded_from.empty()) {
    layout.Paragraph(2, "Failures before the ledger: " + story.seeded_from);
  }
}

}  // namespace

Style VerdictStyle(v1::Decision::Action action) {
  switch (static_cast<int>(action)) {
    case v1::Decision::RETRY:
      return Style::kGreen;
    case v1::Decision::FAIL:
      return Style::kRed;
    case v1::Decision::WAIT:
    case v1::Decision::WAIT_FOR_SPEC_UPDATE:
      return Style::kYellow;
    default:
      return Style::kBold;
  }
}

void WriteStory(const Story& story, bool all, Layout& layout) {
  if (!story.headline.empty()) {
    layout.Paragraph(0, story.headline, Style::kBold);
    layout.BlankLine();
  }
  const auto fact = [&layout](std::string_view name, const std::string& text,
                              Style style = Style::kBold) {
    layout.Hanging(absl::StrFormat("  %-10s ", name), text, style);
  };
  fact("Workload", story.workload);
  fact("Do first", story.first_step);
  for (const Side& side : story.sides) {
    const bool counts = story.broken || !side.limit_name.empty();
    fact(side.who, side.verdict + (counts ? "; " + side.Price() : ""),
         VerdictStyle(side.action));
  }
  WriteAttempts(story, all, layout);
}

void WriteLedger(const LedgerNote& ledger, bool all, Layout& layout) {
  if (ledger.json.empty()) return;
  layout.BlankLine();
  layout.Line("Ledger", Style::kBold);
  layout.Paragraph(2, absl::StrFormat("%d bytes now; %s", ledger.json.size(),
                                      ledger.source.empty()
                                          ? "there was none before"
                                          : "the one before was read from " +
                                                ledger.source));
  if (ledger.command.empty()) return;
  if (all) {
    layout.Paragraph(2, "Keep it on the object, where it is found again:");
    layout.Line("  " + ledger.command);
    return;
  }
  const std::string command =
      ledger.command.substr(0, ledger.command.find('=') + 1);
  layout.Paragraph(2,
                   "Keep it on the object, where it is found again "
                   "(--explain=full shows the value):");
  layout.Line("  " + command + "...");
}

}  // namespace mulligan::cli
