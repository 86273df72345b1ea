package mulligan_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"mulligan.dev/mulligan"
	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
)

// gatherPods answers the list of a Job's pods with these. A fake client takes
// seconds to hold as many.
func gatherPods(t *testing.T, pods []corev1.Pod) *mulligan.Report {
	t.Helper()
	train := job("train")
	for i := range pods {
		ownedBy(&pods[i], train)
	}
	reader := interceptor.NewClient(clusterOf(train), interceptor.Funcs{
		List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
			if list, ok := list.(*corev1.PodList); ok {
				list.Items = slices.Clone(pods)
				return nil
			}
			return c.List(ctx, list, opts...)
		},
	})
	report, err := mulligan.Gather(context.Background(), reader, train)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// gang has members that failed one after the other, later ones first, of the
// death of another.
func gang(size int) []corev1.Pod {
	pods := make([]corev1.Pod, size)
	for i := range pods {
		pod := failedPod(fmt.Sprintf("train-%05d", i))
		pod.Spec.NodeName = fmt.Sprintf("node-%d", i/8)
		end := pod.Status.ContainerStatuses[0].State.Terminated
		end.Message = fmt.Sprintf("[rank%d] connection closed by 10.0.%d.%d%s", i, i/250, i%250, strings.Repeat(" and more", 300))
		end.FinishedAt = metav1.NewTime(now.Add(-time.Duration(i%60) * time.Second))
		pods[i] = *pod
	}
	return pods
}

func names(report *mulliganv1.FailureReport) []string {
	var names []string
	for _, pod := range report.GetPods() {
		names = append(names, pod.GetMetadata().GetName())
	}
	return names
}

func TestGatherTakesAGangOfAnySize(t *testing.T) {
	pods := gang(20_000)
	root := pods[10_000].Status.ContainerStatuses[0].State.Terminated
	root.Message = "ValueError: out of range"
	root.FinishedAt = metav1.NewTime(now.Add(-2 * time.Minute))
	for i := range 100 {
		pods[i].Status = corev1.PodStatus{Phase: corev1.PodRunning}
		pods[100+i].Status = corev1.PodStatus{Phase: corev1.PodSucceeded}
	}
	report := gatherPods(t, pods)
	built := build(t, report)
	if got := names(built); got[0] != "train-10000" {
		t.Errorf("the first pod is %s, want the root", got[0])
	}
	if size := proto.Size(built); size > 4<<20 {
		t.Errorf("%d bytes", size)
	}
	want := &mulliganv1.PodCounts{Failed: 19_800 - int32(len(built.GetPods())-20), Running: 90, Succeeded: 90}
	if got := built.GetOmittedPods(); !proto.Equal(got, want) {
		t.Errorf("left out %v, want %v", got, want)
	}
	note := fmt.Sprintf("%d of 20000 pods were left out", 20_000-len(built.GetPods()))
	if !slices.Contains(report.Notes(), note) {
		t.Errorf("notes %q, want %q", report.Notes(), note)
	}
}

func TestGatherCountsNothingWhereAllPodsFit(t *testing.T) {
	built := build(t, gatherPods(t, gang(mulligan.MaxGatheredPods/2)))
	if built.OmittedPods != nil || len(built.GetPods()) != mulligan.MaxGatheredPods/2 {
		t.Errorf("%d pods, left out %v", len(built.GetPods()), built.OmittedPods)
	}
}

func TestGatherTakesWhatElseWasSaid(t *testing.T) {
	pods := gang(2000)
	for i := range pods {
		pods[i].Spec.NodeName = "node-a"
		pods[i].Status.ContainerStatuses[0].State.Terminated.Message = fmt.Sprintf("rank %d lost its peer", i)
	}
	// Nothing but the rule for each brings these in.
	last := metav1.NewTime(now.Add(-30 * time.Second))
	for i, change := range map[int]func(pod *corev1.Pod){
		900: func(pod *corev1.Pod) { pod.Status.Reason = "Evicted" },
		901: func(pod *corev1.Pod) { pod.Spec.NodeName = "node-b" },
		902: func(pod *corev1.Pod) { pod.Status.ContainerStatuses[0].State.Terminated.ExitCode = 137 },
		903: func(pod *corev1.Pod) {
			pod.CreationTimestamp = metav1.NewTime(now.Add(-3 * time.Hour))
			pod.Status.ContainerStatuses[0].State.Terminated.FinishedAt = metav1.NewTime(now.Add(-2 * time.Hour))
		},
		904: func(pod *corev1.Pod) {
			pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.DisruptionTarget, LastTransitionTime: metav1.NewTime(now.Add(-5 * time.Minute))}}
		},
	} {
		pods[i].Status.ContainerStatuses[0].State.Terminated.FinishedAt = last
		change(&pods[i])
	}
	got := names(build(t, gatherPods(t, pods)))
	for i := 900; i < 905; i++ {
		if name := fmt.Sprintf("train-%05d", i); !slices.Contains(got, name) {
			t.Errorf("%s is left out", name)
		}
	}
	if name := "train-00930"; slices.Contains(got, name) {
		t.Errorf("%s is taken, although it says nothing else", name)
	}
}
