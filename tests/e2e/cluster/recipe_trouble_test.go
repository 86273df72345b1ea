package cluster

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// During a pause of a minute, resources are released at once, nothing is started, an Event
// says so, and the user can delete the work.
func TestRecipeHolds(t *testing.T) {
	eachOperator(t, func(t *testing.T, o *operator) {
		o.runs(t, shared, shared.asking(time.Minute), 1)
		w := o.begin(t, 1, 1)
		w.let(1)
		eventually(t, long, func() string { return w.isHeld(t) })
		obj := w.the(t)
		// Events are written concurrently.
		eventually(t, long, func() string {
			shown := fmt.Sprint(obj.Object["status"], w.events(t, obj))
			if !strings.Contains(shown, "charged to "+o.budget) {
				return "neither status nor Events show the pause: " + shown
			}
			return ""
		})
		w.deletedWhileHeld(t, obj, 5*time.Second, func() string { return w.isHeld(t) })
	})
}

// Killed twice: before it gets an answer, and while it handles many failures.
func TestRecipeOfAnOperatorThatIsKilled(t *testing.T) {
	eachOperator(t, func(t *testing.T, o *operator) {
		const many = 20
		server := shared.recipeServer(t, recipeDelay)
		proxy := startProxy(t, server.address)
		// It must catch up before work that was admitted meanwhile times out.
		o.runs(t, shared, askingAt(func(*testing.T) string { return proxy.address }), 3*many)
		w := o.begin(t, many, 1)
		killed := make(chan struct{})
		proxy.set(server.address, func() {
			defer close(killed)
			if err := w.control("stop", o.name); err != nil {
				t.Error(err)
			}
		})
		w.let(1)
		<-killed
		o.start(t, shared)
		if !o.losesSubmits {
			w.waitFor(t, 2, many/4)
			w.controlPlane(t, "stop", o.name)
			o.start(t, shared)
		}
		w.allEnd(t)
		w.wantEach(t)
	})
}

// Between two failures the service is replaced.
func TestRecipeWhoseServiceIsRestarted(t *testing.T) {
	eachOperator(t, func(t *testing.T, o *operator) {
		first := shared.recipeServer(t, recipeDelay)
		proxy := startProxy(t, first.address)
		o.runs(t, shared, askingAt(func(*testing.T) string { return proxy.address }), 1)
		w := o.begin(t, 1, 2)
		w.let(1)
		w.waitFor(t, 2, 1)
		proxy.set(shared.recipeServer(t, recipeDelay).address, nil)
		first.kill()
		w.allEnd(t)
		w.wantEach(t)
	})
}

// The service decides the first and third failure. It is unavailable for the second, which
// the operator decides by itself.
func TestRecipeWhoseServiceComesBack(t *testing.T) {
	eachOperator(t, func(t *testing.T, o *operator) {
		first := shared.recipeServer(t, recipeDelay)
		proxy := startProxy(t, first.address)
		o.runs(t, shared, askingAt(func(*testing.T) string { return proxy.address }), 1)
		w := o.begin(t, 1, 3)
		w.let(1)
		w.waitFor(t, 2, 1)
		first.kill()
		w.let(2)
		eventually(t, long, func() string {
			if w.decided(t, 3) == 0 {
				return "it has neither a third attempt nor an end"
			}
			return ""
		})
		proxy.set(shared.recipeServer(t, recipeDelay).address, nil)
		// The client reconnects at least every five seconds.
		time.Sleep(6 * time.Second)
		w.allEnd(t)
		w.want(t, o.unserved)
	})
}

// Many fail at once, with the release and with the recipe. Measures how long until each has
// its next attempt or is given up.
func TestRecipeWhenManyFail(t *testing.T) {
	many := numberFrom(t, "E2E_RECIPE_BURST", 50)
	eachOperator(t, func(t *testing.T, o *operator) {
		for _, way := range beforeAndAfter(shared) {
			namespace := ""
			t.Run(way.name, func(t *testing.T) {
				o.runs(t, shared, way, many)
				w := o.begin(t, many, 1)
				namespace = w.namespace
				failed, before := time.Now(), o.costs(t, w.cluster)
				w.let(1)
				var decided []time.Duration
				eventually(t, w.patience(), func() string {
					for count := w.decided(t, 2); len(decided) < count; {
						decided = append(decided, time.Since(failed))
					}
					if len(decided) < many {
						return fmt.Sprintf("%d of %d were decided", len(decided), many)
					}
					return ""
				})
				slices.Sort(decided)
				t.Logf("%s, %s: %d decided after %.1f s (median), %.1f s (99%%), %.1f s (all); %s", o.name, way.name, many,
					decided[many/2].Seconds(), decided[many*99/100].Seconds(), decided[many-1].Seconds(),
					o.costs(t, w.cluster).since(before, many))
				w.allEnd(t)
				if !way.native {
					w.wantEach(t)
				}
			})
			// Otherwise their deletion slows down the next way.
			if namespace != "" {
				shared.waitGone(t, namespace, long+time.Duration(many)*time.Second)
			}
		}
	})
}
