package job

import (
	"context"
	"time"

	batch "k8s.io/api/batch/v1"
	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/controller"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
)

// Oracle is a Controller whose objects, pods and clock belong to the caller.
type Oracle struct {
	jm *Controller
	// Jobs and Pods are the controller's caches.
	Jobs, Pods cache.Indexer
	// Delays are the delays after which the last Sync asked to be called again.
	Delays []time.Duration
	// Written is the last status that the controller wrote, or nil.
	Written *batch.Job
	// Remembered is the memory that the last Sync used, Happened the memory if it
	// had kept everything that it saw: it loses what it does not write.
	Remembered, Happened Memory
	seen                 *backoffStore
}

// Memory is the controller's record of failures since the last success.
type Memory struct {
	Failures int32
	// Last is when the last one finished, or nil.
	Last *time.Time
}

// Delay returns how long a replacement waits.
func (m Memory) Delay(now clock.WithTicker) time.Duration {
	return getRemainingTimeForFailuresCount(now, DefaultJobPodFailureBackOff, MaxJobPodFailureBackOff, m.Failures, m.Last)
}

// Shown returns the memory of a controller that has seen only these pods, all
// at once.
func Shown(job *batch.Job, pods []*v1.Pod) Memory {
	var succeeded, failed []*v1.Pod
	for _, pod := range pods {
		if pod.Status.Phase == v1.PodSucceeded {
			succeeded = append(succeeded, pod)
		} else if isPodFailed(pod, job) {
			failed = append(failed, pod)
		}
	}
	return memory(newBackoffStore().newBackoffRecord("", succeeded, failed))
}

func memory(record backoffRecord) Memory {
	return Memory{record.failuresAfterLastSuccess, record.lastFailureTime}
}

// NewOracle returns a controller that has just started, without memory.
func NewOracle(now clock.WithTicker, pods controller.PodControlInterface) *Oracle {
	factory := informers.NewSharedInformerFactory(fake.NewClientset(), 0)
	podInformer, jobInformer := factory.Core().V1().Pods(), factory.Batch().V1().Jobs()
	jm, err := newControllerWithClock(context.Background(), podInformer, jobInformer, nil, now)
	if err != nil {
		panic(err)
	}
	oracle := &Oracle{jm: jm, seen: newBackoffStore(), Jobs: jobInformer.Informer().GetIndexer(), Pods: podInformer.Informer().GetIndexer()}
	jm.podControl = pods
	jm.recorder = &record.FakeRecorder{}
	jm.queue.ShutDown()
	jm.orphanQueue.ShutDown()
	jm.broadcaster.Shutdown()
	jm.queue = delays{jm.queue, oracle}
	jm.updateStatusHandler = func(_ context.Context, job *batch.Job) (*batch.Job, error) {
		oracle.Written = job.DeepCopy()
		return oracle.Written, nil
	}
	return oracle
}

// Sync syncs a Job once.
func (o *Oracle) Sync(key string) error {
	o.Delays, o.Written = nil, nil
	o.remember(key)
	return o.jm.syncJob(context.Background(), key)
}

func (o *Oracle) remember(key string) {
	object, _, err := o.Jobs.GetByKey(key)
	if err != nil {
		panic(err)
	}
	job := object.(*batch.Job)
	look := &syncJobCtx{job: job, expectedRmFinalizers: o.jm.finalizerExpectations.getExpectedUIDs(key),
		uncounted: newUncountedTerminatedPods(ptr.Deref(job.Status.UncountedTerminatedPods, batch.UncountedTerminatedPods{}))}
	for _, pod := range o.Pods.List() {
		look.pods = append(look.pods, pod.(*v1.Pod))
	}
	succeeded, failed := getNewFinishedPods(look)
	happened := o.seen.newBackoffRecord(key, succeeded, failed)
	if err := o.seen.updateBackoffRecord(happened); err != nil {
		panic(err)
	}
	o.Remembered, o.Happened = memory(o.jm.podBackoffStore.newBackoffRecord(key, succeeded, failed)), memory(happened)
}

// PodAdded and PodUpdated are the controller's event handlers.
func (o *Oracle) PodAdded(pod *v1.Pod) { o.jm.addPod(klog.Background(), pod) }

func (o *Oracle) PodUpdated(before, after *v1.Pod) {
	o.jm.updatePod(klog.Background(), before, after)
}

// IsPodFailed returns whether the controller considers the pod failed.
func IsPodFailed(pod *v1.Pod, job *batch.Job) bool { return isPodFailed(pod, job) }

// FinishedTime returns when a pod finished.
func FinishedTime(pod *v1.Pod) time.Time { return getFinishedTime(pod) }

// Match returns the decision of podFailurePolicy about a failed pod.
func Match(job *batch.Job, pod *v1.Pod) (counts bool, action *batch.PodFailurePolicyAction) {
	_, counts, action = matchPodFailurePolicy(job.Spec.PodFailurePolicy, pod)
	return counts, action
}

// HasLimitPerIndex returns whether failures are counted per index.
func HasLimitPerIndex(job *batch.Job) bool { return hasBackoffLimitPerIndex(job) }

// FailsIndex returns whether the index of a failed pod has failed.
func FailsIndex(job *batch.Job, pod *v1.Pod) bool { return isIndexFailed(klog.Background(), job, pod) }

// IndexDelay returns how long the replacement of a failed pod waits.
func IndexDelay(now clock.WithTicker, pod *v1.Pod) time.Duration {
	return getRemainingTimePerIndex(klog.Background(), now, DefaultJobPodFailureBackOff, MaxJobPodFailureBackOff, pod)
}

type delays struct {
	workqueue.TypedRateLimitingInterface[string]
	oracle *Oracle
}

func (d delays) AddAfter(_ string, delay time.Duration) {
	d.oracle.Delays = append(d.oracle.Delays, delay)
}
