package controller

import (
	"context"
	"errors"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"mulligan.dev/mulligan"
	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
	"mulligan.dev/mulligan/mulligantest"
)

type writtenLog struct {
	text string
	err  error
}

func (w writtenLog) Tail(context.Context, mulligan.LogsOf, int) ([]byte, error) {
	return []byte(w.text), w.err
}

func TestLogsGoWithTheQuestion(t *testing.T) {
	for _, test := range []struct {
		name string
		logs mulligan.LogReader
		want string
	}{
		{"not without the flag", nil, ""},
		{"what was written last", writtenLog{text: "PASSWORD=x\nBus error"}, "PASSWORD=[blanked]\nBus error"},
		{"and the question is put without them, too", writtenLog{err: errors.New("away")}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			job := failedJob()
			pod := podOf(job)
			pod.Labels = map[string]string{"job-name": job.Name}
			pod.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "main", State: corev1.ContainerState{
				Terminated: &corev1.ContainerStateTerminated{ExitCode: 135, Reason: "Error"},
			}}}
			w := newWorld(t, nil, job, pod)
			w.asker.logs = test.logs
			w.service.Next(mulligantest.Cause(mulliganv1.Cause_APP_ERROR))
			w.look(t)
			asked := w.service.Requests()
			if len(asked) != 1 {
				t.Fatalf("asked %d times", len(asked))
			}
			if got := asked[0].GetReport().GetPods()[0].GetStatus().GetContainerStatuses()[0].GetState().GetTerminated().GetMessage(); got != test.want {
				t.Errorf("asked with %q, want %q", got, test.want)
			}
		})
	}
}
