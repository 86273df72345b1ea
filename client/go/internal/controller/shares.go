package controller

import (
	"math"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// shares bounds the objects that are created, to so many a minute in all, and divides
// them among namespaces: one that has had n in the last minute gets another while more
// than n are left. So the first to come takes half of what there is, the next one half of
// the rest, and one alone comes to have all; where there is little, it is for who has had
// the least. Within a namespace it is first come, first served.
//
// Nothing runs by itself: who has to wait is told when to ask again.
type shares struct {
	perMinute float64
	now       func() time.Time

	lock sync.Mutex
	// How many may be created now; at most perMinute.
	left    float64
	asOf    time.Time
	members map[string]*share
}

// share is one namespace's.
type share struct {
	// What it has had in the last minute, older ones counting less and less.
	had  float64
	line []waiting
}

type waiting struct {
	uid types.UID
	// When it was told to ask again.
	due time.Time
}

const (
	// Who is next asks this often at most.
	shortestTurn = time.Second
	// Who has not asked this long after it was to is not coming any more.
	missedTurn = time.Minute
)

func newShares(perMinute int, now func() time.Time) *shares {
	return &shares{
		perMinute: float64(perMinute), now: now,
		left: float64(perMinute), asOf: now(), members: map[string]*share{},
	}
}

// turn is what there is to know for who asks to create an object.
type turn struct {
	// Zero: now, and it counts as created. Otherwise ask again after this.
	after time.Duration
	// It was not in line before.
	first bool
	// Those in line before it, in its namespace.
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

// drop leaves the line: the object is gone.
func (s *shares) drop(namespace string, uid types.UID) {
	s.lock.Lock()
	defer s.lock.Unlock()
	if member := s.members[namespace]; member != nil {
		member.line = slices.DeleteFunc(member.line, func(w waiting) bool { return w.uid == uid })
	}
}

// allowed is how many a namespace may create now: each one makes what it had one more
// and what is left one less, and who waits and had less is to have one too.
func (s *shares) allowed(member *share) int {
	return int(min(math.Ceil((s.left-member.had)/2), math.Floor(s.left-s.poorer(member))))
}

// poorer is how many namespaces wait that have had less.
func (s *shares) poorer(member *share) float64 {
	count := 0.0
	for _, other := range s.members {
		if len(other.line) > 0 && other.had < member.had {
			count++
		}
	}
	return count
}

// until is how long it takes until place may create, if no other namespace does: early
// where others do, then it is told again.
func (s *shares) until(member *share, place int) time.Duration {
	missing := max(float64(place+1)+s.poorer(member)-s.left, float64(place)-(s.left-member.had)/2)
	seconds := missing * 60 / s.perMinute
	return max(shortestTurn, time.Duration(seconds*float64(time.Second)))
}

// passTime lets what is left grow and what namespaces had fade.
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
