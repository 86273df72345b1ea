package mulligantest

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"mulligan.dev/mulligan"
	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
)

func requestAbout(t *testing.T, pod string, ledger *mulliganv1.BudgetLedger) *mulliganv1.DecideRequest {
	t.Helper()
	request, err := mulligan.NewReport().Add(&corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: pod, Namespace: "ml", UID: types.UID(pod)},
		Status:     corev1.PodStatus{Phase: corev1.PodFailed},
	}).Request(ledger)
	if err != nil {
		t.Fatal(err)
	}
	return request
}

func TestEachNewFailureTakesAStep(t *testing.T) {
	service := New(t)
	service.Next(Cause(mulliganv1.Cause_CONTAINER_OOM), Cause(mulliganv1.Cause_IMAGE_INVALID), Cause(mulliganv1.Cause_UNSCHEDULABLE))
	var ledger *mulliganv1.BudgetLedger
	for _, test := range []struct {
		pod       string
		action    mulliganv1.Decision_Action
		duplicate bool
		attempts  int32
	}{
		{"a", mulliganv1.Decision_RETRY, false, 1},
		{"a", mulliganv1.Decision_RETRY, true, 1},
		{"b", mulliganv1.Decision_FAIL, false, 2},
		{"c", mulliganv1.Decision_WAIT, false, 2},
		{"c", mulliganv1.Decision_WAIT, false, 2},
		{"d", mulliganv1.Decision_IGNORE, false, 2},
	} {
		answer, err := service.Client().Decide(context.Background(), requestAbout(t, test.pod, ledger))
		if err != nil {
			t.Fatal(err)
		}
		ledger = answer.GetLedger()
		if got := answer.GetDecision().GetAction(); got != test.action || answer.GetAccounting().GetDuplicate() != test.duplicate || ledger.GetAttemptsSeen() != test.attempts {
			t.Errorf("%s: %v, duplicate %v, %d attempts; want %+v", test.pod, got, answer.GetAccounting().GetDuplicate(), ledger.GetAttemptsSeen(), test)
		}
	}
	if service.Left() != 0 || len(service.Requests()) != 6 {
		t.Errorf("%d steps left, %d requests", service.Left(), len(service.Requests()))
	}
}

func TestBudgetsEnd(t *testing.T) {
	service := New(t)
	var ledger *mulliganv1.BudgetLedger
	for i := range int32(4) {
		service.Next(Cause(mulliganv1.Cause_CONTAINER_OOM))
		answer, err := service.Client().Decide(context.Background(), requestAbout(t, string(rune('a'+i)), ledger))
		if err != nil {
			t.Fatal(err)
		}
		ledger = answer.GetLedger()
		granted := i < 3
		if got := answer.GetDecision(); (got.GetAction() == mulliganv1.Decision_RETRY) != granted || got.GetLastAttempt() != (i == 2) {
			t.Errorf("failure %d: %v", i+1, got)
		}
		if got := answer.GetAccounting().GetExhaustion().GetBudget(); (got == "memory") == granted {
			t.Errorf("failure %d: exhausted %q", i+1, got)
		}
	}
	if got := ledger.GetBudgets()["memory"].GetUsed(); got != 3 {
		t.Errorf("used %d, want 3", got)
	}
}

func TestALedgerThatWasNotStoredGivesTheSameAnswer(t *testing.T) {
	service := New(t)
	service.Next(Cause(mulliganv1.Cause_APP_ERROR))
	for range 2 {
		answer, err := service.Client().Decide(context.Background(), requestAbout(t, "a", nil))
		if err != nil || answer.GetAccounting().GetUnits() != 1 || answer.GetLedger().GetAttemptsSeen() != 1 {
			t.Errorf("got %v, %v", answer, err)
		}
	}
}

func TestErrors(t *testing.T) {
	service := New(t)
	service.Next(Error(codes.NotFound, `policy "x"`), Overloaded(time.Hour), Unavailable(), Unavailable())
	for _, want := range []codes.Code{codes.NotFound, codes.ResourceExhausted, codes.Unavailable} {
		_, err := service.Client().Decide(context.Background(), requestAbout(t, "a", nil))
		if status.Code(err) != want {
			t.Errorf("got %v, want %v", err, want)
		}
		if after, ok := mulligan.RetryDelay(err); ok != (want == codes.ResourceExhausted) || ok && after != time.Hour {
			t.Errorf("%v: retry after %v, %v", want, after, ok)
		}
	}
	if _, err := service.Client().Decide(context.Background(), &mulliganv1.DecideRequest{}); status.Code(err) != codes.InvalidArgument {
		t.Errorf("no report: %v", err)
	}
}

