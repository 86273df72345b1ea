// Messages for users in an answer, through Decide.
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/base/utf8.h"
#include "policy/words/advice.h"
#include "tests/policy/decide_fixture.h"
#include "tests/testing/proto_matchers.h"

namespace mulligan {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::Parse;
using ::testing::StartsWith;

using MessageTest = DecideTest;

v1::DecideRequest OutOfItsMemory(int attempt = 1) {
  v1::DecideRequest request = FailureOfAttempt(attempt, 137, "OOMKilled");
  auto& pod = *request.mutable_report()->mutable_pods(0);
  auto& spec = *pod.mutable_spec();
  auto& container = spec.containers().empty() ? *spec.add_containers()
                                              : *spec.mutable_containers(0);
  container.set_name(pod.status().container_statuses(0).name());
  (*container.mutable_resources()->mutable_limits())["memory"].set_string_value(
      "4Gi");
  return request;
}

std::string Repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

// A container that ended with this message.
v1::DecideRequest EndedWith(const std::string& message) {
  v1::DecideRequest request = FailureOfAttempt(1, 1, "Error");
  EndOfMain(request).set_message(message);
  return request;
}

TEST_F(MessageTest, SaysWhatIsWrongAndWhatToDoFirst) {
  const v1::Diagnosis diagnosis = Ask(OutOfItsMemory()).diagnosis();
  EXPECT_THAT(diagnosis.problem(), HasSubstr("memory limit of 4Gi"));
  EXPECT_THAT(diagnosis.first_step().text(), HasSubstr("from 4Gi to 6Gi"));
  EXPECT_EQ(diagnosis.first_step().actor(), v1::FirstStep::USER);
}

// A new object's pod and template may both have been grown, or neither.
TEST_F(MessageTest, DoesNotGrowAGrownLimitByTheWholeFactor) {
  AskNext(OutOfItsMemory());
  ledger_.clear_budgets();
  for (const auto& [of_template, step] :
       {std::pair{"4Gi", "to 2.25 times that of the first attempt"},
        {"3Gi", "from 4Gi to 6.75Gi"}}) {
    v1::DecideRequest request = OutOfItsMemory(2);
    auto& job = *request.mutable_report()->add_jobs();
    *job.mutable_spec()->mutable_template_()->mutable_spec() =
        request.report().pods(0).spec();
    (*job.mutable_spec()
          ->mutable_template_()
          ->mutable_spec()
          ->mutable_containers(0)
          ->mutable_resources()
          ->mutable_limits())["memory"]
        .set_string_value(of_template);
    *request.mutable_ledger() = ledger_;
    EXPECT_THAT(Ask(request).diagnosis().first_step().text(), HasSubstr(step))
        << of_template;
  }
}

// The parts of a headline may hold any names and messages.
TEST_F(MessageTest, DoesNotConfuseNamesAndMeanings) {
  v1::DecideRequest limited = OutOfItsMemory();
  auto& pod = *limited.mutable_report()->mutable_pods(0);
  pod.mutable_metadata()->set_name("rate-limiter-0");
  auto& end = EndOfMain(limited);
  end.set_exit_code(1);
  end.set_reason("Error");
  end.set_message("Memory cgroup out of memory: Killed process 12 (python)");
  EXPECT_THAT(Ask(limited).diagnosis().problem(),
              AllOf(HasSubstr("Pod rate-limiter-0, container"),
                    HasSubstr("memory limit 4Gi")));
  // The meaning of the exit code contains a semicolon.
  v1::DecideRequest piped = EndedWith("FrobError: cannot frob the widget");
  EndOfMain(piped).set_exit_code(141);
  EXPECT_THAT(Ask(piped).diagnosis().problem(),
              HasSubstr("widget (SIGPIPE: it wrote to a program that had "
                        "ended, as 'head' does; pipefail makes it count, exit "
                        "code 141)"));
}

// The headline quotes the text that decided, not the last one. A traceback's
// frame explains nothing by itself.
TEST_F(MessageTest, TheHeadlineQuotesTheDecidingText) {
  EXPECT_THAT(
      Ask(EndedWith("dial tcp 10.0.0.5:5432: connect: connection refused\n"
                    "Error: job failed with exit code 1"))
          .diagnosis()
          .problem(),
      HasSubstr("10.0.0.5:5432"));
  EXPECT_THAT(Ask(EndedWith("  raise ConnectionError(\"Couldn't reach {}\")\n"
                            "ConnectionError: Couldn't reach https://a.b/c"))
                  .diagnosis()
                  .problem(),
              HasSubstr("https://a.b/c"));
}

// In Kubernetes 1.36 the kubelet explains a restart of all containers in the
// field of the program's termination message.
TEST_F(MessageTest, ARestartInPlaceIsNotTheProgramsMessage) {
  v1::DecideRequest request = EndedWith("");
  auto& status = *request.mutable_report()
                      ->mutable_pods(0)
                      ->mutable_status()
                      ->mutable_container_statuses(0);
  auto& last = *status.mutable_last_state()->mutable_terminated();
  last.set_exit_code(137);
  last.set_reason("RestartingAllContainers");
  last.set_message("The container is removed because RestartAllContainers");
  EXPECT_THAT(Ask(request).diagnosis().problem(),
              Not(HasSubstr("RestartAllContainers")));
  // After an ordinary restart the message is the program's.
  last.set_reason("Error");
  last.set_message("ValueError: bad shape");
  EXPECT_THAT(Ask(request).diagnosis().problem(), HasSubstr("bad shape"));
}

// Ray starts the message by saying that it truncated the log.
constexpr char kRayOutOfMemory[] = R"pb(
  report {
    workload { kind: "RayJob" name: "r" }
    ray_job {
      metadata { name: "r" }
      status {
        job_status: "FAILED"
        job_deployment_status: "Failed"
        reason: "AppFailed"
        message: "Job entrypoint command failed with exit code 1, last available logs (truncated to 20,000 chars):\nray.exceptions.OutOfMemoryError: Task was killed due to the node running low on memory."
      }
    }
  }
)pb";

