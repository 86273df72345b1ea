package mulligan

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"mulligan.dev/mulligan/internal/reportkinds"
	"mulligan.dev/mulligan/internal/secrets"
)

// Bounds of [Report.AddLogs].
const (
	// MaxLogBytes of one container, the limit of a message in a report.
	MaxLogBytes = 64 << 10
	// MaxLogs is the number of containers whose logs are read.
	MaxLogs = 4
	// The time for all logs together. They are worth less than an answer.
	logPatience = 5 * time.Second
)

// LogReader reads the end of a container's log. Package mulligan.dev/mulligan/logs has
// readers for Kubernetes, Loki and files.
type LogReader interface {
	// Tail returns at most the last max bytes; none if no log was kept.
	Tail(ctx context.Context, of LogsOf, max int) ([]byte, error)
}

// LogsOf names a run of a container.
type LogsOf struct {
	// Pod of the container, with namespace, name and UID.
	Pod *corev1.Pod
	// Container name.
	Container string
	// Previous: the run before the container's current one.
	Previous bool
	// Restarts before this run.
	Restarts int32
	// Started and Ended are zero if unknown.
	Started, Ended time.Time
}

// AddLogs adds the end of the logs of up to [MaxLogs] containers. They are the first
// that ended with an error without a known reason (no termination message, not killed
// for memory). The text becomes the termination message, as with
// terminationMessagePolicy FallbackToLogsOnError, but with [MaxLogBytes] instead of 2
// KiB. Likely secrets are blanked ([Blank]).
//
// Unreadable logs are left out, with a note in [Report.Notes]. The added pods are not
// changed; [Report.Objects] returns copies.
func (r *Report) AddLogs(ctx context.Context, logs LogReader) {
	ctx, cancel := context.WithTimeout(ctx, logPatience)
	defer cancel()
	for _, ended := range r.silentEnds() {
		text, err := logs.Tail(ctx, ended.LogsOf, MaxLogBytes)
		if err != nil {
			r.notes = append(r.notes, fmt.Sprintf("logs of pod %s, container %s: %s", ended.Pod.Name, ended.Container, reasonOf(err)))
			continue
		}
		if text := Blank(tidy(text)); text != "" {
			r.fail(r.addMessage(ended, text))
		}
	}
}

// Blank replaces likely secrets in a text: private keys, tokens by their form or
// prefix, passwords and keys by the name before them, and all these in base64. It may
// miss unknown secrets, and may blank harmless text.
func Blank(text string) string { return secrets.Blank(text) }

func reasonOf(err error) string {
	if apierrors.IsForbidden(err) {
		return "they may not be read"
	}
	return err.Error()
}

// silentEnd is an end without a known reason, and the index of its pod.
type silentEnd struct {
	LogsOf
	object int
}

// silentEnds returns the first of them, at most [MaxLogs].
func (r *Report) silentEnds() []silentEnd {
	var ends []silentEnd
	for i, obj := range r.objects {
		pod, ok := obj.(*corev1.Pod)
		if !ok {
			continue
		}
		for _, status := range slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses) {
			state, previous := endOf(&status)
			if state == nil || state.ExitCode == 0 || state.Message != "" || state.Reason == "OOMKilled" {
				continue
			}
			of := LogsOf{Pod: pod, Container: status.Name, Previous: previous, Restarts: status.RestartCount, Started: state.StartedAt.Time, Ended: state.FinishedAt.Time}
			if previous {
				of.Restarts--
			}
			ends = append(ends, silentEnd{of, i})
		}
	}
	slices.SortStableFunc(ends, func(a, b silentEnd) int { return a.Ended.Compare(b.Ended) })
	return ends[:min(len(ends), MaxLogs)]
}

// endOf returns the last end of a container; previous says that it has restarted since.
func endOf(status *corev1.ContainerStatus) (end *corev1.ContainerStateTerminated, previous bool) {
	if status.State.Terminated != nil {
		return status.State.Terminated, false
	}
	return status.LastTerminationState.Terminated, true
}

// addMessage replaces the pod by a copy with the message.
func (r *Report) addMessage(ended silentEnd, text string) error {
	pod := r.objects[ended.object].(*corev1.Pod).DeepCopy()
	for _, statuses := range [][]corev1.ContainerStatus{pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses} {
		for i := range statuses {
			if statuses[i].Name == ended.Container {
				end, _ := endOf(&statuses[i])
				end.Message = text
			}
		}
	}
	r.objects[ended.object] = pod
	gvk := identify(pod)
	k := reportkinds.Find(gvk.GroupKind())
	message, err := convert(runtime.Object(pod), gvk, k)
	if err != nil {
		return err
	}
	return r.place(part{kind: k, key: keyOf(pod), label: label(pod), message: message})
}

// tidy returns valid text that begins with a whole line.
func tidy(text []byte) string {
	if len(text) >= MaxLogBytes {
		text = text[len(text)-MaxLogBytes:]
		if _, rest, found := bytes.Cut(text, []byte("\n")); found {
			text = rest
		}
	}
	return strings.TrimSpace(strings.ToValidUTF8(string(text), "?"))
}
