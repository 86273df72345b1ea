package controller

import (
	"fmt"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"mulligan.dev/mulligan"
	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
	"mulligan.dev/mulligan/internal/controller/records"
	"mulligan.dev/mulligan/mulligantest"
)

func TestAnotherProcessCarriesOnWhereOneDied(t *testing.T) {
	dead := fmt.Errorf("the process is gone")
	isRecord := func(obj client.Object) bool { _, ok := obj.(*records.RetryRecord); return ok }
	for _, test := range []struct {
		name string
		// Whether the first process dies instead of making this call, or right after
		// it.
		instead, after func(verb string, obj client.Object) bool
		asked          int
	}{
		{"after the answer, before it was written", func(verb string, obj client.Object) bool { return verb == "create" && isRecord(obj) }, nil, 2},
		{"after the decision was written, before its copy", func(verb string, obj client.Object) bool { return verb == "patch" }, nil, 1},
		{"before the retry", func(verb string, obj client.Object) bool { return verb == "create" && !isRecord(obj) }, nil, 1},
		{"after the retry, with its answer on its way", nil, func(verb string, obj client.Object) bool { return verb == "create" && !isRecord(obj) }, 1},
		{"after the retry, before it was noted", func(verb string, obj client.Object) bool { return verb == "update" }, nil, 1},
		{"after it was noted, before its copy", nil, func(verb string, obj client.Object) bool { return verb == "update" }, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t, nil, failedJob())
			w.service.Next(mulligantest.Cause(mulliganv1.Cause_CONTAINER_OOM), mulligantest.Cause(mulliganv1.Cause_APP_ERROR))
			cluster := w.client.(client.WithWatch)
			isDead := false
			call := func(verb string, obj client.Object, do func() error) error {
				if isDead = isDead || test.instead != nil && test.instead(verb, obj); isDead {
					return dead
				}
				err := do()
				if isDead = test.after != nil && test.after(verb, obj); isDead {
					return dead
				}
				return err
			}
			w.reconciler = w.another(interceptor.NewClient(cluster, onWrites(call)), w.options)
			request := ctrl.Request{NamespacedName: client.ObjectKey{Namespace: "ml", Name: "train"}}
			for !isDead {
				_, _ = w.Reconcile(t.Context(), request)
				w.clock = w.clock.Add(11 * time.Second)
			}
			w.reconciler = w.another(cluster, w.options)
			w.looks(t, "train", 3)
			jobs, rec := w.jobs(t), w.record(t)
			ledger, err := mulligan.ParseLedger(string(rec.Status.Ledger))
			if err != nil || ledger.GetAttemptsSeen() != 1 || ledger.GetBudgets()["memory"].GetUsed() != 1 {
				t.Errorf("ledger %v, %v, want one charge", ledger, err)
			}
			if asked := len(w.service.Requests()); asked != test.asked {
				t.Errorf("asked %d times, want %d", asked, test.asked)
			}
			if len(jobs) != 2 || rec.Status.Attempt != 2 || jobs[rec.Latest().Name] == nil {
				t.Errorf("%d Jobs, and the record has %v, want two in both", len(jobs), rec.Status.Attempts)
			}
			if got := jobs["train"].Annotations[records.RetriedAs]; got != rec.Latest().Name {
				t.Errorf("the copy says that it was retried as %q", got)
			}
		})
	}
}

