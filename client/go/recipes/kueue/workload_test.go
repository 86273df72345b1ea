package kueue

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	kueuev1beta2 "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
	"mulligan.dev/mulligan/internal/gatetest"
	"mulligan.dev/mulligan/mulligantest"
)

var now = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func TestPodsReadyTimeout(t *testing.T) {
	charged := mulligantest.Cause(mulliganv1.Cause_CONTAINER_OOM, func(r *mulliganv1.DecideResponse) {
		r.Decision = &mulliganv1.Decision{Action: mulliganv1.Decision_RETRY, Sentence: gatetest.Sentence}
	})
	wait := mulligantest.Cause(mulliganv1.Cause_IMAGE_PULL_TRANSIENT, func(r *mulliganv1.DecideResponse) {
		r.Decision.Action, r.Decision.Sentence, r.Accounting, r.Ledger = mulliganv1.Decision_WAIT, gatetest.Sentence, nil, nil
	})
	for _, test := range []struct {
		name  string
		steps []mulligantest.Step
		off   bool
		want  Requeue
	}{
		{"retry", []mulligantest.Step{charged}, false, Requeue{Message: gatetest.Sentence, At: now, Counts: true}},
		{"wait", []mulligantest.Step{wait}, false, Requeue{Message: gatetest.Sentence}},
		{"fail", []mulligantest.Step{gatetest.Says(mulliganv1.Decision_FAIL, 0)}, false, Requeue{Deactivate: true, Message: gatetest.Sentence}},
		{"ignore", []mulligantest.Step{gatetest.Says(mulliganv1.Decision_IGNORE, 0)}, false, Requeue{Native: true}},
		{"service away", gatetest.Away(), false, Requeue{Native: true}},
		{"flag off", []mulligantest.Step{charged}, true, Requeue{Native: true}},
	} {
		t.Run(test.name, func(t *testing.T) {
			wl := &kueuev1beta2.Workload{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: "job-train", UID: "u"}}
			g := gatetest.Open(t, wl, kueuev1beta2.AddToScheme, test.steps...)
			g.Enabled = !test.off
			got, err := PodsReadyTimeout(t.Context(), g, wl, now)
			if test.name == "wait" {
				// The table's own delay, which is not ours to know.
				if got.At.Before(now.Add(time.Second)) {
					t.Errorf("at %s, want a second or more after %s", got.At, now)
				}
				got.At = time.Time{}
			}
			if err != nil || got != test.want {
				t.Errorf("%+v, error %v; want %+v", got, err, test.want)
			}
		})
	}
}

func TestPrepare(t *testing.T) {
	later := metav1.NewTime(now.Add(time.Hour))
	for _, test := range []struct {
		name      string
		before    *kueuev1beta2.RequeueState
		counts    bool
		wantAt    time.Time
		wantCount int32
	}{
		{"first", nil, true, now, 1},
		{"not counted", &kueuev1beta2.RequeueState{Count: ptr.To[int32](3)}, false, now, 3},
		{"a later time stays", &kueuev1beta2.RequeueState{RequeueAt: &later}, true, later.Time, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			wl := &kueuev1beta2.Workload{}
			wl.Status.RequeueState = test.before
			Requeue{At: now, Counts: test.counts}.Prepare(wl)
			state := wl.Status.RequeueState
			if !state.RequeueAt.Time.Equal(test.wantAt) || ptr.Deref(state.Count, 0) != test.wantCount {
				t.Errorf("at %s, count %d; want %s, %d", state.RequeueAt, ptr.Deref(state.Count, 0), test.wantAt, test.wantCount)
			}
		})
	}
}
