package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/util/retry"
)

// kubelet plays those of a story's nodes: it starts the pods bound to them, restarts
// their containers, and ends pods that are deleted. How a container ends is ordered.
type kubelet struct {
	kubernetes.Interface
	namespace string
	nodes     map[string]*node
	// Pods of the story's namespace, each time their containers have begun to run.
	started chan *pod
	// How a container takes a SIGTERM: after so long it ends with this code.
	onTerm struct {
		after time.Duration
		code  int32
	}
}

// pod is one that the kubelet has.
type pod struct {
	*kubelet
	name, namespace string
	uid             types.UID
	// Kind of the object that made it.
	owner  string
	node   *node
	orders chan ending
	// Closed when the pod was found marked for deletion.
	marked chan struct{}
	isGone bool
}

// ending is how a container ends, and what the kubelet says of the whole pod where
// it is the kubelet that ends it.
type ending struct {
	container       string
	code            int32
	reason, message string
	podReason       string
	podMessage      string
}

// serve follows the pods of all namespaces until the story is over.
func (k *kubelet) serve(ctx context.Context) error {
	list, err := k.CoreV1().Pods("").List(ctx, metav1.ListOptions{Limit: 1})
	if err != nil {
		return err
	}
	watch, err := k.CoreV1().Pods("").Watch(ctx, metav1.ListOptions{ResourceVersion: list.ResourceVersion})
	if err != nil {
		return err
	}
	go func() {
		known := map[types.UID]*pod{}
		for event := range watch.ResultChan() {
			if obj, ok := event.Object.(*corev1.Pod); ok {
				k.notice(ctx, known, obj)
			}
		}
	}()
	return nil
}

func (k *kubelet) notice(ctx context.Context, known map[types.UID]*pod, obj *corev1.Pod) {
	home := k.nodes[obj.Spec.NodeName]
	if home == nil {
		return
	}
	p := known[obj.UID]
	if p == nil {
		p = &pod{
			kubelet: k, name: obj.Name, namespace: obj.Namespace, uid: obj.UID, node: home,
			orders: make(chan ending, 8), marked: make(chan struct{}),
		}
		if len(obj.OwnerReferences) > 0 {
			p.owner = obj.OwnerReferences[0].Kind
		}
		known[obj.UID] = p
		go p.live(ctx, obj)
	}
	select {
	case <-p.marked:
	default:
		if obj.DeletionTimestamp != nil {
			close(p.marked)
		}
	}
}

// live is all that a pod's kubelet does about it.
func (p *pod) live(ctx context.Context, obj *corev1.Pod) {
	p.write(ctx, waits)
	if p.sleep(ctx, beat) && p.pull(ctx, obj) {
		p.write(ctx, runs)
		p.tell()
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-p.marked:
			p.terminate(ctx)
			return
		case end := <-p.orders:
			if p.ends(ctx, end) {
				return
			}
		}
	}
}

// tell says that the pod runs; those of others end by themselves.
func (p *pod) tell() {
	if p.namespace == p.kubelet.namespace {
		p.started <- p
		return
	}
	time.AfterFunc(10*beat, func() { p.orders <- ending{reason: "Completed"} })
}

// ends plays the end of a container, and says whether the pod is over.
func (p *pod) ends(ctx context.Context, end ending) bool {
	var restarts int32 = -1
	over := false
	p.write(ctx, func(obj *corev1.Pod) { restarts, over = ended(obj, end) })
	switch {
	case over:
		time.Sleep(beat)
		p.write(ctx, func(obj *corev1.Pod) { isOver(obj, end.podReason, end.podMessage) })
		if end.podReason == "Evicted" {
			p.event(ctx, "Warning", "Evicted", end.podMessage)
		}
	case restarts >= 0:
		p.restarts(ctx, end.container, restarts)
	}
	return over || p.isGone
}

// restarts begins a container again, after the kubelet's back-off from the second
// time on.
func (p *pod) restarts(ctx context.Context, container string, before int32) {
	pause := beat
	if before > 0 {
		pause = 10 * time.Second << (before - 1)
		p.sleep(ctx, beat)
		message := fmt.Sprintf("back-off %v restarting failed container=%s pod=%s_%s(%s)", pause, container, p.name, p.namespace, p.uid)
		p.write(ctx, func(obj *corev1.Pod) { backsOff(obj, container, message) })
		p.event(ctx, "Warning", "BackOff", fmt.Sprintf("Back-off restarting failed container %s in pod %s_%s(%s)", container, p.name, p.namespace, p.uid))
	}
	if p.sleep(ctx, pause) {
		p.write(ctx, func(obj *corev1.Pod) { runsAgain(obj, container) })
		p.tell()
	}
}

