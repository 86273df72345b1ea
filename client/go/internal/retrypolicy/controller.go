// Package retrypolicy is a controller for RetryPolicy objects: it checks them,
// publishes them to the ConfigMap that the servers load, and writes conditions.
package retrypolicy

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/yaml"

	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
)

// Kind of the objects.
var Kind = schema.GroupVersionKind{Group: "mulligan.dev", Version: "v1", Kind: "RetryPolicy"}

const (
	// Description is the annotation that becomes metadata.description, which an object
	// of the cluster cannot have.
	Description = "mulligan.dev/description"
	// Before is written to the ConfigMap: the servers' revision when it was published.
	Before = "mulligan.dev/revision-before"
)

// Reconciler checks all RetryPolicy objects together, as the servers load them, and
// publishes the valid ones. For an invalid one, the last published version stays in
// force. It never publishes an empty set, because servers do not start with one.
type Reconciler struct {
	Client   client.Client
	Policies mulliganv1.PolicyServiceClient
	// ConfigMap that the servers load.
	ConfigMap client.ObjectKey
	// Report receives the numbers of accepted and refused policies.
	Report func(accepted, refused int)
}

// SetUp adds the controller to the manager.
func (r *Reconciler) SetUp(mgr ctrl.Manager) error {
	if _, err := mgr.GetRESTMapper().RESTMapping(Kind.GroupKind(), Kind.Version); err != nil {
		return fmt.Errorf("--retry-policies: %w: kubectl apply -f deploy/controller/retrypolicies.yaml", err)
	}
	policy := &unstructured.Unstructured{}
	policy.SetGroupVersionKind(Kind)
	// They are one set, so one request stands for all.
	all := handler.EnqueueRequestsFromMapFunc(func(context.Context, client.Object) []reconcile.Request {
		return []reconcile.Request{{NamespacedName: r.ConfigMap}}
	})
	ours := handler.EnqueueRequestsFromMapFunc(func(_ context.Context, obj client.Object) []reconcile.Request {
		if client.ObjectKeyFromObject(obj) != r.ConfigMap {
			return nil
		}
		return []reconcile.Request{{NamespacedName: r.ConfigMap}}
	})
	return builder.ControllerManagedBy(mgr).Named("mulligan-retrypolicies").
		Watches(policy, all).Watches(&corev1.ConfigMap{}, ours).Complete(r)
}

// How often to ask the servers whether they have loaded what was published, and
// otherwise, in case their files change.
const (
	untilLoaded = 5 * time.Second
	afterLoaded = 5 * time.Minute
)

// Reconcile updates ConfigMap and conditions from the objects.
func (r *Reconciler) Reconcile(ctx context.Context, _ ctrl.Request) (ctrl.Result, error) {
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(Kind.GroupVersion().WithKind(Kind.Kind + "List"))
	if err := r.Client.List(ctx, list); err != nil {
		return ctrl.Result{}, err
	}
	published := &corev1.ConfigMap{}
	if err := r.Client.Get(ctx, r.ConfigMap, published); client.IgnoreNotFound(err) != nil {
		return ctrl.Result{}, err
	}
	checked, err := r.check(ctx, list.Items, published.Data)
	if err != nil {
		return ctrl.Result{}, err
	}
	loaded, err := r.Policies.ListPolicies(ctx, &mulliganv1.ListPoliciesRequest{})
	if err != nil {
		return ctrl.Result{}, err
	}
	if err := r.publish(ctx, published, checked.files, loaded.GetRevision()); err != nil {
		return ctrl.Result{}, err
	}
	return r.answer(ctx, list.Items, checked, published, loaded)
}

// verdicts is the result of a check.
type verdicts struct {
	// The set to publish, by file name; nil if none can be.
	files map[string]string
	// Errors and warnings by file name.
	errors, warnings map[string][]string
}

func fileOf(policy *unstructured.Unstructured) string { return policy.GetName() + ".yaml" }

