#include "client/cli/input/pasted_text.h"

#include <string>

#include "re2/re2.h"

namespace mulligan::cli {
namespace {

// A text for people that is pasted in the place of objects: how it begins, what
// it is, and what to give instead.
struct PastedText {
  std::string_view begins;
  // Another line of it begins so; empty: none has to.
  std::string_view has;
  std::string_view what;
};

constexpr std::string_view kGetTable =
    "what `kubectl get` prints for people, expected objects: use `kubectl get "
    "... -o yaml` or `-o json`";
constexpr std::string_view kDescription =
    "what `kubectl describe` prints for people, expected objects: use `kubectl "
    "get ... -o yaml` or `-o json`";
constexpr std::string_view kEvents =
    "the section Events of what `kubectl describe` prints for people, expected "
    "objects: use `kubectl get events -o json` beside those of the workload";
constexpr std::string_view kGone =
    "kubectl's answer that there is no such object: give what is left of its "
    "workload, `kubectl get jobs,pods,events -o json`";
constexpr std::string_view kRefused =
    "an error of kubectl, expected objects: `kubectl get ... -o json` has to "
    "succeed first";
constexpr std::string_view kFence =
    "fenced as Markdown, expected the objects alone: leave out the lines that "
    "begin with ```";
constexpr std::string_view kPrompt =
    "a command with what it printed, expected the objects alone: leave out the "
    "line with the command";
constexpr PastedText kPastedTexts[] = {
    {"```", "", kFence},
    {"$ kubectl ", "", kPrompt},
    {"kubectl get ", "\n", kPrompt},
    {"NAME ", "", kGetTable},
    {"NAMESPACE ", "", kGetTable},
    {"LAST SEEN ", "", kGetTable},
    {"Name: ", "\nNamespace:", kDescription},
    {"Name: ", "\nLabels:", kDescription},
    {"Events:", "\n  Type ", kEvents},
    {"Error from server (NotFound)", "", kGone},
    {"No resources found", "", kGone},
    {"Error from server", "", kRefused},
    {"error: ", "", kRefused},
    {"The connection to the server ", "", kRefused},
    {"Unable to connect to the server", "", kRefused},
};

}  // namespace

std::string_view WhatIsPasted(std::string_view text) {
  for (const PastedText& pasted : kPastedTexts) {
    if (text.starts_with(pasted.begins) && text.find(pasted.has) != text.npos) {
      return pasted.what;
    }
  }
  // Of pods, with --no-headers: "ml train-0 0/1 Error 2 (5m ago) 5m".
  static const RE2 kRow(
      R"((?:\S+ +)?[a-z0-9.-]+ +\d+/\d+ +[A-Z][\w:/]+ +\d+(?: \(\w+ ago\))? +\d+[smhdy]\S*.*)");
  return RE2::FullMatch(std::string(text.substr(0, text.find('\n'))), kRow)
             ? kGetTable
             : "";
}

}  // namespace mulligan::cli
