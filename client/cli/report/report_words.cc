#include "client/cli/report/report_words.h"

#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/cli/story/wording.h"

namespace mulligan::cli {
namespace {

constexpr double kHour = 3'600'000;
// The most files whose first bad line is shown.
constexpr int kMaxFiles = 3;

std::string SideText(const Cost& cost, const Cost& assumed, const char* one,
                     const char* many, Unit unit) {
  std::string text =
      absl::StrFormat("%s, %s h", Plural(cost.failures, one, many),
                      HoursText(AmountOf(cost.lost, unit)));
  if (assumed.failures > 0) {
    absl::StrAppend(&text, " (", WithCommas(assumed.failures), " assumed)");
  }
  return text;
}

std::string HoursSentence(const Report& report) {
  return absl::StrFormat(
      "Hours are %s: requests times the pods' own times, from the kubelet's "
      "start to the end%s; work that a checkpoint kept is not deducted.",
      ReportName(report.unit()),
      report.unit() == Unit::kAccelerator
          ? ", and none for pods without accelerators"
          : "");
}

}  // namespace

std::vector<std::pair<Decider, std::string>> ShownSides(const Report& report) {
  if (report.of_cluster) {
    return {{Decider::kRecorded, "by the operators"},
            {Decider::kCandidate, "by the policy"}};
  }
  std::vector<std::pair<Decider, std::string>> sides = {
      {Decider::kRecorded, "as decided"},
      {Decider::kNative, "by the operators"}};
  if (report.compared) {
    sides.emplace_back(Decider::kCandidate, "by the candidate");
  }
  return sides;
}

double Hours(std::int64_t milliseconds) {
  return static_cast<double>(milliseconds) / kHour;
}

std::string HoursText(std::int64_t milliseconds) {
  const double hours = Hours(milliseconds);
  if (hours >= 10) return WithCommas(std::llround(hours));
  if (milliseconds > 0 && hours < 0.1) return "<0.1";
  return milliseconds == 0 ? "0" : absl::StrFormat("%.1f", hours);
}

std::string DayText(Day day) { return UtcText("%Y-%m-%d", day); }

std::string MinuteText(std::int64_t seconds) {
  return UtcText("%Y-%m-%d %H:%M", seconds);
}

std::string CountsText(const Cost& cost) {
  return absl::StrCat(Plural(cost.failures, "failure", "failures"), " of ",
                      Plural(cost.workloads, "workload", "workloads"));
}

std::string HeadlineOf(const Report& report) {
  const Spent& lost = report.all.lost;
  const Unit unit = report.unit();
  return absl::StrCat(
      CountsText(report.all),
      lost.any()
          ? absl::StrFormat(" cost %s %s", HoursText(AmountOf(lost, unit)),
                            ReportName(unit))
          : ": no pod times were reported",
      unit == Unit::kAccelerator && lost.core > 0
          ? absl::StrFormat(" and %s %s", HoursText(lost.core),
                            ReportName(Unit::kCore))
          : "");
}

std::vector<NamedWorkloads> NamedOf(const Verdicts& verdicts) {
  return {{"given up for the platform", "givenUpForThePlatform",
           &verdicts.given_up, &verdicts.given_up_examples},
          {"given up that completed", "givenUpThatCompleted",
           &verdicts.completed, &verdicts.completed_examples},
          {"tried again", "triedAgain", &verdicts.tried_again,
           &verdicts.tried_again_examples},
          {"saved", "saved", &verdicts.saved, &verdicts.saved_examples},
          {"stopped early", "stoppedEarly", &verdicts.stopped,
           &verdicts.stopped_examples},
          {"would have been stopped early", "wouldHaveBeenStoppedEarly",
           &verdicts.would_stop, &verdicts.would_stop_examples}};
}

std::vector<std::string> CompletedSentences(const Report& report) {
  std::vector<std::string> sentences;
  for (const auto& [decider, name] : ShownSides(report)) {
    const Verdicts& side = AtKey(report.verdicts, decider);
    if (side.completed.workloads == 0) continue;
    std::string who;
    for (const Exhibit& example :
         FirstOf(side.completed_examples, Exhibits::kFew)) {
      absl::StrAppend(&who, who.empty() ? "" : ", ", example.workload);
    }
    const bool more =
        side.completed.workloads > static_cast<Count>(Exhibits::kFew);
    sentences.push_back(absl::StrFormat(
        "%s that %s given up %s: %s%s. The attempts that did held %s h.",
        Plural(side.completed.workloads, "workload", "workloads"),
        decider == Decider::kRecorded ? "had been"
        : decider == Decider::kNative ? "the operators would have"
        : report.of_cluster           ? "the policy would have"
                                      : "the candidate would have",
        side.completed.workloads == 1 ? "completed" : "have completed", who,
        more ? " and more" : "",
        HoursText(AmountOf(side.completed.lost, report.unit()))));
  }
  return sentences;
}

std::string DoneSentence(const Report& report) {
  const Verdicts& done = report.done;
  const auto hours = [&](const Cost& cost) {
    return HoursText(AmountOf(cost.lost, report.unit()));
  };
  std::string text = absl::StrFormat(
      "%s %s in vain (%s h); %s given up for the platform's faults (%s h).",
      Plural(done.in_vain.failures, "retry", "retries"),
      done.in_vain.failures == 1 ? "was" : "were", hours(done.in_vain),
      Plural(done.given_up.workloads, "workload was", "workloads were"),
      hours(done.given_up));
  if (done.stopped.workloads > 0) {
    absl::StrAppendFormat(
        &text, "\n%s stopped early, which saved about %s h.",
        Plural(done.stopped.workloads, "workload was", "workloads were"),
        hours(done.stopped));
  }
  if (done.would_stop.workloads > 0) {
    absl::StrAppendFormat(
        &text, "\n%s not stopped when advised, which cost %s h.",
        Plural(done.would_stop.workloads, "workload was", "workloads were"),
        hours(done.would_stop));
  }
  return text;
}

std::vector<SideBySide> SidesOf(const Report& report) {
  std::vector<SideBySide> rows = {{"retried in vain", {}},
                                  {"given up for the platform's faults", {}},
                                  {"given up, and it completed", {}},
                                  {"tried again, its operator gave up", {}},
                                  {"of these saved: it completed", {}},
                                  {"given up, and it failed again", {}}};
  for (const auto& [decider, name] : ShownSides(report)) {
    const Verdicts& side = AtKey(report.verdicts, decider);
    const Unit unit = report.unit();
    rows[0].sides.push_back(
        SideText(side.in_vain, side.assumed, "retry", "retries", unit));
    rows[1].sides.push_back(
        SideText(side.given_up, {}, "workload", "workloads", unit));
    rows[2].sides.push_back(
        SideText(side.completed, {}, "workload", "workloads", unit));
    rows[3].sides.push_back(
        Plural(side.tried_again.workloads, "workload", "workloads"));
    rows[4].sides.push_back(
        SideText(side.saved, {}, "workload", "workloads", unit));
    rows[5].sides.push_back(
        SideText(side.would_stop, {}, "workload", "workloads", unit));
  }
  return rows;
}

std::string DomainText(const std::string& domain) {
  constexpr std::pair<std::string_view, const char*> kWho[] = {
      {"APPLICATION", "the program's authors"},
      {"CONFIGURATION", "who wrote the manifest"},
      {"RESOURCE_LIMIT", "who set the limits"},
      {"INFRASTRUCTURE", "who runs the nodes"},
      {"DISRUPTION", "no one: maintenance, preemption, spot"},
      {"QUEUE", "who sets quotas and queues"},
      {"DEADLINE", "who set the time limit"},
      {"CONTROL_PLANE", "who runs the control plane"},
      {"NONE", "no one"},
  };
  for (const auto& [name, who] : kWho) {
    if (name == domain) return who;
  }
  return Words(domain);
}

std::string BadSentence(const Report& report) {
  std::string text =
      report.of_cluster
          ? absl::StrCat(Plural(report.bad_lines, "report", "reports"),
                         " could not be decided")
          : absl::StrCat(WithCommas(report.bad_lines), " of ",
                         Plural(report.lines, "line", "lines"),
                         " could not be read");
  std::string_view file;
  int shown = 0;
  for (const auto& [place, why] : report.bad.all()) {
    if (shown > 0 && place.file == file) continue;
    if (shown == kMaxFiles) break;
    file = place.file;
    absl::StrAppend(&text, shown++ == 0 ? ", the first: " : "; ",
                    report.of_cluster ? place.file : place.Text(), ": ", why);
  }
  return text;
}

std::string NothingSentence(const Report& report) {
  std::string text = absl::StrCat(
      "No failures in ", Plural(report.lines, "line", "lines"),
      report.left_out > 0
          ? absl::StrCat(", ", WithCommas(report.left_out),
                         " of which are outside the requested time")
          : "");
  return report.bad_lines > 0 ? absl::StrCat(text, "; ", BadSentence(report))
                              : text + ".";
}

std::vector<std::string> CaveatsOf(const Report& report) {
  const bool of_cluster = report.of_cluster;
  const Count open = AtKey(report.ends, End::kNotKnown).workloads;
  const Count silent = report.all.failures - report.comparable.failures;
  const std::string compared = CountsText(report.comparable);
  const std::string left = Plural(silent, "failure", "failures");
  const std::pair<bool, std::string> caveats[] = {
      {true, HoursSentence(report)},
      {report.without_times > 0,
       absl::StrFormat("%s had no pod with times: they count, without hours.",
                       Plural(report.without_times, "failure", "failures"))},
      {open > 0,
       absl::StrCat("How ", Plural(open, "workload", "workloads"),
                    of_cluster
                        ? " will end is not known: they still run, or wait."
                        : " ended is not in the log: their end was not "
                          "reported.")},
      {silent > 0 && of_cluster,
       absl::StrFormat("Both sides are compared for %s: of %s it is not known "
                       "yet what their operators do.",
                       compared, left)},
      {silent > 0 && !of_cluster,
       absl::StrFormat("The operators' own rules are compared for %s: with %s "
                       "no object of a known operator was reported.",
                       compared, left)},
      {AtKey(report.verdicts, Decider::kNative).assumed.failures > 0,
       "Assumed: a retry that was not made would have cost as much as the "
       "attempt before it."},
      {of_cluster,
       "Only what the cluster still has: operators delete the pods of earlier "
       "attempts, and finished work expires."},
      {!report.team_label.empty() && report.labelled == 0,
       absl::StrFormat("No workload has the label %s: teams are namespaces.",
                       report.team_label)},
      {report.restarts_in_place > 0,
       absl::StrFormat("Containers were restarted in place %s: only the last "
                       "restart of each "
                       "is known.",
                       Plural(report.restarts_in_place, "time", "times"))},
      {report.left_out > 0,
       absl::StrFormat("%s left out: observed outside the requested time.",
                       Plural(report.left_out, "line was", "lines were"))},
      {report.bad_lines > 0, BadSentence(report)}};
  std::vector<std::string> all;
  for (const auto& [holds, caveat] : caveats) {
    if (holds) all.push_back(caveat);
  }
  return all;
}

}  // namespace mulligan::cli
