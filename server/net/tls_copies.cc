#include "server/net/tls_copies.h"

#include <sys/mman.h>
#include <unistd.h>

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"

namespace mulligan {
namespace {

OwnedDescriptor FileInMemory() {
  return OwnedDescriptor(memfd_create("tls", MFD_CLOEXEC));
}

std::string PathOf(const OwnedDescriptor& file) {
  return absl::StrCat("/proc/self/fd/", file.number());
}

// A reader sees the old or the new text: both are written in one call, and PEM
// ends at its last line.
bool Write(const OwnedDescriptor& file, const std::string& text) {
  const auto size = static_cast<ssize_t>(text.size());
  return pwrite(file.number(), text.data(), text.size(), 0) == size &&
         ftruncate(file.number(), size) == 0;
}

}  // namespace

absl::StatusOr<std::unique_ptr<TlsCopies>> TlsCopies::Create(
    const TlsFiles& files, absl::Time now) {
  std::unique_ptr<TlsCopies> copies(new TlsCopies(files));
  copies->identity_ = FileInMemory();
  copies->paths_.certificate = PathOf(copies->identity_);
  copies->paths_.key = copies->paths_.certificate;
  if (!files.client_ca.empty()) {
    copies->client_ca_ = FileInMemory();
    copies->paths_.client_ca = PathOf(copies->client_ca_);
  }
  if (absl::Status taken = copies->Refresh(now); !taken.ok()) return taken;
  if (access(copies->paths_.key.c_str(), R_OK) != 0) {
    return absl::UnavailableError(absl::StrCat("--tls-cert: needs /proc, \"",
                                               copies->paths_.key,
                                               "\" cannot be read"));
  }
  return copies;
}

absl::Status TlsCopies::Refresh(absl::Time now) {
  TlsTexts texts = ReadTlsTexts(files_);
  if (texts == texts_) return absl::OkStatus();
  const absl::StatusOr<absl::Time> end = CheckTlsTexts(texts, files_, now);
  if (!end.ok()) return end.status();
  if ((client_ca_.valid() && !Write(client_ca_, texts.client_ca)) ||
      !Write(identity_, absl::StrCat(texts.certificate, "\n", texts.key))) {
    return absl::UnavailableError("the TLS files cannot be kept in memory");
  }
  texts_ = std::move(texts);
  end_ = *end;
  return absl::OkStatus();
}

}  // namespace mulligan