TEST_F(MessageTest, TheFirstStepFitsTheFailure) {
  v1::DecideRequest pids = FailureOfAttempt(1, 137, "Error");
  auto& status = *pids.mutable_report()->mutable_pods(0)->mutable_status();
  status.set_reason("Evicted");
  status.set_message("The node was low on resource: pids. ");
  v1::DecideRequest gone = FailureOfAttempt(1, 143, "Error");
  auto& mark = *gone.mutable_report()
                    ->mutable_pods(0)
                    ->mutable_status()
                    ->add_conditions();
  mark.set_type("DisruptionTarget");
  mark.set_status("True");
  mark.set_reason("DeletionByPodGC");
  const auto ray = Parse<v1::DecideRequest>(kRayOutOfMemory);
  const struct {
    v1::DecideRequest request;
    const char* step;
  } rows[] = {
      {FailureOfAttempt(1, 124, "Error"),
       "give timeout(1) more time in the command"},
      {FailureOfAttempt(1, 124, "Error"),
       "124 is the program's own: read the end of"},
      {pids, "find who starts so many processes"},
      {gone, "nothing: node n1 is gone or out of service"},
      {ray, "raise the memory of the Ray nodes in spec.rayClusterSpec"},
  };
  for (const auto& [request, step] : rows) {
    EXPECT_THAT(Ask(request).diagnosis().first_step().text(), HasSubstr(step));
  }
}

// The launcher's log holds the message about the rank.
TEST_F(MessageTest, TheCommandShowsTheLogWithTheMessage) {
  v1::DecideRequest request = FailureOfAttempt(1, 137, "Error");
  auto& report = *request.mutable_report();
  report.mutable_workload()->set_kind("MPIJob");
  auto& launcher = *report.mutable_pods(0);
  EndOfMain(request).set_message(
      "mpirun noticed that process rank 1 with PID 39 on node worker-1 "
      "exited on signal 11 (Segmentation fault).");
  auto& worker = *report.add_pods();
  *worker.mutable_metadata() = launcher.metadata();
  worker.mutable_metadata()->set_name("worker-1");
  worker.mutable_metadata()->set_uid("worker-1");
  worker.mutable_status()->set_phase("Running");
  worker.mutable_status()->add_container_statuses()->set_name("main");
  const v1::Diagnosis diagnosis = Ask(request).diagnosis();
  EXPECT_EQ(diagnosis.culprit().pod(), "worker-1");
  EXPECT_THAT(diagnosis.first_step().command(),
              HasSubstr(launcher.metadata().name()));
}

TEST_F(MessageTest, TheHeadlineQuotesTheExplainingLine) {
  const auto request = Parse<v1::DecideRequest>(kRayOutOfMemory);
  EXPECT_THAT(Ask(request).diagnosis().problem(),
              StartsWith("RayJob r: ray.exceptions.OutOfMemoryError"));
}

