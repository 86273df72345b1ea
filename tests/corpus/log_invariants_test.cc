// Text of a log other than the reason does not change an answer. Each test is
// one invariant over all samples.
#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "mulligan/v1/retry_decision_service.pb.h"
#include "policy/answer/diagnosis_writer.h"
#include "policy/demystify/demystify.h"
#include "policy/request/container_ends.h"
#include "policy/verdict/sanitized_request.h"
#include "tests/corpus/corpus.h"
#include "tests/testing/files.h"

namespace mulligan::corpus {
namespace {

const std::vector<Case>& FieldSamples() {
  static const auto* const samples = new std::vector<Case>(
      ReadCases(testing::SourcePath("tests/testdata/field_samples.jsonl"))
          .value());
  return *samples;
}

v1::Diagnosis DiagnosisIn(const v1::FailureReport& report) {
  v1::Diagnosis diagnosis;
  const Owners owners(report);
  const Findings found = Demystify(owners);
  WriteDiagnosis(found, found.failure, Detail::kSummary, diagnosis);
  return diagnosis;
}

struct LogFormat {
  const char* name;
  // Text before and after each line of a log.
  const char* head;
  const char* tail;
};

constexpr LogFormat kLogFormats[] = {
    {"container runtime", "2026-08-22T11:58:00.123456789Z stderr F ", ""},
    {"container runtime's part", "2026-08-22T11:58:00.123456789Z stdout P ",
     ""},
    {"time and tab", "2026-08-22T11:58:00Z\t", ""},
    {"kubectl --timestamps", "2026-08-22T11:58:00.123456789Z ", ""},
    {"kubectl --prefix", "[pod/train-worker-0/main] ", ""},
    {"clock", "11:58:00.123 ", ""},
    {"time in brackets", "[2026-08-22 11:58:00,123] ", ""},
    {"the kernel", "[   12.345678] ", ""},
    {"Docker Compose", "train-1  | ", ""},
    {"syslog", "Aug 22 11:58:00 node-7 train[4242]: ", ""},
    {"date and clock", "2026-08-22 11:58:00,123 ", ""},
    {"Java's date", "26/08/22 11:58:00 ", ""},
    {"Ray", "(train_fn pid=1234, ip=10.0.0.3) ", ""},
    {"coloured Ray", "\x1b[36m(train_fn pid=1234)\x1b[0m ", ""},
    {"coloured", "\x1b[1;31m", "\x1b[0m"},
    {"line that is redrawn", "\x1b[2K\x1b[1G", ""},
    {"Windows", "", "\r"},
    {"blanks at its end", "", "  "},
};

std::string Formatted(const LogFormat& format, const std::string& log) {
  std::string formatted;
  for (std::size_t begin = 0; begin <= log.size();) {
    const std::size_t end = std::min(log.find('\n', begin), log.size());
    const std::string line = log.substr(begin, end - begin);
    if (!line.empty()) formatted += format.head + line;
    formatted += format.tail;
    if (end < log.size()) formatted += '\n';
    begin = end + 1;
  }
  return formatted;
}

// Changes the logs of a report. Returns whether it has any.
template <typename Change>
bool ChangeLogs(v1::FailureReport& report, const Change& change) {
  bool any = false;
  for (auto& pod : *report.mutable_pods()) {
    ForEachEnd(*pod.mutable_status(), [&](auto& end) {
      if (end.message().empty()) return;
      end.set_message(change(end.message()));
      any = true;
    });
  }
  return any;
}

std::string SummaryOf(const v1::FailureReport& report) {
  v1::DemystifyRequest request;
  *request.mutable_report() = report;
  google::protobuf::Timestamp now;
  now.set_seconds(1'800'000'000);
  const v1::Diagnosis diagnosis =
      DiagnosisIn(SanitizedRequest<v1::DemystifyRequest>(
                      request, Owners(request.report()), now)
                      .report());
  return absl::StrJoin(
      std::vector<std::string>{
          v1::Cause_Name(diagnosis.cause()),
          v1::Diagnosis::FaultDomain_Name(diagnosis.fault_domain()),
          v1::Diagnosis::Outlook_Name(diagnosis.outlook()),
          v1::Diagnosis::Confidence_Name(diagnosis.confidence()),
          diagnosis.signature()},
      " ");
}

// Prefixes of log collectors and viewers are not evidence.
TEST(Corpus, TextAroundLogLinesChangesNothing) {
  int tried = 0;
  for (const Case& sample : FieldSamples()) {
    const std::string plain = SummaryOf(sample.report);
    for (const LogFormat& format : kLogFormats) {
      v1::FailureReport report = sample.report;
      const bool any = ChangeLogs(report, [&](const std::string& log) {
        return Formatted(format, log);
      });
      if (!any) continue;
      ++tried;
      EXPECT_EQ(SummaryOf(report), plain) << sample.id << " by " << format.name;
    }
  }
  EXPECT_GT(tried, 1000);
}

// The log as a structured logger writes it, in JSON or logfmt.
std::string Structured(const char* before, const std::string& log,
                       const char* after) {
  return absl::StrCat(before,
                      absl::StrReplaceAll(log, {{"\\", "\\\\"},
                                                {"\"", "\\\""},
                                                {"\n", "\\n"},
                                                {"\r", "\\r"},
                                                {"\t", "\\t"}}),
                      after);
}

// A structured logger's message is the program's message.
TEST(Corpus, AStructuredLoggerDoesNotChangeTheCause) {
  constexpr LogFormat kLoggers[] = {
      {"zap", R"({"level":"error","ts":1.5,"caller":"a.go:1","msg":")", "\"}"},
      {"python-json-logger",
       R"({"asctime": "2026-08-22 11:58:00", "levelname": "ERROR", )"
       R"("message": "training failed", "exc_info": ")",
       "\"}"},
      {"Google Cloud", R"({"severity":"ERROR","message":")",
       R"(","timestamp":"2026-08-22T11:58:00Z"})"},
      {"logrus", R"(time="2026-08-22T11:58:00Z" level=error msg=")", "\""},
  };
  int tried = 0;
  for (const Case& sample : FieldSamples()) {
    for (const LogFormat& logger : kLoggers) {
      v1::FailureReport report = sample.report;
      const bool any = ChangeLogs(report, [&](const std::string& log) {
        return Structured(logger.head, log, logger.tail);
      });
      if (!any) continue;
      ++tried;
      EXPECT_EQ(DiagnosisIn(report).cause(), DiagnosisIn(sample.report).cause())
          << sample.id << " by " << logger.name;
    }
  }
  EXPECT_GT(tried, 1000);
}

