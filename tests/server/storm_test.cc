// Floods of connections that never become calls.
#include <sys/socket.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/server/http2_frames.h"
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
using testing::RawCaller;
using testing::Serving;
using Clock = std::chrono::steady_clock;

constexpr int kHonestCalls = 100;
constexpr std::chrono::seconds kPrompt(1);
constexpr std::chrono::seconds kPatience(30);

// Repeats `work` on its own threads until destroyed.
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

// Returns whether the peer has ended it. Ignores what it has sent.
bool IsOver(const OwnedDescriptor& connection) {
  char ignored[4096];
  ssize_t got = 0;
  do {
    got = recv(connection.number(), ignored, sizeof(ignored), MSG_DONTWAIT);
  } while (got > 0);
  return got == 0 || errno != EAGAIN;
}

// At full speed, honest callers on an attacker's address would be refused too.
constexpr struct {
  const char* source;
  std::chrono::milliseconds between;  // two that are reopened
} kAttackers[] = {{"127.0.0.2", std::chrono::milliseconds(0)},
                  {"127.0.0.1", std::chrono::milliseconds(2)}};

// Holds 700 connections that have sent `words`, and reopens those that end.
class HalfHandshakes {
 public:
  HalfHandshakes(int port, const std::string& source,
                 std::chrono::milliseconds between, const std::string& words)
      : renewing_(1, [this, port, source, between, words](int) {
          for (OwnedDescriptor& one : held_) {
            if (one.valid() && !IsOver(one)) continue;
            one = ConnectFrom(source, port);
            testing::Send(one, words);
            if (all_there_) std::this_thread::sleep_for(between);
          }
          all_there_ = true;
        }) {
    while (!all_there_) std::this_thread::yield();
  }

 private:
  std::array<OwnedDescriptor, 700> held_;
  std::atomic<bool> all_there_ = false;
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