// Two controllers ask about one failure, and the second to write looks again.
func TestConflictIsLookedAtAgain(t *testing.T) {
	for _, first := range []string{"the first failure", "a later one"} {
		t.Run(first, func(t *testing.T) {
			w := newWorld(t, nil, failedJob())
			w.service.Next(mulligantest.Cause(mulliganv1.Cause_CONTAINER_OOM), mulligantest.Cause(mulliganv1.Cause_CONTAINER_OOM))
			if first == "a later one" {
				rec, err := records.New(w.unstructured(t, "train"))
				if err == nil {
					err = w.client.Create(t.Context(), rec)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			other := w.another(w.client.(client.WithWatch), w.options)
			request := ctrl.Request{NamespacedName: client.ObjectKey{Namespace: "ml", Name: "train"}}
			w.service.Next(func(r *mulliganv1.DecideRequest) (*mulliganv1.DecideResponse, error) {
				// The other is faster.
				if _, err := other.Reconcile(t.Context(), request); err != nil {
					t.Error(err)
				}
				return mulligantest.Cause(mulliganv1.Cause_CONTAINER_OOM)(r)
			})
			if result := w.look(t); result.RequeueAfter == 0 {
				t.Fatal("a conflict was not looked at again")
			}
			w.look(t)
			ledger, err := mulligan.ParseLedger(string(w.record(t).Status.Ledger))
			if err != nil || ledger.GetAttemptsSeen() != 1 || ledger.GetBudgets()["memory"].GetUsed() != 1 {
				t.Errorf("ledger %v, %v, want one attempt", ledger, err)
			}
		})
	}
}

func TestWhatOvertakesADecision(t *testing.T) {
	edited := func(j *batchv1.Job) { j.Generation++ }
	resumed := func(j *batchv1.Job) { j.Generation, j.Spec.Suspend = j.Generation+1, ptr.To(false) }
	failedSince := func(j *batchv1.Job) {
		j.Generation++
		j.Status.Conditions = failedJob().Status.Conditions
		j.Status.Conditions[0].LastTransitionTime = metav1.NewTime(time.Now().Add(time.Minute))
	}
	for _, test := range []struct {
		name   string
		job    *batchv1.Job
		cause  mulliganv1.Cause
		change func(*batchv1.Job)
		stands bool
	}{
		{"waits, not updated", failedJob(running), mulliganv1.Cause_CREATE_REJECTED, func(*batchv1.Job) {}, true},
		{"waits, updated", failedJob(running), mulliganv1.Cause_CREATE_REJECTED, edited, false},
		{"given up and suspended by that", failedJob(running), mulliganv1.Cause_IMAGE_INVALID, func(*batchv1.Job) {}, true},
		{"given up, changed and not resumed", failedJob(running), mulliganv1.Cause_IMAGE_INVALID, edited, true},
		{"given up, resumed by a user", failedJob(running), mulliganv1.Cause_IMAGE_INVALID, resumed, false},
		{"given up, resumed by a user, failed", failedJob(running), mulliganv1.Cause_IMAGE_INVALID, failedSince, false},
		{"given up after its end, changed by a user", failedJob(), mulliganv1.Cause_CONFIG_USER_ERROR, edited, true},
		{"given up after its end, failed since", failedJob(), mulliganv1.Cause_CONFIG_USER_ERROR, failedSince, false},
		{"retried, changed by a user", failedJob(), mulliganv1.Cause_CONTAINER_OOM, edited, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t, nil, test.job)
			w.service.Next(mulligantest.Cause(test.cause, braked), mulligantest.Cause(mulliganv1.Cause_APP_ERROR))
			w.memory.of(client.ObjectKeyFromObject(test.job), test.job.UID, func(m *remembered) { m.troubled = w.clock.Add(-time.Minute) })
			w.look(t)
			if asked := len(w.service.Requests()); asked != 1 {
				t.Fatalf("asked %d times, want once", asked)
			}
			job := w.jobs(t)["train"]
			test.change(job)
			ended := job.DeepCopy()
			if err := w.client.Update(t.Context(), job); err != nil {
				t.Fatal(err)
			}
			ended.ResourceVersion = ""
			if err := w.client.Status().Update(t.Context(), ended); err != nil {
				t.Fatal(err)
			}
			w.clock = w.clock.Add(2 * time.Minute)
			w.look(t)
			again := len(w.service.Requests()) > 1 || w.record(t).Status.Decision == nil
			if again == test.stands {
				t.Errorf("the decision stands: %v, want %v", !again, test.stands)
			}
			if !test.stands && len(w.record(t).Status.Ledger) == 0 {
				t.Error("the account was forgotten")
			}
		})
	}
}