// Lines that do not say why a program failed.
struct Mention {
  const char* name;
  const char* text;
};

std::string NameOf(const ::testing::TestParamInfo<Mention>& info) {
  return info.param.name;
}

// Expects that `change` changes the cause of at most one in `most` of the
// samples that have a log.
template <typename Change>
void ExpectSameCauses(const Change& change, std::size_t most) {
  std::size_t tried = 0;
  std::set<std::string> changed;
  for (const Case& sample : FieldSamples()) {
    v1::FailureReport report = sample.report;
    if (!ChangeLogs(report, change)) continue;
    ++tried;
    if (DiagnosisIn(report).cause() != DiagnosisIn(sample.report).cause()) {
      changed.insert(sample.id);
    }
  }
  EXPECT_GT(tried, 500U);
  EXPECT_LE(changed.size() * most, tried) << absl::StrJoin(changed, ", ");
}

// Text printed before a failure is not the reason. Known exceptions: logs in
// which no line reports an error.
class BeforeTest : public ::testing::TestWithParam<Mention> {};
TEST_P(BeforeTest, IsNotTheReason) {
  ExpectSameCauses(
      [](const std::string& log) {
        return absl::StrCat(GetParam().text, "\n", log);
      },
      100);
}

constexpr Mention kBefore[] = {
    {"Info",
     "2026-08-22 11:58:00 INFO train: dial tcp 10.0.0.3:6379: connect: "
     "connection refused"},
    {"Json",
     R"({"level":"info","ts":1,"msg":"ConnectionRefusedError: refused"})"},
    {"Logfmt",
     "time=\"2026-08-22T11:58:00Z\" level=info msg=\"connection refused\""},
    {"Nginx", "2026/08/22 11:58:00 [warn] 7#7: connection refused"},
    {"DotNet", "info: Train.Cache[0]\n      connection refused"},
    {"Compiler", "cache.c:12: warning: connection refused"},
    {"Torchrun",
     "Setting OMP_NUM_THREADS environment variable for each process to be 1 in "
     "default, to avoid your system being overloaded, please further tune the "
     "variable for optimal performance in your application as needed."},
    {"Nccl",
     "train-0:81:81 [0] NCCL INFO NET/Plugin : dlerror=libnccl-net.so: cannot "
     "open shared object file: No such file or directory, using internal"},
    {"Slf4j",
     "SLF4J: Failed to load class \"org.slf4j.impl.StaticLoggerBinder\"."},
    {"Matplotlib",
     "Matplotlib created a temporary cache directory because the default path "
     "is not a writable directory; it is highly recommended to set the "
     "MPLCONFIGDIR environment variable"},
    {"Copy", "cp: cannot stat '/opt/extra.cfg': No such file or directory"},
    {"Remove", "rm: cannot remove '/tmp/lock': No such file or directory"},
    {"Limit",
     "ulimit: max locked memory: cannot modify limit: Operation not "
     "permitted"},
    {"Which", "which: no nvidia-smi in (/usr/local/bin:/usr/bin)"},
    {"Wait",
     "nc: connect to master-0 port 23456 (tcp) failed: Connection refused\n"
     "Connection to master-0 23456 port succeeded!"},
};

