package cluster

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"mulligan.dev/mulligan/internal/controller/records"
	"mulligan.dev/mulligan/internal/controller/successor"
)

// A broken GPU: retried after the policy's delay, on another node.
const gpuFault = "RuntimeError: CUDA error: uncorrectable ECC error encountered; NVRM: Xid (PCI:0000:17:00): 79, GPU has fallen off the bus."

const checkManifests = `
apiVersion: kueue.x-k8s.io/v1beta2
kind: AdmissionCheck
metadata: {name: %[1]s}
spec: {controllerName: mulligan.dev/retry}
`

var withoutJitter = regexp.MustCompile(`(initial: \w+, max: \w+)\}`)

// exactServer starts a service for the test with exactly this delay.
func (c *cluster) exactServer(t *testing.T, delay time.Duration) *process {
	t.Helper()
	policy, err := policyWithDelay(delay.String())
	must(t, err)
	folder := t.TempDir()
	must(t, os.WriteFile(filepath.Join(folder, "default.yaml"), []byte(withoutJitter.ReplaceAllString(policy, "$1, jitter: 0}")), 0o644))
	return c.serverFor(t, "server-"+strings.ToLower(strings.ReplaceAll(t.Name(), "/", "-")), folder, controllerName)
}

// checkedQueue makes a namespace's queue with an admission check, and starts the
// controller that answers it and places pods.
func (c *cluster) checkedQueue(t *testing.T, namespace, memory, server string) {
	t.Helper()
	c.queueOf(t, namespace, "any", memory)
	must(t, c.createAll(fmt.Sprintf(checkManifests, namespace)))
	t.Cleanup(func() {
		check := &unstructured.Unstructured{}
		check.SetGroupVersionKind(clusterQueueKind.GroupVersion().WithKind("AdmissionCheck"))
		check.SetName(namespace)
		_ = c.Delete(context.Background(), check)
	})
	c.serveWebhooks(t, namespace, []string{"placement.mulligan.dev"}, "--admission-check", "--server="+server)
	c.patchQueue(t, namespace, fmt.Sprintf(`{"spec":{"admissionChecksStrategy":{"admissionChecks":[{"name":%q}]}}}`, namespace))
	eventually(t, long, func() string {
		queue := &unstructured.Unstructured{}
		queue.SetGroupVersionKind(clusterQueueKind)
		must(t, c.Get(t.Context(), client.ObjectKey{Name: namespace}, queue))
		if active := conditionOf(queue, "Active"); active.status != "True" {
			return fmt.Sprintf("the queue is not active: %+v", active)
		}
		probe := &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "probe", Annotations: map[string]string{successor.PlacementAnnotation: `{"onDemand":true}`}},
			Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "x"}}},
		}
		must(t, c.Create(t.Context(), probe, client.DryRunAll))
		if probe.Spec.Affinity == nil {
			return "the API server does not call the webhook yet"
		}
		return ""
	})
}

func (c *cluster) patchQueue(t *testing.T, name, patch string) {
	t.Helper()
	queue := &unstructured.Unstructured{}
	queue.SetGroupVersionKind(clusterQueueKind)
	queue.SetName(name)
	must(t, c.Patch(t.Context(), queue, client.RawPatch(types.MergePatchType, []byte(patch))))
}

// evictOnce drains the queue until the work's Workload holds nothing, and opens it again.
func (c *cluster) evictOnce(t *testing.T, work client.Object) {
	t.Helper()
	c.patchQueue(t, work.GetNamespace(), `{"spec":{"stopPolicy":"HoldAndDrain"}}`)
	eventually(t, long, func() string {
		if reserved := conditionOf(c.workloadOf(t, work), "QuotaReserved"); reserved.status != "False" {
			return fmt.Sprintf("it has quota: %+v", reserved)
		}
		return ""
	})
	c.patchQueue(t, work.GetNamespace(), `{"spec":{"stopPolicy":"None"}}`)
}

