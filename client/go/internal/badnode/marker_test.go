package badnode

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/record"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
)

type world struct {
	*Marker
	cluster client.Client
	events  *record.FakeRecorder
	clock   time.Time
}

// newWorld has nodes n0, n1 and so on.
func newWorld(t *testing.T, nodes int, edit func(*Options)) *world {
	t.Helper()
	options := Defaults()
	options.Action = Taint
	edit(&options)
	if err := options.Validate(); err != nil {
		t.Fatal(err)
	}
	builder := fake.NewClientBuilder().WithScheme(scheme.Scheme).WithStatusSubresource(&corev1.Node{})
	for i := range nodes {
		builder.WithObjects(&corev1.Node{
			ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("n", i)},
			Spec:       corev1.NodeSpec{Taints: []corev1.Taint{{Key: "gpu", Effect: corev1.TaintEffectNoSchedule}}},
			Status: corev1.NodeStatus{
				NodeInfo:   corev1.NodeSystemInfo{BootID: fmt.Sprint("boot-", i)},
				Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}},
			},
		})
	}
	w := &world{cluster: builder.Build(), events: record.NewFakeRecorder(100), clock: time.Now().Truncate(time.Second)}
	w.Marker = w.another(options)
	return w
}

// another is a process with an empty memory.
func (w *world) another(options Options) *Marker {
	m := New(options, w.cluster, w.cluster, w.events, logr.Discard())
	m.now = func() time.Time { return w.clock }
	return m
}

func badOn(node string) *mulliganv1.DecideResponse {
	return &mulliganv1.DecideResponse{Diagnosis: &mulliganv1.Diagnosis{
		DerivedCause: mulliganv1.DerivedCause_BAD_NODE, Culprit: &mulliganv1.Culprit{Node: node},
	}}
}

// foundBad has two workloads find the nodes bad, and sweeps.
func (w *world) foundBad(t *testing.T, nodes ...string) {
	t.Helper()
	for _, node := range nodes {
		w.Note("a", badOn(node))
		w.Note("b", badOn(node))
	}
	w.sweep(t.Context())
}

func (w *world) node(t *testing.T, name string) *corev1.Node {
	t.Helper()
	node := &corev1.Node{}
	if err := w.cluster.Get(t.Context(), client.ObjectKey{Name: name}, node); err != nil {
		t.Fatal(err)
	}
	return node
}

func (w *world) marked(t *testing.T) []string {
	t.Helper()
	list := &corev1.NodeList{}
	if err := w.cluster.List(t.Context(), list); err != nil {
		t.Fatal(err)
	}
	var names []string
	for i := range list.Items {
		if _, ok := markOf(&list.Items[i]); ok {
			names = append(names, list.Items[i].Name)
		}
	}
	return names
}

func (w *world) said() string {
	var texts []string
	for len(w.events.Events) > 0 {
		texts = append(texts, <-w.events.Events)
	}
	return strings.Join(texts, "\n")
}

// The cache does not show a reboot yet: nothing is marked, reported or counted as a mark.
func TestDoesNotReportMarksThatWereNotSet(t *testing.T) {
	w := newWorld(t, 10, action(Taint))
	m := w.Marker
	node := w.node(t, "n0")
	node.ResourceVersion, node.Status.NodeInfo.BootID = "", "another"
	m.live = fake.NewClientBuilder().WithScheme(scheme.Scheme).WithObjects(node).Build()
	for range 2 {
		w.foundBad(t, "n0")
		if said := w.said(); len(w.marked(t)) > 0 || said != "" || !m.marked.IsZero() || len(m.found) > 0 {
			t.Errorf("marked %v at %v, Events %q, still found %v", w.marked(t), m.marked, said, m.found)
		}
	}
}

func action(a Action) func(*Options) { return func(o *Options) { o.Action = a } }

