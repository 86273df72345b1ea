package kinds

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/yaml"

	"mulligan.dev/mulligan/internal/testing/manifest"
)

var object = manifest.Object

func kindNamed(t *testing.T, name string) Kind {
	t.Helper()
	for _, kind := range All {
		if kind.GroupVersionKind().Kind == name {
			return kind
		}
	}
	t.Fatalf("no kind %s", name)
	return nil
}

func TestOutcomes(t *testing.T) {
	for _, test := range []struct {
		kind, name, object string
		want               Phase
	}{
		{"Job", "new", `{}`, Active},
		{"Job", "failed", `{status: {conditions: [{type: FailureTarget, status: "True"}, {type: Failed, status: "True"}]}}`, Failed},
		{"Job", "failing", `{status: {conditions: [{type: FailureTarget, status: "True"}]}}`, Active},
		{"Job", "complete", `{status: {conditions: [{type: Complete, status: "True"}]}}`, Succeeded},
		{"Job", "failed no more", `{status: {conditions: [{type: Failed, status: "False"}]}}`, Active},
		{"JobSet", "restarting", `{status: {restarts: 1}}`, Active},
		{"JobSet", "failed", `{status: {conditions: [{type: Failed, status: "True"}]}}`, Failed},
		{"JobSet", "completed", `{status: {conditions: [{type: Completed, status: "True"}]}}`, Succeeded},
		{"RayJob", "retrying", `{status: {jobStatus: FAILED, jobDeploymentStatus: Retrying}}`, Active},
		{"RayJob", "failed", `{status: {jobStatus: FAILED, jobDeploymentStatus: Failed}}`, Failed},
		{"RayJob", "refused", `{status: {jobDeploymentStatus: ValidationFailed}}`, Failed},
		{"RayJob", "failed under an old release", `{status: {jobStatus: FAILED, jobDeploymentStatus: Complete}}`, Failed},
		{"RayJob", "succeeded", `{status: {jobStatus: SUCCEEDED, jobDeploymentStatus: Complete}}`, Succeeded},
		{"TrainJob", "failed", `{status: {conditions: [{type: Failed, status: "True"}]}}`, Failed},
		{"PyTorchJob", "restarting", `{status: {conditions: [{type: Restarting, status: "True"}]}}`, Active},
		{"PyTorchJob", "failed", `{status: {conditions: [{type: Failed, status: "True"}]}}`, Failed},
		{"PyTorchJob", "succeeded", `{status: {conditions: [{type: Succeeded, status: "True"}]}}`, Succeeded},
		{"SparkApplication", "failing", `{status: {applicationState: {state: FAILING}}}`, Active},
		{"SparkApplication", "submission failed", `{status: {applicationState: {state: SUBMISSION_FAILED}}}`, Active},
		{"SparkApplication", "failed", `{status: {applicationState: {state: FAILED}}}`, Failed},
		{"SparkApplication", "completed", `{status: {applicationState: {state: COMPLETED}}}`, Succeeded},
	} {
		t.Run(test.kind+" "+test.name, func(t *testing.T) {
			if got := kindNamed(t, test.kind).Outcome(object(t, test.object)); got.Phase != test.want {
				t.Errorf("phase %v, want %v", got.Phase, test.want)
			}
		})
	}
}

func TestTheTimeOfAFailure(t *testing.T) {
	want := time.Date(2026, 11, 3, 9, 7, 33, 0, time.UTC)
	for kind, text := range map[string]string{
		"Job":              `{status: {conditions: [{type: Failed, status: "True", lastTransitionTime: "2026-11-03T09:07:33Z"}]}}`,
		"RayJob":           `{status: {jobDeploymentStatus: Failed, endTime: "2026-11-03T09:07:33Z"}}`,
		"SparkApplication": `{status: {applicationState: {state: FAILED}, terminationTime: "2026-11-03T09:07:33Z"}}`,
	} {
		if got := kindNamed(t, kind).Outcome(object(t, text)); !got.Since.Equal(want) {
			t.Errorf("%s failed at %v, want %v", kind, got.Since, want)
		}
	}
}

