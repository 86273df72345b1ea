module mulligan.dev/e2e/kueue

go 1.25.0

// Only its CustomResourceDefinitions are used: see scripts/control-plane.
require sigs.k8s.io/kueue v0.15.2
