package notify

import (
	"context"
	"crypto/sha256"
	"fmt"
	"sync"
	"time"

	"github.com/go-logr/logr"
)

// The most incidents remembered, about 200 bytes each; the oldest go first.
const maxIncidents = 20000

// Notifier sends messages to receivers. Nil sends none.
type Notifier struct {
	config  *Config
	story   story
	senders []*sender
	now     func() time.Time
	log     logr.Logger

	lock sync.Mutex
	// By receiver and incident.
	known map[string]*incident
}

type incident struct {
	reportedAt time.Time
	more       int
}

// New makes senders for a configuration of Load or Parse; Start starts them.
func New(config *Config, log logr.Logger) (*Notifier, error) {
	story, err := newStory(config.StoryURL)
	if err != nil {
		return nil, fmt.Errorf("storyURL: %w", err)
	}
	n := &Notifier{config: config, story: story, now: time.Now, log: log, known: map[string]*incident{}}
	for _, receiver := range config.Receivers {
		n.senders = append(n.senders, newSender(receiver, log))
	}
	return n, nil
}

// Start sends until the context ends, and then the waiting messages for some seconds.
func (n *Notifier) Start(ctx context.Context) error {
	var all sync.WaitGroup
	for _, s := range n.senders {
		all.Go(func() { s.run(ctx) })
	}
	all.Wait()
	return nil
}

// Notify reports a failure to all receivers, unless already reported. It never blocks.
func (n *Notifier) Notify(f Failure) {
	if n == nil {
		return
	}
	m := messageOf(f)
	if m == nil {
		return
	}
	m.Time, m.Cluster, m.Team = n.now().UTC(), visible(n.config.Cluster), visible(f.Labels[n.config.TeamLabel])
	var err error
	if m.StoryURL, err = n.story.of(m); err != nil {
		n.log.Info("the story has no address", "error", err.Error())
	}
	for _, s := range n.senders {
		n.give(s, *m)
	}
}

// give queues a copy of a message for a receiver.
func (n *Notifier) give(s *sender, m Message) {
	n.lock.Lock()
	defer n.lock.Unlock()
	key := s.receiver.Name + "\x00" + m.incident
	about := n.known[key]
	if about != nil && m.Time.Sub(about.reportedAt) < n.config.RepeatAfter.Duration {
		about.more++
		messages.WithLabelValues(s.receiver.Name, repeated).Inc()
		return
	}
	if about != nil {
		m.More = about.more
	}
	m.Lost = s.lost
	m.ID = fmt.Sprintf("msg_%x", sha256.Sum256(fmt.Appendf(nil, "%s\x00%d", key, m.Time.UnixNano())))[:36]
	if !s.offer(&m) {
		s.lost++
		return
	}
	s.lost = 0
	if about == nil {
		n.makeRoom()
	}
	n.known[key] = &incident{reportedAt: m.Time}
}

// makeRoom forgets incidents that may be reported again; if none, the oldest.
func (n *Notifier) makeRoom() {
	if len(n.known) < maxIncidents {
		return
	}
	oldest, at := "", n.now()
	for key, about := range n.known {
		if n.now().Sub(about.reportedAt) >= n.config.RepeatAfter.Duration {
			delete(n.known, key)
		} else if !about.reportedAt.After(at) {
			oldest, at = key, about.reportedAt
		}
	}
	if len(n.known) >= maxIncidents {
		delete(n.known, oldest)
	}
}
