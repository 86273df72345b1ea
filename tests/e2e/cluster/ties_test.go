package cluster

import (
	"fmt"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func (c *cluster) patch(t *testing.T, obj client.Object, text string) {
	t.Helper()
	must(t, c.Patch(t.Context(), obj, client.RawPatch(types.MergePatchType, []byte(text))))
}

func (c *cluster) podOf(t *testing.T, job *batchv1.Job) *corev1.Pod {
	t.Helper()
	pods := &corev1.PodList{}
	must(t, c.List(t.Context(), pods, client.InNamespace(job.Namespace), client.MatchingLabels{"job-name": job.Name}))
	if len(pods.Items) != 1 {
		t.Fatalf("%d pods of %s, want one", len(pods.Items), job.Name)
	}
	return &pods.Items[0]
}

// failed creates a Job that has not opted in, and waits for its end.
func (c *cluster) failed(t *testing.T, namespace, name string) *batchv1.Job {
	t.Helper()
	job := newJob(namespace, name)
	job.Annotations = map[string]string{"mulligan.dev/policy": "off"}
	must(t, c.Create(t.Context(), job))
	c.waitsUntil(t, job, long, isFailed)
	return job
}

// An attacker gives the pod of a Job that lost its node to a Job that failed by itself, and
// disowns that Job's pod.
func TestScenario24PodsOfOthersAreNoEvidence(t *testing.T) {
	t.Parallel()
	c := shared
	namespace := c.namespace(t)
	c.play(t, namespace, func(pod *corev1.Pod) bool {
		if strings.HasPrefix(pod.Name, "lost-") {
			return isTakenAway(pod)
		}
		return exits(pod, 1, "Error")
	})
	c.startController(t, namespace, "act")
	wrong, lost := c.failed(t, namespace, "wrong"), c.failed(t, namespace, "lost")
	own, others := c.podOf(t, wrong), c.podOf(t, lost)
	c.patch(t, own, `{"metadata":{"ownerReferences":null,"labels":null}}`)
	c.patch(t, others, fmt.Sprintf(`{"metadata":{"labels":{"job-name":"wrong","batch.kubernetes.io/job-name":"wrong","controller-uid":"%[1]s","batch.kubernetes.io/controller-uid":"%[1]s"},
		"ownerReferences":[{"apiVersion":"batch/v1","kind":"Job","name":"wrong","uid":"%[1]s","controller":true}]}}`, wrong.UID))
	c.patch(t, wrong, `{"metadata":{"annotations":{"mulligan.dev/policy":""}}}`)
	eventually(t, long, func() string {
		must(t, c.Get(t.Context(), client.ObjectKeyFromObject(wrong), wrong))
		if decisionOf(t, wrong).Action == "" {
			return "nothing is decided yet"
		}
		return ""
	})
	if d := decisionOf(t, wrong); d.Cause != "APP_ERROR" {
		t.Errorf("decided %+v, want APP_ERROR, which its own pod shows", d)
	}
}

// The selector that the API server made for a Job selects only its own pods, even if
// manualSelector is set later.
func TestScenario24ASelectorIsNotHandedOn(t *testing.T) {
	t.Parallel()
	c := shared
	namespace := c.namespace(t)
	c.play(t, namespace, failsTimes(1))
	job := newJob(namespace, "train")
	must(t, c.Create(t.Context(), job))
	c.patch(t, job, `{"spec":{"manualSelector":true}}`)
	c.startController(t, namespace, "act")
	for _, attempt := range c.attempts(t, namespace, 2) {
		if uid := attempt.Spec.Selector.MatchLabels["batch.kubernetes.io/controller-uid"]; uid != string(attempt.UID) {
			t.Errorf("%s selects the pods of %s, want those of %s", attempt.Name, uid, attempt.UID)
		}
	}
}