INSTANTIATE_TEST_SUITE_P(Mention, BeforeTest, ::testing::ValuesIn(kBefore),
                         NameOf);

// The launcher of a program reports that it failed, but not why.
class AfterTest : public ::testing::TestWithParam<Mention> {};
TEST_P(AfterTest, IsNotTheReason) {
  ExpectSameCauses(
      [](const std::string& log) {
        return absl::StrCat(log, "\n", GetParam().text, "\n");
      },
      30);
}

constexpr Mention kAfter[] = {
    {"Make", "make: *** [Makefile:12: train] Error 1"},
    {"Npm", "npm ERR! code ELIFECYCLE\nnpm ERR! errno 1"},
    {"Subprocess",
     "Traceback (most recent call last):\n"
     "  File \"run.py\", line 3, in <module>\n"
     "    subprocess.run(cmd, check=True)\n"
     "subprocess.CalledProcessError: Command '['python', 'train.py']' returned "
     "non-zero exit status 1."},
    {"Torchrun",
     "E0822 11:58:00.123 torch/distributed/elastic/multiprocessing/api.py:833] "
     "failed (exitcode: 1) local_rank: 0 (pid: 11) of binary: python\n"
     "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: "},
    {"Slurm", "srun: error: node-7: task 0: Exited with exit code 1"},
    {"Mpi",
     "mpirun detected that one or more processes exited with non-zero status, "
     "thus causing\nthe job to be terminated."},
    {"Argo", "Error: exit status 1"},
    {"Bazel", "ERROR: Build did NOT complete successfully"},
    {"Snakemake", "Exiting because a job execution failed."},
    {"Python",
     "/usr/lib/python3.10/multiprocessing/resource_tracker.py:224: "
     "UserWarning: resource_tracker: There appear to be 6 leaked semaphore "
     "objects to clean up at shutdown"},
    {"Cleanup", "Cleaning up temporary files...\nbye"},
};

INSTANTIATE_TEST_SUITE_P(Mention, AfterTest, ::testing::ValuesIn(kAfter),
                         NameOf);

}  // namespace
}  // namespace mulligan::corpus
