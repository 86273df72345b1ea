// Attacks on weaknesses of gRPC's HTTP/2, against a server as it is deployed.
#include <grpcpp/client_context.h>

#include <csignal>
#include <fstream>
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
#include "tests/server/tls_fixture.h"

namespace mulligan {
namespace {

using ::testing::AnyOf;
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

// Memory of the pod in deploy/, in MiB, and its flag.
constexpr int kPodLimit = 256;
constexpr char kPodMemory[] = "--max-memory=134217728";

// Returns the peak of resident memory in MiB.
int PeakOf(const Program& program) {
  std::ifstream status(absl::StrCat("/proc/", program.pid(), "/status"));
  std::string word;
  int kilobytes = 0;
  while (status >> word) {
    if (word == "VmHWM:") status >> kilobytes;
  }
  return kilobytes >> 10;
}

// Returns `bytes` for streams 1, 3, 5 ..., at least `size` bytes in total.
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

// Returns headers of 60 KB in frames of at most 16 KiB.
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
  // Sent after the greeting.
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
      {"3.4 MB of pings whose answers are not read",
       acknowledged +
           Repeated(Frame(testing::kPingFrame, 0, "12345678"), 3'400'000)},
      {"1 MB of SETTINGS",
       acknowledged + Repeated(Frame(testing::kSettingsFrame, 0), kMegabyte)},
  };
}

// Sends unfinished messages within the window of its connection.
class UnendingCaller {
 public:
  UnendingCaller(int port, const Identity* identity) : caller_(port, identity) {
    caller_.Send(Greeting() + Frame(testing::kSettingsAck, 0));
  }

  // Begins a message of 4 MB with as much as a stream may send at first.
  // Returns false if the server has ended the connection.
  bool Begin() {
    constexpr std::size_t kFrame = 16 << 10;
    constexpr std::size_t kPiece = 59'000;
    while (window_ < kPiece) {
      if (!ReadWindow()) return false;
    }
    window_ -= kPiece;
    std::string message("\0\0\x3D\x09\0", 5);
    message.resize(kPiece);
    std::string bytes = OpenStream(stream_);
    for (std::size_t at = 0; at < kPiece; at += kFrame) {
      bytes += Frame(testing::kDataFrame, stream_, message.substr(at, kFrame));
    }
    stream_ += 2;
    return caller_.Send(bytes);
  }

 private:
  bool ReadWindow() {
    const std::string more = caller_.Read();
    read_ += more;
    const auto number = [this](std::size_t at, std::size_t size) {
      std::size_t value = 0;
      for (std::size_t i = at; i < at + size; ++i) {
        value = value << 8 | static_cast<unsigned char>(read_[i]);
      }
      return value;
    };
    while (read_.size() >= 9 && read_.size() >= 9 + number(0, 3)) {
      const bool is_window_update = number(3, 1) == 8;
      if (is_window_update && number(5, 4) == 0) window_ += number(9, 4);
      read_.erase(0, 9 + number(0, 3));
    }
    return !more.empty();
  }

  const RawCaller caller_;
  std::uint32_t stream_ = 1;
  std::size_t window_ = 65'535;
  std::string read_;
};

class Http2AttackTest : public testing::TlsTest {
 protected:
  std::shared_ptr<grpc::Channel> Honest(int port, const Identity* identity) {
    return identity == nullptr
               ? Connect(port, grpc::InsecureChannelCredentials())
               : Connect(port, authority_, identity);
  }

  // Returns flags of the server in a pod; plaintext if `identity` is null.
  std::vector<std::string> PodFlags(const Identity* identity) const {
    std::vector<std::string> flags = {kPodMemory, "--max-connections=500"};
    if (identity == nullptr) return Serving(flags);
    const TlsFiles tls = Options().tls;
    flags.insert(flags.end(),
                 {"--tls-cert=" + tls.certificate, "--tls-key=" + tls.key,
                  "--tls-client-ca=" + tls.client_ca});
    return Serving(flags);
  }

  // Tries each attack three times on its own server; in plaintext if `identity`
  // is null.
  void Try(const Identity* identity) {
    for (const Attack& attack : Attacks()) {
      SCOPED_TRACE(attack.name);
      Program program(PodFlags(identity));
      const int port = program.grpc_port();
      ASSERT_NE(port, 0) << program.output();
      const auto honest = Honest(port, identity);
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
                  HasSubstr("connections ended for misuse of HTTP/2"));
    }
  }
};

