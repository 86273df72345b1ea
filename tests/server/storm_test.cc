// Connections that never become calls, as fast as they can be made.
#include <atomic>
#include <chrono>
#include <csignal>
#include <deque>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/server/program.h"
#include "tests/server/raw_caller.h"
#include "tests/server/sockets.h"
#include "tests/server/tls_fixture.h"

namespace mulligan {
namespace {

using testing::ClientHello;
using testing::ConnectFrom;
using ::testing::HasSubstr;
using testing::Http;
using testing::Identity;
using testing::MakeIdentity;
using testing::Program;
using testing::Serving;
using Clock = std::chrono::steady_clock;

constexpr int kHonestCalls = 100;
constexpr std::chrono::seconds kPrompt(1);

// Goes on on threads of its own until this ends.
class Background {
 public:
  Background(int threads, const std::function<void(int)>& work) {
    for (int i = 0; i < threads; ++i) {
      threads_.emplace_back([this, i, work] {
        while (!over_) work(i);
      });
    }
  }
  ~Background() {
    over_ = true;
    for (std::thread& thread : threads_) thread.join();
  }
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

 private:
  std::atomic<bool> over_ = false;
  std::vector<std::thread> threads_;
};

// Keeps 700 connections open that have said `words`, and replaces the oldest
// again and again.
class HalfHandshakes {
 public:
  HalfHandshakes(int port, const std::string& source, const std::string& words)
      : renewing_(1, [this, port, source, words](int) {
          open_.push_back(ConnectFrom(source, port));
          testing::Send(open_.back(), words);
          if (open_.size() > kOpen) open_.pop_front();
          ++made_;
        }) {
    while (made_ < kOpen) std::this_thread::yield();
  }

  int made() const { return made_; }

 private:
  static constexpr int kOpen = 700;
  std::deque<OwnedDescriptor> open_;
  std::atomic<int> made_ = 0;
  Background renewing_;
};

class StormTest : public testing::TlsTest {
 protected:
  static std::vector<std::string> Flags(const std::vector<std::string>& more) {
    std::vector<std::string> flags =
        Serving({"--admin-address=127.0.0.1:0", "--max-connections=500"});
    flags.insert(flags.end(), more.begin(), more.end());
    return flags;
  }

  // Calls, each on a connection of its own, and asks for /livez in between;
  // how many calls were answered.
  int Answered(Program& program, const Identity* identity) {
    const int port = program.grpc_port();
    int answered = 0;
    for (int i = 0; i < kHonestCalls; ++i) {
      const auto channel =
          identity == nullptr
              ? Connect(port, grpc::InsecureChannelCredentials())
              : Connect(port, authority_, identity);
      answered += Decide(channel).ok() ? 1 : 0;
      const Clock::time_point asked = Clock::now();
      EXPECT_THAT(Http(program.admin_port(), "GET", "/livez"),
                  HasSubstr("200 OK"));
      EXPECT_LT(Clock::now() - asked, kPrompt);
    }
    return answered;
  }

  static void ExpectPromptStop(Program& program) {
    const Clock::time_point asked = Clock::now();
    program.Signal(SIGTERM);
    EXPECT_EQ(program.Wait(), 0);
    EXPECT_LT(Clock::now() - asked, 5 * kPrompt);
  }

  std::vector<std::string> TlsFlags() const {
    const TlsFiles tls = Options().tls;
    return Flags({"--tls-cert=" + tls.certificate, "--tls-key=" + tls.key,
                  "--tls-client-ca=" + tls.client_ca});
  }
};

constexpr int kEnough = kHonestCalls * 99 / 100;

TEST_F(StormTest, OfResetsKeepsNobodyOut) {
  Program program(Flags({}));
  const int port = program.grpc_port();
  ASSERT_NE(port, 0) << program.output();
  const Background storm(4, [port](int i) {
    testing::Reset(ConnectFrom(absl::StrCat("127.0.0.", 1 + i), port));
  });
  EXPECT_GE(Answered(program, nullptr), kEnough);
  ExpectPromptStop(program);
}

TEST_F(StormTest, OfHalfTlsHandshakesKeepsNobodyOut) {
  Program program(TlsFlags());
  const int port = program.grpc_port();
  ASSERT_NE(port, 0) << program.output();
  const Identity caller = MakeIdentity(authority_, {kOperator});
  const std::string hello = ClientHello();
  for (const char* const source : {"127.0.0.2", "127.0.0.1"}) {
    SCOPED_TRACE(source);
    const HalfHandshakes halves(port, source, hello);
    EXPECT_GE(Answered(program, &caller), kEnough);
  }
  ExpectPromptStop(program);
}

TEST_F(StormTest, OfHalfPrefacesKeepsNobodyOut) {
  Program program(Flags({}));
  const int port = program.grpc_port();
  ASSERT_NE(port, 0) << program.output();
  for (const char* const source : {"127.0.0.2", "127.0.0.1"}) {
    SCOPED_TRACE(source);
    const HalfHandshakes halves(port, source, "PRI * HT");
    EXPECT_GE(Answered(program, nullptr), kEnough);
  }
  ExpectPromptStop(program);
}

}  // namespace
}  // namespace mulligan