// Each caller prefixes an error with its own text.
TEST_F(MessageTest, ShowsTheDecidingTextHoweverOftenItWasWrapped) {
  std::string error =
      "Pod \"etl-driver\" is invalid: spec.containers[0].image: Required value";
  for (int wraps = 0; wraps < 40; ++wraps) {
    v1::DecideRequest refused;
    auto& application = *refused.mutable_report()->mutable_spark_application();
    application.mutable_metadata()->set_name("etl");
    auto& state = *application.mutable_status()->mutable_application_state();
    state.set_state("SUBMISSION_FAILED");
    state.set_error_message(error);
    for (const auto& request : {refused, EndedWith(error)}) {
      const v1::Diagnosis diagnosis = Ask(request).diagnosis();
      ASSERT_THAT(diagnosis.problem(),
                  HasSubstr("is invalid: spec.containers[0]"));
      ASSERT_THAT(diagnosis.evidence(0).value(),
                  HasSubstr("is invalid: spec.containers[0]"));
      ASSERT_LE(diagnosis.evidence(0).value().size(), kMaxExcerpt);
    }
    error.insert(0, "could not do step " + std::to_string(wraps) + ": ");
  }
}

// The deciding text, among similar texts or in a long line.
TEST_F(MessageTest, ShowsTheDecidingTextAnywhereInALine) {
  const struct {
    std::string before;
    std::string decisive;
    std::string behind;
  } rows[] = {
      {Repeated("word ", 1700), "CUDA out of memory", ""},
      {"", "CUDA out of memory", Repeated(" word", 1700)},
      {"license file loaded; " + Repeated("x y ", 80),
       "license checkout failed", ""},
      {Repeated("\xe9\x94\x99", 90) + " ", "CUDA out of memory",
       " " + Repeated("\xe9\x94\x99", 90)},
      {Repeated("\x1b[31m stage failed: \x1b[0m", 40), "CUDA out of memory",
       ""},
  };
  for (const auto& row : rows) {
    const v1::Diagnosis diagnosis =
        Ask(EndedWith(row.before + row.decisive + row.behind)).diagnosis();
    EXPECT_THAT(diagnosis.problem(), HasSubstr(row.decisive));
    ASSERT_THAT(diagnosis.evidence(0).value(), HasSubstr(row.decisive));
    EXPECT_LE(diagnosis.evidence(0).value().size(), kMaxExcerpt);
    EXPECT_THAT(diagnosis.evidence(0).value(), Not(HasSubstr("\xef\xbf\xbd")));
    EXPECT_THAT(diagnosis.problem(), Not(HasSubstr("\xef\xbf\xbd")));
    EXPECT_THAT(diagnosis.problem_evidence().value(),
                Not(HasSubstr("\xef\xbf\xbd")));
  }
}

// Only the beginning and the end of a long text are read.
TEST_F(MessageTest, DoesNotMatchAcrossTheOmittedMiddle) {
  for (const std::string& text :
       {Repeated("step ok\n", 254) + "the run ran CUDA" +
            Repeated("\nstep ok", 3000) + "\n out of memory" +
            std::string(6130, 'z'),
        std::string(2036, 'x') + " CUDA out of" + Repeated(" y", 3000) +
            " memory" + std::string(6137, 'z')}) {
    EXPECT_EQ(Ask(EndedWith(text)).diagnosis().cause(), v1::APP_ERROR);
  }
}

TEST_F(MessageTest, ShowsAnUnknownMessage) {
  EXPECT_THAT(
      Ask(EndedWith("starting\nzorblatt: the frobnicator is not aligned\n"))
          .diagnosis()
          .problem(),
      HasSubstr("zorblatt: the frobnicator is not aligned"));
}

// Only for causes that programs report (kInWords): the message of a container
// killed at its limit is not the reason.
TEST_F(MessageTest, TheHeadlineQuotesAProgramOnItsOwnFailure) {
  const v1::DecideRequest failed = EndedWith("the frobnicator is not aligned");
  v1::DecideRequest killed = failed;
  auto& end = EndOfMain(killed);
  end.set_exit_code(137);
  end.set_reason("OOMKilled");
  EXPECT_THAT(Ask(failed).diagnosis().problem(), HasSubstr("frobnicator"));
  EXPECT_THAT(Ask(killed).diagnosis().problem(), Not(HasSubstr("frobnicator")));
}

TEST_F(MessageTest, OmitsMessagesWithoutExplanation) {
  v1::DecideRequest request = OutOfItsMemory();
  request.set_explain(v1::DecideRequest::EXPLAIN_NONE);
  const v1::Diagnosis diagnosis = Ask(request).diagnosis();
  EXPECT_EQ(diagnosis.problem(), "");
  EXPECT_FALSE(diagnosis.has_first_step());
}

TEST_F(MessageTest, CommandsAreQuotedForTheShell) {
  v1::DecideRequest request = AppError();
  request.mutable_report()->mutable_pods(0)->mutable_metadata()->set_name(
      "a; rm -rf x");
  const v1::FirstStep step = Ask(request).diagnosis().first_step();
  EXPECT_THAT(step.command(), StartsWith("kubectl logs "));
  EXPECT_THAT(step.command(), HasSubstr("'a; rm -rf x'"));
  EXPECT_THAT(step.text(), HasSubstr(step.command()));
}

