#include "client/cli/policy_flags.h"

namespace mulligan::cli {
namespace {

void AddCheck(CLI::App& policy, PolicyValues& values, Streams& streams,
              int& code) {
  CLI::App& check = *policy.add_subcommand(
      "check", "Print every problem of policy files, loaded together");
  check.footer(R"(Example:
  mulligan policy check --strict policies/)");
  check.add_option("PATH", values.check.paths, "Files and directories")
      ->required()
      ->type_name("PATH");
  check.add_flag("--strict", values.check.strict, "Warnings fail, too");
  AddOutputFlags(check, values.output);
  check.callback([&values, &streams, &code] {
    values.check.output = ToOptions(values.output);
    code = RunPolicyCheck(values.check, streams);
  });
}

void AddShow(CLI::App& policy, Streams& streams, int& code) {
  CLI::App& show =
      *policy.add_subcommand("show", "Print the embedded default policy");
  show.footer(R"(Example:
  mulligan policy show | less)");
  show.callback([&streams, &code] { code = RunPolicyShow(streams); });
}

void AddSchema(CLI::App& policy, PolicyValues& values, Streams& streams,
               int& code) {
  CLI::App& schema =
      *policy.add_subcommand("schema", "Print the JSON Schema of policy files");
  schema.footer(R"(Example:
  mulligan policy schema > retry-policy.schema.json)");
  schema
      .add_option("--form", values.schema_form,
                  "editor, or crd for a CustomResourceDefinition")
      ->check(CLI::IsMember({"editor", "crd"}))
      ->type_name("FORM");
  schema.callback([&values, &streams, &code] {
    code = RunPolicySchema(
        values.schema_form == "crd" ? SchemaForm::kCrd : SchemaForm::kEditor,
        streams);
  });
}

void AddTest(CLI::App& policy, PolicyValues& values, Streams& streams,
             int& code) {
  CLI::App& test = *policy.add_subcommand(
      "test", "Run test suites (*_test.yaml) of policies");
  test.footer(R"(Exit codes: 0 as expected, 1 not so, 2 bad suite, 3 invalid
policy.

Example:
  mulligan policy test --junit results.xml --coverage-min 80 policies/)");
  test.add_option("PATH", values.test.paths, "Suites, or folders with suites")
      ->required()
      ->type_name("PATH");
  test.add_option("--junit", values.test.junit, "Where to write JUnit XML")
      ->type_name("FILE");
  test.add_option("--coverage-min", values.test.coverage_min,
                  "Least share of rules that decide; default: 0")
      ->check(CLI::Range(0, 100))
      ->type_name("PERCENT");
  AddOutputFlags(test, values.output);
  test.callback([&values, &streams, &code] {
    values.test.output = ToOptions(values.output);
    code = RunPolicyTest(values.test, streams);
  });
}

void AddDiff(CLI::App& policy, PolicyValues& values, Streams& streams,
             int& code) {
  CLI::App& diff = *policy.add_subcommand(
      "diff", "Print what other policies answer differently");
  diff.footer(R"(Exit codes: 0 no answer differs, 1 one does, 2 bad input, 3
invalid policy.

Example:
  mulligan policy diff policies/ new/ --requests decisions.jsonl)");
  diff.add_option("BEFORE", values.diff.before,
                  "Policy file or directory, or \"embedded\"")
      ->required()
      ->type_name("BEFORE");
  diff.add_option("AFTER", values.diff.after, "The same to compare with")
      ->required()
      ->type_name("AFTER");
  diff.add_option("--requests", values.diff.requests,
                  "Requests or decision records, one a line")
      ->required()
      ->type_name("FILE");
  AddOutputFlags(diff, values.output);
  diff.callback([&values, &streams, &code] {
    values.diff.output = ToOptions(values.output);
    code = RunPolicyDiff(values.diff, streams);
  });
}

}  // namespace

void AddPolicyCommands(CLI::App& app, PolicyValues& values, Streams& streams,
                       int& code) {
  CLI::App& policy = *app.add_subcommand("policy", "Work with policy files");
  policy.require_subcommand(1);
  policy.footer(R"(Example:
  mulligan policy show > training.yaml && mulligan policy check training.yaml)");
  AddCheck(policy, values, streams, code);
  AddShow(policy, streams, code);
  AddSchema(policy, values, streams, code);
  AddTest(policy, values, streams, code);
  AddDiff(policy, values, streams, code);
}

}  // namespace mulligan::cli
