package badnode

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/record"
	"sigs.k8s.io/controller-runtime/pkg/client"

	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
)

const (
	// The most nodes remembered, and workloads of each.
	maxNodes     = 1000
	maxWorkloads = 100
	// The interval between checks of marks.
	sweepEvery = time.Minute
)

// Marker marks nodes. Nil marks none.
type Marker struct {
	options Options
	// Reads nodes from the cache; writes apply to the version in live.
	client   client.Client
	live     client.Reader
	recorder record.EventRecorder
	log      logr.Logger
	now      func() time.Time
	wake     chan struct{}

	lock sync.Mutex
	// When each workload last found a node bad.
	found map[string]map[string]time.Time
	// When an Event reported a node that got only an Event.
	reported map[string]time.Time
	marked   time.Time
}

// New returns nil if there is nothing to do.
func New(options Options, cluster client.Client, live client.Reader, recorder record.EventRecorder, log logr.Logger) *Marker {
	if options.Action == None {
		return nil
	}
	return &Marker{
		options: options, client: cluster, live: live, recorder: recorder, log: log, now: time.Now,
		wake: make(chan struct{}, 1), found: map[string]map[string]time.Time{}, reported: map[string]time.Time{},
	}
}

// Note takes an answer about a workload, whose name covers all its attempts. It never
// blocks.
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
	for node, at := range m.reported {
		if m.now().Sub(at) > m.options.For {
			delete(m.reported, node)
		}
	}
}

// Start checks the nodes until the context ends.
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

// sweep removes marks that are no longer valid, and sets those that are due and
// allowed.
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

// verdict returns how many workloads found a node bad.
func (m *Marker) verdict(node string) int {
	m.lock.Lock()
	defer m.lock.Unlock()
	m.forgetOld()
	return len(m.found[node])
}

// last returns when a node was last found bad; zero if not remembered.
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

// holds returns whether a mark is still valid: the node has not rebooted, and was found
// bad within options.For.
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

// mark returns 1 if it marked the node, else 0.
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
	if err != nil && !errors.Is(err, errUnchanged) {
		return 0
	}
	m.lock.Lock()
	defer m.lock.Unlock()
	// If the mark is removed or the node reboots, earlier findings do not set it again.
	delete(m.found, node.Name)
	if err != nil {
		return 0
	}
	m.marked = m.now()
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

// knows returns whether only an Event is wanted, and was emitted.
func (m *Marker) knows(node *corev1.Node) bool {
	m.lock.Lock()
	defer m.lock.Unlock()
	_, reported := m.reported[node.Name]
	return reported && m.options.Action == Event
}

// say reports a node once.
func (m *Marker) say(node *corev1.Node, result, text string) {
	m.lock.Lock()
	_, known := m.reported[node.Name]
	if !known && len(m.reported) < maxNodes {
		m.reported[node.Name] = m.now()
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
	case errors.Is(err, errUnchanged) || apierrors.IsConflict(err) || apierrors.IsNotFound(err):
		// The next sweep sees the new state.
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

// The live node differs from the cache's: it has rebooted, or has that mark or none.
var errUnchanged = errors.New("the node was not changed")

// write changes the live node, without overwriting concurrent changes.
func (m *Marker) write(ctx context.Context, name string, edit func(*corev1.Node) bool) error {
	node := &corev1.Node{}
	if err := m.live.Get(ctx, client.ObjectKey{Name: name}, node); err != nil {
		return err
	}
	before := node.DeepCopy()
	if !edit(node) {
		return errUnchanged
	}
	if !equality.Semantic.DeepEqual(before.Spec.Taints, node.Spec.Taints) {
		// Replaces the whole list.
		return m.client.Patch(ctx, node, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
	}
	return m.client.Status().Patch(ctx, node, client.StrategicMergeFrom(before))
}
