package controller

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
	"mulligan.dev/mulligan/internal/badnode"
	"mulligan.dev/mulligan/internal/controller/fairqueue"
	"mulligan.dev/mulligan/internal/controller/kinds"
	"mulligan.dev/mulligan/internal/controller/records"
	"mulligan.dev/mulligan/internal/evidence"
)

// Name of the controller in Events, leases and field managers.
const Name = "mulligan-controller"

// SetUp adds a controller to the manager for each kind that the cluster has. ties must
// be the ones in the manager's cache transform.
func SetUp(mgr ctrl.Manager, decider mulliganv1.RetryDecisionServiceClient, ties *Ties, options Options) error {
	if err := options.Validate(); err != nil {
		return err
	}
	if err := mgr.GetFieldIndexer().IndexField(context.Background(), &corev1.Event{}, eventSubject, subjectOf); err != nil {
		return err
	}
	kept, err := keeper(mgr, &options)
	if err != nil {
		return err
	}
	divided := newShares(options.RetriesPerMinute, time.Now)
	paused := pausedBy(mgr.GetClient(), client.ObjectKey{Namespace: options.Namespace, Name: options.SwitchName})
	lately := newRecent(time.Now)
	if err := exchangeWith(mgr, lately, options.Peers); err != nil {
		return err
	}
	marker, err := markerOf(mgr, options)
	if err != nil {
		return err
	}
	from := reader{mgr.GetClient(), mgr.GetAPIReader(), ties}
	whose := newOwners(mgr.GetClient(), from)
	byKind := map[schema.GroupKind]*reconciler{}
	for _, kind := range kinds.All {
		gvk := kind.GroupVersionKind()
		_, err := mgr.GetRESTMapper().RESTMapping(gvk.GroupKind(), gvk.Version)
		if meta.IsNoMatchError(err) {
			mgr.GetLogger().Info("kind is not installed, not watched", "kind", gvk.Kind, "group", gvk.Group)
			continue
		}
		if err != nil {
			return fmt.Errorf("%s: %w", gvk.Kind, err)
		}
		r := &reconciler{
			kind:     kind,
			client:   mgr.GetClient(),
			records:  kept,
			owners:   whose,
			asker:    asker{decider: decider, reader: from, evidence: &evidence.Pods{}, recent: lately, logs: options.Logs, counted: options.CountObserved},
			options:  options,
			paused:   paused,
			shares:   divided,
			nodes:    marker,
			recorder: recorderOf(mgr, options),
			now:      time.Now,
		}
		byKind[gvk.GroupKind()] = r
		if err := r.watch(mgr); err != nil {
			return fmt.Errorf("%s: %w", gvk.Kind, err)
		}
		if err := forgetDeleted(mgr, newObject(kind), ties); err != nil {
			return err
		}
	}
	if err := forgetDeleted(mgr, &corev1.Pod{}, ties); err != nil {
		return err
	}
	if options.Webhooks {
		if err := serveWebhooks(mgr, &verdicts{
			watched: mgr.GetClient(), ties: ties, records: kept, decider: decider, recent: lately, options: options, paused: paused,
		}); err != nil {
			return err
		}
	}
	if options.AdmissionCheck {
		if err := answerChecks(mgr, byKind, options); err != nil {
			return err
		}
	}
	return watchOwners(mgr, ties)
}

// exchangeWith serves this cluster's failures and asks for those of peers.
func exchangeWith(mgr ctrl.Manager, lately *recent, peers Peers) error {
	if err := mgr.AddMetricsServerExtraHandler(DigestPath, lately.serve(peers.Cluster, mgr.Elected())); err != nil {
		return err
	}
	heard, err := newListener(peers, time.Now)
	if err != nil || heard == nil {
		return err
	}
	lately.others = heard
	return mgr.Add(heard)
}

// recorderOf returns a silent recorder if no Events should be written.
func recorderOf(mgr ctrl.Manager, options Options) record.EventRecorder {
	if options.NoEvents {
		// Without a channel it drops all Events.
		return &record.FakeRecorder{}
	}
	return mgr.GetEventRecorderFor(Name)
}

// markerOf returns nil if nothing is done about bad nodes.
func markerOf(mgr ctrl.Manager, options Options) (*badnode.Marker, error) {
	if options.Mode == Observe && options.Nodes.Action != badnode.None {
		options.Nodes.Action = badnode.Event
	}
	marker := badnode.New(options.Nodes, mgr.GetClient(), mgr.GetAPIReader(), recorderOf(mgr, options), mgr.GetLogger().WithName("nodes"))
	if marker == nil {
		return nil, nil
	}
	return marker, mgr.Add(marker)
}

// forgetDeleted watches objects of a kind, and frees the memory of deleted ones.
func forgetDeleted(mgr ctrl.Manager, obj client.Object, ties *Ties) error {
	informer, err := mgr.GetCache().GetInformer(context.Background(), obj, cache.BlockUntilSynced(false))
	if err != nil {
		return err
	}
	_, err = informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{DeleteFunc: ties.forget})
	return err
}

