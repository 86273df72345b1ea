package cluster

import (
	"maps"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Two failures are decided by different services.
func TestRecipeOfFlyteWhoseServiceIsRestarted(t *testing.T) {
	first, second := shared.recipeServer(t, recipeDelay), shared.recipeServer(t, recipeDelay)
	proxy := startProxy(t, first.address)
	playFlyteTrouble(t, proxy, map[int]func(*flyteDriver){
		2: func(*flyteDriver) {
			proxy.set(second.address, nil)
			first.kill()
		},
	})
}

// Propeller is killed before it gets the answer about the second failure, and again when
// the third attempt's pod exists, whose round may not have been stored.
func TestRecipeOfFlyteThatIsKilled(t *testing.T) {
	server := shared.recipeServer(t, recipeDelay)
	proxy := startProxy(t, server.address)
	driver := playFlyteTrouble(t, proxy, map[int]func(*flyteDriver){
		2: func(d *flyteDriver) { proxy.set(server.address, d.kill) },
		3: (*flyteDriver).kill,
	})
	if driver.kills != 2 {
		t.Errorf("it was killed %d times, want twice", driver.kills)
	}
}

// playFlyteTrouble takes the node away from two attempts, and calls seen[attempt] once the
// attempt's pod is seen. It wants one retry and one charge for each failure.
func playFlyteTrouble(t *testing.T, proxy *proxy, seen map[int]func(*flyteDriver)) *flyteDriver {
	t.Helper()
	const failures = 2
	shared.needsFlyte(t)
	namespace := shared.namespace(t)
	driver := &flyteDriver{cluster: shared, namespace: namespace, way: way{recipe: true}, server: proxy.address}
	var lock sync.Mutex
	var runs []string
	shared.play(t, namespace, func(pod *corev1.Pod) bool {
		lock.Lock()
		defer lock.Unlock()
		before := len(runs)
		run := nth(&runs, string(pod.UID)) + 1
		if do := seen[run]; do != nil && len(runs) > before {
			do(driver)
		}
		return ranFor(pod, attemptRuns) && inRuns(isTakenAway, failures)(run, pod)
	})
	node, _ := driver.run(t)
	if node.Phase != "PhaseSuccess" || node.Attempts != failures || node.SystemFailures != failures || len(node.Interruptible) != failures+1 {
		t.Errorf("it ended as %+v, want success after %d retries, for all of which the system is to blame", node, failures)
	}
	pods := &corev1.PodList{}
	must(t, shared.List(t.Context(), pods, client.InNamespace(namespace)))
	if len(pods.Items) != failures+1 {
		t.Errorf("%d attempts, want %d", len(pods.Items), failures+1)
	}
	for i := range pods.Items {
		if string(pods.Items[i].UID) == runs[failures] {
			if got, want := charges(t, &pods.Items[i]), map[string]int32{"disruption": failures}; !maps.Equal(got, want) {
				t.Errorf("charged %v, want %v", got, want)
			}
		}
	}
	return driver
}