func TestABadNodeIsMarkedAsAsked(t *testing.T) {
	for _, test := range []struct {
		action           Action
		taint, condition bool
	}{{Event, false, false}, {Condition, false, true}, {Taint, true, false}} {
		t.Run(string(test.action), func(t *testing.T) {
			w := newWorld(t, 3, action(test.action))
			for range 3 {
				w.foundBad(t, "n1")
			}
			node := w.node(t, "n1")
			tainted := slices.ContainsFunc(node.Spec.Taints, func(taint corev1.Taint) bool {
				return taint.Key == TaintKey && taint.Effect == corev1.TaintEffectNoSchedule
			})
			conditioned := slices.ContainsFunc(node.Status.Conditions, func(c corev1.NodeCondition) bool {
				return c.Type == ConditionType && c.Status == corev1.ConditionTrue
			})
			if tainted != test.taint || conditioned != test.condition {
				t.Errorf("taint %v, condition %v, want %v, %v", tainted, conditioned, test.taint, test.condition)
			}
			if node.Spec.Taints[0].Key != "gpu" || node.Status.Conditions[0].Type != corev1.NodeReady {
				t.Errorf("others' taints %v and conditions %v were changed", node.Spec.Taints, node.Status.Conditions)
			}
			if said := w.said(); strings.Count(said, "BadNode 2 workloads found it to be bad") != 1 {
				t.Errorf("Events:\n%s\nwant one", said)
			}
		})
	}
}

func TestNothingIsDoneByDefault(t *testing.T) {
	if m := New(Defaults(), nil, nil, nil, logr.Discard()); m != nil {
		t.Error("there is a marker")
	}
	var none *Marker
	none.Note("a", badOn("n1"))
}

func TestOneWorkloadMarksNoNode(t *testing.T) {
	w := newWorld(t, 3, action(Taint))
	for range 100 {
		w.Note("a", badOn("n1"))
	}
	w.sweep(t.Context())
	if marked := w.marked(t); len(marked) > 0 {
		t.Errorf("marked: %v", marked)
	}
}

func TestOtherVerdictsMarkNoNode(t *testing.T) {
	w := newWorld(t, 3, action(Taint))
	answer := badOn("n1")
	answer.Diagnosis.DerivedCause = mulliganv1.DerivedCause_INCIDENT
	w.Note("a", answer)
	w.Note("b", answer)
	w.foundBad(t, "no-such-node", "")
	if marked := w.marked(t); len(marked) > 0 {
		t.Errorf("marked: %v", marked)
	}
}

func TestMarksAreBounded(t *testing.T) {
	for _, test := range []struct {
		name  string
		share float64
		pause time.Duration
		want  int
	}{
		{"a tenth of the nodes", 0.1, time.Hour, 2},
		{"one at least", 0, time.Hour, 1},
		{"not so fast", 1, time.Minute, 1},
		{"all of them, one after the other", 1, time.Hour, 5},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t, 20, func(o *Options) { o.Share, o.Every = test.share, 10*time.Minute })
			for i := range 5 {
				w.foundBad(t, fmt.Sprint("n", i))
				w.clock = w.clock.Add(test.pause)
			}
			if marked := w.marked(t); len(marked) != test.want {
				t.Errorf("marked: %v, want %d", marked, test.want)
			}
			if said := w.said(); (test.want < 5) != strings.Contains(said, "it is not marked") {
				t.Errorf("Events:\n%s", said)
			}
		})
	}
}

func TestAMarkIsTakenAwayWhenItDoesNotHold(t *testing.T) {
	for _, a := range []Action{Condition, Taint} {
		for _, test := range []struct {
			name   string
			change func(*testing.T, *world)
			want   bool
		}{
			{"nothing has changed", func(_ *testing.T, w *world) { w.clock = w.clock.Add(23 * time.Hour) }, true},
			{"it was not found bad for a day", func(_ *testing.T, w *world) { w.clock = w.clock.Add(25 * time.Hour) }, false},
			{"it was found bad again meanwhile", func(_ *testing.T, w *world) {
				w.clock = w.clock.Add(20 * time.Hour)
				w.Note("c", badOn("n1"))
				w.clock = w.clock.Add(20 * time.Hour)
			}, true},
			{"it has rebooted", func(t *testing.T, w *world) {
				node := w.node(t, "n1")
				node.Status.NodeInfo.BootID = "another"
				if err := w.cluster.Status().Update(t.Context(), node); err != nil {
					t.Fatal(err)
				}
			}, false},
			{"another process looks", func(_ *testing.T, w *world) { w.Marker = w.another(w.options) }, true},
			{"another process looks after a day", func(_ *testing.T, w *world) {
				w.Marker = w.another(w.options)
				w.clock = w.clock.Add(25 * time.Hour)
			}, false},
		} {
			t.Run(string(a)+"/"+test.name, func(t *testing.T) {
				w := newWorld(t, 3, action(a))
				w.foundBad(t, "n1")
				if marked := w.marked(t); len(marked) != 1 {
					t.Fatalf("marked: %v", marked)
				}
				w.said()
				test.change(t, w)
				w.sweep(t.Context())
				if got := len(w.marked(t)) == 1; got != test.want {
					t.Errorf("marked: %v, want %v", got, test.want)
				}
				if said := w.said(); test.want == strings.Contains(said, "BadNodeUnmarked") {
					t.Errorf("Events:\n%s", said)
				}
				if node := w.node(t, "n1"); node.Spec.Taints[0].Key != "gpu" {
					t.Errorf("taints %v", node.Spec.Taints)
				}
			})
		}
	}
}

