package spark

import (
	"testing"
	"time"

	"github.com/kubeflow/spark-operator/v2/api/v1beta2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
	"mulligan.dev/mulligan/internal/gatetest"
	"mulligan.dev/mulligan/mulligantest"
)

func TestNext(t *testing.T) {
	for _, test := range []struct {
		name        string
		steps       []mulligantest.Step
		off         bool
		policy      v1beta2.RestartPolicyType
		want        Run
		wantMessage string
	}{
		{"retry", []mulligantest.Step{gatetest.Says(mulliganv1.Decision_RETRY, 0)}, false, v1beta2.RestartPolicyOnFailure, Run{Retry: true}, ""},
		{"retry later", []mulligantest.Step{gatetest.Says(mulliganv1.Decision_RETRY, time.Minute)}, false, v1beta2.RestartPolicyOnFailure, Run{After: time.Minute}, ""},
		{"wait", []mulligantest.Step{gatetest.Says(mulliganv1.Decision_WAIT, time.Minute)}, false, v1beta2.RestartPolicyOnFailure, Run{After: time.Minute}, ""},
		{"fail", []mulligantest.Step{gatetest.Says(mulliganv1.Decision_FAIL, 0)}, false, v1beta2.RestartPolicyAlways, Run{}, gatetest.Sentence},
		{"ignore", []mulligantest.Step{gatetest.Says(mulliganv1.Decision_IGNORE, 0)}, false, v1beta2.RestartPolicyOnFailure, Run{Retry: true, After: time.Hour}, ""},
		{"service away", gatetest.Away(), false, v1beta2.RestartPolicyOnFailure, Run{Retry: true, After: time.Hour}, ""},
		{"flag off", []mulligantest.Step{gatetest.Says(mulliganv1.Decision_FAIL, 0)}, true, v1beta2.RestartPolicyOnFailure, Run{Retry: true, After: time.Hour}, ""},
		{"never is the user's word", []mulligantest.Step{gatetest.Says(mulliganv1.Decision_RETRY, 0)}, false, v1beta2.RestartPolicyNever, Run{}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			app := &v1beta2.SparkApplication{
				ObjectMeta: metav1.ObjectMeta{Namespace: "etl", Name: "load", UID: "u"},
				Spec:       v1beta2.SparkApplicationSpec{RestartPolicy: v1beta2.RestartPolicy{Type: test.policy}},
			}
			app.Status.AppState.State = v1beta2.ApplicationStateFailing
			g := gatetest.Open(t, app, v1beta2.AddToScheme, test.steps...)
			g.Enabled = !test.off
			got, err := Next(t.Context(), g, app,
				func(app *v1beta2.SparkApplication) bool {
					return app.Spec.RestartPolicy.Type != v1beta2.RestartPolicyNever
				},
				func(*v1beta2.SparkApplication) (time.Duration, error) { return time.Hour, nil })
			if err != nil || got != test.want || app.Status.AppState.ErrorMessage != test.wantMessage {
				t.Errorf("%+v, message %q, error %v; want %+v, %q", got, app.Status.AppState.ErrorMessage, err, test.want, test.wantMessage)
			}
		})
	}
}
