package mulligan_test

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"mulligan.dev/mulligan"
	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
	"mulligan.dev/mulligan/mulligantest"
)

// counted counts the calls of a cluster by what they read.
func counted(c client.WithWatch, calls map[string]int) client.Client {
	var lock sync.Mutex
	count := func(kind string) {
		lock.Lock()
		defer lock.Unlock()
		calls[kind]++
	}
	return interceptor.NewClient(c, interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
			count(reflect.TypeOf(obj).Elem().Name())
			return c.Get(ctx, key, obj, opts...)
		},
		List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
			kind := list.GetObjectKind().GroupVersionKind().Kind
			if kind == "" {
				kind = reflect.TypeOf(list).Elem().Name()
			}
			count(kind)
			asked := (&client.ListOptions{}).ApplyOptions(opts)
			events, ok := list.(*corev1.EventList)
			if !ok || asked.FieldSelector == nil {
				return c.List(ctx, list, opts...)
			}
			// A fake client has no such index.
			uid, _ := asked.FieldSelector.RequiresExactMatch("involvedObject.uid")
			err := c.List(ctx, list, client.InNamespace(asked.Namespace))
			events.Items = slices.DeleteFunc(events.Items, func(event corev1.Event) bool {
				return string(event.InvolvedObject.UID) != uid
			})
			return err
		},
	})
}

func endedAt(pod *corev1.Pod, at time.Time) *corev1.Pod {
	pod.Status.ContainerStatuses[0].State.Terminated.FinishedAt = metav1.NewTime(at)
	return pod
}

// Simultaneous failures share one read of what is the same for all of them. A later one
// reads again, because its evidence is not in theirs.
func TestQuestionsThatComeTogetherReadOnce(t *testing.T) {
	long := time.Now().Add(-time.Minute)
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node-a", UID: "node-a-uid"}}
	objects := []client.Object{node, event("Killing", endedAt(failedPod("p0"), long), corev1.ObjectReference{Kind: "Pod"})}
	var pods []*corev1.Pod
	for i := range 5 {
		pods = append(pods, endedAt(failedPod(fmt.Sprintf("p%d", i)), long))
		objects = append(objects, pods[i])
	}
	cluster := clusterOf(objects...)
	service := mulligantest.New(t)
	service.Next(slices.Repeat([]mulligantest.Step{mulligantest.Cause(mulliganv1.Cause_NOT_FAILED)}, 6)...)
	calls := map[string]int{}
	asker := mulligan.Asker{Service: service.Client(), Kube: cluster, Reader: counted(cluster, calls)}
	ask := func(pod *corev1.Pod) []string {
		t.Helper()
		if _, err := asker.Ask(t.Context(), pod); err != nil {
			t.Fatal(err)
		}
		var reasons []string
		requests := service.Requests()
		for _, event := range requests[len(requests)-1].GetReport().GetEvents() {
			reasons = append(reasons, event.GetReason())
		}
		return reasons
	}
	for i, pod := range pods {
		want := map[bool][]string{true: {"Killing"}}[i == 0]
		if reasons := ask(pod); !slices.Equal(reasons, want) {
			t.Errorf("%s has the events %v, want %v", pod.Name, reasons, want)
		}
	}
	// The namespaces of pods and of nodes; one version of an absent kind.
	if calls["EventList"] != 2 || calls["Node"] != 1 || calls["WorkloadList"] != 2 {
		t.Errorf("five questions read %v, want 2 lists of events, 1 node and each version of Workloads once", calls)
	}

	late := endedAt(failedPod("late"), time.Now())
	evicted := event("Evicted", late, corev1.ObjectReference{Kind: "Pod"})
	for _, obj := range []client.Object{late, evicted} {
		if err := cluster.Create(t.Context(), obj); err != nil {
			t.Fatal(err)
		}
	}
	if reasons := ask(late); !slices.Equal(reasons, []string{"Evicted"}) {
		t.Errorf("a later failure has the events %v, want its own", reasons)
	}
}

// Concurrent workers of an operator wait for one read.
func TestConcurrentQuestionsReadOnce(t *testing.T) {
	const many = 16
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node-a", UID: "node-a-uid"}}
	objects := []client.Object{node}
	var pods []*corev1.Pod
	for i := range many {
		pods = append(pods, endedAt(failedPod(fmt.Sprintf("p%d", i)), time.Now().Add(-time.Minute)))
		objects = append(objects, pods[i])
	}
	cluster := clusterOf(objects...)
	service := mulligantest.New(t)
	service.Next(slices.Repeat([]mulligantest.Step{mulligantest.Cause(mulliganv1.Cause_NOT_FAILED)}, many)...)
	calls := map[string]int{}
	asker := mulligan.Asker{Service: service.Client(), Kube: cluster, Reader: counted(cluster, calls)}
	var group sync.WaitGroup
	for _, pod := range pods {
		group.Go(func() {
			if _, err := asker.Ask(t.Context(), pod); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if calls["EventList"] != 2 || calls["Node"] != 1 {
		t.Errorf("%d questions read %v, want 2 lists of events and 1 node", many, calls)
	}
	for _, request := range service.Requests() {
		if len(request.GetReport().GetNodes()) != 1 {
			t.Errorf("a question has %d nodes, want 1", len(request.GetReport().GetNodes()))
		}
	}
}

// If there are more events than fit into one list, the workload's are read one by one,
// and the list is not repeated.
func TestManyEventsAreReadOneByOne(t *testing.T) {
	pod := endedAt(failedPod("p"), time.Now().Add(-time.Minute))
	// A fake client would take seconds for the list, and then it is not shared any more.
	cluster := interceptor.NewClient(clusterOf(pod, event("Killing", pod, corev1.ObjectReference{Kind: "Pod"})), interceptor.Funcs{
		List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
			err := c.List(ctx, list, opts...)
			if events, ok := list.(*corev1.EventList); ok && len(events.Items) > 0 {
				events.Items = append(events.Items, make([]corev1.Event, 5000)...)
			}
			return err
		},
	})
	service := mulligantest.New(t)
	service.Next(slices.Repeat([]mulligantest.Step{mulligantest.Cause(mulliganv1.Cause_NOT_FAILED)}, 6)...)
	calls := map[string]int{}
	asker := mulligan.Asker{Service: service.Client(), Kube: cluster, Reader: counted(cluster, calls)}
	for range 3 {
		if _, err := asker.Ask(t.Context(), pod); err != nil {
			t.Fatal(err)
		}
		requests := service.Requests()
		if reasons := requests[len(requests)-1].GetReport().GetEvents(); len(reasons) != 1 || reasons[0].GetReason() != "Killing" {
			t.Errorf("%d events are reported, want that of the pod", len(reasons))
		}
	}
	// The lists of both namespaces, and the pod's of each question.
	if calls["EventList"] != 5 {
		t.Errorf("events were listed %d times, want 5", calls["EventList"])
	}
}
