package cases

import (
	"os"
	"testing"
	"testing/synctest"
	"time"
)

// Frozen runs work with the clock stopped at Now, and exits: for code that
// calls time.Now and accepts no clock. Time in a bubble of testing/synctest
// advances only while every goroutine waits, and a generator never waits.
// Bubbles are for tests, so this imitates one, without package testing taking
// the program's arguments and standard output.
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
