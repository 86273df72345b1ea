#include "client/cli/print/html.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "client/cli/base/numbers.h"
#include "client/cli/base/utf8.h"
#include "client/cli/print/human.h"
#include "client/cli/story/story.h"
#include "client/cli/story/wording.h"
#include "policy/base/utf8.h"

namespace mulligan::cli {
namespace {

// Longer names may be broken over lines.
constexpr std::size_t kShortName = 20;

std::string Markup(const std::string& visible) {
  return absl::StrReplaceAll(visible, {{"&", "&amp;"},
                                       {"<", "&lt;"},
                                       {">", "&gt;"},
                                       {"\"", "&quot;"},
                                       {"'", "&#39;"}});
}

// Escapes a line of a file and keeps its indentation.
std::string EscapedLine(std::string_view line) {
  std::string text(line);
  std::replace(text.begin(), text.end(), '\t', ' ');
  while (!text.empty() && text.back() == '\r') text.pop_back();
  return Markup(Visible(text));
}

std::string Cell(std::string_view name, const std::string& html,
                 std::string_view style = "") {
  return absl::StrFormat(
      "<td data-name=\"%s\"%s><span>%s</span></td>", name,
      style.empty() ? "" : absl::StrFormat(" class=\"%s\"", style), html);
}

std::string Code(std::string_view text) {
  return absl::StrFormat("<code>%s</code>", Escaped(text));
}

// Returns `html` below a drawing or a table.
template <typename... Html>
std::string Remark(const Html&... html) {
  return absl::StrCat("<p class=\"legend\">", html..., "</p>\n");
}

std::string List(std::string_view title,
                 const std::vector<std::string>& items) {
  if (items.empty()) return "";
  return absl::StrFormat("<h3>%s</h3>\n%s", title, HtmlList(items));
}

std::string Card(const Side& side) {
  std::string html = absl::StrFormat(
      "<div class=\"card\"><p class=\"soft\">%s</p>"
      "<p class=\"verdict %s\">%s</p><p>%s</p>",
      Escaped(side.who), LookOf(side.action).html_class, Escaped(side.verdict),
      Escaped(side.Price()));
  if (!side.message.empty()) {
    absl::StrAppend(&html, "<p class=\"soft\">", Escaped(side.message), "</p>");
  }
  return html + "</div>\n";
}

std::string BudgetRow(const v1::BudgetState& budget,
                      const v1::Accounting& accounting) {
  const bool paid =
      accounting.units() > 0 && budget.name() == accounting.charged_to();
  const bool exhausted = accounting.has_exhaustion() &&
                         accounting.exhaustion().budget() == budget.name();
  std::string notes;
  if (paid) absl::StrAppend(&notes, ", charged ", accounting.units());
  const auto refund = accounting.refunds().find(budget.name());
  if (refund != accounting.refunds().end()) {
    absl::StrAppend(&notes, ", refunded ", refund->second);
  }
  if (exhausted) notes += ", used up";
  if (budget.has_window_ends_at()) {
    absl::StrAppend(&notes, ", resets ", DayAndTime(budget.window_ends_at()),
                    " UTC");
  }
  if (budget.limit_source() != 0) {
    absl::StrAppend(&notes, ", limit ", LimitSourceText(budget.limit_source()));
  }
  const int share = budget.limit() <= 0
                        ? (budget.used() > 0 ? 100 : 0)
                        : std::min(100, static_cast<int>(100.0 * budget.used() /
                                                         budget.limit()));
  return absl::StrFormat(
      "<div class=\"budget%s%s\"><span>%s</span><span class=\"track\">"
      "<span class=\"used\" style=\"width: %d%%\"></span></span>"
      "<span>%d of %d<span class=\"soft\">%s</span></span></div>\n",
      paid ? " paid" : "", exhausted ? " exhausted" : "",
      Escaped(budget.name()), share, budget.used(), budget.limit(), notes);
}

std::string EndText(const Attempt& attempt) {
  if (!attempt.no_end.empty()) return attempt.no_end;
  return DayAndTime(attempt.ended) + (attempt.observed ? " (seen)" : "");
}

// Returns the meaning of the marks in the drawing.
std::string Legend(const Timeline& members) {
  const auto any = [&members](auto holds) {
    return std::ranges::any_of(members.lanes, holds);
  };
  using Role = Lane::Role;
  const std::pair<bool, const char*> marks[] = {
      {any([](const Lane& lane) { return lane.role == Role::kRoot; }),
       "Solid red: where it began. "},
      {any([](const Lane& lane) { return lane.role == Role::kCascade; }),
       "Dashed red: died because of it, not charged. "},
      {any([](const Lane& lane) { return !lane.disruptions.empty(); }),
       "Diamond: a disruption was announced. "},
      {any([](const Lane& lane) { return lane.open; }),
       "A bar without a stroke at its end goes on. "},
      {!members.events.empty(), "Numbers: events. "}};
  std::string legend;
  for (const auto& [is_drawn, meaning] : marks) {
    if (is_drawn) legend += meaning;
  }
  return legend + "All times are UTC.";
}

std::string VerdictCards(const AnswerView& view) {
  std::string body = "<div class=\"cards\">\n";
  for (const Side& side : view.story.sides) body += Card(side);
  body += "</div>\n";
  if (view.response.has_native()) {
    const v1::NativeVerdict& native = view.response.native();
    const std::string difference = native.difference().empty()
                                       ? "Both decide the same"
                                       : Escaped(native.difference());
    body += Remark(difference, ". The operator as of ",
                   Escaped(native.semantics()), ".");
  }
  return HtmlSection("What is done about it", body, "", "verdicts");
}

std::string AttemptTable(const Story& story) {
  if (story.attempts.empty()) return "";
  std::string body =
      "<table class=\"stack\"><thead><tr><th>#</th><th>Ended (UTC)</th>"
      "<th>Ran</th><th>Cause</th><th>Node</th><th>Paid by</th>"
      "<th>Done about it</th></tr></thead>\n<tbody>\n";
  for (const Attempt& attempt : story.attempts) {
    absl::StrAppend(
        &body, attempt.is_current ? "<tr class=\"now\">" : "<tr>",
        Cell("#", absl::StrCat(attempt.number), "tight"),
        Cell("Ended", EndText(attempt), "time"),
        Cell("Ran", attempt.ran_for ? FormatDuration(*attempt.ran_for) : "?",
             "tight"),
        Cell("Cause", Code(v1::Cause_Name(attempt.cause))),
        Cell("Node", Escaped(attempt.node.empty() ? "?" : attempt.node),
             attempt.node.size() <= kShortName ? "tight" : ""),
        Cell("Paid by", Escaped(attempt.paid_by), "tight"),
        Cell("Done", Escaped(attempt.done)), "</tr>\n");
  }
  body += "</tbody></table>\n";
  if (story.dropped > 0) {
    body += Remark(story.dropped, " older ones are no longer in the ledger.");
  }
  if (!story.seeded_from.empty()) {
    body += Remark("Failures before the ledger: ", Escaped(story.seeded_from));
  }
  return HtmlSection("Attempts", body, "", "attempts");
}

std::string TimelineSection(const AnswerView& view) {
  std::string body;
  const Timeline attempts = AttemptTimeline(view.story);
  const Timeline members =
      MemberTimeline(view.report, view.response.diagnosis());
  const auto add = [&body](const Timeline& timeline, const char* title) {
    const std::string svg = TimelineSvg(timeline, title);
    if (svg.empty()) return;
    absl::StrAppend(&body, "<h3>", title, "</h3>\n", svg);
    if (timeline.hidden > 0) {
      body += Remark(timeline.hidden, " more are not shown.");
    }
  };
  add(attempts, "All attempts");
  add(members, "Members and events");
  add(ZoomToEnd(members), "The end, closer");
  if (!members.lanes.empty()) body += Remark(Legend(members));
  if (!members.events.empty()) {
    body += "<ol class=\"events\">\n";
    for (const Moment& event : members.events) {
      absl::StrAppend(&body, "<li><span class=\"soft\">",
                      UtcText("%H:%M:%S", event.at), "</span> ",
                      Escaped(event.text), "</li>\n");
    }
    body += "</ol>\n";
    if (members.hidden_events > 0) {
      body += Remark(members.hidden_events,
                     " more events are not shown: warnings come first, then "
                     "the latest.");
    }
  }
  return HtmlSection("Time line", body, "", "times");
}

std::string PlaceOf(const v1::Evidence& evidence) {
  std::string place = Code(evidence.path());
  if (!evidence.object().empty()) {
    absl::StrAppend(&place, " of ", Escaped(evidence.object()));
  }
  return place;
}

std::string EvidenceItem(const EvidenceGroup& group) {
  const v1::Evidence& evidence = *group.first;
  std::string item = "<li><p>";
  if (!evidence.value().empty()) {
    absl::StrAppend(&item, "<b>", Escaped(evidence.value()), "</b> ");
  }
  absl::StrAppend(&item, Escaped(evidence.meaning()), "</p>");
  absl::StrAppend(&item, "<p class=\"soft\">", PlaceOf(evidence));
  for (const v1::Evidence* repeat : group.repeats) {
    absl::StrAppend(&item, ", ", PlaceOf(*repeat));
  }
  if (!evidence.overrode().empty()) {
    absl::StrAppend(&item, "; overrides ", Escaped(evidence.overrode()));
  }
  return item + "</p></li>\n";
}

std::string EvidenceSection(const AnswerView& view) {
  std::string body;
  for (const EvidenceGroup& group : EvidenceOf(view.response.diagnosis())) {
    body += EvidenceItem(group);
  }
  if (body.empty()) return "";
  body = "<ol class=\"evidence\">\n" + body;
  return HtmlSection("Evidence, heaviest first", body + "</ol>\n", "",
                     "evidence-list");
}

std::string BudgetSection(const v1::Accounting& accounting) {
  std::string body;
  std::string untouched;
  for (const v1::BudgetState& budget : accounting.budgets()) {
    if (budget.used() > 0 || budget.used_before() > 0) {
      body += BudgetRow(budget, accounting);
    } else {
      absl::StrAppend(&untouched, untouched.empty() ? "" : ", ",
                      Escaped(budget.name()), "&#160;", budget.limit());
    }
  }
  if (!untouched.empty()) body += Remark("Untouched: ", untouched);
  if (accounting.max_attempts() > 0) {
    body += Remark("Attempt ", accounting.attempts(), " of at most ",
                   accounting.max_attempts(), ".");
  }
  return HtmlSection("Budgets: failures tolerated", body, "", "budgets");
}

std::string RuleSection(const AnswerView& view) {
  const v1::Explanation& explanation = view.response.explanation();
  const v1::RuleReference& rule = explanation.matched_rule();
  if (rule.policy().empty()) return "";
  std::string body = absl::StrFormat("<p>Policy %s", Code(rule.policy()));
  if (!rule.rule().empty()) {
    absl::StrAppend(&body, ", rule ", Code(rule.rule()));
  } else if (const std::string decided = DecidedText(explanation.decided_by());
             !decided.empty()) {
    absl::StrAppend(&body, ", ", Escaped(decided));
  }
  const std::string place = RulePlace(rule);
  if (!place.empty()) absl::StrAppend(&body, ", ", Code(place));
  body += "</p>\n";
  if (!view.rule.lines.empty()) {
    body += "<pre>";
    int number = view.rule.first;
    for (const std::string& line : view.rule.lines) {
      absl::StrAppend(&body, absl::StrFormat("<i>%4d  </i>", number++),
                      EscapedLine(line), "\n");
    }
    body += "</pre>\n";
  }
  return HtmlSection("The rule that decided", body, "", "rule");
}

std::string ReasoningSection(const v1::DecideResponse& response) {
  std::vector<std::string> ruled_out;
  std::vector<std::string> open;
  for (const Rejected& cause : RejectedCauses(response.diagnosis())) {
    (cause.open ? open : ruled_out)
        .push_back(Code(cause.name) + " " + Escaped(cause.why));
  }
  std::vector<std::string> changes;
  for (const auto& other : response.explanation().counterfactuals()) {
    changes.push_back(absl::StrCat("If ", Escaped(other.change()), ": ",
                                   Escaped(other.verdict())));
  }
  std::vector<std::string> needed;
  for (const auto& evidence : response.diagnosis().needed_evidence()) {
    needed.push_back(
        absl::StrCat(Code(evidence.what()), " ", Escaped(evidence.why())));
  }
  return HtmlSection("What else was considered",
                     List("Ruled out", ruled_out) +
                         List("Possible still", open) +
                         List("What would change the verdict", changes) +
                         List("What would raise the confidence", needed),
                     "", "reasoning");
}

std::string SeparateSection(const v1::DecideResponse& response) {
  std::vector<std::string> sentences;
  for (const v1::SeparateFailure& separate : response.separate()) {
    sentences.push_back(Escaped(separate.decision().sentence()));
  }
  return HtmlSection("Other failures, decided separately", HtmlList(sentences),
                     "", "separate");
}

std::string WarningSection(const v1::DecideResponse& response) {
  std::vector<std::string> warnings;
  for (const std::string& warning : response.warnings()) {
    warnings.push_back(Escaped(warning));
  }
  return HtmlSection("Warnings", HtmlList(warnings), "", "warnings");
}

std::string LedgerSection(const LedgerNote& ledger) {
  if (ledger.json.empty()) return "";
  std::string body = absl::StrFormat(
      "<p>%d bytes now; %s.</p>\n", ledger.json.size(),
      ledger.source.empty()
          ? "there was none before"
          : "the one before was read from " + Escaped(ledger.source));
  absl::StrAppend(
      &body, "<details><summary>",
      ledger.command.empty() ? "The ledger" : "Store it on the object",
      "</summary><pre class=\"wrap\">",
      EscapedLine(ledger.command.empty() ? ledger.json : ledger.command),
      "</pre></details>\n");
  return HtmlSection("Ledger", body, "", "ledger");
}

std::string CauseFact(const v1::Diagnosis& diagnosis) {
  std::string html = absl::StrFormat(
      "<code>%s</code><br/><span class=\"soft\">%s</span>",
      v1::Cause_Name(diagnosis.cause()),
      Escaped(
          Words(v1::Diagnosis::FaultDomain_Name(diagnosis.fault_domain()))));
  if (diagnosis.derived_cause() != v1::DERIVED_CAUSE_UNSPECIFIED) {
    absl::StrAppend(&html, "<br/>and <code>",
                    v1::DerivedCause_Name(diagnosis.derived_cause()),
                    "</code>: ", Escaped(diagnosis.derived_reason()));
  }
  return html;
}

std::string WhereFact(const v1::Diagnosis& diagnosis) {
  const v1::Culprit& culprit = diagnosis.culprit();
  std::string html;
  const auto add = [&html](std::string_view what, const std::string& name) {
    if (name.empty()) return;
    absl::StrAppend(&html, html.empty() ? "" : "<br/>", std::string(what), " ",
                    Escaped(name));
  };
  add(Escaped(culprit.kind()), culprit.name());
  add("pod", culprit.pod());
  add("container", culprit.container());
  add("node", culprit.node());
  return html;
}

std::string FactLine(const AnswerView& view) {
  const v1::Diagnosis& diagnosis = view.response.diagnosis();
  std::string html = "<dl class=\"facts\">\n";
  absl::StrAppend(
      &html, Fact("Cause", CauseFact(diagnosis)),
      Fact("Where", WhereFact(diagnosis)),
      Fact("How sure", std::string(ConfidenceText(diagnosis.confidence()))));
  html += Fact("Would it work unchanged?", Escaped(OutlookText(diagnosis)));
  if (diagnosis.has_exit_code()) {
    html += Fact("Exit code", absl::StrCat(diagnosis.exit_code()));
  }
  if (diagnosis.has_finished_at()) {
    html += Fact("Ended", DayAndTime(diagnosis.finished_at()) + " UTC");
  }
  html += Fact("Ladder",
               Escaped(LadderText(view.response.decision().escalation())));
  html +=
      Fact("At stake", Escaped(StakeText(view.response.accounting().stake())));
  if (diagnosis.cascades_size() > 0) {
    html += Fact(
        "Died because of it",
        absl::StrFormat("%d members, not charged", diagnosis.cascades_size()) +
            (view.story.cascade_message.empty()
                 ? ""
                 : "; " + Escaped(view.story.cascade_message)));
  }
  html += Fact("Restarts", Escaped(view.story.restarts));
  return html + "</dl>\n";
}

std::string NameOf(const Story& story) {
  return story.workload.empty() ? "the workload" : story.workload;
}

std::string Article(const AnswerView& view, int number) {
  const Story& story = view.story;
  std::string html = absl::StrFormat(
      "<article id=\"w%d\">\n<header class=\"story\">\n"
      "<p class=\"eyebrow\">%s%s</p>\n<h1>%s</h1>\n",
      number, story.broken ? "Why it stopped: " : "", Escaped(NameOf(story)),
      Escaped(story.headline));
  if (!story.stop_command.empty()) {
    absl::StrAppend(&html, "<p class=\"first\"><b>Stop it</b><code>",
                    Escaped(story.stop_command), "</code></p>\n");
  }
  if (!story.first_step.empty()) {
    absl::StrAppend(&html, "<p class=\"first\"><b>Do first</b>",
                    Escaped(story.first_step), "</p>\n");
  }
  absl::StrAppend(&html, FactLine(view), "</header>\n", VerdictCards(view),
                  AttemptTable(story), SeparateSection(view.response),
                  WarningSection(view.response));
  absl::StrAppend(&html, TimelineSection(view), EvidenceSection(view),
                  BudgetSection(view.response.accounting()), RuleSection(view),
                  ReasoningSection(view.response), LedgerSection(story.ledger));
  return html + "</article>\n";
}

std::string Footer(const v1::DecideResponse& response) {
  return absl::StrFormat(
      "<footer>Mulligan, decision %s, policy %s, revision %s</footer>\n",
      Escaped(response.decision_id()), Escaped(response.policy().name()),
      Escaped(response.policy().revision()));
}

// The most articles on a page; no one reads hundreds.
constexpr int kMaxInFull = 50;

std::string OverviewRow(const WorkloadAnswer& answer, int target) {
  std::string name = Escaped(answer.workload);
  if (target > 0) {
    name = absl::StrFormat("<a href=\"#w%d\">%s</a>", target, name);
  }
  const absl::StatusOr<v1::DecideResponse>& response = answer.response;
  return absl::StrCat(
      "<tr>", Cell("Workload", name),
      Cell("Verdict", Escaped(VerdictOf(answer)),
           response.ok() ? LookOf(response->decision().action()).html_class
                         : "fail"),
      Cell("Cause", CauseNameOf(answer)),
      Cell("Why",
           Escaped(response.ok() ? answer.headline
                                 : std::string(response.status().message()))),
      "</tr>\n");
}

}  // namespace

std::string Escaped(std::string_view text) { return Markup(Printable(text)); }

std::string Fact(std::string_view name, const std::string& html) {
  if (html.empty()) return "";
  return absl::StrFormat("<div><dt>%s</dt><dd>%s</dd></div>\n", name, html);
}

std::string HtmlDocument(const std::string& title, const std::string& body) {
  // If escaping failed, the template's policy would still block scripts.
  return absl::StrReplaceAll(std::string(PageTemplate()),
                             {{"{{title}}", title}, {"{{body}}", body}});
}

std::string_view PageStyle() {
  constexpr std::string_view kBegin = "<style>\n";
  std::string_view style = PageTemplate();
  style.remove_prefix(style.find(kBegin) + kBegin.size());
  return style.substr(0, style.find("</style>"));
}

std::string HtmlArticle(const AnswerView& view) { return Article(view, 1); }

std::string HtmlPage(const AnswerView& view) {
  return HtmlDocument(Escaped("Why it stopped: " + NameOf(view.story)),
                      Article(view, 1) + Footer(view.response));
}

std::string HtmlPages(const WorkloadList& list,
                      const std::vector<AnswerView>& views,
                      std::string_view name_one) {
  std::string articles;
  std::string rows;
  int in_full = 0;
  bool more = false;
  for (const WorkloadAnswer& answer : list.answers) {
    // Only broken workloads have an article.
    int number = IsBroken(answer) ? answer.story + 1 : 0;
    if (number > 0 && in_full == kMaxInFull) {
      more = true;
      number = 0;
    }
    rows += OverviewRow(answer, number);
    if (number == 0) continue;
    ++in_full;
    articles += Article(views[static_cast<std::size_t>(number) - 1], number);
  }
  const std::string overview = absl::StrFormat(
      "<article>\n<header class=\"story\">\n<h1>%s</h1>\n</header>\n%s"
      "<section class=\"workloads\">\n<table class=\"stack\"><thead><tr>"
      "<th>Workload</th><th>Verdict</th><th>Cause</th><th>Why</th></tr></thead>"
      "\n<tbody>\n%s</tbody></table>\n</section>\n</article>\n",
      Escaped(list.counts),
      more
          ? absl::StrFormat("<p>The first %d that are broken are shown in full "
                            "below; others with %s, or --cause NAME.</p>\n",
                            kMaxInFull, Escaped(name_one))
          : "",
      rows);
  return HtmlDocument("Why it stopped", overview + articles);
}

std::string PlotOpen(double height, std::string_view title) {
  return absl::StrFormat(
      "<svg class=\"plot\" viewBox=\"0 0 %g %g\" role=\"img\">"
      "<title>%s</title>\n",
      kPlotWidth, height, Escaped(title));
}

std::string PlotBar(std::string_view style, double x, double y, double width,
                    double height) {
  if (width <= 0 || height <= 0) return "";
  return absl::StrFormat(
      "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
      "height=\"%.1f\"/>\n",
      style, x, y, width, height);
}

std::string PlotText(std::string_view style, double x, double y,
                     std::string_view text, std::string_view anchor) {
  return absl::StrFormat(
      "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n",
      style, x, y, anchor, Escaped(text));
}

std::string HtmlSection(std::string_view title, const std::string& body,
                        std::string_view legend, std::string_view style) {
  if (body.empty()) return "";
  return absl::StrFormat(
      "<section%s>\n<h2>%s</h2>\n%s%s</section>\n",
      style.empty() ? "" : absl::StrFormat(" class=\"%s\"", style), title, body,
      legend.empty() ? ""
                     : absl::StrFormat("<p class=\"legend\">%s</p>\n", legend));
}

std::string HtmlList(const std::vector<std::string>& items,
                     std::string_view element) {
  std::string html;
  for (const std::string& item : items) {
    absl::StrAppend(&html, "<li>", item, "</li>\n");
  }
  return html.empty()
             ? html
             : absl::StrFormat("<%s>\n%s</%s>\n", element, html, element);
}

std::string HtmlTable(const std::vector<std::string_view>& titles,
                      const std::vector<std::string>& rows) {
  if (rows.empty()) return "";
  std::string html = "<table><thead><tr>";
  for (const std::string_view title : titles) {
    absl::StrAppendFormat(&html, "<th>%s</th>", title);
  }
  html += "</tr></thead>\n<tbody>\n";
  for (const std::string& row : rows) {
    absl::StrAppend(&html, "<tr>", row, "</tr>\n");
  }
  return html + "</tbody></table>\n";
}

std::string HtmlCell(std::string_view html, std::string_view style) {
  return style.empty()
             ? absl::StrFormat("<td>%s</td>", html)
             : absl::StrFormat("<td class=\"%s\">%s</td>", style, html);
}

}  // namespace mulligan::cli
