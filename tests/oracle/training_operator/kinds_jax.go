package main

import (
	kubeflow "github.com/kubeflow/training-operator/pkg/apis/kubeflow.org/v1"
	"github.com/kubeflow/training-operator/pkg/controller.v1/common"
	"github.com/kubeflow/training-operator/pkg/controller.v1/jax"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// JAXJob came with 1.9: prepare removes this file for older releases.
func init() {
	kinds = append(kinds, kind{"JAXJob", "jaxReplicaSpecs", "jax", [][]string{{"Worker"}},
		func() client.Object { return &kubeflow.JAXJob{} },
		func(m manager.Manager) (reconcile.Reconciler, *common.JobController) {
			r := jax.NewReconciler(m, noGang)
			return r, &r.JobController
		}})
}
