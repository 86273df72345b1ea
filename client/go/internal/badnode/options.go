// Package badnode marks nodes that were found to be bad, and removes marks that are no
// longer valid. The marks on the nodes are the only state.
package badnode

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Action is what is done to a bad node.
type Action string

// The actions, the mildest first. All except None add an Event on the node.
const (
	None      Action = "none"
	Event     Action = "event"
	Condition Action = "condition"
	Taint     Action = "taint"
)

var actions = []Action{None, Event, Condition, Taint}

// Options of the marking. The zero value is not valid; use Defaults.
type Options struct {
	// Action is what is done.
	Action Action
	// Workloads that must have found a node bad; all attempts of one count once. At
	// least 2, so that no one can mark a node with a single workload.
	Workloads int
	// Share of the nodes that may be marked at once, 0 to 1; one always may.
	Share float64
	// Every is the shortest time between two marks. Positive.
	Every time.Duration
	// For is how long a mark stays after a node was last found bad. Positive.
	For time.Duration
}

// Defaults do nothing.
func Defaults() Options {
	return Options{Action: None, Workloads: 2, Share: 0.05, Every: 10 * time.Minute, For: 24 * time.Hour}
}

// Validate names the first invalid option by its flag.
func (o Options) Validate() error {
	switch {
	case !slices.Contains(actions, o.Action):
		return fmt.Errorf("--node-action=%q, expected one of %s", o.Action, strings.Trim(fmt.Sprint(actions), "[]"))
	case o.Workloads < 2:
		return fmt.Errorf("--node-workloads=%d, expected at least 2", o.Workloads)
	case !(o.Share >= 0 && o.Share <= 1):
		return fmt.Errorf("--node-share=%v, expected 0 to 1", o.Share)
	case o.Every <= 0:
		return fmt.Errorf("--node-every=%v, expected a positive duration", o.Every)
	case o.For <= 0:
		return fmt.Errorf("--node-mark-for=%v, expected a positive duration", o.For)
	}
	return nil
}
