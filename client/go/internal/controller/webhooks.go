package controller

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"google.golang.org/protobuf/encoding/protojson"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
	"mulligan.dev/mulligan/internal/controller/failurerules"
	"mulligan.dev/mulligan/internal/controller/kinds"
	"mulligan.dev/mulligan/internal/controller/successor"
)

// Paths of the webhooks, as in the MutatingWebhookConfiguration.
const (
	VerdictPath = "/verdict"
	RulesPath   = "/rules"
	PlacePath   = "/placement"
)

// serveWebhooks answers reviews on every replica, leader or not, when there is a
// certificate.
func serveWebhooks(mgr ctrl.Manager, asks *verdicts) error {
	messages, err := newJobSetRelease(mgr.GetConfig(), mgr.GetHTTPClient())
	if err != nil {
		return err
	}
	serving := &webhooks{mgr: mgr, handlers: map[string]admission.Handler{
		VerdictPath: asks,
		RulesPath:   &rules{watched: asks.watched, options: asks.options, matchesMessages: messages.matches},
		PlacePath:   admission.HandlerFunc(placed),
	}, ready: asks.options.WebhooksReady}
	if err := mgr.AddReadyzCheck("webhooks", serving.check); err != nil {
		return err
	}
	// What a verdict reads and nothing watches. A cache that is filled on first use takes
	// longer than a review may, and the failure would be counted as without webhooks.
	namespaces := &metav1.PartialObjectMetadata{}
	namespaces.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Namespace"))
	for _, obj := range []client.Object{&corev1.Node{}, namespaces} {
		if _, err := mgr.GetCache().GetInformer(context.Background(), obj, cache.BlockUntilSynced(false)); err != nil {
			return err
		}
	}
	return mgr.Add(serving)
}

type webhooks struct {
	mgr      ctrl.Manager
	handlers map[string]admission.Handler
	ready    <-chan struct{}
	started  atomic.Bool
}

// NeedLeaderElection implements manager.LeaderElectionRunnable.
func (w *webhooks) NeedLeaderElection() bool { return false }

// Start implements manager.Runnable.
func (w *webhooks) Start(ctx context.Context) error {
	if w.ready != nil {
		select {
		case <-w.ready:
		case <-ctx.Done():
			return nil
		}
	}
	// The manager starts its server on the first call.
	server := w.mgr.GetWebhookServer()
	for path, handler := range w.handlers {
		server.Register(path, &webhook.Admission{Handler: handler})
	}
	w.started.Store(true)
	return nil
}

func (w *webhooks) check(request *http.Request) error {
	if !w.started.Load() {
		return errors.New("the webhooks wait for their certificate")
	}
	return w.mgr.GetWebhookServer().StartedChecker()(request)
}

// jobSetRelease knows whether the installed JobSet reads onJobFailureMessagePatterns.
// An API server drops fields that its CRD lacks, and rules without the field would
// confuse the conditions.
type jobSetRelease struct {
	discovery discovery.DiscoveryInterface
	lock      sync.Mutex
	asked     time.Time
	known     bool
}

// Pause between two looks at the CRD, because a release may be upgraded meanwhile.
const releaseFor = time.Minute

func newJobSetRelease(config *rest.Config, over *http.Client) (*jobSetRelease, error) {
	found, err := discovery.NewDiscoveryClientForConfigAndClient(config, over)
	return &jobSetRelease{discovery: found}, err
}

func (j *jobSetRelease) matches() bool {
	j.lock.Lock()
	defer j.lock.Unlock()
	if time.Since(j.asked) < releaseFor {
		return j.known
	}
	j.asked = time.Now()
	paths, err := j.discovery.OpenAPIV3().Paths()
	if err != nil || paths["apis/jobset.x-k8s.io/v1alpha2"] == nil {
		return j.known
	}
	if schema, err := paths["apis/jobset.x-k8s.io/v1alpha2"].Schema("application/json"); err == nil {
		j.known = bytes.Contains(schema, []byte(`"onJobFailureMessagePatterns"`))
	}
	return j.known
}

// rules is the webhook that writes the rules on these conditions into new Jobs and
// JobSets that opt in.
type rules struct {
	watched client.Reader
	options Options
	// Whether JobSet's controller distinguishes conditions.
	matchesMessages func() bool
}

