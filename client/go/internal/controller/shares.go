package controller

import (
	"math"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// shares bounds the objects created per minute, and divides them among namespaces. A
// namespace that had n in the last minute gets another while more than n are left. So
// the first one gets up to half, the next one half of the rest, and a single one
// eventually all; the last ones go to those that had the least. Within a namespace it
// is first come, first served.
//
// Nothing runs in the background: a caller that has to wait learns when to ask again.
type shares struct {
	perMinute float64
	now       func() time.Time

	lock sync.Mutex
	// How many may be created now; at most perMinute.
	left    float64
	asOf    time.Time
	members map[string]*share
}

// share of one namespace.
type share struct {
	// How many it had in the last minute; older ones count less and less.
	had  float64
	line []waiting
}

type waiting struct {
	uid types.UID
	// When it should ask again.
	due time.Time
}

const (
	// The next in line asks at most this often.
	shortestTurn = time.Second
	// After this long overdue, a waiting one is dropped.
	missedTurn = time.Minute
)

func newShares(perMinute int, now func() time.Time) *shares {
	return &shares{
		perMinute: float64(perMinute), now: now,
		left: float64(perMinute), asOf: now(), members: map[string]*share{},
	}
}

// turn is the answer to a request to create an object.
type turn struct {
	// Zero: now, and it counts as created. Otherwise ask again after this.
	after time.Duration
	// It was not in line before.
	first bool
	// How many are before it in its namespace's line.
	before int
}

// take asks to create one object.
func (s *shares) take(namespace string, uid types.UID) turn {
	s.lock.Lock()
	defer s.lock.Unlock()
	now := s.now()
	s.passTime(now)
	member := s.members[namespace]
	if member == nil {
		member = &share{}
		s.members[namespace] = member
	}
	place := slices.IndexFunc(member.line, func(w waiting) bool { return w.uid == uid })
	first := place < 0
	if first {
		place = len(member.line)
		member.line = append(member.line, waiting{uid: uid})
	}
	if place < s.allowed(member) {
		s.left--
		member.had++
		member.line = slices.Delete(member.line, place, place+1)
		return turn{first: first}
	}
	after := s.until(member, place)
	member.line[place].due = now.Add(after)
	return turn{after: after, first: first, before: place}
}

// drop removes a deleted object from the line.
func (s *shares) drop(namespace string, uid types.UID) {
	s.lock.Lock()
	defer s.lock.Unlock()
	if member := s.members[namespace]; member != nil {
		member.line = slices.DeleteFunc(member.line, func(w waiting) bool { return w.uid == uid })
	}
}

// allowed returns how many a namespace may create now. Each one raises what it had and
// lowers what is left by one, and leaves one for each waiting namespace that had less.
func (s *shares) allowed(member *share) int {
	return int(min(math.Ceil((s.left-member.had)/2), math.Floor(s.left-s.poorer(member))))
}

// poorer returns how many waiting namespaces had less.
func (s *shares) poorer(member *share) float64 {
	count := 0.0
	for _, other := range s.members {
		if len(other.line) > 0 && other.had < member.had {
			count++
		}
	}
	return count
}

// until returns how long until place may create, if no other namespace does. If others
// do, it is too early, and the caller waits again.
func (s *shares) until(member *share, place int) time.Duration {
	missing := max(float64(place+1)+s.poorer(member)-s.left, float64(place)-(s.left-member.had)/2)
	seconds := missing * 60 / s.perMinute
	return max(shortestTurn, time.Duration(seconds*float64(time.Second)))
}

// passTime refills what is left and fades what namespaces had.
func (s *shares) passTime(now time.Time) {
	minutes := max(now.Sub(s.asOf), 0).Minutes()
	s.asOf = now
	s.left = min(s.left+minutes*s.perMinute, s.perMinute)
	for namespace, member := range s.members {
		member.had *= math.Exp(-minutes)
		member.line = slices.DeleteFunc(member.line, func(w waiting) bool {
			return now.Sub(w.due) > missedTurn
		})
		if len(member.line) == 0 && member.had < 0.01 {
			delete(s.members, namespace)
		}
	}
}
