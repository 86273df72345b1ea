package kubectl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/portforward"
	"k8s.io/client-go/transport/spdy"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// forward opens a loopback port that leads to a pod of the Service, and returns its
// address and a function that closes it.
func (c *cluster) forward(ctx context.Context, to *corev1.Service) (string, func(), error) {
	pod, port, err := c.podBehind(ctx, to)
	if err != nil {
		return "", nil, err
	}
	transport, upgrader, err := spdy.RoundTripperFor(c.config)
	if err != nil {
		return "", nil, err
	}
	url, _, err := rest.DefaultServerUrlFor(c.config)
	if err != nil {
		return "", nil, err
	}
	url = url.JoinPath("api", "v1", "namespaces", pod.Namespace, "pods", pod.Name, "portforward")
	dialer := spdy.NewDialer(upgrader, &http.Client{Transport: transport}, http.MethodPost, url)
	stop, ready := make(chan struct{}), make(chan struct{})
	forwarder, err := portforward.NewOnAddresses(dialer, []string{"127.0.0.1"}, []string{fmt.Sprintf("0:%d", port)}, stop, ready, io.Discard, io.Discard)
	if err != nil {
		return "", nil, err
	}
	ended := make(chan error, 1)
	go func() { ended <- forwarder.ForwardPorts() }()
	select {
	case <-ready:
	case err := <-ended:
		return "", nil, fmt.Errorf("port-forward to pod %s: %w", pod.Name, err)
	case <-ctx.Done():
		close(stop)
		return "", nil, ctx.Err()
	}
	ports, err := forwarder.GetPorts()
	if err != nil {
		close(stop)
		return "", nil, err
	}
	return fmt.Sprintf("127.0.0.1:%d", ports[0].Local), func() { close(stop); <-ended }, nil
}

// podBehind returns a ready pod of the Service, and its port.
func (c *cluster) podBehind(ctx context.Context, to *corev1.Service) (*corev1.Pod, int32, error) {
	port := portOf(to)
	if port == nil {
		return nil, 0, errors.New(`has several ports and none is named "grpc"`)
	}
	if len(to.Spec.Selector) == 0 {
		return nil, 0, errors.New("has no selector to find a pod by")
	}
	var pods corev1.PodList
	if err := c.client.List(ctx, &pods, client.InNamespace(to.Namespace), client.MatchingLabels(to.Spec.Selector)); err != nil {
		return nil, 0, err
	}
	for i := range pods.Items {
		pod := &pods.Items[i]
		if number := portIn(pod, port); isReady(pod) && number > 0 {
			return pod, number, nil
		}
	}
	return nil, 0, fmt.Errorf("none of its %d pods is ready", len(pods.Items))
}

func isReady(pod *corev1.Pod) bool {
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodReady {
			return condition.Status == corev1.ConditionTrue && pod.DeletionTimestamp == nil
		}
	}
	return false
}

// portIn returns the number of the Service's port in the pod; 0 if it has no such port.
func portIn(pod *corev1.Pod, port *corev1.ServicePort) int32 {
	if port.TargetPort.Type == intstr.Int && port.TargetPort.IntVal > 0 {
		return port.TargetPort.IntVal
	}
	for _, container := range pod.Spec.Containers {
		for _, open := range container.Ports {
			if open.Name == port.TargetPort.StrVal {
				return open.ContainerPort
			}
		}
	}
	if port.TargetPort.StrVal == "" {
		return port.Port
	}
	return 0
}
