// Package controller retries failed batch work without touching its operators: it
// watches workloads that opted in, asks Mulligan about each failure, and makes the
// object of the next attempt or says why there is none.
package controller

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"mulligan.dev/mulligan"
	"mulligan.dev/mulligan/internal/badnode"
	"mulligan.dev/mulligan/internal/notify"
)

// Mode is what the controller does with an answer.
type Mode string

const (
	// Observe only reports what Act would do.
	Observe Mode = "observe"
	// Act does it.
	Act Mode = "act"
)

// Options of the controller. The zero value is not valid; [Defaults] is.
type Options struct {
	// Mode is Observe or Act.
	Mode Mode
	// Namespace of the controller, where its ConfigMaps are.
	Namespace string
	// SwitchName is the ConfigMap whose key "paused" with the value "true" stops all
	// asking and acting. It need not exist.
	SwitchName string
	// MaxAge of a failure when it is first seen; older ones are left alone, so that
	// switching the controller on does not retry last week. Positive.
	MaxAge time.Duration
	// RetriesPerMinute bounds the objects created; more wait, each namespace for its
	// own share. Positive.
	RetriesPerMinute int
	// Concurrency is the number of workloads of a kind that are looked at at once.
	// Positive.
	Concurrency int
	// Suspend lets Act suspend a workload that is still running when the verdict is
	// FAIL, so that it gives its devices back.
	Suspend bool
	// RetryPolicies publishes RetryPolicy objects to PolicyConfigMap.
	RetryPolicies bool
	// PolicyConfigMap is what the servers load their policies from.
	PolicyConfigMap string
	// Notifier tells those who have to act; nil: nobody.
	Notifier *notify.Notifier
	// ReadOnly, in Observe, writes nothing to the cluster but Events: what is known is in
	// memory.
	ReadOnly bool
	// NoEvents writes no Events either.
	NoEvents bool
	// CountObserved has the service count what is only observed in its metrics and its
	// decision log, as if it was acted on, and tells it how the work ended.
	CountObserved bool
	// ActIn are the namespaces in which Observe acts all the same.
	ActIn []string
	// Peers are told what failed here, and tell what failed there.
	Peers Peers
	// Nodes says what is done about nodes that were found to be bad; in Observe no more
	// than an Event.
	Nodes badnode.Options
	// Webhooks serves the webhooks that put a verdict into the write that fails a pod, and
	// the rules that follow it into new Jobs and JobSets.
	Webhooks bool
	// WebhooksReady is closed once their certificate is there; nil: it is.
	WebhooksReady <-chan struct{}
	// Logs complete what no termination message tells; nil: they are not read.
	Logs mulligan.LogReader
}

// Defaults are safe: they observe.
func Defaults() Options {
	return Options{
		Mode:             Observe,
		Namespace:        "mulligan",
		SwitchName:       "mulligan-controller",
		MaxAge:           time.Hour,
		RetriesPerMinute: 120,
		Concurrency:      8,
		Suspend:          true,
		PolicyConfigMap:  "mulligan-retry-policies",
		Nodes:            badnode.Defaults(),
	}
}

// modeIn is the mode in a namespace.
func (o Options) modeIn(namespace string) Mode {
	if slices.Contains(o.ActIn, namespace) {
		return Act
	}
	return o.Mode
}

// onlyReads says whether nothing is written in a namespace but Events.
func (o Options) onlyReads(namespace string) bool {
	return o.ReadOnly && o.modeIn(namespace) == Observe
}

// Validate names the first option that cannot be used, by its flag.
func (o Options) Validate() error {
	switch {
	case o.Mode != Observe && o.Mode != Act:
		return fmt.Errorf("--mode=%q, expected observe or act", o.Mode)
	case o.Namespace == "":
		return fmt.Errorf("--namespace is empty, expected the namespace of the controller")
	case o.MaxAge <= 0:
		return fmt.Errorf("--max-age=%v, expected a positive duration", o.MaxAge)
	case o.RetriesPerMinute <= 0:
		return fmt.Errorf("--retries-per-minute=%d, expected at least 1", o.RetriesPerMinute)
	case o.Concurrency <= 0:
		return fmt.Errorf("--concurrency=%d, expected at least 1", o.Concurrency)
	case o.RetryPolicies && o.PolicyConfigMap == "":
		return fmt.Errorf("--policy-configmap is empty, expected the name of the ConfigMap that the servers load")
	}
	if o.Mode == Act && (o.ReadOnly || o.CountObserved || len(o.ActIn) > 0) {
		return fmt.Errorf("--read-only, --count-observed, --act-namespaces: they are of --mode=observe, found --mode=act")
	}
	if slices.Contains(o.ActIn, "") {
		return fmt.Errorf("--act-namespaces: an empty name, expected names separated by commas")
	}
	return errors.Join(o.Peers.Validate(), o.Nodes.Validate())
}
