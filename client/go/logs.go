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
	// MaxLogBytes of one container: what a message of a report may have.
	MaxLogBytes = 64 << 10
	// MaxLogs is the number of containers whose logs are read.
	MaxLogs = 4
	// Logs are read for this long altogether: they are worth less than an answer.
	logPatience = 5 * time.Second
)

// LogReader reads the end of what a container wrote. Package
// mulligan.dev/mulligan/logs has those of Kubernetes, Loki and files.
type LogReader interface {
	// Tail returns at most max bytes, the last ones; nothing where nothing was kept.
	Tail(ctx context.Context, of LogsOf, max int) ([]byte, error)
}

// LogsOf names a run of a container.
type LogsOf struct {
	// Pod it is of, with namespace, name and UID.
	Pod *corev1.Pod
	// Container name.
	Container string
	// Previous: the run before the one that is there now.
	Previous bool
	// Restarts before this run.
	Restarts int32
	// Started and Ended, zero: unknown.
	Started, Ended time.Time
}

// AddLogs completes the report with the end of the logs of those containers that matter:
// they ended with an error, nobody says why (no termination message, not killed for
// memory), and theirs are among the first ends. As the kubelet does with
// terminationMessagePolicy FallbackToLogsOnError, but with [MaxLogBytes] instead of 2 KiB,
// the text becomes the termination message. What looks like a secret is blanked ([Blank]).
//
// Logs that cannot be read are left out, with a note in [Report.Notes]. The pods that were
// added are not changed; [Report.Objects] has copies.
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

// Blank replaces what looks like a secret in a text: private keys, tokens by their form or
// by what they begin with, passwords and keys by the name before them, and all these in
// base64. It errs to both sides: what it does not know stays, and a text that only looks
// like one goes.
func Blank(text string) string { return secrets.Blank(text) }

func reasonOf(err error) string {
	if apierrors.IsForbidden(err) {
		return "they may not be read"
	}
	return err.Error()
}

// silentEnd is an end that nothing is said about, and where what is said goes.
type silentEnd struct {
	LogsOf
	object int
}

// silentEnds are the first of them, at most [MaxLogs].
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

// endOf is how a container ended last; previous: it has been started again since.
func endOf(status *corev1.ContainerStatus) (end *corev1.ContainerStateTerminated, previous bool) {
	if status.State.Terminated != nil {
		return status.State.Terminated, false
	}
	return status.LastTerminationState.Terminated, true
}

// addMessage puts a copy of the pod in its place.
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

// tidy begins with a whole line and is text.
func tidy(text []byte) string {
	if len(text) >= MaxLogBytes {
		text = text[len(text)-MaxLogBytes:]
		if _, rest, found := bytes.Cut(text, []byte("\n")); found {
			text = rest
		}
	}
	return strings.TrimSpace(strings.ToValidUTF8(string(text), "?"))
}
