package mulligan

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"

	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
)

const (
	// LedgerAnnotation holds the ledger of an object as compact proto JSON. The command
	// line reads it, too.
	LedgerAnnotation = "mulligan.dev/ledger"
	// MaxLedgerBytes bounds the annotation. The service drops the oldest records before
	// a ledger exceeds it; the sums stay.
	MaxLedgerBytes = 16 << 10
)

// LedgerFrom returns the ledger that the last answer left on obj. It is nil if there is
// none, or if it belongs to an object that is neither obj nor an owner of it (an
// annotation copied with a manifest). Then send nil: the service counts what the
// operator's own counters in the report show (status.failed of a Job or RayJob,
// status.restarts of a JobSet, the attempts of a SparkApplication) and says so in a
// warning. For other counters use [SeedLedger]. An invalid value is an error.
func LedgerFrom(obj client.Object) (*mulliganv1.BudgetLedger, error) {
	ledger, err := ParseLedger(obj.GetAnnotations()[LedgerAnnotation])
	if err != nil {
		return nil, fmt.Errorf("mulligan: %s: annotation %s: %w", label(obj), LedgerAnnotation, err)
	}
	if of := ledger.GetWorkloadUid(); of != "" && obj.GetUID() != "" && of != string(obj.GetUID()) && !ownedBy(obj, ledger) {
		return nil, nil
	}
	return ledger, nil
}

// ownedBy returns whether the ledger belongs to an owner of obj, by its owner
// references or labels: a JobSet's ledger is also kept on its Jobs.
func ownedBy(obj client.Object, ledger *mulliganv1.BudgetLedger) bool {
	of := ledger.GetWorkloadUid()
	if obj.GetLabels()[jobSetUIDLabel] == of {
		return true
	}
	return slices.ContainsFunc(obj.GetOwnerReferences(), func(owner metav1.OwnerReference) bool { return string(owner.UID) == of })
}

// ParseLedger reads the output of [EncodeLedger] or of the command line's --ledger-out.
// It returns nil for blank text. It drops fields of later versions, so callers should
// not be older than the service.
func ParseLedger(text string) (*mulliganv1.BudgetLedger, error) {
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	ledger := &mulliganv1.BudgetLedger{}
	if err := fromJSON.Unmarshal([]byte(text), ledger); err != nil {
		return nil, wrongField([]byte(text), ledger, fmt.Errorf("expected the ledger of an earlier answer as JSON: %w", err))
	}
	return ledger, nil
}

// EncodeLedger returns the ledger as compact proto JSON, for the annotation or a status
// field of the caller. It is empty for nil and for an empty ledger. More than
// [MaxLedgerBytes] is an error; the service's ledgers never exceed it.
func EncodeLedger(ledger *mulliganv1.BudgetLedger) (string, error) {
	if proto.Size(ledger) == 0 {
		return "", nil
	}
	text, err := protojson.Marshal(ledger)
	if err != nil {
		return "", fmt.Errorf("mulligan: ledger: %w", err)
	}
	// protojson varies its spaces, but equal ledgers must be equal annotations.
	var compact bytes.Buffer
	if err := json.Compact(&compact, text); err != nil {
		return "", fmt.Errorf("mulligan: ledger: %w", err)
	}
	if compact.Len() > MaxLedgerBytes {
		return "", fmt.Errorf("mulligan: ledger: %d bytes as JSON, expected at most %d as in every answer", compact.Len(), MaxLedgerBytes)
	}
	return compact.String(), nil
}

// StoreLedger writes the ledger of an answer to the annotation of obj, which must be
// the version that the ledger was read from. Store before acting: a caller that acts
// without storing is charged again.
//
// It writes nothing if obj already has this ledger, as after IGNORE and most answers of
// WAIT. The write carries the resource version. If another client changed the object in
// between, the error is a conflict ([apierrors.IsConflict]); read the object and ask
// again, which is charged only once. The ledger is stored nevertheless if the object
// still has the ledger that obj had, so that the next answer is the same even if the
// evidence is gone by then.
//
// On success obj has the new resource version and annotation, and is otherwise
// unchanged. On error obj is unchanged. In particular it keeps its resource version, so
// that an update without the others' changes is refused.
//
// [apierrors.IsConflict]: https://pkg.go.dev/k8s.io/apimachinery/pkg/api/errors#IsConflict
func StoreLedger(ctx context.Context, c client.Client, obj client.Object, ledger *mulliganv1.BudgetLedger) error {
	text, err := EncodeLedger(ledger)
	if err != nil {
		return err
	}
	before := obj.GetAnnotations()[LedgerAnnotation]
	if same, err := sameLedger(before, ledger); err == nil && same {
		return nil
	}
	if obj.GetResourceVersion() == "" {
		return fmt.Errorf("mulligan: %s: the ledger was not stored: the object has no resourceVersion, expected it as read from the API server", label(obj))
	}
	current, met, err := storeOver(ctx, c, obj, before, text)
	if err != nil {
		return fmt.Errorf("mulligan: %s: the ledger was not stored: %w", label(obj), err)
	}
	if met != nil {
		return fmt.Errorf("mulligan: %s: the ledger was stored, and something else has changed, read the object and ask again: %w", label(obj), met)
	}
	obj.SetResourceVersion(current.GetResourceVersion())
	setLedger(obj, text)
	return nil
}