// Handle answers the review of a CREATE. Objects that cannot have the rules are created
// without them, with a warning that says why.
func (r *rules) Handle(ctx context.Context, request admission.Request) admission.Response {
	response, result := r.review(ctx, request)
	admissions.WithLabelValues("rules", result).Inc()
	return response
}

func (r *rules) review(ctx context.Context, request admission.Request) (admission.Response, string) {
	obj := &unstructured.Unstructured{}
	if err := obj.UnmarshalJSON(request.Object.Raw); err != nil {
		return admission.Allowed(""), failed
	}
	obj.SetNamespace(request.Namespace)
	opted, err := optInOf(ctx, r.watched, obj)
	if err == nil && !opted.in {
		opted, err = r.ofOwner(ctx, obj)
	}
	if err != nil {
		return admission.Allowed(""), failed
	}
	// A JobSet's Jobs get the rules from its templates.
	if !opted.in || modeOf(r.options, obj) != Act || isPart(obj) && obj.GetKind() == "Job" {
		return admission.Allowed(""), left
	}
	if why := failurerules.Write(obj, r.matchesMessages()); why != "" {
		return admission.Allowed("").WithWarnings(NotWritten(obj.GetKind(), why)), unchanged
	}
	changed, err := obj.MarshalJSON()
	if err != nil {
		return admission.Allowed(""), failed
	}
	return admission.PatchResponseFromRaw(request.Object.Raw, changed), "written"
}

// NotWritten returns why the rules are missing, for a user.
func NotWritten(kind, why string) string {
	return fmt.Sprintf("mulligan: the %s's operator counts every failure by its own rules: %s", kind, why)
}

// ofOwner returns the opt-in of the workload that owns obj, such as a JobSet's
// TrainJob.
func (r *rules) ofOwner(ctx context.Context, obj *unstructured.Unstructured) (optIn, error) {
	owner := metav1.GetControllerOf(obj)
	if owner == nil || kinds.ByGroupKind(kindOf(owner)) == nil {
		return optIn{}, nil
	}
	above := newObject(kinds.ByGroupKind(kindOf(owner)))
	if err := r.watched.Get(ctx, client.ObjectKey{Namespace: obj.GetNamespace(), Name: owner.Name}, above); err != nil {
		return optIn{}, client.IgnoreNotFound(err)
	}
	return optInOf(ctx, r.watched, above)
}

// placed answers the review of a pod's CREATE: it follows the advice that an admission
// check left in the pod's annotation. Only its author's own pods are affected.
func placed(_ context.Context, request admission.Request) admission.Response {
	changed, err := placedPod(request.Object.Raw)
	if err != nil {
		admissions.WithLabelValues("placement", failed).Inc()
		return admission.Allowed("")
	}
	admissions.WithLabelValues("placement", "written").Inc()
	return admission.PatchResponseFromRaw(request.Object.Raw, changed)
}

// placedPod returns a pod as JSON, changed as its annotation advises.
func placedPod(raw []byte) ([]byte, error) {
	pod, advice := &unstructured.Unstructured{}, &mulliganv1.Placement{}
	if err := pod.UnmarshalJSON(raw); err != nil {
		return nil, err
	}
	text := pod.GetAnnotations()[successor.PlacementAnnotation]
	if err := (protojson.UnmarshalOptions{DiscardUnknown: true}).Unmarshal([]byte(text), advice); err != nil {
		return nil, err
	}
	spec, ok := pod.Object["spec"].(map[string]any)
	if !ok {
		return nil, errors.New("the pod has no spec")
	}
	successor.Follow([]kinds.Shape{kinds.PodShape(spec)}, &mulliganv1.Decision{Placement: advice}, "", time.Now())
	return pod.MarshalJSON()
}

var (
	admissions = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "mulligan_controller_admissions_total",
		Help: "Reviews of the webhooks, by webhook and result.",
	}, []string{"webhook", "result"})
	admissionTime = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name:    "mulligan_controller_admission_seconds",
		Help:    "Time that a write waited for a webhook.",
		Buckets: []float64{0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1},
	}, []string{"webhook"})
)
