// Package logs reads the end of containers' logs, for [mulligan.Report.AddLogs].
package logs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"

	"mulligan.dev/mulligan"
)

// Parse makes the reader that a flag names: "kubernetes", "loki=URL" or "file=PATTERN";
// config is how the API server is reached.
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

// Kubernetes reads what the kubelet keeps, through the API server: `get` of pods/log.
type Kubernetes struct{ client kubernetes.Interface }

// NewKubernetes asks the API server of config.
func NewKubernetes(config *rest.Config) (*Kubernetes, error) {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	return &Kubernetes{client}, nil
}

// Lines asked for. The API's bound on bytes would leave out the last ones, so all of the
// lines are read, and what is kept is bounded here.
const maxLines = 2000

// Tail is one call.
func (k *Kubernetes) Tail(ctx context.Context, of mulligan.LogsOf, most int) ([]byte, error) {
	stream, err := k.client.CoreV1().Pods(of.Pod.Namespace).GetLogs(of.Pod.Name, &corev1.PodLogOptions{
		Container: of.Container, Previous: of.Previous, TailLines: ptr.To(int64(maxLines)),
	}).Stream(ctx)
	if apierrors.IsNotFound(err) || apierrors.IsBadRequest(err) {
		// The pod is gone, or nothing was kept of that run.
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer stream.Close()
	return endOf(stream, most)
}

// endOf keeps the last bytes of what it reads.
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

// Files reads logs that lie on a disk, in the form of container runtimes or as they are.
type Files struct{ pattern string }

var placeholders = []string{"{namespace}", "{pod}", "{uid}", "{container}", "{restarts}"}

// NewFiles takes a path with the placeholders {namespace} {pod} {uid} {container}
// {restarts}, such as
// /var/log/pods/{namespace}_{pod}_{uid}/{container}/{restarts}.log.
func NewFiles(pattern string) (*Files, error) {
	rest := pattern
	for _, placeholder := range placeholders {
		rest = strings.ReplaceAll(rest, placeholder, "")
	}
	if !filepath.IsAbs(pattern) || strings.ContainsAny(rest, "{}") || !strings.Contains(pattern, "{pod}") && !strings.Contains(pattern, "{uid}") {
		return nil, fmt.Errorf("file=%q, expected an absolute path with {pod} or {uid} in it, and no placeholder but %s", pattern, strings.Join(placeholders, " "))
	}
	return &Files{pattern}, nil
}

// Tail reads the end of the file.
func (f *Files) Tail(_ context.Context, of mulligan.LogsOf, most int) ([]byte, error) {
	values := []string{of.Pod.Namespace, of.Pod.Name, string(of.Pod.UID), of.Container, strconv.Itoa(int(of.Restarts))}
	var pairs []string
	for i, placeholder := range placeholders {
		if strings.ContainsAny(values[i], `/\`) || values[i] == ".." || values[i] == "." {
			return nil, fmt.Errorf("%s %q would be another path", placeholder, values[i])
		}
		pairs = append(pairs, placeholder, values[i])
	}
	file, err := os.Open(strings.NewReplacer(pairs...).Replace(f.pattern))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(err, errNoFile(info))
	}
	// What runtimes write before each line goes again.
	window := int64(4*most + 4096)
	if _, err := file.Seek(max(0, info.Size()-window), io.SeekStart); err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(file, window))
	if err != nil {
		return nil, err
	}
	text = runtimePrefix.ReplaceAll(text, nil)
	return text[max(0, len(text)-most):], nil
}

func errNoFile(info os.FileInfo) error {
	if info == nil {
		return nil
	}
	return fmt.Errorf("%s is no file", info.Name())
}

// Time, stream and whether the line is whole, as container runtimes write them.
var runtimePrefix = regexp.MustCompile(`(?m)^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d) std(?:out|err) [FP] `)

func parseURL(text string) (*url.URL, error) {
	base, err := url.Parse(text)
	if err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Host == "" {
		return nil, fmt.Errorf("loki=%q, expected http://HOST or https://HOST", text)
	}
	return base, nil
}
