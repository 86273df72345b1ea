#include <algorithm>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "client/cli/story/particulars.h"
#include "re2/re2.h"

namespace mulligan::cli {
namespace {

// A form of text. \1 to \3 in the sentences are the pattern's groups, {image},
// {node}, {container} and {space} what they are called.
struct ProblemForm {
  const char* pattern;
  const char* problem;
  const char* remedy;
};

// Written by the kubelet, the API server and admission.
constexpr ProblemForm kObjects[] = {
    {R"re(secret "([^"]+)" not found)re", R"re(secret \1 does not exist)re",
     R"re(create secret \1{space}, or correct its name in the pod's spec)re"},
    {R"re(configmap "([^"]+)" not found)re",
     R"re(configmap \1 does not exist)re",
     R"re(create configmap \1{space}, or correct its name in the pod's spec)re"},
    {R"re(couldn't find key (\S+) in (\w+) (?:[^/\s]+/)?(\S+))re",
     R"re(\2 \3 has no key \1)re",
     R"re(add key \1 to \2 \3{space}, or correct the key in the pod's spec)re"},
    {R"re(references non-existent (?:secret|config) key: (\S+))re",
     R"re(key \1 of a volume does not exist)re",
     R"re(add key \1, or correct it in the volume's items)re"},
    {R"re(serviceaccount "([^"]+)" not found)re",
     R"re(service account \1 does not exist)re",
     R"re(create service account \1{space}, or correct serviceAccountName)re"},
    {R"re(persistentvolumeclaim "([^"]+)" not found)re",
     R"re(persistent volume claim \1 does not exist)re",
     R"re(create persistent volume claim \1{space}, or correct its name)re"},
    {R"re(no PriorityClass with name (\S+) was found)re",
     R"re(priority class \1 does not exist)re",
     R"re(create priority class \1, or correct priorityClassName)re"},
    {R"re(namespaces? "([^"]+)" not found)re",
     R"re(namespace \1 does not exist)re", R"re(create namespace \1)re"},
    {R"re(exec: "([^"]+)": executable file not found)re",
     R"re(program \1 is not in {image})re",
     R"re(correct the command, or build \1 into {image})re"},
    {R"re(exec: "([^"]+)": (?:stat \S+ )?no such file or directory)re",
     R"re(program \1 is not in {image})re",
     R"re(correct the command, or build \1 into {image})re"},
    {R"re(exec: "([^"]+)": permission denied)re",
     R"re(program \1 may not be executed)re",
     R"re(make \1 executable in {image})re"},
    {R"re((exec format error))re",
     R"re({image} is built for another architecture)re",
     R"re(build {image} for the node's architecture)re"},
    {R"re(exceeded quota: ([^,]+), requested: (.+), used: (.+, limited: \S+))re",
     R"re(quota \1 is used up: requested \2, used \3)re",
     R"re(raise quota \1{space}, or free what it counts)re"},
    // Their texts have several lines, of which the last names the rule.
    {R"re((?s)admission webhook "([^"]+)" denied the request:\s*(\S.{0,400}))re",
     R"re(webhook \1 refuses it: \2)re",
     R"re(do what webhook \1 asks for: \2)re"},
    {R"re(violates PodSecurity "([^"]+)": (.+))re",
     R"re(the pod violates PodSecurity \1: \2)re",
     R"re(correct the pod's securityContext: \2)re"},
    {R"re(failed calling webhook "([^"]+)".*//([\w-]+)\.([\w-]+)\.svc.*no endpoints available)re",
     R"re(webhook \1 cannot be called: its service \2 in namespace \3 has no endpoints)re",
     R"re(get the pods behind service \2 in namespace \3 running: kubectl get endpoints,pods -n \3)re"},
    {R"re(failed calling webhook "([^"]+)".*: (.+))re",
     R"re(webhook \1 cannot be called: \2)re",
     R"re(see why webhook \1 does not answer: \2)re"},
    {R"re(Multi-Attach error for volume "([^"]+)" Volume is already used by pod\(s\) (.+))re",
     R"re(volume \1 is still attached elsewhere, for pod \2)re",
     R"re(wait for pod \2 to end, or delete it: it holds volume \1)re"},
    {R"re(Multi-Attach error for volume "([^"]+)" Volume is already exclusively attached to one node)re",
     R"re(volume \1 is still attached to another node)re",
     R"re(find the pod or node that holds volume \1: kubectl get volumeattachments)re"},
    {R"re(node was low on resource: ([\w.-]+\w))re",
     R"re(evicted, {node} ran low on \1)re",
     R"re(request as much \1 as {container} uses: who is above its request goes first)re"},
    {R"re((?s)for volume "([^"]+)" ?: .*\b(?:mount\.\w+|mount): (?:error: )?(.{1,200}))re",
     R"re(volume \1 could not be mounted: \2)re",
     R"re(see why volume \1 does not mount on {node}: \2)re"},
    {R"re(is forbidden: User \\?"([^"\\]+)\\?" cannot (\w+) resource \\?"([^"\\]+)\\?")re",
     R"re(\1 may not \2 \3)re",
     R"re(allow \1 to \2 \3{space}, with a Role and a RoleBinding)re"},
    {R"re((\d+/\d+ nodes are available: .+))re", R"re(\1)re",
     R"re(make room, or ask for less: see why each node was refused)re"},
};

// Read for one cause only.
struct CauseForm {
  v1::Cause cause;
  ProblemForm form;
};

constexpr CauseForm kOfCause[] = {
    {v1::GPU_FAULT,
     {R"re((?i)(system not yet initialized|CUDA_ERROR_SYSTEM_NOT_READY))re",
      R"re(the fabric manager of {node} is not running (CUDA 802))re",
      R"re(start nvidia-fabricmanager on {node} again, and see its log)re"}},
    {v1::CONTAINER_OOM,
     {R"re((?i)(Java heap space|GC overhead limit exceeded))re",
      R"re(the heap of the JVM is full: \1)re",
      R"re(raise -Xmx or -XX:MaxRAMPercentage of the JVM in {container}: its heap was full, not the container{limit})re"}},
    {v1::CONTAINER_OOM,
     {R"re((?i)(JavaScript heap out of memory))re",
      R"re(the JavaScript heap is full)re",
      R"re(raise --max-old-space-size of node in {container}: its heap was full, not the container{limit})re"}},
    {v1::CONTAINER_OOM,
     {R"re((Metaspace|Compressed class space))re",
      R"re(the JVM's \1 is full)re",
      R"re(raise -XX:MaxMetaspaceSize of the JVM in {container}, or see which classes leak)re"}},
    {v1::CONTAINER_OOM,
     {R"re((?i)unable to allocate ([\d.]+ [KMGTP]i?B))re",
      R"re(the program asked for \1 at once{above})re",
      R"re(have the program ask for less at once, or give {container} \1 more than it uses without it)re"}},
    {v1::CONFIG_USER_ERROR,
     {R"re(in "([^"]+\.ya?ml)", line (\d+))re",
      R"re(\1 does not parse as YAML, line \2)re",
      R"re(correct line \2 of \1)re"}},
    {v1::CONFIG_USER_ERROR,
     {R"re((?s)loading state_dict.*?((?:size mismatch for|Missing key\(s\) in state_dict:|Unexpected key\(s\) in state_dict:) ["\w.]+\w"?))re",
      R"re(the checkpoint does not fit the model: \1)re",
      R"re(load a checkpoint of this model, or build the model that was saved: \1)re"}},
    {v1::GPU_FAULT,
     {R"re(((?i:xid) ?(?:\([^)]*\))?:? ?\d+[,:] .{5,160}))re",
      R"re(the GPU driver of {node} reports \1)re",
      R"re(drain {node} and reset or replace its GPU)re"}},
    {v1::DEVICE_ADMISSION,
     {R"re(devices unavailable for (\S+)\. Requested: (\d+), Available: (\d+))re",
      R"re({node} had \3 of \1 left when it was asked for \2)re",
      R"re(see why {node} offers \1 that it does not have: its device plug-in)re"}},
    {v1::DEVICE_ADMISSION,
     {R"re(enough resource: ([^,]+), requested: (\d+), used: (\d+))re",
      R"re({node} had no room for \2 of \1, \3 were in use)re",
      R"re(see what {node} has left: its kubelet refused the pod)re"}},
    {v1::CANCELLED,
     {R"re(Scaled down replica set (\S+) (from \d+ to \d+|to \d+ from \d+))re",
      R"re(deleted because replica set \1 was scaled down \2)re",
      R"re(nothing, unless nobody meant to: see who changed the replicas or the template of its Deployment)re"}},
    // What registries answer.
    {v1::IMAGE_INVALID,
     {"(?i)no match for platform|no matching manifest",
      "{image}: not built for the node's platform",
      "build {image} for the node's platform"}},
    {v1::IMAGE_INVALID,
     {"(?i)invalid reference format|couldn't parse image|InvalidImageName",
      "{image}: not a valid image reference", "correct the image's name"}},
    {v1::IMAGE_INVALID,
     {"(?i)repository does not exist|name unknown|NAME_UNKNOWN",
      "{image}: no such repository", "push {image}, or correct its name"}},
    {v1::IMAGE_INVALID,
     {"(?i)manifest|not found|unknown", "{image}: no such {tag}",
      "push {image}, or correct its {tag}"}},
    {v1::IMAGE_DENIED,
     {"(?i)x509|certificate",
      "{image}: the registry's certificate is not trusted",
      "make the nodes trust the registry's certificate"}},
    {v1::IMAGE_DENIED,
     {"(?i)denied|unauthorized|forbidden|40[13]|insufficient_scope|no basic "
      "auth",
      "{image}: the registry refuses access",
      "give the pod an imagePullSecret that may pull {image}, or correct its "
      "name: registries refuse what does not exist, too"}},
    {v1::IMAGE_PULL_TRANSIENT,
     {"(?i)no space left", "{image}: {node} has no room for it",
      "free the disk of {node}"}},
    {v1::IMAGE_PULL_TRANSIENT,
     {"(?i)429|toomanyrequests|rate limit",
      "{image}: the registry limits the rate",
      "pull through a mirror, or with credentials that have a higher limit"}},
    {v1::IMAGE_PULL_TRANSIENT,
     {"(?i)no such host|lookup|dns",
      "{image}: the registry's name is not resolved",
      "nothing yet; if it lasts, look at the nodes' DNS"}},
    {v1::IMAGE_PULL_TRANSIENT,
     {"(?i)timeout|timed out|deadline exceeded",
      "{image}: the registry does not answer in time",
      "nothing yet; if it lasts, look at the way to the registry"}},
    {v1::IMAGE_PULL_TRANSIENT,
     {"(?i)50[0234]|unavailable|connection re",
      "{image}: the registry is in trouble",
      "nothing yet; if it lasts, look at the registry"}},
};

// Causes that the forms of kObjects explain.
constexpr v1::Cause kExplained[] = {
    v1::CREATE_REJECTED,       v1::QUOTA_EXCEEDED,   v1::API_TRANSIENT,
    v1::UNSCHEDULABLE,         v1::CONFIG_MISSING,   v1::SANDBOX_OR_MOUNT,
    v1::NODE_PRESSURE_EVICTED, v1::START_TIMEOUT,    v1::IMAGE_INVALID,
    v1::LAUNCHER_FAILED,       v1::CONFIG_USER_ERROR};

std::string Replace(const std::string& text, const Particulars& found) {
  const std::string& image = found.image;
  return absl::StrReplaceAll(
      text,
      {{"{image}", Named("image", image)},
       {"{node}", Named("node", found.node)},
       {"{container}", Named("container", found.container)},
       {"{tag}", image.find('@') == std::string::npos ? "tag" : "digest"},
       {"{limit}", found.limit.empty() ? "" : "'s limit of " + found.limit},
       {"{above}", found.limit.empty() ? "" : ", its limit is " + found.limit},
       {"{space}", found.space.empty() ? "" : " in namespace " + found.space}});
}

// The form's sentences with the groups of the match.
bool Fill(const ProblemForm& form, const std::string& text,
          Particulars& found) {
  const RE2 pattern(form.pattern);
  re2::StringPiece groups[4];
  const int count = std::min(pattern.NumberOfCapturingGroups() + 1, 4);
  if (!pattern.Match(text, 0, text.size(), RE2::UNANCHORED, groups, count)) {
    return false;
  }
  const auto fill = [&](const char* sentence) {
    std::string filled = Replace(sentence, found);
    for (int i = 1; i < count; ++i) {
      const std::string group = absl::StrJoin(
          absl::StrSplit(groups[i].as_string(), absl::ByAnyChar(" \t\r\n"),
                         absl::SkipEmpty()),
          " ");
      filled = absl::StrReplaceAll(filled, {{absl::StrCat("\\", i), group}});
    }
    return filled;
  };
  found.problem = fill(form.problem);
  found.remedy = fill(form.remedy);
  found.source = text;
  return true;
}

bool FindOfCause(v1::Cause cause, const std::vector<std::string>& texts,
                 Particulars& found) {
  for (const CauseForm& row : kOfCause) {
    if (row.cause != cause) continue;
    for (const std::string& text : texts) {
      if (Fill(row.form, text, found)) return true;
    }
  }
  return false;
}

bool FindObject(const std::vector<std::string>& texts, Particulars& found) {
  return std::ranges::any_of(texts, [&](const std::string& text) {
    return std::ranges::any_of(kObjects, [&](const ProblemForm& form) {
      return Fill(form, text, found);
    });
  });
}

// What the registry answered, which long messages have at their end.
void AddStatus(v1::Cause cause, const std::vector<std::string>& texts,
               Particulars& found) {
  static const RE2 kStatus("\\b(40[13] (?:Forbidden|Unauthorized))");
  if (cause != v1::IMAGE_DENIED) return;
  std::string status;
  for (const std::string& text : texts) {
    if (!RE2::PartialMatch(text, kStatus, &status)) continue;
    absl::StrAppend(&found.problem, " (", status, ")");
    return;
  }
}

// The image that a text names, which long specs leave out.
void FindImage(const std::vector<std::string>& texts, Particulars& found) {
  static const RE2 kNamed(R"re((?:image|reference) "([^"]+)")re");
  for (const std::string& text : texts) {
    if (RE2::PartialMatch(text, kNamed, &found.image)) return;
  }
}

}  // namespace

void FindProblem(v1::Cause cause, const std::vector<std::string>& texts,
                 Particulars& found) {
  if (cause == v1::IMAGE_INVALID || cause == v1::IMAGE_DENIED ||
      cause == v1::IMAGE_PULL_TRANSIENT) {
    FindImage(texts, found);
  }
  if (FindOfCause(cause, texts, found)) {
    AddStatus(cause, texts, found);
    return;
  }
  const bool explained =
      std::ranges::find(kExplained, cause) != std::end(kExplained);
  if (explained) FindObject(texts, found);
}

}  // namespace mulligan::cli