// checkOf returns the state of a Workload's only check.
func checkOf(workload *unstructured.Unstructured) (state, message string, due time.Time) {
	if workload == nil {
		return "", "", time.Time{}
	}
	entries, _, _ := unstructured.NestedSlice(workload.Object, "status", "admissionChecks")
	if len(entries) == 0 {
		return "", "", time.Time{}
	}
	entry, _ := entries[0].(map[string]any)
	seconds, _ := entry["requeueAfterSeconds"].(int64)
	since, _ := time.Parse(time.RFC3339, fmt.Sprint(entry["lastTransitionTime"]))
	return fmt.Sprint(entry["state"]), fmt.Sprint(entry["message"]), since.Add(time.Duration(seconds) * time.Second)
}

// A kind that Kueue queues.
type checkedKind struct {
	operator string
	// Exit code after which its operator restarts a pod.
	code   int32
	create func(t *testing.T, namespace string) client.Object
}

func inItsQueue(t *testing.T, namespace, manifest string, suspend ...string) *unstructured.Unstructured {
	t.Helper()
	obj := object(t, namespace, manifest)
	obj.SetLabels(map[string]string{queueLabel: "queue"})
	must(t, unstructured.SetNestedField(obj.Object, true, append([]string{"spec"}, suspend...)...))
	return obj
}

var checkedKinds = map[string]checkedKind{
	"Job": {"kueue", 1, func(t *testing.T, namespace string) client.Object {
		job := queuedJob(namespace, "train", "1Gi")
		job.Spec.BackoffLimit = ptr.To(int32(6))
		return job
	}},
	"JobSet": {"jobset", 1, func(t *testing.T, namespace string) client.Object {
		return inItsQueue(t, namespace, fmt.Sprintf(jobSetTemplate, "failurePolicy: {maxRestarts: 6}", 2), "suspend")
	}},
	"RayJob": {"kuberay", 1, func(t *testing.T, namespace string) client.Object {
		return inItsQueue(t, namespace, rayManifest, "suspend")
	}},
	"TrainJob": {"trainer", 1, func(t *testing.T, namespace string) client.Object {
		retried := strings.Replace(runtimeManifest, "      replicatedJobs:", "      failurePolicy: {maxRestarts: 6}\n      replicatedJobs:", 1)
		// A pod without requests gets no flavor, and since Kueue 0.19 no check.
		retried = strings.Replace(retried, `trainer:1"}`, `trainer:1", resources: {requests: {memory: 1Gi}}}`, 1)
		must(t, shared.Create(t.Context(), object(t, namespace, retried)))
		return inItsQueue(t, namespace, trainJobManifest, "suspend")
	}},
	"PyTorchJob": {"training-operator", 137, func(t *testing.T, namespace string) client.Object {
		return inItsQueue(t, namespace, strings.ReplaceAll(pyTorchManifest, "restartPolicy: Never", "restartPolicy: ExitCode"), "runPolicy", "suspend")
	}},
}

