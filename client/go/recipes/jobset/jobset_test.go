package jobset

import (
	"fmt"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	jobsetv1alpha2 "sigs.k8s.io/jobset/api/jobset/v1alpha2"

	"mulligan.dev/mulligan"
	"mulligan.dev/mulligan/gate"
	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
	"mulligan.dev/mulligan/internal/gatetest"
	"mulligan.dev/mulligan/mulligantest"
)

func TestFailurePolicy(t *testing.T) {
	// A fault of the work, and one that is not.
	own, spot := gatetest.Blames(mulliganv1.Diagnosis_RESOURCE_LIMIT), gatetest.Blames(mulliganv1.Diagnosis_DISRUPTION)
	for _, test := range []struct {
		name     string
		steps    []mulligantest.Step
		off      bool
		want     string
		wantHold time.Duration
	}{
		{"retry that the work pays", []mulligantest.Step{own}, false, "restart, counts true", 0},
		{"retry that its surroundings pay", []mulligantest.Step{spot}, false, "restart, counts false", 0},
		{"retry later", []mulligantest.Step{gatetest.Says(mulliganv1.Decision_RETRY, time.Minute)}, false, "restart, counts true", 0},
		{"wait", []mulligantest.Step{gatetest.Says(mulliganv1.Decision_WAIT, time.Minute)}, false, "event MulliganWaits: " + gatetest.Sentence, time.Minute},
		{"fail", []mulligantest.Step{gatetest.Says(mulliganv1.Decision_FAIL, 0)}, false, "fail Mulligan: " + gatetest.Sentence, 0},
		{"ignore", []mulligantest.Step{gatetest.Says(mulliganv1.Decision_IGNORE, 0)}, false, "", 0},
		{"service away", gatetest.Away(), false, "", 0},
		{"flag off", []mulligantest.Step{spot}, true, "", 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			js := &jobsetv1alpha2.JobSet{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: "train", UID: "u"}}
			g := gatetest.Open(t, js, jobsetv1alpha2.AddToScheme, test.steps...)
			g.Enabled = !test.off
			did := ""
			decided, hold, err := FailurePolicy(t.Context(), g, js, Actions{
				Restart: func(counts bool, _ string) { did = fmt.Sprintf("restart, counts %t", counts) },
				Tell:    func(reason, message string) { did = fmt.Sprintf("event %s: %s", reason, message) },
				Fail:    func(reason, message string) { did = fmt.Sprintf("fail %s: %s", reason, message) },
			})
			if err != nil || did != test.want || hold != test.wantHold || decided != (did != "") {
				t.Errorf("did %q, decided %t, hold %s, error %v; want %q, %s", did, decided, hold, err, test.want, test.wantHold)
			}
		})
	}
}

// The operator may not write the ledger of objects that another controller recreates.
func TestOwners(t *testing.T) {
	for _, test := range []struct {
		apiVersion, kind string
		want             bool
	}{
		{"trainer.kubeflow.org/v1alpha1", "TrainJob", false},
		{"example.com/v1", "TrainJob", true},
		{"kueue.x-k8s.io/v1beta2", "Workload", true},
	} {
		t.Run(test.apiVersion, func(t *testing.T) {
			js := &jobsetv1alpha2.JobSet{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: "train", UID: "u", OwnerReferences: []metav1.OwnerReference{
				{APIVersion: test.apiVersion, Kind: test.kind, Name: "train", UID: "o", Controller: ptr.To(true)},
			}}}
			g := gatetest.Open(t, js, jobsetv1alpha2.AddToScheme, gatetest.Says(mulliganv1.Decision_FAIL, 0))
			decided, _, err := FailurePolicy(t.Context(), g, js, Actions{Fail: func(string, string) {}})
			if err != nil || decided != test.want {
				t.Errorf("decided %t, error %v; want %t", decided, err, test.want)
			}
		})
	}
}

func TestHold(t *testing.T) {
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	const later = `{"history": [{"observedAt": "2026-11-23T11:59:50Z", "decision": {"action": "RETRY", "retryAfter": "30s"}}]}`
	for _, test := range []struct {
		name         string
		suspend, off bool
		want         time.Duration
	}{
		{"until it is due", false, false, 20 * time.Second},
		{"not while it is suspended", true, false, 0},
		{"not with the flag off", false, true, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			js := &jobsetv1alpha2.JobSet{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{mulligan.LedgerAnnotation: later}}}
			js.Spec.Suspend = &test.suspend
			if got := Hold(&gate.Gate{Enabled: !test.off}, js, now); got != test.want {
				t.Errorf("held for %s, want %s", got, test.want)
			}
		})
	}
}
