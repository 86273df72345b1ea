package controller

import (
	"fmt"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// line is a namespace's retries, each of which asks when it should.
type line struct {
	namespace string
	from      time.Duration
	count     int
}

// played is what happened to lines.
type played struct {
	// When each was created, by namespace, in order.
	created map[string][]time.Duration
	asked   int
}

// play lets all ask at their time, and in the order in which they came, for so long.
func play(perMinute int, length time.Duration, lines ...line) played {
	start := time.Now()
	clock := start
	s := newShares(perMinute, func() time.Time { return clock })
	type asker struct {
		namespace string
		uid       types.UID
		at        time.Duration
	}
	var askers []*asker
	for _, l := range lines {
		for i := range l.count {
			askers = append(askers, &asker{l.namespace, types.UID(fmt.Sprintf("%s-%d", l.namespace, i)), l.from})
		}
	}
	result := played{created: map[string][]time.Duration{}}
	const step = 100 * time.Millisecond
	for at := time.Duration(0); at <= length; at += step {
		clock = start.Add(at)
		for _, a := range askers {
			if a.at < 0 || a.at > at {
				continue
			}
			result.asked++
			turn := s.take(a.namespace, a.uid)
			if turn.after == 0 {
				result.created[a.namespace] = append(result.created[a.namespace], at)
				a.at = -1
				continue
			}
			a.at = at + turn.after
		}
	}
	return result
}

// by returns how many had been created until then.
func by(created []time.Duration, at time.Duration) int {
	count := 0
	for _, c := range created {
		if c <= at {
			count++
		}
	}
	return count
}

func TestSharesOfTheRetriesOfAMinute(t *testing.T) {
	const ml, web, etl = "ml", "web", "etl"
	for _, test := range []struct {
		name      string
		perMinute int
		lines     []line
		namespace string
		at        time.Duration
		least     int
		most      int
	}{
		{"one namespace has half at once", 120, []line{{ml, 0, 1000}}, ml, 0, 60, 60},
		{"and alone comes to have nearly all", 120, []line{{ml, 0, 2000}}, ml, 10 * time.Minute, 60 + 9*120, 60 + 10*120},
		{"ten next to a thousand start at once", 120, []line{{ml, 0, 1000}, {web, 0, 10}}, web, 0, 10, 10},
		{"also long after the thousand began", 120, []line{{ml, 0, 2000}, {web, 3 * time.Minute, 10}}, web, 3*time.Minute + time.Second, 10, 10},
		{"next to two with many", 120, []line{{ml, 0, 1000}, {etl, 0, 1000}, {web, time.Minute, 10}}, web, time.Minute + time.Second, 10, 10},
		{"two that have as much share alike", 120, []line{{ml, 0, 1000}, {etl, 0, 1000}}, ml, 5 * time.Minute, 280, 370},
		{"one a minute", 1, []line{{ml, 0, 10}}, ml, 5 * time.Minute, 4, 6},
		{"one a minute, two namespaces", 1, []line{{ml, 0, 10}, {web, 0, 10}}, web, 10 * time.Minute, 3, 6},
	} {
		t.Run(test.name, func(t *testing.T) {
			result := play(test.perMinute, test.at, test.lines...)
			if got := by(result.created[test.namespace], test.at); got < test.least || got > test.most {
				t.Errorf("%d created until %v, want %d to %d", got, test.at, test.least, test.most)
			}
		})
	}
}

func TestNoMoreThanTheBoundIsCreated(t *testing.T) {
	const perMinute = 60
	var lines []line
	for i := range 20 {
		lines = append(lines, line{fmt.Sprint("n", i), 0, 100})
	}
	result := play(perMinute, 5*time.Minute, lines...)
	total := 0
	for _, created := range result.created {
		total += len(created)
	}
	// The initial allowance, and five minutes.
	if most, least := 6*perMinute, 6*perMinute-5; total > most || total < least {
		t.Errorf("%d created in five minutes, want %d to %d", total, least, most)
	}
}

// Otherwise each would ask every few seconds, 275 a second.
func TestWaitingObjectsAskSeldom(t *testing.T) {
	result := play(120, 20*time.Minute, line{"ml", 0, 1000})
	if len(result.created["ml"]) != 1000 {
		t.Fatalf("%d created, want all", len(result.created["ml"]))
	}
	if asked := result.asked; asked > 12*1000 {
		t.Errorf("asked %d times for a thousand, want a dozen each at most", asked)
	}
}

func TestFirstComeFirstServedInANamespace(t *testing.T) {
	clock := time.Now()
	s := newShares(1, func() time.Time { return clock })
	s.take("ml", "created")
	if first := s.take("ml", "first"); first.after == 0 || !first.first || first.before != 0 {
		t.Errorf("the first to wait: %+v", first)
	}
	if second := s.take("ml", "second"); second.before != 1 || !second.first {
		t.Errorf("the second to wait: %+v", second)
	}
	clock = clock.Add(time.Minute)
	if second := s.take("ml", "second"); second.after == 0 || second.first {
		t.Errorf("the second was let before the first: %+v", second)
	}
	if first := s.take("ml", "first"); first.after != 0 {
		t.Errorf("the first still waits: %+v", first)
	}
}

func TestDropsDeletedObjects(t *testing.T) {
	for name, leave := range map[string]func(s *shares, clock *time.Time){
		"deleted":               func(s *shares, _ *time.Time) { s.drop("ml", "gone") },
		"does not ask any more": func(_ *shares, clock *time.Time) { *clock = clock.Add(3 * missedTurn) },
	} {
		t.Run(name, func(t *testing.T) {
			clock := time.Now()
			s := newShares(1, func() time.Time { return clock })
			s.take("ml", "created")
			s.take("ml", "gone")
			leave(s, &clock)
			if next := s.take("ml", "next"); next.before != 0 {
				t.Errorf("%+v, want none before it", next)
			}
		})
	}
	clock := time.Now()
	s := newShares(60, func() time.Time { return clock })
	s.take("ml", "created")
	clock = clock.Add(time.Hour)
	s.take("web", "created")
	if len(s.members) != 1 {
		t.Errorf("namespaces remembered: %d, want the one that created something lately", len(s.members))
	}
}
