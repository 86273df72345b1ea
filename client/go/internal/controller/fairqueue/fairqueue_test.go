package fairqueue

import (
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

func TestNamespacesTakeTurns(t *testing.T) {
	for _, test := range []struct{ name, added, want string }{
		{"one namespace", "a/1 a/2 a/3", "a/1 a/2 a/3"},
		{"a few behind many", "a/1 a/2 a/3 a/4 b/1 b/2", "a/1 b/1 a/2 b/2 a/3 a/4"},
		{"three", "a/1 a/2 b/1 c/1 c/2", "a/1 b/1 c/1 a/2 c/2"},
		{"asked for twice", "a/1 a/2 a/1 b/1", "a/1 b/1 a/2"},
	} {
		t.Run(test.name, func(t *testing.T) {
			queue := New(t.Name(), workqueue.DefaultTypedItemBasedRateLimiter[reconcile.Request]())
			defer queue.ShutDown()
			for _, name := range strings.Fields(test.added) {
				namespace, name, _ := strings.Cut(name, "/")
				queue.Add(reconcile.Request{NamespacedName: types.NamespacedName{Namespace: namespace, Name: name}})
			}
			var got []string
			for queue.Len() > 0 {
				request, _ := queue.Get()
				queue.Done(request)
				got = append(got, request.String())
			}
			if strings.Join(got, " ") != test.want {
				t.Errorf("taken %v, want %s", got, test.want)
			}
		})
	}
}

// A request added during its own reconcile returns; nothing is lost.
func TestTheQueueComesBack(t *testing.T) {
	queue := New(t.Name(), workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](time.Nanosecond, time.Nanosecond))
	defer queue.ShutDown()
	request := reconcile.Request{NamespacedName: types.NamespacedName{Namespace: "a", Name: "1"}}
	queue.Add(request)
	for range 3 {
		got, _ := queue.Get()
		queue.AddRateLimited(got)
		queue.Done(got)
		if got != request {
			t.Fatalf("got %v, want %v", got, request)
		}
	}
}
