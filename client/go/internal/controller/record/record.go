// Package record keeps what was decided about an object on the object itself, so
// that a controller which comes after this one finds it: the annotations, and the
// decision among them.
package record

import (
	"bytes"
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"google.golang.org/protobuf/encoding/protojson"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
)

// Annotations, written by the controller unless it says otherwise.
const (
	// Policy is written by the user, as annotation or label of the workload or as
	// label of its namespace: the workload is the controller's to look after. The
	// value names a loaded policy; empty: the first whose selector fits.
	Policy = "mulligan.dev/policy"
	// Mode is written by the user: "observe" for a workload that a controller in
	// act mode should leave alone.
	Mode = "mulligan.dev/mode"
	// Decision is the Record of what was decided about this object.
	Decision = "mulligan.dev/decision"
	// RetriedAs is the name of the object that was made for the next attempt. It
	// is written after that object exists.
	RetriedAs = "mulligan.dev/retried-as"
	// RetryOf is "NAME/UID" of the attempt before.
	RetryOf = "mulligan.dev/retry-of"
	// Attempt is the number of this attempt, from 2.
	Attempt = "mulligan.dev/attempt"
	// Origin is the name of the first attempt; also a label, so that
	// `kubectl get jobs -l mulligan.dev/origin=train` lists them all.
	Origin = "mulligan.dev/origin"
	// FirstSpec is the spec of the first attempt: each retry starts from it, so
	// that advice does not pile up.
	FirstSpec = "mulligan.dev/first-spec"
	// LastAttempt is "true" where a further failure of this kind would end the
	// work: keep the evidence.
	LastAttempt = "mulligan.dev/last-attempt"
)

// Own are the annotations that a new attempt does not take over as they are.
var Own = []string{Decision, RetriedAs, RetryOf, Attempt, FirstSpec, LastAttempt}

// Record is a decision as it is kept.
type Record struct {
	// Action is that of the decision, for people and JSON path.
	Action string `json:"action"`
	// Sentence is that of the decision.
	Sentence string `json:"sentence"`
	// Cause of the failure.
	Cause string `json:"cause,omitempty"`
	// Mode in which it was decided: what was observed is never acted on later.
	Mode string `json:"mode"`
	// DecidedAt is the observation time of the report.
	DecidedAt time.Time `json:"decidedAt"`
	// NotBefore is when the retry may start; zero unless the action is RETRY.
	NotBefore time.Time `json:"notBefore,omitzero"`
	// Retry is the name of the next attempt; empty unless the action is RETRY.
	Retry string `json:"retry,omitempty"`
	// Attempt is the number of the next attempt; 0 unless the action is RETRY.
	Attempt int32 `json:"attempt,omitempty"`
	// Generation of the object that was decided about.
	Generation int64 `json:"generation"`
	// Unbegun: the operator had not begun with the object; see kinds.Kind.Begun.
	Unbegun bool `json:"unbegun,omitempty"`
	// FailureID, DecisionID, Policy and Revision are those of the answer.
	FailureID  string `json:"failureId"`
	DecisionID string `json:"decisionId,omitempty"`
	Policy     string `json:"policy,omitempty"`
	Revision   string `json:"revision,omitempty"`
	// Container that resources are changed of where the decision names none.
	Container string `json:"container,omitempty"`
	// Advice is the decision itself as proto JSON; absent unless the action is
	// RETRY.
	Advice json.RawMessage `json:"advice,omitempty"`
}

// From reads the record of an object; nil where there is none.
func From(obj *unstructured.Unstructured) (*Record, error) {
	text := obj.GetAnnotations()[Decision]
	if text == "" {
		return nil, nil
	}
	r := &Record{}
	if err := json.Unmarshal([]byte(text), r); err != nil {
		return nil, fmt.Errorf("annotation %s is %q, expected what the controller wrote: %w", Decision, text, err)
	}
	return r, nil
}

// Encode is the value of the annotation.
func (r *Record) Encode() (string, error) {
	text, err := json.Marshal(r)
	return string(text), err
}

// SetAdvice keeps the decision with its record, without the sentence, which the
// record has already.
func (r *Record) SetAdvice(decision *mulliganv1.Decision) error {
	text, err := protojson.Marshal(decision)
	if err != nil {
		return err
	}
	// protojson varies its spaces; equal records must be equal annotations.
	var compact bytes.Buffer
	if err := json.Compact(&compact, text); err != nil {
		return err
	}
	r.Advice = compact.Bytes()
	return nil
}

// Decision is the advice of the record.
func (r *Record) Decision() (*mulliganv1.Decision, error) {
	decision := &mulliganv1.Decision{}
	if len(r.Advice) == 0 {
		return decision, nil
	}
	err := protojson.UnmarshalOptions{DiscardUnknown: true}.Unmarshal(r.Advice, decision)
	return decision, err
}

// FailureID names a failure of an object: it fails once, and once more after each
// change of its spec.
func FailureID(obj *unstructured.Unstructured) string {
	return fmt.Sprintf("%s/%s/%d", obj.GetKind(), obj.GetUID(), obj.GetGeneration())
}

// AttemptOf is the number of the attempt that an object is; 1 for the first.
func AttemptOf(obj *unstructured.Unstructured) int32 {
	number, err := strconv.ParseInt(obj.GetAnnotations()[Attempt], 10, 32)
	if err != nil || number < 1 {
		return 1
	}
	return int32(number)
}

// OriginOf is the name of the first attempt.
func OriginOf(obj *unstructured.Unstructured) string {
	if origin := obj.GetAnnotations()[Origin]; origin != "" {
		return origin
	}
	return obj.GetName()
}

// Names of pods and hosts are made from a workload's, which leaves this much.
const maxName = 45

// RetryName is the name of the attempt after obj. The same object always gets the
// same, so that its successor cannot be created twice; objects of the same name
// from other times get others.
func RetryName(obj *unstructured.Unstructured, attempt int32) string {
	digest := sha256.Sum256([]byte(obj.GetUID()))
	suffix := fmt.Sprintf("-r%d-%s", attempt, strings.ToLower(base32.StdEncoding.EncodeToString(digest[:])[:5]))
	origin := OriginOf(obj)
	if room := maxName - len(suffix); len(origin) > room {
		origin = strings.TrimRight(origin[:room], "-.")
	}
	return origin + suffix
}

// LabelValue shortens a name to what a label takes.
func LabelValue(name string) string {
	if len(name) <= 63 {
		return name
	}
	return strings.TrimRight(name[:63], "-._")
}
