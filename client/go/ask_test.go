package mulligan_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"mulligan.dev/mulligan"
	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
	"mulligan.dev/mulligan/mulligantest"
)

func failingJob(t *testing.T) (client.WithWatch, client.Object) {
	t.Helper()
	train := job("train")
	c := clusterOf(train, ownedBy(labelled(failedPod("a"), "batch.kubernetes.io/controller-uid", "train"), train))
	if err := c.Get(context.Background(), client.ObjectKeyFromObject(train), train); err != nil {
		t.Fatal(err)
	}
	// Reading a typed object empties it, and owner references need it.
	train.TypeMeta = job("train").TypeMeta
	return c, train
}

func TestAskChargesAFailureOnce(t *testing.T) {
	ctx := context.Background()
	service := mulligantest.New(t)
	service.Next(mulligantest.Cause(mulliganv1.Cause_CONTAINER_OOM), mulligantest.Cause(mulliganv1.Cause_IMAGE_INVALID))
	c, train := failingJob(t)
	asker := mulligan.Asker{Service: service.Client(), Kube: c}

	advice, err := asker.Ask(ctx, train)
	if err != nil {
		t.Fatal(err)
	}
	if advice.Action() != mulliganv1.Decision_RETRY || advice.RetryAfter() != 10*time.Second || advice.NoAnswer != nil || advice.Workload != train {
		t.Errorf("got %+v", advice)
	}
	// A later reconcile, by another replica that has read the object again.
	if err := c.Get(ctx, client.ObjectKeyFromObject(train), train); err != nil {
		t.Fatal(err)
	}
	advice, err = asker.Ask(ctx, train)
	if err != nil || !advice.Response.GetAccounting().GetDuplicate() || advice.Action() != mulliganv1.Decision_RETRY {
		t.Errorf("reported again: %+v, %v", advice, err)
	}
	ledger, err := mulligan.LedgerFrom(train)
	if err != nil || ledger.GetAttemptsSeen() != 1 || ledger.GetBudgets()["memory"].GetUsed() != 1 || service.Left() != 1 {
		t.Errorf("ledger %v, %v, %d steps left", ledger, err, service.Left())
	}
	// The next attempt fails, too.
	if err := c.Create(ctx, ownedBy(labelled(failedPod("b"), "batch.kubernetes.io/controller-uid", "train"), train)); err != nil {
		t.Fatal(err)
	}
	advice, err = asker.Ask(ctx, train)
	if err != nil || advice.Action() != mulliganv1.Decision_FAIL {
		t.Errorf("the next failure: %+v, %v", advice, err)
	}
}

func TestCompletedAfterFailures(t *testing.T) {
	ctx := context.Background()
	service := mulligantest.New(t)
	service.Next(mulligantest.Cause(mulliganv1.Cause_CONTAINER_OOM), mulligantest.Cause(mulliganv1.Cause_SUCCEEDED))
	c, train := failingJob(t)
	asker := mulligan.Asker{Service: service.Client(), Kube: c}

	if err := asker.Completed(ctx, train); err != nil || len(service.Requests()) != 0 {
		t.Fatalf("without a failure: %v, asked %d times", err, len(service.Requests()))
	}
	if _, err := asker.Ask(ctx, train); err != nil {
		t.Fatal(err)
	}
	before, err := mulligan.LedgerFrom(train)
	if err != nil {
		t.Fatal(err)
	}
	if err := asker.Completed(ctx, train); err != nil {
		t.Fatal(err)
	}
	asked := service.Requests()
	if len(asked) != 2 || asked[1].GetLedger().GetAttemptsSeen() != 1 {
		t.Errorf("asked %d times, the last with %v", len(asked), asked[len(asked)-1].GetLedger())
	}
	if after, err := mulligan.LedgerFrom(train); err != nil || !proto.Equal(before, after) {
		t.Errorf("ledger %v, %v, want it unchanged", after, err)
	}
}

func TestAskAboutAPodIsAboutItsJob(t *testing.T) {
	ctx := context.Background()
	service := mulligantest.New(t)
	service.Next(mulligantest.Cause(mulliganv1.Cause_DRAINED))
	c, train := failingJob(t)
	pod := ownedBy(labelled(failedPod("a"), "batch.kubernetes.io/controller-uid", "train"), train)
	asker := mulligan.Asker{Service: service.Client(), Kube: c}
	for range 2 {
		if advice, err := asker.Ask(ctx, pod); err != nil || advice.Workload.GetName() != "train" {
			t.Fatalf("got %+v, %v", advice, err)
		}
	}
	if err := c.Get(ctx, client.ObjectKeyFromObject(train), train); err != nil {
		t.Fatal(err)
	}
	if ledger, err := mulligan.LedgerFrom(train); err != nil || ledger.GetAttemptsSeen() != 1 {
		t.Errorf("ledger of the Job: %v, %v", ledger, err)
	}
	if pod.GetAnnotations() != nil {
		t.Errorf("the pod has a ledger: %v", pod.GetAnnotations())
	}
}

