package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/events"
	clocktesting "k8s.io/utils/clock/testing"
	"mulligan.dev/mulligan/tests/oracle/cases"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
	qcache "sigs.k8s.io/kueue/pkg/cache/queue"
	schdcache "sigs.k8s.io/kueue/pkg/cache/scheduler"
	"sigs.k8s.io/kueue/pkg/controller/core"
	"sigs.k8s.io/kueue/pkg/controller/core/indexer"
	"sigs.k8s.io/kueue/pkg/features"
	expectations "sigs.k8s.io/kueue/pkg/scheduler/preemption/expectations"
)

// maxPasses is more than any workload needs that stops changing.
const maxPasses = 20

var scheme = cases.Built(runtime.NewScheme(), kueue.AddToScheme, clientgoscheme.AddToScheme)

// apply imitates the API server's server-side apply for the admission's
// manager, which owns the whole status here: it removes what the patch omits.
func apply(ctx context.Context, c client.Client, subresource string, object client.Object, patch client.Patch, options ...client.SubResourcePatchOption) error {
	wanted, ok := object.(*kueue.Workload)
	if !ok || patch.Type() != client.Apply.Type() { //nolint:staticcheck // what the controller sends
		return c.SubResource(subresource).Patch(ctx, object, patch, options...)
	}
	var current kueue.Workload
	if err := c.Get(ctx, client.ObjectKeyFromObject(object), &current); err != nil {
		return err
	}
	wanted.Status.DeepCopyInto(&current.Status)
	if err := c.Status().Update(ctx, &current); err != nil {
		return err
	}
	current.DeepCopyInto(wanted)
	return nil
}

// indexes gives a fake client the indexes that the manager gives a real one.
type indexes struct{ builder *fake.ClientBuilder }

// IndexField implements client.FieldIndexer.
func (i indexes) IndexField(_ context.Context, object client.Object, field string, value client.IndexerFunc) error {
	i.builder.WithIndex(object, field, value)
	return nil
}

type cluster struct {
	client     client.Client
	reconciler *core.WorkloadReconciler
	key        client.ObjectKey
	clock      *clocktesting.FakeClock
}

func newCluster(s scene) (*cluster, error) {
	ctx := context.Background()
	gates := fmt.Sprintf("%s=%t,%s=%t", features.DisableWaitForPodsReady, s.disabled,
		features.UnadmittedWorkloadsObservability, s.observed)
	if err := utilfeature.DefaultMutableFeatureGate.Set(gates); err != nil {
		return nil, err
	}
	cq := &kueue.ClusterQueue{ObjectMeta: metav1.ObjectMeta{Name: clusterQueue},
		Spec: kueue.ClusterQueueSpec{StopPolicy: &s.clusterPolicy, NamespaceSelector: &metav1.LabelSelector{},
			// The workload's checks are those of its flavors.
			ResourceGroups: []kueue.ResourceGroup{{CoveredResources: []corev1.ResourceName{corev1.ResourceCPU},
				Flavors: []kueue.FlavorQuotas{{Name: "default", Resources: []kueue.ResourceQuota{
					{Name: corev1.ResourceCPU, NominalQuota: resource.MustParse("10")}}}}}}}}
	for _, check := range s.workload.Status.AdmissionChecks {
		if cq.Spec.AdmissionChecksStrategy == nil {
			cq.Spec.AdmissionChecksStrategy = &kueue.AdmissionChecksStrategy{}
		}
		rules := &cq.Spec.AdmissionChecksStrategy.AdmissionChecks
		*rules = append(*rules, kueue.AdmissionCheckStrategyRule{Name: check.Name})
	}
	lq := &kueue.LocalQueue{ObjectMeta: metav1.ObjectMeta{Name: localQueue, Namespace: s.workload.Namespace},
		Spec: kueue.LocalQueueSpec{ClusterQueue: clusterQueue, StopPolicy: &s.localPolicy}}
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: s.workload.Namespace}}
	builder := fake.NewClientBuilder().WithScheme(scheme).WithObjects(s.workload.DeepCopy(), cq, lq, namespace).
		WithStatusSubresource(&kueue.Workload{}).
		WithInterceptorFuncs(interceptor.Funcs{SubResourcePatch: apply})
	if err := indexer.Setup(ctx, indexes{builder}); err != nil {
		return nil, err
	}
	c := builder.Build()
	cache := schdcache.New(c)
	makeActive(cache, cq)
	queues := qcache.NewManagerForUnitTests(c, cache, qcache.WithPreemptionExpectations(expectations.New()))
	if err := errors.Join(queues.AddClusterQueue(ctx, cq), cache.AddClusterQueue(ctx, cq), queues.AddLocalQueue(ctx, lq)); err != nil {
		return nil, err
	}
	clock := clocktesting.NewFakeClock(cases.Now)
	return &cluster{client: c, key: client.ObjectKeyFromObject(s.workload), clock: clock,
		reconciler: core.NewWorkloadReconciler(c, queues, cache, events.NewFakeRecorder(100),
			core.WithReadiness(s.readiness), core.WithOracleClock(clock))}, nil
}

