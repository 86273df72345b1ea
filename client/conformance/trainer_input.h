// Reading the cases of kubeflow/trainer, whose texts say much in words.
#ifndef MULLIGAN_CLIENT_CONFORMANCE_TRAINER_INPUT_H_
#define MULLIGAN_CLIENT_CONFORMANCE_TRAINER_INPUT_H_

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "client/conformance/case.h"
#include "google/protobuf/timestamp.pb.h"

namespace mulligan::conformance {

// The repository holds four code bases, told by the commit in the source.
enum class TrainerEra {
  // TrainJob on the default branch.
  kTrainer,
  // TrainJob as KEP-2170 designed it and #2322 first built it.
  kKep2170,
  // training-operator v1.
  kTrainingOperator,
  // tf-operator of 2018.
  kTfOperator,
};

TrainerEra EraOf(const CaseInput& input);

// "Now" of the cases, whose peers' tests run on relative times.
google::protobuf::Timestamp TrainerNow();
// That long before it.
google::protobuf::Timestamp TrainerAgo(absl::Duration duration);

// The member, or null.
Json MemberOrNull(const Json& object, std::string_view name);
// The text of the member, or nothing.
std::string TextOf(const Json& object, std::string_view name);

// Whether any of the words is in the text; case does not matter.
bool Mentions(std::string_view text,
              std::initializer_list<std::string_view> words);

// A number of seconds, or one in words: ">1", "more than 1" and "1+" are a
// moment more, "a few" is 5.
absl::StatusOr<absl::Duration> SecondsIn(const Json& json,
                                         std::string_view what);

// RFC 3339, "now", "3s ago".
absl::StatusOr<google::protobuf::Timestamp> TrainerTime(const Json& json,
                                                        std::string_view what);

// A list of conditions; a text is one in short, "Failed=True (FailedJobs)", and
// True when it is only a name.
absl::StatusOr<Json> ConditionObjects(const Json& list);

// The list's texts, or the one text; empty for anything else.
std::vector<std::string> TextsOf(const Json& json);

// A condition as an object, and in short as "Failed=True", "Failed=True
// (FailedJobs)" and, when True, by its name.
Json ConditionFact(const Json& condition);

// UNIMPLEMENTED naming the member.
absl::Status NotUnderstood(std::string_view member, const Json& json);

}  // namespace mulligan::conformance

#endif  // MULLIGAN_CLIENT_CONFORMANCE_TRAINER_INPUT_H_
