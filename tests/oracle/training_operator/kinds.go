package main

import (
	kubeflow "github.com/kubeflow/training-operator/pkg/apis/kubeflow.org/v1"
	"github.com/kubeflow/training-operator/pkg/controller.v1/common"
	"github.com/kubeflow/training-operator/pkg/controller.v1/mpi"
	paddle "github.com/kubeflow/training-operator/pkg/controller.v1/paddlepaddle"
	"github.com/kubeflow/training-operator/pkg/controller.v1/pytorch"
	"github.com/kubeflow/training-operator/pkg/controller.v1/tensorflow"
	"github.com/kubeflow/training-operator/pkg/controller.v1/xgboost"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// A kind of job: the names in its spec, and its reconciler.
type kind struct {
	name      string
	replicas  string     // the member of the spec with the replicas
	container string     // the container whose exit code counts
	types     [][]string // the sets of replica types that occur
	object    func() client.Object
	// Makes the reconciler and its JobController, whose clients are replaced.
	reconciler func(manager.Manager) (reconcile.Reconciler, *common.JobController)
}

func noGang(*common.JobController) {}

// kinds, repeated by frequency: the first two are used most.
var kinds = []kind{
	{"PyTorchJob", "pytorchReplicaSpecs", "pytorch",
		[][]string{{"Master"}, {"Master", "Worker"}, {"Master", "Worker"}, {"Worker"}},
		func() client.Object { return &kubeflow.PyTorchJob{} },
		func(m manager.Manager) (reconcile.Reconciler, *common.JobController) {
			r := pytorch.NewReconciler(m, noGang)
			return r, &r.JobController
		}},
	{"TFJob", "tfReplicaSpecs", "tensorflow",
		[][]string{{"Worker"}, {"Chief"}, {"Chief", "Worker"}, {"Master", "Worker"}, {"PS", "Worker"},
			{"Chief", "Evaluator", "PS", "Worker"}, {"Evaluator", "Worker"}},
		func() client.Object { return &kubeflow.TFJob{} },
		func(m manager.Manager) (reconcile.Reconciler, *common.JobController) {
			r := tensorflow.NewReconciler(m, noGang)
			return r, &r.JobController
		}},
	{"MPIJob", "mpiReplicaSpecs", "mpi", [][]string{{"Launcher", "Worker"}, {"Launcher"}},
		func() client.Object { return &kubeflow.MPIJob{} },
		func(m manager.Manager) (reconcile.Reconciler, *common.JobController) {
			r := mpi.NewReconciler(m, noGang)
			return r, &r.JobController
		}},
	{"XGBoostJob", "xgbReplicaSpecs", "xgboost", [][]string{{"Master", "Worker"}, {"Master"}},
		func() client.Object { return &kubeflow.XGBoostJob{} },
		func(m manager.Manager) (reconcile.Reconciler, *common.JobController) {
			r := xgboost.NewReconciler(m, noGang)
			return r, &r.JobController
		}},
	{"PaddleJob", "paddleReplicaSpecs", "paddle", [][]string{{"Master", "Worker"}, {"Master"}, {"Worker"}},
		func() client.Object { return &kubeflow.PaddleJob{} },
		func(m manager.Manager) (reconcile.Reconciler, *common.JobController) {
			r := paddle.NewReconciler(m, noGang)
			return r, &r.JobController
		}},
}