TEST_F(MessageTest, ShowsTextsOfReportsEscaped) {
  const v1::Diagnosis diagnosis =
      Ask(EndedWith("ValueError: \x1b[2J\x07\xff " + std::string(9000, 'x')))
          .diagnosis();
  EXPECT_THAT(diagnosis.problem(), HasSubstr("ValueError: \\u0007"));
  EXPECT_EQ(FindInvalidUtf8(diagnosis.problem()), std::string::npos);
  EXPECT_LE(diagnosis.problem().size(), 2100U);
  EXPECT_LE(diagnosis.problem_evidence().value().size(), kMaxExcerpt + 4);
}

// A message that no table knows may be the answer, however the container ended.
TEST_F(MessageTest, AlwaysShowsTheCulpritsLastMessage) {
  constexpr char kWords[] = "flux capacitor drained, see runbook 88";
  for (const int code : {1, 3, 124, 134, 137, 139, 143}) {
    for (const char* reason : {"Error", "OOMKilled"}) {
      for (const bool again : {false, true}) {
        v1::DecideRequest request = AppError();
        auto& status = *request.mutable_report()
                            ->mutable_pods(0)
                            ->mutable_status()
                            ->mutable_container_statuses(0);
        auto end = status.state().terminated();
        end.set_exit_code(code);
        end.set_reason(reason);
        end.set_message(absl::StrCat("step 1\n", kWords, "\n"));
        *status.mutable_state()->mutable_terminated() = end;
        if (again) {
          *status.mutable_last_state()->mutable_terminated() = end;
          status.mutable_state()->mutable_waiting()->set_reason(
              "CrashLoopBackOff");
        }
        const v1::Diagnosis diagnosis = Ask(request).diagnosis();
        std::string all =
            diagnosis.problem() + diagnosis.problem_evidence().value();
        for (const v1::Evidence& one : diagnosis.evidence()) all += one.value();
        EXPECT_THAT(all, HasSubstr(kWords)) << code << reason << again;
      }
    }
  }
}

// Escapes that one name opens and another closes used to remove all text
// between them, so that one command remained, about a pod that does not exist.
TEST_F(MessageTest, EscapesInANameKeepTheNextName) {
  const std::pair<std::string, std::string> names[] = {
      {"a\x1b]0;", "b\x07"},
      {"a\x1b]8;;", "b\x1b\\"},
      {"a\x1b[", "b"},
      {"a\x1b[1;3", "b"},
      {"a\xe2\x80\xae", "b\xe2\x80\xac"}};
  for (const auto& [first, second] : names) {
    v1::DecideRequest request = AppError();
    auto& report = *request.mutable_report();
    report.clear_workload();
    (*report.mutable_pods(0)
          ->mutable_metadata()
          ->mutable_labels())["jobset.sigs.k8s.io/jobset-name"] = "js";
    *report.add_pods() = report.pods(0);
    report.mutable_pods(0)->mutable_metadata()->set_name(first);
    report.mutable_pods(1)->mutable_metadata()->set_name(second);
    report.mutable_pods(1)->mutable_metadata()->set_uid("other");
    const std::string text = Ask(request).diagnosis().first_step().text();
    for (const std::string& name : {first, second}) {
      EXPECT_THAT(text,
                  AnyOf(HasSubstr("kubectl logs " + Visible(name) + " "),
                        HasSubstr("kubectl logs '" + Visible(name) + "' ")));
    }
    EXPECT_EQ(text, Visible(text));
  }
}

// A remedy of an organisation's own signature comes before the cause's remedy.
TEST_F(MessageTest, TheRemedyOfAPolicyComesFirst) {
  v1::DecideRequest request = AppError();
  auto& ended = EndOfMain(request);
  ended.set_message("lustre: ost 7 went away");
  v1::RetryPolicy& policy = *request.mutable_inline_policy();
  policy.set_api_version("mulligan.dev/v1");
  policy.set_kind("RetryPolicy");
  policy.mutable_metadata()->set_name("fleet");
  *policy.mutable_spec() = Parse<v1::RetryPolicySpec>(kSpec);
  auto& signature = *policy.mutable_spec()->add_signatures();
  signature.set_name("lustre");
  signature.set_cause(v1::DEPENDENCY_UNAVAILABLE);
  signature.set_message_pattern("lustre: ost");
  signature.set_remedy("page #storage with {pod}{says}");
  const v1::FirstStep step = Ask(request).diagnosis().first_step();
  EXPECT_THAT(step.text(), StartsWith("page #storage with pod "));
  EXPECT_THAT(step.text(), HasSubstr("lustre: ost 7 went away"));
  EXPECT_EQ(step.actor(), v1::FirstStep::PLATFORM);
}

}  // namespace
}  // namespace mulligan