// Removing a mark overrides earlier findings.
func TestRemovedMarkIsNotSetAgain(t *testing.T) {
	w := newWorld(t, 3, action(Taint))
	w.foundBad(t, "n1")
	node := w.node(t, "n1")
	without(node)
	if err := w.cluster.Update(t.Context(), node); err != nil {
		t.Fatal(err)
	}
	w.clock = w.clock.Add(time.Hour)
	w.sweep(t.Context())
	if marked := w.marked(t); len(marked) > 0 {
		t.Errorf("marked again: %v", marked)
	}
	w.foundBad(t, "n1")
	if marked := w.marked(t); len(marked) != 1 {
		t.Errorf("not marked by what was found since: %v", marked)
	}
}

func TestWhatIsRememberedIsBounded(t *testing.T) {
	w := newWorld(t, 1, action(Taint))
	for i := range maxNodes + 10 {
		w.Note("a", badOn(fmt.Sprint("forged-", i)))
	}
	for i := range maxWorkloads + 10 {
		w.Note(fmt.Sprint(i), badOn("forged-1"))
	}
	if len(w.found) != maxNodes || len(w.found["forged-1"]) != maxWorkloads {
		t.Errorf("%d nodes, %d workloads are remembered", len(w.found), len(w.found["forged-1"]))
	}
}

func TestNotingNeverWaits(t *testing.T) {
	w := newWorld(t, 1, action(Taint))
	ended := make(chan struct{})
	go func() {
		// No sweep runs.
		for i := range 1000 {
			w.Note(fmt.Sprint(i), badOn("n0"))
		}
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(20 * time.Second):
		t.Fatal("it waits")
	}
	ctx, cancel := context.WithCancel(t.Context())
	stopped := make(chan struct{})
	go func() { w.Start(ctx); close(stopped) }()
	// The Event comes after the mark.
	select {
	case <-w.events.Events:
	case <-time.After(20 * time.Second):
		t.Fatal("not marked")
	}
	if marked := w.marked(t); len(marked) != 1 {
		t.Errorf("marked: %v", marked)
	}
	cancel()
	<-stopped
}

func TestRejectsInvalidDialOptions(t *testing.T) {
	for _, test := range []struct {
		edit func(*Options)
		want string
	}{
		{action("cordon"), `--node-action="cordon", expected one of none event condition taint`},
		{func(o *Options) { o.Workloads = 1 }, "--node-workloads=1, expected at least 2"},
		{func(o *Options) { o.Share = 1.5 }, "--node-share=1.5, expected 0 to 1"},
		{func(o *Options) { o.Every = 0 }, "--node-every=0s, expected a positive duration"},
		{func(o *Options) { o.For = -1 }, "--node-mark-for=-1ns, expected a positive duration"},
	} {
		o := Defaults()
		test.edit(&o)
		if err := o.Validate(); err == nil || err.Error() != test.want {
			t.Errorf("%v, want %s", err, test.want)
		}
	}
}

func TestOneNodeIsOne(t *testing.T) {
	m := &Marker{now: time.Now}
	for marked, want := range map[int]string{1: "1 node is marked, at most 1 may be", 2: "2 nodes are marked, at most 2 may be"} {
		if got := m.bound(marked, marked); !strings.HasPrefix(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
