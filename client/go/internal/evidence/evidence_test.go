package evidence

import (
	"math"
	"math/rand/v2"
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

// However many workloads of other namespaces fail, and in whatever order, a namespace
// keeps an equal share, and each workload's evidence is there right after it was seen.
func TestNamespaceKeepsItsShare(t *testing.T) {
	for _, namespaces := range []int{1, 2, 7, 20} {
		random := rand.New(rand.NewPCG(uint64(namespaces), 0))
		e := &Pods{}
		seen, has, most := make([]int, namespaces), make([]int, namespaces), make([]int, namespaces)
		for range 3 * maxKeptWorkloads {
			// Some namespaces have many more than others.
			i := int(float64(namespaces) * math.Pow(random.Float64(), 4))
			namespace, uid := strconv.Itoa(i), types.UID(strconv.Itoa(seen[i]))
			seen[i]++
			e.Keep(uid, keptPod(namespace, string(uid)))
			if has[i]++; len(e.Of(namespace, uid, nil)) != 1 {
				t.Fatalf("%d namespaces: workload %s of %s is not kept", namespaces, uid, namespace)
			}
			most[i] = max(most[i], has[i])
			if random.IntN(10) == 0 {
				e.Drop(namespace, uid)
				has[i]--
			}
		}
		kept, spared := 0, 0
		for i := range namespaces {
			got := len(e.of[strconv.Itoa(i)])
			kept += got
			if most[i] > maxKeptWorkloads/namespaces {
				continue
			}
			if spared++; got != has[i] {
				t.Errorf("%d namespaces: %d of %d workloads are kept of one with less than its share", namespaces, got, has[i])
			}
		}
		if kept != e.workloads || kept > maxKeptWorkloads || namespaces > 1 && spared == 0 {
			t.Errorf("%d namespaces: %d workloads are kept, counted %d, want at most %d; %d namespaces had less than their share",
				namespaces, kept, e.workloads, maxKeptWorkloads, spared)
		}
	}
}

func TestMoreNamespacesThanWorkloadsAreKept(t *testing.T) {
	e := &Pods{}
	for i := range maxKeptWorkloads + 100 {
		namespace := strconv.Itoa(i)
		if e.Keep("u", keptPod(namespace, "own")); len(e.Of(namespace, "u", nil)) != 1 {
			t.Fatalf("the workload of namespace %s is not kept", namespace)
		}
	}
	if len(e.of) != maxKeptWorkloads || e.workloads != maxKeptWorkloads {
		t.Errorf("%d namespaces and %d workloads are kept, want %d", len(e.of), e.workloads, maxKeptWorkloads)
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
