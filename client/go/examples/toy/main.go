package main

import (
	"os"

	batchv1 "k8s.io/api/batch/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"

	"mulligan.dev/mulligan"
)

func main() {
	ctrl.SetLogger(zap.New())
	if err := run(); err != nil {
		ctrl.Log.Error(err, "stopped")
		os.Exit(1)
	}
}

func run() error {
	service, err := mulligan.Dial(os.Getenv("MULLIGAN_SERVER"))
	if err != nil {
		return err
	}
	manager, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{})
	if err != nil {
		return err
	}
	toy := &Toy{Client: manager.GetClient(), Mulligan: mulligan.Asker{
		Service: service, Kube: manager.GetClient(), Reader: manager.GetAPIReader(),
	}}
	if err := ctrl.NewControllerManagedBy(manager).For(&batchv1.Job{}).Complete(toy); err != nil {
		return err
	}
	return manager.Start(ctrl.SetupSignalHandler())
}