// pull says whether the image can be had; one that cannot is asked for again and again.
func (p *pod) pull(ctx context.Context, obj *corev1.Pod) bool {
	image := obj.Spec.Containers[0].Image
	if !strings.Contains(image, "trianer") {
		return true
	}
	message := fmt.Sprintf("failed to pull and unpack image %[1]q: failed to resolve reference %[1]q: %[1]s: not found", image)
	message = "rpc error: code = NotFound desc = " + message
	for pause := 10 * time.Second; ; pause *= 2 {
		p.write(ctx, func(obj *corev1.Pod) { waitsFor(obj, "ErrImagePull", message) })
		p.event(ctx, "Warning", "Failed", fmt.Sprintf("Failed to pull image %q: %s", image, message))
		if !p.sleep(ctx, 2*beat) {
			return false
		}
		p.write(ctx, func(obj *corev1.Pod) {
			waitsFor(obj, "ImagePullBackOff", fmt.Sprintf("Back-off pulling image %q: ErrImagePull: %s", image, message))
		})
		p.event(ctx, "Normal", "BackOff", fmt.Sprintf("Back-off pulling image %q", image))
		if !p.sleep(ctx, pause) {
			return false
		}
	}
}

// terminate gives the containers of a deleted pod their time, then takes it away.
func (p *pod) terminate(ctx context.Context) {
	p.whenHeardOf(ctx)
	p.event(ctx, "Normal", "Killing", "Stopping container "+p.first(ctx))
	time.Sleep(p.onTerm.after)
	p.write(ctx, func(obj *corev1.Pod) { killed(obj, p.onTerm.code) })
	time.Sleep(beat)
	p.write(ctx, func(obj *corev1.Pod) { isOver(obj, "", "") })
	now := int64(0)
	_ = p.CoreV1().Pods(p.namespace).Delete(ctx, p.name, metav1.DeleteOptions{
		GracePeriodSeconds: &now, Preconditions: &metav1.Preconditions{UID: &p.uid},
	})
}

func (p *pod) first(ctx context.Context) string {
	obj, err := p.CoreV1().Pods(p.namespace).Get(ctx, p.name, metav1.GetOptions{})
	if err != nil {
		return ""
	}
	return obj.Spec.Containers[0].Name
}

// sleep says whether the pod is still to live after so long.
func (p *pod) sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
	case <-p.marked:
	case <-time.After(d):
		return !p.isGone
	}
	return false
}

// whenHeardOf waits while the node is lost.
func (p *pod) whenHeardOf(ctx context.Context) {
	select {
	case <-p.node.lost:
		select {
		case <-p.node.back:
		case <-ctx.Done():
		}
	default:
	}
}

// write changes the pod's status as its kubelet.
func (p *pod) write(ctx context.Context, change func(*corev1.Pod)) {
	p.whenHeardOf(ctx)
	err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
		obj, err := p.CoreV1().Pods(p.namespace).Get(ctx, p.name, metav1.GetOptions{})
		if err != nil || obj.UID != p.uid {
			p.isGone = true
			return err
		}
		change(obj)
		obj.Status.ObservedGeneration = obj.Generation
		_, err = p.CoreV1().Pods(p.namespace).UpdateStatus(ctx, obj, metav1.UpdateOptions{})
		return err
	})
	if err != nil && !apierrors.IsNotFound(err) && ctx.Err() == nil {
		fmt.Printf("kubelet of %s: %v\n", p.name, err)
	}
}

func (p *pod) event(ctx context.Context, kind, reason, message string) {
	now := metav1.Now()
	_, _ = p.CoreV1().Events(p.namespace).Create(ctx, &corev1.Event{
		ObjectMeta:     metav1.ObjectMeta{Name: fmt.Sprintf("%s.%x", p.name, now.UnixNano()), Namespace: p.namespace},
		InvolvedObject: corev1.ObjectReference{APIVersion: "v1", Kind: "Pod", Namespace: p.namespace, Name: p.name, UID: p.uid},
		Type:           kind, Reason: reason, Message: message, Count: 1, FirstTimestamp: now, LastTimestamp: now,
		Source:              corev1.EventSource{Component: "kubelet", Host: p.node.name},
		ReportingController: "kubelet", ReportingInstance: p.node.name,
	}, metav1.CreateOptions{})
}
