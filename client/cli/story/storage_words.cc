#include <optional>

#include "absl/strings/str_cat.h"
#include "client/cli/story/problems.h"
#include "re2/re2.h"

namespace mulligan::cli {
namespace {

// An emptyDir that the kubelet measured.
bool FindEmptyDir(const std::string& text, Particulars& found) {
  static const RE2 kOver(
      "Usage of EmptyDir volume \"([^\"]+)\" exceeds the limit \"([^\"]+)\"");
  std::string name;
  std::string limit;
  if (!RE2::PartialMatch(text, kOver, &name, &limit)) return false;
  found.problem = absl::StrCat("emptyDir volume ", name,
                               " is larger than its sizeLimit of ", limit);
  found.remedy = absl::StrCat("raise sizeLimit of emptyDir volume ", name,
                              " above ", limit, ", or write less to it");
  return true;
}

// The container's or pod's own limit, which the kubelet names.
bool FindLimit(const std::string& text, Particulars& found) {
  static const RE2 kOver(
      "(?:storage usage exceeds the total limit of containers|exceeded its "
      "local ephemeral storage limit) \"?([\\w.]+)");
  std::string limit;
  if (!RE2::PartialMatch(text, kOver, &limit)) return false;
  while (!limit.empty() && limit.back() == '.') limit.pop_back();
  found.problem =
      absl::StrCat("used more ephemeral storage than its limit of ", limit);
  if (found.limit.empty()) found.limit = limit;
  return true;
}

bool FindSharedMemory(const std::string& text, const ContainerSpecs& specs,
                      Particulars& found) {
  static const RE2 kShared("(?i)/dev/shm|shared memory|\\bshm\\b");
  if (!RE2::PartialMatch(text, kShared)) return false;
  const std::optional<VolumeSpec> mounted =
      specs.VolumeAt(found.pod, found.container, "/dev/shm");
  if (!mounted.has_value()) {
    found.problem = "/dev/shm is full: it has 64Mi where nothing is mounted";
    found.remedy =
        absl::StrCat("mount an emptyDir with medium: Memory on /dev/shm of ",
                     Named("container", found.container));
    return true;
  }
  found.problem = absl::StrCat("/dev/shm, volume ", mounted->name, ", is full");
  found.remedy = absl::StrCat(
      "raise sizeLimit of volume ", mounted->name, ", mounted on /dev/shm",
      mounted->size_limit.empty() ? "" : ", above " + mounted->size_limit);
  return true;
}

// The path a program tells of: "No space left on device: '/ckpt/model.pt'".
std::string PathIn(const std::string& text) {
  static const RE2 kPath("['\"](/[^'\"]+)['\"]|: (/\\S+)|(?:to|on) (/\\S+)");
  std::string quoted;
  std::string bare;
  std::string named;
  if (!RE2::PartialMatch(text, kPath, &quoted, &bare, &named)) return "";
  return !quoted.empty() ? quoted : !bare.empty() ? bare : named;
}

bool FindQuota(const std::string& text, Particulars& found) {
  static const RE2 kQuota("(?i)disk quota exceeded|\\[errno 122\\]|EDQUOT");
  if (!RE2::PartialMatch(text, kQuota)) return false;
  const std::string path = PathIn(text);
  const std::string where = path.empty() ? "" : " where " + path + " is";
  found.problem = absl::StrCat("the user's disk quota is used up", where);
  found.remedy =
      absl::StrCat("raise the user's quota on the file system", where,
                   ", or delete what is no longer needed there");
  return true;
}

void TellVolume(const VolumeSpec& volume, const std::string& path,
                Particulars& found) {
  if (!volume.claim.empty()) {
    found.problem = absl::StrCat("persistent volume claim ", volume.claim,
                                 " has no room left for ", path);
    found.remedy = absl::StrCat("expand persistent volume claim ", volume.claim,
                                ", or delete what is no longer needed there");
    return;
  }
  found.problem = absl::StrCat("volume ", volume.name, " (", volume.kind,
                               ") has no room left for ", path);
  found.remedy =
      volume.size_limit.empty()
          ? absl::StrCat("make room where volume ", volume.name, " lies")
          : absl::StrCat("raise sizeLimit of emptyDir volume ", volume.name,
                         " above ", volume.size_limit);
}

bool FindFull(const std::string& text, const ContainerSpecs& specs,
              Particulars& found) {
  static const RE2 kFull("(?i)no space left|ENOSPC|disk (?:is )?full");
  if (!RE2::PartialMatch(text, kFull)) return false;
  const std::string path = PathIn(text);
  if (path.empty()) return false;
  const std::optional<VolumeSpec> volume =
      specs.VolumeAt(found.pod, found.container, path);
  if (volume.has_value()) {
    TellVolume(*volume, path, found);
    return true;
  }
  found.problem =
      absl::StrCat("no room left on the file system of ",
                   Named("container", found.container), " for ", path);
  if (found.limit.empty()) {
    found.remedy = absl::StrCat(
        "request ephemeral-storage for ", Named("container", found.container),
        ", so that it gets a node with room: it asks for none");
  }
  return true;
}

}  // namespace

void FindStorageProblem(const std::vector<std::string>& texts,
                        const ContainerSpecs& specs, Particulars& found) {
  for (const std::string& text : texts) {
    if (FindEmptyDir(text, found) || FindLimit(text, found) ||
        FindSharedMemory(text, specs, found) || FindQuota(text, found) ||
        FindFull(text, specs, found)) {
      return;
    }
  }
}

}  // namespace mulligan::cli
