package jobset

import (
	"errors"
	"fmt"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	jobsetv1alpha2 "sigs.k8s.io/jobset/api/jobset/v1alpha2"

	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
	"mulligan.dev/mulligan/internal/gatetest"
	"mulligan.dev/mulligan/mulligantest"
)

func TestFailurePolicy(t *testing.T) {
	// What the work is to blame for, and what it is not.
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
		{"retry later", []mulligantest.Step{gatetest.Says(mulliganv1.Decision_RETRY, time.Minute)}, false, "release: " + gatetest.Sentence, time.Minute},
		{"wait", []mulligantest.Step{gatetest.Says(mulliganv1.Decision_WAIT, time.Minute)}, false, "tell MulliganWaits: " + gatetest.Sentence, time.Minute},
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
				Release: func(message string) error { did = "release: " + message; return nil },
				Tell:    func(reason, message string) { did = fmt.Sprintf("tell %s: %s", reason, message) },
				Fail:    func(reason, message string) { did = fmt.Sprintf("fail %s: %s", reason, message) },
			})
			if err != nil || did != test.want || hold != test.wantHold || decided != (did != "") {
				t.Errorf("did %q, decided %t, hold %s, error %v; want %q, %s", did, decided, hold, err, test.want, test.wantHold)
			}
		})
	}
}

func TestWhatCannotBeReleasedIsTriedAgain(t *testing.T) {
	js := &jobsetv1alpha2.JobSet{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: "train", UID: "u"}}
	g := gatetest.Open(t, js, jobsetv1alpha2.AddToScheme, gatetest.Says(mulliganv1.Decision_RETRY, time.Minute))
	refused := errors.New("refused")
	decided, _, err := FailurePolicy(t.Context(), g, js, Actions{Release: func(string) error { return refused }})
	if !decided || !errors.Is(err, refused) {
		t.Errorf("decided %t, error %v", decided, err)
	}
}
