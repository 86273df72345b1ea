// Package fairqueue orders workloads for reconciliation.
package fairqueue

import (
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// fairQueue serves namespaces in turn, and each namespace first come, first served. So
// a thousand failures in one namespace do not delay ten in another.
//
// It is the order inside a workqueue, which deduplicates entries and calls it under its
// lock.
type fairQueue struct {
	lines map[string][]reconcile.Request
	// Namespaces with waiting requests, the next one first.
	turns []string
	len   int
}

func (q *fairQueue) Push(request reconcile.Request) {
	line := q.lines[request.Namespace]
	if len(line) == 0 {
		q.turns = append(q.turns, request.Namespace)
	}
	q.lines[request.Namespace] = append(line, request)
	q.len++
}

func (q *fairQueue) Pop() reconcile.Request {
	namespace := q.turns[0]
	q.turns = q.turns[1:]
	line := q.lines[namespace]
	if len(line) > 1 {
		q.lines[namespace] = line[1:]
		q.turns = append(q.turns, namespace)
	} else {
		delete(q.lines, namespace)
	}
	q.len--
	return line[0]
}

// Touch changes nothing: a request that is added again keeps its place.
func (q *fairQueue) Touch(reconcile.Request) {}

func (q *fairQueue) Len() int { return q.len }

// New returns a controller's queue in which namespaces take turns.
func New(name string, pauses workqueue.TypedRateLimiter[reconcile.Request]) workqueue.TypedRateLimitingInterface[reconcile.Request] {
	ordered := workqueue.NewTypedWithConfig(workqueue.TypedQueueConfig[reconcile.Request]{
		Name: name, Queue: &fairQueue{lines: map[string][]reconcile.Request{}},
	})
	return workqueue.NewTypedRateLimitingQueueWithConfig(pauses, workqueue.TypedRateLimitingQueueConfig[reconcile.Request]{
		Name: name,
		DelayingQueue: workqueue.NewTypedDelayingQueueWithConfig(workqueue.TypedDelayingQueueConfig[reconcile.Request]{
			Name: name, Queue: ordered,
		}),
	})
}