func TestBatchesAndDiagnoses(t *testing.T) {
	service := New(t)
	service.Next(Cause(mulliganv1.Cause_DRAINED), Error(codes.FailedPrecondition, "ledger"))
	diagnosis, err := service.Client().Demystify(context.Background(), &mulliganv1.DemystifyRequest{Report: requestAbout(t, "a", nil).GetReport()})
	if err != nil || diagnosis.GetDiagnosis().GetCause() != mulliganv1.Cause_DRAINED || service.Left() != 2 {
		t.Errorf("got %v, %v, %d left", diagnosis, err, service.Left())
	}
	answer, err := service.Client().BatchDecide(context.Background(), &mulliganv1.BatchDecideRequest{
		Requests: []*mulliganv1.DecideRequest{requestAbout(t, "a", nil), requestAbout(t, "b", nil)},
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := answer.GetResults()[0].GetResponse().GetDiagnosis().GetCause(); got != mulliganv1.Cause_DRAINED {
		t.Errorf("first: %v", got)
	}
	if got := codes.Code(answer.GetResults()[1].GetError().GetCode()); got != codes.FailedPrecondition {
		t.Errorf("second: %v", got)
	}
	if err := service.Client().Serving(context.Background()); err != nil {
		t.Errorf("health: %v", err)
	}
}

func TestEditsChangeAnAnswer(t *testing.T) {
	service := New(t)
	service.Next(Cause(mulliganv1.Cause_CONTAINER_OOM, func(r *mulliganv1.DecideResponse) {
		r.Decision.Resources = []*mulliganv1.ResourceChange{{Resource: "memory", Factor: 1.5}}
	}))
	answer, err := service.Client().Decide(context.Background(), requestAbout(t, "a", nil))
	if err != nil || answer.GetDecision().GetResources()[0].GetFactor() != 1.5 {
		t.Errorf("got %v, %v", answer, err)
	}
}

// The parts of policy/default_policy.yaml that the table repeats.
type policy struct {
	Spec struct {
		MaxAttempts int32
		Budgets     map[string]struct{ Limit int32 }
		Rules       []struct {
			When map[string]any
			Then struct {
				Action, Budget string
				Backoff        struct{ Initial string }
			}
		}
	}
}

// Causes that no policy decides about, and their answers.
var noFailures = map[mulliganv1.Cause]mulliganv1.Decision_Action{
	mulliganv1.Cause_STALE_REPORT: mulliganv1.Decision_IGNORE,
	mulliganv1.Cause_NOT_FAILED:   mulliganv1.Decision_IGNORE,
	mulliganv1.Cause_SUCCEEDED:    mulliganv1.Decision_IGNORE,
	mulliganv1.Cause_CANCELLED:    mulliganv1.Decision_IGNORE,
	mulliganv1.Cause_SUSPENDED:    mulliganv1.Decision_WAIT,
}

func TestTheTableIsTheDefaultPolicy(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "policy", "default_policy.yaml"))
	if err != nil {
		t.Skipf("outside the repository: %v", err)
	}
	var loaded policy
	if err := yaml.Unmarshal(text, &loaded); err != nil {
		t.Fatal(err)
	}
	if loaded.Spec.MaxAttempts != maxAttempts || len(loaded.Spec.Budgets) != len(limits) {
		t.Errorf("maxAttempts %d, %d budgets", loaded.Spec.MaxAttempts, len(loaded.Spec.Budgets))
	}
	for name, budget := range loaded.Spec.Budgets {
		if limits[name] != budget.Limit {
			t.Errorf("budget %s: limit %d, the policy says %d", name, limits[name], budget.Limit)
		}
	}
	for number, name := range mulliganv1.Cause_name {
		cause := mulliganv1.Cause(number)
		if cause == mulliganv1.Cause_CAUSE_UNSPECIFIED {
			continue
		}
		// A cause without a failure is answered before any rule is tried.
		if action, ok := noFailures[cause]; ok {
			if got := verdicts[cause]; got != (verdict{action: action}) {
				t.Errorf("%s: %+v, which is no failure", name, got)
			}
			continue
		}
		// The first rule with only this cause as condition.
		found := false
		for _, rule := range loaded.Spec.Rules {
			causes, _ := rule.When["causes"].([]any)
			if len(rule.When) != 1 || !slices.Contains(causes, any(name)) {
				continue
			}
			var after time.Duration
			if rule.Then.Backoff.Initial != "" {
				if after, err = time.ParseDuration(rule.Then.Backoff.Initial); err != nil {
					t.Fatal(err)
				}
			}
			want := verdict{mulliganv1.Decision_Action(mulliganv1.Decision_Action_value[rule.Then.Action]), rule.Then.Budget, after}
			if got := verdicts[cause]; got != want {
				t.Errorf("%s: %+v, the policy says %+v", name, got, want)
			}
			found = true
			break
		}
		if !found {
			t.Errorf("%s: no rule in the policy", name)
		}
	}
}
