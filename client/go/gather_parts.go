package mulligan

import (
	"context"
	"errors"
	"slices"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	rayv1 "mulligan.dev/mulligan/gen/mulligan/kubernetes/ray/v1"
	"mulligan.dev/mulligan/internal/reportkinds"
)

// Labels of objects that operators make. The value is the name or UID of the owner.
const (
	jobNameLabel    = "job-name"
	jobSetNameLabel = "jobset.sigs.k8s.io/jobset-name"
	jobSetUIDLabel  = "jobset.sigs.k8s.io/jobset-uid"
	kueueJobUID     = "kueue.x-k8s.io/job-uid"
)

var (
	jobKind        = batchv1.SchemeGroupVersion.WithKind("Job")
	jobSetKind     = reportkinds.Named("JobSet")
	rayClusterKind = reportkinds.Named("RayCluster")
	workloadKind   = reportkinds.Named("Workload").GroupKind()

	rayClusterLabel = reportkinds.Find(rayClusterKind.GroupKind()).PodLabel
)

// newObject returns a typed object for the groups that every scheme has.
func newObject(gvk schema.GroupVersionKind) client.Object {
	switch gvk.GroupKind() {
	case jobKind.GroupKind():
		return &batchv1.Job{}
	case schema.GroupKind{Kind: "Pod"}:
		return &corev1.Pod{}
	case schema.GroupKind{Kind: "Node"}:
		return &corev1.Node{}
	}
	obj := &unstructured.Unstructured{}
	obj.SetGroupVersionKind(gvk)
	return obj
}

// parts fetches the objects that root's operator makes.
func (g *gatherer) parts(ctx context.Context, root client.Object) error {
	gk := identify(root).GroupKind()
	if kind := reportkinds.Find(gk); kind != nil && kind.PodLabel != "" {
		return g.podsWith(ctx, root, nil, client.MatchingLabels{kind.PodLabel: root.GetName()})
	}
	switch gk {
	case schema.GroupKind{Kind: "Pod"}:
		if pod, ok := root.(*corev1.Pod); ok {
			g.pods = append(g.pods, pod)
		}
		return nil
	case jobKind.GroupKind():
		return g.podsOfJob(ctx, root)
	case jobSetKind.GroupKind():
		return g.partsOfJobSet(ctx, root)
	case reportkinds.Named("RayJob").GroupKind():
		return g.partsOfRayJob(ctx, root)
	case reportkinds.Named("TrainJob").GroupKind():
		return g.partsOfTrainJob(ctx, root)
	}
	return g.owned(ctx, root)
}

// podsWith adds the matching pods of root's namespace, except those for which foreign is
// true. foreign may be nil.
func (g *gatherer) podsWith(ctx context.Context, root client.Object, foreign func(corev1.Pod) bool, matching ...client.ListOption) error {
	var pods corev1.PodList
	err := g.reader.List(ctx, &pods, append(matching, client.InNamespace(root.GetNamespace()))...)
	if err := g.tolerate(err, "pods"); err != nil {
		return err
	}
	if foreign != nil {
		pods.Items = slices.DeleteFunc(pods.Items, foreign)
	}
	g.takePods(pods.Items)
	return nil
}

// jobsWith adds and returns Jobs likewise.
func (g *gatherer) jobsWith(ctx context.Context, root client.Object, foreign func(batchv1.Job) bool, matching ...client.ListOption) ([]batchv1.Job, error) {
	var jobs batchv1.JobList
	err := g.reader.List(ctx, &jobs, append(matching, client.InNamespace(root.GetNamespace()))...)
	if err := g.tolerate(err, "jobs"); err != nil {
		return nil, err
	}
	ours := slices.DeleteFunc(jobs.Items, foreign)
	g.takeJobs(ours)
	return ours, nil
}

// podsOfJob adds the pods that the Job controls.
func (g *gatherer) podsOfJob(ctx context.Context, root client.Object) error {
	matching := client.MatchingLabelsSelector{Selector: labels.SelectorFromSet(labels.Set{jobNameLabel: root.GetName()})}
	if job, ok := root.(*batchv1.Job); ok && job.Spec.Selector != nil {
		selector, err := metav1.LabelSelectorAsSelector(job.Spec.Selector)
		if err != nil {
			return err
		}
		matching.Selector = selector
	}
	return g.podsWith(ctx, root, func(pod corev1.Pod) bool {
		return root.GetUID() != "" && !metav1.IsControlledBy(&pod, root)
	}, matching)
}

func (g *gatherer) partsOfJobSet(ctx context.Context, root client.Object) error {
	ours := client.MatchingLabels{jobSetNameLabel: root.GetName()}
	_, err := g.jobsWith(ctx, root, func(job batchv1.Job) bool {
		return root.GetUID() != "" && !metav1.IsControlledBy(&job, root)
	}, ours)
	if err != nil {
		return err
	}
	// Pods are owned by the Jobs, and the Jobs of earlier attempts are deleted. Older
	// JobSet releases do not write the UID.
	return g.podsWith(ctx, root, func(pod corev1.Pod) bool {
		if of := pod.Labels[jobSetUIDLabel]; of != "" {
			return of != string(root.GetUID())
		}
		return pod.CreationTimestamp.Time.Before(root.GetCreationTimestamp().Time)
	}, ours)
}

func (g *gatherer) takeJobs(jobs []batchv1.Job) {
	if left := len(jobs) - MaxGatheredJobs; left > 0 {
		// Jobs with the most failures first.
		slices.SortStableFunc(jobs, func(a, b batchv1.Job) int { return int(b.Status.Failed) - int(a.Status.Failed) })
		g.note("%d of %d jobs were left out", left, len(jobs))
		jobs = jobs[:MaxGatheredJobs]
	}
	for i := range jobs {
		g.add(&jobs[i])
	}
}

