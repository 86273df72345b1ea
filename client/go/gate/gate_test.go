package gate_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"mulligan.dev/mulligan"
	"mulligan.dev/mulligan/gate"
	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
	"mulligan.dev/mulligan/internal/gatetest"
	"mulligan.dev/mulligan/mulligantest"
)

// The operator's own counter counts only bugs of the work.
func TestWhatCounts(t *testing.T) {
	for _, test := range []struct {
		domain mulliganv1.Diagnosis_FaultDomain
		want   bool
	}{
		{mulliganv1.Diagnosis_APPLICATION, true},
		{mulliganv1.Diagnosis_CONFIGURATION, true},
		{mulliganv1.Diagnosis_RESOURCE_LIMIT, true},
		{mulliganv1.Diagnosis_DEADLINE, true},
		{mulliganv1.Diagnosis_DISRUPTION, false},
		{mulliganv1.Diagnosis_INFRASTRUCTURE, false},
		{mulliganv1.Diagnosis_QUEUE, false},
		{mulliganv1.Diagnosis_CONTROL_PLANE, false},
	} {
		t.Run(test.domain.String(), func(t *testing.T) {
			pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: "train", UID: "u"}}
			g := gatetest.Open(t, pod, corev1.AddToScheme, gatetest.Blames(test.domain))
			verdict, err := g.Ask(t.Context(), pod)
			if err != nil || verdict.Counts != test.want {
				t.Errorf("counts %t, error %v; want %t", verdict.Counts, err, test.want)
			}
		})
	}
}

// A lasting obstacle between a question and its answer is Native; a transient one is an
// error, so that it is repeated.
func TestObstaclesToRetry(t *testing.T) {
	pods := schema.GroupResource{Resource: "pods"}
	refuses := func(err error) interceptor.Funcs {
		return interceptor.Funcs{Patch: func(context.Context, client.WithWatch, client.Object, client.Patch, ...client.PatchOption) error {
			return err
		}}
	}
	for _, test := range []struct {
		name   string
		ledger string
		ended  bool
		stands interceptor.Funcs
		// The error, or why there is no answer.
		isError bool
		want    string
	}{
		{"an annotation that is no ledger", "oops", false, interceptor.Funcs{}, false, "annotation mulligan.dev/ledger"},
		{"reads that are slow", "", false, interceptor.Funcs{List: func(ctx context.Context, _ client.WithWatch, _ client.ObjectList, _ ...client.ListOption) error {
			<-ctx.Done()
			return ctx.Err()
		}}, false, "deadline"},
		{"a patch that is forbidden", "", false, refuses(apierrors.NewForbidden(pods, "train", nil)), false, "forbidden"},
		{"a webhook that refuses", "", false, refuses(apierrors.NewInvalid(schema.GroupKind{Kind: "Pod"}, "train", nil)), false, "invalid"},
		{"a patch that may have been made", "", false, refuses(apierrors.NewTimeoutError("slow", 1)), false, "slow"},
		{"a conflict", "", false, refuses(apierrors.NewConflict(pods, "train", errors.New("changed"))), true, "changed"},
		{"an operator that ends", "", true, interceptor.Funcs{}, true, "canceled"},
	} {
		t.Run(test.name, func(t *testing.T) {
			pod := withLedger(test.ledger)
			pod.Namespace, pod.UID = "ml", "u"
			g := gatetest.Open(t, pod, corev1.AddToScheme, gatetest.Says(mulliganv1.Decision_FAIL, 0))
			g.Deadline = 500 * time.Millisecond
			kube := interceptor.NewClient(g.Asker.Kube.(client.WithWatch), test.stands)
			g.Asker.Kube, g.Asker.Reader = kube, kube
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if test.ended {
				cancel()
			}
			version := pod.ResourceVersion
			verdict, err := g.Ask(ctx, pod)
			why := verdict.NoAnswer
			if test.isError {
				why, err = err, why
			}
			if err != nil || why == nil || !strings.Contains(why.Error(), test.want) || verdict.Way != gate.Native {
				t.Errorf("%s, no answer %v, error %v; want %q", verdict.Way, verdict.NoAnswer, err, test.want)
			}
			if pod.ResourceVersion != version {
				t.Errorf("the operator may overwrite version %s with what it read as %s", pod.ResourceVersion, version)
			}
		})
	}
}

var noon = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

func withLedger(ledger string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		Name: "train", Annotations: map[string]string{mulligan.LedgerAnnotation: ledger},
	}}
}

