package evidence

import (
	"strconv"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"mulligan.dev/mulligan"
)

func keptPod(namespace, name string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, UID: types.UID(namespace + name)}}
}

func podsOf(t *testing.T, e *Pods, workload *batchv1.Job) []string {
	t.Helper()
	report := mulligan.NewReport()
	e.AddTo(report, workload)
	var names []string
	for _, obj := range report.Objects() {
		if pod, ok := obj.(*corev1.Pod); ok {
			names = append(names, pod.Name)
		}
	}
	return names
}

func TestEvidenceIsOfItsOwnNamespace(t *testing.T) {
	e := &Pods{}
	victim := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: "prod", Name: "train", UID: "victim"}}
	for i := range 2 * maxKeptPods {
		e.Keep("victim", keptPod("evil", strconv.Itoa(i)))
	}
	e.Keep("victim", keptPod("prod", "own"))
	if got := podsOf(t, e, victim); len(got) != 1 || got[0] != "own" {
		t.Errorf("the report has %v, want the pod of its own namespace", got)
	}
}

func TestEvidenceOfManyLeavesRoomForOne(t *testing.T) {
	e := &Pods{}
	for i := range 2 * maxKeptWorkloads {
		e.Keep(types.UID(strconv.Itoa(i)), keptPod("evil", strconv.Itoa(i)))
	}
	honest := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: "prod", Name: "train", UID: "honest"}}
	e.Keep("honest", keptPod("prod", "own"))
	if got := podsOf(t, e, honest); len(got) != 1 || len(e.pods) > maxKeptWorkloads {
		t.Errorf("the report has %v of %d workloads kept, want its pod and at most %d", got, len(e.pods), maxKeptWorkloads)
	}
}

// A pod that is deleted in the second in which it failed has failed by itself.
func TestKeepsFailedPodAsItFailed(t *testing.T) {
	e := &Pods{}
	failed := keptPod("prod", "own")
	failed.Status.Phase = corev1.PodFailed
	deleted := failed.DeepCopy()
	deleted.DeletionTimestamp = &metav1.Time{}
	e.Keep("honest", failed)
	e.Keep("honest", deleted)
	if got := e.Of("prod", "honest", nil); len(got) != 1 || got[0].DeletionTimestamp != nil {
		t.Errorf("kept %v, want the pod before its deletion", got)
	}
}
