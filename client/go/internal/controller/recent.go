package controller

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
	"mulligan.dev/mulligan/internal/controller/records"
)

const (
	// The period of the digest; an incident shows within minutes.
	recentWindow = 10 * time.Minute
	// The most lineages remembered, about 300 bytes each. When full, new ones are not
	// remembered.
	maxRecent = 20000
	// The limits of a request.
	maxGroups = 1000
	maxPlace  = 1024
)

// recent remembers the latest failure of each workload that the controller handles, for
// the digest in requests (docs/fleet.md). It is lost with the process; then incidents
// are found minutes later, and nothing is charged twice.
type recent struct {
	now    func() time.Time
	lock   sync.Mutex
	latest map[lineage]failure
	// Canaries that completed since the latest failure of an incident.
	recovered int32
	// Failures in other clusters; nil if there are no peers.
	others *listener
}

// lineage is a workload with all its attempts, because one workload that fails twenty
// times is not an incident.
type lineage struct{ kind, namespace, origin string }

func (l lineage) String() string { return l.kind + "/" + l.namespace + "/" + l.origin }

type failure struct {
	// When it failed. For a waiting one or a canary, when that was decided.
	at    time.Time
	group place
	// It waits until an incident is over.
	waits bool
	// It was let through to test whether an incident is over, with no result yet.
	canary bool
}

type place struct {
	cause             mulliganv1.Cause
	node, zone, image string
}

func newRecent(now func() time.Time) *recent {
	return &recent{now: now, latest: map[lineage]failure{}}
}

// lineageOf trusts only the record for what obj is an attempt of; rec may be nil.
func lineageOf(obj *unstructured.Unstructured, rec *records.RetryRecord) lineage {
	if rec != nil {
		return lineage{obj.GetKind(), obj.GetNamespace(), rec.Origin()}
	}
	return lineage{obj.GetKind(), obj.GetNamespace(), obj.GetName()}
}

// where is the place of a failure, by the objects of its report.
type where struct {
	zones map[string]string // by node
	zone  string            // of all pods, if there is only one
	image string
}

func whereOf(objects []runtime.Object) where {
	w := where{zones: map[string]string{}}
	var zones []string
	for _, obj := range objects {
		if node, ok := obj.(*corev1.Node); ok && len(node.Name) <= maxPlace {
			zone := node.Labels[corev1.LabelTopologyZone]
			w.zones[node.Name] = zone
			zones = append(zones, zone)
		}
		// The gathered pods include those that failed first.
		if pod, ok := obj.(*corev1.Pod); ok && w.image == "" && len(pod.Spec.Containers) > 0 {
			w.image = pod.Spec.Containers[0].Image
		}
	}
	if slices.Sort(zones); len(slices.Compact(zones)) == 1 {
		w.zone = zones[0]
	}
	if len(w.image) > maxPlace {
		w.image = ""
	}
	return w
}

// note remembers the answer to a failure at that time; zero means now. A workload that
// is given up would fail anywhere, and so is not remembered.
func (r *recent) note(key lineage, failed time.Time, w where, mode Mode, answer *mulliganv1.DecideResponse) {
	diagnosis, decision := answer.GetDiagnosis(), answer.GetDecision()
	if diagnosis.GetSituation() != mulliganv1.Diagnosis_BROKEN {
		return
	}
	r.lock.Lock()
	defer r.lock.Unlock()
	if decision.GetAction() == mulliganv1.Decision_FAIL {
		delete(r.latest, key)
		return
	}
	incident := diagnosis.GetDerivedCause() == mulliganv1.DerivedCause_INCIDENT
	if incident {
		r.recovered = 0
	}
	node := diagnosis.GetCulprit().GetNode()
	zone, known := w.zones[node]
	if !known {
		zone = w.zone
	}
	if r.makeRoom(); len(r.latest) >= maxRecent {
		return
	}
	f := failure{
		at:     r.now(),
		group:  place{diagnosis.GetCause(), node, zone, w.image},
		waits:  incident && decision.GetAction() == mulliganv1.Decision_WAIT,
		canary: mode == Act && decision.GetCanary(),
	}
	if !failed.IsZero() && failed.Before(f.at) && !f.waits && !f.canary {
		f.at = failed
	}
	r.latest[key] = f
}

// cameThrough notes that a workload completed.
func (r *recent) cameThrough(key lineage) {
	r.lock.Lock()
	defer r.lock.Unlock()
	if r.latest[key].canary {
		r.recovered++
	}
	delete(r.latest, key)
}

// makeRoom forgets old failures. A canary that has run for the whole window counts as
// recovered, because the others failed sooner.
func (r *recent) makeRoom() {
	for key, f := range r.latest {
		if r.now().Sub(f.at) <= recentWindow || f.waits && r.now().Sub(f.at) <= time.Hour {
			continue
		}
		if f.canary {
			r.recovered++
		}
		delete(r.latest, key)
	}
}

// digest returns the recent failures, here and in other clusters, for a request about a
// workload; nil if there are none. Each cluster finds out for itself whether an
// incident is over.
func (r *recent) digest(w where) []*mulliganv1.RecentFailures {
	digest := r.own()
	for _, other := range r.others.digests() {
		if digest == nil {
			digest = &mulliganv1.RecentFailures{Window: durationpb.New(recentWindow)}
		}
		// A request with more is refused.
		if digest.Failed+other.GetFailed() <= maxCount {
			digest.Failed += other.GetFailed()
			digest.Groups = append(digest.Groups, other.GetGroups()...)
		}
	}
	if digest.GetFailed() == 0 {
		return nil
	}
	digest.Zone, digest.Image = w.zone, w.image
	digest.Groups = largest(digest.Groups)
	return []*mulliganv1.RecentFailures{digest}
}

// own returns this cluster's failures; nil if there are none.
func (r *recent) own() *mulliganv1.RecentFailures {
	r.lock.Lock()
	defer r.lock.Unlock()
	r.makeRoom()
	if len(r.latest) == 0 {
		return nil
	}
	digest := &mulliganv1.RecentFailures{Window: durationpb.New(recentWindow), Failed: int32(len(r.latest)), Recovered: r.recovered}
	counts := map[place]int32{}
	for _, f := range r.latest {
		counts[f.group]++
		if f.canary {
			digest.Canaries++
		}
	}
	for p, count := range counts {
		digest.Groups = append(digest.Groups, &mulliganv1.FailureGroup{
			Cause: p.cause, Node: p.node, Zone: p.zone, Image: p.image, Workloads: count,
		})
	}
	digest.Groups = largest(digest.Groups)
	return digest
}

// largest returns the largest groups that fit into a request, in a fixed order.
func largest(groups []*mulliganv1.FailureGroup) []*mulliganv1.FailureGroup {
	slices.SortFunc(groups, func(a, b *mulliganv1.FailureGroup) int {
		return cmp.Or(cmp.Compare(b.Workloads, a.Workloads), cmp.Compare(a.Cause, b.Cause),
			cmp.Compare(a.Node, b.Node), cmp.Compare(a.Zone, b.Zone), cmp.Compare(a.Image, b.Image))
	})
	return groups[:min(len(groups), maxGroups)]
}
