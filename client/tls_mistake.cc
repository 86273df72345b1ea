#include "client/tls_mistake.h"

#include <fstream>
#include <iterator>

#include "absl/strings/str_format.h"

namespace mulligan {
namespace {

// Texts of gRPC 1.51, and of OpenSSL 3 in them.
struct Mistake {
  // Whether the client uses TLS.
  bool tls;
  std::string_view says;
  std::string_view means;
};

constexpr Mistake kMistakes[] = {
    {false, "Socket closed",
     "the server speaks TLS, it seems: give --tls-ca, the certificates that "
     "sign the server's"},
    {true, "wrong version number",
     "the server does not speak TLS: leave --tls-ca out"},
    {true, "Hostname Verification Check failed",
     "the server's certificate is of another name: ask it by that name, or "
     "give it with --tls-server-name"},
    {true, "CERTIFICATE_VERIFY_FAILED",
     "the server's certificate is not signed by one in --tls-ca, or has "
     "expired"},
    {true, "certificate verify failed",
     "the server's certificate is not signed by one in --tls-ca, or has "
     "expired"},
    {true, "certificate required",
     "the server asks for a certificate: give --tls-cert and --tls-key"},
    {true, "Socket closed",
     "the server does not take the caller's certificate, or asks for one: see "
     "--tls-cert and --tls-key"},
    {true, "Failed to create security handshaker",
     "the files of --tls-ca, --tls-cert or --tls-key are damaged, or the key "
     "is not that of the certificate"},
};

absl::Status CheckPem(const char* option, const std::string& path,
                      std::string_view label) {
  if (path.empty()) return absl::OkStatus();
  std::ifstream file(path, std::ios::binary);
  if (!file.good()) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "%s: \"%s\" is not valid, expected a file that can be read", option,
        path));
  }
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::size_t begin = text.find("-----BEGIN ");
  const std::size_t named = text.find(label, begin);
  if (begin != text.npos && named != text.npos) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrFormat(
      "%s: \"%s\" is not PEM with a %s, expected a line such as \"-----BEGIN "
      "%s-----\"",
      option, path, label, label));
}

}  // namespace

absl::Status CheckTlsFiles(const ClientTls& tls) {
  absl::Status status = CheckPem("tls.ca", tls.ca, "CERTIFICATE");
  if (status.ok()) {
    status = CheckPem("tls.certificate", tls.certificate, "CERTIFICATE");
  }
  if (status.ok()) status = CheckPem("tls.key", tls.key, "PRIVATE KEY");
  return status;
}

std::string_view TlsMistake(const ClientTls& tls, std::string_view message) {
  for (const Mistake& mistake : kMistakes) {
    if (mistake.tls == tls.enabled() &&
        message.find(mistake.says) != message.npos) {
      return mistake.means;
    }
  }
  return "";
}

}  // namespace mulligan