// Where memory is found after it was raised by half.
func TestGrowthInEveryKind(t *testing.T) {
	const pod = `{spec: {containers: [{name: main, resources: {limits: {memory: 2Gi}, requests: {memory: 1Gi}}}, {name: side, resources: {limits: {memory: 1Gi}}}]}}`
	for _, test := range []struct {
		kind, container, object string
		path                    []string
		index                   int
		want                    string
	}{
		{"Job", "main", `{spec: {template: ` + pod + `}}`, []string{"spec", "template", "spec", "containers"}, 0, "3Gi"},
		{"Job", "", `{spec: {template: ` + pod + `}}`, []string{"spec", "template", "spec", "containers"}, 0, "3Gi"},
		{"Job", "side", `{spec: {template: ` + pod + `}}`, []string{"spec", "template", "spec", "containers"}, 1, "1536Mi"},
		{"RayJob", "main", `{spec: {rayClusterSpec: {headGroupSpec: {template: ` + pod + `}}}}`, []string{"spec", "rayClusterSpec", "headGroupSpec", "template", "spec", "containers"}, 0, "3Gi"},
		{"PyTorchJob", "main", `{spec: {pytorchReplicaSpecs: {Worker: {template: ` + pod + `}}}}`, []string{"spec", "pytorchReplicaSpecs", "Worker", "template", "spec", "containers"}, 0, "3Gi"},
	} {
		t.Run(test.kind+" "+test.container, func(t *testing.T) {
			obj := object(t, test.object)
			if !growAll(kindNamed(t, test.kind), obj, Change{Resource: "memory", Factor: 1.5, Container: test.container}) {
				t.Fatal("nothing was raised")
			}
			containers, _, err := unstructured.NestedSlice(obj.Object, test.path...)
			if err != nil || len(containers) <= test.index {
				t.Fatalf("containers %v, %v", containers, err)
			}
			got, _, _ := unstructured.NestedString(containers[test.index].(map[string]any), "resources", "limits", "memory")
			if got != test.want {
				t.Errorf("limit %s, want %s", got, test.want)
			}
		})
	}
}

func growAll(kind Kind, obj *unstructured.Unstructured, change Change) bool {
	grown := false
	for _, shape := range kind.Shapes(obj) {
		grown = shape.Grow(change) || grown
	}
	return grown
}

func TestGrowResources(t *testing.T) {
	for _, test := range []struct {
		name, before string
		change       Change
		after        string
		grown        bool
	}{
		{"limit and request", `{limits: {memory: 2Gi}, requests: {memory: 1Gi}}`, Change{Factor: 2}, `{limits: {memory: 4Gi}, requests: {memory: 2Gi}}`, true},
		{"limit alone", `{limits: {memory: 2Gi}}`, Change{Factor: 2}, `{limits: {memory: 4Gi}}`, true},
		{"request alone", `{requests: {memory: 2Gi}}`, Change{Factor: 2}, `{requests: {memory: 4Gi}}`, true},
		{"request only", `{limits: {memory: 4Gi}, requests: {memory: 1Gi}}`, Change{Factor: 2, RequestOnly: true}, `{limits: {memory: 4Gi}, requests: {memory: 2Gi}}`, true},
		{"request up to the limit", `{limits: {memory: 2Gi}, requests: {memory: 2Gi}}`, Change{Factor: 2, RequestOnly: true}, `{limits: {memory: 2Gi}, requests: {memory: 2Gi}}`, true},
		{"a number", `{limits: {memory: 1048576}}`, Change{Factor: 3}, `{limits: {memory: 3Mi}}`, true},
		{"neither", `{limits: {cpu: 1}}`, Change{Factor: 2}, `{limits: {cpu: 1}}`, false},
		{"decimal", `{limits: {memory: 1500M}}`, Change{Factor: 1.5}, `{limits: {memory: 2146Mi}}`, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			before, after := object(t, test.before), object(t, test.after)
			test.change.Resource = "memory"
			if got := growResources(before.Object, test.change); got != test.grown {
				t.Errorf("raised: %v, want %v", got, test.grown)
			}
			got, _ := yaml.Marshal(before.Object)
			want, _ := yaml.Marshal(after.Object)
			if string(got) != string(want) {
				t.Errorf("resources\n%s, want\n%s", got, want)
			}
		})
	}
}

func TestSparkMemory(t *testing.T) {
	for _, test := range []struct {
		before string
		factor float64
		after  string
		grown  bool
	}{
		{"4g", 1.5, "6g", true},
		{"1g", 1.5, "1536m", true},
		{"1001m", 1.5, "1502m", true},
		{"512M", 2, "1024m", true},
		{"2gb", 2, "4g", true},
		{"half a gig", 2, "half a gig", false},
	} {
		section := map[string]any{"memory": test.before}
		if grown := growSpark(section, Change{Resource: "memory", Factor: test.factor}); grown != test.grown || section["memory"] != test.after {
			t.Errorf("%s x%v = %v, %v, want %s, %v", test.before, test.factor, section["memory"], grown, test.after, test.grown)
		}
	}
}

