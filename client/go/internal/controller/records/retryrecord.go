// Package records has the kind RetryRecord: what mulligan-controller knows about a
// workload and all its attempts, one object for each workload. Only the controller may
// write them, so that clients with write access to workloads can neither widen what is
// created nor forge what was spent. The annotations of workloads are copies.
package records

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/scheme"

	"mulligan.dev/mulligan"
	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
)

// GroupVersionKind of RetryRecord.
var GroupVersionKind = schema.GroupVersionKind{Group: "mulligan.dev", Version: "v1", Kind: "RetryRecord"}

// AddToScheme makes the kind known to clients.
var AddToScheme = (&scheme.Builder{GroupVersion: GroupVersionKind.GroupVersion()}).
	Register(&RetryRecord{}, &RetryRecordList{}).AddToScheme

// MaxAttempts of a lineage. The list is never cut, because an attempt missing from it
// would start a new account.
const MaxAttempts = 500

// RetryRecord is the record of one workload and its attempts, in their namespace. It
// has no finalizers and is owned by all attempts, so it is deleted with the last.
//
// It has no status subresource, because owners and status change together, in one write
// of the version that was read.
type RetryRecord struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   Spec   `json:"spec"`
	Status Status `json:"status,omitempty"`
}

// RetryRecordList is a list of records.
type RetryRecordList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []RetryRecord `json:"items"`
}

// Spec identifies the workload.
type Spec struct {
	// APIVersion and Kind of the workload.
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	// Name of the first attempt.
	Name string `json:"name"`
	// Template is the source of the next attempts, see [Pack]: the object as stored
	// while its operator worked on it. If empty, it was not seen then, and no attempt
	// is made.
	Template []byte `json:"template,omitempty"`
}

