#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/cli/base/utf8.h"
#include "client/cli/replay/replay_output.h"

namespace mulligan::cli {
namespace {

constexpr std::size_t kMostTableRows = 20;
constexpr std::size_t kMostChanges = 3;
constexpr std::size_t kMostExamples = 5;

std::string Padded(std::string_view text, std::size_t width) {
  std::string padded = Printable(text);
  const std::size_t columns = DisplayWidth(padded);
  if (columns < width) padded.append(width - columns, ' ');
  return padded;
}

std::string ChangesText(const Tally& tally) {
  std::string text;
  std::size_t shown = 0;
  for (const auto& [change, count] : MostFirst(tally.changes)) {
    if (shown++ == kMostChanges) return text + ", ...";
    absl::StrAppend(&text, text.empty() ? "" : ", ", change, " ",
                    WithCommas(count));
  }
  return text;
}

template <typename Rows>
std::size_t NameWidth(const Rows& rows, std::size_t least) {
  std::size_t width = least;
  for (const auto& row : rows) {
    width = std::max(width, DisplayWidth(Printable(row.first)));
  }
  return std::min<std::size_t>(width, 40);
}

std::string TallyTable(std::string_view title, const Tallies& tallies) {
  const auto rows = MostChangedFirst(tallies);
  const std::size_t width = NameWidth(rows, title.size());
  std::string text =
      absl::StrCat("\n", Padded(title, width), "  DECISIONS    CHANGED\n");
  std::size_t shown = 0;
  for (const auto& [name, tally] : rows) {
    if (shown++ == kMostTableRows) {
      absl::StrAppendFormat(&text, "and %d more\n",
                            rows.size() - kMostTableRows);
      break;
    }
    const Count changed = tally.changed();
    absl::StrAppendFormat(&text, "%s %10s %10s", Padded(name, width),
                          WithCommas(tally.decisions), WithCommas(changed));
    if (changed > 0) {
      absl::StrAppendFormat(&text, " %7s  %s",
                            Percent(changed, tally.decisions),
                            ChangesText(tally));
    }
    text += '\n';
  }
  return text;
}

std::string BudgetTable(const std::map<std::string, Charges>& budgets) {
  if (budgets.empty()) return "";
  const std::size_t width = NameWidth(budgets, 6);
  std::string text =
      absl::StrCat("\n", Padded("BUDGET", width), "    CHARGED   WOULD BE\n");
  for (const auto& [name, charges] : budgets) {
    absl::StrAppendFormat(&text, "%s %10s %10s\n", Padded(name, width),
                          WithCommas(charges.recorded),
                          WithCommas(charges.replayed));
  }
  return text;
}

std::string DifferenceLine(const ReplayResult& result) {
  std::string text;
  for (const auto& [name, count] : MostFirst(result.differences)) {
    absl::StrAppend(&text, text.empty() ? "Differing in: " : ", ", name, " ",
                    WithCommas(count));
  }
  return text.empty() ? text : text + "\n";
}

std::string ExampleLines(const ReplayResult& result) {
  std::string text;
  std::size_t shown = 0;
  for (const auto& [place, example] : result.examples.all()) {
    if (shown++ == kMostExamples) break;
    absl::StrAppend(&text, "\n", Printable(place.Text()), ", ",
                    Printable(example.workload), ": ", example.change,
                    "\n  was  ", Printable(example.recorded), "\n  now  ",
                    Printable(example.replayed), "\n");
  }
  return text;
}

std::string BadLines(const ReplayResult& result) {
  if (result.bad_lines == 0) return "";
  std::string text = absl::StrCat("\n", WithCommas(result.bad_lines),
                                  result.bad_lines == 1 ? " line" : " lines",
                                  " could not be read:\n");
  for (const auto& [place, why] : result.bad.all()) {
    absl::StrAppend(&text, "  ", Printable(place.Text()), ": ", Printable(why),
                    "\n");
  }
  return text;
}

std::string Notes(const ReplayResult& result) {
  std::string text;
  if (result.redacted > 0) {
    absl::StrAppend(&text, WithCommas(result.redacted),
                    " of them have blanked fields and may differ for that "
                    "alone.\n");
  }
  if (result.no_answer > 0) {
    absl::StrAppend(&text, WithCommas(result.no_answer),
                    " would have no answer.\n");
  }
  return text;
}

}  // namespace

std::string WithCommas(Count count) {
  std::string digits = absl::StrCat(count);
  for (std::size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, ",");
  }
  return digits;
}

std::string Percent(Count part, Count whole) {
  if (part == 0 || whole == 0) return "0 %";
  const double share =
      100.0 * static_cast<double>(part) / static_cast<double>(whole);
  return share < 0.1 ? "<0.1 %" : absl::StrFormat("%.1f %%", share);
}

std::vector<std::pair<std::string, Tally>> MostChangedFirst(
    const Tallies& tallies) {
  std::vector<std::pair<std::string, Tally>> rows(tallies.all().begin(),
                                                  tallies.all().end());
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    return std::pair(a.second.changed(), a.second.decisions) >
           std::pair(b.second.changed(), b.second.decisions);
  });
  return rows;
}

std::vector<std::pair<std::string, Count>> MostFirst(
    const std::map<std::string, Count>& counts) {
  std::vector<std::pair<std::string, Count>> rows(counts.begin(), counts.end());
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    return a.second > b.second;
  });
  return rows;
}

std::string ReplayText(const ReplayResult& result, std::string_view policies) {
  const Count changed = result.all.changed();
  std::string text = absl::StrFormat(
      "%s decisions replayed under %s (revision %s)\n%s would change (%s)\n",
      WithCommas(result.all.decisions), Printable(policies),
      Printable(result.revision), WithCommas(changed),
      Percent(changed, result.all.decisions));
  absl::StrAppend(&text, Notes(result));
  if (result.all.decisions > 0) {
    absl::StrAppend(&text, DifferenceLine(result),
                    TallyTable("CAUSE", result.by_cause),
                    TallyTable("POLICY", result.by_policy),
                    TallyTable("KIND", result.by_kind));
    absl::StrAppend(&text, BudgetTable(result.budgets), ExampleLines(result));
  }
  return text + BadLines(result);
}

}  // namespace mulligan::cli
