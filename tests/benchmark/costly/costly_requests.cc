// Searches for the requests that cost the most time and memory for their size.
//
//   costly_requests --seconds 60 --situations tests/testdata/situations.jsonl
//
// A fuzzer that maximizes cost: it starts from real situations, keeps requests
// that cost more than any similar one before, and mutates them further. Prints
// the worst ones with processor time and heap peak as a multiple of the
// request's size. One thread, no network, reads only the named files.
#include <google/protobuf/text_format.h>
#include <google/protobuf/util/json_util.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "policy/decide.h"
#include "policy/limits.h"
#include "policy/loader/load.h"
#include "server/rpc/unary_call.h"
#include "tests/benchmark/costly/allocated.h"
#include "tests/benchmark/costly/mutation.h"

namespace mulligan::testing {
namespace {

constexpr std::size_t kMaxBytes = 1 << 20;
// Candidates kept per kind and goal.
constexpr std::size_t kKept = 8;

double ThreadSeconds() {
  timespec time = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) +
         static_cast<double>(time.tv_nsec) * 1e-9;
}

// The server's limit of processor time, without its network.
class Patience final : public Watch {
 public:
  absl::Status Check() override {
    return Spent() <= CallWatch::kMaxCallTime
               ? absl::OkStatus()
               : absl::ResourceExhaustedError("too expensive");
  }
  absl::Duration Spent() override {
    return absl::Seconds(ThreadSeconds() - start_);
  }

