// A server that requires certificates, and callers with and without one.
#ifndef MULLIGAN_TESTS_SERVER_TLS_FIXTURE_H_
#define MULLIGAN_TESTS_SERVER_TLS_FIXTURE_H_

#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>

#include <memory>
#include <string>

#include "absl/strings/str_format.h"
#include "gtest/gtest.h"
#include "tests/server/certificates.h"
#include "tests/server/test_server.h"
#include "tests/testing/temp_dir.h"

namespace mulligan::testing {

class TlsTest : public ::testing::Test {
 protected:
  static constexpr char kOperator[] =
      "URI:spiffe://cluster.test/ns/ml/sa/operator";
  static constexpr char kAdmin[] = "URI:spiffe://cluster.test/ns/ops/sa/admin";
  static constexpr char kServerName[] = "mulligan.test";

  const Identity authority_ = MakeAuthority("callers and servers");

  ServerOptions Options() const {
    ServerOptions options = TestOptionsWithAdmin();
    Install(MakeIdentity(authority_, {"DNS:mulligan.test"}));
    options.tls.certificate = (TestFolder() / "server.pem").string();
    options.tls.key = (TestFolder() / "server.key").string();
    options.tls.client_ca =
        WriteTestFile("ca.pem", authority_.CertificatePem());
    options.allowed_callers = {"spiffe://cluster.test/ns/*/sa/operator",
                               "spiffe://cluster.test/ns/ops/sa/admin"};
    options.allowed_policy_callers = {"spiffe://cluster.test/ns/ops/sa/admin"};
    return options;
  }

  // Replaces the server's own files.
  static void Install(const Identity& identity) {
    WriteTestFile("server.key", identity.KeyPem());
    WriteTestFile("server.pem", identity.CertificatePem());
  }

  // Returns a new connection, without a certificate if `identity` is null.
  static std::shared_ptr<grpc::Channel> Connect(int port, const Identity& roots,
                                                const Identity* identity) {
    grpc::SslCredentialsOptions options;
    options.pem_root_certs = roots.CertificatePem();
    if (identity != nullptr) {
      options.pem_cert_chain = identity->CertificatePem();
      options.pem_private_key = identity->KeyPem();
    }
    return Connect(port, grpc::SslCredentials(options));
  }
  static std::shared_ptr<grpc::Channel> Connect(
      int port, const std::shared_ptr<grpc::ChannelCredentials>& credentials) {
    grpc::ChannelArguments arguments;
    arguments.SetSslTargetNameOverride(kServerName);
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    return grpc::CreateCustomChannel(absl::StrFormat("127.0.0.1:%d", port),
                                     credentials, arguments);
  }

  static grpc::Status Decide(const std::shared_ptr<grpc::Channel>& channel) {
    return CallWithBytes(channel, kDecide,
                         OutOfMemoryRequest().SerializeAsString());
  }
  static grpc::Status List(const std::shared_ptr<grpc::Channel>& channel) {
    return CallWithBytes(channel, "/mulligan.v1.PolicyService/ListPolicies",
                         "");
  }
};

}  // namespace mulligan::testing

#endif  // MULLIGAN_TESTS_SERVER_TLS_FIXTURE_H_
