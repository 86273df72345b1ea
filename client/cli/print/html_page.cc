#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "client/cli/print/html.h"
#include "client/cli/story/wording.h"

namespace mulligan::cli {

std::string HtmlDocument(const std::string& title, const std::string& body) {
  // If escaping failed, the template's policy would still block scripts.
  return absl::StrReplaceAll(std::string(PageTemplate()),
                             {{"{{title}}", title}, {"{{body}}", body}});
}

namespace {

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

std::string Article(const AnswerView& view, int number) {
  const Story& story = view.story;
  const std::string name =
      story.workload.empty() ? "the workload" : story.workload;
  std::string html = absl::StrFormat(
      "<article id=\"w%d\">\n<header class=\"story\">\n"
      "<p class=\"eyebrow\">%s%s</p>\n<h1>%s</h1>\n",
      number, story.broken ? "Why it stopped: " : "", Escaped(name),
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
  return absl::StrFormat(
      "<tr><td data-name=\"Workload\"><span>%s</span></td>"
      "<td data-name=\"Verdict\" class=\"%s\"><span>%s</span></td>"
      "<td data-name=\"Cause\"><span>%s</span></td>"
      "<td data-name=\"Why\"><span>%s</span></td></tr>\n",
      name,
      response.ok() ? LookOf(response->decision().action()).html_class : "fail",
      Escaped(VerdictOf(answer)), CauseNameOf(answer),
      Escaped(response.ok() ? answer.headline
                            : std::string(response.status().message())));
}

}  // namespace

std::string_view PageStyle() {
  constexpr std::string_view kBegin = "<style>\n";
  std::string_view style = PageTemplate();
  style.remove_prefix(style.find(kBegin) + kBegin.size());
  return style.substr(0, style.find("</style>"));
}

std::string HtmlArticle(const AnswerView& view) { return Article(view, 1); }

std::string HtmlPage(const AnswerView& view) {
  const std::string name =
      view.story.workload.empty() ? "the workload" : view.story.workload;
  return HtmlDocument(Escaped("Why it stopped: " + name),
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

}  // namespace mulligan::cli