func (g *gatherer) partsOfRayJob(ctx context.Context, root client.Object) error {
	name, err := rayClusterName(root)
	if err != nil {
		return err
	}
	if name != "" {
		at := types.NamespacedName{Namespace: root.GetNamespace(), Name: name}
		cluster, err := g.get(ctx, rayClusterKind, at)
		if err != nil {
			return err
		}
		if cluster != nil {
			g.add(cluster)
		}
		if err := g.podsWith(ctx, root, nil, client.MatchingLabels{rayClusterLabel: name}); err != nil {
			return err
		}
	}
	// The submitter, a Job named like its RayJob.
	at := types.NamespacedName{Namespace: root.GetNamespace(), Name: root.GetName()}
	submitter, err := g.get(ctx, jobKind, at)
	if err != nil || submitter == nil || !metav1.IsControlledBy(submitter, root) {
		return err
	}
	g.add(submitter)
	return g.podsOfJob(ctx, submitter)
}

// rayClusterName reads the status of a RayJob of any Go type.
func rayClusterName(rayJob client.Object) (string, error) {
	gvk := identify(rayJob)
	message, err := convert(rayJob, gvk, reportkinds.Find(gvk.GroupKind()))
	if err != nil {
		return "", err
	}
	return message.(*rayv1.RayJob).GetStatus().GetRayClusterName(), nil
}

func (g *gatherer) partsOfTrainJob(ctx context.Context, root client.Object) error {
	jobSet, err := g.get(ctx, jobSetKind, types.NamespacedName{Namespace: root.GetNamespace(), Name: root.GetName()})
	if err != nil || jobSet == nil || !metav1.IsControlledBy(jobSet, root) {
		return err
	}
	g.add(jobSet)
	return g.partsOfJobSet(ctx, jobSet)
}

// owned adds the Jobs that root controls, and the pods that it or they control.
func (g *gatherer) owned(ctx context.Context, root client.Object) error {
	owners := map[types.UID]bool{root.GetUID(): true}
	notOwned := func(obj client.Object) bool {
		owner := metav1.GetControllerOf(obj)
		return owner == nil || !owners[owner.UID]
	}
	ours, err := g.jobsWith(ctx, root, func(job batchv1.Job) bool { return notOwned(&job) })
	if err != nil {
		return err
	}
	for _, job := range ours {
		owners[job.UID] = true
	}
	return g.podsWith(ctx, root, func(pod corev1.Pod) bool { return notOwned(&pod) })
}

// queue fetches Kueue's Workload of root or of the JobSet below it.
func (g *gatherer) queue(ctx context.Context, root client.Object) error {
	if identify(g.start).GroupKind() == workloadKind && g.start != root {
		g.add(g.start)
		return nil
	}
	for _, owner := range g.subjects {
		// Jobs and pods of something else are queued with it.
		part := owner != root && reportkinds.Find(identify(owner).GroupKind()).IsPart()
		if owner.GetUID() == "" || part {
			continue
		}
		var failed error
		for _, version := range reportkinds.Find(workloadKind).Versions {
			served, found, err := g.workloadOf(ctx, owner, version)
			if found {
				return nil
			}
			if served {
				failed = nil
				break
			}
			// Without Kueue's conversion webhook only the stored version can be read.
			failed = errors.Join(failed, err)
		}
		if failed != nil {
			return failed
		}
	}
	return nil
}

// workloadOf reads one version, and returns whether it is served. If so, other versions
// have the same objects, and reading them is answered with a deprecation warning.
func (g *gatherer) workloadOf(ctx context.Context, owner client.Object, version string) (served, found bool, err error) {
	if there, err := g.workloadsIn(ctx, owner.GetNamespace(), version); err == nil && there != some {
		return there == none, false, nil
	}
	list := workloadList(version)
	err = g.reader.List(ctx, list, client.InNamespace(owner.GetNamespace()), client.MatchingLabels{kueueJobUID: string(owner.GetUID())})
	served = err == nil || apierrors.IsForbidden(err)
	if err := g.tolerate(err, "workloads.kueue.x-k8s.io"); err != nil || len(list.Items) == 0 {
		return served, false, err
	}
	newest := slices.MaxFunc(list.Items, func(a, b unstructured.Unstructured) int {
		return a.GetCreationTimestamp().Compare(b.GetCreationTimestamp().Time)
	})
	g.add(&newest)
	return true, true, nil
}

func workloadList(version string) *unstructured.UnstructuredList {
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(schema.GroupVersionKind{Group: workloadKind.Group, Version: version, Kind: workloadKind.Kind + "List"})
	return list
}

// presence says whether a namespace has objects of a kind.
type presence int

const (
	some presence = iota
	none
	notServed
)

// workloadsIn returns whether the namespace has any Workload, shared by all questions.
// Most have none, and each read of a kind that is not installed costs two calls.
func (g *gatherer) workloadsIn(ctx context.Context, namespace, version string) (presence, error) {
	if g.shared == nil {
		return some, nil
	}
	// A workload is queued long before it fails.
	return remembered(ctx, g.shared, "workloads "+version+" in "+namespace, time.Time{}, func() (presence, error) {
		list := workloadList(version)
		err := g.reader.List(ctx, list, client.InNamespace(namespace), client.Limit(1))
		switch {
		case meta.IsNoMatchError(err):
			return notServed, nil
		case err == nil && len(list.Items) == 0:
			return none, nil
		}
		return some, err
	})
}
