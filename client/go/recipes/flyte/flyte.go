// Package flyte lets Mulligan decide about the retry of a task that Flyte runs as an
// object of Kubernetes: a pod, a RayJob, a PyTorchJob, a SparkApplication.
//
// Decision point: flytepropeller v1.16.7,
// pkg/controller/nodes/task/k8s/plugin_manager.go, checkResourcePhase, where the plugin
// has said what the object has come to. It would become
//
//	p, err := e.plugin.GetTaskPhase(ctx, pluginCtx, o)
//	if err == nil {
//		p, err = flyte.Decide(ctx, e.gate, o, p)
//	}
//
// and launchResource, once the object of an attempt has its labels,
//
//	e.addObjectMetadata(k8sTaskCtxMetadata, o, cfg)
//	notes, err := flyte.HandOn(ctx, e.gate, o, time.Now())
//
// What is sent: the object, and what belongs to it, as [mulligan.Gather] finds it.
//
//	RETRY, due      RetryableFailure: of the kind SYSTEM unless the task is to blame
//	RETRY, later    Running, and asked again in the next round
//	WAIT            the same
//	FAIL, WAIT_...  PermanentFailure with the sentence
//	IGNORE          what the plugin said
//	no answer       what the plugin said
//
// More memory and other nodes are written into the object of the next attempt, which the
// plugin has made from the task as it made the first one.
//
// Flyte counts what comes back against its own limits, retries of the task and
// max-node-retries-system-failures, and gives up at them: they are to be at least the
// budgets of the policy. The ledger is on the failed object, which has to outlive the
// attempt: delete-resource-on-finalize stays off, as it is by default. Where the object is
// gone, as after an image that could not be pulled, the account begins anew, with the
// attempts that Flyte has counted.
package flyte

import (
	"context"
	"time"

	"github.com/flyteorg/flyte/flyteplugins/go/tasks/pluginmachinery/core"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"mulligan.dev/mulligan"
	"mulligan.dev/mulligan/gate"
	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
)

// Whose failures Flyte charges to the retries of the task; all others to the system.
var users = map[mulliganv1.Diagnosis_FaultDomain]bool{
	mulliganv1.Diagnosis_APPLICATION:    true,
	mulliganv1.Diagnosis_CONFIGURATION:  true,
	mulliganv1.Diagnosis_RESOURCE_LIMIT: true,
}

// Decide returns what native becomes, the phase that the plugin gave obj. Only failures
// are asked about. An error means that obj was not the latest: the round is to be
// repeated.
func Decide(ctx context.Context, g *gate.Gate, obj client.Object, native core.PhaseInfo) (core.PhaseInfo, error) {
	if !native.Phase().IsFailure() {
		return native, nil
	}
	verdict, err := g.Ask(ctx, obj)
	if err != nil {
		return core.PhaseInfoUndefined, err
	}
	code, info, cleanup := native.Err().GetCode(), native.Info(), native.CleanupOnFailure()
	switch verdict.Way {
	case gate.Later, gate.Wait:
		return core.PhaseInfoRunning(native.Version(), info), nil
	case gate.Retry:
		if users[verdict.Advice.Response.GetDiagnosis().GetFaultDomain()] {
			return pick(cleanup, core.PhaseInfoRetryableFailureWithCleanup, core.PhaseInfoRetryableFailure)(code, verdict.Sentence, info), nil
		}
		return pick(cleanup, core.PhaseInfoSystemRetryableFailureWithCleanup, core.PhaseInfoSystemRetryableFailure)(code, verdict.Sentence, info), nil
	case gate.Stop:
		return pick(cleanup, core.PhaseInfoFailureWithCleanup, core.PhaseInfoFailure)(code, verdict.Sentence, info), nil
	}
	return native, nil
}

type failing func(code, reason string, info *core.TaskInfo) core.PhaseInfo

func pick(cleanup bool, with, without failing) failing {
	if cleanup {
		return with
	}
	return without
}

// What Flyte puts on the objects of all attempts of a node.
var ofNode = []string{"execution-id", "node-id"}

// HandOn gives obj, which is about to be created, the ledger of the latest attempt and
// what was advised after it. It returns what could not be followed.
func HandOn(ctx context.Context, g *gate.Gate, obj client.Object, now time.Time) (notes []string, err error) {
	if !g.Open() {
		return nil, nil
	}
	latest, from, err := latestLedger(ctx, g, obj)
	if err != nil || latest == nil {
		return nil, err
	}
	text, err := mulligan.EncodeLedger(mulligan.HandOn(latest))
	if err != nil {
		return nil, err
	}
	annotations := obj.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[mulligan.LedgerAnnotation] = text
	obj.SetAnnotations(annotations)
	pod, ok := obj.(*corev1.Pod)
	if !ok {
		return g.FollowIn(obj, now)
	}
	template := &corev1.PodTemplateSpec{Spec: pod.Spec}
	// The plugin names the container of a task after the attempt.
	rename(template, pod.Name, from)
	notes, err = g.Follow(pod, now, template)
	rename(template, from, pod.Name)
	pod.Spec = template.Spec
	return notes, err
}

func rename(template *corev1.PodTemplateSpec, from, to string) {
	for i := range template.Spec.Containers {
		if container := &template.Spec.Containers[i]; container.Name == from {
			container.Name = to
		}
	}
}

// latestLedger is that of the latest attempt of obj's node, and the attempt's name.
func latestLedger(ctx context.Context, g *gate.Gate, obj client.Object) (latest *mulliganv1.BudgetLedger, of string, err error) {
	labels := client.MatchingLabels{}
	for _, key := range ofNode {
		value := obj.GetLabels()[key]
		if value == "" {
			return nil, "", nil // of no workflow
		}
		labels[key] = value
	}
	gvk, err := apiutil.GVKForObject(obj, g.Asker.Kube.Scheme())
	if err != nil {
		return nil, "", err
	}
	earlier := &unstructured.UnstructuredList{}
	earlier.SetGroupVersionKind(gvk.GroupVersion().WithKind(gvk.Kind + "List"))
	if err := g.Asker.Kube.List(ctx, earlier, client.InNamespace(obj.GetNamespace()), labels); err != nil {
		return nil, "", err
	}
	for i := range earlier.Items {
		// What anybody may have written in its place must not hold the next attempt up.
		ledger, err := mulligan.LedgerFrom(&earlier.Items[i])
		if err != nil {
			log.FromContext(ctx).Info("Mulligan hands no ledger on", "reason", err.Error())
			continue
		}
		if ledger.GetAttemptsSeen() > latest.GetAttemptsSeen() {
			latest, of = ledger, earlier.Items[i].GetName()
		}
	}
	return latest, of, nil
}
