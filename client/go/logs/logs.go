// Package logs reads the end of containers' logs, for [mulligan.Report.AddLogs].
package logs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"

	"mulligan.dev/mulligan"
)

// Parse returns the reader for a flag's value: "kubernetes", "loki=URL" or
// "file=PATTERN". config reaches the API server.
func Parse(source string, config *rest.Config) (mulligan.LogReader, error) {
	kind, value, _ := strings.Cut(source, "=")
	switch {
	case source == "kubernetes":
		return NewKubernetes(config)
	case kind == "loki":
		return NewLoki(value)
	case kind == "file":
		return NewFiles(value)
	}
	return nil, fmt.Errorf("%q, expected kubernetes, loki=URL or file=PATTERN", source)
}

// Kubernetes reads the kubelet's logs through the API server: `get` of pods/log.
type Kubernetes struct{ client kubernetes.Interface }

// NewKubernetes asks the API server of config.
func NewKubernetes(config *rest.Config) (*Kubernetes, error) {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	return &Kubernetes{client}, nil
}

// The API's limit on bytes would drop the last ones. So a number of lines is read, and
// their bytes are limited here.
const maxLines = 2000

// Tail makes one call.
func (k *Kubernetes) Tail(ctx context.Context, of mulligan.LogsOf, most int) ([]byte, error) {
	stream, err := k.client.CoreV1().Pods(of.Pod.Namespace).GetLogs(of.Pod.Name, &corev1.PodLogOptions{
		Container: of.Container, Previous: of.Previous, TailLines: ptr.To(int64(maxLines)),
	}).Stream(ctx)
	if apierrors.IsNotFound(err) || apierrors.IsBadRequest(err) {
		// The pod is gone, or that run's log was not kept.
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer stream.Close()
	return endOf(stream, most)
}

// endOf returns the last bytes that it reads.
func endOf(from io.Reader, most int) ([]byte, error) {
	var kept []byte
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		kept = append(kept, buffer[:n]...)
		if len(kept) > 2*most {
			kept = append(kept[:0], kept[len(kept)-most:]...)
		}
		if errors.Is(err, io.EOF) {
			return kept[max(0, len(kept)-most):], nil
		}
		if err != nil {
			return nil, err
		}
	}
}

func parseURL(text string) (*url.URL, error) {
	base, err := url.Parse(text)
	if err == nil && (base.Scheme == "http" || base.Scheme == "https") && base.Host != "" {
		return base, nil
	}
	if strings.Contains(text, "@") {
		// It may contain a password.
		return nil, errors.New("loki: no such URL, expected http://HOST or https://HOST")
	}
	return nil, fmt.Errorf("loki=%q, expected http://HOST or https://HOST", text)
}
