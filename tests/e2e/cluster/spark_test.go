package cluster

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Each attempt takes this long, so that its resources can be measured.
const attemptRuns = 2 * time.Second

// ranFor returns whether a pod has run this long.
func ranFor(pod *corev1.Pod, long time.Duration) bool {
	return pod.Status.StartTime != nil && time.Since(pod.Status.StartTime.Time) >= long
}

// end plays Spark: a driver creates its executor, and both end as in the scenario. An
// executor whose driver is gone ends, too.
func (p *sparkPlay) end(pod *corev1.Pod) bool {
	p.lock.Lock()
	defer p.lock.Unlock()
	if pod.Labels["spark-role"] == "executor" {
		return p.endExecutor(pod)
	}
	run := nth(&p.drivers, string(pod.UID)) + 1
	p.last = pod.DeepCopy()
	executor := p.executorOf(pod, run)
	if executor == nil || !ranFor(executor, attemptRuns) {
		return false
	}
	if run <= p.scenario.lost && executor.Status.Phase != corev1.PodFailed {
		return false
	}
	return p.scenario.driver(run, pod)
}

func (p *sparkPlay) endExecutor(pod *corev1.Pod) bool {
	of := metav1.GetControllerOf(pod)
	run := slices.Index(p.drivers, string(of.UID)) + 1
	if !ranFor(pod, attemptRuns/2) {
		return false
	}
	if p.scenario.executor != nil && p.scenario.executor(run, pod) {
		return true
	}
	driver := &corev1.Pod{}
	if p.Get(context.Background(), client.ObjectKey{Namespace: p.namespace, Name: of.Name}, driver) != nil || driver.UID != of.UID {
		return false
	}
	switch driver.Status.Phase {
	case corev1.PodSucceeded:
		return succeeds(pod)
	case corev1.PodFailed:
		// Its driver is disassociated.
		return fails(pod)
	}
	return false
}

// executorOf returns a driver's current executor, and creates a missing one; nil if it is
// not there yet.
func (p *sparkPlay) executorOf(driver *corev1.Pod, run int) *corev1.Pod {
	labels := maps.Clone(driver.Labels)
	labels["spark-role"], labels["spark-exec-id"] = "executor", "1"
	executor := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: p.namespace, Name: fmt.Sprintf("etl-%d-exec-1", run), Labels: labels,
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(driver, corev1.SchemeGroupVersion.WithKind("Pod"))},
		},
		Spec: corev1.PodSpec{RestartPolicy: corev1.RestartPolicyNever, Containers: []corev1.Container{{
			Name: "spark-kubernetes-executor", Image: driver.Spec.Containers[0].Image,
		}}},
	}
	found := &corev1.Pod{}
	switch err := p.Get(context.Background(), client.ObjectKeyFromObject(executor), found); {
	case err == nil:
		return found
	case client.IgnoreNotFound(err) == nil:
		// Errors will occur the next time, too.
		_ = p.Create(context.Background(), executor)
	}
	return nil
}

// refuses creates a quota that admits no pod.
func (c *cluster) refuses(t *testing.T, namespace string) {
	t.Helper()
	quota := &corev1.ResourceQuota{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "pods"},
		Spec:       corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{corev1.ResourcePods: resource.MustParse("0")}},
	}
	must(t, c.Create(t.Context(), quota))
	eventually(t, long, func() string {
		must(t, c.Get(t.Context(), client.ObjectKeyFromObject(quota), quota))
		if len(quota.Status.Hard) == 0 {
			return "the quota is not in force"
		}
		return ""
	})
}

// admits deletes the quota once three submissions have been refused, unless the application
// is given up before.
func (c *cluster) admits(t *testing.T, namespace string) {
	t.Helper()
	refused := map[string]bool{}
	eventually(t, long, func() string {
		app := &c.objects(t, namespace, sparkKind)[0]
		id, _, _ := unstructured.NestedString(app.Object, "status", "submissionID")
		switch sparkState(app) {
		case "FAILED":
			return ""
		case "SUBMISSION_FAILED":
			refused[id] = true
		}
		if len(refused) < 3 {
			return fmt.Sprintf("%d submissions were refused; the status is %v, Events %q", len(refused), app.Object["status"], c.allEvents(t, namespace))
		}
		return ""
	})
	must(t, c.DeleteAllOf(t.Context(), &corev1.ResourceQuota{}, client.InNamespace(namespace)))
}
