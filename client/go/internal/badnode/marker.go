package badnode

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/record"
	"sigs.k8s.io/controller-runtime/pkg/client"

	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
)

const (
	// Nodes whose verdicts are remembered, and workloads of each.
	maxNodes     = 1000
	maxWorkloads = 100
	// How often marks are looked at.
	sweepEvery = time.Minute
)

// Marker marks nodes. Nil marks none.
type Marker struct {
	options Options
	// Reads nodes from what is watched; writes go over the version that Live has.
	client   client.Client
	live     client.Reader
	recorder record.EventRecorder
	log      logr.Logger
	now      func() time.Time
	wake     chan struct{}

	lock sync.Mutex
	// When a workload found a node bad, last.
	found map[string]map[string]time.Time
	// When an Event said so, of those that are told of by Event alone.
	told   map[string]time.Time
	marked time.Time
}

// New is nil where nothing is to be done.
func New(options Options, cluster client.Client, live client.Reader, recorder record.EventRecorder, log logr.Logger) *Marker {
	if options.Action == None {
		return nil
	}
	return &Marker{
		options: options, client: cluster, live: live, recorder: recorder, log: log, now: time.Now,
		wake: make(chan struct{}, 1), found: map[string]map[string]time.Time{}, told: map[string]time.Time{},
	}
}

// Note takes an answer about a workload, which is named with all its attempts. It never
// waits.
func (m *Marker) Note(workload string, answer *mulliganv1.DecideResponse) {
	diagnosis := answer.GetDiagnosis()
	node := diagnosis.GetCulprit().GetNode()
	if m == nil || node == "" || diagnosis.GetDerivedCause() != mulliganv1.DerivedCause_BAD_NODE {
		return
	}
	m.lock.Lock()
	defer m.lock.Unlock()
	m.forgetOld()
	if m.found[node] == nil {
		if len(m.found) >= maxNodes {
			return
		}
		m.found[node] = map[string]time.Time{}
	}
	if _, known := m.found[node][workload]; !known && len(m.found[node]) >= maxWorkloads {
		return
	}
	m.found[node][workload] = m.now()
	select {
	case m.wake <- struct{}{}:
	default:
	}
}

func (m *Marker) forgetOld() {
	for node, workloads := range m.found {
		for workload, at := range workloads {
			if m.now().Sub(at) > m.options.For {
				delete(workloads, workload)
			}
		}
		if len(workloads) == 0 {
			delete(m.found, node)
		}
	}
	for node, at := range m.told {
		if m.now().Sub(at) > m.options.For {
			delete(m.told, node)
		}
	}
}

// Start looks at the nodes until the context ends.
func (m *Marker) Start(ctx context.Context) error {
	ticker := time.NewTicker(sweepEvery)
	defer ticker.Stop()
	for {
		m.sweep(ctx)
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		case <-m.wake:
		}
	}
}

// sweep takes marks away that do not hold, and sets those that are due and may be.
func (m *Marker) sweep(ctx context.Context) {
	list := &corev1.NodeList{}
	if err := m.client.List(ctx, list); err != nil {
		m.log.Error(err, "reading nodes")
		return
	}
	marked := 0
	for i := range list.Items {
		node := &list.Items[i]
		mark, ok := markOf(node)
		if ok && !m.holds(node, mark) {
			m.count(m.write(ctx, node.Name, without), unmarked, node, "its mark does not hold any longer")
			ok = false
		}
		if ok {
			marked++
		}
	}
	current.Set(float64(marked))
	for i := range list.Items {
		if workloads := m.verdict(list.Items[i].Name); workloads >= m.options.Workloads {
			marked += m.mark(ctx, &list.Items[i], workloads, marked, len(list.Items))
		}
	}
	current.Set(float64(marked))
}

// verdict is how many workloads found a node bad.
func (m *Marker) verdict(node string) int {
	m.lock.Lock()
	defer m.lock.Unlock()
	m.forgetOld()
	return len(m.found[node])
}

// last is when a node was last found bad; zero: not within memory.
func (m *Marker) last(node string) time.Time {
	m.lock.Lock()
	defer m.lock.Unlock()
	var last time.Time
	for _, at := range m.found[node] {
		if at.After(last) {
			last = at
		}
	}
	return last
}

