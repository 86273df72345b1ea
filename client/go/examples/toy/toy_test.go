package main

import (
	"context"
	"os"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"mulligan.dev/mulligan"
	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
	"mulligan.dev/mulligan/mulligantest"
)

func failedJob() *batchv1.Job {
	return &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: "train", UID: "u-1", Labels: map[string]string{toyLabel: "train"}},
		Spec:       batchv1.JobSpec{Selector: &metav1.LabelSelector{MatchLabels: map[string]string{batchv1.ControllerUidLabel: "u-1"}}},
		Status:     batchv1.JobStatus{Failed: 1, Conditions: []batchv1.JobCondition{{Type: batchv1.JobFailed, Status: corev1.ConditionTrue}}},
	}
}

func atOnce(answer *mulliganv1.DecideResponse) { answer.Decision.RetryAfter = nil }

func TestToy(t *testing.T) {
	for name, test := range map[string]struct {
		step mulligantest.Step
		// Name of the only Job afterwards.
		left    string
		waiting bool
	}{
		"a drain is retried":           {mulligantest.Cause(mulliganv1.Cause_DRAINED, atOnce), "train-1", false},
		"after its delay":              {mulligantest.Cause(mulliganv1.Cause_DRAINED), "train", true},
		"an image typo is not":         {mulligantest.Cause(mulliganv1.Cause_IMAGE_INVALID), "train", false},
		"a full cluster is waited for": {mulligantest.Cause(mulliganv1.Cause_UNSCHEDULABLE), "train", true},
	} {
		t.Run(name, func(t *testing.T) {
			ctx := context.Background()
			service := mulligantest.New(t)
			service.Next(test.step)
			kube := fake.NewClientBuilder().WithObjects(failedJob()).Build()
			toy := &Toy{Client: kube, Mulligan: mulligan.Asker{Service: service.Client(), Kube: kube}}
			result, err := toy.Reconcile(ctx, ctrl.Request{NamespacedName: client.ObjectKey{Namespace: "ml", Name: "train"}})
			if err != nil {
				t.Fatal(err)
			}
			if waiting := result.RequeueAfter > 0; waiting != test.waiting {
				t.Errorf("asked again after %v", result.RequeueAfter)
			}
			var jobs batchv1.JobList
			if err := kube.List(ctx, &jobs); err != nil {
				t.Fatal(err)
			}
			if len(jobs.Items) != 1 || jobs.Items[0].Name != test.left {
				t.Fatalf("left are %v, want %s", jobs.Items, test.left)
			}
			ledger, err := mulligan.LedgerFrom(&jobs.Items[0])
			if want := jobs.Items[0].Name == "train-1"; err != nil || want && ledger.GetBudgets()["disruption"].GetUsed() != 1 {
				t.Errorf("the ledger was not handed on: %v, %v", ledger, err)
			}
		})
	}
}

// The guide shows this program.
func TestTheGuideShowsTheToy(t *testing.T) {
	guide, err := os.ReadFile("../../../../docs/integrate.md")
	if err != nil {
		t.Skipf("outside the repository: %v", err)
	}
	program, err := os.ReadFile("toy.go")
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(guide), "## 2. Ask in Reconcile\n\n```go\n")
	shown, _, found := strings.Cut(after, "```")
	if !found {
		t.Fatal("there is no code under step 2")
	}
	for _, line := range strings.Split(strings.TrimSpace(shown), "\n") {
		line, _, _ = strings.Cut(line, " //")
		if !strings.Contains(string(program), strings.TrimSpace(line)+"\n") {
			t.Errorf("toy.go has no line %q", line)
		}
	}
}
