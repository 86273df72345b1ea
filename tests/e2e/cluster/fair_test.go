package cluster

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	few = 10
	// Longest time from a failure in the small namespace to its next attempt, and longest time
	// in which the machine ends all pods.
	soon    = 10 * time.Second
	keepsUp = 30 * time.Second
)

func TestScenario21TenNextToAThousand(t *testing.T) {
	c := shared
	many := c.namespace(t)
	other := c.namespaceNamed(t, many+"-ten")
	jobs := numberFrom(t, "E2E_BURST", burst)
	metrics := freeAddress(t)
	controller := c.startController(t, many, "act", "--watch-namespaces="+many+","+other,
		"--metrics-address="+metrics, "--metrics-secure=false", "--retries-per-minute=120")
	for namespace, count := range map[string]int{many: jobs, other: few} {
		each(count, func(i int) {
			if err := c.Create(t.Context(), newJob(namespace, fmt.Sprintf("burst-%04d", i))); err != nil {
				t.Error(err)
			}
		})
	}
	// The ten fail in the middle of the thousand.
	pods := c.allRun(t, many, jobs)
	half := len(pods) / 2
	pods = append(append(append([]corev1.Pod{}, pods[:half]...), c.allRun(t, other, few)...), pods[half:]...)
	begun := time.Now()
	c.endAll(t, pods, isTakenAway)
	ended := time.Since(begun).Round(100 * time.Millisecond)
	limit := time.Duration(float64(soon) * max(1, float64(ended)/float64(keepsUp)))
	t.Logf("%d pods ended within %v", len(pods), ended)

	var waited []time.Duration
	eventually(t, 5*time.Minute, func() string {
		waited = waits(c.jobs(t, other))
		if len(waited) < few {
			time.Sleep(500 * time.Millisecond)
			return fmt.Sprintf("%d of %d started again", len(waited), few)
		}
		return ""
	})
	t.Logf("the ten were started again %v after their failures, the last %v after the first pod had ended",
		waited, time.Since(begun).Round(100*time.Millisecond))
	for _, wait := range waited {
		if wait > limit {
			t.Errorf("one of the ten waited %v for its next attempt, want at most %v", wait, limit)
		}
	}
	// Once all of the thousand were reconciled, held retries return only when their turn may
	// have come.
	eventually(t, 3*time.Minute, func() string {
		before, from := heldByShare(t, metrics), time.Now()
		time.Sleep(20 * time.Second)
		perSecond := float64(heldByShare(t, metrics)-before) / time.Since(from).Seconds()
		t.Logf("%d of the thousand started again by then; %.1f looks a second at those that are held; %d MB of memory",
			len(waits(c.jobs(t, many))), perSecond, peakMemory(t, controller))
		if perSecond > 50 {
			return fmt.Sprintf("%.0f looks a second at what is held, want at most 50", perSecond)
		}
		return ""
	})
	controller.end()
	for _, namespace := range []string{many, other} {
		err := c.DeleteAllOf(context.Background(), newJob(namespace, ""), client.InNamespace(namespace),
			client.PropagationPolicy(metav1.DeletePropagationBackground))
		if err != nil {
			t.Logf("Jobs stay for the namespace's end: %v", err)
		}
	}
}

// allRun returns the namespace's pods, once `want` of them run.
func (c *cluster) allRun(t *testing.T, namespace string, want int) []corev1.Pod {
	t.Helper()
	var pods corev1.PodList
	eventually(t, 5*time.Minute, func() string {
		must(t, c.List(t.Context(), &pods, client.InNamespace(namespace)))
		running := 0
		for i := range pods.Items {
			if pods.Items[i].Status.Phase == corev1.PodRunning {
				running++
			}
		}
		if running < want {
			time.Sleep(time.Second)
			return fmt.Sprintf("%d of %d pods run", running, want)
		}
		return ""
	})
	return pods.Items
}

// waits returns the times from failures of Jobs to their next attempts, if they have one.
func waits(jobs []batchv1.Job) []time.Duration {
	failed := map[string]time.Time{}
	for _, job := range jobs {
		for _, condition := range job.Status.Conditions {
			if condition.Type == batchv1.JobFailed {
				failed[job.Name+"/"+string(job.UID)] = condition.LastTransitionTime.Time
			}
		}
	}
	var waited []time.Duration
	for _, job := range jobs {
		if at, found := failed[job.Annotations["mulligan.dev/retry-of"]]; found {
			waited = append(waited, job.CreationTimestamp.Sub(at))
		}
	}
	return waited
}

var heldCount = regexp.MustCompile(`(?m)^mulligan_controller_held_total\{reason="rate_limit"\} (\d+)`)

func heldByShare(t *testing.T, address string) int {
	t.Helper()
	return int(sumOf(t, scraped(t, http.DefaultClient, "http://"+address+"/metrics", ""), heldCount))
}