func TestPause(t *testing.T) {
	for _, test := range []struct {
		name, ledger string
		want         time.Duration
	}{
		{"granted and not due", `{"history": [{"observedAt": "2026-11-23T11:59:50Z", "decision": {"action": "RETRY", "retryAfter": "30s"}}]}`, 20 * time.Second},
		{"due", `{"history": [{"observedAt": "2026-11-23T11:59:00Z", "decision": {"action": "RETRY", "retryAfter": "30s"}}]}`, 0},
		{"given up", `{"history": [{"observedAt": "2026-11-23T11:59:50Z", "decision": {"action": "FAIL"}}]}`, 0},
		{"only the latest", `{"history": [{"observedAt": "2026-11-23T11:59:50Z", "decision": {"action": "RETRY", "retryAfter": "30s"}}, {"observedAt": "2026-11-23T11:59:55Z", "decision": {"action": "RETRY"}}]}`, 0},
		{"no ledger", ``, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := (&gate.Gate{Enabled: true}).Pause(withLedger(test.ledger), noon); got != test.want {
				t.Errorf("%s, want %s", got, test.want)
			}
		})
	}
}

const grows = `{"history": [{"decision": {"action": "RETRY", "resources": [{"resource": "memory", "factor": 1.5, "container": "trainer"}],
	"placement": {"avoidNodes": [{"node": "node-3", "hard": true, "expiresAt": "2026-11-23T13:00:00Z"}]}}}]}`

func TestFollow(t *testing.T) {
	template := &corev1.PodTemplateSpec{Spec: corev1.PodSpec{Containers: []corev1.Container{{
		Name:      "trainer",
		Resources: corev1.ResourceRequirements{Limits: corev1.ResourceList{"memory": resource.MustParse("1Gi")}},
	}}}}
	untouched := template.DeepCopy()
	if notes, err := (*gate.Gate)(nil).Follow(withLedger(grows), noon, untouched); err != nil || notes != nil || !untouched.Spec.Containers[0].Resources.Limits.Memory().Equal(resource.MustParse("1Gi")) {
		t.Errorf("a closed gate follows advice: %v, %v", untouched.Spec, err)
	}
	notes, err := (&gate.Gate{Enabled: true}).Follow(withLedger(grows), noon, template)
	if err != nil || notes != nil {
		t.Fatalf("notes %q, error %v", notes, err)
	}
	if got := template.Spec.Containers[0].Resources.Limits.Memory().String(); got != "1536Mi" {
		t.Errorf("memory %s, want 1536Mi", got)
	}
	terms := template.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms
	if len(terms) != 1 || terms[0].MatchFields[0].Values[0] != "node-3" {
		t.Errorf("terms %v, want none with node-3", terms)
	}
}

func TestNotesAdviceThatCannotBeFollowed(t *testing.T) {
	template := &corev1.PodTemplateSpec{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "trainer"}}}}
	notes, err := (&gate.Gate{Enabled: true}).Follow(withLedger(grows), noon, template)
	if err != nil || len(notes) != 1 || !strings.Contains(notes[0], "memory could not be raised") {
		t.Errorf("notes %q, error %v", notes, err)
	}
	notes, err = (&gate.Gate{Enabled: true}).Follow(withLedger("oops"), noon, template)
	if err != nil || len(notes) != 1 || !strings.Contains(notes[0], "annotation mulligan.dev/ledger") {
		t.Errorf("of an annotation that is no ledger: notes %q, error %v", notes, err)
	}
}

