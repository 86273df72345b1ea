#include "server/net/tls.h"

#include <fcntl.h>
#include <grpc/grpc_security_constants.h>
#include <grpcpp/security/tls_certificate_provider.h>
#include <grpcpp/security/tls_credentials_options.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <optional>
#include <utility>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "policy/base/glob.h"
#include "server/net/listener.h"

namespace mulligan {
namespace {

constexpr unsigned kReadAgainSeconds = 1;
// Names shown in a message.
constexpr std::size_t kMaxShownNames = 8;

template <typename T, void (*Free)(T*)>
struct Freed {
  void operator()(T* object) const { Free(object); }
};
using File = std::unique_ptr<BIO, Freed<BIO, BIO_free_all>>;
using Certificate = std::unique_ptr<X509, Freed<X509, X509_free>>;
using Key = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY, EVP_PKEY_free>>;

File Open(const std::string& text) {
  return File(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

// All certificates are checked, because gRPC reads all of them and would skip a
// damaged one or fail every handshake.
struct Chain {
  Certificate first;  // null if there is none
  int readable = 0;
  bool whole = true;  // everything that starts as one is readable
};

Chain ReadChain(const std::string& text) {
  const File file = Open(text);
  Chain chain;
  ERR_clear_error();
  while (true) {
    Certificate next(PEM_read_bio_X509(file.get(), nullptr, nullptr, nullptr));
    if (next == nullptr) break;
    if (chain.first == nullptr) chain.first = std::move(next);
    ++chain.readable;
  }
  chain.whole = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
  ERR_clear_error();
  return chain;
}

Key ReadKey(const std::string& text) {
  const File file = Open(text);
  return Key(PEM_read_bio_PrivateKey(file.get(), nullptr, nullptr, nullptr));
}

// Returns the text; empty if it cannot be read, is far too large, or is not a
// regular file (a pipe may never be written to).
std::string TextOf(const std::string& path) {
  constexpr off_t kMaxBytes = 1 << 20;
  const OwnedDescriptor file(
      open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat state = {};
  if (fstat(file.number(), &state) != 0 || !S_ISREG(state.st_mode) ||
      state.st_size > kMaxBytes) {
    return "";
  }
  std::string text(static_cast<std::size_t>(state.st_size), '\0');
  const ssize_t size = pread(file.number(), text.data(), text.size(), 0);
  text.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
  return text;
}

std::optional<absl::Time> TimeOf(const ASN1_TIME* time) {
  std::tm parts = {};
  if (ASN1_TIME_to_tm(time, &parts) != 1) return std::nullopt;
  return absl::FromTM(parts, absl::UTCTimeZone());
}

absl::Status Bad(const char* flag, const std::string& path,
                 const std::string& why) {
  ERR_clear_error();
  return absl::InvalidArgumentError(
      absl::StrFormat("%s: \"%s\" %s", flag, path, why));
}

absl::Status CheckChain(const char* flag, const std::string& path,
                        const Chain& chain) {
  if (!chain.whole) {
    return Bad(
        flag, path,
        absl::StrFormat("holds a certificate that cannot be read, number "
                        "%d; expected PEM, complete",
                        chain.readable + 1));
  }
  if (chain.first == nullptr) {
    return Bad(flag, path,
               "holds no certificate that can be read; expected PEM");
  }
  return absl::OkStatus();
}

}  // namespace

TlsTexts ReadTlsTexts(const TlsFiles& files) {
  return {TextOf(files.certificate), TextOf(files.key),
          files.client_ca.empty() ? "" : TextOf(files.client_ca)};
}

absl::StatusOr<absl::Time> CheckTlsTexts(const TlsTexts& texts,
                                         const TlsFiles& files,
                                         absl::Time now) {
  const Chain chain = ReadChain(texts.certificate);
  if (absl::Status status = CheckChain("--tls-cert", files.certificate, chain);
      !status.ok()) {
    return status;
  }
  const Certificate& certificate = chain.first;
  const Key key = ReadKey(texts.key);
  if (key == nullptr) {
    return Bad("--tls-key", files.key,
               "holds no private key that can be read; expected PEM");
  }
  if (X509_check_private_key(certificate.get(), key.get()) != 1) {
    return Bad("--tls-key", files.key,
               "is not the key of the certificate in --tls-cert");
  }
  const auto begin = TimeOf(X509_get0_notBefore(certificate.get()));
  const auto end = TimeOf(X509_get0_notAfter(certificate.get()));
  if (!begin.has_value() || *begin > now) {
    return Bad("--tls-cert", files.certificate, "is not valid yet");
  }
  if (!end.has_value() || *end <= now) {
    return Bad("--tls-cert", files.certificate, "has expired");
  }
  if (files.client_ca.empty()) return *end;
  if (absl::Status status = CheckChain("--tls-client-ca", files.client_ca,
                                       ReadChain(texts.client_ca));
      !status.ok()) {
    return status;
  }
  return *end;
}

std::shared_ptr<grpc::ServerCredentials> MakeServerCredentials(
    const TlsFiles& files) {
  if (!files.enabled()) return grpc::InsecureServerCredentials();
  // gRPC requires at least TLS 1.2.
  grpc::experimental::TlsServerCredentialsOptions options(
      std::make_shared<grpc::experimental::FileWatcherCertificateProvider>(
          files.key, files.certificate, files.client_ca, kReadAgainSeconds));
  options.watch_identity_key_cert_pairs();
  if (!files.client_ca.empty()) {
    options.watch_root_certs();
    options.set_cert_request_type(
        GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  }
  return grpc::experimental::TlsServerCredentials(options);
}

absl::Status AllowList::Check(const std::vector<std::string>& caller) const {
  if (allows_any_) return absl::OkStatus();
  for (const std::string& name : caller) {
    if (std::any_of(names_.begin(), names_.end(),
                    [&name](const std::string& allowed) {
                      return GlobMatches(allowed, name);
                    })) {
      return absl::OkStatus();
    }
  }
  const auto shown = caller.begin() + static_cast<std::ptrdiff_t>(std::min(
                                          caller.size(), kMaxShownNames));
  return absl::PermissionDeniedError(absl::StrFormat(
      "the caller's certificate is for [%s], none of which may call this "
      "service",
      absl::StrJoin(caller.begin(), shown, ", ")));
}

}  // namespace mulligan
