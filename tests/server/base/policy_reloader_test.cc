#include "server/policies/policy_reloader.h"

#include <spdlog/sinks/ostream_sink.h>

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"

namespace mulligan {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::IsOk;
using ::testing::Not;
using testing::StatusIs;
using testing::TempDir;

constexpr char kBroken[] = "kind: RetryPolicy\n";

// A catch-all policy.
std::string Policy(const std::string& name, const std::string& more = "") {
  return absl::StrFormat(
      "apiVersion: mulligan.dev/v1\nkind: RetryPolicy\n"
      "metadata: {name: %s}\nspec:\n  default: {action: FAIL}\n%s",
      name, more);
}

class PolicyReloaderTest : public ::testing::Test {
 protected:
  PolicyReloaderTest() { folder_.Write("a.yaml", Policy("first")); }

  absl::Status Start() {
    source_ = MakePolicySource(folder_.path());
    auto reloader = PolicyReloader::Create(
        "policies", *source_,
        {[this](const PolicySet&, absl::Time) {
           events_.emplace_back("loaded");
           return PolicySeries();
         },
         [this](absl::Time) { events_.emplace_back("failed"); },
         [this] { events_.emplace_back("restored"); }},
        log_);
    if (!reloader.ok()) return reloader.status();
    reloader_ = *std::move(reloader);
    return absl::OkStatus();
  }

  const Snapshot& Read() const { return reloader_->snapshots().Read(); }
  bool HasPolicy(const std::string& name) const {
    return Read().policies->Find(name) != nullptr;
  }

