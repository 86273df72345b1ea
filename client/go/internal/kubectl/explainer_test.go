package kubectl

import (
	"context"
	"strings"
	"testing"

	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
)

func TestUnknownKindAsksForPods(t *testing.T) {
	api := newAPIServer(t, append(batchWork(t),
		object(t, "{apiVersion: v1, kind: ConfigMap, metadata: {name: cm1, namespace: ml, uid: cm-1}}"),
		object(t, "{apiVersion: apps/v1, kind: Deployment, metadata: {name: dd, namespace: ml, uid: dd-1}}"),
		object(t, "{apiVersion: v1, kind: Event, metadata: {name: e, namespace: ml, uid: e-1}, reason: ScalingReplicaSet, involvedObject: {kind: Deployment, name: dd, namespace: ml, uid: dd-1}}"))...)
	for named, want := range map[string]string{"configmap/cm1": "ConfigMap ml/cm1 is of a kind", "deploy/dd": "Deployment ml/dd is of a kind"} {
		_, _, err := plugin(t, context.Background(), api, "why", named, "--mulligan="+recorder(t))
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "name one of its pods") {
			t.Errorf("%s: got %v", named, err)
		}
	}
}

func TestOneErrorWithoutAPIServer(t *testing.T) {
	api := newAPIServer(t)
	api.Close()
	for _, binary := range []string{"", "--mulligan=" + recorder(t)} {
		nowhere(t)
		args := []string{"why", "-A"}
		if binary != "" {
			args = append(args, binary)
		}
		_, errOut, err := plugin(t, context.Background(), api, args...)
		if err == nil || !strings.HasPrefix(err.Error(), "the API server does not answer: ") || errOut != "" {
			t.Errorf("%v, %s", err, errOut)
		}
	}
}

func TestDropsNativeWarnings(t *testing.T) {
	answer := &mulliganv1.DecideResponse{Warnings: []string{"no native verdict: the report has no object of a known operator", "a time lies in the future"}}
	dropNativeWarnings(answer)
	if got := answer.GetWarnings(); len(got) != 1 || got[0] != "a time lies in the future" {
		t.Errorf("left are %q", got)
	}
}
