// How a report's numbers and names are told, whatever the format.
#ifndef MULLIGAN_CLIENT_CLI_REPORT_REPORT_WORDS_H_
#define MULLIGAN_CLIENT_CLI_REPORT_REPORT_WORDS_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "client/cli/report/report.h"

namespace mulligan::cli {

// Hours of what is counted in milliseconds.
double Hours(std::int64_t milliseconds);

// "12,345", below ten "4.2", "<0.1".
std::string HoursText(std::int64_t milliseconds);

// "2026-11-24".
std::string DayText(Day day);

// "2026-11-24 08:10".
std::string MinuteText(std::int64_t seconds);

// "1,204 failures of 800 workloads".
std::string CountsText(const Cost& cost);

// "1,204 failures of 800 workloads cost 12,345 accelerator-hours and 98,765
// core-hours".
std::string HeadlineOf(const Report& report);

// What was done about the failures, in fact.
std::string DoneSentence(const Report& report);

// Who is told, and as what: "by the operators".
std::vector<std::pair<Decider, std::string>> SidesToldOf(const Report& report);

// One finding in one sentence: what happened by both rules.
struct SideBySide {
  std::string what;
  // In the order of SidesToldOf().
  std::vector<std::string> sides;
};
std::vector<SideBySide> SidesOf(const Report& report);

// Workloads that are told by name: what became of them, by a side, of all of
// them, and the costliest.
struct NamedWorkloads {
  // "given up that completed".
  const char* what;
  // The same as a member of JSON: "givenUpThatCompleted".
  const char* member;
  const Cost* cost;
  const Exhibits* examples;
};
std::vector<NamedWorkloads> NamedOf(const Verdicts& verdicts);

// Of each side that would have given up what completed, a sentence that names
// some.
std::vector<std::string> CompletedSentences(const Report& report);

// What could not be read, of at least one line, and that nothing was found.
std::string BadSentence(const Report& report);
std::string NothingSentence(const Report& report);

// "Who has to act" for a domain's name: "the platform: nodes, devices,
// network".
std::string DomainText(const std::string& domain);

// What the report cannot know, a sentence each; the first is about the hours.
std::vector<std::string> CaveatsOf(const Report& report);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_REPORT_REPORT_WORDS_H_
