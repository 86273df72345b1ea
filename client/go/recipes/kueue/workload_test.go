package kueue

import (
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	kueuev1beta2 "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"mulligan.dev/mulligan"
	"mulligan.dev/mulligan/gate"
	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
	"mulligan.dev/mulligan/internal/gatetest"
	"mulligan.dev/mulligan/mulligantest"
)

var now = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

const exceeded = "Exceeded the PodsReady timeout ml/job-train"

var timeout = Timeout{RanOut: now.Add(-time.Second), Message: exceeded}

// done is what happened to a Workload.
type done struct {
	decided, evicted, deactivated bool
	at                            time.Time
	counts                        bool
	reason, message               string
}

func (d *done) actions() Actions {
	return Actions{
		Evict: func(at time.Time, counts bool, message string) error {
			d.evicted, d.at, d.counts, d.message = true, at, counts, message
			return nil
		},
		Deactivate: func(reason, message string) error {
			d.deactivated, d.reason, d.message = true, reason, message
			return nil
		},
	}
}

func newWorkload() *kueuev1beta2.Workload {
	return &kueuev1beta2.Workload{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: "job-train", UID: "u"}}
}

func TestPodsReadyTimeout(t *testing.T) {
	charged := mulligantest.Cause(mulliganv1.Cause_START_TIMEOUT, func(r *mulliganv1.DecideResponse) {
		r.Decision = &mulliganv1.Decision{Action: mulliganv1.Decision_RETRY, Sentence: gatetest.Sentence}
	})
	later := mulligantest.Cause(mulliganv1.Cause_START_TIMEOUT, func(r *mulliganv1.DecideResponse) {
		r.Decision = &mulliganv1.Decision{Action: mulliganv1.Decision_RETRY, Sentence: gatetest.Sentence, RetryAfter: durationpb.New(time.Minute)}
	})
	const message = exceeded + ": " + gatetest.Sentence
	for _, test := range []struct {
		name   string
		steps  []mulligantest.Step
		off    bool
		ledger string
		want   done
	}{
		{"retry", []mulligantest.Step{charged}, false, "", done{decided: true, evicted: true, at: now, counts: true, message: message}},
		{"retry later", []mulligantest.Step{later}, false, "", done{decided: true, evicted: true, at: now.Add(time.Minute), counts: true, message: message}},
		{"wait", []mulligantest.Step{gatetest.Says(mulliganv1.Decision_WAIT, time.Minute)}, false, "", done{}},
		{"fail", []mulligantest.Step{gatetest.Says(mulliganv1.Decision_FAIL, 0)}, false, "", done{decided: true, deactivated: true, reason: "Mulligan", message: gatetest.Sentence}},
		{"wait for a spec", []mulligantest.Step{gatetest.Says(mulliganv1.Decision_WAIT_FOR_SPEC_UPDATE, 0)}, false, "", done{decided: true, deactivated: true, reason: "Mulligan", message: gatetest.Sentence}},
		{"ignore", []mulligantest.Step{gatetest.Says(mulliganv1.Decision_IGNORE, 0)}, false, "", done{}},
		{"service away", gatetest.Away(), false, "", done{}},
		{"flag off", []mulligantest.Step{charged}, true, "", done{}},
		{"a user's word in the ledger's place", []mulligantest.Step{charged}, false, "oops", done{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			wl := newWorkload()
			wl.Annotations = map[string]string{mulligan.LedgerAnnotation: test.ledger}
			g := gatetest.Open(t, wl, kueuev1beta2.AddToScheme, test.steps...)
			g.Enabled = !test.off
			var got done
			var err error
			got.decided, err = PodsReadyTimeout(t.Context(), g, wl, timeout, now, got.actions())
			if err != nil || got != test.want {
				t.Errorf("%+v, error %v; want %+v", got, err, test.want)
			}
			if len(wl.Status.Conditions) != 0 {
				t.Errorf("the Workload itself has now %v", wl.Status.Conditions)
			}
		})
	}
}

// Sent is the Workload as the timeout is about to leave it; unchanged, it only waits
// for its pods. Each timeout is its own failure, the same in each reconcile.
func TestWhatIsSent(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := kueuev1beta2.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	wl := newWorkload()
	kube := fake.NewClientBuilder().WithScheme(scheme).WithObjects(wl).Build()
	service := mulligantest.New(t)
	g := NameTimeouts(gate.New(service.Client(), kube, kube))
	var ids []string
	for _, ranOut := range []time.Time{now, now, now.Add(time.Minute)} {
		if err := kube.Get(t.Context(), client.ObjectKeyFromObject(wl), wl); err != nil {
			t.Fatal(err)
		}
		service.Next(gatetest.Says(mulliganv1.Decision_IGNORE, 0))
		var got done
		if _, err := PodsReadyTimeout(t.Context(), g, wl, Timeout{RanOut: ranOut, Message: exceeded}, now, got.actions()); err != nil {
			t.Fatal(err)
		}
		requests := service.Requests()
		report := requests[len(requests)-1].GetReport()
		conditions := report.GetKueueWorkload().GetStatus().GetConditions()
		if len(conditions) != 1 || conditions[0].GetReason() != "PodsReadyTimeout" || !conditions[0].GetLastTransitionTime().AsTime().Equal(ranOut) {
			t.Errorf("conditions %v, want Evicted for PodsReadyTimeout at %s", conditions, ranOut)
		}
		ids = append(ids, report.GetFailureId())
	}
	if ids[0] == "" || ids[0] != ids[1] || ids[1] == ids[2] {
		t.Errorf("failures %q, want the first two to be one", ids)
	}
}

func TestNameTimeoutsOfAClosedGate(t *testing.T) {
	if g := NameTimeouts(nil); g != nil {
		t.Errorf("it is %v, want none", g)
	}
}
