package cluster

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Long enough that the next leader takes over during it: a lease is 15 seconds.
const heldForLeader = 40 * time.Second

// Two controllers with the recipe. The one that leads is killed while a failure is held:
// the other one starts it again when it is due, and nothing is charged twice.
func TestRecipeOfJobSetWithANewLeader(t *testing.T) {
	c := shared
	c.needsRecipe(t, "jobset")
	w := way{"asking", true, func(t *testing.T) string { return c.recipeServer(t, heldForLeader).address }, false}
	c.runs(t, "jobset", "jobset", w, c.jobSetReady(t))
	first := c.leads(t)
	namespace := c.namespace(t)
	c.play(t, namespace, workerEnds(1, isPreempted))
	must(t, c.Create(t.Context(), object(t, namespace, fmt.Sprintf(jobSetTemplate, "failurePolicy: {maxRestarts: 1}", 4))))
	var set *unstructured.Unstructured
	held := func() string {
		set = &c.objects(t, namespace, jobSetKind)[0]
		restarts, _, _ := unstructured.NestedInt64(set.Object, "status", "restarts")
		if jobs := len(c.jobs(t, namespace)); restarts != 1 || jobs != 0 {
			return fmt.Sprintf("%d restarts, %d Jobs, want 1, 0: %v", restarts, jobs, set.Object["status"])
		}
		return ""
	}
	eventually(t, 20*time.Second, held)
	c.controlPlane(t, "stop", "jobset-2")
	eventually(t, long, func() string {
		if now := c.leader(t); now == first || now == "" {
			return "no other one leads"
		}
		return ""
	})
	if wrong := held(); wrong != "" {
		t.Logf("the pause was over before the other one led: %s", wrong)
	}
	set = c.jobSetEnds(t, namespace)
	got := jobSetOutcomeOf(t, set)
	if got.state != "Completed" || got.restarts != 1 || got.counted != 0 || len(got.charged) != 1 || got.charged["disruption"] != 1 {
		t.Errorf("it ended as %+v, want completed after one restart, charged to disruption once", got)
	}
	if records := spent(t, set).GetHistory(); len(records) != 1 {
		t.Errorf("the ledger tells of %v, want one failure", records)
	}
}

var leaderElection = regexp.MustCompile(`leaderElection: .*`)

// leads lets a second JobSet controller run, which is the leader, beside the first one,
// which has the webhooks. It returns the leader's name.
func (c *cluster) leads(t *testing.T) string {
	t.Helper()
	config, command := filepath.Join(c.run, "jobset.yaml"), filepath.Join(c.run, "jobset.command")
	written, err := os.ReadFile(config)
	must(t, err)
	text, err := os.ReadFile(command)
	must(t, err)
	elected := leaderElection.ReplaceAllString(string(written), "leaderElection: {leaderElect: true, resourceNamespace: jobset-system}")
	port := webhookPort.FindStringSubmatch(elected)[1]
	_, other, _ := strings.Cut(freeAddress(t), ":")
	start := func(name, config, command string) {
		must(t, os.WriteFile(filepath.Join(c.run, name+".yaml"), []byte(config), 0o644))
		must(t, os.WriteFile(filepath.Join(c.run, name+".command"), []byte(command), 0o644))
		c.controlPlane(t, "start", name)
	}
	asLeader := strings.Replace(string(text), "--leader-elect=false", "--leader-elect=true", 1)
	metrics := regexp.MustCompile(`--metrics-bind-address=\S+`)
	c.controlPlane(t, "stop", "jobset")
	// Before it is started again as it was.
	t.Cleanup(func() {
		if err := os.WriteFile(config, written, 0o644); err != nil {
			t.Error(err)
		}
		if err := run(os.Getenv("E2E_CONTROL_PLANE"), "stop", c.run, "jobset-2"); err != nil {
			t.Error(err)
		}
	})
	start("jobset-2", strings.Replace(elected, "port: "+port, "port: "+other, 1),
		metrics.ReplaceAllString(strings.Replace(asLeader, config, filepath.Join(c.run, "jobset-2.yaml"), 1), "--metrics-bind-address=0"))
	leader := ""
	eventually(t, long, func() string {
		leader = c.leader(t)
		if leader == "" {
			return "nobody leads"
		}
		return ""
	})
	start("jobset", elected, asLeader)
	eventually(t, long, c.jobSetReady(t))
	return leader
}

// leader is who holds the lease of JobSet's controller.
func (c *cluster) leader(t *testing.T) string {
	t.Helper()
	leases := &coordinationv1.LeaseList{}
	must(t, c.List(t.Context(), leases, client.InNamespace("jobset-system")))
	if len(leases.Items) != 1 || leases.Items[0].Spec.HolderIdentity == nil {
		return ""
	}
	return *leases.Items[0].Spec.HolderIdentity
}