 private:
  const double start_ = ThreadSeconds();
};

struct Cost {
  double seconds = 0;
  double growth = 0;  // peak of the heap over the bytes
  std::size_t bytes = 0;
  std::string outcome;
};

struct Candidate {
  v1::DecideRequest request;
  Cost cost;
};

Cost Measure(const v1::DecideRequest& request, const PolicySet& policies) {
  const std::string bytes = request.SerializeAsString();
  grpc::Slice slice(bytes);
  const grpc::ByteBuffer buffer(&slice, 1);
  google::protobuf::Timestamp now;
  now.set_seconds(1'800'000'000);
  Cost cost;
  cost.bytes = bytes.size();
  ForgetPeak();
  const double start = ThreadSeconds();
  {
    google::protobuf::Arena arena;
    auto* parsed =
        google::protobuf::Arena::CreateMessage<v1::DecideRequest>(&arena);
    auto* response =
        google::protobuf::Arena::CreateMessage<v1::DecideResponse>(&arena);
    Patience patience;
    absl::Status status = ParseRequest(
        buffer, WireShape::Of(*v1::DecideRequest::descriptor()), *parsed);
    if (status.ok()) {
      status = Decide(*parsed, policies, now, *response, {&patience, nullptr});
    }
    grpc::ByteBuffer answer;
    if (status.ok()) status = SerializeResponse(*response, answer);
    cost.outcome = status.ok() ? "OK" : absl::StatusCodeToString(status.code());
  }
  cost.seconds = ThreadSeconds() - start;
  cost.growth = static_cast<double>(PeakBytes()) /
                static_cast<double>(std::max<std::size_t>(bytes.size(), 1));
  return cost;
}

std::vector<v1::DecideRequest> ReadSeeds(const std::string& path) {
  std::vector<v1::DecideRequest> seeds;
  std::ifstream file(path);
  google::protobuf::util::JsonParseOptions options;
  options.ignore_unknown_fields = true;
  for (std::string line; std::getline(file, line);) {
    v1::DecideRequest request;
    if (google::protobuf::util::JsonStringToMessage(line, &request, options)
            .ok()) {
      seeds.push_back(std::move(request));
    }
  }
  return seeds;
}

// Keeps the best candidates of one goal, the worst of them last.
void Keep(Candidate candidate, double (*goal)(const Cost&),
          std::vector<Candidate>& kept) {
  kept.push_back(std::move(candidate));
  std::sort(kept.begin(), kept.end(),
            [goal](const Candidate& a, const Candidate& b) {
              return goal(a.cost) > goal(b.cost);
            });
  if (kept.size() > kKept) kept.pop_back();
}

double Seconds(const Cost& cost) { return cost.seconds; }
// For small requests the fixed cost dominates.
double Growth(const Cost& cost) {
  return cost.bytes < (256U << 10U) ? 0 : cost.growth;
}

// Names the long lists of the request, to distinguish candidates.
std::string Shape(const google::protobuf::Message& message, int depth = 0) {
  std::vector<const google::protobuf::FieldDescriptor*> fields;
  const auto* reflection = message.GetReflection();
  reflection->ListFields(message, &fields);
  std::string text;
  for (const auto* field : fields) {
    const bool message_field =
        field->cpp_type() == google::protobuf::FieldDescriptor::CPPTYPE_MESSAGE;
    std::string inner;
    if (field->is_repeated()) {
      const int size = reflection->FieldSize(message, field);
      if (size > 16) inner = absl::StrFormat("[%d]", size);
      if (message_field && !field->is_map() && depth < 8) {
        inner += Shape(reflection->GetRepeatedMessage(message, field, size - 1),
                       depth + 1);
      }
    } else if (message_field && depth < 8) {
      inner = Shape(reflection->GetMessage(message, field), depth + 1);
    } else if (field->cpp_type() ==
               google::protobuf::FieldDescriptor::CPPTYPE_STRING) {
      const std::size_t size = reflection->GetString(message, field).size();
      if (size > 1000) inner = absl::StrFormat("=%d B", size);
    }
    if (!inner.empty()) text += " " + field->json_name() + inner;
  }
  return text;
}

void Print(const char* goal, const std::vector<Candidate>& kept) {
  std::printf(
      "\nWorst by %s:\n\n| bytes | CPU ms | peak / bytes | outcome | "
      "long parts |\n|---|---|---|---|---|\n",
      goal);
  for (const Candidate& one : kept) {
    std::printf("| %zu | %.1f | %.1f | %s | %s |\n", one.cost.bytes,
                one.cost.seconds * 1e3, one.cost.growth,
                one.cost.outcome.c_str(),
                Shape(one.request).substr(0, 160).c_str());
  }
}

int Search(double seconds, const std::string& situations, unsigned seed) {
  Issues issues;
  const auto policies = LoadPolicies({EmbeddedPolicy()}, issues);
  std::vector<v1::DecideRequest> seeds = ReadSeeds(situations);
  if (seeds.empty()) {
    std::fprintf(stderr, "%s holds no request\n", situations.c_str());
    return 1;
  }
  Random random(seed);
  std::vector<Candidate> slow;
  std::vector<Candidate> large;
  const std::time_t end = std::time(nullptr) + static_cast<long>(seconds);
  long tried = 0;
  for (; std::time(nullptr) < end; ++tried) {
    const auto& pool = random() % 2 == 0 ? slow : large;
    Candidate next;
    next.request = pool.empty() || random() % 3 == 0
                       ? seeds[random() % seeds.size()]
                       : pool[random() % pool.size()].request;
    if (random() % 4 == 0) next.request.set_policy("native");
    if (random() % 8 == 0) next.request.set_policy("");
    if (random() % 4 == 0) next.request.set_explain(v1::DecideRequest::FULL);
    for (unsigned i = 0; i <= random() % 6; ++i) {
      Mutate(next.request, kMaxBytes, random);
    }
    if (next.request.ByteSizeLong() > kMaxBytes + (kMaxBytes >> 4)) continue;
    next.cost = Measure(next.request, *policies);
    if (slow.size() < kKept || Seconds(next.cost) > Seconds(slow.back().cost)) {
      Keep(next, Seconds, slow);
    }
    if (large.size() < kKept || Growth(next.cost) > Growth(large.back().cost)) {
      Keep(std::move(next), Growth, large);
    }
  }
  std::printf("%ld requests tried\n", tried);
  Print("processor time", slow);
  Print("memory", large);
  return 0;
}

}  // namespace
}  // namespace mulligan::testing

int main(int argc, char** argv) {
  CLI::App app("Searches for the most expensive requests of 1 MiB.");
  double seconds = 60;
  unsigned seed = 1;
  std::string situations;
  app.add_option("--seconds", seconds);
  app.add_option("--seed", seed);
  app.add_option("--situations", situations)->required();
  CLI11_PARSE(app, argc, argv);
  return mulligan::testing::Search(seconds, situations, seed);
}
