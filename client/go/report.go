package mulligan

import (
	"errors"
	"fmt"
	"reflect"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
	"mulligan.dev/mulligan/internal/reportkinds"
)

// Report collects what a controller knows about one workload. It is made with
// [NewReport] or [Gather], filled by its methods in any order, and turned into a
// message by [Report.Build] or [Report.Request], which return all mistakes
// together. It is not safe for concurrent use.
//
// Objects are read when they are added and never changed. managedFields, environment
// variables and other fields that Mulligan does not know do not leave the process.
type Report struct {
	parts    []part
	objects  []runtime.Object
	edits    []func(*mulliganv1.FailureReport)
	notes    []string
	errs     []error
	observed time.Time
	workload client.Object
}

// part is a converted object.
type part struct {
	kind    *reportkinds.Kind
	key     string
	label   string
	message proto.Message
}

// NewReport returns an empty report.
func NewReport() *Report { return &Report{} }

// Add adds objects of these types:
//
//   - Pod, Job, Node and Event of k8s.io/api, through their protobuf bytes;
//   - JobSet, RayJob, RayCluster, TrainJob, SparkApplication, Kueue's Workload and
//     Kubeflow's PyTorchJob, TFJob, MPIJob, XGBoostJob, PaddleJob and JAXJob of
//     their own Go packages, and everything in [unstructured.Unstructured], through
//     JSON;
//   - lists of these;
//   - [metav1.Status], as the error of a creation.
//
// An object with the UID of an added one replaces it. Another kind, a second object where
// the report takes one, and an invalid value of a field are errors of [Report.Build].
//
// [unstructured.Unstructured]: https://pkg.go.dev/k8s.io/apimachinery/pkg/apis/meta/v1/unstructured
func (r *Report) Add(objects ...runtime.Object) *Report {
	for i, obj := range objects {
		if obj == nil || reflect.ValueOf(obj).Kind() == reflect.Pointer && reflect.ValueOf(obj).IsNil() {
			r.fail(fmt.Errorf("mulligan: object %d given to Add is nil, expected a Kubernetes object", i))
			continue
		}
		r.fail(r.add(obj))
	}
	return r
}

func (r *Report) add(obj runtime.Object) error {
	if status, ok := obj.(*metav1.Status); ok {
		r.creationFailed(status)
		return nil
	}
	if meta.IsListType(obj) {
		return meta.EachListItem(obj, r.add)
	}
	gvk := identify(obj)
	k := reportkinds.Find(gvk.GroupKind())
	if k == nil {
		return fmt.Errorf("mulligan: %s: kind %q of group %q is not taken, expected %s; For names any other kind as the workload",
			label(obj), gvk.Kind, gvk.Group, takenKinds())
	}
	message, err := convert(obj, gvk, k)
	if err != nil {
		return err
	}
	r.objects = append(r.objects, obj)
	return r.place(part{kind: k, key: keyOf(obj), label: label(obj), message: message})
}

// keyOf is equal for two versions of an object.
func keyOf(obj runtime.Object) string {
	o, ok := obj.(client.Object)
	switch {
	case !ok:
		return ""
	case o.GetUID() != "":
		return string(o.GetUID())
	case o.GetName() != "":
		return o.GetNamespace() + "/" + o.GetName()
	}
	return ""
}

func (r *Report) place(added part) error {
	isList := fieldOf(added.kind).IsList()
	for i, p := range r.parts {
		if p.kind.Field != added.kind.Field {
			continue
		}
		if added.key != "" && p.key == added.key {
			r.parts[i] = added
			return nil
		}
		if !isList {
			return fmt.Errorf("mulligan: %s: report.%s takes one object and has %s already", added.label, added.kind.Field, p.label)
		}
	}
	r.parts = append(r.parts, added)
	return nil
}

// For names the workload. The default is the most senior object in the report (custom
// resource, then Job, then pod). A kind that Mulligan does not know is decided from its
// pods.
func (r *Report) For(obj client.Object) *Report {
	gvk := identify(obj)
	if gvk.Kind == "" {
		r.fail(fmt.Errorf("mulligan: %T: the workload has no kind, expected one: set its TypeMeta", obj))
		return r
	}
	return r.With(func(report *mulliganv1.FailureReport) {
		report.Workload = referenceTo(obj, gvk)
	})
}