// keeper returns the store of records. If their kind is not installed, the controller
// only observes, because there is no place that only it may write.
func keeper(mgr ctrl.Manager, options *Options) (store, error) {
	if options.ReadOnly && len(options.ActIn) == 0 {
		return &memoryStore{}, nil
	}
	_, err := mgr.GetRESTMapper().RESTMapping(records.GroupVersionKind.GroupKind(), records.GroupVersionKind.Version)
	if meta.IsNoMatchError(err) {
		mgr.GetLogger().Info("the kind RetryRecord is not installed: only observing, nothing is charged or created; kubectl apply -f deploy/controller/retryrecords.yaml and start again", "mode", options.Mode)
		options.Mode, options.ActIn = Observe, nil
		return &memoryStore{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("RetryRecord: %w", err)
	}
	if err := records.AddToScheme(mgr.GetScheme()); err != nil {
		return nil, err
	}
	err = mgr.GetFieldIndexer().IndexField(context.Background(), &records.RetryRecord{}, records.Index, records.Keys)
	cluster := clusterStore{client: mgr.GetClient(), live: mgr.GetAPIReader()}
	return dividedStore{cluster: cluster, memory: &memoryStore{}, options: *options}, err
}

// watchOwners starts the watch of what lies between pods and workloads early, so that
// the first pod in trouble does not wait for it.
func watchOwners(mgr ctrl.Manager, ties *Ties) error {
	mapping, err := mgr.GetRESTMapper().RESTMapping(rayCluster)
	if meta.IsNoMatchError(err) {
		return nil
	}
	if err != nil {
		return err
	}
	clusters := &metav1.PartialObjectMetadata{}
	clusters.SetGroupVersionKind(mapping.GroupVersionKind)
	return forgetDeleted(mgr, clusters, ties)
}

// Pauses after errors: an unavailable service is asked again within seconds.
const (
	firstPause   = 500 * time.Millisecond
	longestPause = time.Minute
)

func (r *reconciler) watch(mgr ctrl.Manager) error {
	return builder.ControllerManagedBy(mgr).
		Named("mulligan-"+r.kind.GroupVersionKind().GroupKind().String()).
		For(newObject(r.kind), builder.WithPredicates(predicate.NewPredicateFuncs(r.noteRetrying))).
		Watches(&corev1.Pod{}, handler.EnqueueRequestsFromMapFunc(r.ofTroubledPod), builder.WithPredicates(troubledPods)).
		WithOptions(fairly(r.options)).
		Complete(r)
}

// fairly serves namespaces in turn.
func fairly(options Options) controller.Options {
	return controller.Options{
		MaxConcurrentReconciles: options.Concurrency,
		NewQueue:                fairqueue.New,
		RateLimiter: workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](
			firstPause, longestPause),
	}
}

var troubledPods = predicate.NewPredicateFuncs(func(obj client.Object) bool {
	pod, ok := obj.(*corev1.Pod)
	return ok && evidence.InTrouble(pod)
})

// noteRetrying keeps the version that reports a failed attempt, because a look reads the
// newest, and its operator may have cleared that by then. Every version deserves a look.
func (r *reconciler) noteRetrying(obj client.Object) bool {
	work, ok := obj.(*unstructured.Unstructured)
	if !ok {
		return true
	}
	if _, retrying := kinds.Retrying(work); retrying {
		r.remember(work, func(m *remembered) {
			m.retrying, m.retryingAt = work, r.now()
			if m.troubled.IsZero() {
				m.troubled = r.now()
			}
		})
	}
	return true
}

// ofTroubledPod returns the workload of a pod.
func (r *reconciler) ofTroubledPod(ctx context.Context, pod client.Object) []reconcile.Request {
	owner, err := r.owners.of(ctx, pod)
	if err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "finding the workload of a pod", "pod", client.ObjectKeyFromObject(pod))
		return nil
	}
	if owner == nil || kindOf(owner) != r.kind.GroupVersionKind().GroupKind() {
		return nil
	}
	workload := types.NamespacedName{Namespace: pod.GetNamespace(), Name: owner.Name}
	r.memory.of(workload, owner.UID, func(m *remembered) {
		if m.troubled.IsZero() {
			m.troubled = r.now()
		}
	})
	r.asker.evidence.Keep(owner.UID, pod.(*corev1.Pod))
	return []reconcile.Request{{NamespacedName: workload}}
}

// pausedBy returns a function that reads the kill switch.
func pausedBy(reader client.Reader, key client.ObjectKey) func(context.Context) (bool, error) {
	return func(ctx context.Context) (bool, error) {
		settings := &corev1.ConfigMap{}
		if err := reader.Get(ctx, key, settings); err != nil {
			return false, client.IgnoreNotFound(err)
		}
		switch value := settings.Data["paused"]; value {
		case "", "false":
			return false, nil
		case "true":
			return true, nil
		default:
			// An unknown value pauses, because its author wanted to stop something.
			ctrl.LoggerFrom(ctx).Info("paused: the kill switch has an unknown value",
				"configMap", key.String(), "paused", value, "expected", "true or false")
			return true, nil
		}
	}
}
