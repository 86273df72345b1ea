// TLS of the gRPC port with real certificates.
#include "server/net/tls.h"

#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/net/tls_copies.h"
#include "tests/server/certificates.h"
#include "tests/server/sockets.h"
#include "tests/server/test_server.h"
#include "tests/server/tls_fixture.h"
#include "tests/testing/files.h"
#include "tests/testing/temp_dir.h"

namespace mulligan {
namespace {

using ::testing::HasSubstr;
using testing::Http;
using testing::Identity;
using testing::MakeAuthority;
using testing::MakeIdentity;
using testing::TestFolder;
using testing::TestServer;
using testing::WriteTestFile;

using TlsTest = testing::TlsTest;

TEST_F(TlsTest, AnswersAllowedCallers) {
  TestServer server(Options());
  const Identity caller = MakeIdentity(authority_, {kOperator});
  const auto channel = Connect(server->grpc_port(), authority_, &caller);
  EXPECT_TRUE(Decide(channel).ok()) << Decide(channel).error_message();
}

// An authority that lets its subjects choose DNS names does not vouch for URIs
// spelled in them.
TEST_F(TlsTest, RejectsNamesOfAnotherKind) {
  ServerOptions options = Options();
  options.allowed_callers = {"spiffe://cluster.test/ns/ml/sa/operator",
                             "*.ml.svc", "10.0.0.7"};
  TestServer server(options);
  const struct {
    const char* names;
    grpc::StatusCode code;
  } cases[] = {
      {kOperator, grpc::StatusCode::OK},
      {"DNS:operator.ml.svc", grpc::StatusCode::OK},
      {"IP:10.0.0.7", grpc::StatusCode::OK},
      {"DNS:spiffe://cluster.test/ns/ml/sa/operator",
       grpc::StatusCode::PERMISSION_DENIED},
      {"email:spiffe://cluster.test/ns/ml/sa/operator",
       grpc::StatusCode::PERMISSION_DENIED},
      {"URI:operator.ml.svc", grpc::StatusCode::PERMISSION_DENIED},
  };
  for (const auto& [names, code] : cases) {
    const Identity caller = MakeIdentity(authority_, {names});
    const grpc::Status status =
        Decide(Connect(server->grpc_port(), authority_, &caller));
    EXPECT_EQ(status.error_code(), code)
        << names << " " << status.error_message();
  }
}

TEST_F(TlsTest, OmittedListIsEmptyIfTheOtherIsSet) {
  ServerOptions options = Options();
  options.allowed_policy_callers.clear();
  TestServer server(options);
  const Identity caller = MakeIdentity(authority_, {kOperator});
  const auto channel = Connect(server->grpc_port(), authority_, &caller);
  EXPECT_TRUE(Decide(channel).ok());
  EXPECT_EQ(List(channel).error_code(), grpc::StatusCode::PERMISSION_DENIED);
}

TEST_F(TlsTest, EachServiceHasItsOwnList) {
  TestServer server(Options());
  const Identity caller = MakeIdentity(authority_, {kOperator});
  const grpc::Status refused =
      List(Connect(server->grpc_port(), authority_, &caller));
  EXPECT_EQ(refused.error_code(), grpc::StatusCode::PERMISSION_DENIED);
  EXPECT_THAT(refused.error_message(),
              HasSubstr("spiffe://cluster.test/ns/ml/sa/operator"));
  const Identity admin = MakeIdentity(authority_, {kAdmin});
  EXPECT_TRUE(List(Connect(server->grpc_port(), authority_, &admin)).ok());
  EXPECT_EQ(
      server.Metric("mulligan_requests_rejected_total{reason=\"not_allowed\"}"),
      1);
}

TEST_F(TlsTest, CallerVerifiesTheServer) {
  TestServer server(Options());
  const Identity caller = MakeIdentity(authority_, {kOperator});
  const Identity other = MakeAuthority("another");
  EXPECT_EQ(Decide(Connect(server->grpc_port(), other, &caller)).error_code(),
            grpc::StatusCode::UNAVAILABLE);
}

TEST_F(TlsTest, ReplacesCertificateWithoutRestart) {
  const ServerOptions options = Options();
  TestServer server(options);
  const Identity caller = MakeIdentity(authority_, {kOperator});
  ASSERT_TRUE(Decide(Connect(server->grpc_port(), authority_, &caller)).ok());
  const Identity next_authority = MakeAuthority("the next");
  const Identity next = MakeIdentity(next_authority, {"DNS:mulligan.test"});
  Install(next);
  const absl::Time end = absl::Now() + absl::Seconds(20);
  bool taken = false;
  while (!taken && absl::Now() < end) {
    taken = Decide(Connect(server->grpc_port(), next_authority, &caller)).ok();
  }
  EXPECT_TRUE(taken);
}

// New certificates during calls and handshakes. The key stays, as with common
// issuers, because two changing files cannot be read atomically.
TEST_F(TlsTest, RotationUnderLoadFailsNoCall) {
  const ServerOptions options = Options();
  const Identity first = MakeIdentity(authority_, {"DNS:mulligan.test"});
  Install(first);
  TestServer server(options);
  const Identity caller = MakeIdentity(authority_, {kOperator});
  std::atomic<bool> stopping = false;
  std::atomic<int> answered = 0;
  std::atomic<int> failed = 0;
  std::vector<std::thread> callers;
  for (int i = 0; i < 3; ++i) {
    callers.emplace_back([&, keeps_connection = i == 0] {
      auto channel = Connect(server->grpc_port(), authority_, &caller);
      while (!stopping) {
        if (!keeps_connection) {
          channel = Connect(server->grpc_port(), authority_, &caller);
        }
        ++(Decide(channel).ok() ? answered : failed);
      }
    });
  }
  // The server reads its files again every second.
  for (int i = 0; i < 8; ++i) {
    const Identity next = MakeIdentity(
        authority_, {.names = "DNS:mulligan.test", .key = first.key});
    WriteTestFile("server.pem", next.CertificatePem());
    absl::SleepFor(absl::Milliseconds(400));
  }
  stopping = true;
  for (std::thread& thread : callers) thread.join();
  EXPECT_EQ(failed, 0);
  EXPECT_GT(answered, 100);
}

TEST_F(TlsTest, RejectsNamesNotOnTheList) {
  TestServer server(Options());
  const std::pair<const char*, const char*> cases[] = {
      {"another account", "URI:spiffe://cluster.test/ns/ml/sa/intruder"},
      {"another cluster", "URI:spiffe://other.test/ns/ml/sa/operator"},
      {"a DNS name that looks alike", "DNS:operator.ml.cluster.test"},
      {"none", ""}};
  for (const auto& [name, names] : cases) {
    const Identity caller = MakeIdentity(authority_, {names});
    const grpc::Status status =
        Decide(Connect(server->grpc_port(), authority_, &caller));
    EXPECT_EQ(status.error_code(), grpc::StatusCode::PERMISSION_DENIED) << name;
    EXPECT_THAT(status.error_message(),
                HasSubstr("none of which may call this service"))
        << name;
  }
  EXPECT_EQ(
      server.Metric("mulligan_requests_rejected_total{reason=\"not_allowed\"}"),
      std::size(cases));
}

TEST_F(TlsTest, CallerRejectsServerOfAnotherName) {
  TestServer server(Options());
  const Identity caller = MakeIdentity(authority_, {kOperator});
  ASSERT_TRUE(Decide(Connect(server->grpc_port(), authority_, &caller)).ok());
  Install(MakeIdentity(authority_, {"DNS:another.test"}));
  const absl::Time end = absl::Now() + absl::Seconds(20);
  grpc::Status status;
  while (status.ok() && absl::Now() < end) {
    status = Decide(Connect(server->grpc_port(), authority_, &caller));
  }
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE);
}

absl::Status Check(const TlsFiles& files) {
  return CheckTlsTexts(ReadTlsTexts(files), files, absl::Now()).status();
}

// gRPC would refuse all callers as soon as it reads such files.
TEST_F(TlsTest, IgnoresUnusableFiles) {
  const ServerOptions options = Options();
  TestServer server(options);
  const Identity caller = MakeIdentity(authority_, {kOperator});
  const Identity next = MakeIdentity(authority_, {"DNS:mulligan.test"});
  const auto ready_page_says = [&](const char* text, bool wanted) {
    const absl::Time end = absl::Now() + absl::Seconds(20);
    bool says = !wanted;
    while (says != wanted && absl::Now() < end) {
      says =
          absl::StrContains(Http(server->admin_port(), "GET", "/readyz"), text);
      absl::SleepFor(absl::Milliseconds(50));
    }
    EXPECT_EQ(says, wanted);
  };
  constexpr char kStay[] = "are unusable, the old ones stay in force";
  const std::pair<const char*, std::string> harms[] = {
      {"server.key", next.KeyPem()},  // not the key of the certificate
      {"server.key", "garbage"},
      {"server.pem", ""},
      // A half-written chain, and half-written authorities.
      {"server.pem", *testing::ReadFile(TestFolder() / "server.pem") +
                         next.CertificatePem().substr(0, 300)},
      {"ca.pem", *testing::ReadFile(TestFolder() / "ca.pem") +
                     next.CertificatePem().substr(0, 300)},
      {"ca.pem", *testing::ReadFile(TestFolder() / "ca.pem") +
                     "-----BEGIN CERTIFICATE-----\nZ2FyYmxl\n"
                     "-----END CERTIFICATE-----\n"},
      {"ca.pem", "-----BEGIN CERTIFICATE-----\n"}};
  for (const auto& [file, text] : harms) {
    const std::string was = *testing::ReadFile(TestFolder() / file);
    WriteTestFile(file, text);
    ready_page_says(kStay, true);
    // gRPC reads its files every second.
    absl::SleepFor(absl::Milliseconds(1100));
    EXPECT_TRUE(Decide(Connect(server->grpc_port(), authority_, &caller)).ok())
        << file << ": " << text;
    WriteTestFile(file, was);
    ready_page_says(kStay, false);
  }
}

TEST_F(TlsTest, RejectsUnusableFilesByFlag) {
  const ServerOptions good = Options();
  const Identity other = MakeIdentity(authority_, {"DNS:mulligan.test"});
  const Identity expired = MakeIdentity(
      authority_, {"DNS:mulligan.test", -absl::Hours(2), -absl::Hours(1)});
  TlsFiles files = good.tls;
  EXPECT_TRUE(Check(files).ok());
  files.key = WriteTestFile("other.key", other.KeyPem());
  EXPECT_THAT(std::string(Check(files).message()), HasSubstr("--tls-key"));
  files = good.tls;
  files.certificate = WriteTestFile("expired.pem", expired.CertificatePem());
  files.key = WriteTestFile("expired.key", expired.KeyPem());
  EXPECT_THAT(std::string(Check(files).message()), HasSubstr("has expired"));
  const Identity early = MakeIdentity(
      authority_, {"DNS:mulligan.test", absl::Hours(1), absl::Hours(2)});
  files.certificate = WriteTestFile("early.pem", early.CertificatePem());
  files.key = WriteTestFile("early.key", early.KeyPem());
  EXPECT_THAT(std::string(Check(files).message()),
              HasSubstr("is not valid yet"));
  files = good.tls;
  files.client_ca = "/nonexistent";
  EXPECT_THAT(std::string(Check(files).message()),
              HasSubstr("--tls-client-ca: \"/nonexistent\""));
}

// Opening a pipe waits for a writer.
TEST_F(TlsTest, RejectsIrregularFiles) {
  const ServerOptions good = Options();
  const std::string pipe = TestFolder() / "pipe";
  const std::string link = TestFolder() / "link";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  ASSERT_EQ(symlink(pipe.c_str(), link.c_str()), 0);
  const std::pair<std::string TlsFiles::*, const char*> flags[] = {
      {&TlsFiles::certificate, "--tls-cert"},
      {&TlsFiles::key, "--tls-key"},
      {&TlsFiles::client_ca, "--tls-client-ca"}};
  for (const auto& [member, flag] : flags) {
    for (const std::string& path :
         {pipe, link, TestFolder().string(), std::string("/dev/zero")}) {
      TlsFiles files = good.tls;
      files.*member = path;
      EXPECT_THAT(std::string(Check(files).message()),
                  HasSubstr(absl::StrCat(flag, ": \"", path, "\" holds no")));
    }
  }
  std::filesystem::remove(link);
  std::filesystem::remove(pipe);
}

TEST_F(TlsTest, DoesNotStartWithoutUsableTlsFiles) {
  for (const char* const path : {"/nonexistent", "/dev/null", "/"}) {
    const absl::Status status =
        TlsCopies::Create({path, path, ""}, absl::Now()).status();
    EXPECT_THAT(std::string(status.message()),
                HasSubstr(absl::StrCat("--tls-cert: \"", path, "\"")));
  }
}

}  // namespace
}  // namespace mulligan