  TempDir folder_;
  std::ostringstream log_text_;
  const Log log_{LogLevel::kInfo, LogFormat::kJson,
                 std::make_shared<spdlog::sinks::ostream_sink_mt>(log_text_)};
  std::unique_ptr<PolicySource> source_;
  std::vector<std::string> events_;
  std::unique_ptr<PolicyReloader> reloader_;
};

TEST_F(PolicyReloaderTest, FirstLoadMustSucceed) {
  folder_.Write("b.yaml", kBroken);
  EXPECT_THAT(Start(), StatusIs(absl::StatusCode::kInvalidArgument,
                                AllOf(HasSubstr("b.yaml"),
                                      HasSubstr("name is missing"))));
}

TEST_F(PolicyReloaderTest, LoadsOnlyChanges) {
  ASSERT_THAT(Start(), IsOk());
  const std::string first = Read().policies->revision();
  reloader_->Poll();
  EXPECT_THAT(events_, ElementsAre("loaded"));
  folder_.Write("a.yaml", Policy("second"));
  reloader_->Poll();
  reloader_->Poll();
  EXPECT_THAT(events_, ElementsAre("loaded", "loaded"));
  EXPECT_TRUE(HasPolicy("second"));
  EXPECT_NE(Read().policies->revision(), first);
}

TEST_F(PolicyReloaderTest, ReloadLoadsUnchangedFiles) {
  ASSERT_THAT(Start(), IsOk());
  reloader_->Reload();
  EXPECT_THAT(events_, ElementsAre("loaded", "loaded"));
}

struct DamageCase {
  const char* name;
  void (*damage)(const TempDir& folder);
  const char* error;
};

class DamagedFolderTest : public PolicyReloaderTest,
                          public ::testing::WithParamInterface<DamageCase> {};

// Reports the failure once and keeps the last good set; then the files are
// repaired.
TEST_P(DamagedFolderTest, KeepsLastGoodSet) {
  ASSERT_THAT(Start(), IsOk());
  const std::string revision = Read().policies->revision();
  const absl::Time before = absl::Now();
  GetParam().damage(folder_);
  for (int i = 0; i < 3; ++i) reloader_->Poll();
  EXPECT_THAT(events_, ElementsAre("loaded", "failed"));
  EXPECT_EQ(Read().policies->revision(), revision);
  EXPECT_THAT(Read().last_error, HasSubstr(GetParam().error));
  ASSERT_TRUE(Read().stale_since.has_value());
  const absl::Time since = *Read().stale_since;
  EXPECT_GE(since, before);
  EXPECT_THAT(
      log_text_.str(),
      AllOf(HasSubstr("policies not loaded, the old ones stay in force"),
            HasSubstr("\"stale_since\":\""), HasSubstr(revision)));

  // Another mistake does not reset the time.
  fs::remove_all(folder_.path());
  folder_.Write("a.yaml", "another mistake");
  reloader_->Poll();
  EXPECT_EQ(Read().stale_since, since);

  folder_.Write("a.yaml", Policy("first"));
  reloader_->Poll();
  EXPECT_THAT(events_, ElementsAre("loaded", "failed", "failed", "restored"));
  EXPECT_FALSE(Read().stale_since.has_value());
  EXPECT_THAT(Read().last_error, IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(
    All, DamagedFolderTest,
    ::testing::Values(
        DamageCase{
            "Broken",
            [](const TempDir& folder) { folder.Write("a.yaml", kBroken); },
            "name is missing"},
        DamageCase{
            "Empty",
            [](const TempDir& folder) { fs::remove(folder.path() / "a.yaml"); },
            "holds no *.yaml"},
        DamageCase{"Gone",
                   [](const TempDir& folder) { fs::remove_all(folder.path()); },
                   "No such file or directory"},
        DamageCase{"NoFile",
                   [](const TempDir& folder) {
                     fs::remove(folder.path() / "a.yaml");
                     fs::create_directory(folder.path() / "a.yaml");
                   },
                   "not a regular file"},
        DamageCase{"TooLarge",
                   [](const TempDir& folder) {
                     folder.Write("a.yaml", std::string(300 << 10, '#'));
                   },
                   "larger than 256 KiB"}),
    [](const auto& damage) { return damage.param.name; });

// Compiling these patterns exceeds what loading may cost.
TEST_F(PolicyReloaderTest, CompilesABadFolderOnce) {
  ASSERT_THAT(Start(), IsOk());
  std::string signatures = "  signatures:\n";
  for (int i = 0; i < 900; ++i) {
    absl::StrAppendFormat(&signatures,
                          "    - {name: s%d, cause: APP_ERROR, "
                          "messagePattern: '%s'}\n",
                          i, "(?i)\\PL\\PL\\PL\\PL");
  }
  folder_.Write("a.yaml", Policy("slow", signatures));
  const absl::Time start = absl::Now();
  reloader_->Poll();
  EXPECT_LT(absl::Now() - start, absl::Seconds(20)) << "with a sanitizer";
  EXPECT_TRUE(Read().stale_since.has_value());
  const absl::Time again = absl::Now();
  for (int i = 0; i < 20; ++i) reloader_->Poll();
  EXPECT_LT(absl::Now() - again, absl::Seconds(1));
  EXPECT_THAT(events_, ElementsAre("loaded", "failed"));
}

// Changes files like the kubelet changes a mounted ConfigMap.
class ConfigMap {
 public:
  explicit ConfigMap(const TempDir& folder) : folder_(folder) {}

  void Swap(const std::vector<std::pair<std::string, std::string>>& files) {
    const std::string version = absl::StrFormat("..version_%d", ++version_);
    for (const auto& [name, text] : files) {
      folder_.Write(fs::path(version) / name, text);
    }
    const fs::path next = folder_.path() / "..data_tmp";
    fs::create_directory_symlink(version, next);
    fs::rename(next, folder_.path() / "..data");
    for (const auto& [name, text] : files) {
      if (fs::is_symlink(folder_.path() / name)) continue;
      fs::create_symlink(fs::path("..data") / name, folder_.path() / name);
    }
    if (!last_.empty()) fs::remove_all(folder_.path() / last_);
    last_ = version;
  }

 private:
  const TempDir& folder_;
  int version_ = 0;
  std::string last_;
};

TEST_F(PolicyReloaderTest, NeverMixesVersionsDuringASwap) {
  fs::remove(folder_.path() / "a.yaml");
  ConfigMap mounted(folder_);
  const auto swap_to = [&mounted](const std::string& version) {
    mounted.Swap({{"a.yaml", Policy("a-" + version)},
                  {"b.yaml", Policy("b-" + version, "  onlyByName: true\n")}});
  };
  swap_to("0");
  ASSERT_THAT(Start(), IsOk());
  std::atomic<bool> done = false;
  std::thread kubelet([&] {
    for (int i = 1; i <= 300; ++i) swap_to(std::to_string(i % 2));
    done = true;
  });
  int loads = 0;
  while (!done) {
    reloader_->Poll();
    EXPECT_EQ(HasPolicy("a-0"), HasPolicy("b-0"));
    EXPECT_EQ(HasPolicy("a-1"), HasPolicy("b-1"));
    ++loads;
  }
  kubelet.join();
  reloader_->Poll();
  EXPECT_TRUE(HasPolicy("a-0"));
  EXPECT_FALSE(Read().stale_since.has_value()) << Read().last_error;
  EXPECT_GT(loads, 1);
}

TEST_F(PolicyReloaderTest, PollsOnItsOwnThread) {
  ASSERT_THAT(Start(), IsOk());
  reloader_->StartPolling(absl::Milliseconds(5));
  folder_.Write("a.yaml", Policy("second"));
  const absl::Time deadline = absl::Now() + absl::Seconds(30);
  while (!HasPolicy("second") && absl::Now() < deadline) {
    absl::SleepFor(absl::Milliseconds(1));
  }
  EXPECT_TRUE(HasPolicy("second"));
  reloader_.reset();
  EXPECT_THAT(log_text_.str(), Not(HasSubstr("\"level\":\"error\"")));
}

TEST_F(PolicyReloaderTest, IgnoresSuitesNextToPolicies) {
  folder_.Write("a_test.yaml", "kind: RetryPolicyTest\n");
  EXPECT_THAT(Start(), IsOk());
}

}  // namespace
}  // namespace mulligan
