package gate

import (
	"context"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"mulligan.dev/mulligan/internal/evidence"
)

// reader lists the kinds that the operator watches from its cache, and reads everything
// else live. The cache may lag: if it shows no pod in trouble, pods are listed live,
// too.
type reader struct {
	client.Reader
	cache   client.Reader
	scheme  *runtime.Scheme
	watched []string
}

func (r reader) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	gvk, err := apiutil.GVKForObject(list, r.scheme)
	if err != nil || !slices.Contains(r.watched, strings.TrimSuffix(gvk.Kind, "List")) {
		return r.Reader.List(ctx, list, opts...)
	}
	if err := r.cache.List(ctx, list, opts...); err != nil {
		return err
	}
	if pods, ok := list.(*corev1.PodList); ok && !slices.ContainsFunc(pods.Items, inTrouble) {
		*pods = corev1.PodList{}
		return r.Reader.List(ctx, list, opts...)
	}
	return nil
}

func inTrouble(pod corev1.Pod) bool { return evidence.InTrouble(&pod) }
