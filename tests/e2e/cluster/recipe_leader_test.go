package cluster

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Long enough for a change of leaders: a lease is 15 seconds.
const heldForLeader = 45 * time.Second

// Two replicas with the recipe. The leader is killed while a retry is held. The other one
// starts it when it is due, and nothing is charged twice.
func TestRecipeWithANewLeader(t *testing.T) {
	eachOperator(t, func(t *testing.T, o *operator) {
		c := shared
		o.runs(t, c, c.asking(heldForLeader), 1)
		first := o.replicate(t, c)
		w := o.begin(t, 1, 1)
		w.let(1)
		eventually(t, long, func() string { return w.isHeld(t) })
		// Its webhooks are unavailable until it is back as the follower.
		c.controlPlane(t, "stop", o.name)
		eventually(t, long, func() string {
			if now := c.leader(t); now == first || now == "" {
				return "no other one leads"
			}
			return ""
		})
		o.start(t, c)
		if wrong := w.isHeld(t); wrong != "" {
			t.Errorf("the pause was over before the other one led: %s", wrong)
		}
		w.allEnd(t)
		w.wantEach(t)
		if records := spent(t, w.the(t)).GetHistory(); len(records) != 1 {
			t.Errorf("the ledger has %v, want one failure", records)
		}
	})
}

var (
	noElection = regexp.MustCompile(`(leader-election=|leaderElect: )false`)
	ownPort    = regexp.MustCompile(`\bport: \d+`)
)

// replicate runs an operator twice, and returns the leader's name. The leader has the
// webhooks.
func (o *operator) replicate(t *testing.T, c *cluster) string {
	t.Helper()
	second := o.name + "-2"
	metrics, err := os.ReadFile(filepath.Join(c.run, o.name+".metrics"))
	must(t, err)
	_, address, _ := strings.Cut(strings.TrimSuffix(string(metrics), "/metrics"), "://")
	_, port, _ := strings.Cut(freeAddress(t), ":")
	apart := strings.NewReplacer(
		address, "127.0.0.1:0", filepath.Join(c.run, o.name+".yaml"), filepath.Join(c.run, second+".yaml"))
	c.controlPlane(t, "stop", o.name)
	elects := 0
	for _, kind := range []string{".command", ".yaml"} {
		file := filepath.Join(c.run, o.name+kind)
		written, err := os.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		must(t, err)
		elected := noElection.ReplaceAllString(string(written), "${1}true")
		if elected != string(written) {
			elects++
		}
		must(t, os.WriteFile(file, []byte(elected), 0o644))
		must(t, os.WriteFile(filepath.Join(c.run, second+kind), []byte(apart.Replace(ownPort.ReplaceAllString(elected, "port: "+port))), 0o644))
		t.Cleanup(func() {
			// Before it is restarted unchanged.
			if err := os.WriteFile(file, written, 0o644); err != nil {
				t.Error(err)
			}
		})
	}
	if elects != 1 {
		t.Fatalf("the leader is elected in %d files of %s, want one", elects, o.name)
	}
	// A lease of another operator or an earlier run.
	must(t, c.DeleteAllOf(t.Context(), &coordinationv1.Lease{}, client.InNamespace(metav1.NamespaceDefault)))
	t.Cleanup(func() {
		if err := c.control("stop", second); err != nil {
			t.Error(err)
		}
	})
	o.start(t, c)
	leader := ""
	eventually(t, long, func() string {
		if leader = c.leader(t); leader == "" {
			return "there is no leader"
		}
		return ""
	})
	c.controlPlane(t, "start", second)
	eventually(t, long, func() string {
		log, err := os.ReadFile(filepath.Join(c.run, second+".log"))
		must(t, err)
		if !strings.Contains(strings.ToLower(string(log)), "attempting to acquire leader lease") {
			return fmt.Sprintf("%s does not wait for the lease", second)
		}
		return ""
	})
	return leader
}

// leader returns the holder of the only lease.
func (c *cluster) leader(t *testing.T) string {
	t.Helper()
	leases := &coordinationv1.LeaseList{}
	must(t, c.List(t.Context(), leases, client.InNamespace(metav1.NamespaceDefault)))
	if len(leases.Items) != 1 || leases.Items[0].Spec.HolderIdentity == nil {
		return ""
	}
	return *leases.Items[0].Spec.HolderIdentity
}
