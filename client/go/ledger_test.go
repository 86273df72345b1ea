package mulligan_test

import (
	"context"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"
	batchv1 "k8s.io/api/batch/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"mulligan.dev/mulligan"
	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
)

func jobWith(annotations map[string]string) *batchv1.Job {
	return &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: "train", Namespace: "ml", UID: "u-1", Annotations: annotations}}
}

func ledgerOf(attempts int32) *mulliganv1.BudgetLedger {
	return &mulliganv1.BudgetLedger{
		WorkloadUid: "u-1", AttemptsSeen: attempts,
		Budgets: map[string]*mulliganv1.BudgetUse{"memory": {Used: 1}, "application": {Used: 2}},
		History: []*mulliganv1.AttemptRecord{{
			FailureId: "f-1", Attempt: 1, Cause: mulliganv1.Cause_CONTAINER_OOM, FinishedAt: timestamppb.New(now),
			Decision: &mulliganv1.Decision{Action: mulliganv1.Decision_RETRY},
		}},
	}
}

func TestLedgerFrom(t *testing.T) {
	stored, err := mulligan.EncodeLedger(ledgerOf(3))
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		annotations map[string]string
		want        *mulliganv1.BudgetLedger
		err         string
	}{
		"none yet":          {nil, nil, ""},
		"an empty one":      {map[string]string{mulligan.LedgerAnnotation: " \n"}, nil, ""},
		"of this object":    {map[string]string{mulligan.LedgerAnnotation: stored}, ledgerOf(3), ""},
		"of another object": {map[string]string{mulligan.LedgerAnnotation: strings.Replace(stored, "u-1", "u-0", 1)}, nil, ""},
		"of a later version": {
			map[string]string{mulligan.LedgerAnnotation: `{"attemptsSeen":1,"mood":"good","history":[{"cause":"BORED"}]}`},
			&mulliganv1.BudgetLedger{AttemptsSeen: 1, History: []*mulliganv1.AttemptRecord{{}}}, "",
		},
		"no ledger":         {map[string]string{mulligan.LedgerAnnotation: "three"}, nil, "Job ml/train: annotation mulligan.dev/ledger: expected the ledger of an earlier answer as JSON"},
		"a wrong field":     {map[string]string{mulligan.LedgerAnnotation: `{"attemptsSeen":"many"}`}, nil, `attemptsSeen: found "many", expected a value of type int32`},
		"a list of ledgers": {map[string]string{mulligan.LedgerAnnotation: "[" + stored + "]"}, nil, "expected the ledger of an earlier answer as JSON"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := mulligan.LedgerFrom(jobWith(test.annotations))
			if (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) {
				t.Fatalf("error %v, want %q", err, test.err)
			}
			if (got == nil) != (test.want == nil) || !proto.Equal(got, test.want) {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

func TestLedgersAreWrittenCompactly(t *testing.T) {
	text, err := mulligan.EncodeLedger(ledgerOf(3))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"workloadUid":"u-1","attemptsSeen":3,"budgets":{"application":{"used":2},"memory":{"used":1}},` +
		`"history":[{"failureId":"f-1","attempt":1,"cause":"CONTAINER_OOM","finishedAt":"2026-11-03T14:00:00Z","decision":{"action":"RETRY"}}]}`
	if text != want {
		t.Errorf("got  %s\nwant %s", text, want)
	}
	for _, empty := range []*mulliganv1.BudgetLedger{nil, {}} {
		if text, err := mulligan.EncodeLedger(empty); text != "" || err != nil {
			t.Errorf("%v: got %q, %v", empty, text, err)
		}
	}
}

func TestALedgerIsBounded(t *testing.T) {
	ledger := ledgerOf(1)
	ledger.History[0].FailureId = strings.Repeat("x", mulligan.MaxLedgerBytes)
	_, err := mulligan.EncodeLedger(ledger)
	if err == nil || !strings.Contains(err.Error(), "expected at most 16384") {
		t.Errorf("got %v", err)
	}
	if err := mulligan.StoreLedger(context.Background(), fake.NewClientBuilder().Build(), jobWith(nil), ledger); err == nil {
		t.Error("it was stored")
	}
}

// A client that counts its writes and lets a test run something before each.
func kube(t *testing.T, beforePatch func(client.Client), objects ...client.Object) (client.Client, *int) {
	t.Helper()
	writes := new(int)
	base := fake.NewClientBuilder().WithObjects(objects...).Build()
	return interceptor.NewClient(base, interceptor.Funcs{
		Patch: func(ctx context.Context, _ client.WithWatch, obj client.Object, patch client.Patch, opts ...client.PatchOption) error {
			*writes++
			if beforePatch != nil {
				beforePatch(base)
			}
			return base.Patch(ctx, obj, patch, opts...)
		},
	}), writes
}

func get(t *testing.T, c client.Client) *batchv1.Job {
	t.Helper()
	job := &batchv1.Job{}
	if err := c.Get(context.Background(), client.ObjectKey{Namespace: "ml", Name: "train"}, job); err != nil {
		t.Fatal(err)
	}
	return job
}

// change is another client's update.
func change(t *testing.T, c client.Client, edit func(*batchv1.Job)) {
	t.Helper()
	job := get(t, c)
	edit(job)
	if err := c.Update(context.Background(), job); err != nil {
		t.Fatal(err)
	}
}

func TestStoreLedger(t *testing.T) {
	ctx := context.Background()
	c, writes := kube(t, nil, jobWith(map[string]string{"team": "vision"}))
	job := get(t, c)
	job.Labels = map[string]string{"not": "saved"}
	if err := mulligan.StoreLedger(ctx, c, job, ledgerOf(1)); err != nil {
		t.Fatal(err)
	}
	stored := get(t, c)
	if got, err := mulligan.LedgerFrom(stored); err != nil || !proto.Equal(got, ledgerOf(1)) {
		t.Errorf("stored %v, %v", got, err)
	}
	if stored.Annotations["team"] != "vision" || stored.Labels != nil {
		t.Errorf("more than the ledger was written: %v", stored.ObjectMeta)
	}
	if job.ResourceVersion != stored.ResourceVersion || job.Annotations[mulligan.LedgerAnnotation] == "" || job.Labels["not"] != "saved" {
		t.Errorf("the caller's object: %v", job.ObjectMeta)
	}
	if err := mulligan.StoreLedger(ctx, c, job, ledgerOf(1)); err != nil || *writes != 1 {
		t.Errorf("the same ledger was written again: %v, %d writes", err, *writes)
	}
	if err := mulligan.StoreLedger(ctx, c, job, ledgerOf(2)); err != nil || *writes != 2 {
		t.Errorf("the next ledger: %v, %d writes", err, *writes)
	}
}

func TestNoLedgerIsNotWritten(t *testing.T) {
	c, writes := kube(t, nil, jobWith(nil))
	for _, ledger := range []*mulliganv1.BudgetLedger{nil, {}} {
		if err := mulligan.StoreLedger(context.Background(), c, get(t, c), ledger); err != nil || *writes != 0 {
			t.Errorf("%v: %v, %d writes", ledger, err, *writes)
		}
	}
}

// The ledger is stored nevertheless, and a client that writes the old object gets a
// conflict.
func TestKeepsConcurrentChanges(t *testing.T) {
	var once bool
	c, writes := kube(t, func(base client.Client) {
		if !once {
			once = true
			change(t, base, func(job *batchv1.Job) { job.Labels = map[string]string{"seen": "by-another-controller"} })
		}
	}, jobWith(nil))
	job := get(t, c)
	if err := mulligan.StoreLedger(context.Background(), c, job, ledgerOf(1)); !apierrors.IsConflict(err) || !strings.Contains(err.Error(), "the ledger was stored") {
		t.Fatalf("got %v, want a conflict", err)
	}
	if err := c.Status().Update(context.Background(), job); !apierrors.IsConflict(err) {
		t.Errorf("an update of what was read before: %v, want a conflict", err)
	}
	job = get(t, c)
	if job.Labels["seen"] == "" || job.Annotations[mulligan.LedgerAnnotation] == "" || *writes != 2 {
		t.Errorf("%d writes: %v", *writes, job.ObjectMeta)
	}
	if err := mulligan.StoreLedger(context.Background(), c, job, ledgerOf(1)); err != nil || *writes != 2 {
		t.Errorf("the same answer: %v, %d writes", err, *writes)
	}
}

func TestALedgerOfAnotherCallerIsNotOverwritten(t *testing.T) {
	theirs, err := mulligan.EncodeLedger(ledgerOf(7))
	if err != nil {
		t.Fatal(err)
	}
	c, _ := kube(t, func(base client.Client) {
		change(t, base, func(job *batchv1.Job) { job.Annotations = map[string]string{mulligan.LedgerAnnotation: theirs} })
	}, jobWith(nil))
	job := get(t, c)
	err = mulligan.StoreLedger(context.Background(), c, job, ledgerOf(1))
	if !apierrors.IsConflict(err) || !strings.Contains(err.Error(), "read the object and ask again") {
		t.Errorf("got %v, want a conflict", err)
	}
	if got := get(t, c).Annotations[mulligan.LedgerAnnotation]; got != theirs {
		t.Errorf("overwritten by %s", got)
	}
	if job.Annotations != nil {
		t.Errorf("the caller's object has a ledger that is not stored: %v", job.Annotations)
	}
}

func TestRecreatedObjectIsAConflict(t *testing.T) {
	c, _ := kube(t, func(base client.Client) {
		if err := base.Delete(context.Background(), jobWith(nil)); err != nil {
			t.Fatal(err)
		}
		recreated := jobWith(nil)
		recreated.UID = "u-2"
		if err := base.Create(context.Background(), recreated); err != nil {
			t.Fatal(err)
		}
	}, jobWith(nil))
	if err := mulligan.StoreLedger(context.Background(), c, get(t, c), ledgerOf(1)); !apierrors.IsConflict(err) {
		t.Errorf("got %v, want a conflict", err)
	}
}

func TestRejectsObjectWithoutResourceVersion(t *testing.T) {
	c, writes := kube(t, nil, jobWith(nil))
	err := mulligan.StoreLedger(context.Background(), c, jobWith(nil), ledgerOf(1))
	if err == nil || !strings.Contains(err.Error(), "Job ml/train: the ledger was not stored: the object has no resourceVersion") || *writes != 0 {
		t.Errorf("got %v, %d writes", err, *writes)
	}
}

func TestADeletedObjectIsNotFound(t *testing.T) {
	c, _ := kube(t, nil, jobWith(nil))
	job := get(t, c)
	if err := c.Delete(context.Background(), get(t, c)); err != nil {
		t.Fatal(err)
	}
	if err := mulligan.StoreLedger(context.Background(), c, job, ledgerOf(1)); !apierrors.IsNotFound(err) {
		t.Errorf("got %v, want not found", err)
	}
}

func TestSeedLedger(t *testing.T) {
	for name, test := range map[string]struct {
		failures int32
		budget   string
		want     *mulliganv1.BudgetLedger
	}{
		"nothing has failed": {0, "application", nil},
		"attempts alone":     {2, "", &mulliganv1.BudgetLedger{AttemptsSeen: 2, SeededFrom: "SimJob.status.retries=2"}},
		"and a budget": {2, "application", &mulliganv1.BudgetLedger{
			AttemptsSeen: 2, SeededFrom: "SimJob.status.retries=2",
			Budgets: map[string]*mulliganv1.BudgetUse{"application": {Used: 2}},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			got := mulligan.SeedLedger("SimJob.status.retries", test.failures, test.budget)
			if (got == nil) != (test.want == nil) || !proto.Equal(got, test.want) {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

func TestHandOnKeepsWhatWasSpent(t *testing.T) {
	ledger := ledgerOf(3)
	ledger.NativeCount = proto.Int32(2)
	handed := mulligan.HandOn(ledger)
	want := ledgerOf(3)
	want.WorkloadUid = ""
	if !proto.Equal(handed, want) {
		t.Errorf("got %v, want %v", handed, want)
	}
	if ledger.WorkloadUid == "" || mulligan.HandOn(nil) != nil {
		t.Error("the argument was changed, or made up")
	}
}