// Four hundred connections, each within its limits.
TEST_F(Http2AttackTest, ManyConnectionsFitIntoPodMemory) {
  Program program(PodFlags(testing::kNoIdentity));
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

// 16 KiB of references to a header, each unpacked before SETTINGS are
// acknowledged.
TEST_F(Http2AttackTest, HeaderReferencesFitIntoPodMemory) {
  const std::string call = CallHeaders(true) + Header("abc", "def", true);
  const std::string references = Frame(
      testing::kWholeHeaders, 1, call + std::string((16 << 10) - 200, '\xBE'));
  const Identity caller = MakeIdentity(authority_, {kOperator});
  for (const Identity* const identity : {&caller, testing::kNoIdentity}) {
    Program program(PodFlags(identity));
    const int port = program.grpc_port();
    ASSERT_NE(port, 0) << program.output();
    std::vector<std::unique_ptr<RawCaller>> attackers;
    for (int i = 0; i < 100; ++i) {
      attackers.push_back(std::make_unique<RawCaller>(port, identity));
      attackers.back()->Send(Greeting() + references);
    }
    EXPECT_TRUE(Decide(Honest(port, identity)).ok());
    EXPECT_LT(PeakOf(program), kPodLimit / 2);
  }
}

TEST_F(Http2AttackTest, UnfinishedMessagesFitIntoPodMemory) {
  const Identity caller = MakeIdentity(authority_, {kOperator});
  const std::string large(3 << 20, 'x');
  for (const Identity* const identity : {&caller, testing::kNoIdentity}) {
    Program program(PodFlags(identity));
    const int port = program.grpc_port();
    ASSERT_NE(port, 0) << program.output();
    std::vector<std::unique_ptr<UnendingCaller>> attackers;
    for (int i = 0; i < 480; ++i) {
      attackers.push_back(std::make_unique<UnendingCaller>(port, identity));
    }
    for (int i = 0; i < 16; ++i) {
      std::erase_if(attackers,
                    [](const auto& attacker) { return !attacker->Begin(); });
      const auto honest = Honest(port, identity);
      EXPECT_TRUE(Decide(honest).ok());
      // The large message still arrives completely.
      EXPECT_EQ(
          testing::CallWithBytes(honest, testing::kDecide, large).error_code(),
          grpc::StatusCode::INVALID_ARGUMENT);
    }
    EXPECT_LT(attackers.size(), 480U);
    EXPECT_LT(PeakOf(program), kPodLimit);
    program.Signal(SIGTERM);
    EXPECT_EQ(program.Wait(), 0);
    EXPECT_THAT(program.output(), HasSubstr("while memory is short"));
  }
}

// CVE-2023-1428, in gRPC since 1.51.
TEST_F(Http2AttackTest, NoHeaderAbortsTheServer) {
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

// A megabyte of headers on one connection, more than without answers.
TEST_F(Http2AttackTest, AnsweredCallersAreNotLimited) {
  const Identity caller = MakeIdentity(authority_, {kOperator});
  Program plaintext(Serving({}));
  Program encrypted(PodFlags(&caller));
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

// As many as the memory of a pod allows.
TEST_F(Http2AttackTest, AcceptsConcurrentLargeMessages) {
  const Identity caller = MakeIdentity(authority_, {kOperator});
  const std::string large((4 << 20) - 1000, 'x');
  for (const Identity* const identity : {&caller, testing::kNoIdentity}) {
    Program program(PodFlags(identity));
    const auto honest = Honest(program.grpc_port(), identity);
    std::vector<std::thread> calls;
    for (int i = 0; i < 14; ++i) {
      calls.emplace_back([&honest, &large] {
        EXPECT_THAT(testing::CallWithBytes(honest, testing::kDecide, large)
                        .error_code(),
                    AnyOf(grpc::StatusCode::INVALID_ARGUMENT,
                          grpc::StatusCode::RESOURCE_EXHAUSTED));
      });
    }
    for (std::thread& call : calls) call.join();
  }
}

TEST_F(Http2AttackTest, EndsPlaintextConnections) { Try(testing::kNoIdentity); }

TEST_F(Http2AttackTest, EndsTlsConnections) {
  const Identity caller = MakeIdentity(authority_, {kOperator});
  Try(&caller);
}

}  // namespace
}  // namespace mulligan
