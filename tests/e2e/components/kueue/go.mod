module mulligan.dev/e2e/kueue

go 1.25.0

// No tool: its manager is built in a copy of the module, with the versions that its own
// go.mod has (scripts/e2e).
require sigs.k8s.io/kueue v0.15.2