// check tries the set as it is, and then with the last published versions of invalid
// policies, or without them.
func (r *Reconciler) check(ctx context.Context, policies []unstructured.Unstructured, published map[string]string) (*verdicts, error) {
	files := map[string]string{}
	for i := range policies {
		text, err := textOf(&policies[i])
		if err != nil {
			return nil, err
		}
		files[fileOf(&policies[i])] = text
	}
	checked := &verdicts{files: files, errors: map[string][]string{}, warnings: map[string][]string{}}
	if len(files) == 0 {
		checked.files = nil
		return checked, nil
	}
	valid, err := r.checkFiles(ctx, files, checked)
	if err != nil || valid {
		return checked, err
	}
	good := maps.Clone(files)
	for file := range checked.errors {
		if last, ok := published[file]; ok && last != files[file] {
			good[file] = last
		} else {
			delete(good, file)
		}
	}
	checked.files = nil
	if len(good) == 0 {
		return checked, nil
	}
	again := &verdicts{errors: map[string][]string{}, warnings: map[string][]string{}}
	if valid, err = r.checkFiles(ctx, good, again); err != nil {
		return nil, err
	}
	if valid {
		checked.files = good
	}
	return checked, nil
}

func (r *Reconciler) checkFiles(ctx context.Context, files map[string]string, into *verdicts) (bool, error) {
	request := &mulliganv1.CheckPolicyRequest{}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		request.Files = append(request.Files, &mulliganv1.PolicyFile{Name: name, Text: files[name]})
	}
	answer, err := r.Policies.CheckPolicy(ctx, request)
	if err != nil {
		return false, err
	}
	for _, issue := range answer.GetIssues() {
		text := issue.GetMessage()
		if issue.GetLine() > 0 {
			text = fmt.Sprintf("%d:%d: %s", issue.GetLine(), issue.GetColumn(), text)
		}
		to := into.warnings
		if issue.GetSeverity() == mulliganv1.PolicyIssue_ERROR {
			to = into.errors
		}
		to[issue.GetFile()] = append(to[issue.GetFile()], text)
	}
	return answer.GetValid(), nil
}

// textOf returns the policy file of an object, the entry in the ConfigMap. Lines and
// columns in conditions refer to it.
func textOf(policy *unstructured.Unstructured) (string, error) {
	metadata := map[string]any{"name": policy.GetName()}
	if description := policy.GetAnnotations()[Description]; description != "" {
		metadata["description"] = description
	}
	text, err := yaml.Marshal(map[string]any{
		"apiVersion": Kind.GroupVersion().String(), "kind": Kind.Kind,
		"metadata": metadata, "spec": policy.Object["spec"],
	})
	return string(text), err
}

// publish writes the ConfigMap if the set has changed.
func (r *Reconciler) publish(ctx context.Context, published *corev1.ConfigMap, files map[string]string, revision string) error {
	if files == nil || maps.Equal(files, published.Data) {
		return nil
	}
	exists := published.ResourceVersion != ""
	published.Name, published.Namespace = r.ConfigMap.Name, r.ConfigMap.Namespace
	published.Data = files
	if published.Annotations == nil {
		published.Annotations = map[string]string{}
	}
	published.Annotations[Before] = revision
	if exists {
		return r.Client.Update(ctx, published)
	}
	return r.Client.Create(ctx, published)
}

// answer writes the conditions, and requeues until everything is loaded.
func (r *Reconciler) answer(ctx context.Context, policies []unstructured.Unstructured, checked *verdicts, published *corev1.ConfigMap, loaded *mulliganv1.ListPoliciesResponse) (ctrl.Result, error) {
	again, refused := afterLoaded, 0
	var errs []error
	for i := range policies {
		policy := &policies[i]
		accepted := acceptance(policy, checked)
		if accepted.Status != metav1.ConditionTrue {
			refused++
		}
		inForce := inForce(policy, published, loaded)
		if inForce.Status != metav1.ConditionTrue {
			again = untilLoaded
		}
		revision := ""
		if inForce.Status == metav1.ConditionTrue {
			revision = loaded.GetRevision()
		}
		errs = append(errs, r.writeStatus(ctx, policy, revision, accepted, inForce))
	}
	if r.Report != nil {
		r.Report(len(policies)-refused, refused)
	}
	return ctrl.Result{RequeueAfter: again}, errors.Join(errs...)
}

