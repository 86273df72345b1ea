package mulligan

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// written is the containers' output, by pod, container and "previous".
type written struct {
	texts map[string]string
	err   error
	asked []string
}

func (w *written) Tail(_ context.Context, of LogsOf, _ int) ([]byte, error) {
	name := of.Pod.Name + "/" + of.Container
	if of.Previous {
		name += "/previous"
	}
	w.asked = append(w.asked, name)
	return []byte(w.texts[name]), w.err
}

func ended(name string, code int32, minute int, edits ...func(*corev1.Pod)) *corev1.Pod {
	pod := &corev1.Pod{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: name, UID: types.UID("uid-" + name)},
		Status: corev1.PodStatus{Phase: corev1.PodFailed, ContainerStatuses: []corev1.ContainerStatus{{
			Name: "main", State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
				ExitCode: code, Reason: "Error", FinishedAt: metav1.NewTime(time.Unix(1e9, 0).Add(time.Duration(minute) * time.Minute)),
			}},
		}}},
	}
	for _, edit := range edits {
		edit(pod)
	}
	return pod
}

func termination(pod *corev1.Pod) *corev1.ContainerStateTerminated {
	return pod.Status.ContainerStatuses[0].State.Terminated
}

func restarted(pod *corev1.Pod) {
	s := &pod.Status.ContainerStatuses[0]
	s.LastTerminationState, s.State = s.State, corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff"}}
}

func TestChoosesLogs(t *testing.T) {
	many := func() (pods []*corev1.Pod) {
		for i := range 10 {
			pods = append(pods, ended(fmt.Sprint("p", i), 1, 10-i))
		}
		return pods
	}
	for _, test := range []struct {
		name string
		pods []*corev1.Pod
		want []string
	}{
		{"an unexplained error", []*corev1.Pod{ended("a", 1, 0)}, []string{"a/main"}},
		{"a run before", []*corev1.Pod{ended("a", 1, 0, restarted)}, []string{"a/main/previous"}},
		{"a good end", []*corev1.Pod{ended("a", 0, 0)}, nil},
		{"one that says why", []*corev1.Pod{ended("a", 1, 0, func(p *corev1.Pod) { termination(p).Message = "no GPU" })}, nil},
		{"one that the kernel killed", []*corev1.Pod{ended("a", 137, 0, func(p *corev1.Pod) { termination(p).Reason = "OOMKilled" })}, nil},
		{"one that runs", []*corev1.Pod{ended("a", 1, 0, func(p *corev1.Pod) { p.Status.ContainerStatuses[0].State = corev1.ContainerState{} })}, nil},
		{"the first of a gang", many(), []string{"p9/main", "p8/main", "p7/main", "p6/main"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			report, w := NewReport(), &written{}
			for _, pod := range test.pods {
				report.Add(pod)
			}
			report.AddLogs(t.Context(), w)
			if !slices.Equal(w.asked, test.want) {
				t.Errorf("read %v, want %v", w.asked, test.want)
			}
		})
	}
}

func TestATailBecomesTheTerminationMessage(t *testing.T) {
	pod, again := ended("a", 1, 0), ended("b", 1, 1, restarted)
	report := NewReport().Add(pod, again)
	report.AddLogs(t.Context(), &written{texts: map[string]string{
		"a/main":          "PASSWORD=hunter2\nModuleNotFoundError: No module named 'torhc'\n",
		"b/main/previous": "Bus error",
	}})
	built, err := report.Build()
	if err != nil {
		t.Fatal(err)
	}
	if len(built.GetPods()) != 2 || len(report.Objects()) != 2 {
		t.Fatalf("%d pods, %d objects, want each once", len(built.GetPods()), len(report.Objects()))
	}
	if got, want := built.GetPods()[0].GetStatus().GetContainerStatuses()[0].GetState().GetTerminated().GetMessage(), "PASSWORD=[blanked]\nModuleNotFoundError: No module named 'torhc'"; got != want {
		t.Errorf("message %q, want %q", got, want)
	}
	if got := built.GetPods()[1].GetStatus().GetContainerStatuses()[0].GetLastState().GetTerminated().GetMessage(); got != "Bus error" {
		t.Errorf("message of the run before %q", got)
	}
	if termination(pod).Message != "" || termination(report.Objects()[0].(*corev1.Pod)).Message == "" {
		t.Error("the caller's pod was changed, or the report's was not")
	}
}

func TestATailIsBoundedAndText(t *testing.T) {
	report := NewReport().Add(ended("a", 1, 0))
	report.AddLogs(t.Context(), &written{texts: map[string]string{"a/main": strings.Repeat("x", 2*MaxLogBytes) + "y\nlast \xff line"}})
	built, err := report.Build()
	if err != nil {
		t.Fatal(err)
	}
	if got := built.GetPods()[0].GetStatus().GetContainerStatuses()[0].GetState().GetTerminated().GetMessage(); got != "last ? line" {
		t.Errorf("%d bytes, %.40q, want the whole lines at the end", len(got), got)
	}
}

func TestLogsThatCannotBeReadAreANote(t *testing.T) {
	for _, test := range []struct {
		err  error
		want string
	}{
		{apierrors.NewForbidden(schema.GroupResource{Resource: "pods/log"}, "a", nil), "logs of pod a, container main: they may not be read"},
		{errors.New("loki: 503"), "logs of pod a, container main: loki: 503"},
	} {
		report := NewReport().Add(ended("a", 1, 0))
		report.AddLogs(t.Context(), &written{err: test.err})
		if _, err := report.Build(); err != nil || !slices.Equal(report.Notes(), []string{test.want}) {
			t.Errorf("%v, notes %q, want %q", err, report.Notes(), test.want)
		}
	}
}

// A source that hangs costs seconds, not the answer.
func TestLogsAreNotWaitedForLong(t *testing.T) {
	report := NewReport().Add(ended("a", 1, 0))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	report.AddLogs(ctx, hanging{})
	if _, err := report.Build(); err != nil || len(report.Notes()) != 1 {
		t.Errorf("%v, notes %q, want one about the logs", err, report.Notes())
	}
}

type hanging struct{}

func (hanging) Tail(ctx context.Context, _ LogsOf, _ int) ([]byte, error) {
	if _, ok := ctx.Deadline(); !ok {
		return nil, errors.New("there is no deadline")
	}
	<-ctx.Done()
	return nil, ctx.Err()
}
