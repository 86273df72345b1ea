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
	"sync/atomic"
	"testing"
	"time"

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
	var lost atomic.Int32
	each(len(pods), func(i int) {
		pod := &pods[i]
		err := retry.RetryOnConflict(retry.DefaultBackoff, func() error {
			if err := c.Get(t.Context(), client.ObjectKeyFromObject(pod), pod); err != nil {
				return err
			}
			isTakenAway(pod)
			return c.Status().Update(t.Context(), pod)
		})
		if err != nil {
			lost.Add(1)
			t.Log(err)
		}
	})
	allFailed := time.Since(failed)
	if n := lost.Load(); n > 0 {
		t.Fatalf("%d pods could not be ended", n)
	}
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

var requestCount = regexp.MustCompile(`(?m)^rest_client_requests_total\{.*\} (\d+)`)

// controllerCalls returns the controller's number of calls to the API server.
func controllerCalls(t *testing.T, address string) int64 {
	t.Helper()
	answer, err := http.Get("http://" + address + "/metrics")
	must(t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	must(t, err)
	var calls int64
	for _, match := range requestCount.FindAllSubmatch(text, -1) {
		n, err := strconv.ParseInt(string(match[1]), 10, 64)
		must(t, err)
		calls += n
	}
	return calls
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