func acceptance(policy *unstructured.Unstructured, checked *verdicts) metav1.Condition {
	condition := metav1.Condition{Type: "Accepted", Status: metav1.ConditionTrue, Reason: "Valid", Message: "The policy is valid."}
	file := fileOf(policy)
	warnings, wrong := checked.warnings[file], checked.errors[file]
	switch {
	case len(wrong) > 0:
		condition.Status, condition.Reason = metav1.ConditionFalse, "Invalid"
		condition.Message = strings.Join(wrong, "\n")
	case checked.files == nil:
		condition.Status, condition.Reason = metav1.ConditionFalse, "SetRefused"
		condition.Message = "The policies cannot be loaded together: " + strings.Join(allErrors(checked), "; ")
	case len(warnings) > 0:
		condition.Reason, condition.Message = "ValidWithWarnings", strings.Join(warnings, "\n")
	}
	return condition
}

func allErrors(checked *verdicts) []string {
	var all []string
	for file, wrong := range checked.errors {
		for _, text := range wrong {
			all = append(all, file+":"+text)
		}
	}
	sort.Strings(all)
	return all
}

// inForce compares what is published with what a server has loaded.
func inForce(policy *unstructured.Unstructured, published *corev1.ConfigMap, loaded *mulliganv1.ListPoliciesResponse) metav1.Condition {
	condition := metav1.Condition{Type: "Loaded", Status: metav1.ConditionFalse}
	text, err := textOf(policy)
	current := published.Data[fileOf(policy)]
	named := slices.ContainsFunc(loaded.GetPolicies(), func(summary *mulliganv1.PolicySummary) bool {
		return summary.GetName() == policy.GetName() && strings.HasSuffix(summary.GetFile(), fileOf(policy))
	})
	switch {
	case current == "":
		condition.Reason, condition.Message = "NotPublished", "No version of the policy was ever valid."
	case err != nil || current != text:
		condition.Reason, condition.Message = "LastGoodStays", "The last valid version stays in force."
	case loaded.GetLastError() != "":
		condition.Reason, condition.Message = "NotLoaded", "The servers keep an earlier set: "+loaded.GetLastError()
	case !named || loaded.GetRevision() == published.Annotations[Before]:
		condition.Reason, condition.Message = "Pending", "Published; the servers have not loaded it yet."
	default:
		condition.Status, condition.Reason = metav1.ConditionTrue, "InForce"
		condition.Message = "Loaded with revision " + loaded.GetRevision() + "."
	}
	return condition
}

// The most bytes of a condition's message.
const maxMessage = 32 << 10

func (r *Reconciler) writeStatus(ctx context.Context, policy *unstructured.Unstructured, revision string, conditions ...metav1.Condition) error {
	changed := policy.DeepCopy()
	var status struct {
		Conditions []metav1.Condition `json:"conditions"`
		Revision   string             `json:"revision,omitempty"`
	}
	if old, ok := policy.Object["status"].(map[string]any); ok {
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(old, &status); err != nil {
			return err
		}
	}
	status.Revision = revision
	for _, condition := range conditions {
		condition.ObservedGeneration = policy.GetGeneration()
		condition.Message = condition.Message[:min(len(condition.Message), maxMessage)]
		meta.SetStatusCondition(&status.Conditions, condition)
	}
	fresh, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&status)
	if err != nil {
		return err
	}
	changed.Object["status"] = fresh
	err = r.Client.Status().Patch(ctx, changed, client.MergeFrom(policy))
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}