// Status is the state of the work.
type Status struct {
	// State is the one condition that matters now.
	State State `json:"state,omitempty"`
	// FirstStep is what a person has to do first; empty if nothing.
	FirstStep string `json:"firstStep,omitempty"`
	// Attempt is the number of the latest attempt.
	Attempt int32 `json:"attempt,omitempty"`
	// Attempts so far, the first one first.
	Attempts []Attempt `json:"attempts,omitempty"`
	// Times of the latest attempts, for tables; see [RetryRecord.Ran].
	Times string `json:"times,omitempty"`
	// Decision is the latest.
	Decision *Decision `json:"decision,omitempty"`
	// Ledger is what was spent, a BudgetLedger as proto JSON.
	Ledger json.RawMessage `json:"ledger,omitempty"`
	// Conditions for `kubectl wait`, see [State].
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// Attempt is one object.
type Attempt struct {
	Name string    `json:"name"`
	UID  types.UID `json:"uid"`
	// Work is a digest of the work's spec, see [WorkOf].
	Work string `json:"work,omitempty"`
	// Last: another failure of this kind ends the work.
	Last bool `json:"last,omitempty"`
	// StartedAt is its status.startTime, else its creation.
	StartedAt time.Time `json:"startedAt,omitzero"`
	// EndedAt is when its operator gave it up or it succeeded; of work that the
	// controller stopped, when that was decided. Zero while it runs.
	EndedAt time.Time `json:"endedAt,omitzero"`
}

// New returns the record of the lineage that begins with this object, not yet created.
func New(obj *unstructured.Unstructured) (*RetryRecord, error) {
	r := &RetryRecord{Spec: Spec{APIVersion: obj.GetAPIVersion(), Kind: obj.GetKind(), Name: obj.GetName()}}
	r.SetGroupVersionKind(GroupVersionKind)
	r.Namespace = obj.GetNamespace()
	r.Name = Name(obj.GetKind(), obj.GetName(), obj.GetUID())
	r.Labels = map[string]string{Origin: LabelValue(obj.GetName())}
	return r, r.Add(obj, false)
}

// Origin is the name of the first attempt.
func (r *RetryRecord) Origin() string { return r.Spec.Name }

// Add adds the object of the next attempt, unless it is there already.
func (r *RetryRecord) Add(obj *unstructured.Unstructured, last bool) error {
	if r.indexOf(obj.GetUID()) >= 0 {
		return nil
	}
	work, err := WorkOf(obj)
	if err != nil {
		return err
	}
	r.Status.Attempts = append(r.Status.Attempts, Attempt{Name: obj.GetName(), UID: obj.GetUID(), Work: work, Last: last})
	r.Status.Attempt = int32(len(r.Status.Attempts))
	r.Ran(obj, time.Time{})
	r.OwnerReferences = append(r.OwnerReferences, metav1.OwnerReference{
		APIVersion: obj.GetAPIVersion(), Kind: obj.GetKind(), Name: obj.GetName(), UID: obj.GetUID(),
	})
	return nil
}

// Ran notes when obj started, as it says now, and when it ended; zero if it goes on. An
// object that is not an attempt is ignored.
func (r *RetryRecord) Ran(obj *unstructured.Unstructured, ended time.Time) {
	at := r.indexOf(obj.GetUID())
	if at < 0 {
		return
	}
	attempt := &r.Status.Attempts[at]
	attempt.StartedAt = obj.GetCreationTimestamp().UTC()
	// A queue may have held it.
	started, _, _ := unstructured.NestedString(obj.Object, "status", "startTime")
	if parsed, err := time.Parse(time.RFC3339, started); err == nil {
		attempt.StartedAt = parsed.UTC()
	}
	attempt.EndedAt = ended.UTC().Truncate(time.Second)
	r.Status.Times = timesOf(r.Status.Attempts)
}

// The most attempts in a row of a table; all are in the record.
const mostTimes = 3

// timesOf returns "START for LENGTH" of each of the latest attempts.
func timesOf(attempts []Attempt) string {
	var times []string
	if more := len(attempts) - mostTimes; more > 0 {
		times, attempts = append(times, fmt.Sprintf("%d before", more)), attempts[more:]
	}
	for _, attempt := range attempts {
		if attempt.StartedAt.IsZero() {
			times = append(times, "unknown")
			continue
		}
		text := attempt.StartedAt.Format(time.RFC3339)
		if !attempt.EndedAt.IsZero() {
			text += " for " + max(attempt.EndedAt.Sub(attempt.StartedAt), 0).String()
		}
		times = append(times, text)
	}
	return strings.Join(times, ", ")
}

// Latest returns the latest attempt.
func (r *RetryRecord) Latest() *Attempt { return &r.Status.Attempts[len(r.Status.Attempts)-1] }

// Has returns whether the object with that UID is one of the attempts.
func (r *RetryRecord) Has(uid types.UID) bool { return r.indexOf(uid) >= 0 }

func (r *RetryRecord) indexOf(uid types.UID) int {
	return slices.IndexFunc(r.Status.Attempts, func(a Attempt) bool { return a.UID == uid })
}

// Plans returns whether obj, by its name, is the next attempt that was decided on and
// is not yet noted.
func (r *RetryRecord) Plans(obj client.Object) bool {
	planned, ok := r.planned()
	return ok && planned == obj.GetName() && r.Spec.Kind == obj.GetObjectKind().GroupVersionKind().Kind
}

func (r *RetryRecord) planned() (string, bool) {
	decided := r.Status.Decision
	if decided == nil || decided.Retry == "" || decided.Mode != "act" || int(decided.Attempt) <= len(r.Status.Attempts) {
		return "", false
	}
	return decided.Retry, true
}

// DecisionAbout returns the decision about the attempt with that UID; nil if there is
// none. r may be nil.
func (r *RetryRecord) DecisionAbout(uid types.UID) *Decision {
	if r == nil || r.Status.Decision == nil || r.Status.Decision.About != uid {
		return nil
	}
	return r.Status.Decision
}

// LedgerFor returns the account for a question about the attempt with that UID: what
// was spent stays, and the account is tied to this attempt's object. Nil if nothing was
// spent. r may be nil.
func (r *RetryRecord) LedgerFor(uid types.UID) (*mulliganv1.BudgetLedger, error) {
	if r == nil {
		return nil, nil
	}
	ledger, err := mulligan.ParseLedger(string(r.Status.Ledger))
	if err != nil || r.DecisionAbout(uid) != nil || ledger.GetWorkloadUid() == string(uid) {
		return ledger, err
	}
	return mulligan.HandOn(ledger), nil
}

// Index finds records by the UIDs of their attempts and the name of the next.
const Index = "attempt"

// Keys of a record in the index.
func Keys(obj client.Object) []string {
	r, ok := obj.(*RetryRecord)
	if !ok {
		return nil
	}
	keys := make([]string, 0, len(r.Status.Attempts)+1)
	for _, attempt := range r.Status.Attempts {
		keys = append(keys, string(attempt.UID))
	}
	if name, ok := r.planned(); ok {
		keys = append(keys, PlanKey(r.Spec.Kind, name))
	}
	return keys
}

// PlanKey is the key of a record that plans an attempt of that name.
func PlanKey(kind, name string) string { return kind + "/" + name }

// DeepCopyObject copies everything.
func (r *RetryRecord) DeepCopyObject() runtime.Object { return r.DeepCopy() }

// DeepCopy copies everything.
func (r *RetryRecord) DeepCopy() *RetryRecord {
	copied := *r
	r.ObjectMeta.DeepCopyInto(&copied.ObjectMeta)
	copied.Spec.Template = slices.Clone(r.Spec.Template)
	copied.Status.Attempts = slices.Clone(r.Status.Attempts)
	copied.Status.Ledger = slices.Clone(r.Status.Ledger)
	copied.Status.Conditions = slices.Clone(r.Status.Conditions)
	if r.Status.Decision != nil {
		decided := *r.Status.Decision
		decided.Advice = slices.Clone(decided.Advice)
		copied.Status.Decision = &decided
	}
	return &copied
}

// DeepCopyObject copies everything.
func (l *RetryRecordList) DeepCopyObject() runtime.Object {
	copied := *l
	copied.Items = make([]RetryRecord, len(l.Items))
	for i := range l.Items {
		copied.Items[i] = *l.Items[i].DeepCopy()
	}
	return &copied
}
