package mulligan_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	k8stypes "k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"mulligan.dev/mulligan"
	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
)

var now = time.Date(2026, 11, 3, 14, 0, 0, 0, time.UTC)

// A custom resource as a dynamic client returns it.
func custom(apiVersion, kind, name string, members map[string]any) *unstructured.Unstructured {
	object := map[string]any{
		"apiVersion": apiVersion, "kind": kind,
		"metadata": map[string]any{"name": name, "namespace": "ml", "uid": "uid-" + name},
	}
	for key, value := range members {
		object[key] = value
	}
	return &unstructured.Unstructured{Object: object}
}

func failedPod(name string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "ml", UID: k8stypes.UID("uid-" + name), CreationTimestamp: metav1.NewTime(now.Add(-time.Hour))},
		Spec:       corev1.PodSpec{NodeName: "node-a", Containers: []corev1.Container{{Name: "main", Env: []corev1.EnvVar{{Name: "TOKEN", Value: "s3cret"}}}}},
		Status: corev1.PodStatus{
			Phase: corev1.PodFailed,
			ContainerStatuses: []corev1.ContainerStatus{{Name: "main", State: corev1.ContainerState{
				Terminated: &corev1.ContainerStateTerminated{ExitCode: 1, Reason: "Error", FinishedAt: metav1.NewTime(now.Add(-time.Minute))},
			}}},
		},
	}
}

func build(t *testing.T, report *mulligan.Report) *mulliganv1.FailureReport {
	t.Helper()
	built, err := report.Build()
	if err != nil {
		t.Fatal(err)
	}
	return built
}

func TestAddTakesEveryKind(t *testing.T) {
	status := func(key string, value any) map[string]any {
		return map[string]any{"status": map[string]any{key: value}}
	}
	for _, test := range []struct {
		object runtime.Object
		found  func(*mulliganv1.FailureReport) bool
	}{
		{failedPod("a"), func(r *mulliganv1.FailureReport) bool { return r.GetPods()[0].GetStatus().GetPhase() == "Failed" }},
		{&corev1.PodList{Items: []corev1.Pod{*failedPod("a"), *failedPod("b")}}, func(r *mulliganv1.FailureReport) bool { return len(r.GetPods()) == 2 }},
		{&batchv1.Job{Status: batchv1.JobStatus{Failed: 3}}, func(r *mulliganv1.FailureReport) bool { return r.GetJobs()[0].GetStatus().GetFailed() == 3 }},
		{&corev1.Node{Spec: corev1.NodeSpec{Unschedulable: true}}, func(r *mulliganv1.FailureReport) bool { return r.GetNodes()[0].GetSpec().GetUnschedulable() }},
		{&corev1.Event{Reason: "OOMKilling"}, func(r *mulliganv1.FailureReport) bool { return r.GetEvents()[0].GetReason() == "OOMKilling" }},
		{
			&eventsv1.Event{Regarding: corev1.ObjectReference{Name: "a"}, Note: "killed"},
			func(r *mulliganv1.FailureReport) bool {
				return r.GetEvents()[0].GetInvolvedObject().GetName() == "a" && r.GetEvents()[0].GetMessage() == "killed"
			},
		},
		{custom("jobset.x-k8s.io/v1alpha2", "JobSet", "s", status("restarts", int64(2))), func(r *mulliganv1.FailureReport) bool { return r.GetJobSet().GetStatus().GetRestarts() == 2 }},
		{custom("ray.io/v1", "RayJob", "r", status("jobDeploymentStatus", "Failed")), func(r *mulliganv1.FailureReport) bool {
			return r.GetRayJob().GetStatus().GetJobDeploymentStatus() == "Failed"
		}},
		{custom("ray.io/v1", "RayCluster", "r", status("state", "failed")), func(r *mulliganv1.FailureReport) bool { return r.GetRayCluster().GetStatus().GetState() == "failed" }},
		{custom("trainer.kubeflow.org/v1alpha1", "TrainJob", "t", nil), func(r *mulliganv1.FailureReport) bool { return r.GetTrainJob().GetMetadata().GetName() == "t" }},
		{custom("kueue.x-k8s.io/v1beta1", "Workload", "w", nil), func(r *mulliganv1.FailureReport) bool { return r.GetKueueWorkload().GetMetadata().GetName() == "w" }},
		{custom("sparkoperator.k8s.io/v1beta2", "SparkApplication", "s", status("executionAttempts", int64(2))), func(r *mulliganv1.FailureReport) bool {
			return r.GetSparkApplication().GetStatus().GetExecutionAttempts() == 2
		}},
		{custom("kubeflow.org/v1", "PyTorchJob", "p", nil), func(r *mulliganv1.FailureReport) bool { return r.GetKubeflowJob().GetKind() == "PyTorchJob" }},
		{custom("v1", "Pod", "u", status("phase", "Failed")), func(r *mulliganv1.FailureReport) bool { return r.GetPods()[0].GetStatus().GetPhase() == "Failed" }},
		{&metav1.Status{Status: metav1.StatusFailure, Code: 403, Reason: metav1.StatusReasonForbidden, Details: &metav1.StatusDetails{Kind: "pods"}}, func(r *mulliganv1.FailureReport) bool {
			return r.GetCreationError().GetHttpCode() == 403 && r.GetCreationError().GetKind() == "pods"
		}},
	} {
		if report := build(t, mulligan.NewReport().Add(test.object)); !test.found(report) {
			t.Errorf("%T: not found in %v", test.object, report)
		}
	}
}