func TestWithoutAnAnswerNothingIsStored(t *testing.T) {
	service := mulligantest.New(t)
	c, train := failingJob(t)
	native := mulligan.Fallback{Native: func(_ context.Context, obj client.Object) (*mulliganv1.Decision, error) {
		return &mulliganv1.Decision{Action: mulliganv1.Decision_RETRY, Sentence: "backoffLimit of " + obj.GetName()}, nil
	}}
	for name, test := range map[string]struct {
		fallback mulligan.Fallback
		steps    []mulligantest.Step
		want     mulliganv1.Decision_Action
	}{
		"the local rule":                   {mulligan.Fallback{}, []mulligantest.Step{mulligantest.Unavailable(), mulligantest.Unavailable()}, mulliganv1.Decision_WAIT},
		"the native path":                  {native, []mulligantest.Step{mulligantest.Unavailable(), mulligantest.Unavailable()}, mulliganv1.Decision_RETRY},
		"for a request that is not usable": {native, []mulligantest.Step{mulligantest.Error(codes.InvalidArgument, "report")}, mulliganv1.Decision_RETRY},
	} {
		t.Run(name, func(t *testing.T) {
			service.Next(test.steps...)
			before := train.GetResourceVersion()
			asker := mulligan.Asker{Service: service.Client(), Kube: c, Fallback: test.fallback}
			advice, err := asker.Ask(context.Background(), train)
			if err != nil {
				t.Fatal(err)
			}
			if advice.Action() != test.want || advice.NoAnswer == nil || advice.Response != nil {
				t.Errorf("got %+v", advice)
			}
			if train.GetAnnotations() != nil || train.GetResourceVersion() != before {
				t.Errorf("stored %v", train.GetAnnotations())
			}
		})
	}
}

func TestOneUnavailableAnswerIsNotSeen(t *testing.T) {
	service := mulligantest.New(t)
	service.Next(mulligantest.Unavailable(), mulligantest.Cause(mulliganv1.Cause_SPOT_RECLAIMED))
	c, train := failingJob(t)
	asker := mulligan.Asker{Service: service.Client(), Kube: c}
	if advice, err := asker.Ask(context.Background(), train); err != nil || advice.NoAnswer != nil || advice.Action() != mulliganv1.Decision_RETRY {
		t.Errorf("got %+v, %v", advice, err)
	}
}

func TestEditChangesTheRequest(t *testing.T) {
	service := mulligantest.New(t)
	c, train := failingJob(t)
	asker := mulligan.Asker{Service: service.Client(), Kube: c, Edit: func(_ context.Context, obj client.Object, request *mulliganv1.DecideRequest) error {
		request.PolicyChoice = &mulliganv1.DecideRequest_Policy{Policy: "for-" + obj.GetName()}
		return nil
	}}
	if _, err := asker.Ask(context.Background(), train); err != nil {
		t.Fatal(err)
	}
	if got := service.Requests()[0].GetPolicy(); got != "for-train" {
		t.Errorf("policy %q", got)
	}
	asker.Edit = func(context.Context, client.Object, *mulliganv1.DecideRequest) error {
		return errors.New("no such team")
	}
	if _, err := asker.Ask(context.Background(), train); err == nil || !strings.Contains(err.Error(), "no such team") {
		t.Errorf("got %v", err)
	}
}

func TestConcurrentQuestionsChargeOnce(t *testing.T) {
	ctx := context.Background()
	service := mulligantest.New(t)
	service.Next(mulligantest.Cause(mulliganv1.Cause_APP_ERROR))
	c, train := failingJob(t)
	other := train.DeepCopyObject().(client.Object)
	asker := mulligan.Asker{Service: service.Client(), Kube: c}
	if _, err := asker.Ask(ctx, train); err != nil {
		t.Fatal(err)
	}
	// The other leader still has the older version. Its answer is the same, except that
	// the stored ledger has another time.
	advice, err := asker.Ask(ctx, other)
	if !apierrors.IsConflict(err) {
		t.Fatalf("got %+v, %v, want a conflict", advice, err)
	}
	if err := c.Get(ctx, client.ObjectKeyFromObject(other), other); err != nil {
		t.Fatal(err)
	}
	if _, err := asker.Ask(ctx, other); err != nil {
		t.Fatal(err)
	}
	if ledger, err := mulligan.LedgerFrom(other); err != nil || ledger.GetAttemptsSeen() != 1 {
		t.Errorf("ledger %v, %v", ledger, err)
	}
}

func TestInvalidLedgerIsAnError(t *testing.T) {
	service := mulligantest.New(t)
	c, train := failingJob(t)
	train.SetAnnotations(map[string]string{mulligan.LedgerAnnotation: "{"})
	asker := mulligan.Asker{Service: service.Client(), Kube: c}
	if _, err := asker.Ask(context.Background(), train); err == nil || len(service.Requests()) != 0 {
		t.Errorf("got %v, %d requests", err, len(service.Requests()))
	}
}

func TestFailedAt(t *testing.T) {
	built := build(t, mulligan.NewReport().Add(failedPod("a")).At(now))
	if got := mulligan.FailedAt(built); !got.Equal(now.Add(-time.Minute)) {
		t.Errorf("got %v, want the end of the container", got)
	}
	built.Pods = nil
	if got := mulligan.FailedAt(built); !got.Equal(now) {
		t.Errorf("got %v, want when it was observed", got)
	}
}
