package cluster

import (
	"context"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// A flavor with this node label, and a topology.
const topologyManifests = `
apiVersion: kueue.x-k8s.io/v1beta2
kind: Topology
metadata: {name: %[1]s}
spec: {levels: [{nodeLabel: kubernetes.io/hostname}]}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: %[1]s}
spec:
  nodeLabels: {e2e.mulligan.dev/rack: %[1]s}
  topologyName: %[1]s
`

func (c *cluster) addRackNode(t *testing.T, rack, name string) {
	t.Helper()
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{
		Name:        name,
		Annotations: map[string]string{"kwok.x-k8s.io/node": "fake"},
		Labels:      map[string]string{"kubernetes.io/hostname": name, "e2e.mulligan.dev/rack": rack},
	}}
	must(t, c.Create(t.Context(), node))
	t.Cleanup(func() { _ = c.Delete(context.Background(), node) })
}

// losesItsNode deletes the node of the only running pod, and returns its name.
func (c *cluster) losesItsNode(t *testing.T, namespace string) string {
	t.Helper()
	lost := c.allRun(t, namespace, 1)[0].Spec.NodeName
	must(t, c.Delete(t.Context(), &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: lost}}))
	return lost
}

// collects deletes the pods of a deleted node, as the garbage collector does after a
// minute.
func (c *cluster) collects(t *testing.T, namespace, node string) {
	t.Helper()
	pods := &corev1.PodList{}
	must(t, c.List(t.Context(), pods, client.InNamespace(namespace)))
	for i := range pods.Items {
		if pods.Items[i].Spec.NodeName == node {
			must(t, client.IgnoreNotFound(c.Delete(t.Context(), &pods.Items[i], client.GracePeriodSeconds(0))))
		}
	}
}

// A Job's node fails under topology-aware scheduling, with and without another node.
func TestScenario06NodeFailureUnderTopology(t *testing.T) {
	t.Parallel()
	c := shared
	c.needs(t, "kueue")
	for _, spare := range []bool{true, false} {
		t.Run(fmt.Sprintf("spare %t", spare), func(t *testing.T) {
			t.Parallel()
			namespace := c.namespace(t)
			eventually(t, long, c.kueueReady(t))
			must(t, c.createAll(fmt.Sprintf(topologyManifests, namespace)))
			c.queueOf(t, namespace, namespace, "1Gi")
			c.startController(t, namespace, "act")
			c.addRackNode(t, namespace, namespace+"-0")
			if spare {
				c.addRackNode(t, namespace, namespace+"-1")
			}
			job := queuedJob(namespace, "train", "1Gi")
			six := int32(6)
			job.Spec.BackoffLimit = &six
			job.Spec.Template.Annotations = map[string]string{"kueue.x-k8s.io/podset-required-topology": "kubernetes.io/hostname"}
			must(t, c.Create(t.Context(), job))
			since := c.waitsToBeAdmitted(t, job)
			lost := c.losesItsNode(t, namespace)
			if !spare {
				eventually(t, long, func() string {
					if got := evictions(c.workloadOf(t, job)); got["NodeFailures"] != 1 {
						return fmt.Sprintf("evictions %v, the Workload is %v", got, c.workloadOf(t, job).Object["status"])
					}
					return ""
				})
				c.addRackNode(t, namespace, namespace+"-1")
			}
			eventually(t, long, func() string {
				c.collects(t, namespace, lost)
				workload := c.workloadOf(t, job)
				if !isAdmitted(workload) || c.running(t, namespace) != 1 {
					return fmt.Sprintf("%d pods run, the Workload is %v", c.running(t, namespace), workload.Object["status"])
				}
				return ""
			})
			workload := c.workloadOf(t, job)
			if got := conditionOf(workload, "Admitted"); got.since.Equal(since) != spare {
				t.Errorf("admitted since %s, before since %s; kept: want %t", got.since, since, spare)
			}
			if got := evictions(workload); spare && len(got) != 0 {
				t.Errorf("evictions %v, want none", got)
			}
			work := &unstructured.Unstructured{}
			work.SetAPIVersion("batch/v1")
			work.SetKind("Job")
			must(t, c.Get(t.Context(), client.ObjectKeyFromObject(job), work))
			if ledger := spent(t, work); len(ledger.GetBudgets()) != 0 {
				t.Errorf("charged %v, want nothing", ledger)
			}
		})
	}
}
