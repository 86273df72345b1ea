// The client's explanations of TLS mistakes, against a real server.
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "client/client.h"
#include "client/tls_mistake.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/server/tls_fixture.h"
#include "tests/testing/files.h"

namespace mulligan {
namespace {

using ::testing::HasSubstr;
using testing::Identity;
using testing::MakeAuthority;
using testing::MakeIdentity;
using testing::TestServer;
using testing::WriteTestFile;

class TlsMistakeTest : public testing::TlsTest {
 protected:
  // Returns the status of a call to `port` with `tls`.
  static absl::Status StatusOf(int port, const ClientTls& tls) {
    const auto client =
        Client::Create({.target = absl::StrCat("127.0.0.1:", port),
                        .deadline = absl::Seconds(20),
                        .tls = tls});
    if (!client.ok()) return client.status();
    return (*client)->Decide(testing::OutOfMemoryRequest()).status();
  }

  ClientTls Right() const {
    const Identity caller = MakeIdentity(authority_, {kOperator});
    return {.ca = WriteTestFile("roots.pem", authority_.CertificatePem()),
            .certificate = WriteTestFile("own.pem", caller.CertificatePem()),
            .key = WriteTestFile("own.key", caller.KeyPem()),
            .server_name = kServerName};
  }
};

TEST_F(TlsMistakeTest, IsExplainedIfServerUsesTls) {
  TestServer server(Options());
  ASSERT_TRUE(StatusOf(server->grpc_port(), Right()).ok());
  ClientTls without_certificate = Right();
  without_certificate.certificate = without_certificate.key = "";
  ClientTls other_name = Right();
  other_name.server_name = "";
  ClientTls other_roots = Right();
  other_roots.ca =
      WriteTestFile("other.pem", MakeAuthority("others").CertificatePem());
  const struct {
    const char* name;
    ClientTls tls;
    const char* expected;
  } cases[] = {
      {"plaintext", {}, "the server speaks TLS, it seems: give --tls-ca"},
      {"without certificate", without_certificate, "--tls-cert and --tls-key"},
      {"other name", other_name, "give it with --tls-server-name"},
      {"other roots", other_roots, "not signed by one in --tls-ca"},
  };
  for (const auto& [name, tls, expected] : cases) {
    const absl::Status status = StatusOf(server->grpc_port(), tls);
    EXPECT_TRUE(absl::IsUnavailable(status)) << name << ": " << status;
    EXPECT_THAT(std::string(TlsMistake(tls, std::string(status.message()))),
                HasSubstr(expected))
        << name << ": " << status;
  }
}

TEST_F(TlsMistakeTest, IsExplainedIfServerUsesPlaintext) {
  TestServer server(testing::TestOptions());
  const ClientTls tls = Right();
  const absl::Status status = StatusOf(server->grpc_port(), tls);
  EXPECT_THAT(std::string(TlsMistake(tls, std::string(status.message()))),
              HasSubstr("does not speak TLS: leave --tls-ca out"))
      << status;
}

TEST_F(TlsMistakeTest, IsEmptyIfNothingListens) {
  EXPECT_EQ(TlsMistake({}, "Failed to connect to remote host: refused"), "");
}

TEST_F(TlsMistakeTest, InFilesIsFoundBeforeConnecting) {
  const struct {
    const char* text;
    const char* expected;
  } cases[] = {
      {"no certificate\n", "is not PEM with a CERTIFICATE"},
      {"-----BEGIN RSA PRIVATE KEY-----\n", "is not PEM with a CERTIFICATE"},
  };
  for (const auto& [text, expected] : cases) {
    ClientTls tls;
    tls.ca = WriteTestFile("wrong.pem", text);
    const absl::Status status = CheckTlsFiles(tls);
    EXPECT_TRUE(absl::IsInvalidArgument(status));
    EXPECT_THAT(std::string(status.message()), HasSubstr(expected));
    EXPECT_THAT(std::string(status.message()), HasSubstr("tls.ca: "));
  }
  ClientTls gone;
  gone.ca = "/no/ca.pem";
  EXPECT_THAT(std::string(CheckTlsFiles(gone).message()),
              HasSubstr("expected a file that can be read"));
  ClientTls right = Right();
  EXPECT_TRUE(CheckTlsFiles(right).ok());
  std::swap(right.certificate, right.key);
  EXPECT_THAT(std::string(CheckTlsFiles(right).message()),
              HasSubstr("tls.certificate: "));
}

}  // namespace
}  // namespace mulligan
