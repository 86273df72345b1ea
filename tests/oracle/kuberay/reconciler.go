package main

import (
	"context"

	ray "github.com/ray-project/kuberay/ray-operator/apis/ray/v1"
	controllers "github.com/ray-project/kuberay/ray-operator/controllers/ray"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

func newReconciler(manager fakeManager, status ray.JobStatus, message string) reconcile.Reconciler {
	return controllers.NewRayJobReconciler(
		context.Background(), manager, controllers.RayJobReconcilerOptions{}, provider{status, message})
}
