package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

var rayJobKind = schema.GroupVersionKind{Group: "ray.io", Version: "v1", Kind: "RayJob"}

// dashboard answers KubeRay's requests about Ray jobs instead of Ray.
type dashboard struct {
	lock sync.Mutex
	// Submission ids in the order of the first request for each.
	jobs []string
	// Status and message of the nth of them, from 0.
	status func(n int, id string) (status, message string)
}

// startDashboard listens at the address that scripts/control-plane configured.
func startDashboard(t *testing.T, c *cluster, status func(n int) (string, string)) {
	t.Helper()
	startDashboardOf(t, c, func(n int, _ string) (string, string) { return status(n) })
}

// startDashboardOf also passes the submission id, which begins with the RayJob's name.
func startDashboardOf(t *testing.T, c *cluster, status func(n int, id string) (string, string)) {
	t.Helper()
	port, err := os.ReadFile(filepath.Join(c.run, "ray-dashboard.port"))
	must(t, err)
	listener, err := net.Listen("tcp", "127.0.0.1:"+strings.TrimSpace(string(port)))
	must(t, err)
	server := &http.Server{Handler: &dashboard{status: status}}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { server.Close() })
}

func (d *dashboard) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	id := path.Base(request.URL.Path)
	if request.Method != http.MethodGet {
		fmt.Fprintf(w, `{"job_id": %q, "submission_id": %q}`, id, id)
		return
	}
	d.lock.Lock()
	defer d.lock.Unlock()
	n := 0
	for n < len(d.jobs) && d.jobs[n] != id {
		n++
	}
	if n == len(d.jobs) {
		d.jobs = append(d.jobs, id)
	}
	status, message := d.status(n, id)
	answer := map[string]any{
		"submission_id": id, "status": status, "message": message, "entrypoint": "python train.py",
		"start_time": time.Now().Add(-5 * time.Second).UnixMilli(),
	}
	if status != "RUNNING" {
		answer["end_time"] = time.Now().UnixMilli()
	}
	_ = json.NewEncoder(w).Encode(answer)
}

const rayManifest = `
apiVersion: ray.io/v1
kind: RayJob
metadata: {name: tune}
spec:
  entrypoint: python train.py
  submissionMode: HTTPMode
  shutdownAfterJobFinishes: true
  rayClusterSpec:
    rayVersion: "2.52.0"
    headGroupSpec:
      rayStartParams: {}
      template:
        spec:
          containers:
            - name: ray-head
              image: registry.local/ray:2.52.0
              resources: {limits: {cpu: "1", memory: 2Gi}, requests: {cpu: "1", memory: 2Gi}}
`

// isGone returns whether a pod has ended or was deleted. KubeRay may delete a failed head
// before it is seen as failed.
func (c *cluster) isGone(pod *corev1.Pod) bool {
	now := &corev1.Pod{}
	err := c.Get(context.Background(), client.ObjectKeyFromObject(pod), now)
	if err != nil {
		return apierrors.IsNotFound(err)
	}
	return now.UID != pod.UID || now.Status.Phase == corev1.PodFailed || now.DeletionTimestamp != nil
}

func deploymentStatus(obj *unstructured.Unstructured) string {
	status, _, _ := unstructured.NestedString(obj.Object, "status", "jobDeploymentStatus")
	return status
}

func TestScenario07RayJobWhoseHeadDiedIsRetried(t *testing.T) {
	c := shared
	c.needs(t, "kuberay")
	namespace := c.namespace(t)
	var head atomic.Pointer[corev1.Pod]
	startDashboard(t, c, func(n int) (string, string) {
		if n > 0 {
			return "SUCCEEDED", "Job finished successfully."
		}
		// Ray notices it after Kubernetes.
		if first := head.Load(); first != nil && c.isGone(first) {
			return "FAILED", "Job supervisor actor died because its node died."
		}
		return "RUNNING", ""
	})
	c.play(t, namespace, func(pod *corev1.Pod) bool {
		first := &unstructured.Unstructured{}
		first.SetGroupVersionKind(rayJobKind)
		// The test's context ends before the playing does.
		if c.Get(context.Background(), client.ObjectKey{Namespace: namespace, Name: "tune"}, first) != nil {
			return false
		}
		status, _, _ := unstructured.NestedString(first.Object, "status", "jobStatus")
		if status == "RUNNING" {
			head.CompareAndSwap(nil, pod.DeepCopy())
		}
		doomed := head.Load()
		return doomed != nil && doomed.UID == pod.UID && isTakenAway(pod)
	})
	c.startController(t, namespace, "act")
	must(t, c.Create(t.Context(), object(t, namespace, rayManifest)))

	var jobs []unstructured.Unstructured
	eventually(t, long, func() string {
		jobs = c.objects(t, namespace, rayJobKind)
		last := &jobs[len(jobs)-1]
		if len(jobs) != 2 || deploymentStatus(last) != "Complete" {
			return fmt.Sprintf("%d RayJobs, the last is %v, decided %+v, Events %q", len(jobs),
				last.Object["status"], decisionOf(t, last), c.allEvents(t, namespace))
		}
		return ""
	})
	d := decisionOf(t, &jobs[0])
	if d.Action != "RETRY" || d.Cause != "NODE_SHUTDOWN" {
		t.Errorf("decided %+v, want RETRY of NODE_SHUTDOWN", d)
	}
	if got := used(t, &jobs[0], "disruption"); got != 1 {
		t.Errorf("%d charged to disruption, want 1", got)
	}
	if got := used(t, &jobs[0], "application"); got != 0 {
		t.Errorf("%d charged to the application, want 0", got)
	}
}
