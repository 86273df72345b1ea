// Package controller retries failed batch work without changing its operators. It
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
	// Act carries it out.
	Act Mode = "act"
)

// Options of the controller. The zero value is not valid; use [Defaults].
type Options struct {
	// Mode is Observe or Act.
	Mode Mode
	// Namespace of the controller and its ConfigMaps.
	Namespace string
	// SwitchName is the ConfigMap whose key "paused" with the value "true" stops all
	// asking and acting. It need not exist.
	SwitchName string
	// MaxAge of a failure when it is first seen. Older ones are left alone, so that
	// turning the controller on does not retry last week. Positive.
	MaxAge time.Duration
	// RetriesPerMinute bounds the objects created. Others wait, each namespace for its
	// own share. Positive.
	RetriesPerMinute int
	// Concurrency is the number of workloads of a kind that are reconciled at once.
	// Positive.
	Concurrency int
	// Suspend lets Act suspend a workload that still runs when the verdict is FAIL, so
	// that it releases its devices.
	Suspend bool
	// RetryPolicies publishes RetryPolicy objects to PolicyConfigMap.
	RetryPolicies bool
	// PolicyConfigMap is where the servers load their policies from.
	PolicyConfigMap string
	// Notifier notifies the people who have to act; nil for none.
	Notifier *notify.Notifier
	// ReadOnly, in Observe, writes nothing to the cluster except Events, and keeps its
	// state in memory.
	ReadOnly bool
	// NoEvents writes no Events either.
	NoEvents bool
	// CountObserved makes the service count observed failures in its metrics and
	// decision log as if they were acted on, and reports good ends to it.
	CountObserved bool
	// ActIn are namespaces in which Observe acts nevertheless.
	ActIn []string
	// Peers exchange recent failures with this cluster.
	Peers Peers
	// Nodes says what to do about bad nodes; in Observe at most an Event.
	Nodes badnode.Options
	// Webhooks serves the webhooks that add a verdict to the write that fails a pod,
	// and that write rules that follow it into new Jobs and JobSets.
	Webhooks bool
	// WebhooksReady is closed when their certificate is there; nil if it already is.
	WebhooksReady <-chan struct{}
	// AdmissionCheck answers Kueue's AdmissionChecks of [CheckController].
	AdmissionCheck bool
	// Logs complete reports if no termination message says why; nil: not read.
	Logs mulligan.LogReader
}

// Defaults only observe.
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

// modeIn returns the mode in a namespace.
func (o Options) modeIn(namespace string) Mode {
	if slices.Contains(o.ActIn, namespace) {
		return Act
	}
	return o.Mode
}

// onlyReads returns whether nothing except Events is written in a namespace.
func (o Options) onlyReads(namespace string) bool {
	return o.ReadOnly && o.modeIn(namespace) == Observe
}

// Validate names the first invalid option by its flag.
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
	if o.AdmissionCheck && o.ReadOnly {
		return fmt.Errorf("--admission-check, --read-only: the check is answered in the Workload, expected one of them")
	}
	if slices.Contains(o.ActIn, "") {
		return fmt.Errorf("--act-namespaces: an empty name, expected names separated by commas")
	}
	return errors.Join(o.Peers.Validate(), o.Nodes.Validate())
}