  // Makes calls, each on its own connection, and reads /livez in between.
  // Returns the number of calls answered.
  int Answered(Program& program, const Identity* identity) {
    const int port = program.grpc_port();
    int answered = 0;
    for (int i = 0; i < kHonestCalls; ++i) {
      answered += Decide(Honest(port, identity)).ok() ? 1 : 0;
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
  std::vector<std::string> FlagsFor(const Identity* identity) const {
    return identity == nullptr ? Flags({}) : TlsFlags();
  }

  // Returns a channel with its own connection.
  std::shared_ptr<grpc::Channel> Honest(int port, const Identity* identity) {
    return identity == nullptr
               ? Connect(port, grpc::InsecureChannelCredentials())
               : Connect(port, authority_, identity);
  }
};

constexpr int kEnough = kHonestCalls * 99 / 100;

TEST_F(StormTest, OfResetsDoesNotBlockCallers) {
  Program program(Flags({}));
  const int port = program.grpc_port();
  ASSERT_NE(port, 0) << program.output();
  const Background storm(4, [port](int i) {
    testing::Reset(ConnectFrom(absl::StrCat("127.0.0.", 1 + i), port));
  });
  EXPECT_GE(Answered(program, nullptr), kEnough);
  ExpectPromptStop(program);
}

TEST_F(StormTest, OfHalfTlsHandshakesDoesNotBlockCallers) {
  Program program(TlsFlags());
  const int port = program.grpc_port();
  ASSERT_NE(port, 0) << program.output();
  const Identity caller = MakeIdentity(authority_, {kOperator});
  const std::string hello = ClientHello();
  for (const auto& [source, between] : kAttackers) {
    SCOPED_TRACE(source);
    const HalfHandshakes halves(port, source, between, hello);
    EXPECT_GE(Answered(program, &caller), kEnough);
  }
  ExpectPromptStop(program);
}

TEST_F(StormTest, OfHalfPrefacesDoesNotBlockCallers) {
  Program program(Flags({}));
  const int port = program.grpc_port();
  ASSERT_NE(port, 0) << program.output();
  for (const auto& [source, between] : kAttackers) {
    SCOPED_TRACE(source);
    const HalfHandshakes halves(port, source, between, "PRI * HT");
    EXPECT_GE(Answered(program, nullptr), kEnough);
  }
  ExpectPromptStop(program);
}

// Each new caller replaces an idle one, and is not replaced by one that resets.
TEST_F(StormTest, OfResetsDoesNotBlockAFullTable) {
  const Identity caller = MakeIdentity(authority_, {kOperator});
  for (const Identity* const identity : {&caller, testing::kNoIdentity}) {
    Program program(FlagsFor(identity));
    const int port = program.grpc_port();
    ASSERT_NE(port, 0) << program.output();
    std::vector<std::unique_ptr<RawCaller>> idle;
    for (int i = 0; i < 500; ++i) {
      idle.push_back(std::make_unique<RawCaller>(port, identity, "127.0.0.3"));
      idle.back()->Send(testing::Greeting());
      EXPECT_FALSE(idle.back()->Read().empty());
    }
    const Background storm(
        1, [port](int) { testing::Reset(ConnectFrom("127.0.0.2", port)); });
    EXPECT_GE(Answered(program, identity), kEnough);
  }
}

// The server probes its own listener every two seconds.
TEST_F(StormTest, ProbesEndNoIdleCallerOfAFullTable) {
  const Identity caller = MakeIdentity(authority_, {kOperator});
  for (const Identity* const identity : {&caller, testing::kNoIdentity}) {
    std::vector<std::string> flags = FlagsFor(identity);
    flags.emplace_back("--max-connections=20");
    Program program(flags);
    ASSERT_NE(program.grpc_port(), 0) << program.output();
    std::vector<std::unique_ptr<RawCaller>> idle;
    for (int i = 0; i < 20; ++i) {
      idle.push_back(std::make_unique<RawCaller>(program.grpc_port(), identity,
                                                 "127.0.0.3"));
      idle.back()->Send(testing::Greeting());
      EXPECT_FALSE(idle.back()->Read().empty());
    }
    std::this_thread::sleep_for(std::chrono::seconds(5));
    const std::string metrics = Http(program.admin_port(), "GET", "/metrics");
    const std::size_t at = metrics.find("\nmulligan_connections ");
    ASSERT_NE(at, std::string::npos);
    EXPECT_EQ(metrics.substr(at, metrics.find('\n', at + 1) - at),
              "\nmulligan_connections 20");
  }
}

// Calls without an answer for ten seconds do not keep others out.
TEST_F(StormTest, OfUnfinishedCallsBlocksCallersOnlyBriefly) {
  const Identity caller = MakeIdentity(authority_, {kOperator});
  struct Full {
    const Identity* identity;
    std::unique_ptr<Program> program;
  };
  std::vector<Full> servers;
  std::vector<std::unique_ptr<RawCaller>> open;
  for (const Identity* const identity : {&caller, testing::kNoIdentity}) {
    std::vector<std::string> flags = FlagsFor(identity);
    flags.emplace_back("--max-connections=20");
    servers.push_back({identity, std::make_unique<Program>(flags)});
    const int port = servers.back().program->grpc_port();
    ASSERT_NE(port, 0) << servers.back().program->output();
    for (int i = 0; i < 20; ++i) {
      open.push_back(std::make_unique<RawCaller>(port, identity, "127.0.0.3"));
      open.back()->Send(testing::Greeting() +
                        testing::Frame(testing::kWholeHeaders, 1,
                                       testing::CallHeaders(true)));
      EXPECT_FALSE(open.back()->Read().empty());
    }
  }
  for (const auto& [identity, program] : servers) {
    const auto honest = Honest(program->grpc_port(), identity);
    EXPECT_TRUE(
        honest->WaitForConnected(std::chrono::system_clock::now() + kPatience));
    EXPECT_TRUE(Decide(honest).ok());
  }
}

}  // namespace
}  // namespace mulligan
