package main

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Not the default five minutes of a pod.
const soon = never + `, tolerations: [
	{key: node.kubernetes.io/unreachable, operator: Exists, effect: NoExecute, tolerationSeconds: 10},
	{key: node.kubernetes.io/not-ready, operator: Exists, effect: NoExecute, tolerationSeconds: 10}]`

// byKubelet ends the container by the kubelet; the pod stays.
func byKubelet(end ending) func(*stage) {
	return func(s *stage) {
		s.create(job("backoffLimit: 6", never))
		s.one().orders <- end
		s.one().succeeds()
	}
}

// jobNodes are Jobs whose nodes are lost, shut down or full.
func jobNodes() []story {
	infrastructure := map[string]int{"infrastructure": 1}
	return []story{
		{
			name: "job-node-lost", truth: infrastructure, needs: "Node", ends: "succeeded",
			note: "The node falls silent and stays so; the pod, marked by the taint manager, stays until the node is deleted and the pod garbage collector comes.",
			play: func(s *stage) {
				s.create(job("backoffLimit: 6, podReplacementPolicy: Failed", soon))
				p := s.one()
				close(p.node.lost)
				// About 50 s until the node is unknown, and 10 s of toleration.
				s.wait(75)
				check(s.CoreV1().Nodes().Delete(s.ctx, p.node.name, metav1.DeleteOptions{}))
				s.one().succeeds()
			},
		},
		{
			name: "job-node-lost-and-back", truth: infrastructure, needs: "Node", ends: "succeeded",
			note: "The node falls silent; the pod is replaced when it is marked, and killed with 137 when the node comes back while its replacement runs.",
			play: func(s *stage) {
				s.onTerm.after, s.onTerm.code = time.Second, 137
				s.create(job("backoffLimit: 6", soon))
				lost := s.one().node
				close(lost.lost)
				p := s.one()
				s.wait(5)
				check(lost.returns(s.ctx, s))
				s.wait(8)
				p.succeeds()
			},
		},
		{
			name: "job-node-deleted", truth: infrastructure, needs: "Node", ends: "succeeded",
			note: "The node's machine is gone and its Node is deleted at once; the pod garbage collector fails and deletes the pod.",
			play: func(s *stage) {
				s.create(job("backoffLimit: 6", never))
				p := s.one()
				close(p.node.lost)
				check(s.CoreV1().Nodes().Delete(s.ctx, p.node.name, metav1.DeleteOptions{}))
				s.one().succeeds()
			},
		},
		{
			name: "job-node-shut-down", truth: map[string]int{"disruption": 1}, ends: "succeeded",
			note: "The node is shut down gracefully: the kubelet ends the pod and marks it.",
			play: byKubelet(ending{
				code: 143, reason: "Error", podReason: "Terminated", podMessage: "Pod was terminated in response to imminent node shutdown.",
			}),
		},
		{
			name: "job-node-memory", truth: infrastructure, ends: "succeeded",
			note: "The node runs out of memory for what others use; the kubelet evicts the pod.",
			play: byKubelet(ending{
				code: 137, reason: "Error", podReason: "Evicted",
				podMessage: "The node was low on resource: memory. Threshold quantity: 100Mi, available: 61332Ki. ",
			}),
		},
		{
			name: "job-node-memory-own", truth: map[string]int{"memory": 1}, ends: "succeeded",
			note: "The node runs out of memory because the pod uses more than it has requested; the kubelet evicts it.",
			play: byKubelet(ending{
				code: 137, reason: "Error", podReason: "Evicted",
				podMessage: "The node was low on resource: memory. Threshold quantity: 100Mi, available: 61332Ki. " +
					"Container trainer was using 3145728Ki, request is 2Gi, has larger consumption of memory. ",
			}),
		},
		{
			name: "job-storage", truth: map[string]int{"storage": 1}, ends: "succeeded",
			note: "The container writes more than its limit of ephemeral storage; the kubelet evicts the pod.",
			play: byKubelet(ending{
				code: 137, reason: "Error", podReason: "Evicted",
				podMessage: "Container trainer exceeded its local ephemeral storage limit \"10Gi\". ",
			}),
		},
	}
}
