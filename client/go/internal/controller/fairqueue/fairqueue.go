// Package fairqueue is the order in which workloads are looked at.
package fairqueue

import (
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// fairQueue orders what waits to be looked at: the namespaces take turns, and within one
// it is first come, first served. So a thousand failures of one namespace do not stand
// before the ten of another.
//
// It is the order inside a workqueue, which knows what is waiting already and calls it
// under its lock.
type fairQueue struct {
	lines map[string][]reconcile.Request
	// Namespaces with somebody waiting, the next one first.
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

// Touch changes nothing: who is asked for again keeps its place.
func (q *fairQueue) Touch(reconcile.Request) {}

func (q *fairQueue) Len() int { return q.len }

// New is a queue of a controller in which the namespaces take turns.
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
