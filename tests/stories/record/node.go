package main

import (
	"context"
	"fmt"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
)

const leases = "kube-node-lease"

// node is a node whose kubelet is played: it lives as long as its Lease is renewed.
type node struct {
	name string
	// lost is closed while the node is lost; writes of its pods wait for back, which is
	// closed when the node returns.
	lost, back chan struct{}
}

// addNode creates a node that is ready and renews its Lease until it is lost.
func addNode(ctx context.Context, c kubernetes.Interface, name, pool string) (*node, error) {
	n := &node{name: name, lost: make(chan struct{}), back: make(chan struct{})}
	obj := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{
		"kubernetes.io/hostname": name, "pool": pool,
		// Its own zone: failures elsewhere are no outage here.
		"topology.kubernetes.io/zone": pool,
	}}}
	if _, err := c.CoreV1().Nodes().Create(ctx, obj, metav1.CreateOptions{}); err != nil {
		return nil, err
	}
	if err := n.renew(ctx, c, true); err != nil {
		return nil, err
	}
	if err := n.posts(ctx, c); err != nil {
		return nil, err
	}
	go n.beat(ctx, c)
	return n, nil
}

func (n *node) beat(ctx context.Context, c kubernetes.Interface) {
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-n.lost:
			select {
			case <-ctx.Done():
			case <-n.back:
				_ = n.renew(ctx, c, false)
				time.Sleep(5 * time.Second)
			}
		case <-time.After(5 * time.Second):
			_ = n.renew(ctx, c, false)
		}
	}
}

func (n *node) renew(ctx context.Context, c kubernetes.Interface, first bool) error {
	if first {
		seconds := int32(40)
		now := metav1.NowMicro()
		_, err := c.CoordinationV1().Leases(leases).Create(ctx, &coordinationv1.Lease{
			ObjectMeta: metav1.ObjectMeta{Name: n.name},
			Spec:       coordinationv1.LeaseSpec{HolderIdentity: &n.name, LeaseDurationSeconds: &seconds, RenewTime: &now},
		}, metav1.CreateOptions{})
		return err
	}
	patch := fmt.Sprintf(`{"spec": {"renewTime": %q}}`, time.Now().UTC().Format("2006-01-02T15:04:05.000000Z"))
	_, err := c.CoordinationV1().Leases(leases).Patch(ctx, n.name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	return err
}

// returns ends the loss of the node.
func (n *node) returns(ctx context.Context, c kubernetes.Interface) error {
	close(n.back)
	return n.posts(ctx, c)
}

// posts writes, as the node's kubelet, that the node is ready.
func (n *node) posts(ctx context.Context, c kubernetes.Interface) error {
	const room = `{"cpu": "8", "memory": "32Gi", "pods": "110"}`
	now := time.Now().UTC().Format(time.RFC3339)
	patch := fmt.Sprintf(`{"status": {"capacity": %[1]s, "allocatable": %[1]s, "conditions": [{
		"type": "Ready", "status": "True", "reason": "KubeletReady", "message": "kubelet is posting ready status",
		"lastHeartbeatTime": %[2]q, "lastTransitionTime": %[2]q}]}}`, room, now)
	_, err := c.CoreV1().Nodes().Patch(ctx, n.name, types.StrategicMergePatchType, []byte(patch), metav1.PatchOptions{}, "status")
	return err
}
