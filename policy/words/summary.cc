#include "policy/words/summary.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "policy/base/utf8.h"
#include "policy/demystify/fact.h"
#include "policy/demystify/gang.h"
#include "policy/demystify/member.h"

namespace mulligan::words {
namespace {

using demystify::Candidate;
using demystify::Conclusion;
using demystify::Gang;
using demystify::ObjectName;
using demystify::PodReading;
using demystify::Root;

std::int64_t CountRestarts(const v1::FailureReport& report) {
  std::int64_t restarts = 0;
  for (const auto& pod : report.pods()) {
    for (const auto& container : pod.status().container_statuses()) {
      restarts += std::max(container.restart_count(), 0);
    }
  }
  return restarts;
}

// Earlier failed pods do not end running work, but they did fail.
std::string FailedBefore(const Owners& owners) {
  const auto failed = std::ranges::count_if(
      owners.report.pods(),
      [](const auto& pod) { return pod.status().phase() == "Failed"; });
  if (failed == 0) {
    const NativeCount count = CountNativeFailures(owners, 0);
    // Only a Job's counter leaves out the current attempt.
    const bool any =
        owners.views.empty() ? count.counted > 0 : count.failures > 0;
    if (any) {
      return absl::StrCat("Earlier attempts failed (", count.source,
                          ") and are no longer shown; the work goes on");
    }
    const std::int64_t restarts = CountRestarts(owners.report);
    if (restarts == 0) return "Nothing has failed";
    return absl::StrCat(
        "The kubelet restarted containers ",
        restarts == 1 ? "once" : absl::StrCat(restarts, " times"),
        ", and the work goes on");
  }
  return absl::StrCat(failed, failed == 1 ? " pod" : " pods",
                      " failed before, and the work goes on");
}

// Summarizes work that has not failed, by `sign`; null if nothing shows it.
std::string SummarizeLife(const Owners& owners, const Candidate* sign) {
  const v1::FailureReport& report = owners.report;
  if (sign == nullptr && !report.exit().message().empty()) {
    return "Whether it failed is unknown: there is no exit code, and no known "
           "failure in the output.";
  }
  std::string text = FailedBefore(owners);
  if (sign == nullptr) {
    return text +
           ", as far as the report shows: it does not say how the work is "
           "doing.";
  }
  const ObjectName object = ObjectOf(report, sign->place);
  absl::StrAppend(&text, ": ", Excerpt(object.kind),
                  object.name.empty() ? "" : " ", Excerpt(object.name), ": ",
                  std::string(sign->row->meaning));
  if (sign->place.root != Root::kPods) {
    absl::StrAppend(&text, " (", ValueOf(report, *sign), ")");
  }
  return text + ".";
}

// Returns "slurm train"; "The command" if it has no name.
std::string AttemptText(const v1::WorkloadReference& workload) {
  const std::string kind = Excerpt(workload.kind());
  return workload.name().empty()
             ? "The " + kind
             : absl::StrCat(kind, " ", Excerpt(workload.name()));
}

std::string SubjectOf(const v1::FailureReport& report, const Culprit& culprit,
                      const Candidate& winner) {
  if (report.has_ended_attempt()) return AttemptText(report.workload());
  const std::string& container = culprit.container;
  const char* const in = container.empty() ? "" : ", container ";
  const bool about_object =
      !culprit.name.empty() && winner.place.root != Root::kEvents;
  if (!culprit.pod.empty() && !about_object) {
    return absl::StrCat("Pod ", culprit.pod, in, container);
  }
  if (!culprit.name.empty()) {
    return absl::StrCat(culprit.kind, " ", culprit.name);
  }
  return culprit.node.empty() ? absl::StrCat("The workload", in, container)
                              : absl::StrCat("Node ", culprit.node);
}

// For example "; 2 other members died because of it"; empty if none did.
std::string CascadesText(const Gang& gang) {
  if (gang.cascades.empty()) return "";
  const bool echoes =
      std::ranges::any_of(gang.cascades, [](const PodReading* member) {
        return demystify::ClassOf(*member) == GangClass::kEcho;
      });
  return absl::StrCat(
      "; ", gang.cascades.size(),
      gang.cascades.size() == 1 ? " other member" : " other members",
      echoes ? " died because of it" : " ended with it");
}

}  // namespace

std::string Summarize(const Owners& owners, const Conclusion& conclusion,
                      const Failure& failure) {
  const v1::FailureReport& report = owners.report;
  const Candidate* const winner = conclusion.decisive();
  if (conclusion.cause == v1::NOT_FAILED) return SummarizeLife(owners, winner);
  const Candidate& naming = *conclusion.naming();
  std::string text = SubjectOf(report, failure.culprit, *winner);
  text.reserve(160);
  text.append(": ");
  if (&naming == winner) {
    text.append(winner->row->meaning);
  } else {
    absl::StrAppend(&text, "it is ", v1::Cause_Name(conclusion.cause),
                    " according to ", ValueOf(report, naming));
  }
  const bool says_code =
      naming.row->meaning.find("exit code") != std::string_view::npos;
  // An object that succeeded or is suspended did not end with a pod's code.
  const bool of_object =
      winner->place.root != Root::kPods &&
      (conclusion.cause == v1::SUCCEEDED || conclusion.cause == v1::SUSPENDED);
  if (conclusion.exit_code.value_or(0) != 0 && !says_code && !of_object) {
    absl::StrAppend(&text, " (exit code ", *conclusion.exit_code, ")");
  }
  text.append(CascadesText(conclusion.gang));
  const std::string& stands_out = conclusion.gang.stands_out;
  if (winner->place.root == Root::kPods && !stands_out.empty()) {
    absl::StrAppend(&text, "; ", Excerpt(stands_out));
  }
  if (failure.alike > 1) {
    absl::StrAppend(&text, "; ", failure.outlook_reason);
  } else if (conclusion.past) {
    text.append("; the next attempt goes on");
  }
  text.push_back('.');
  return text;
}

}  // namespace mulligan::words