func referenceTo(obj client.Object, gvk schema.GroupVersionKind) *mulliganv1.WorkloadReference {
	return &mulliganv1.WorkloadReference{
		ApiGroup:    gvk.Group,
		Kind:        gvk.Kind,
		Namespace:   obj.GetNamespace(),
		Name:        obj.GetName(),
		Uid:         string(obj.GetUID()),
		Labels:      obj.GetLabels(),
		Annotations: withoutOwn(obj.GetAnnotations()),
	}
}

// At sets when the caller observed the failure, the only clock of a decision. Default: the
// time of Build.
func (r *Report) At(observed time.Time) *Report {
	r.observed = observed
	return r
}

// CreationFailed reports that creating an object of the kind, for example "Pod", failed
// with err. It reads code and reason from an [apierrors.APIStatus].
func (r *Report) CreationFailed(kind string, err error) *Report {
	status := metav1.Status{Message: err.Error(), Details: &metav1.StatusDetails{Kind: kind}}
	if answer := apierrors.APIStatus(nil); errors.As(err, &answer) {
		answered := answer.Status()
		status.Code, status.Reason = answered.Code, answered.Reason
	}
	r.creationFailed(&status)
	return r
}

// BuildFailed reports that an object of the kind could not be built from the spec, before
// any call.
func (r *Report) BuildFailed(kind string, err error) *Report {
	return r.With(func(report *mulliganv1.FailureReport) {
		report.CreationError = &mulliganv1.CreationError{Phase: mulliganv1.CreationError_BUILD, Kind: kind, Message: err.Error()}
	})
}

func (r *Report) creationFailed(status *metav1.Status) {
	if status.Status == metav1.StatusSuccess {
		return
	}
	failed := &mulliganv1.CreationError{
		Phase:    mulliganv1.CreationError_CREATE,
		HttpCode: status.Code,
		Reason:   string(status.Reason),
		Message:  status.Message,
	}
	if status.Details != nil {
		failed.Kind = status.Details.Kind
	}
	r.With(func(report *mulliganv1.FailureReport) { report.CreationError = failed })
}

// With edits the message, for example to set what no object says: failure_id, attempt,
// progress, usage, exit. Edits run at the end of [Report.Build], in the order of the calls.
func (r *Report) With(edit func(*mulliganv1.FailureReport)) *Report {
	r.edits = append(r.edits, edit)
	return r
}

// Hint adds other tools' diagnoses of the failure: NVIDIA's Restart Agent, a model that
// read the log, a node-health checker. Source and cause are mandatory. A hint decides only
// if the objects leave the cause open.
func (r *Report) Hint(hints ...*mulliganv1.Hint) *Report {
	return r.With(func(report *mulliganv1.FailureReport) { report.Hints = append(report.Hints, hints...) })
}

// Objects returns the added objects and the items of added lists, in order.
func (r *Report) Objects() []runtime.Object { return r.objects }

// Workload returns the object that [Gather] was called with, or its most senior owner. Its
// annotation holds the ledger. Nil after [NewReport].
func (r *Report) Workload() client.Object { return r.workload }

// Notes returns short sentences about what [Gather] could not read or left out.
func (r *Report) Notes() []string { return r.notes }

// Build returns the report as a new message, or all of its errors.
func (r *Report) Build() (*mulliganv1.FailureReport, error) {
	if err := errors.Join(r.errs...); err != nil {
		return nil, err
	}
	report := &mulliganv1.FailureReport{}
	for _, p := range r.parts {
		appendTo(report, p)
	}
	observed := r.observed
	if observed.IsZero() {
		observed = time.Now()
	}
	report.ObservedAt = timestamppb.New(observed)
	for _, edit := range r.edits {
		edit(report)
	}
	return report, nil
}

// Request returns the question what to do about the report, given the ledger of the last
// answer (nil if there is none, see [LedgerFrom]).
func (r *Report) Request(ledger *mulliganv1.BudgetLedger) (*mulliganv1.DecideRequest, error) {
	report, err := r.Build()
	if err != nil {
		return nil, err
	}
	return &mulliganv1.DecideRequest{Report: report, Ledger: ledger}, nil
}

func (r *Report) fail(err error) {
	if err != nil {
		r.errs = append(r.errs, err)
	}
}
