// TLS of the gRPC port with real certificates.
#include "server/tls.h"

#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>

#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "mulligan/v1/policy_service.grpc.pb.h"
#include "tests/server/certificates.h"
#include "tests/server/test_server.h"
#include "tests/testing/temp_dir.h"

namespace mulligan {
namespace {

using testing::CertificateSpec;
using ::testing::HasSubstr;
using testing::Identity;
using testing::MakeAuthority;
using testing::MakeIdentity;
using testing::TestServer;
using testing::WriteTestFile;

constexpr char kServerName[] = "mulligan.test";
constexpr char kOperator[] = "URI:spiffe://cluster.test/ns/ml/sa/operator";
constexpr char kAdmin[] = "URI:spiffe://cluster.test/ns/ops/sa/admin";

// A server that asks for certificates, and what belongs to it.
class TlsTest : public ::testing::Test {
 protected:
  const Identity authority_ = MakeAuthority("callers and servers");

  ServerOptions Options() {
    const Identity identity = MakeIdentity(authority_, {"DNS:mulligan.test"});
    ServerOptions options = testing::TestOptionsWithAdmin();
    options.tls.certificate =
        WriteTestFile("server.pem", identity.CertificatePem());
    options.tls.key = WriteTestFile("server.key", identity.KeyPem());
    options.tls.client_ca =
        WriteTestFile("ca.pem", authority_.CertificatePem());
    options.allowed_callers = {"spiffe://cluster.test/ns/*/sa/operator",
                               "spiffe://cluster.test/ns/ops/sa/admin"};
    options.allowed_policy_callers = {"spiffe://cluster.test/ns/ops/sa/admin"};
    return options;
  }

  // `identity` null: no certificate.
  static std::shared_ptr<grpc::Channel> Connect(TestServer& server,
                                                const Identity& roots,
                                                const Identity* identity) {
    grpc::SslCredentialsOptions options;
    options.pem_root_certs = roots.CertificatePem();
    if (identity != nullptr) {
      options.pem_cert_chain = identity->CertificatePem();
      options.pem_private_key = identity->KeyPem();
    }
    return Connect(server, grpc::SslCredentials(options));
  }
  static std::shared_ptr<grpc::Channel> Connect(
      TestServer& server,
      const std::shared_ptr<grpc::ChannelCredentials>& credentials) {
    grpc::ChannelArguments arguments;
    arguments.SetSslTargetNameOverride(kServerName);
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    return grpc::CreateCustomChannel(
        absl::StrFormat("127.0.0.1:%d", server->grpc_port()), credentials,
        arguments);
  }

