package gate

import (
	"context"
	"maps"
	"slices"

	"google.golang.org/protobuf/encoding/protojson"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"mulligan.dev/mulligan"
	corev1pb "mulligan.dev/mulligan/gen/mulligan/kubernetes/core/v1"
	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
)

const (
	// KeptAnnotation holds deleted pods of an attempt for later questions: a report of
	// pods as JSON.
	KeptAnnotation = "mulligan.dev/kept"
	// The first pods show what happened.
	maxKept = 4
)

// Keep stores a pod that the operator is about to delete before it knows that the
// workload has failed. cluster must belong to this attempt alone. Errors are only
// logged, because the pod is only evidence.
func (g *Gate) Keep(ctx context.Context, cluster client.Object, pod *corev1.Pod) {
	if !g.Open() {
		return
	}
	if err := g.keep(ctx, cluster, pod); err != nil {
		log.FromContext(ctx).Info("Mulligan will not hear of a pod", "pod", pod.Name, "reason", err.Error())
	}
}

func (g *Gate) keep(ctx context.Context, cluster client.Object, pod *corev1.Pod) error {
	kept, err := keptOn(cluster.GetAnnotations())
	if err != nil {
		return err
	}
	added, err := mulligan.NewReport().Add(pod).Build()
	if err != nil || len(kept.GetPods()) >= maxKept {
		return err
	}
	added.Pods = without(added.GetPods(), kept.GetPods())
	if len(added.GetPods()) == 0 {
		return nil
	}
	kept.Pods = append(kept.Pods, added.GetPods()...)
	text, err := protojson.Marshal(kept)
	if err != nil {
		return err
	}
	noted := cluster.DeepCopyObject().(client.Object)
	annotations := map[string]string{}
	maps.Copy(annotations, cluster.GetAnnotations())
	annotations[KeptAnnotation] = string(text)
	noted.SetAnnotations(annotations)
	err = g.Asker.Kube.Patch(ctx, noted, client.MergeFromWithOptions(cluster, client.MergeFromWithOptimisticLock{}))
	if apierrors.IsConflict(err) {
		// Keeps the old version, so that the operator must read the others' changes.
		return g.Asker.Kube.Patch(ctx, noted, client.MergeFrom(cluster))
	}
	if err != nil {
		return err
	}
	// The operator may have changed other fields in memory.
	cluster.SetAnnotations(noted.GetAnnotations())
	cluster.SetResourceVersion(noted.GetResourceVersion())
	return nil
}

func keptOn(annotations map[string]string) (*mulliganv1.FailureReport, error) {
	kept := &mulliganv1.FailureReport{}
	text := annotations[KeptAnnotation]
	if text == "" {
		return kept, nil
	}
	return kept, protojson.UnmarshalOptions{DiscardUnknown: true}.Unmarshal([]byte(text), kept)
}

// addKept is the Asker's Edit.
func (g *Gate) addKept(ctx context.Context, _ client.Object, request *mulliganv1.DecideRequest) error {
	report := request.GetReport()
	annotations := report.GetRayCluster().GetMetadata().GetAnnotations()
	kept, err := keptOn(annotations)
	if err != nil {
		log.FromContext(ctx).Info("Mulligan will not hear of pods", "annotation", KeptAnnotation, "reason", err.Error())
	} else {
		report.Pods = append(report.Pods, without(kept.GetPods(), report.GetPods())...)
	}
	delete(annotations, KeptAnnotation)
	return nil
}

// without returns the pods that are not among others.
func without(pods, others []*corev1pb.Pod) []*corev1pb.Pod {
	return slices.DeleteFunc(slices.Clone(pods), func(pod *corev1pb.Pod) bool {
		return slices.ContainsFunc(others, func(other *corev1pb.Pod) bool {
			return other.GetMetadata().GetUid() == pod.GetMetadata().GetUid()
		})
	})
}
