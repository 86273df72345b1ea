package cluster

import (
	"fmt"
	"sync"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// failsTimes takes away this many attempts, and the next one succeeds.
func failsTimes(times int) ending {
	var lock sync.Mutex
	seen := map[string]bool{}
	return func(pod *corev1.Pod) bool {
		lock.Lock()
		defer lock.Unlock()
		if len(seen) < times || seen[pod.Name] {
			seen[pod.Name] = true
			return isTakenAway(pod)
		}
		return succeeds(pod)
	}
}

// chargedOnce waits for the successful attempt, and checks that every failure before it has
// one charge and one retry.
func chargedOnce(t *testing.T, c *cluster, namespace string, failures int) {
	t.Helper()
	jobs := c.attempts(t, namespace, failures+1)
	// A second retry of the same failure would come by now.
	time.Sleep(2 * time.Second)
	if again := c.jobs(t, namespace); len(again) != failures+1 {
		t.Fatalf("%d Jobs, want %d", len(again), failures+1)
	}
	for i := range failures {
		ledger := spent(t, &jobs[i])
		if ledger.GetAttemptsSeen() != int32(i+1) || ledger.GetBudgets()["disruption"].GetUsed() != int32(i+1) {
			t.Errorf("after %d failures: %d attempts and %v charged, want %d each", i+1,
				ledger.GetAttemptsSeen(), ledger.GetBudgets(), i+1)
		}
		if got := jobs[i].Annotations[retriedAs]; got != jobs[i+1].Name {
			t.Errorf("attempt %d was retried as %q, want %q", i+1, got, jobs[i+1].Name)
		}
	}
	if !isComplete(&jobs[failures]) {
		t.Errorf("the last attempt has not succeeded: %+v", jobs[failures].Status.Conditions)
	}
}

func TestScenario09ControllerKilledBetweenDecisionAndWrite(t *testing.T) {
	c := *shared
	namespace := c.namespace(t)
	c.play(t, namespace, failsTimes(3))
	service := startProxy(t, shared.server)
	c.server = service.address
	warm := newJob(namespace, "warm")
	first := c.startController(t, namespace, "act")
	must(t, c.Create(t.Context(), warm))
	var one []batchv1.Job
	eventually(t, long, func() string {
		if one = c.jobs(t, namespace); len(one) < 2 || one[0].Annotations[retriedAs] == "" {
			return "the first failure was not retried"
		}
		return ""
	})
	// The controller dies before it gets the answer.
	service.killsAtNextAnswer(t, first)
	undecided := c.jobs(t, namespace)
	if d := decisionOf(t, &undecided[len(undecided)-1]); d.Action != "" {
		t.Fatalf("the controller wrote %+v before it was killed", d)
	}
	c.startController(t, namespace, "act")
	chargedOnce(t, &c, namespace, 3)
}

func TestScenario09TwoControllersAtOnce(t *testing.T) {
	c := shared
	namespace := c.namespace(t)
	c.play(t, namespace, failsTimes(4))
	c.startController(t, namespace, "act")
	c.startController(t, namespace, "act")
	must(t, c.Create(t.Context(), newJob(namespace, "train")))
	chargedOnce(t, c, namespace, 4)
}

func TestScenario09ReplicaKilledUnderACall(t *testing.T) {
	c := *shared
	namespace := c.namespace(t)
	c.play(t, namespace, failsTimes(3))
	replica := c.serverFor(t, "replica", "", controllerName)
	service := startProxy(t, replica.address)
	c.server = service.address
	c.startController(t, namespace, "act")
	must(t, c.Create(t.Context(), newJob(namespace, "train")))
	eventually(t, long, func() string {
		if len(c.jobs(t, namespace)) < 2 {
			return "the first failure was not retried"
		}
		return ""
	})
	service.killsAtNextAnswer(t, replica)
	chargedOnce(t, &c, namespace, 3)
}

func TestScenario09APIServerRestarted(t *testing.T) {
	c := shared
	namespace := c.namespace(t)
	c.play(t, namespace, failsTimes(6))
	c.startController(t, namespace, "act")
	must(t, c.Create(t.Context(), newJob(namespace, "train")))
	for _, attempts := range []int{2, 4} {
		eventually(t, long, func() string {
			if jobs := c.jobs(t, namespace); len(jobs) < attempts {
				return fmt.Sprintf("%d Jobs, want %d", len(jobs), attempts)
			}
			return ""
		})
		c.controlPlane(t, "stop", "apiserver")
		c.controlPlane(t, "start", "apiserver")
		eventually(t, long, func() string {
			if err := c.Get(t.Context(), client.ObjectKey{Name: namespace}, &corev1.Namespace{}); err != nil {
				return err.Error()
			}
			return ""
		})
	}
	chargedOnce(t, c, namespace, 6)
}
