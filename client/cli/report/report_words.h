// The wording of a report's numbers and names in all formats.
#ifndef MULLIGAN_CLIENT_CLI_REPORT_REPORT_WORDS_H_
#define MULLIGAN_CLIENT_CLI_REPORT_REPORT_WORDS_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "client/cli/report/report.h"

namespace mulligan::cli {

// Converts milliseconds to hours.
double Hours(std::int64_t milliseconds);

// Returns "12,345", below ten "4.2", or "<0.1".
std::string HoursText(std::int64_t milliseconds);

// Returns "2026-11-24".
std::string DayText(Day day);

// Returns "2026-11-24 08:10".
std::string MinuteText(std::int64_t seconds);

// Returns "1,204 failures of 800 workloads".
std::string CountsText(const Cost& cost);

// Returns "1,204 failures of 800 workloads cost 12,345 accelerator-hours and
// 98,765 core-hours".
std::string HeadlineOf(const Report& report);

// Returns what was done about the failures in fact.
std::string DoneSentence(const Report& report);

// Returns the sides that are shown, with their titles: "by the operators".
std::vector<std::pair<Decider, std::string>> ShownSides(const Report& report);

// One finding, by each side.
struct SideBySide {
  std::string what;
  // In the order of ShownSides().
  std::vector<std::string> sides;
};
std::vector<SideBySide> SidesOf(const Report& report);

// Workloads listed by name: their outcome, the cost of all, and the costliest.
struct NamedWorkloads {
  // "given up that completed".
  const char* what;
  // The JSON member: "givenUpThatCompleted".
  const char* member;
  const Cost* cost;
  const Exhibits* examples;
};
std::vector<NamedWorkloads> NamedOf(const Verdicts& verdicts);

// Returns a sentence, with examples, for each side that would have given up
// workloads that completed.
std::vector<std::string> CompletedSentences(const Report& report);

// Returns what could not be read. REQUIRES: at least one bad line.
std::string BadSentence(const Report& report);
// Returns that no failure was found.
std::string NothingSentence(const Report& report);

// Returns who has to act, for a domain's name: "who runs the nodes".
std::string DomainText(const std::string& domain);

// Returns sentences about what the report cannot know, the first about hours.
std::vector<std::string> CaveatsOf(const Report& report);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_REPORT_REPORT_WORDS_H_
