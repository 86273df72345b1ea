#include "client/cli/replay/replay_html.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/cli/print/html_page.h"
#include "client/cli/print/html_parts.h"
#include "client/cli/replay/replay_plots.h"
#include "client/cli/replay/replay_text.h"

namespace mulligan::cli {
namespace {

std::string Section(std::string_view title, const std::string& body,
                    std::string_view legend = "") {
  if (body.empty()) return "";
  return absl::StrFormat(
      "<section>\n<h2>%s</h2>\n%s%s</section>\n", title, body,
      legend.empty() ? ""
                     : absl::StrFormat("<p class=\"legend\">%s</p>\n", legend));
}

std::string Fact(std::string_view name, const std::string& value) {
  return absl::StrFormat("<div><dt>%s</dt><dd>%s</dd></div>\n", name, value);
}

std::string Head(const ReplayResult& result, std::string_view policies) {
  const Count changed = result.all.changed();
  std::string html = absl::StrFormat(
      "<header class=\"story\">\n<p class=\"eyebrow\">Replay under %s</p>\n"
      "<h1>%s of %s decisions would change (%s)</h1>\n"
      "<dl class=\"facts\">\n",
      Escaped(policies), WithCommas(changed), WithCommas(result.all.decisions),
      Percent(changed, result.all.decisions));
  absl::StrAppend(
      &html,
      Fact("Revision",
           absl::StrCat("<code>", Escaped(result.revision), "</code>")),
      Fact("Would have no answer", WithCommas(result.no_answer)),
      Fact("Blanked in part", WithCommas(result.redacted)),
      Fact("Lines not readable", WithCommas(result.bad_lines)));
  return html + "</dl>\n</header>\n";
}

// What changes, as rows of a table.
std::string CountTable(const std::map<std::string, Count>& counts,
                       std::string_view title) {
  if (counts.empty()) return "";
  std::string html = absl::StrFormat(
      "<table><thead><tr><th>%s</th><th>Decisions</th></tr></thead>\n<tbody>\n",
      title);
  for (const auto& [name, count] : MostFirst(counts)) {
    absl::StrAppendFormat(&html,
                          "<tr><td>%s</td><td class=\"number\">%s</td></tr>\n",
                          Escaped(name), WithCommas(count));
  }
  return html + "</tbody></table>\n";
}

std::string ExampleList(const ReplayResult& result) {
  std::string html;
  for (const auto& [place, example] : result.examples.all()) {
    absl::StrAppendFormat(
        &html,
        "<li><b>%s</b>: %s<br/><span class=\"soft\">was</span> %s<br/>"
        "<span class=\"soft\">now</span> %s<br/>"
        "<code>%s</code> <code>%s</code></li>\n",
        Escaped(example.workload), Escaped(example.change),
        Escaped(example.recorded), Escaped(example.replayed),
        Escaped(example.decision_id), Escaped(place.Text()));
  }
  return html.empty() ? html : absl::StrCat("<ol>\n", html, "</ol>\n");
}

std::string BadList(const ReplayResult& result) {
  std::string html;
  for (const auto& [place, why] : result.bad.all()) {
    absl::StrAppendFormat(&html, "<li><code>%s</code>: %s</li>\n",
                          Escaped(place.Text()), Escaped(why));
  }
  return html.empty() ? html : absl::StrCat("<ul>\n", html, "</ul>\n");
}

}  // namespace

std::string ReplayHtml(const ReplayResult& result, std::string_view policies) {
  constexpr std::string_view kLegend =
      "<span class=\"key changed\"></span> would change "
      "<span class=\"key all\"></span> stay as they are";
  std::string html = absl::StrCat("<article>\n", Head(result, policies));
  absl::StrAppend(
      &html, Section("What changes", CountTable(result.all.changes, "Change")),
      Section("In what they differ",
              CountTable(result.differences, "Difference"),
              "One decision may differ in several."),
      Section("By day", DayPlot(result.by_day), kLegend));
  absl::StrAppend(
      &html,
      Section("By cause", SharePlot(result.by_cause, "Changes by cause"),
              kLegend),
      Section("By policy", SharePlot(result.by_policy, "Changes by policy"),
              kLegend),
      Section("By kind", SharePlot(result.by_kind, "Changes by kind"),
              kLegend));
  absl::StrAppend(
      &html,
      Section("Who pays", BudgetPlot(result.budgets),
              "<span class=\"key all\"></span> was charged "
              "<span class=\"key changed\"></span> would be charged"),
      Section("The first that change", ExampleList(result)),
      Section("Lines that could not be read", BadList(result)));
  return HtmlDocument("What the policies would have decided",
                      html + "</article>\n");
}

}  // namespace mulligan::cli
