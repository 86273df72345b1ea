module mulligan.dev/mulligan/tests/e2e/cluster

go 1.25.0

require (
	k8s.io/api v0.34.1
	k8s.io/apimachinery v0.34.1
	k8s.io/client-go v0.34.1
	mulligan.dev/mulligan v0.0.0
	sigs.k8s.io/controller-runtime v0.22.4
)

replace mulligan.dev/mulligan => ../../../client/go
