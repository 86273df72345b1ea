package main

import (
	"context"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"mulligan.dev/mulligan/internal/controller"
	"mulligan.dev/mulligan/internal/controller/kinds"
)

// acts returns whether the controller may write to workloads of a namespace.
func (f *flags) acts(namespace string) bool {
	return f.Mode == controller.Act || slices.Contains(f.ActIn, namespace)
}

// observing drops patches of workloads in namespaces that are only observed. The
// controller has no right to patch there, and would only write copies of the record for
// people.
type observing struct {
	client.Client
	acts func(namespace string) bool
}

func (c observing) Patch(ctx context.Context, obj client.Object, patch client.Patch, opts ...client.PatchOption) error {
	if kinds.ByGroupKind(obj.GetObjectKind().GroupVersionKind().GroupKind()) != nil && !c.acts(obj.GetNamespace()) {
		return nil
	}
	return c.Client.Patch(ctx, obj, patch, opts...)
}
