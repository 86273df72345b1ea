package jobset

import (
	"fmt"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	jobsetv1alpha2 "sigs.k8s.io/jobset/api/jobset/v1alpha2"

	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
	"mulligan.dev/mulligan/mulligantest"
	"mulligan.dev/mulligan/recipes/internal/gatetest"
)

func TestFailurePolicy(t *testing.T) {
	// What the default policy charges, and what it does not.
	charged := mulligantest.Cause(mulliganv1.Cause_CONTAINER_OOM, func(r *mulliganv1.DecideResponse) { r.Decision.RetryAfter = nil })
	free := mulligantest.Cause(mulliganv1.Cause_SPOT_RECLAIMED, func(r *mulliganv1.DecideResponse) {
		r.Decision.RetryAfter, r.Accounting, r.Ledger = nil, nil, nil
	})
	for _, test := range []struct {
		name     string
		steps    []mulligantest.Step
		off      bool
		want     string
		wantHold time.Duration
	}{
		{"retry that a budget pays", []mulligantest.Step{charged}, false, "restart, counts true", 0},
		{"retry that nobody pays", []mulligantest.Step{free}, false, "restart, counts false", 0},
		{"retry later", []mulligantest.Step{gatetest.Says(mulliganv1.Decision_RETRY, time.Minute)}, false, "", time.Minute},
		{"wait", []mulligantest.Step{gatetest.Says(mulliganv1.Decision_WAIT, time.Minute)}, false, "", time.Minute},
		{"fail", []mulligantest.Step{gatetest.Says(mulliganv1.Decision_FAIL, 0)}, false, "fail Mulligan: " + gatetest.Sentence, 0},
		{"ignore", []mulligantest.Step{gatetest.Says(mulliganv1.Decision_IGNORE, 0)}, false, "native", 0},
		{"service away", gatetest.Away(), false, "native", 0},
		{"flag off", []mulligantest.Step{free}, true, "native", 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			js := &jobsetv1alpha2.JobSet{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: "train", UID: "u"}}
			g := gatetest.Open(t, js, jobsetv1alpha2.AddToScheme, test.steps...)
			g.Enabled = !test.off
			did := ""
			hold, err := FailurePolicy(t.Context(), g, js, Actions{
				Native:     func() error { did = "native"; return nil },
				RestartAll: func(counts bool, _ string) { did = fmt.Sprintf("restart, counts %t", counts) },
				Fail:       func(reason, message string) { did = fmt.Sprintf("fail %s: %s", reason, message) },
			})
			if err != nil || did != test.want || hold != test.wantHold {
				t.Errorf("did %q, hold %s, error %v; want %q, %s", did, hold, err, test.want, test.wantHold)
			}
		})
	}
}
