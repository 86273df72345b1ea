#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "client/cli/input/container_specs.h"
#include "client/cli/story/commands.h"
#include "client/cli/story/particulars.h"
#include "policy/request/workload_view.h"
#include "re2/re2.h"

namespace mulligan::cli {
namespace {

// Words of Kueue and what to do about them. {workload} is the Workload, {ask}
// the command that shows it, {queue} the queue, \1 the pattern's first group.
struct QueueForm {
  const char* pattern;
  const char* remedy;
};

constexpr QueueForm kForms[] = {
    {"(?i)> maximum capacity",
     "ask for less, or raise the nominal quota of {queue}: it never fits as it "
     "is"},
    {"(?i)LocalQueue (\\S+) doesn't exist",
     "create LocalQueue \\1{space}, or correct the label "
     "kueue.x-k8s.io/queue-name"},
    {"(?i)ClusterQueue (\\S+) doesn't exist",
     "create ClusterQueue \\1, or correct the LocalQueue that names it"},
    {"(?i)(?:LocalQueue|ClusterQueue) (\\S+) is inactive",
     "see why queue \\1 is not active: kubectl describe "
     "clusterqueue,localqueue "
     "-A"},
    {"(?i)re-?queuing (?:retries|limit)|requeuinglimit|number of re-queu",
     "find out why its pods do not become ready, then set spec.active of "
     "{workload} to true"},
    {"(?i)deactivated",
     "see why it was deactivated, then set spec.active of {workload} to true: "
     "{ask}"},
    {"(?i)PodsReady timeout",
     "see why its pods do not become ready in time: {ask}"},
    {"(?i)preempted",
     "nothing now; raise its priority if the queue evicts it "
     "too often"},
    {"", "see what {queue} waits for: {ask}"},
};

// Of the condition that tells most: why it was deactivated or evicted before
// why it waits.
std::string SaidBy(const v1::FailureReport& report) {
  const auto& conditions = report.kueue_workload().status().conditions();
  for (const std::string_view type :
       {"DeactivationTarget", "Evicted", "QuotaReserved"}) {
    for (const auto& condition : conditions) {
      const bool tells =
          condition.status() == (type == "QuotaReserved" ? "False" : "True");
      if (condition.type() == type && tells) return condition.message();
    }
  }
  return "";
}

// Of the workload a controller says it made: "Created Workload: ml/job-a-1b2".
std::string NameOfWorkload(const v1::FailureReport& report) {
  static const RE2 kCreated("Created Workload: (?:[^/\\s]+/)?(\\S+)");
  std::string name = report.kueue_workload().metadata().name();
  for (const auto& event : report.events()) {
    if (name.empty()) RE2::PartialMatch(event.message(), kCreated, &name);
  }
  return name;
}

std::string AskCommand(const std::string& workload, const Particulars& found) {
  const std::string space = InNamespace(found.space);
  return workload.empty() ? absl::StrCat("kubectl get workloads", space)
                          : absl::StrCat("kubectl describe workload", space,
                                         " ", NameWord("workload", workload));
}

std::string RemedyFor(const std::string& said, const std::string& queue,
                      const std::string& workload, const Particulars& found) {
  for (const QueueForm& form : kForms) {
    const RE2 pattern(form.pattern);
    re2::StringPiece groups[2];
    const int count = pattern.NumberOfCapturingGroups() + 1;
    if (!pattern.Match(said, 0, said.size(), RE2::UNANCHORED, groups, count)) {
      continue;
    }
    return absl::StrReplaceAll(
        form.remedy,
        {{"\\1", count > 1 ? groups[1].as_string() : ""},
         {"{queue}", Named("queue", queue)},
         {"{workload}", Named("Workload", workload)},
         {"{space}", found.space.empty() ? "" : " in namespace " + found.space},
         {"{ask}", AskCommand(workload, found)}});
  }
  return "";
}

// "gpu=h200, zone=a", in the order of their keys.
std::string SelectorOf(const kubernetes::core::v1::Pod& pod) {
  std::vector<std::string> labels;
  for (const auto& [key, value] : pod.spec().node_selector()) {
    labels.push_back(absl::StrCat(key, "=", value));
  }
  std::ranges::sort(labels);
  std::string text;
  for (const std::string& label : labels) {
    absl::StrAppend(&text, text.empty() ? "" : ", ", label);
  }
  return text;
}

// Bytes as people write them: "39.93Gi".
std::string Bytes(double bytes) {
  for (const auto& [unit, size] : {std::pair{"Ti", 1099511627776.0},
                                   {"Gi", 1073741824.0},
                                   {"Mi", 1048576.0},
                                   {"Ki", 1024.0}}) {
    if (bytes >= size) return absl::StrFormat("%.4g%s", bytes / size, unit);
  }
  return absl::StrFormat("%.0f", bytes);
}

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
  static const RE2 kPath(
      "['\"](/[^'\"]+)['\"]|: (/[^\\s:;,]+)|(?:to|on) (/[^\\s:;,]+)");
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
  if (found.limit.empty() && found.request.empty()) {
    found.remedy = absl::StrCat(
        "request ephemeral-storage for ", Named("container", found.container),
        ", so that it gets a node with room: it asks for none");
  }
  return true;
}

}  // namespace

