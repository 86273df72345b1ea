// The report for programs: JSON and CSV.
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "client/cli/base/utf8.h"
#include "client/cli/report/report.h"
#include "client/cli/report/report_words.h"

namespace mulligan::cli {
namespace {

using Json = nlohmann::ordered_json;

// Incremented when a member changes its meaning.
constexpr int kVersion = 1;

std::string TimeOf(std::int64_t seconds) {
  return UtcText("%Y-%m-%dT%H:%M:%SZ", seconds);
}

Json ToJson(const Spent& spent) {
  return {{"acceleratorHours", Hours(spent.accelerator)},
          {"coreHours", Hours(spent.core)},
          {"podHours", Hours(spent.pod)}};
}

Json ToJson(const Cost& cost) {
  Json json = {{"failures", cost.failures}, {"workloads", cost.workloads}};
  json.update(ToJson(cost.lost));
  return json;
}

// A cost with its costliest workloads.
Json ToJson(const Cost& cost, const Exhibits& examples) {
  Json json = ToJson(cost);
  Json& all = json["examples"] = Json::array();
  for (const Exhibit& example : examples.all()) {
    Json& one =
        all.emplace_back(Json({{"workload", example.workload},
                               {"observedAt", TimeOf(example.observed)}}));
    one.update(ToJson(example.lost));
  }
  return json;
}

Json ToJson(const Verdicts& verdicts) {
  Json json = {{"retriedInVain", ToJson(verdicts.in_vain)},
               {"assumed", ToJson(verdicts.assumed)}};
  for (const NamedWorkloads& named : NamedOf(verdicts)) {
    json[named.member] = ToJson(*named.cost, *named.examples);
  }
  return json;
}

Json EndsJson(const std::array<Cost, kEnds>& ends) {
  return {{"completed", ToJson(AtKey(ends, End::kCompleted))},
          {"givenUp", ToJson(AtKey(ends, End::kGivenUp))},
          {"waitsForItsAuthor", ToJson(AtKey(ends, End::kWaitsForAuthor))},
          {"notKnown", ToJson(AtKey(ends, End::kNotKnown))}};
}

Json RulesJson(const Report& report) {
  Json json = {{"comparable", ToJson(report.comparable)}};
  for (const auto& [decider, name] : ShownSides(report)) {
    json[std::string(ReportName(decider))] =
        ToJson(AtKey(report.verdicts, decider));
  }
  return json;
}

Json TablesJson(const Report& report) {
  Json tables = Json::object();
  for (std::size_t i = 0; i < kBys; ++i) {
    Json& rows = tables[std::string(ReportName(static_cast<By>(i)))] =
        Json::object();
    for (const auto& [name, cost] :
         CostliestFirst(report.by[i], report.unit())) {
      rows[name] = ToJson(cost);
    }
  }
  return tables;
}

Json FlowsJson(const Report& report) {
  Json flows = Json::array();
  for (const auto& [names, ends] : report.flows) {
    flows.push_back({{"domain", names.first},
                     {"budget", names.second},
                     {"ends", EndsJson(ends)}});
  }
  return flows;
}

Json BudgetsJson(const Report& report) {
  Json budgets = Json::object();
  for (const auto& [name, cost] : report.budgets) {
    Json& json = budgets[name] = {{"charged", cost.charged},
                                  {"workloadsEnded", cost.ended}};
    json.update(ToJson(cost.lost));
  }
  return budgets;
}

Json DaysJson(const Report& report) {
  Json days = Json::object();
  for (const auto& [day, domains] : report.days) {
    for (const auto& [domain, cost] : domains) {
      days[DayText(day)][domain] = ToJson(cost);
    }
  }
  return days;
}

Json NodesJson(const Report& report) {
  Json nodes = Json::object();
  for (const auto& [node, days] : report.nodes) {
    for (const auto& [day, count] : days) nodes[node][DayText(day)] = count;
  }
  return nodes;
}

Json IncidentsJson(const Report& report) {
  Json incidents = Json::array();
  for (const Incident& incident : report.incidents) {
    Json& json = incidents.emplace_back(Json({{"cause", incident.cause},
                                              {"from", TimeOf(incident.from)},
                                              {"to", TimeOf(incident.to)}}));
    json.update(ToJson(incident.cost));
  }
  return incidents;
}

Json MendsJson(const Report& report) {
  Json repair_targets = Json::array();
  for (const RepairTarget& mend : report.repair_targets) {
    Json& json = repair_targets.emplace_back(Json({{"what", mend.what}}));
    json.update(ToJson(mend.cost));
    Json& examples = json["examples"] = Json::array();
    for (const Exhibit& example : mend.examples.all()) {
      Json& one =
          examples.emplace_back(Json({{"workload", example.workload},
                                      {"observedAt", TimeOf(example.observed)},
                                      {"problem", example.problem}}));
      one.update(ToJson(example.lost));
      if (example.first_step.text().empty()) continue;
      one["firstStep"] = {
          {"text", example.first_step.text()},
          {"actor", v1::FirstStep::Actor_Name(example.first_step.actor())},
          {"command", example.first_step.command()}};
    }
  }
  return repair_targets;
}

// Returns a field of RFC 4180, made printable because names come from outside
// and terminals show these files. Text that a spreadsheet would read as a
// formula gets an apostrophe.
std::string CsvField(std::string_view text) {
  std::string field = Printable(text);
  if (!field.empty() &&
      std::string_view("=+-@").find(field.front()) != std::string_view::npos) {
    field.insert(0, "'");
  }
  if (field.find_first_of(",\"") == std::string::npos) return field;
  return absl::StrCat("\"", absl::StrReplaceAll(field, {{"\"", "\"\""}}), "\"");
}

}  // namespace

std::string ReportJson(const Report& report) {
  Json json = {{"reportVersion", kVersion},
               {"lines", report.lines},
               {"badLines", report.bad_lines},
               {"leftOut", report.left_out},
               {"repeated", report.repeated},
               {"notBroken", report.others},
               {"goodEnds", report.good_ends},
               {"withoutTimes", report.without_times},
               {"restartsInPlace", report.restarts_in_place},
               {"ofCluster", report.of_cluster},
               {"unit", ReportName(report.unit())}};
  if (report.all.failures > 0) {
    json["from"] = TimeOf(report.first);
    json["to"] = TimeOf(report.last);
  }
  json["all"] = ToJson(report.all);
  json["ends"] = EndsJson(report.ends);
  json["done"] = ToJson(report.done);
  json["rules"] = RulesJson(report);
  json["by"] = TablesJson(report);
  json["budgets"] = BudgetsJson(report);
  json["flows"] = FlowsJson(report);
  json["days"] = DaysJson(report);
  json["nodes"] = NodesJson(report);
  json["incidents"] = IncidentsJson(report);
  json["mend"] = MendsJson(report);
  Json& bad = json["bad"] = Json::array();
  for (const auto& [place, why] : report.bad.all()) {
    bad.push_back({{"file", place.file}, {"line", place.line}, {"why", why}});
  }
  // Names come from outside and may be any bytes.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

namespace {

void AddCsvRow(std::string_view by, std::string_view name, const Cost& cost,
               std::string& csv) {
  absl::StrAppendFormat(&csv, "%s,%s,%d,%d,%.4f,%.4f,%.4f\r\n", by,
                        CsvField(name), cost.failures, cost.workloads,
                        Hours(cost.lost.accelerator), Hours(cost.lost.core),
                        Hours(cost.lost.pod));
}

void AddVerdictRows(std::string_view side, const Verdicts& verdicts,
                    std::string& csv) {
  AddCsvRow("retried in vain", side, verdicts.in_vain, csv);
  for (const NamedWorkloads& named : NamedOf(verdicts)) {
    AddCsvRow(named.what, side, *named.cost, csv);
  }
}

// The workloads of the rows above, by name.
void AddNamedRows(std::string_view side, const Verdicts& verdicts,
                  std::string& csv) {
  for (const NamedWorkloads& named : NamedOf(verdicts)) {
    const std::string by = absl::StrFormat("%s, %s", named.what, side);
    for (const Exhibit& example : named.examples->all()) {
      AddCsvRow(CsvField(by), example.workload, {1, 1, example.lost}, csv);
    }
  }
}

}  // namespace

std::string ReportCsv(const Report& report) {
  std::string csv =
      "by,name,failures,workloads,accelerator_hours,core_hours,pod_hours\r\n";
  AddCsvRow("all", "", report.all, csv);
  for (const End end : kAllEnds) {
    AddCsvRow("end", ReportName(end), AtKey(report.ends, end), csv);
  }
  AddVerdictRows("done", report.done, csv);
  for (const auto& [decider, name] : ShownSides(report)) {
    AddVerdictRows(ReportName(decider), AtKey(report.verdicts, decider), csv);
  }
  for (std::size_t i = 0; i < kBys; ++i) {
    for (const auto& [name, cost] :
         CostliestFirst(report.by[i], report.unit())) {
      AddCsvRow(ReportName(static_cast<By>(i)), name, cost, csv);
    }
  }
  for (const auto& [day, domains] : report.days) {
    for (const auto& [domain, cost] : domains) {
      AddCsvRow("day", absl::StrCat(DayText(day), " ", domain), cost, csv);
    }
  }
  for (const Incident& incident : report.incidents) {
    AddCsvRow("incident",
              absl::StrCat(TimeOf(incident.from), " ", incident.cause),
              incident.cost, csv);
  }
  AddNamedRows("done", report.done, csv);
  for (const auto& [decider, name] : ShownSides(report)) {
    AddNamedRows(ReportName(decider), AtKey(report.verdicts, decider), csv);
  }
  return csv;
}

}  // namespace mulligan::cli