func TestRenewDropsWhatTiesPodsToOneJob(t *testing.T) {
	for _, test := range []struct{ name, before, after string }{
		{
			"generated",
			`{spec: {selector: {matchLabels: {batch.kubernetes.io/controller-uid: u}}, template: {metadata: {labels: {app: x, job-name: train, batch.kubernetes.io/controller-uid: u}}}}}`,
			`{spec: {template: {metadata: {labels: {app: x}}}}}`,
		},
		{
			"generated, and said to be chosen later",
			`{spec: {manualSelector: true, selector: {matchLabels: {controller-uid: u}}, template: {metadata: {labels: {app: x, controller-uid: u}}}}}`,
			`{spec: {template: {metadata: {labels: {app: x}}}}}`,
		},
		{
			"chosen by the user, by other means",
			`{spec: {manualSelector: true, selector: {matchExpressions: [{key: a, operator: Exists}]}, template: {metadata: {labels: {a: b}}}}}`,
			`{spec: {manualSelector: true, selector: {matchExpressions: [{key: a, operator: Exists}]}, template: {metadata: {labels: {a: b}}}}}`,
		},
		{
			"chosen by the user",
			`{spec: {manualSelector: true, selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}}}}`,
			`{spec: {manualSelector: true, selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}}}}`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			obj := object(t, test.before)
			kindNamed(t, "Job").Renew(obj)
			got, _ := yaml.Marshal(obj.Object)
			want, _ := yaml.Marshal(object(t, test.after).Object)
			if string(got) != string(want) {
				t.Errorf("renewed\n%s, want\n%s", got, want)
			}
		})
	}
}

// Users' own limits, as their API servers default them, in what Mulligan starts.
func TestTakenOverWorkHasNoOperatorRetries(t *testing.T) {
	for _, test := range []struct{ kind, name, before, after string }{
		{"Job", "one pod", `{spec: {completions: 1, parallelism: 1, backoffLimit: 6}}`, `{spec: {completions: 1, parallelism: 1, backoffLimit: 0}}`},
		{"Job", "a work queue of one worker", `{spec: {parallelism: 1, backoffLimit: 2}}`, `{spec: {parallelism: 1, backoffLimit: 0}}`},
		{"Job", "one of several pods is replaced", `{spec: {completions: 8, parallelism: 4, backoffLimit: 6}}`, `{spec: {completions: 8, parallelism: 4, backoffLimit: 6}}`},
		{"Job", "one of several indexes is", `{spec: {completions: 8, backoffLimitPerIndex: 1, backoffLimit: 2147483647}}`, `{spec: {completions: 8, backoffLimitPerIndex: 1, backoffLimit: 2147483647}}`},
		{"JobSet", "restarts", `{spec: {failurePolicy: {maxRestarts: 3, rules: [{action: FailJobSet}]}, replicatedJobs: [{name: w, template: {spec: {backoffLimit: 2}}}]}}`, `{spec: {failurePolicy: {maxRestarts: 0, rules: [{action: FailJobSet}]}, replicatedJobs: [{name: w, template: {spec: {backoffLimit: 2}}}]}}`},
		{"JobSet", "without a policy", `{spec: {replicatedJobs: []}}`, `{spec: {replicatedJobs: []}}`},
		{"RayJob", "another cluster each", `{spec: {backoffLimit: 2, submitterConfig: {backoffLimit: 2}}}`, `{spec: {backoffLimit: 0, submitterConfig: {backoffLimit: 2}}}`},
		{"TrainJob", "its runtime's limits are no fields of it", `{spec: {trainer: {numNodes: 4}}}`, `{spec: {trainer: {numNodes: 4}}}`},
		{"PyTorchJob", "of all replicas", `{spec: {runPolicy: {backoffLimit: 3, suspend: false}}}`, `{spec: {runPolicy: {backoffLimit: 0, suspend: false}}}`},
		{"PyTorchJob", "for ever", `{spec: {runPolicy: {suspend: false}}}`, `{spec: {runPolicy: {suspend: false}}}`},
		{"SparkApplication", "runs and submissions", `{spec: {restartPolicy: {type: OnFailure, onFailureRetries: 3, onSubmissionFailureRetries: 5, onFailureRetryInterval: 10}}}`, `{spec: {restartPolicy: {type: OnFailure, onFailureRetries: 0, onSubmissionFailureRetries: 0, onFailureRetryInterval: 10}}}`},
		{"SparkApplication", "never", `{spec: {restartPolicy: {type: Never}}}`, `{spec: {restartPolicy: {type: Never}}}`},
	} {
		t.Run(test.kind+" "+test.name, func(t *testing.T) {
			obj := object(t, test.before)
			kindNamed(t, test.kind).TakeOver(obj)
			got, _ := yaml.Marshal(obj.Object)
			want, _ := yaml.Marshal(object(t, test.after).Object)
			if string(got) != string(want) {
				t.Errorf("taken over\n%s, want\n%s", got, want)
			}
		})
	}
}