// makeActive lets only its stop policy keep the ClusterQueue inactive.
func makeActive(cache *schdcache.Cache, cq *kueue.ClusterQueue) {
	cache.AddOrUpdateResourceFlavor(logr.Discard(), &kueue.ResourceFlavor{ObjectMeta: metav1.ObjectMeta{Name: "default"}})
	if cq.Spec.AdmissionChecksStrategy == nil {
		return
	}
	for _, rule := range cq.Spec.AdmissionChecksStrategy.AdmissionChecks {
		check := &kueue.AdmissionCheck{ObjectMeta: metav1.ObjectMeta{Name: string(rule.Name)}}
		apimeta.SetStatusCondition(&check.Status.Conditions, metav1.Condition{Type: kueue.AdmissionCheckActive, Status: metav1.ConditionTrue})
		cache.AddOrUpdateAdmissionCheck(logr.Discard(), check)
	}
}

// settle reconciles until nothing changes. It returns nil if a workload never
// stops changing because one pass sets what the next one clears.
func (c *cluster) settle() (*kueue.Workload, error) {
	var before kueue.Workload
	ctx := context.Background()
	if err := c.client.Get(ctx, c.key, &before); err != nil {
		return nil, err
	}
	for range maxPasses {
		if _, err := c.reconciler.Reconcile(ctx, ctrl.Request{NamespacedName: c.key}); err != nil {
			return nil, err
		}
		var after kueue.Workload
		if err := c.client.Get(ctx, c.key, &after); err != nil {
			return nil, err
		}
		if same(before, after) && !c.awaitBackoff(&after) {
			return &after, nil
		}
		before = after
	}
	return nil, nil
}

// awaitBackoff moves the clock to the time for which the controller waits.
func (c *cluster) awaitBackoff(workload *kueue.Workload) bool {
	state := workload.Status.RequeueState
	if !isActive(workload) || apimeta.IsStatusConditionTrue(workload.Status.Conditions, kueue.WorkloadEvicted) ||
		state == nil || state.RequeueAt == nil || !state.RequeueAt.After(c.clock.Now()) {
		return false
	}
	c.clock.SetTime(state.RequeueAt.Time)
	return true
}

func isActive(workload *kueue.Workload) bool {
	return workload.Spec.Active == nil || *workload.Spec.Active
}

func same(a, b kueue.Workload) bool {
	text := func(w kueue.Workload) string {
		made, err := json.Marshal([]any{w.Spec, w.Status})
		if err != nil {
			panic(err)
		}
		return string(made)
	}
	return reflect.DeepEqual(text(a), text(b))
}

// observe returns the result of the passes.
func observe(s scene) (map[string]any, error) {
	world, err := newCluster(s)
	if err != nil {
		return nil, err
	}
	after, err := world.settle()
	if err != nil || after == nil {
		return nil, err
	}
	finished := apimeta.FindStatusCondition(after.Status.Conditions, kueue.WorkloadFinished)
	if finished != nil && finished.Status == metav1.ConditionTrue {
		return answer("Finished", finished, after, 0), nil
	}
	evicted := apimeta.FindStatusCondition(after.Status.Conditions, kueue.WorkloadEvicted)
	if evicted == nil || evicted.Status != metav1.ConditionTrue {
		if apimeta.IsStatusConditionTrue(after.Status.Conditions, kueue.WorkloadAdmitted) {
			return map[string]any{"verdict": []string{"None"}}, nil
		}
		quota := apimeta.FindStatusCondition(after.Status.Conditions, kueue.WorkloadQuotaReserved)
		if quota == nil {
			quota = &metav1.Condition{}
		}
		return answer("Pending", quota, after, 0), nil
	}
	return answer(wordFor(s.workload, after, evicted), evicted, after, world.clock.Since(cases.Now)), nil
}

// wordFor returns the verdict about a workload evicted after all passes.
func wordFor(before, after *kueue.Workload, evicted *metav1.Condition) string {
	switch {
	case apimeta.IsStatusConditionTrue(before.Status.Conditions, kueue.WorkloadEvicted):
		return "Evicted"
	case isActive(before) && !isActive(after):
		return "Deactivate"
	case evicted.Reason == kueue.WorkloadEvictedByPodsReadyTimeout:
		return "EvictAndRequeueWithBackoff"
	}
	return "Evict"
}

func answer(word string, condition *metav1.Condition, after *kueue.Workload, waited time.Duration) map[string]any {
	expect := map[string]any{
		"verdict": []string{word},
		"reason":  []string{condition.Reason},
		"message": condition.Message,
	}
	counters := map[string]any{}
	if state := after.Status.RequeueState; state != nil && state.Count != nil {
		counters["requeueState.count"] = *state.Count
	}
	if stats := after.Status.SchedulingStats; stats != nil {
		for i, eviction := range stats.Evictions {
			counters[fmt.Sprintf("schedulingStats.evictions[%d].count", i)] = eviction.Count
		}
	}
	for i, check := range after.Status.AdmissionChecks {
		if check.RetryCount != nil {
			counters[fmt.Sprintf("admissionChecks[%d].retryCount", i)] = *check.RetryCount
		}
	}
	expect["counters"] = counters
	if word == "EvictAndRequeueWithBackoff" || word == "Evict" && condition.Reason == kueue.WorkloadEvictedByAdmissionCheck {
		expect["delay"] = delay(after.Status.RequeueState, waited)
	}
	return expect
}

// delay returns how many seconds from Now the workload waits to be queued
// again: until requeueAt, or as long as the eviction was waited for.
func delay(state *kueue.RequeueState, waited time.Duration) int64 {
	if state != nil && state.RequeueAt != nil {
		waited = max(waited, state.RequeueAt.Sub(cases.Now))
	}
	return int64(waited.Seconds())
}
