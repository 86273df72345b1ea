package mulligan_test

import "testing"

// exampleTB replaces the *testing.T that an example lacks.
type exampleTB struct {
	testing.TB
	cleanups []func()
}

func (t *exampleTB) Helper()          {}
func (t *exampleTB) Cleanup(f func()) { t.cleanups = append(t.cleanups, f) }
func (t *exampleTB) finish() {
	for _, cleanup := range t.cleanups {
		cleanup()
	}
}
