// Weaknesses of gRPC's HTTP/2, tried on a server as it is deployed.
#include <grpcpp/client_context.h>

#include <csignal>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/server/http2_frames.h"
#include "tests/server/program.h"
#include "tests/server/raw_caller.h"
#include "tests/server/tls_fixture.h"

namespace mulligan {
namespace {

using testing::CallHeaders;
using testing::Frame;
using testing::FrameKind;
using testing::Greeting;
using ::testing::HasSubstr;
using testing::Header;
using testing::Identity;
using testing::MakeIdentity;
using testing::Program;
using testing::RawCaller;
using testing::Serving;

// Of the pod in deploy/, MiB, and what goes with it.
constexpr int kPodLimit = 256;
constexpr char kPodMemory[] = "--max-memory=134217728";

// The most that was resident, MiB.
int PeakOf(const Program& program) {
  std::ifstream status(absl::StrCat("/proc/", program.pid(), "/status"));
  std::string word;
  int kilobytes = 0;
  while (status >> word) {
    if (word == "VmHWM:") status >> kilobytes;
  }
  return kilobytes >> 10;
}

// `bytes` for stream 1, 3, 5 ..., until there are as many as asked.
std::string ForStreams(std::size_t size,
                       const std::function<std::string(std::uint32_t)>& bytes) {
  std::string all;
  for (std::uint32_t stream = 1; all.size() < size; stream += 2) {
    all += bytes(stream);
  }
  return all;
}

std::string OpenStream(std::uint32_t stream) {
  return Frame(testing::kWholeHeaders, stream, CallHeaders(stream == 1));
}

std::string Repeated(const std::string& bytes, std::size_t size) {
  std::string all;
  while (all.size() < size) all += bytes;
  return all;
}

// Of 60 KB, in frames of 16 KiB at most.
std::string LargeHeaders(std::uint32_t stream) {
  const std::string piece = Header("x", std::string(15'000, 'y'));
  std::string all =
      Frame(testing::kBegunHeaders, stream, CallHeaders(stream == 1));
  for (int i = 0; i < 3; ++i) {
    all += Frame(testing::kMoreHeaders, stream, piece);
  }
  return all + Frame(testing::kEndOfHeaders, stream, piece);
}

struct Attack {
  const char* name;
  // What follows the greeting.
  std::string bytes;
};

std::vector<Attack> Attacks() {
  constexpr std::size_t kMegabyte = 1'000'000;
  const std::string acknowledged = Frame(testing::kSettingsAck, 0);
  const std::string junk = Header("x", std::string(100, 'y'));
  return {
      {"3 MB of resets",
       acknowledged + ForStreams(3 * kMegabyte,
                                 [](std::uint32_t stream) {
                                   return OpenStream(stream) +
                                          Frame(testing::kResetFrame, stream,
                                                "\0\0\0\x08");
                                 })},
      {"1 MB of streams before SETTINGS are acknowledged",
       ForStreams(kMegabyte, &OpenStream)},
      {"12 MB of headers before SETTINGS are acknowledged",
       ForStreams(12 * kMegabyte, &LargeHeaders)},
      {"51 MB of CONTINUATION",
       Frame(testing::kBegunHeaders, 1, CallHeaders(true)) +
           Repeated(Frame(testing::kMoreHeaders, 1, Repeated(junk, 16'000)),
                    51 * kMegabyte)},
      {"5 MB of small CONTINUATION",
       Frame(testing::kBegunHeaders, 1, CallHeaders(true)) +
           Repeated(Frame(testing::kMoreHeaders, 1, junk), 5 * kMegabyte)},
      {"3.4 MB of pings that nobody reads the answers of",
       acknowledged +
           Repeated(Frame(testing::kPingFrame, 0, "12345678"), 3'400'000)},
      {"1 MB of SETTINGS",
       acknowledged + Repeated(Frame(testing::kSettingsFrame, 0), kMegabyte)},
  };
}

class Http2AttackTest : public testing::TlsTest {
 protected:
  // Tries each attack on a server of its own, three times over; `identity`
  // null: in plaintext.
  void Try(const std::vector<std::string>& flags, const Identity* identity) {
    for (const Attack& attack : Attacks()) {
      SCOPED_TRACE(attack.name);
      Program program(Serving(flags));
      const int port = program.grpc_port();
      ASSERT_NE(port, 0) << program.output();
      const auto honest =
          identity == nullptr
              ? Connect(port, grpc::InsecureChannelCredentials())
              : Connect(port, authority_, identity);
      EXPECT_TRUE(Decide(honest).ok());
      for (int i = 0; i < 3; ++i) {
        const RawCaller attacker(port, identity);
        if (attacker.Send(Greeting())) attacker.Send(attack.bytes);
        EXPECT_TRUE(Decide(honest).ok());
        EXPECT_TRUE(attacker.IsEnded());
      }
      EXPECT_LT(PeakOf(program), kPodLimit / 2);
      program.Signal(SIGTERM);
      EXPECT_EQ(program.Wait(), 0);
      EXPECT_THAT(program.output(),
                  HasSubstr("connections ended for what was sent on them"));
    }
  }
};

// Four hundred connections, each within the bounds of one.
TEST_F(Http2AttackTest, ManyConnectionsTogetherStayWithinTheMemoryOfAPod) {
  Program program(Serving({kPodMemory, "--max-connections=500"}));
  const int port = program.grpc_port();
  ASSERT_NE(port, 0) << program.output();
  const std::string hundred = ForStreams(1400, &OpenStream);
  std::vector<std::unique_ptr<RawCaller>> attackers;
  for (int i = 0; i < 400; ++i) {
    attackers.push_back(std::make_unique<RawCaller>(port, nullptr));
    attackers.back()->Send(Greeting() + hundred);
  }
  EXPECT_TRUE(Decide(Connect(port, grpc::InsecureChannelCredentials())).ok());
  EXPECT_LT(PeakOf(program), kPodLimit);
}

// A weakness of gRPC from 1.51 on, by its number CVE-2023-1428.
TEST_F(Http2AttackTest, NoHeaderAborts) {
  const std::string https = "\x87";
  const struct {
    const char* name;
    std::string header;
  } cases[] = {
      {"te", https + Header("te", "x")},
      {"te, kept", https + Header("te", "x", true)},
      {"scheme", Header(":scheme", "x")},
      {"grpclb_client_stats", https + Header("grpclb_client_stats", "x")},
  };
  Program program(Serving({}));
  const int port = program.grpc_port();
  for (const auto& [name, header] : cases) {
    for (const bool acknowledged : {false, true}) {
      SCOPED_TRACE(name);
      const RawCaller attacker(port, nullptr);
      attacker.Send(
          Greeting() +
          (acknowledged ? Frame(testing::kSettingsAck, 0) : std::string()) +
          Frame(testing::kLastHeaders, 1,
                "\x83" + header + Header(":path", "/x") +
                    Header("large", std::string(9'000, 'y'))));
      EXPECT_TRUE(
          Decide(Connect(port, grpc::InsecureChannelCredentials())).ok());
    }
  }
}

// A megabyte of headers, more than a stranger may send, on one connection.
TEST_F(Http2AttackTest, WhoIsAnsweredGoesOn) {
  const TlsFiles tls = Options().tls;
  const Identity caller = MakeIdentity(authority_, {kOperator});
  Program plaintext(Serving({}));
  Program encrypted(
      Serving({"--tls-cert=" + tls.certificate, "--tls-key=" + tls.key,
               "--tls-client-ca=" + tls.client_ca}));
  const std::shared_ptr<grpc::Channel> channels[] = {
      Connect(plaintext.grpc_port(), grpc::InsecureChannelCredentials()),
      Connect(encrypted.grpc_port(), authority_, &caller)};
  for (const auto& channel : channels) {
    const auto stub = v1::RetryDecisionService::NewStub(channel);
    for (int i = 0; i < 1000; ++i) {
      grpc::ClientContext context;
      context.AddMetadata("x",
                          std::string(1000, static_cast<char>('a' + i % 26)));
      v1::DecideResponse response;
      const grpc::Status status =
          stub->Decide(&context, testing::OutOfMemoryRequest(), &response);
      ASSERT_TRUE(status.ok()) << i << " " << status.error_message();
    }
  }
}

TEST_F(Http2AttackTest, EndsTheConnectionInPlaintext) {
  Try({kPodMemory}, nullptr);
}

TEST_F(Http2AttackTest, EndsTheConnectionOfACallerWithACertificate) {
  const TlsFiles tls = Options().tls;
  const Identity caller = MakeIdentity(authority_, {kOperator});
  Try({kPodMemory, "--tls-cert=" + tls.certificate, "--tls-key=" + tls.key,
       "--tls-client-ca=" + tls.client_ca},
      &caller);
}

}  // namespace
}  // namespace mulligan
