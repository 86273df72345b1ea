package cases

import (
	"os"
	"testing"
	"testing/synctest"
	"time"
)

// Frozen runs work with a clock that stands at Now, and ends the program: for
// code that calls time.Now and cannot be given a clock. Time in a bubble of
// testing/synctest moves only while every goroutine waits, and a generator
// never waits. Bubbles are for tests, so this pretends to be one, which keeps
// the program's arguments and standard output away from package testing.
func Frozen(work func()) {
	arguments, out := os.Args, os.Stdout
	os.Args, os.Stdout = os.Args[:1], os.Stderr
	frozen := func(t *testing.T) {
		synctest.Test(t, func(*testing.T) {
			time.Sleep(time.Until(Now))
			os.Args, os.Stdout = arguments, out
			work()
			os.Stdout = os.Stderr
		})
	}
	every := func(string, string) (bool, error) { return true, nil }
	testing.Main(every, []testing.InternalTest{{Name: "frozen", F: frozen}}, nil, nil)
}
