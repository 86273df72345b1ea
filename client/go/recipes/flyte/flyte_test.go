package flyte

import (
	"testing"
	"time"

	idl "github.com/flyteorg/flyte/flyteidl/gen/pb-go/flyteidl/core"
	"github.com/flyteorg/flyte/flyteplugins/go/tasks/pluginmachinery/core"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"mulligan.dev/mulligan"
	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
	"mulligan.dev/mulligan/internal/gatetest"
	"mulligan.dev/mulligan/mulligantest"
)

func attempt(name string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		Namespace: "ml", Name: name, UID: types.UID(name),
		Labels: map[string]string{"execution-id": "e", "node-id": "n0"},
	}, Status: corev1.PodStatus{Phase: corev1.PodFailed}}
}

func blames(domain mulliganv1.Diagnosis_FaultDomain) mulligantest.Step {
	return mulligantest.Cause(mulliganv1.Cause_APP_ERROR, func(response *mulliganv1.DecideResponse) {
		response.Diagnosis.FaultDomain = domain
		response.Decision = &mulliganv1.Decision{Action: mulliganv1.Decision_RETRY, Sentence: gatetest.Sentence}
	})
}

func TestDecide(t *testing.T) {
	oom := core.PhaseInfoRetryableFailure("OOMKilled", "the plugin's words", nil)
	typo := core.PhaseInfoFailureWithCleanup("ErrImagePull", "the plugin's words", nil)
	const native = "the plugin's words"
	const user, system = idl.ExecutionError_USER, idl.ExecutionError_SYSTEM
	for _, test := range []struct {
		name   string
		native core.PhaseInfo
		steps  []mulligantest.Step
		off    bool
		phase  core.Phase
		kind   idl.ExecutionError_ErrorKind
		words  string
	}{
		{"the task's fault", oom, []mulligantest.Step{blames(mulliganv1.Diagnosis_RESOURCE_LIMIT)}, false, core.PhaseRetryableFailure, user, gatetest.Sentence},
		{"a disruption", oom, []mulligantest.Step{blames(mulliganv1.Diagnosis_DISRUPTION)}, false, core.PhaseRetryableFailure, system, gatetest.Sentence},
		{"granted against the plugin", typo, []mulligantest.Step{blames(mulliganv1.Diagnosis_INFRASTRUCTURE)}, false, core.PhaseRetryableFailure, system, gatetest.Sentence},
		{"later", oom, []mulligantest.Step{gatetest.Says(mulliganv1.Decision_RETRY, 9*time.Second)}, false, core.PhaseRunning, 0, ""},
		{"wait", oom, []mulligantest.Step{gatetest.Says(mulliganv1.Decision_WAIT, 0)}, false, core.PhaseRunning, 0, ""},
		{"fail", oom, []mulligantest.Step{gatetest.Says(mulliganv1.Decision_FAIL, 0)}, false, core.PhasePermanentFailure, user, gatetest.Sentence},
		{"spec update", typo, []mulligantest.Step{gatetest.Says(mulliganv1.Decision_WAIT_FOR_SPEC_UPDATE, 0)}, false, core.PhasePermanentFailure, user, gatetest.Sentence},
		{"ignore", oom, []mulligantest.Step{gatetest.Says(mulliganv1.Decision_IGNORE, 0)}, false, core.PhaseRetryableFailure, user, native},
		{"service away", typo, gatetest.Away(), false, core.PhasePermanentFailure, user, native},
		{"flag off", oom, []mulligantest.Step{gatetest.Says(mulliganv1.Decision_FAIL, 0)}, true, core.PhaseRetryableFailure, user, native},
		{"no failure", core.PhaseInfoSuccess(nil), []mulligantest.Step{gatetest.Says(mulliganv1.Decision_FAIL, 0)}, false, core.PhaseSuccess, 0, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			pod := attempt("e-n0-0")
			g := gatetest.Open(t, pod, corev1.AddToScheme, test.steps...)
			g.Enabled = !test.off
			got, err := Decide(t.Context(), g, pod, test.native)
			if err != nil {
				t.Fatal(err)
			}
			if got.Phase() != test.phase || got.Err().GetKind() != test.kind || got.Err().GetMessage() != test.words {
				t.Errorf("got %v, want %v of kind %v: %s", got, test.phase, test.kind, test.words)
			}
			if failed := got.Phase().IsFailure(); failed && (got.Err().GetCode() != test.native.Err().GetCode() || got.CleanupOnFailure() != test.native.CleanupOnFailure()) {
				t.Errorf("code %s, cleanup %t", got.Err().GetCode(), got.CleanupOnFailure())
			}
		})
	}
}

func TestTheLedgerGoesFromAttemptToAttempt(t *testing.T) {
	first := attempt("e-n0-0")
	g := gatetest.Open(t, first, corev1.AddToScheme, blames(mulliganv1.Diagnosis_DISRUPTION))
	if _, err := Decide(t.Context(), g, first, core.PhaseInfoRetryableFailure("Interrupted", "", nil)); err != nil {
		t.Fatal(err)
	}
	second, other := attempt("e-n0-1"), attempt("e-n1-0")
	other.Labels["node-id"] = "n1"
	for _, pod := range []*corev1.Pod{second, other} {
		if _, err := HandOn(t.Context(), g, pod, time.Now()); err != nil {
			t.Fatal(err)
		}
	}
	ledger, err := mulligan.LedgerFrom(second)
	if err != nil || ledger.GetAttemptsSeen() != 1 || ledger.GetWorkloadUid() != "" {
		t.Errorf("handed on %v, %v", ledger, err)
	}
	if len(other.Annotations) != 0 {
		t.Errorf("another node got %v", other.Annotations)
	}
}

// An attempt's container has the attempt's name.
func TestTheNextAttemptGrows(t *testing.T) {
	with := func(name string) *corev1.Pod {
		pod := attempt(name)
		pod.Spec.Containers = []corev1.Container{{Name: name, Resources: corev1.ResourceRequirements{
			Limits: corev1.ResourceList{"memory": resource.MustParse("1Gi")},
		}}}
		return pod
	}
	first, second := with("e-n0-0"), with("e-n0-1")
	g := gatetest.Open(t, first, corev1.AddToScheme, mulligantest.Cause(mulliganv1.Cause_CONTAINER_OOM, func(response *mulliganv1.DecideResponse) {
		response.Decision = &mulliganv1.Decision{Action: mulliganv1.Decision_RETRY, Resources: []*mulliganv1.ResourceChange{{
			Resource: "memory", Factor: 1.5, Container: "e-n0-0",
		}}}
		history := response.Ledger.History
		history[len(history)-1].Decision = response.Decision
	}))
	if _, err := Decide(t.Context(), g, first, core.PhaseInfoRetryableFailure("OOMKilled", "", nil)); err != nil {
		t.Fatal(err)
	}
	notes, err := HandOn(t.Context(), g, second, time.Now())
	if err != nil || len(notes) != 0 {
		t.Fatalf("notes %q, error %v", notes, err)
	}
	if container := second.Spec.Containers[0]; container.Name != "e-n0-1" || container.Resources.Limits.Memory().String() != "1536Mi" {
		t.Errorf("container %s has %s, want e-n0-1 with 1536Mi", container.Name, container.Resources.Limits.Memory())
	}
}
