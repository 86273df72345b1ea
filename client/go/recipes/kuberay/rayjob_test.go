package kuberay

import (
	"testing"
	"time"

	rayv1 "github.com/ray-project/kuberay/ray-operator/apis/ray/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"mulligan.dev/mulligan"
	"mulligan.dev/mulligan/gate"
	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
	"mulligan.dev/mulligan/internal/gatetest"
	"mulligan.dev/mulligan/mulligantest"
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
	own, spot := gatetest.Blames(mulliganv1.Diagnosis_RESOURCE_LIMIT), gatetest.Blames(mulliganv1.Diagnosis_DISRUPTION)
	const native = "the head died"
	for _, test := range []struct {
		name        string
		steps       []mulligantest.Step
		off         bool
		wantStatus  rayv1.JobDeploymentStatus
		wantFailed  int32
		wantMessage string
		wantHold    time.Duration
		wantEvent   string
	}{
		{"retry that the work pays", []mulligantest.Step{own}, false, rayv1.JobDeploymentStatusRetrying, 2, gatetest.Sentence, 0, ReasonRetries},
		{"retry that its surroundings pay", []mulligantest.Step{spot}, false, rayv1.JobDeploymentStatusRetrying, 1, gatetest.Sentence, 0, ReasonRetries},
		{"retry later", []mulligantest.Step{gatetest.Says(mulliganv1.Decision_RETRY, time.Minute)}, false, rayv1.JobDeploymentStatusRetrying, 2, gatetest.Sentence, 0, ReasonRetries},
		{"wait", []mulligantest.Step{gatetest.Says(mulliganv1.Decision_WAIT, 0)}, false, rayv1.JobDeploymentStatusFailed, 1, native, time.Second, ReasonWaits},
		{"fail", []mulligantest.Step{gatetest.Says(mulliganv1.Decision_FAIL, 0)}, false, rayv1.JobDeploymentStatusFailed, 2, gatetest.Sentence, 0, ReasonStops},
		{"spec update", []mulligantest.Step{gatetest.Says(mulliganv1.Decision_WAIT_FOR_SPEC_UPDATE, 0)}, false, rayv1.JobDeploymentStatusFailed, 2, gatetest.Sentence, 0, ReasonStops},
		{"ignore", []mulligantest.Step{gatetest.Says(mulliganv1.Decision_IGNORE, 0)}, false, rayv1.JobDeploymentStatusFailed, 1, native, 0, ""},
		{"service away", gatetest.Away(), false, rayv1.JobDeploymentStatusFailed, 1, native, 0, ""},
		{"flag off", []mulligantest.Step{own}, true, rayv1.JobDeploymentStatusFailed, 1, native, 0, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			rayJob := failed()
			g := gatetest.Open(t, rayJob, rayv1.AddToScheme, test.steps...)
			g.Enabled = !test.off
			event := ""
			decided, hold, err := CheckRetry(t.Context(), g, rayJob, func(reason, _ string) { event = reason })
			if err != nil {
				t.Fatal(err)
			}
			status := rayJob.Status
			if status.JobDeploymentStatus != test.wantStatus || *status.Failed != test.wantFailed || status.Message != test.wantMessage {
				t.Errorf("status %s, failed %d, %q; want %s, %d, %q", status.JobDeploymentStatus, *status.Failed, status.Message, test.wantStatus, test.wantFailed, test.wantMessage)
			}
			if hold != test.wantHold || event != test.wantEvent || decided != (event != "") {
				t.Errorf("hold %s, event %q, decided %t; want %s, %q", hold, event, decided, test.wantHold, test.wantEvent)
			}
		})
	}
}

func TestLeavesOthersToKubeRay(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(*rayv1.RayJob)
	}{
		{"another status", func(r *rayv1.RayJob) { r.Status.JobDeploymentStatus = rayv1.JobDeploymentStatusRunning }},
		{"a selected cluster", func(r *rayv1.RayJob) {
			r.Spec.ClusterSelector = map[string]string{"ray.io/cluster": "shared"}
			r.Status.RayClusterName = "shared"
		}},
		{"a job that the user submits", func(r *rayv1.RayJob) { r.Spec.SubmissionMode, r.Spec.JobId = rayv1.InteractiveMode, "by-user" }},
	} {
		t.Run(test.name, func(t *testing.T) {
			rayJob := failed()
			test.change(rayJob)
			before := rayJob.Status.DeepCopy()
			g := gatetest.Open(t, rayJob, rayv1.AddToScheme, gatetest.Blames(mulliganv1.Diagnosis_DISRUPTION))
			if decided, hold, err := CheckRetry(t.Context(), g, rayJob, nil); err != nil || decided || hold != 0 {
				t.Errorf("decided %t, hold %s, error %v", decided, hold, err)
			}
			if !equality.Semantic.DeepEqual(&rayJob.Status, before) || rayJob.Annotations[mulligan.LedgerAnnotation] != "" {
				t.Errorf("status %v, annotations %v", rayJob.Status, rayJob.Annotations)
			}
		})
	}
}

