package cluster

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// How many Jobs fail at once; E2E_BURST overrides it.
const burst = 1000

func TestScenario10ManyJobsFailAtOnce(t *testing.T) {
	c := shared
	namespace := c.namespace(t)
	jobs := numberFrom(t, "E2E_BURST", burst)
	metrics := freeAddress(t)
	controller := c.startController(t, namespace, "act", "--metrics-address="+metrics, "--metrics-secure=false", "--retries-per-minute=1")
	begun := time.Now()
	each(jobs, func(i int) {
		if err := c.Create(t.Context(), newJob(namespace, fmt.Sprintf("burst-%04d", i))); err != nil {
			t.Error(err)
		}
	})
	pods := c.allRun(t, namespace, jobs)
	t.Logf("%d Jobs running after %v", jobs, time.Since(begun).Round(time.Second))
	before := controllerCalls(t, metrics)
	failed := time.Now()
	c.endAll(t, pods, isTakenAway)
	allFailed := time.Since(failed)
	var last time.Duration
	eventually(t, 10*time.Minute, func() string {
		decided := 0
		for _, job := range c.jobs(t, namespace) {
			if strings.Contains(job.Annotations[decisionAnnotation], `"action":"RETRY"`) {
				decided++
			}
		}
		last = time.Since(failed)
		if decided < jobs {
			time.Sleep(time.Second)
			return fmt.Sprintf("%d of %d decided", decided, jobs)
		}
		return ""
	})
	calls := controllerCalls(t, metrics) - before
	t.Logf("%d Jobs failed within %v; last decision after %v; %d API calls of the controller (%.1f a Job); %d MB of memory",
		jobs, allFailed.Round(100*time.Millisecond), last.Round(100*time.Millisecond), calls, float64(calls)/float64(jobs), peakMemory(t, controller))
	for _, job := range c.jobs(t, namespace) {
		if job.Annotations[attemptAnnotation] != "" {
			continue
		}
		if got := used(t, &job, "disruption"); got != 1 {
			t.Fatalf("%s: %d charged to disruption, want 1", job.Name, got)
		}
	}
	if calls > int64(jobs)*12 {
		t.Errorf("%d API calls for %d failures, want at most 12 each", calls, jobs)
	}
	// Speeds up the namespace's deletion. Errors are ignored, because a busy API server
	// may not answer a thousand calls in time.
	err := c.DeleteAllOf(context.Background(), newJob(namespace, ""), client.InNamespace(namespace),
		client.PropagationPolicy(metav1.DeletePropagationBackground))
	if err != nil {
		t.Logf("the Jobs are left to the namespace: %v", err)
	}
}

// endAll ends pods at once.
func (c *cluster) endAll(t *testing.T, pods []corev1.Pod, end ending) {
	t.Helper()
	each(len(pods), func(i int) {
		pod := &pods[i]
		err := retry.RetryOnConflict(retry.DefaultBackoff, func() error {
			if err := c.Get(t.Context(), client.ObjectKeyFromObject(pod), pod); err != nil {
				return err
			}
			end(pod)
			return c.Status().Update(t.Context(), pod)
		})
		if err != nil {
			t.Error(err)
		}
	})
	if t.Failed() {
		t.Fatal("not all pods could be ended")
	}
}

// each calls do for 0 to n-1, 32 at a time.
func each(n int, do func(int)) {
	var group sync.WaitGroup
	slots := make(chan struct{}, 32)
	for i := range n {
		slots <- struct{}{}
		group.Add(1)
		go func() {
			defer func() {
				<-slots
				group.Done()
			}()
			do(i)
		}()
	}
	group.Wait()
}

var requestCount = regexp.MustCompile(`(?m)^rest_client_requests_total\{[^}]*\} (\S+)$`)

// controllerCalls returns the controller's number of calls to the API server.
func controllerCalls(t *testing.T, address string) int64 {
	t.Helper()
	return int64(sumOf(t, scraped(t, http.DefaultClient, "http://"+address+"/metrics", ""), requestCount))
}

// scraped returns the text of a metrics endpoint.
func scraped(t *testing.T, asking *http.Client, url, token string) []byte {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	must(t, err)
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	answer, err := asking.Do(request)
	must(t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	must(t, err)
	if answer.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s: %s", url, answer.Status, text)
	}
	return text
}

// sumOf adds the values of the series that match.
func sumOf(t *testing.T, text []byte, series *regexp.Regexp) (sum float64) {
	t.Helper()
	for _, match := range series.FindAllSubmatch(text, -1) {
		sum += number(t, match[1])
	}
	return sum
}

var peak = regexp.MustCompile(`VmHWM:\s+(\d+) kB`)

// peakMemory returns megabytes.
func peakMemory(t *testing.T, p *process) int64 {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.command.Process.Pid))
	must(t, err)
	match := peak.FindSubmatch(status)
	if match == nil {
		t.Fatalf("no peak of memory in\n%s", status)
	}
	kilobytes, err := strconv.ParseInt(string(match[1]), 10, 64)
	must(t, err)
	return kilobytes >> 10
}
