package kuberay

import (
	"context"
	"testing"
	"time"

	rayv1 "github.com/ray-project/kuberay/ray-operator/apis/ray/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
	"mulligan.dev/mulligan/mulligantest"
	"mulligan.dev/mulligan/recipes/internal/gatetest"
)

func failed() *rayv1.RayJob {
	return &rayv1.RayJob{
		ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: "train", UID: "u"},
		Status: rayv1.RayJobStatus{
			JobDeploymentStatus: rayv1.JobDeploymentStatusFailed, Failed: ptr.To[int32](1),
			Message: "the head died",
		},
	}
}

func TestCheckRetry(t *testing.T) {
	for _, test := range []struct {
		name        string
		steps       []mulligantest.Step
		off         bool
		wantStatus  rayv1.JobDeploymentStatus
		wantFailed  int32
		wantMessage string
		wantHold    time.Duration
		wantNative  bool
	}{
		{"retry", []mulligantest.Step{gatetest.Says(mulliganv1.Decision_RETRY, 0)}, false, rayv1.JobDeploymentStatusRetrying, 2, "the head died", 0, false},
		{"retry later", []mulligantest.Step{gatetest.Says(mulliganv1.Decision_RETRY, 9*time.Second)}, false, rayv1.JobDeploymentStatusFailed, 1, "the head died", 9 * time.Second, false},
		{"wait", []mulligantest.Step{gatetest.Says(mulliganv1.Decision_WAIT, 0)}, false, rayv1.JobDeploymentStatusFailed, 1, "the head died", time.Second, false},
		{"fail", []mulligantest.Step{gatetest.Says(mulliganv1.Decision_FAIL, 0)}, false, rayv1.JobDeploymentStatusFailed, 2, gatetest.Sentence, 0, false},
		{"spec update", []mulligantest.Step{gatetest.Says(mulliganv1.Decision_WAIT_FOR_SPEC_UPDATE, 0)}, false, rayv1.JobDeploymentStatusFailed, 2, gatetest.Sentence, 0, false},
		{"ignore", []mulligantest.Step{gatetest.Says(mulliganv1.Decision_IGNORE, 0)}, false, rayv1.JobDeploymentStatusFailed, 1, "the head died", 0, true},
		{"service away", gatetest.Away(), false, rayv1.JobDeploymentStatusFailed, 1, "the head died", 0, true},
		{"flag off", []mulligantest.Step{gatetest.Says(mulliganv1.Decision_RETRY, 0)}, true, rayv1.JobDeploymentStatusFailed, 1, "the head died", 0, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			rayJob := failed()
			g := gatetest.Open(t, rayJob, rayv1.AddToScheme, test.steps...)
			g.Enabled = !test.off
			native := false
			hold, err := CheckRetry(t.Context(), g, rayJob, func(context.Context, *rayv1.RayJob) { native = true })
			if err != nil {
				t.Fatal(err)
			}
			status := rayJob.Status
			if status.JobDeploymentStatus != test.wantStatus || *status.Failed != test.wantFailed || status.Message != test.wantMessage {
				t.Errorf("status %s, failed %d, %q; want %s, %d, %q", status.JobDeploymentStatus, *status.Failed, status.Message, test.wantStatus, test.wantFailed, test.wantMessage)
			}
			if hold != test.wantHold || native != test.wantNative {
				t.Errorf("hold %s, native %t; want %s, %t", hold, native, test.wantHold, test.wantNative)
			}
		})
	}
}

func TestAnotherStatusIsKubeRaysOwnAffair(t *testing.T) {
	rayJob := failed()
	rayJob.Status.JobDeploymentStatus = rayv1.JobDeploymentStatusRunning
	native := false
	g := gatetest.Open(t, rayJob, rayv1.AddToScheme, gatetest.Says(mulliganv1.Decision_FAIL, 0))
	if _, err := CheckRetry(t.Context(), g, rayJob, func(context.Context, *rayv1.RayJob) { native = true }); err != nil || !native {
		t.Errorf("native %t, error %v", native, err)
	}
}