func TestWhatCanBeSuspended(t *testing.T) {
	for _, test := range []struct {
		kind, object string
		can          bool
	}{
		{"Job", `{}`, true},
		{"RayJob", `{spec: {shutdownAfterJobFinishes: true}}`, true},
		{"RayJob", `{spec: {}}`, false},
		{"RayJob", `{spec: {shutdownAfterJobFinishes: true, clusterSelector: {a: b}}}`, false},
	} {
		if got := kindNamed(t, test.kind).SuspendField(object(t, test.object)) != nil; got != test.can {
			t.Errorf("%s %s can be suspended: %v, want %v", test.kind, test.object, got, test.can)
		}
	}
}

func TestKeptClusterIsReported(t *testing.T) {
	for _, test := range []struct {
		kind, object string
		keeps        bool
	}{
		{"Job", `{}`, false},
		{"RayJob", `{spec: {}}`, true},
		{"RayJob", `{spec: {shutdownAfterJobFinishes: false}}`, true},
		{"RayJob", `{spec: {shutdownAfterJobFinishes: true}}`, false},
		{"RayJob", `{spec: {clusterSelector: {a: b}}}`, false},
		{"RayJob", `{spec: {deletionStrategy: {onFailure: {policy: DeleteCluster}}}}`, false},
	} {
		if got := kindNamed(t, test.kind).Keeps(object(t, test.object)) != ""; got != test.keeps {
			t.Errorf("%s %s keeps something: %v, want %v", test.kind, test.object, got, test.keeps)
		}
	}
}

func TestATrainJobBegins(t *testing.T) {
	named := func(kind string) *unstructured.Unstructured {
		obj := &unstructured.Unstructured{}
		obj.SetGroupVersionKind(kindNamed(t, kind).GroupVersionKind())
		obj.SetName("finetune")
		obj.SetNamespace("ml")
		return obj
	}
	suspended := named("TrainJob")
	if err := unstructured.SetNestedField(suspended.Object, true, "spec", "suspend"); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name   string
		job    *unstructured.Unstructured
		others []client.Object
		begun  bool
	}{
		{"with its JobSet", named("TrainJob"), []client.Object{named("JobSet")}, true},
		{"not without", named("TrainJob"), nil, false},
		{"suspended", suspended, nil, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			reader := fake.NewClientBuilder().WithObjects(test.others...).Build()
			begun, err := trainJob{}.Begun(t.Context(), reader, test.job)
			if err != nil || begun != test.begun {
				t.Errorf("begun: %v, %v, want %v", begun, err, test.begun)
			}
		})
	}
}

func TestKindsAreFoundWhateverTheirVersion(t *testing.T) {
	if ByGroupKind(schema.GroupKind{Group: "ray.io", Kind: "RayJob"}) == nil {
		t.Error("RayJob is not found")
	}
	if found := ByGroupKind(schema.GroupKind{Group: "ray.io", Kind: "Job"}); found != nil {
		t.Errorf("a Job of ray.io is taken for %v", found.GroupVersionKind())
	}
}

// What operators append to a name, and the 63 characters of a label of DNS.
func TestRoomForNames(t *testing.T) {
	for _, test := range []struct {
		kind, name, object string
		want               int
	}{
		{"Job", "ordinary", `{spec: {parallelism: 2}}`, 45},
		{"Job", "with a hundred million indexes", `{spec: {completions: 100000000000}}`, 45},
		{"JobSet", "short names", `{spec: {replicatedJobs: [{name: w, replicas: 1}]}}`, 45},
		{"JobSet", "the longest counts", `{spec: {replicatedJobs: [{name: w}, {name: the-workers-of-the-model, replicas: 11, template: {spec: {parallelism: 101}}}]}}`, 63 - len("-the-workers-of-the-model-10-100-abcde")},
		{"JobSet", "hardly any room", `{spec: {replicatedJobs: [{name: the-workers-of-the-model-that-somebody-has-to-train-first}]}}`, 63 - len("-the-workers-of-the-model-that-somebody-has-to-train-first-0-0-abcde")},
		{"RayJob", "as KubeRay takes them", `{}`, 45},
		{"TrainJob", "of a runtime that prepares", `{spec: {trainer: {numNodes: 200}}}`, 63 - len("-dataset-initializer-0-199-abcde")},
		{"PyTorchJob", "ordinary", `{}`, 45},
	} {
		if got := kindNamed(t, test.kind).MaxName(object(t, test.object)); got != test.want {
			t.Errorf("%s, %s: %d, want %d", test.kind, test.name, got, test.want)
		}
	}
}