func TestFromEnvironment(t *testing.T) {
	for _, test := range []struct {
		name string
		env  map[string]string
		open bool
		want string
	}{
		{"off", nil, false, ""},
		{"on", map[string]string{gate.EnvServer: "127.0.0.1:8980"}, true, ""},
		{"with a deadline", map[string]string{gate.EnvServer: "127.0.0.1:8980", gate.EnvDeadline: "1s"}, true, ""},
		{"no address", map[string]string{gate.EnvServer: "mulligan"}, false, `MULLIGAN_SERVER: mulligan: target "mulligan" is not valid, expected HOST:PORT`},
		{"no duration", map[string]string{gate.EnvServer: "127.0.0.1:8980", gate.EnvDeadline: "soon"}, false, `MULLIGAN_DEADLINE "soon" is not valid, expected a duration`},
		{"no time at all", map[string]string{gate.EnvServer: "127.0.0.1:8980", gate.EnvDeadline: "0s"}, false, "deadline 0s is not valid"},
		{"a key without an authority", map[string]string{gate.EnvServer: "127.0.0.1:8980", gate.EnvKey: "tls.key"}, false, `MULLIGAN_TLS_CA "" is not valid`},
		{"a file that is not there", map[string]string{gate.EnvServer: "127.0.0.1:8980", gate.EnvCA: "nowhere.crt"}, false, "nowhere.crt"},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, name := range []string{gate.EnvServer, gate.EnvDeadline, gate.EnvCA, gate.EnvCertificate, gate.EnvKey} {
				t.Setenv(name, test.env[name])
			}
			g, err := gate.FromEnvironment(nil, nil)
			if (g != nil) != test.open {
				t.Errorf("open %t, want %t", g != nil, test.open)
			}
			if (err != nil) != (test.want != "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
}

func lastOf[T any](list []T) T { return list[len(list)-1] }

// A pod that was replaced before the question is in it, also when another process asks.
// An existing one is in it once. The rest of the annotation is not in the cluster's
// evidence.
func TestWhatIsKept(t *testing.T) {
	rayJob := custom("RayJob", "train", map[string]any{"rayClusterName": "train-x7"})
	cluster := custom("RayCluster", "train-x7", nil)
	gone := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: "gone", UID: "gone"}}
	there := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		Namespace: "ml", Name: "there", UID: "there", Labels: map[string]string{"ray.io/cluster": "train-x7"},
	}}
	scheme := runtime.NewScheme()
	if err := errors.Join(corev1.AddToScheme(scheme), batchv1.AddToScheme(scheme)); err != nil {
		t.Fatal(err)
	}
	kube := fake.NewClientBuilder().WithScheme(scheme).WithObjects(rayJob, cluster, there).Build()
	service := mulligantest.New(t)
	service.Next(mulligantest.Cause(mulliganv1.Cause_NOT_FAILED))
	g := gate.New(service.Client(), kube, kube)
	if err := kube.Get(t.Context(), client.ObjectKeyFromObject(cluster), cluster); err != nil {
		t.Fatal(err)
	}
	for _, pod := range []*corev1.Pod{gone, gone, there} {
		g.Keep(t.Context(), cluster, pod)
	}
	if err := kube.Update(t.Context(), cluster); err != nil {
		t.Errorf("the operator cannot write the cluster that it has: %v", err)
	}
	if _, err := gate.New(service.Client(), kube, kube).Ask(t.Context(), rayJob); err != nil {
		t.Fatal(err)
	}
	report := lastOf(service.Requests()).GetReport()
	var names []string
	for _, pod := range report.GetPods() {
		names = append(names, pod.GetMetadata().GetName())
	}
	slices.Sort(names)
	if got := strings.Join(names, " "); got != "gone there" {
		t.Errorf("asked with %q, want both once", got)
	}
	if kept := report.GetRayCluster().GetMetadata().GetAnnotations(); len(kept) != 0 {
		t.Errorf("the cluster is sent with %v", kept)
	}
}

// A pod is stored also on a cluster that was changed concurrently, and the operator
// does not overwrite that change.
func TestKeepingMovesNoVersionOn(t *testing.T) {
	cluster := custom("RayCluster", "train-x7", nil)
	scheme := runtime.NewScheme()
	if err := corev1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	kube := fake.NewClientBuilder().WithScheme(scheme).WithObjects(cluster).Build()
	if err := kube.Get(t.Context(), client.ObjectKeyFromObject(cluster), cluster); err != nil {
		t.Fatal(err)
	}
	theirs := cluster.DeepCopy()
	theirs.SetLabels(map[string]string{"theirs": "stays"})
	if err := kube.Update(t.Context(), theirs); err != nil {
		t.Fatal(err)
	}
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: "gone", UID: "gone"}}
	gate.New(mulligantest.New(t).Client(), kube, kube).Keep(t.Context(), cluster, pod)
	if err := kube.Update(t.Context(), cluster); !apierrors.IsConflict(err) {
		t.Errorf("the operator overwrites what came between: %v", err)
	}
	if err := kube.Get(t.Context(), client.ObjectKeyFromObject(cluster), theirs); err != nil {
		t.Fatal(err)
	}
	if theirs.GetAnnotations()[gate.KeptAnnotation] == "" || theirs.GetLabels()["theirs"] == "" {
		t.Errorf("the cluster has labels %v, annotations %v", theirs.GetLabels(), theirs.GetAnnotations())
	}
}

func custom(kind, name string, status map[string]any) *unstructured.Unstructured {
	obj := &unstructured.Unstructured{Object: map[string]any{"status": status}}
	obj.SetAPIVersion("ray.io/v1")
	obj.SetKind(kind)
	obj.SetNamespace("ml")
	obj.SetName(name)
	obj.SetUID(types.UID(name))
	return obj
}
