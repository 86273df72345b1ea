// Kubernetes publishes one object of each kind with every field filled, as JSON
// and as wire bytes. Both must decode to the same message here: a wrong field
// number, type or JSON name in a mirror loses a field on one of the two sides.

#include <google/protobuf/message.h>
#include <google/protobuf/util/json_util.h>

#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "mulligan/kubernetes/batch/v1/job.pb.h"
#include "mulligan/kubernetes/core/v1/event.pb.h"
#include "mulligan/kubernetes/core/v1/node.pb.h"
#include "mulligan/kubernetes/core/v1/pod.pb.h"
#include "mulligan/kubernetes/meta/v1/unknown.pb.h"
#include "tests/proto/populated_fields.h"
#include "tests/testing/files.h"
#include "tests/testing/proto_matchers.h"
#include "tests/testing/status_matchers.h"

namespace mulligan::testing {
namespace {

using ::google::protobuf::Message;
using kubernetes::batch::v1::Job;
using kubernetes::core::v1::Pod;
using ::testing::ElementsAreArray;

template <typename Quantities, typename Values>
void AsValues(Quantities& quantities, Values& values) {
  for (const auto& [name, quantity] : quantities) {
    values[name].set_string_value(quantity.string());
  }
  quantities.clear();
}

template <typename Containers>
void ResourcesAsValues(Containers& containers) {
  for (auto& container : containers) {
    if (!container.has_resources()) continue;
    auto& all = *container.mutable_resources();
    AsValues(*all.mutable_limit_quantities(), *all.mutable_limits());
    AsValues(*all.mutable_request_quantities(), *all.mutable_requests());
  }
}

// Moves fields of the wire format to where Go's JSON has them.
void AsInJson(Message& object) {
  auto* const pod = dynamic_cast<Pod*>(&object);
  auto* const job = dynamic_cast<Job*>(&object);
  if (pod == nullptr && job == nullptr) return;
  auto& spec = pod != nullptr
                   ? *pod->mutable_spec()
                   : *job->mutable_spec()->mutable_template_()->mutable_spec();
  for (auto& volume : *spec.mutable_volumes()) {
    auto& source = *volume.mutable_volume_source();
    if (source.has_persistent_volume_claim()) {
      volume.mutable_persistent_volume_claim()->Swap(
          source.mutable_persistent_volume_claim());
    }
    if (source.has_empty_dir()) {
      auto& folder = *volume.mutable_empty_dir();
      folder.Swap(source.mutable_empty_dir());
      if (folder.has_size_limit_quantity()) {
        folder.mutable_size_limit()->set_string_value(
            folder.size_limit_quantity().string());
        folder.clear_size_limit_quantity();
      }
    }
    if (source.has_host_path()) {
      volume.mutable_host_path()->Swap(source.mutable_host_path());
    }
    volume.clear_volume_source();
  }
  ResourcesAsValues(*spec.mutable_containers());
  ResourcesAsValues(*spec.mutable_init_containers());
}

struct Fixture {
  const char* file;
  const Message* prototype;
  // Fields of our subset that the published object leaves unset.
  std::vector<std::string> unpopulated;
};

// Returns the fields of a pod's specification that only the wire format has.
std::vector<std::string> InBytesOnly(const std::string& spec) {
  std::vector<std::string> fields = {
      spec + ".volumes.volume_source",
      spec + ".volumes.empty_dir.size_limit_quantity"};
  for (const char* containers : {".containers", ".init_containers"}) {
    for (const char* field : {"limit_quantities", "request_quantities"}) {
      fields.push_back(spec + containers + ".resources." + field);
    }
  }
  return fields;
}

class WireFixtureTest : public ::testing::TestWithParam<Fixture> {
 protected:
  void SetUp() override {
    const std::string file = GetParam().file;
    const auto folder = SourcePath("tests/proto/testdata/wire");
    ASSERT_OK_AND_ASSIGN(const std::string bytes,
                         ReadFile(folder / (file + ".pb")));
    ASSERT_OK_AND_ASSIGN(const std::string json,
                         ReadFile(folder / (file + ".json")));

    const std::string magic("k8s\0", 4);
    ASSERT_EQ(bytes.substr(0, magic.size()), magic);
    ASSERT_TRUE(envelope_.ParseFromString(bytes.substr(magic.size())));
    from_bytes_.reset(GetParam().prototype->New());
    ASSERT_TRUE(from_bytes_->ParseFromString(envelope_.raw()));
    from_bytes_->DiscardUnknownFields();
    AsInJson(*from_bytes_);

    from_json_.reset(GetParam().prototype->New());
    google::protobuf::util::JsonParseOptions options;
    options.ignore_unknown_fields = true;
    const auto status = google::protobuf::util::JsonStringToMessage(
        json, from_json_.get(), options);
    ASSERT_TRUE(status.ok()) << status.ToString();
  }

  kubernetes::meta::v1::Unknown envelope_;
  std::unique_ptr<Message> from_bytes_;
  std::unique_ptr<Message> from_json_;
};

TEST_P(WireFixtureTest, EnvelopeNamesTheType) {
  EXPECT_EQ(envelope_.type_meta().kind(),
            GetParam().prototype->GetDescriptor()->name());
}

TEST_P(WireFixtureTest, BytesAndJsonDecodeEqually) {
  EXPECT_THAT(*from_json_, EqualsProto(*from_bytes_));
}

TEST_P(WireFixtureTest, FixtureExercisesEveryFieldOfTheMirror) {
  EXPECT_THAT(UnpopulatedFields(*from_bytes_, "mulligan."),
              ElementsAreArray(GetParam().unpopulated));
}

TEST_P(WireFixtureTest, BytesRoundTrip) {
  const std::unique_ptr<Message> again(GetParam().prototype->New());
  ASSERT_TRUE(again->ParseFromString(from_bytes_->SerializeAsString()));
  EXPECT_THAT(*again, EqualsProto(*from_bytes_));
}

INSTANTIATE_TEST_SUITE_P(
    Kubernetes, WireFixtureTest,
    ::testing::Values(Fixture{"core.v1.Pod", &Pod::default_instance(),
                              InBytesOnly("spec")},
                      Fixture{"batch.v1.Job", &Job::default_instance(),
                              InBytesOnly("spec.template.spec")},
                      Fixture{"core.v1.Node",
                              &kubernetes::core::v1::Node::default_instance(),
                              {}},
                      Fixture{"core.v1.Event",
                              &kubernetes::core::v1::Event::default_instance(),
                              {}}),
    [](const auto& param_info) {
      return param_info.param.prototype->GetDescriptor()->name();
    });

}  // namespace
}  // namespace mulligan::testing