// JobSet is a stand-in for the operators' own Go types, whose TypeMeta typed
// clients leave empty.
type JobSet struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
}

func (s *JobSet) DeepCopyObject() runtime.Object { copied := *s; return &copied }

func TestIdentifiesTypeByPackage(t *testing.T) {
	// This package is no JobSet package.
	_, err := mulligan.NewReport().Add(&JobSet{ObjectMeta: metav1.ObjectMeta{Name: "s"}}).Build()
	if err == nil || !strings.Contains(err.Error(), "is not taken, expected RayJob") {
		t.Errorf("got %v", err)
	}
	typed := &JobSet{TypeMeta: metav1.TypeMeta{APIVersion: "jobset.x-k8s.io/v1alpha2", Kind: "JobSet"}}
	if built := build(t, mulligan.NewReport().Add(typed)); built.GetJobSet().GetKind() != "JobSet" {
		t.Errorf("got %v", built)
	}
}

func TestNamesInvalidConfiguration(t *testing.T) {
	for name, test := range map[string]struct {
		objects []runtime.Object
		want    string
	}{
		"another kind": {
			[]runtime.Object{custom("apps/v1", "Deployment", "web", nil)},
			`Deployment ml/web: kind "Deployment" of group "apps" is not taken, expected RayJob, RayCluster, TrainJob, JobSet`,
		},
		"a namesake of another group": {
			[]runtime.Object{custom("batch.volcano.sh/v1alpha1", "Job", "v", nil)},
			`Job ml/v: kind "Job" of group "batch.volcano.sh" is not taken`,
		},
		"nothing": {[]runtime.Object{nil}, "object 0 given to Add is nil"},
		"a nil pod": {
			[]runtime.Object{failedPod("a"), (*corev1.Pod)(nil)}, "object 1 given to Add is nil",
		},
		"a text for a number": {
			[]runtime.Object{custom("ray.io/v1", "RayJob", "r", map[string]any{"status": map[string]any{"failed": "two"}})},
			`RayJob ml/r: status.failed: found "two", expected a value of type int32`,
		},
		"an invalid time": {
			[]runtime.Object{custom("ray.io/v1", "RayJob", "r", map[string]any{"status": map[string]any{"startTime": "noon"}})},
			`RayJob ml/r: status.startTime: found "noon", expected a value of type Timestamp`,
		},
		"a null in a list": {
			[]runtime.Object{custom("jobset.x-k8s.io/v1alpha2", "JobSet", "s", map[string]any{"status": map[string]any{"conditions": []any{
				map[string]any{"type": "Failed"}, nil,
			}}})},
			`JobSet ml/s: status.conditions[1]: found null, expected an object`,
		},
		"deep in a list": {
			[]runtime.Object{custom("jobset.x-k8s.io/v1alpha2", "JobSet", "s", map[string]any{"status": map[string]any{"conditions": []any{
				map[string]any{"type": "Failed"}, map[string]any{"type": int64(5)},
			}}})},
			`JobSet ml/s: status.conditions[1].type: found 5, expected a value of type string`,
		},
		"a second JobSet": {
			[]runtime.Object{custom("jobset.x-k8s.io/v1alpha2", "JobSet", "s", nil), custom("jobset.x-k8s.io/v1alpha2", "JobSet", "t", nil)},
			`JobSet ml/t: report.job_set takes one object and has JobSet ml/s already`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := mulligan.NewReport().Add(test.objects...).Build()
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got  %v\nwant %s", err, test.want)
			}
		})
	}
}

func TestReportsAllErrorsAtOnce(t *testing.T) {
	_, err := mulligan.NewReport().Add(nil, custom("apps/v1", "Deployment", "web", nil)).Request(nil)
	if err == nil || !strings.Contains(err.Error(), "nil") || !strings.Contains(err.Error(), "Deployment") {
		t.Errorf("got %v", err)
	}
}