// storeOver writes text while the object's ledger is still before, and returns the
// object after the write. met is the last conflict, if there was one.
func storeOver(ctx context.Context, c client.Client, obj client.Object, before, text string) (current client.Object, met, err error) {
	current = obj.DeepCopyObject().(client.Object)
	err = wait.ExponentialBackoffWithContext(ctx, retry.DefaultBackoff, func(ctx context.Context) (bool, error) {
		err := patchLedger(ctx, c, current, text)
		if !apierrors.IsConflict(err) {
			return true, err
		}
		met = err
		// A fresh object, because decoding into a used one would keep removed fields.
		current = newLike(obj)
		if err := c.Get(ctx, client.ObjectKeyFromObject(obj), current); err != nil {
			return false, err
		}
		if current.GetUID() != obj.GetUID() || current.GetAnnotations()[LedgerAnnotation] != before {
			return false, fmt.Errorf("another caller stored a ledger meanwhile, read the object and ask again: %w", met)
		}
		return false, nil
	})
	if wait.Interrupted(err) && met != nil {
		err = met
	}
	return current, met, err
}

func newLike(obj client.Object) client.Object {
	if u, ok := obj.(*unstructured.Unstructured); ok {
		fresh := &unstructured.Unstructured{}
		fresh.SetGroupVersionKind(u.GroupVersionKind())
		return fresh
	}
	return reflect.New(reflect.TypeOf(obj).Elem()).Interface().(client.Object)
}

// patchLedger changes one annotation, only if the object still has obj's version.
func patchLedger(ctx context.Context, c client.Client, obj client.Object, text string) error {
	base := obj.DeepCopyObject().(client.Object)
	setLedger(obj, text)
	return c.Patch(ctx, obj, client.MergeFromWithOptions(base, client.MergeFromWithOptimisticLock{}))
}

func setLedger(obj client.Object, text string) {
	annotations := map[string]string{}
	maps.Copy(annotations, obj.GetAnnotations())
	if text == "" {
		delete(annotations, LedgerAnnotation)
	} else {
		annotations[LedgerAnnotation] = text
	}
	obj.SetAnnotations(annotations)
}

func sameLedger(text string, ledger *mulliganv1.BudgetLedger) (bool, error) {
	stored, err := ParseLedger(text)
	if err != nil {
		return false, err
	}
	if stored == nil {
		return proto.Size(ledger) == 0, nil
	}
	return proto.Equal(stored, ledger), nil
}

// SeedLedger makes the first ledger of a workload whose operator counted failures
// before Mulligan was asked, for counters of the caller's own kinds, which the service
// does not read. The failures count as attempts and, if budget names one of the policy,
// as its use. counter names their source, for example "SimJob.status.retries". It
// returns nil for a count of zero or less.
//
// Send the seeded ledger only with the first report, and never for the kinds named at
// [LedgerFrom]: the service would take the higher of the two counts.
func SeedLedger(counter string, failures int32, budget string) *mulliganv1.BudgetLedger {
	if failures <= 0 {
		return nil
	}
	ledger := &mulliganv1.BudgetLedger{
		AttemptsSeen: failures,
		SeededFrom:   fmt.Sprintf("%s=%d", counter, failures),
	}
	if budget != "" {
		ledger.Budgets = map[string]*mulliganv1.BudgetUse{budget: {Used: failures}}
	}
	return ledger
}

// HandOn returns the ledger for the object that replaces its own, such as the copy of a
// Job under another name. What was spent stays; the UID and the operator's count start
// again.
func HandOn(ledger *mulliganv1.BudgetLedger) *mulliganv1.BudgetLedger {
	if ledger == nil {
		return nil
	}
	handed := proto.CloneOf(ledger)
	handed.WorkloadUid, handed.WorkloadKind = "", ""
	handed.NativeCount = nil
	return handed
}