func TestKeepsStatusReportedByRay(t *testing.T) {
	for _, test := range []struct {
		name      string
		reported  rayv1.JobStatus
		mode      rayv1.JobSubmissionMode
		submitted bool
		off       bool
		held      rayv1.JobDeploymentStatus
		want      bool
	}{
		{"a job that KubeRay submitted", rayv1.JobStatusFailed, rayv1.HTTPMode, false, false, rayv1.JobDeploymentStatusRunning, true},
		{"a job whose submitter is done", rayv1.JobStatusFailed, rayv1.K8sJobMode, true, false, rayv1.JobDeploymentStatusRunning, true},
		{"not while the submitter goes on", rayv1.JobStatusFailed, rayv1.K8sJobMode, false, false, rayv1.JobDeploymentStatusRunning, false},
		{"not a status that Ray did not report", rayv1.JobStatusRunning, rayv1.HTTPMode, false, false, rayv1.JobDeploymentStatusFailed, false},
		{"not with the flag off", rayv1.JobStatusFailed, rayv1.HTTPMode, false, true, rayv1.JobDeploymentStatusRunning, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			rayJob := failed()
			rayJob.Spec.SubmissionMode = test.mode
			rayJob.Status.JobStatus, rayJob.Status.Reason = test.reported, rayv1.AppFailed
			g := gatetest.Open(t, rayJob, rayv1.AddToScheme, gatetest.Says(mulliganv1.Decision_WAIT, 0))
			if _, hold, err := CheckRetry(t.Context(), g, rayJob, func(string, string) {}); err != nil || hold == 0 {
				t.Fatalf("hold %s, error %v", hold, err)
			}
			status := &rayJob.Status
			if status.JobDeploymentStatus != test.held || status.JobStatus != test.reported || status.Message != "the head died" {
				t.Errorf("held as %s, %s, %q; want %s", status.JobDeploymentStatus, status.JobStatus, status.Message, test.held)
			}
			status.JobDeploymentStatus = rayv1.JobDeploymentStatusRunning
			g.Enabled = !test.off
			stands := Stands(g, rayJob, test.submitted)
			if again := status.JobDeploymentStatus == rayv1.JobDeploymentStatusFailed && status.Reason == rayv1.AppFailed; stands != test.want || again != test.want {
				t.Errorf("stands %t, status %s, %s; want %t", stands, status.JobDeploymentStatus, status.Reason, test.want)
			}
		})
	}
}

func TestKeep(t *testing.T) {
	for _, test := range []struct {
		name, owner string
		want        bool
	}{
		{"a RayJob's cluster", "RayJob", true},
		{"not a RayService's", "RayService", false},
		{"not one of its own", "", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			cluster := &rayv1.RayCluster{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: "cluster", UID: "c"}}
			if test.owner != "" {
				cluster.OwnerReferences = []metav1.OwnerReference{{APIVersion: "ray.io/v1", Kind: test.owner, Name: "owner", UID: "o", Controller: ptr.To(true)}}
			}
			g := gatetest.Open(t, cluster, rayv1.AddToScheme)
			Keep(t.Context(), g, cluster, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: "head", UID: "h"}})
			stored := &rayv1.RayCluster{}
			if err := g.Asker.Kube.Get(t.Context(), client.ObjectKeyFromObject(cluster), stored); err != nil {
				t.Fatal(err)
			}
			if kept := stored.Annotations[gate.KeptAnnotation]; (kept != "") != test.want {
				t.Errorf("kept %q, want one %t", kept, test.want)
			}
		})
	}
}

func TestHold(t *testing.T) {
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	const later = `{"history": [{"observedAt": "2026-11-23T11:59:50Z", "decision": {"action": "RETRY", "retryAfter": "30s"}}]}`
	for _, test := range []struct {
		name    string
		status  rayv1.JobDeploymentStatus
		suspend bool
		off     bool
		want    time.Duration
	}{
		{"while it is Retrying", rayv1.JobDeploymentStatusRetrying, false, false, 20 * time.Second},
		{"not while it is Suspending", rayv1.JobDeploymentStatusSuspending, false, false, 0},
		{"not once it is to be suspended", rayv1.JobDeploymentStatusRetrying, true, false, 0},
		{"not with the flag off", rayv1.JobDeploymentStatusRetrying, false, true, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			rayJob := failed()
			rayJob.Annotations = map[string]string{mulligan.LedgerAnnotation: later}
			rayJob.Status.JobDeploymentStatus, rayJob.Spec.Suspend = test.status, test.suspend
			if got := Hold(&gate.Gate{Enabled: !test.off}, rayJob, now); got != test.want {
				t.Errorf("held for %s, want %s", got, test.want)
			}
		})
	}
}