void FindQueueProblem(const v1::FailureReport& report,
                      const v1::Diagnosis& diagnosis, Particulars& found) {
  if (diagnosis.cause() != v1::SUSPENDED &&
      diagnosis.cause() != v1::START_TIMEOUT) {
    return;
  }
  const std::string queue(QueueOf(Owners(report)));
  const std::string said = SaidBy(report);
  if (queue.empty() && said.empty()) return;
  if (!said.empty()) {
    found.problem = absl::StrCat("Kueue says: ", said);
  } else {
    found.problem = absl::StrCat("it is suspended; Kueue's queue ", queue,
                                 " holds it, and only its Workload says why");
  }
  found.remedy = RemedyFor(said, queue, NameOfWorkload(report), found);
}

std::string QueueRemark(const v1::FailureReport& report,
                        const v1::Diagnosis& diagnosis) {
  if (diagnosis.situation() != v1::Diagnosis::BROKEN) return "";
  for (const auto& condition : report.kueue_workload().status().conditions()) {
    if (condition.type() == "Evicted" && condition.status() == "True") {
      return condition.message();
    }
  }
  return "";
}

void FindSelectorProblem(const kubernetes::core::v1::Pod& pod,
                         const std::vector<std::string>& texts,
                         Particulars& found) {
  static const RE2 kNone(
      "0/(\\d+) nodes are available: (\\d+) node\\(s\\) didn't match (?:Pod's "
      "node affinity|node selector|node affinity)");
  for (const std::string& text : texts) {
    std::string all;
    std::string refused;
    if (!RE2::PartialMatch(text, kNone, &all, &refused) || all != refused) {
      continue;
    }
    const std::string selector = SelectorOf(pod);
    found.source = text;
    if (selector.empty()) {
      found.problem =
          absl::StrCat("none of ", all, " nodes meets the pod's node affinity");
      found.remedy = "correct the pod's nodeAffinity, or label a node for it";
      return;
    }
    found.problem =
        absl::StrCat("none of ", all, " nodes has label ", selector);
    found.remedy = absl::StrCat("correct the pod's nodeSelector ", selector,
                                ", or label or add nodes for it");
    return;
  }
}

void FindPressureRemedy(const std::vector<std::string>& texts,
                        Particulars& found) {
  static const RE2 kUse(
      "low on resource: ([\\w.-]*\\w)\\. Threshold quantity: (\\w+), "
      "available: "
      "(\\w+)\\. .*?Container (\\S+) was using (\\w+), request is (\\w+)");
  for (const std::string& text : texts) {
    std::string resource, threshold, available, container, used, requested;
    if (!RE2::PartialMatch(text, kUse, &resource, &threshold, &available,
                           &container, &used, &requested)) {
      continue;
    }
    const auto use = QuantityValue(used);
    const auto wanted = QuantityValue(threshold);
    const auto left = QuantityValue(available);
    if (!use || !wanted || !left) return;
    // Without the pod the node would have been as low.
    if (*use < *wanted - *left) {
      found.remedy = absl::StrFormat(
          "see what else uses up the %s of %s: container %s used only %s",
          resource, Named("node", found.node), container, Bytes(*use));
      return;
    }
    found.remedy = absl::StrFormat(
        "request as much %s as container %s uses: it used %s and had "
        "requested %s; who is above its request goes first",
        resource, container, Bytes(*use), requested);
    return;
  }
}

void FindStorageProblem(const std::vector<std::string>& texts,
                        const ContainerSpecs& specs, Particulars& found) {
  for (const std::string& text : texts) {
    if (FindEmptyDir(text, found) || FindLimit(text, found) ||
        FindSharedMemory(text, specs, found) || FindQuota(text, found) ||
        FindFull(text, specs, found)) {
      found.source = text;
      return;
    }
  }
}

}  // namespace mulligan::cli
