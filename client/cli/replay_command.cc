// `mulligan replay`.
#include <charconv>
#include <fstream>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/cli/base/errors.h"
#include "client/cli/base/utf8.h"
#include "client/cli/commands.h"
#include "client/cli/input/policy_files.h"
#include "client/cli/log/log_reader.h"
#include "client/cli/replay/replay.h"

namespace mulligan::cli {
namespace {

struct ReplayOptions {
  // Decision logs: files, directories, "-". With `merge`, results of replays.
  std::vector<std::string> logs;
  // Policy files and directories; if empty, the embedded policies.
  std::vector<std::string> policies;
  bool merge = false;
  // "I/N"; empty for all lines.
  std::string shard;
  // 0 for one per processor.
  unsigned threads = 0;
  // Lines begin with their positions.
  bool placed = false;
  // "text", "json", "html" or "rows".
  std::string output = "text";
};

absl::StatusOr<Shard> ParseShard(const std::string& text) {
  if (text.empty()) return Shard();
  Shard shard;
  const char* const end = text.data() + text.size();
  const auto index = std::from_chars(text.data(), end, shard.index);
  const bool has_slash = index.ptr != end && *index.ptr == '/';
  const auto count =
      std::from_chars(has_slash ? index.ptr + 1 : end, end, shard.count);
  if (index.ec == std::errc() && has_slash && count.ec == std::errc() &&
      count.ptr == end && shard.index < shard.count) {
    return shard;
  }
  return Invalid(
      "--shard: \"%s\" is not valid; expected I/N with I from "
      "0 to N-1, such as 0/8",
      text);
}

int PrintReplay(const ReplayOptions& options, const ReplayResult& result,
                Streams& streams) {
  const std::string policies = options.merge ? "the same policies"
                               : options.policies.empty()
                                   ? "the embedded policies"
                                   : absl::StrJoin(options.policies, ", ");
  streams.out << (options.output == "json"   ? ReplayJson(result)
                  : options.output == "html" ? ReplayHtml(result, policies)
                                             : ReplayText(result, policies));
  return FinishOutput(streams);
}

// Returns "0/3 of decisions.jsonl" if both have it; empty if nothing counts
// twice. Standard input is never compared, because its content is unknown.
std::string PartOfBoth(const ReplayResult& a, const ReplayResult& b) {
  for (const auto& [logs, shards] : a.parts) {
    const auto other = b.parts.find(logs);
    if (other == b.parts.end() || logs == "-") continue;
    for (const std::string& shard : shards) {
      if (other->second.contains(shard)) return shard + " of " + logs;
    }
  }
  return "";
}

// Warns of missing parts and names the first ones. If none is missing, records
// the whole as one part.
void CheckParts(ReplayResult& sum, Streams& streams) {
  constexpr std::size_t kNamed = 8;
  for (auto& [logs, shards] : sum.parts) {
    if (shards.empty()) continue;
    const absl::StatusOr<Shard> first = ParseShard(*shards.begin());
    const std::size_t count = first.ok() ? first->count : 1;
    std::vector<std::string> missing;
    for (std::size_t i = 0; i < count && missing.size() < kNamed; ++i) {
      std::string shard = absl::StrCat(i, "/", count);
      if (!shards.contains(shard)) missing.push_back(std::move(shard));
    }
    if (missing.empty()) {
      shards = {"0/1"};
      continue;
    }
    const std::size_t lacking = count - std::min(count, shards.size());
    streams.err << "warning: " << lacking << " of " << count << " parts of "
                << Printable(logs)
                << " are missing: " << absl::StrJoin(missing, ", ")
                << (lacking > missing.size() ? ", ...\n" : "\n");
  }
}

absl::StatusOr<ReplayResult> MergeResults(
    const std::vector<std::string>& paths) {
  std::optional<ReplayResult> sum;
  for (const std::string& path : paths) {
    std::ifstream file(path, std::ios::binary);
    if (!file) {
      return absl::NotFoundError(absl::StrCat(path, ": cannot be opened"));
    }
    const std::string text((std::istreambuf_iterator<char>(file)),
                           std::istreambuf_iterator<char>());
    absl::StatusOr<ReplayResult> result = ParseReplayJson(text);
    if (!result.ok()) return Invalid("%s: %s", path, result.status().message());
    if (!sum.has_value()) {
      sum = *std::move(result);
      continue;
    }
    if (sum->revision != result->revision) {
      return Invalid(
          "%s: replayed under revision %s, the files before it under %s; "
          "expected the same policies",
          path, result->revision, sum->revision);
    }
    const std::string again = PartOfBoth(*sum, *result);
    if (!again.empty()) {
      return Invalid("%s: part %s was added before; expected each once", path,
                     again);
    }
    sum->Merge(*result);
  }
  return *std::move(sum);
}

// Prints what would change, and the progress on standard error. Returns the
// exit code; bad lines are part of the answer.
int RunReplay(ReplayOptions& options, Streams& streams) {
  if (options.merge && options.output == "rows") {
    return Fail(streams,
                Invalid("-o rows: expected decision logs, not --merge"));
  }
  if (options.merge) {
    absl::StatusOr<ReplayResult> sum = MergeResults(options.logs);
    if (!sum.ok()) return Fail(streams, sum.status());
    CheckParts(*sum, streams);
    return PrintReplay(options, *sum, streams);
  }
  const absl::StatusOr<Shard> shard = ParseShard(options.shard);
  if (!shard.ok()) return Fail(streams, shard.status());
  absl::StatusOr<std::vector<std::string>> files = FindLogs(options.logs);
  if (!files.ok()) return Fail(streams, files.status());
  LoadedPolicies policies;
  if (const int code = LoadValid(options.policies, streams, policies);
      code != kExitOk) {
    return code;
  }
  LogBlocks logs(*std::move(files));
  ProgressBar bar(streams.err);
  ReadSettings settings;
  settings.shard = *shard;
  settings.placed = options.placed;
  settings.on_progress = bar.IfTerminal();
  const unsigned threads = ThreadsFor(options.threads);
  if (options.output == "rows") {
    ReplayRows(logs, *policies.set, threads, settings,
               [&](const std::string& row) { streams.out << row; });
    bar.Wipe();
    return FinishOutput(streams);
  }
  ReplayResult result = Replay(logs, *policies.set, threads, settings);
  result.parts[absl::StrJoin(options.logs, " ")] = {
      absl::StrCat(shard->index, "/", shard->count)};
  bar.Wipe();
  return PrintReplay(options, result, streams);
}

}  // namespace

void AddReplay(CLI::App& app, Streams& streams, int& code) {
  const auto [command, options] = AddCommand(
      "replay", "Say what other policies would have decided", R"(Examples:
  mulligan replay decisions.jsonl* --policy candidate.yaml
  mulligan replay logs/ --policy policies/ -o html > replay.html
  mulligan replay logs/ --policy policies/ --shard 0/8 -o json > 0.json
  mulligan replay --merge *.json)",
      RunReplay, app, streams, code);
  AddOption(command, "LOG", options.logs,
            "Decision logs, also .gz, or directories; \"-\": stdin", "LOG")
      ->required();
  CLI::Option* policy =
      AddOption(command, "--policy", options.policies,
                "Policy file or directory; default: embedded", "PATH");
  CLI::Option* shard = AddOption(command, "--shard", options.shard,
                                 "Part I of N of the lines, I from 0", "I/N");
  AddOption(command, "--threads", options.threads, "Default: all processors",
            "N")
      ->check(CLI::Range(1, kMaxThreads));
  command
      .add_flag("--merge", options.merge,
                "LOG are results of -o json, to merge")
      ->excludes(policy)
      ->excludes(shard);
  command.add_flag("--placed", options.placed,
                   "Each line begins with its position: FILE<tab>LINE<tab>");
  AddOption(command, "-o,--output", options.output,
            "text, json, html or rows: a line of JSON for each decision",
            "FORMAT")
      ->check(CLI::IsMember({"text", "json", "html", "rows"}));
}

}  // namespace mulligan::cli
