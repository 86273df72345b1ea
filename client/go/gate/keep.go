package gate

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"mulligan.dev/mulligan"
	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
)

// Keep remembers a pod that the operator is about to delete before it knows that the
// workload has failed, and adds it to the questions about that, until Forget. A process
// that ends takes it along: then less is known, and nothing is charged twice.
func (g *Gate) Keep(workload types.UID, pod *corev1.Pod) {
	if g.Open() {
		g.kept.Keep(workload, pod.DeepCopy())
	}
}

// Forget is for the time at which the next attempt starts.
func (g *Gate) Forget(workload client.Object) {
	if g.Open() {
		g.kept.Drop(workload.GetNamespace(), workload.GetUID())
	}
}

// addKept is the Asker's Edit.
func (g *Gate) addKept(_ context.Context, obj client.Object, request *mulliganv1.DecideRequest) error {
	gathered := map[types.UID]bool{}
	for _, pod := range request.GetReport().GetPods() {
		gathered[types.UID(pod.GetMetadata().GetUid())] = true
	}
	more := mulligan.NewReport()
	for _, pod := range g.kept.Of(obj.GetNamespace(), obj.GetUID(), gathered) {
		more.Add(pod)
	}
	built, err := more.Build()
	if err != nil {
		return err
	}
	request.Report.Pods = append(request.Report.Pods, built.GetPods()...)
	return nil
}
