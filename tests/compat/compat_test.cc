// This build accepts requests of earlier releases, and their clients understand
// its answers. Each folder of tests/compat is a release, written by record.py.

#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/descriptor_database.h>
#include <google/protobuf/dynamic_message.h>
#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "mulligan/v1/retry_decision_service.pb.h"
#include "nlohmann/json.hpp"
#include "policy/decide.h"
#include "policy/loader/load.h"
#include "tests/testing/files.h"
#include "tests/testing/status_matchers.h"

namespace mulligan::compat {
namespace {

using ::google::protobuf::Descriptor;
using ::google::protobuf::FieldDescriptor;
using ::google::protobuf::FileDescriptorProto;
using ::google::protobuf::FileDescriptorSet;
using ::google::protobuf::Message;
using ::testing::IsEmpty;
using ::testing::Not;

// A request to a release, and its response.
struct Call {
  std::string name;
  v1::DecideRequest request;
  // The response as the release sent it, and as this build reads it.
  std::string response_bytes;
  v1::DecideResponse response;
};

std::vector<std::filesystem::path> RecordedReleases() {
  std::vector<std::filesystem::path> releases;
  for (const auto& entry : std::filesystem::directory_iterator(
           testing::SourcePath("tests/compat"))) {
    if (std::filesystem::exists(entry.path() / "calls.jsonl")) {
      releases.push_back(entry.path());
    }
  }
  std::sort(releases.begin(), releases.end());
  return releases;
}

std::string Decoded(const nlohmann::json& text) {
  std::string bytes;
  EXPECT_TRUE(absl::Base64Unescape(text.get<std::string>(), &bytes));
  return bytes;
}

// Whether `message` was sent with a field that its schema lacks.
bool HasUnknown(const Message& message, const std::string& bytes) {
  const std::unique_ptr<Message> known(message.New());
  known->CopyFrom(message);
  known->DiscardUnknownFields();
  return known->ByteSizeLong() != bytes.size();
}

std::vector<Call> Calls(const std::filesystem::path& release) {
  std::vector<Call> calls;
  const auto text = testing::ReadFile(release / "calls.jsonl");
  EXPECT_TRUE(text.ok()) << text.status();
  const std::vector<std::string> lines =
      absl::StrSplit(text.value_or(""), '\n', absl::SkipEmpty());
  for (const std::string& line : lines) {
    const nlohmann::json row = nlohmann::json::parse(line);
    Call& call = calls.emplace_back();
    call.name =
        release.filename().string() + " " + row["name"].get<std::string>();
    const std::string request = Decoded(row["request"]);
    call.response_bytes = Decoded(row["response"]);
    EXPECT_TRUE(call.request.ParseFromString(request)) << call.name;
    EXPECT_FALSE(HasUnknown(call.request, request)) << call.name;
    EXPECT_TRUE(call.response.ParseFromString(call.response_bytes));
  }
  return calls;
}

class CompatTest : public ::testing::Test {
 protected:
  CompatTest() : policies_(LoadPolicies({}, issues_)) {}

  v1::DecideResponse Answer(const v1::DecideRequest& request) const {
    v1::DecideResponse response;
    EXPECT_OK(Decide(request, *policies_, {}, response));
    return response;
  }

  Issues issues_;
  std::unique_ptr<const PolicySet> policies_;
};

TEST_F(CompatTest, AReleaseIsRecorded) {
  ASSERT_THAT(RecordedReleases(), Not(IsEmpty()));
  for (const auto& release : RecordedReleases()) {
    EXPECT_GT(Calls(release).size(), 30U) << release;
  }
}

// Every field it sent is known; the verdict and the payer are the same.
TEST_F(CompatTest, RequestsOfAnEarlierClientGetTheSameVerdict) {
  for (const auto& release : RecordedReleases()) {
    for (const Call& call : Calls(release)) {
      SCOPED_TRACE(call.name);
      const v1::DecideResponse answer = Answer(call.request);
      EXPECT_EQ(answer.decision().action(), call.response.decision().action());
      EXPECT_EQ(answer.decision().scope(), call.response.decision().scope());
      EXPECT_EQ(answer.diagnosis().cause(), call.response.diagnosis().cause());
      EXPECT_EQ(answer.accounting().charged_to(),
                call.response.accounting().charged_to());
      EXPECT_EQ(answer.accounting().duplicate(),
                call.response.accounting().duplicate());
    }
  }
}

// This build recognizes a failure by the id that the earlier release gave it.
TEST_F(CompatTest, AnEarlierLedgerContinues) {
  int charged = 0;
  for (const auto& release : RecordedReleases()) {
    for (Call& call : Calls(release)) {
      SCOPED_TRACE(call.name);
      *call.request.mutable_ledger() = call.response.ledger();
      const v1::DecideResponse answer = Answer(call.request);
      EXPECT_EQ(answer.ledger().attempts_seen(),
                call.response.ledger().attempts_seen());
      for (const auto& [budget, use] : call.response.ledger().budgets()) {
        EXPECT_EQ(answer.ledger().budgets().at(budget).used(), use.used());
      }
      if (call.response.accounting().units() == 0) continue;
      ++charged;
      EXPECT_TRUE(answer.accounting().duplicate());
    }
  }
  EXPECT_GT(charged, 10);
}

// The schemas of a release, as compiled into its clients.
class EarlierSchemas {
 public:
  explicit EarlierSchemas(const std::filesystem::path& release)
      : pool_(&database_) {
    FileDescriptorSet set;
    const auto bytes = testing::ReadFile(release / "descriptors.binpb");
    EXPECT_TRUE(bytes.ok() && set.ParseFromString(*bytes)) << release;
    for (const FileDescriptorProto& file : set.file()) database_.Add(file);
    // Their imports are protobuf's own.
    for (const FileDescriptorProto& file : set.file()) {
      for (const std::string& name : file.dependency()) AddImported(name);
    }
  }

