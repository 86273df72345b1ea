package controller

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"mulligan.dev/mulligan/internal/controller/kinds"
	"mulligan.dev/mulligan/internal/testing/manifest"
)

// counting is a cluster with these objects that counts how often it is read.
func counting(t *testing.T, objects ...client.Object) (client.Client, *atomic.Int32) {
	t.Helper()
	calls := &atomic.Int32{}
	return fake.NewClientBuilder().WithScheme(testScheme(t)).WithObjects(objects...).WithInterceptorFuncs(interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
			calls.Add(1)
			return c.Get(ctx, key, obj, opts...)
		},
	}).Build(), calls
}

// Each kind is told of every event of every pod.
func tellAllKinds(t *testing.T, w *world, cluster types.UID, pods, events int) (led int) {
	t.Helper()
	for i := range pods {
		pod := podOf(failedJob())
		pod.UID = types.UID(fmt.Sprint("uid-pod-", i))
		pod.OwnerReferences = []metav1.OwnerReference{{APIVersion: "ray.io/v1", Kind: "RayCluster", Name: "tune", UID: cluster, Controller: ptr.To(true)}}
		for range events {
			for _, kind := range kinds.All {
				of := &reconciler{kind: kind, owners: w.owners, asker: w.asker, now: w.now}
				led += len(of.ofTroubledPod(t.Context(), pod))
			}
		}
	}
	return led
}

const clusterManifest = `
apiVersion: ray.io/v1
kind: RayCluster
metadata: {name: tune, namespace: ml, uid: %s}
`

func TestPodsWhoseClusterIsGoneAreAskedAboutOnce(t *testing.T) {
	for name, objects := range map[string][]client.Object{
		"deleted":                nil,
		"another has the name":   {manifest.Object(t, fmt.Sprintf(clusterManifest, "another"))},
		"nobody's, and is there": {manifest.Object(t, fmt.Sprintf(clusterManifest, "cluster"))},
	} {
		t.Run(name, func(t *testing.T) {
			watched, _ := counting(t)
			live, calls := counting(t, objects...)
			w := newWorld(t, nil)
			w.owners = newOwners(watched, live)
			if led := tellAllKinds(t, w, "cluster", 5, 3); led != 0 || calls.Load() != 1 {
				t.Errorf("%d calls for 15 events, and %d workloads found, want one call and none", calls.Load(), led)
			}
			if led := tellAllKinds(t, w, "later", 1, 1); led != 0 || calls.Load() != 2 {
				t.Errorf("%d calls after another cluster, and %d workloads found, want two", calls.Load(), led)
			}
		})
	}
}

// What is not watched yet is found: its pods may fail before.
func TestPodsOfANewClusterLeadToTheirWork(t *testing.T) {
	cluster := manifest.Object(t, fmt.Sprintf(clusterManifest, "cluster"))
	cluster.SetOwnerReferences(controlledBy("RayJob", "ray.io/v1", "tune"))
	job := newObject(kinds.ByGroupKind(kindOf(&cluster.GetOwnerReferences()[0])))
	job.SetNamespace("ml")
	job.SetName("tune")
	job.SetUID("uid-of-tune")
	watched, _ := counting(t)
	live, _ := counting(t, cluster, job)
	w := newWorld(t, nil)
	w.owners = newOwners(watched, live)
	if led := tellAllKinds(t, w, "cluster", 2, 2); led != 4 {
		t.Errorf("%d of 4 events lead to the RayJob", led)
	}
}
