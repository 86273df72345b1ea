#include "client/cli/story/wording.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "absl/time/time.h"
#include "client/cli/base/numbers.h"
#include "policy/wording.h"

namespace mulligan::cli {

std::string FormatDuration(const google::protobuf::Duration& duration) {
  const absl::Duration exact =
      absl::Seconds(duration.seconds()) + absl::Nanoseconds(duration.nanos());
  const absl::Duration unit =
      exact < absl::Seconds(1) ? absl::Milliseconds(1) : absl::Seconds(1);
  return absl::FormatDuration(absl::Floor(exact + unit / 2, unit));
}

std::string Words(std::string name) {
  absl::AsciiStrToLower(&name);
  return absl::StrReplaceAll(name, {{"_", " "}});
}

std::string ActionLine(const v1::Decision& decision) {
  std::string verdict = absl::StrReplaceAll(
      v1::Decision::Action_Name(decision.action()), {{"_", " "}});
  const bool acts = decision.action() == v1::Decision::RETRY ||
                    decision.action() == v1::Decision::FAIL;
  if (acts && decision.scope() != v1::Decision::SCOPE_UNSPECIFIED) {
    verdict += " ";
    verdict += ScopeText(decision.scope());
  }
  return verdict;
}

std::string VerdictLine(const v1::Decision& decision) {
  std::string verdict = ActionLine(decision);
  if (decision.action() == v1::Decision::RETRY) {
    const auto& delay = decision.retry_after();
    verdict += delay.seconds() == 0 && delay.nanos() == 0
                   ? " at once"
                   : " in " + FormatDuration(delay);
    if (decision.last_attempt()) verdict += ", for the last time";
  } else if (decision.action() == v1::Decision::WAIT &&
             decision.has_retry_after()) {
    verdict += ", ask again in " + FormatDuration(decision.retry_after());
  }
  return verdict;
}

namespace {

std::string RungText(v1::Escalation::Rung rung) {
  constexpr std::pair<v1::Escalation::Rung, const char*> kRungs[] = {
      {v1::Escalation::IN_PLACE, "the same again"},
      {v1::Escalation::ANOTHER_NODE, "another node"},
      {v1::Escalation::ON_DEMAND, "on-demand capacity"},
      {v1::Escalation::MORE_RESOURCES, "more resources"},
      {v1::Escalation::PERSON, "a person"}};
  for (const auto& [known, text] : kRungs) {
    if (known == rung) return text;
  }
  return Words(v1::Escalation::Rung_Name(rung));
}

// Two digits are enough.
std::string StakeHours(double hours) {
  return hours >= 10 ? absl::StrFormat("%.0f", hours)
                     : absl::StrFormat("%.2g", hours);
}

}  // namespace

std::string LadderText(const v1::Escalation& escalation) {
  if (escalation.rung() == v1::Escalation::RUNG_UNSPECIFIED) return "";
  std::string text = RungText(escalation.rung());
  if (escalation.next() == v1::Escalation::RUNG_UNSPECIFIED) return text;
  return absl::StrCat(text, "; after ",
                      escalation.after() == 1
                          ? "one more like it "
                          : absl::StrCat(escalation.after(), " more like it "),
                      RungText(escalation.next()));
}

std::string DecidedText(v1::Explanation::DecidedBy decided_by) {
  switch (decided_by) {
    case v1::Explanation::DECIDED_BY_UNSPECIFIED:
      return "";
    case v1::Explanation::NOT_A_FAILURE:
      return "not asked: there is no failure to decide about";
    case v1::Explanation::DUPLICATE:
      return "not asked again: this failure was decided before";
    case v1::Explanation::STALE:
      return "not asked: the attempt is over";
    case v1::Explanation::NATIVE:
      return "which leaves it to the workload's operator";
    case v1::Explanation::BRAKE:
      return "whose brake ends retries that cannot help";
    default:
      return "by " + Words(v1::Explanation::DecidedBy_Name(decided_by));
  }
}

std::string StakeText(const v1::Stake& stake) {
  std::string text;
  const auto add = [&text](std::string_view part) {
    absl::StrAppend(&text, text.empty() ? "" : "; ",
                    absl::string_view(part.data(), part.size()));
  };
  if (stake.has_ran()) {
    add(absl::StrCat(StakeHours(stake.hours()), stake.accelerators() > 0
                                                    ? " accelerator hours"
                                                    : " pod hours"));
  }
  if (stake.alike() > 1) {
    add(absl::StrCat(stake.alike(), " alike in a row"));
  }
  if (stake.has_passes()) {
    add(absl::StrFormat("expected to pass %.0f times in 100",
                        100 * stake.passes()));
  }
  return text;
}

std::string EndOfDelay(const v1::Decision& decision,
                       const google::protobuf::Timestamp& from) {
  const bool waits = decision.action() == v1::Decision::RETRY ||
                     decision.action() == v1::Decision::WAIT;
  const auto& delay = decision.retry_after();
  if (!waits || from.seconds() <= 0) return "";
  const auto text = [&from](std::int64_t seconds) {
    constexpr std::string_view kDay = "%Y-%m-%d ";
    const bool same_day =
        UtcText(kDay, seconds) == UtcText(kDay, from.seconds());
    return (same_day ? "" : UtcText(kDay, seconds)) +
           UtcText("%H:%M:%S UTC", seconds);
  };
  std::string end;
  if (delay.seconds() > 0 || delay.nanos() > 0) {
    end = "at " +
          text(from.seconds() + delay.seconds() +
               (from.nanos() + delay.nanos() + 500'000'000) / 1'000'000'000);
  }
  if (decision.has_evidence_deadline()) {
    if (!end.empty()) end += ", ";
    end += "for evidence until " + text(decision.evidence_deadline().seconds());
  }
  return end.empty() ? end : " (" + end + ")";
}

std::string_view ConfidenceText(v1::Diagnosis::Confidence confidence) {
  switch (static_cast<int>(confidence)) {
    case v1::Diagnosis::HIGH:
      return "certain: Kubernetes or the runtime says exactly this";
    case v1::Diagnosis::MEDIUM:
      return "likely: an indirect sign, such as a text or an exit code";
    case v1::Diagnosis::LOW:
      return "a guess: what is left after what could be ruled out";
    default:
      return "";
  }
}

std::string OutlookText(const v1::Diagnosis& diagnosis) {
  constexpr std::pair<v1::Diagnosis::Outlook, const char*> kAnswers[] = {
      {v1::Diagnosis::RECOVERS, "Yes: "},
      {v1::Diagnosis::MAY_RECOVER, "Perhaps: "},
      {v1::Diagnosis::CANNOT_RECOVER, "No: "},
      {v1::Diagnosis::MAY_BE_DONE, "The work may be done: "}};
  for (const auto& [outlook, answer] : kAnswers) {
    if (outlook == diagnosis.outlook()) {
      return answer + diagnosis.outlook_reason();
    }
  }
  return "";
}

std::vector<EvidenceGroup> EvidenceOf(const v1::Diagnosis& diagnosis) {
  std::vector<EvidenceGroup> groups;
  const auto add = [&groups](const v1::Evidence& evidence) {
    const auto same =
        std::ranges::find_if(groups, [&](const EvidenceGroup& other) {
          return !evidence.value().empty() && evidence.overrode().empty() &&
                 other.first->value() == evidence.value() &&
                 other.first->meaning() == evidence.meaning();
        });
    if (same != groups.end()) {
      same->repeats.push_back(&evidence);
    } else {
      groups.push_back({&evidence, {}});
    }
  };
  for (const v1::Evidence& evidence : diagnosis.evidence()) add(evidence);
  if (diagnosis.has_problem_evidence()) add(diagnosis.problem_evidence());
  return groups;
}

std::string TimeText(const google::protobuf::Timestamp& time) {
  return UtcText("%Y-%m-%dT%H:%M:%SZ", time.seconds());
}

std::string DayAndTime(const google::protobuf::Timestamp& time) {
  return UtcText("%Y-%m-%d %H:%M:%S", time.seconds());
}

std::string LimitSourceText(v1::BudgetState::LimitSource source) {
  switch (source) {
    case v1::BudgetState::NATIVE:
      return "of its operator";
    case v1::BudgetState::ANNOTATION:
      return "by its annotation";
    case v1::BudgetState::REQUEST:
      return "by the request";
    default:
      return {};
  }
}

std::string LimitName(const v1::Exhaustion& exhaustion) {
  return exhaustion.limit() == v1::Exhaustion::MAX_ATTEMPTS
             ? "maxAttempts"
             : exhaustion.budget();
}

}  // namespace mulligan::cli