// holds until the node has booted anew, or has not been found bad for as long as marks
// last.
func (m *Marker) holds(node *corev1.Node, mark mark) bool {
	if mark.boot != node.Status.NodeInfo.BootID {
		return false
	}
	since := mark.at
	if last := m.last(node.Name); last.After(since) {
		since = last
	}
	return m.now().Sub(since) <= m.options.For
}

// mark is 1 if the node is marked now and was not.
func (m *Marker) mark(ctx context.Context, node *corev1.Node, workloads, marked, nodes int) int {
	if _, ok := markOf(node); ok || m.knows(node) {
		return 0
	}
	why := fmt.Sprintf("%d workloads found it to be bad", workloads)
	most := max(1, int(m.options.Share*float64(nodes)))
	if bound := m.bound(marked, most); m.options.Action != Event && bound != "" {
		m.say(node, bounded, why+"; it is not marked: "+bound)
		return 0
	}
	if m.options.Action == Event {
		m.say(node, eventOnly, why)
		return 0
	}
	boot := node.Status.NodeInfo.BootID
	err := m.write(ctx, node.Name, func(node *corev1.Node) bool { return with(node, m.options.Action, boot, why, m.now()) })
	m.count(err, set, node, why)
	if err != nil {
		return 0
	}
	m.lock.Lock()
	defer m.lock.Unlock()
	m.marked = m.now()
	// A mark that somebody takes away is not set again by what was known before.
	delete(m.found, node.Name)
	return 1
}

func (m *Marker) bound(marked, most int) string {
	m.lock.Lock()
	defer m.lock.Unlock()
	switch {
	case marked >= most:
		nodes := "nodes are"
		if marked == 1 {
			nodes = "node is"
		}
		return fmt.Sprintf("%d %s marked, at most %d may be (--node-share)", marked, nodes, most)
	case !m.marked.IsZero() && m.now().Sub(m.marked) < m.options.Every:
		return fmt.Sprintf("another one was marked less than %v ago (--node-every)", m.options.Every)
	}
	return ""
}

// knows says whether an Event alone is what is done, and was.
func (m *Marker) knows(node *corev1.Node) bool {
	m.lock.Lock()
	defer m.lock.Unlock()
	_, told := m.told[node.Name]
	return told && m.options.Action == Event
}

// say says something once.
func (m *Marker) say(node *corev1.Node, result, text string) {
	m.lock.Lock()
	_, known := m.told[node.Name]
	if !known && len(m.told) < maxNodes {
		m.told[node.Name] = m.now()
	}
	m.lock.Unlock()
	if known {
		return
	}
	done.WithLabelValues(result).Inc()
	m.recorder.Event(node, corev1.EventTypeWarning, "BadNode", text)
}

func (m *Marker) count(err error, result string, node *corev1.Node, why string) {
	switch {
	case apierrors.IsConflict(err) || apierrors.IsNotFound(err):
		// The next look sees what it has become.
	case err != nil:
		done.WithLabelValues(refused).Inc()
		m.log.Error(err, "a node's mark was not written", "node", node.Name)
	case result == unmarked:
		done.WithLabelValues(result).Inc()
		m.recorder.Event(node, corev1.EventTypeNormal, "BadNodeUnmarked", why)
	default:
		done.WithLabelValues(result).Inc()
		m.recorder.Event(node, corev1.EventTypeWarning, "BadNode", why)
	}
}

// write changes the node as it is now, and nothing of it that has changed meanwhile.
func (m *Marker) write(ctx context.Context, name string, edit func(*corev1.Node) bool) error {
	node := &corev1.Node{}
	if err := m.live.Get(ctx, client.ObjectKey{Name: name}, node); err != nil {
		return err
	}
	before := node.DeepCopy()
	if !edit(node) {
		return nil
	}
	if !sameTaints(before, node) {
		// The list is replaced as a whole.
		return m.client.Patch(ctx, node, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
	}
	return m.client.Status().Patch(ctx, node, client.StrategicMergeFrom(before))
}