  // `bytes` as a client of the release reads them.
  std::unique_ptr<Message> Read(const std::string& type,
                                const std::string& bytes) {
    const Descriptor* descriptor = pool_.FindMessageTypeByName(type);
    EXPECT_NE(descriptor, nullptr) << type;
    std::unique_ptr<Message> message(factory_.GetPrototype(descriptor)->New());
    EXPECT_TRUE(message->ParseFromString(bytes));
    return message;
  }

 private:
  void AddImported(const std::string& name) {
    FileDescriptorProto known;
    if (database_.FindFileByName(name, &known)) return;
    const auto* file =
        google::protobuf::DescriptorPool::generated_pool()->FindFileByName(
            name);
    ASSERT_NE(file, nullptr) << name;
    file->CopyTo(&known);
    database_.Add(known);
    for (const std::string& next : known.dependency()) AddImported(next);
  }

  google::protobuf::SimpleDescriptorDatabase database_;
  google::protobuf::DescriptorPool pool_;
  google::protobuf::DynamicMessageFactory factory_;
};

const Message& PartNamed(const Message& message, const std::string& name) {
  const FieldDescriptor* field = message.GetDescriptor()->FindFieldByName(name);
  return message.GetReflection()->GetMessage(message, field);
}

int Number(const Message& message, const std::string& name) {
  const FieldDescriptor* field = message.GetDescriptor()->FindFieldByName(name);
  return message.GetReflection()->GetEnumValue(message, field);
}

// Dynamic messages keep enum numbers without a name; a client would not act on
// them.
bool IsNamed(const Message& message, const std::string& name) {
  const FieldDescriptor* field = message.GetDescriptor()->FindFieldByName(name);
  return field->enum_type()->FindValueByNumber(Number(message, name)) !=
         nullptr;
}

TEST_F(CompatTest, AnEarlierClientUnderstandsTheVerdict) {
  for (const auto& release : RecordedReleases()) {
    EarlierSchemas schemas(release);
    for (const Call& call : Calls(release)) {
      SCOPED_TRACE(call.name);
      const auto read = schemas.Read("mulligan.v1.DecideResponse",
                                     Answer(call.request).SerializeAsString());
      const Message& decision = PartNamed(*read, "decision");
      EXPECT_TRUE(IsNamed(decision, "action"));
      EXPECT_TRUE(IsNamed(decision, "scope"));
      EXPECT_TRUE(IsNamed(PartNamed(*read, "diagnosis"), "cause"));
    }
  }
}

// The worst that a client may do to a ledger: read it with old schemas and
// store it as JSON, which drops unknown fields.
TEST_F(CompatTest, ALedgerSurvivesAnEarlierClient) {
  for (const auto& release : RecordedReleases()) {
    EarlierSchemas schemas(release);
    for (Call& call : Calls(release)) {
      SCOPED_TRACE(call.name);
      const v1::DecideResponse answer = Answer(call.request);
      const auto read = schemas.Read("mulligan.v1.BudgetLedger",
                                     answer.ledger().SerializeAsString());
      std::string stored;
      ASSERT_TRUE(
          google::protobuf::util::MessageToJsonString(*read, &stored).ok());
      v1::BudgetLedger& sent = *call.request.mutable_ledger();
      sent.Clear();
      ASSERT_TRUE(
          google::protobuf::util::JsonStringToMessage(stored, &sent).ok());
      const v1::DecideResponse again = Answer(call.request);
      EXPECT_EQ(again.decision().action(), answer.decision().action());
      EXPECT_EQ(again.accounting().units(), 0);
      for (const auto& [budget, use] : answer.ledger().budgets()) {
        EXPECT_EQ(again.ledger().budgets().at(budget).used(), use.used());
      }
    }
  }
}

TEST_F(CompatTest, APolicyOfAnEarlierReleaseLoads) {
  for (const auto& release : RecordedReleases()) {
    for (const auto& entry :
         std::filesystem::directory_iterator(release / "policies")) {
      ASSERT_OK_AND_ASSIGN(const std::string text,
                           testing::ReadFile(entry.path()));
      Issues issues;
      EXPECT_NE(LoadPolicies({PolicyText{entry.path().string(), text}}, issues),
                nullptr)
          << entry.path();
    }
  }
}

}  // namespace
}  // namespace mulligan::compat
