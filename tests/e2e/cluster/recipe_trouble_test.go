package cluster

import (
	"fmt"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// JobSet's controller with its recipe, a proxy before the service, and JobSets that lose
// their worker.
type troubled struct {
	*cluster
	namespace string
	proxy     *proxy
	server    *process
}

func startTroubled(t *testing.T, end ending) *troubled {
	t.Helper()
	c := shared
	c.needsRecipe(t, "jobset")
	trouble := &troubled{cluster: c}
	trouble.server = c.recipeServer(t, recipeDelay)
	trouble.proxy = startProxy(t, trouble.server.address)
	w := way{"asking", true, func(*testing.T) string { return trouble.proxy.address }, false}
	c.runs(t, "jobset", "jobset", w, c.jobSetReady(t))
	trouble.namespace = c.namespace(t)
	c.play(t, trouble.namespace, end)
	return trouble
}

func (c *cluster) createJobSets(t *testing.T, namespace string, count int, policy string) {
	t.Helper()
	for i := range count {
		set := object(t, namespace, fmt.Sprintf(jobSetTemplate, policy, 1))
		set.SetName(fmt.Sprintf("set-%d", i))
		must(t, c.Create(t.Context(), set))
	}
}

// restarted is how many JobSets have been.
func (c *cluster) restarted(t *testing.T, namespace string) int {
	t.Helper()
	count := 0
	for _, set := range c.objects(t, namespace, jobSetKind) {
		if restarts, _, _ := unstructured.NestedInt64(set.Object, "status", "restarts"); restarts > 0 {
			count++
		}
	}
	return count
}

// allComplete waits for that and returns the JobSets.
func (c *cluster) allComplete(t *testing.T, namespace string, within time.Duration) []unstructured.Unstructured {
	t.Helper()
	var sets []unstructured.Unstructured
	eventually(t, within, func() string {
		sets = c.objects(t, namespace, jobSetKind)
		for _, set := range sets {
			if state, _, _ := unstructured.NestedString(set.Object, "status", "terminalState"); state != "Completed" {
				return fmt.Sprintf("%s is %v", set.GetName(), set.Object["status"])
			}
		}
		return ""
	})
	return sets
}

// wantOneCharge each, and one restart that does not count.
func wantOneCharge(t *testing.T, sets []unstructured.Unstructured) {
	t.Helper()
	for i := range sets {
		got := jobSetOutcomeOf(t, &sets[i])
		if len(got.charged) != 1 || got.charged["disruption"] != 1 || got.restarts != 1 || got.counted != 0 {
			t.Errorf("%s: %+v, want one restart, charged to disruption once", sets[i].GetName(), got)
		}
	}
}

// Killed twice: with an answer on its way, and in the midst of many.
func TestRecipeOfJobSetWhoseControllerIsKilled(t *testing.T) {
	c := startTroubled(t, workerEnds(1, isPreempted))
	killed := make(chan struct{})
	c.proxy.set(c.server.address, func() {
		defer close(killed)
		if err := run(os.Getenv("E2E_CONTROL_PLANE"), "stop", c.run, "jobset"); err != nil {
			t.Error(err)
		}
	})
	const many = 20
	c.createJobSets(t, c.namespace, many, "")
	<-killed
	c.controlPlane(t, "start", "jobset")
	eventually(t, long, func() string {
		if count := c.restarted(t, c.namespace); count < many/4 {
			return fmt.Sprintf("%d have been started again", count)
		}
		return ""
	})
	c.controlPlane(t, "stop", "jobset")
	c.controlPlane(t, "start", "jobset")
	wantOneCharge(t, c.allComplete(t, c.namespace, long))
}

// The first and the third failure are decided by the service, which is away for the
// second.
func TestRecipeOfJobSetWhoseServiceComesBack(t *testing.T) {
	var lock sync.Mutex
	away, back := false, make(chan struct{})
	var c *troubled
	c = startTroubled(t, func(pod *corev1.Pod) bool {
		lock.Lock()
		defer lock.Unlock()
		switch attempt := jobSetAttempt(pod); {
		case attempt == 1 && !away:
			away = true
			c.server.kill()
		case attempt == 2:
			select {
			case <-back:
			default:
				return false
			}
		case attempt > 2:
			return succeeds(pod)
		}
		return isPreempted(pod)
	})
	c.createJobSets(t, c.namespace, 1, "failurePolicy: {maxRestarts: 1}")
	eventually(t, long, func() string {
		if got := jobSetOutcomeOf(t, &c.objects(t, c.namespace, jobSetKind)[0]); got.restarts != 2 || got.counted != 1 {
			return fmt.Sprintf("%+v, want two restarts, one of them counted", got)
		}
		return ""
	})
	c.proxy.set(c.recipeServer(t, recipeDelay).address, nil)
	// The client tries to connect again every five seconds at the latest.
	time.Sleep(6 * time.Second)
	close(back)
	sets := c.allComplete(t, c.namespace, long)
	got := jobSetOutcomeOf(t, &sets[0])
	// What happened meanwhile is known from JobSet's own counter, and charged without a record.
	if got.restarts != 3 || got.counted != 1 || got.charged["disruption"] != 3 || len(got.charged) != 1 {
		t.Errorf("%+v, want three restarts, one of them counted, and three charges", got)
	}
	if records := spent(t, &sets[0]).GetHistory(); len(records) != 2 {
		t.Errorf("the ledger tells of %v, want two failures", records)
	}
}

// Many fail at once, with the release and with the recipe: how long until each is
// restarted.
func TestRecipeOfJobSetWhenManyFail(t *testing.T) {
	c := shared
	c.needsRecipe(t, "jobset")
	many := numberFrom(t, "E2E_BURST", 100)
	for _, w := range waysOf(c) {
		if w.recipe && w.native {
			continue
		}
		t.Run(w.name, func(t *testing.T) {
			c.runs(t, "jobset", "jobset", w, c.jobSetReady(t))
			namespace := c.namespace(t)
			c.createJobSets(t, namespace, many, "failurePolicy: {maxRestarts: 1}")
			eventually(t, 2*long, func() string {
				if running := c.running(t, namespace); running != many {
					return fmt.Sprintf("%d of %d pods run", running, many)
				}
				return ""
			})
			failed, before := time.Now(), c.jobSetCosts(t)
			c.play(t, namespace, workerEnds(1, isPreempted))
			var restarts []time.Duration
			eventually(t, 4*long, func() string {
				for count := c.restarted(t, namespace); len(restarts) < count; {
					restarts = append(restarts, time.Since(failed))
				}
				if len(restarts) < many {
					return fmt.Sprintf("%d of %d have been restarted", len(restarts), many)
				}
				return ""
			})
			slices.Sort(restarts)
			t.Logf("%s: %d JobSets restarted after %.1f s (median), %.1f s (99%%), %.1f s (all)", w.name, many,
				restarts[many/2].Seconds(), restarts[many*99/100].Seconds(), restarts[many-1].Seconds())
			t.Logf("%s: %s", w.name, c.jobSetCosts(t).since(before, many))
			sets := c.allComplete(t, namespace, 4*long)
			if !w.native {
				wantOneCharge(t, sets)
			}
		})
	}
}
