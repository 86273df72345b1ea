package records

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"google.golang.org/protobuf/encoding/protojson"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
)

// Decision is what was decided about one attempt.
type Decision struct {
	// About is the UID of the attempt.
	About types.UID `json:"about"`
	// Action of the decision, such as RETRY.
	Action string `json:"action"`
	// Sentence of the decision.
	Sentence string `json:"sentence"`
	// Cause of the failure.
	Cause string `json:"cause,omitempty"`
	// Budget that paid, as "NAME USED/LIMIT"; empty if none did.
	Budget string `json:"budget,omitempty"`
	// Mode in which it was decided. Observed decisions are never carried out later.
	Mode string `json:"mode"`
	// DecidedAt is when it was decided.
	DecidedAt time.Time `json:"decidedAt"`
	// NotBefore is when the retry may start; zero unless the action is RETRY.
	NotBefore time.Time `json:"notBefore,omitzero"`
	// Retry is the name of the next attempt; empty unless the action is RETRY.
	Retry string `json:"retry,omitempty"`
	// Attempt is the number of the next attempt; 0 unless the action is RETRY.
	Attempt int32 `json:"attempt,omitempty"`
	// Generation of the object that was decided about.
	Generation int64 `json:"generation"`
	// Suspend says that this decision stops the work: we or its queue suspend the
	// object, which makes its next generation.
	Suspend bool `json:"suspend,omitempty"`
	// Unbegun: the operator had not begun with the object; see kinds.Kind.Begun.
	Unbegun bool `json:"unbegun,omitempty"`
	// FailureID, DecisionID, Policy and Revision of the answer.
	FailureID  string `json:"failureId"`
	DecisionID string `json:"decisionId,omitempty"`
	Policy     string `json:"policy,omitempty"`
	Revision   string `json:"revision,omitempty"`
	// Container to change if the decision names none.
	Container string `json:"container,omitempty"`
	// Advice is the decision itself as proto JSON; absent unless the action is RETRY.
	Advice json.RawMessage `json:"advice,omitempty"`
}

// Encode returns the value of the annotation, equal for equal decisions.
func (d *Decision) Encode() (string, error) {
	text, err := json.Marshal(d)
	return string(text), err
}

// SetAdvice stores the decision of the answer. The caller clears its sentence, which is
// stored already.
func (d *Decision) SetAdvice(decision *mulliganv1.Decision) error {
	text, err := protojson.Marshal(decision)
	if err != nil {
		return err
	}
	// protojson varies its spaces, but equal decisions must be equal annotations.
	var compact bytes.Buffer
	if err := json.Compact(&compact, text); err != nil {
		return err
	}
	d.Advice = compact.Bytes()
	return nil
}

// GetAdvice returns the decision of the answer.
func (d *Decision) GetAdvice() (*mulliganv1.Decision, error) {
	decision := &mulliganv1.Decision{}
	if len(d.Advice) == 0 {
		return decision, nil
	}
	err := protojson.UnmarshalOptions{DiscardUnknown: true}.Unmarshal(d.Advice, decision)
	return decision, err
}

// FailureID names a failure of an object: one per generation of its spec.
func FailureID(obj *unstructured.Unstructured) string {
	return fmt.Sprintf("%s/%s/%d", obj.GetKind(), obj.GetUID(), obj.GetGeneration())
}
