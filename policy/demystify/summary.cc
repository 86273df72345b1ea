#include "policy/demystify/summary.h"

#include <algorithm>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "policy/base/utf8.h"
#include "policy/demystify/fact.h"
#include "policy/demystify/gang.h"
#include "policy/demystify/member.h"

namespace mulligan::demystify {
namespace {

class SummaryWriter {
 public:
  SummaryWriter(const v1::FailureReport& report, const Conclusion& conclusion,
                const v1::Diagnosis& diagnosis)
      : report_(report),
        conclusion_(conclusion),
        winner_(conclusion.decisive()),
        naming_(conclusion.naming()),
        diagnosis_(diagnosis) {}

  std::string Write() const {
    std::string text;
    text.reserve(160);
    if (conclusion_.cause == v1::NOT_FAILED) {
      if (winner_ == nullptr && !report_.exit().message().empty()) {
        return "Whether it failed is not told: there is no exit code, and no "
               "known failure in the words.";
      }
      text = Before();
      if (winner_ == nullptr) {
        return text +
               ", as far as the report says: nothing in it tells how "
               "the work fares.";
      }
      const ObjectName object = ObjectOf(report_, winner_->place);
      absl::StrAppend(&text, ": ", Excerpt(object.kind),
                      object.name.empty() ? "" : " ", Excerpt(object.name),
                      ": ", std::string(winner_->row->meaning));
      if (winner_->place.root != Root::kPods) {
        absl::StrAppend(&text, " (", ValueOf(report_, *winner_), ")");
      }
      text.push_back('.');
      return text;
    }
    WriteSubject(text);
    text.append(": ");
    if (naming_ != winner_) {
      absl::StrAppend(&text, "it is ", v1::Cause_Name(conclusion_.cause),
                      " by the word of ", ValueOf(report_, *naming_));
    } else {
      text.append(winner_->row->meaning);
    }
    const bool says_code =
        naming_->row->meaning.find("exit code") != std::string_view::npos;
    if (conclusion_.exit_code.value_or(0) != 0 && !says_code) {
      absl::StrAppend(&text, " (exit code ", *conclusion_.exit_code, ")");
    }
    const auto& cascades = conclusion_.gang.cascades;
    if (!cascades.empty()) {
      const bool told =
          std::ranges::any_of(cascades, [](const PodReading* member) {
            return ClassOf(*member) == GangClass::kEcho;
          });
      absl::StrAppend(&text, "; ", cascades.size(),
                      cascades.size() == 1 ? " other member" : " other members",
                      told ? " died because of it" : " ended with it");
    }
    const std::string& stands_out = conclusion_.gang.stands_out;
    if (winner_->place.root == Root::kPods && !stands_out.empty()) {
      absl::StrAppend(&text, "; ", Excerpt(stands_out));
    }
    text.push_back('.');
    return text;
  }

 private:
  void WriteSubject(std::string& text) const {
    const v1::Culprit& culprit = diagnosis_.culprit();
    const bool about_object = !culprit.name().empty() && winner_ != nullptr &&
                              winner_->place.root != Root::kEvents;
    if (about_object || culprit.pod().empty()) {
      if (!culprit.name().empty()) {
        absl::StrAppend(&text, culprit.kind(), " ", culprit.name());
      } else if (!culprit.node().empty()) {
        absl::StrAppend(&text, "Node ", culprit.node());
      } else {
        text.append("The workload");
        WriteContainer(text);
      }
      return;
    }
    absl::StrAppend(&text, "Pod ", culprit.pod());
    WriteContainer(text);
  }

  void WriteContainer(std::string& text) const {
    const std::string& container = diagnosis_.culprit().container();
    if (!container.empty()) absl::StrAppend(&text, ", container ", container);
  }

  // Pods that failed before do not end what goes on, but they did fail.
  std::string Before() const {
    const auto& pods = report_.pods();
    const auto failed = std::ranges::count_if(
        pods, [](const auto& pod) { return pod.status().phase() == "Failed"; });
    if (failed == 0) return "Nothing has failed";
    return absl::StrCat(failed, failed == 1 ? " pod" : " pods",
                        " failed before, and the work goes on");
  }

  const v1::FailureReport& report_;
  const Conclusion& conclusion_;
  const Candidate* const winner_;
  const Candidate* const naming_;
  const v1::Diagnosis& diagnosis_;
};

}  // namespace

std::string Summarize(const v1::FailureReport& report,
                      const Conclusion& conclusion,
                      const v1::Diagnosis& diagnosis) {
  return SummaryWriter(report, conclusion, diagnosis).Write();
}

}  // namespace mulligan::demystify