func TestAddReplacesObject(t *testing.T) {
	older, newer := failedPod("a"), failedPod("a")
	older.Status.Phase = corev1.PodRunning
	built := build(t, mulligan.NewReport().Add(older, failedPod("b"), newer))
	if len(built.GetPods()) != 2 || built.GetPods()[0].GetStatus().GetPhase() != "Failed" {
		t.Errorf("got %v", built.GetPods())
	}
}

func TestSecretsAndBookkeepingStayHome(t *testing.T) {
	pod := failedPod("a")
	pod.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "kubelet", FieldsV1: &metav1.FieldsV1{Raw: []byte(`{"f:status":{}}`)}}}
	pod.Annotations = map[string]string{
		"kubectl.kubernetes.io/last-applied-configuration": `{"env":"s3cret"}`,
		mulligan.LedgerAnnotation:                          `{"attemptsSeen":1}`,
		"team":                                             "vision",
	}
	rayJob := custom("ray.io/v1", "RayJob", "r", map[string]any{"spec": map[string]any{"rayClusterSpec": map[string]any{
		"headGroupSpec": map[string]any{"rayStartParams": map[string]any{"password": "s3cret"}},
	}}})
	rayJob.SetManagedFields(pod.ManagedFields)
	report := mulligan.NewReport().Add(pod, rayJob)
	built := build(t, report)
	raw, err := proto.Marshal(built)
	if err != nil {
		t.Fatal(err)
	}
	for _, gone := range []string{"s3cret", "f:status", "attemptsSeen"} {
		if strings.Contains(string(raw), gone) {
			t.Errorf("%q leaves the process", gone)
		}
	}
	if got := built.GetPods()[0].GetMetadata().GetAnnotations(); len(got) != 1 || got["team"] != "vision" {
		t.Errorf("annotations %v, want those of the team", got)
	}
	if len(pod.ManagedFields) != 1 || len(pod.Annotations) != 3 {
		t.Error("the caller's object was changed")
	}
}

func TestForNamesAWorkloadOfAnyKind(t *testing.T) {
	own := custom("sim.example.com/v1", "SimJob", "flow", nil)
	own.SetLabels(map[string]string{"team": "cfd"})
	got := build(t, mulligan.NewReport().Add(failedPod("a")).For(own)).GetWorkload()
	want := &mulliganv1.WorkloadReference{
		ApiGroup: "sim.example.com", Kind: "SimJob", Namespace: "ml", Name: "flow", Uid: "uid-flow",
		Labels: map[string]string{"team": "cfd"},
	}
	if !proto.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	_, err := mulligan.NewReport().For(&JobSet{}).Build()
	if err == nil || !strings.Contains(err.Error(), "set its TypeMeta") {
		t.Errorf("got %v", err)
	}
}

func TestUsesClockOfCaller(t *testing.T) {
	if got := build(t, mulligan.NewReport().Add(failedPod("a")).At(now)).GetObservedAt().AsTime(); !got.Equal(now) {
		t.Errorf("got %v, want %v", got, now)
	}
	before := time.Now()
	if got := build(t, mulligan.NewReport().Add(failedPod("a"))).GetObservedAt().AsTime(); got.Before(before) || got.After(time.Now()) {
		t.Errorf("got %v, want the present", got)
	}
}

func TestWithEditsReport(t *testing.T) {
	built := build(t, mulligan.NewReport().Add(failedPod("a")).With(func(r *mulliganv1.FailureReport) { r.FailureId = "step-7" }))
	if built.GetFailureId() != "step-7" {
		t.Errorf("got %q", built.GetFailureId())
	}
}

func TestCreationErrors(t *testing.T) {
	forbidden := apierrors.NewForbidden(schema.GroupResource{Resource: "pods"}, "a", errors.New("exceeded quota"))
	got := build(t, mulligan.NewReport().CreationFailed("Pod", forbidden)).GetCreationError()
	if got.GetPhase() != mulliganv1.CreationError_CREATE || got.GetHttpCode() != 403 || got.GetReason() != "Forbidden" ||
		got.GetKind() != "Pod" || !strings.Contains(got.GetMessage(), "exceeded quota") {
		t.Errorf("got %v", got)
	}
	got = build(t, mulligan.NewReport().CreationFailed("Pod", errors.New("connection refused"))).GetCreationError()
	if got.GetHttpCode() != 0 || got.GetMessage() != "connection refused" {
		t.Errorf("got %v, want no code: no answer arrived", got)
	}
	got = build(t, mulligan.NewReport().BuildFailed("Job", errors.New("unknown runtime"))).GetCreationError()
	if got.GetPhase() != mulliganv1.CreationError_BUILD || got.GetMessage() != "unknown runtime" {
		t.Errorf("got %v", got)
	}
}

var _ client.Object = (*JobSet)(nil)