// A GPU breaks, and the queue evicts the work: it is admitted again when its retry is due,
// on another node. Then a module is missing: it ends with that reason.
// Not parallel, because RayJobs share KubeRay's one dashboard.
func TestScenario41TheAdmissionCheckDecidesOnReadmission(t *testing.T) {
	c := shared
	c.needs(t, "kueue")
	const delay = 15 * time.Second
	for name, kind := range checkedKinds {
		t.Run(name, func(t *testing.T) {
			c.needs(t, kind.operator)
			if name == "RayJob" {
				startDashboard(t, c, func(int) (string, string) { return "RUNNING", "" })
			}
			namespace := c.namespace(t)
			var failing atomic.Pointer[string]
			var failed atomic.Pointer[corev1.Pod]
			c.play(t, namespace, func(pod *corev1.Pod) bool {
				message := failing.Load()
				if message == nil || !failed.CompareAndSwap(nil, pod) {
					return false
				}
				exits(pod, kind.code, "Error")
				endsAt(pod, time.Now(), *message)
				return true
			})
			c.checkedQueue(t, namespace, "20Gi", c.exactServer(t, delay).address)
			work := kind.create(t, namespace)
			must(t, c.Create(t.Context(), work))
			c.waitsToBeAdmitted(t, work)
			if _, message, _ := checkOf(c.workloadOf(t, work)); message != "nothing has failed" {
				t.Errorf("at first the check says %q", message)
			}
			fail := func(message string) *corev1.Pod {
				eventually(t, long, func() string {
					if c.running(t, namespace) == 0 {
						return "no pod runs"
					}
					return ""
				})
				failed.Store(nil)
				failing.Store(&message)
				eventually(t, long, func() string {
					if failed.Load() == nil {
						return "no pod has failed"
					}
					return ""
				})
				// Its peers and its operator see it.
				time.Sleep(time.Second)
				return failed.Load()
			}

			broken := fail(gpuFault)
			failedAt := broken.Status.ContainerStatuses[0].State.Terminated.FinishedAt.Time
			c.evictOnce(t, work)
			var due time.Time
			eventually(t, long, func() string {
				state, message, at := checkOf(c.workloadOf(t, work))
				due = at
				if state != "Retry" {
					return fmt.Sprintf("the check is %s: %s", state, message)
				}
				return ""
			})
			held := time.Now()
			if late := due.Sub(failedAt.Add(delay)); late < 0 || late > 2*time.Second {
				t.Errorf("it may be admitted %v after its retry is due, want at most 2s", late)
			}
			quota := time.Duration(0)
			var admitted time.Time
			eventually(t, long, func() string {
				workload := c.workloadOf(t, work)
				if conditionOf(workload, "QuotaReserved").status == "True" && !isAdmitted(workload) {
					quota = time.Since(held)
				}
				admitted = conditionOf(workload, "Admitted").since
				if !isAdmitted(workload) {
					return fmt.Sprintf("it is not admitted: %v", workload.Object["status"])
				}
				return ""
			})
			late := admitted.Sub(failedAt.Add(delay))
			t.Logf("admitted %v after its retry was due; quota held for %v of %v", late, quota.Round(time.Second), time.Since(held).Round(time.Second))
			if late < -time.Second || late > 2*time.Second {
				t.Errorf("admitted %v after its retry was due, want within 2s", late)
			}
			eventually(t, long, func() string {
				if c.running(t, namespace) == 0 {
					return "no pod runs"
				}
				return ""
			})
			c.avoided(t, namespace, broken.Spec.NodeName)

			fail(noModule)
			c.evictOnce(t, work)
			workload := c.leavesTheQueue(t, work)
			t.Logf("ended as %+v", conditionOf(workload, "Evicted"))
			if evicted := conditionOf(workload, "Evicted"); !strings.Contains(evicted.reason+evicted.message, "AdmissionCheck") && evicted.reason != "ClusterQueueStopped" {
				t.Errorf("it is %+v", evicted)
			}
			rec := c.becomes(t, namespace, work.GetName(), records.GivenUp)
			if !strings.Contains(rec.Status.FirstStep, `{"spec":{"active":true}}`) {
				t.Errorf("the first step is %q", rec.Status.FirstStep)
			}
			c.anEvent(t, work, "Stopped", "module", "mulligan-controller stopped it")
			c.anEvent(t, workload, "AdmissionCheckRejected", "module")
		})
	}
}

// avoided checks that no running pod is on the node.
func (c *cluster) avoided(t *testing.T, namespace, node string) {
	t.Helper()
	pods := &corev1.PodList{}
	must(t, c.List(t.Context(), pods, client.InNamespace(namespace)))
	for _, pod := range pods.Items {
		if pod.Status.Phase != corev1.PodRunning || pod.DeletionTimestamp != nil {
			continue
		}
		if pod.Spec.NodeName == node || pod.Annotations[successor.PlacementAnnotation] == "" {
			t.Errorf("pod %s runs on %s, annotations %v, affinity %v", pod.Name, pod.Spec.NodeName, pod.Annotations, pod.Spec.Affinity)
		}
	}
}