  static grpc::Status Decide(const std::shared_ptr<grpc::Channel>& channel) {
    return testing::CallWithBytes(
        channel, "/mulligan.v1.RetryDecisionService/Decide",
        testing::OutOfMemoryRequest().SerializeAsString());
  }
  static grpc::Status List(const std::shared_ptr<grpc::Channel>& channel) {
    return testing::CallWithBytes(
        channel, "/mulligan.v1.PolicyService/ListPolicies", "");
  }
};

TEST_F(TlsTest, WhoIsOnTheListIsAnswered) {
  TestServer server(Options());
  const Identity caller = MakeIdentity(authority_, {kOperator});
  const auto channel = Connect(server, authority_, &caller);
  EXPECT_TRUE(Decide(channel).ok()) << Decide(channel).error_message();
}

TEST_F(TlsTest, EachServiceHasItsOwnList) {
  TestServer server(Options());
  const Identity caller = MakeIdentity(authority_, {kOperator});
  const grpc::Status refused = List(Connect(server, authority_, &caller));
  EXPECT_EQ(refused.error_code(), grpc::StatusCode::PERMISSION_DENIED);
  EXPECT_THAT(refused.error_message(),
              HasSubstr("spiffe://cluster.test/ns/ml/sa/operator"));
  const Identity admin = MakeIdentity(authority_, {kAdmin});
  EXPECT_TRUE(List(Connect(server, authority_, &admin)).ok());
  EXPECT_EQ(
      server.Metric("mulligan_requests_rejected_total{reason=\"not_allowed\"}"),
      1);
}

TEST_F(TlsTest, CertificatesThatProveNothingAreRefusedWithAReasonInTheLog) {
  TestServer server(Options());
  const Identity other = MakeAuthority("somebody else");
  const Identity expired =
      MakeIdentity(authority_, {kOperator, -absl::Hours(2), -absl::Hours(1)});
  const Identity early =
      MakeIdentity(authority_, {kOperator, absl::Hours(1), absl::Hours(2)});
  const Identity self_signed = testing::MakeSelfSigned({kOperator});
  const Identity foreign = MakeIdentity(other, {kOperator});
  const std::pair<const char*, const Identity*> cases[] = {
      {"of another authority", &foreign},
      {"expired", &expired},
      {"not yet valid", &early},
      {"signed by itself", &self_signed},
      {"none", nullptr}};
  for (const auto& [name, identity] : cases) {
    const grpc::Status status = Decide(Connect(server, authority_, identity));
    EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE) << name;
  }
}

TEST_F(TlsTest, ACallerChecksTheServerToo) {
  TestServer server(Options());
  const Identity caller = MakeIdentity(authority_, {kOperator});
  const Identity other = MakeAuthority("somebody else");
  EXPECT_EQ(Decide(Connect(server, other, &caller)).error_code(),
            grpc::StatusCode::UNAVAILABLE);
}

TEST_F(TlsTest, NoPlaintextOnATlsPort) {
  TestServer server(Options());
  EXPECT_EQ(
      Decide(Connect(server, grpc::InsecureChannelCredentials())).error_code(),
      grpc::StatusCode::UNAVAILABLE);
}

TEST_F(TlsTest, ACertificateIsReplacedWithoutARestart) {
  const ServerOptions options = Options();
  TestServer server(options);
  const Identity caller = MakeIdentity(authority_, {kOperator});
  ASSERT_TRUE(Decide(Connect(server, authority_, &caller)).ok());
  const Identity next_authority = MakeAuthority("the next");
  const Identity next = MakeIdentity(next_authority, {"DNS:mulligan.test"});
  WriteTestFile("server.key", next.KeyPem());
  WriteTestFile("server.pem", next.CertificatePem());
  const absl::Time end = absl::Now() + absl::Seconds(20);
  bool taken = false;
  while (!taken && absl::Now() < end) {
    taken = Decide(Connect(server, next_authority, &caller)).ok();
  }
  EXPECT_TRUE(taken);
}

TEST_F(TlsTest, FilesThatCannotBeUsedEndTheStartWithTheirFlag) {
  const ServerOptions good = Options();
  const Identity other = MakeIdentity(authority_, {"DNS:mulligan.test"});
  const Identity expired = MakeIdentity(
      authority_, {"DNS:mulligan.test", -absl::Hours(2), -absl::Hours(1)});
  TlsFiles files = good.tls;
  EXPECT_TRUE(CheckTlsFiles(files, absl::Now()).ok());
  files.key = WriteTestFile("other.key", other.KeyPem());
  EXPECT_THAT(std::string(CheckTlsFiles(files, absl::Now()).message()),
              HasSubstr("--tls-key"));
  files = good.tls;
  files.certificate = WriteTestFile("expired.pem", expired.CertificatePem());
  files.key = WriteTestFile("expired.key", expired.KeyPem());
  EXPECT_THAT(std::string(CheckTlsFiles(files, absl::Now()).message()),
              HasSubstr("has expired"));
  files = good.tls;
  files.client_ca = "/nonexistent";
  EXPECT_THAT(std::string(CheckTlsFiles(files, absl::Now()).message()),
              HasSubstr("--tls-client-ca: \"/nonexistent\""));
}

}  // namespace
}  // namespace mulligan
