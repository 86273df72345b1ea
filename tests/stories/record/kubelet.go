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

// kubelet plays the kubelets of a story's nodes: it starts the pods bound to them,
// restarts their containers, and ends deleted pods. A story orders how a container ends.
type kubelet struct {
	kubernetes.Interface
	namespace string
	nodes     map[string]*node
	// Pods of the story's namespace, each time their containers have started.
	started chan *pod
	// How containers take a SIGTERM: they end with this code after this time.
	onTerm struct {
		after time.Duration
		code  int32
	}
}

// pod is a pod on one of the nodes.
type pod struct {
	*kubelet
	name, namespace string
	uid             types.UID
	// Kind of the object that owns it.
	owner  string
	node   *node
	orders chan ending
	// Closed when the pod was found marked for deletion.
	marked chan struct{}
	isGone bool
}

// ending is how a container ends, and what the kubelet says about the pod if it ends the
// pod itself.
type ending struct {
	container       string
	code            int32
	reason, message string
	podReason       string
	podMessage      string
}

// serve watches the pods of all namespaces until the story is over.
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

// live does everything that a kubelet does for a pod.
func (p *pod) live(ctx context.Context, obj *corev1.Pod) {
	p.write(ctx, waits)
	if p.sleep(ctx, beat) && p.pull(ctx, obj) {
		p.write(ctx, runs)
		p.announce()
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

// announce reports that the pod runs; pods of other namespaces end by themselves.
func (p *pod) announce() {
	if p.namespace == p.kubelet.namespace {
		p.started <- p
		return
	}
	time.AfterFunc(10*beat, func() { p.orders <- ending{reason: "Completed"} })
}

// ends plays the end of a container, and returns whether the pod is over.
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

// restarts starts a container again, from the second time on after the kubelet's
// back-off.
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
		p.announce()
	}
}

// pull returns whether the image can be pulled; it retries one that cannot.
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

// terminate gives a deleted pod's containers their grace period, then removes the pod.
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

// sleep returns whether the pod is still alive after d.
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
