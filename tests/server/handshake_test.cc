// Failed handshakes and their log lines.
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <csignal>
#include <memory>
#include <string>
#include <vector>

#include "absl/time/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/server/program.h"
#include "tests/server/sockets.h"
#include "tests/server/tls_fixture.h"

namespace mulligan {
namespace {

using ::testing::HasSubstr;
using testing::Identity;
using testing::MakeAuthority;
using testing::MakeIdentity;
using testing::MakeSelfSigned;
using ::testing::Not;
using testing::Program;
using testing::Serving;

class HandshakeTest : public testing::TlsTest {
 protected:
  std::vector<std::string> Flags() const {
    const TlsFiles tls = Options().tls;
    return Serving({"--tls-cert=" + tls.certificate, "--tls-key=" + tls.key,
                    "--tls-client-ca=" + tls.client_ca});
  }
};

// Stops the program and returns its log.
std::string LogOf(Program& program) {
  program.Signal(SIGTERM);
  program.Wait();
  return program.output();
}

TEST_F(HandshakeTest, LogsRejectedCertificates) {
  const Identity foreign = MakeIdentity(MakeAuthority("other"), {kOperator});
  const Identity expired =
      MakeIdentity(authority_, {kOperator, -absl::Hours(2), -absl::Hours(1)});
  const Identity early =
      MakeIdentity(authority_, {kOperator, absl::Hours(1), absl::Hours(2)});
  const Identity self_signed = MakeSelfSigned({kOperator});
  const struct {
    const char* name;
    const Identity* identity;
    const char* reason;
  } cases[] = {
      {"of another authority", &foreign, "certificate verify failed"},
      {"expired", &expired, "certificate verify failed"},
      {"not yet valid", &early, "certificate verify failed"},
      {"signed by itself", &self_signed, "certificate verify failed"},
      {"none", nullptr, "peer did not return a certificate"},
  };
  for (const auto& [name, identity, reason] : cases) {
    Program program(Flags());
    const int port = program.grpc_port();
    EXPECT_EQ(Decide(Connect(port, authority_, identity)).error_code(),
              grpc::StatusCode::UNAVAILABLE)
        << name;
    EXPECT_THAT(LogOf(program), HasSubstr(reason)) << name;
  }
}

// The server probes its own listener without a certificate, which used to log
// an error every two seconds.
TEST_F(HandshakeTest, LogsNothingElse) {
  Program program(Flags());
  const Identity caller = MakeIdentity(authority_, {kOperator});
  const int port = program.grpc_port();
  const auto end = absl::Now() + absl::Seconds(3);
  while (absl::Now() < end) {
    EXPECT_TRUE(Decide(Connect(port, authority_, &caller)).ok());
    absl::SleepFor(absl::Milliseconds(100));
  }
  EXPECT_THAT(LogOf(program), Not(HasSubstr("andshake")));
}

TEST_F(HandshakeTest, LogsPlaintext) {
  Program program(Flags());
  EXPECT_EQ(
      Decide(Connect(program.grpc_port(), grpc::InsecureChannelCredentials()))
          .error_code(),
      grpc::StatusCode::UNAVAILABLE);
  EXPECT_THAT(LogOf(program), HasSubstr("wrong version number"));
}

// Returns whether a handshake with at most this TLS version succeeds.
bool Handshakes(int port, const Identity& caller, int version) {
  const std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context(
      SSL_CTX_new(TLS_client_method()), &SSL_CTX_free);
  // OpenSSL disables old versions by default.
  SSL_CTX_set_cipher_list(context.get(), "ALL:@SECLEVEL=0");
  SSL_CTX_set_min_proto_version(context.get(), TLS1_VERSION);
  SSL_CTX_set_max_proto_version(context.get(), version);
  SSL_CTX_use_certificate(context.get(), caller.certificate.get());
  SSL_CTX_use_PrivateKey(context.get(), caller.key.get());
  const unsigned char kProtocols[] = {2, 'h', '2'};
  SSL_CTX_set_alpn_protos(context.get(), kProtocols, sizeof(kProtocols));
  const std::unique_ptr<SSL, decltype(&SSL_free)> session(
      SSL_new(context.get()), &SSL_free);
  const OwnedDescriptor connection = testing::Connect(port);
  SSL_set_fd(session.get(), connection.number());
  const bool done = SSL_connect(session.get()) == 1;
  ERR_clear_error();
  return done;
}

TEST_F(HandshakeTest, RejectsTlsBelow12) {
  Program program(Flags());
  const int port = program.grpc_port();
  const Identity caller = MakeIdentity(authority_, {kOperator});
  EXPECT_TRUE(Handshakes(port, caller, TLS1_3_VERSION));
  EXPECT_TRUE(Handshakes(port, caller, TLS1_2_VERSION));
  EXPECT_FALSE(Handshakes(port, caller, TLS1_1_VERSION));
  EXPECT_FALSE(Handshakes(port, caller, TLS1_VERSION));
  EXPECT_THAT(LogOf(program), HasSubstr("unsupported protocol"));
}

}  // namespace
}  // namespace mulligan
