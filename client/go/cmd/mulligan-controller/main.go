// Mulligan-controller retries failed batch workloads without changing their operators:
// see docs/controller.md.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.uber.org/zap/zapcore"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/metrics/filters"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"mulligan.dev/mulligan"
	"mulligan.dev/mulligan/internal/badnode"
	"mulligan.dev/mulligan/internal/controller"
	"mulligan.dev/mulligan/internal/notify"
	"mulligan.dev/mulligan/internal/retrypolicy"
	"mulligan.dev/mulligan/logs"
)

type flags struct {
	controller.Options
	mode           string
	server         string
	deadline       time.Duration
	tls            mulligan.TLSFiles
	metricsAddress string
	metricsSecure  bool
	healthAddress  string
	leaderElection bool
	namespaces     string
	roleBindings   bool
	qps            float64
	burst          int
	verbose        bool
	receivers      string
	nodeAction     string
	logs           string
	events         bool
	actIn          string
	trial          string
	peers          string
	webhooks       webhookFlags
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "mulligan-controller:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	f, err := parse(args)
	if err != nil {
		return err
	}
	if f.trial != "" {
		return printTrial(os.Stdout, f.trial)
	}
	if f.roleBindings {
		return printRoleBindings(os.Stdout, f)
	}
	level := zapcore.InfoLevel
	if f.verbose {
		level = zapcore.DebugLevel
	}
	ctrl.SetLogger(zap.New(zap.Level(level), zap.RawZapOpts()))
	boundMemory()
	if f.Notifier, err = notifier(f.receivers); err != nil {
		return err
	}
	if f.Logs, err = logReader(f.logs); err != nil {
		return err
	}
	decider, err := dial(f)
	if err != nil {
		return err
	}
	defer decider.Close()
	ties := controller.NewTies()
	mgr, err := newManager(f, ties)
	if err != nil {
		return err
	}
	if f.WebhooksReady, err = f.webhooks.renew(mgr, f.Namespace); err != nil {
		return err
	}
	if err := controller.SetUp(mgr, decider, ties, f.Options); err != nil {
		return err
	}
	if f.RetryPolicies {
		policies := &retrypolicy.Reconciler{
			Client: mgr.GetClient(), Policies: decider.Policies(), Report: controller.ReportPolicies,
			ConfigMap: client.ObjectKey{Namespace: f.Namespace, Name: f.PolicyConfigMap},
		}
		if err := policies.SetUp(mgr); err != nil {
			return err
		}
	}
	if f.Notifier != nil {
		if err := mgr.Add(f.Notifier); err != nil {
			return err
		}
	}
	if err := mgr.AddHealthzCheck("healthz", healthz.Ping); err != nil {
		return err
	}
	if err := mgr.AddReadyzCheck("readyz", sees(mgr.GetCache())); err != nil {
		return err
	}
	return start(ctrl.SetupSignalHandler(), mgr)
}

// notifier returns nil without a file.
func notifier(file string) (*notify.Notifier, error) {
	if file == "" {
		return nil, nil
	}
	config, err := notify.Load(file)
	if err != nil {
		return nil, err
	}
	return notify.New(config, ctrl.Log.WithName("notify"))
}

// logReader returns nil without a source.
func logReader(source string) (mulligan.LogReader, error) {
	if source == "" {
		return nil, nil
	}
	config, err := ctrl.GetConfig()
	if err != nil {
		return nil, err
	}
	reader, err := logs.Parse(source, config)
	if err != nil {
		return nil, fmt.Errorf("--logs: %w", err)
	}
	return reader, nil
}

// sees is ready when the caches are filled. A controller that cannot read what it
// watches handles nothing.
func sees(watched cache.Cache) healthz.Checker {
	return func(request *http.Request) error {
		if !hasRead(request.Context(), watched) {
			return errors.New("not everything that is watched has been read yet; the log says what failed")
		}
		return nil
	}
}

func hasRead(ctx context.Context, watched cache.Cache) bool {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	return watched.WaitForCacheSync(ctx)
}

// The grace for running work after a signal, and for the whole manager. A manager whose
// caches are not yet filled ignores signals.
const (
	graceful   = 10 * time.Second
	stopWithin = 15 * time.Second
)

func start(ctx context.Context, mgr ctrl.Manager) error {
	ended := make(chan error, 1)
	go func() { ended <- mgr.Start(ctx) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	within := stopWithin
	if !hasRead(context.Background(), mgr.GetCache()) {
		within = 0
	}
	select {
	case err := <-ended:
		return err
	case <-time.After(within):
		return errors.New("stopped before everything that is watched had been read")
	}
}

func parse(args []string) (*flags, error) {
	f := &flags{Options: controller.Defaults()}
	set := flag.NewFlagSet("mulligan-controller", flag.ExitOnError)
	set.StringVar(&f.mode, "mode", string(f.Mode), "observe: only report what would be done; act: do it, which needs deploy/controller/act.yaml")
	set.StringVar(&f.Namespace, "namespace", f.Namespace, "namespace of the controller's own ConfigMaps and lease")
	set.StringVar(&f.SwitchName, "switch-configmap", f.SwitchName, "ConfigMap whose key `paused` with the value true stops everything")
	set.DurationVar(&f.MaxAge, "max-age", f.MaxAge, "failures that are older when they are first seen are left alone")
	set.IntVar(&f.RetriesPerMinute, "retries-per-minute", f.RetriesPerMinute, "objects created at most; more wait, each namespace for its own share")
	set.IntVar(&f.Concurrency, "concurrency", f.Concurrency, "workloads of a kind that are reconciled at once")
	set.BoolVar(&f.Suspend, "suspend-given-up", f.Suspend, "with --mode=act, suspend a workload that still runs and cannot succeed unchanged when it fails alike again; in a Kueue queue, deactivate its Workload")
	set.BoolVar(&f.RetryPolicies, "retry-policies", f.RetryPolicies, "check RetryPolicy objects and publish them to --policy-configmap; needs deploy/controller/policies.yaml")
	set.StringVar(&f.PolicyConfigMap, "policy-configmap", f.PolicyConfigMap, "ConfigMap that the servers load their policies from")
	set.StringVar(&f.server, "server", "dns:///mulligan.mulligan:8980", "gRPC target of the Mulligan service")
	set.DurationVar(&f.deadline, "deadline", mulligan.DefaultDeadline, "deadline of a question")
	set.StringVar(&f.tls.CA, "tls-ca", "", "file with the CA of the service's certificate, PEM; without it calls are in plaintext")
	set.StringVar(&f.tls.Certificate, "tls-cert", "", "file with the controller's certificate, PEM")
	set.StringVar(&f.tls.Key, "tls-key", "", "file with the key of the certificate, PEM")
	set.StringVar(&f.tls.ServerName, "tls-server-name", "", "name in the service's certificate, when not the host of --server")
	set.StringVar(&f.metricsAddress, "metrics-address", ":8443", "address of /metrics; 0 for none")
	set.BoolVar(&f.metricsSecure, "metrics-secure", true, "serve /metrics over TLS, with --tls-cert or else a self-signed certificate, to clients that the API server authenticates and that may get /metrics; false: to all, over HTTP")
	set.StringVar(&f.healthAddress, "health-address", ":8081", "HTTP address of /healthz and /readyz; 0 for none")
	set.BoolVar(&f.leaderElection, "leader-elect", true, "take the lease mulligan-controller before doing anything")
	set.StringVar(&f.namespaces, "watch-namespaces", "", "namespaces to watch, separated by commas; empty: all")
	set.BoolVar(&f.roleBindings, "print-rolebindings", false, "print the RoleBindings that let the controller work in --watch-namespaces alone, and act there with --mode=act, as YAML for kubectl apply, and end")
	set.Float64Var(&f.qps, "kube-api-qps", 100, "calls to the API server a second")
	set.IntVar(&f.burst, "kube-api-burst", 200, "calls to the API server at once")
	set.StringVar(&f.receivers, "receivers", "", "YAML `file` that says who is notified of failures that need action; empty: Events only")
	set.BoolVar(&f.ReadOnly, "read-only", false, "with --mode=observe, write nothing to the cluster but Events; reports are repeated after a restart")
	set.BoolVar(&f.events, "events", true, "write Events")
	set.BoolVar(&f.CountObserved, "count-observed", false, "with --mode=observe, have the service count the questions in its metrics and decision log like those that are acted on, and report to it how the work ended")
	set.StringVar(&f.actIn, "act-namespaces", "", "with --mode=observe, namespaces in which it acts, separated by commas; it needs the role of deploy/controller/act.yaml there")
	set.StringVar(&f.trial, "print-trial", "", "print what acting would have changed and did change, from decision logs (files or folders, separated by commas), and end")
	set.StringVar(&f.peers, "peers", "", "controllers of other clusters, as https://HOST:PORT of their metrics, separated by commas; their recent failures are sent with each question")
	set.StringVar(&f.Peers.Cluster, "cluster-name", "", "name of this cluster among --peers")
	set.StringVar(&f.Peers.TokenFile, "peer-token-file", "", "file with the token that is presented to --peers")
	set.StringVar(&f.Peers.CAFile, "peer-ca", "", "file with the CA of the certificates of --peers, PEM; empty: those that the machine trusts")
	set.StringVar(&f.logs, "logs", "", "where the end of containers' logs is read that ended with an error and no termination message: kubernetes (needs deploy/controller/logs.yaml), loki=URL or file=PATTERN; empty: nowhere. What looks like a secret is blanked before it leaves")
	set.StringVar(&f.nodeAction, "node-action", string(f.Nodes.Action), "what is done about nodes that were found to be bad: none, event, condition (MulliganBadNode) or taint ("+badnode.TaintKey+"); needs deploy/controller/node-actions.yaml; with --mode=observe an Event at most")
	set.IntVar(&f.Nodes.Workloads, "node-workloads", f.Nodes.Workloads, "workloads that must have found a node bad, at least 2")
	set.Float64Var(&f.Nodes.Share, "node-share", f.Nodes.Share, "share of the nodes that are marked at once at most; one always may be")
	set.DurationVar(&f.Nodes.Every, "node-every", f.Nodes.Every, "shortest time between two marks")
	set.DurationVar(&f.Nodes.For, "node-mark-for", f.Nodes.For, "how long a node stays marked after it was last found bad, unless it boots")
	set.StringVar(&f.webhooks.address, "webhook-address", "", "address of the webhooks that put verdicts into failing pods and rules into new Jobs and JobSets, such as :9443 (docs/webhook.md); empty: none")
	set.StringVar(&f.webhooks.certDir, "webhook-cert-dir", "/tmp/mulligan-webhook", "folder with tls.crt and tls.key of the webhooks, read again when they change")
	set.StringVar(&f.webhooks.secret, "webhook-secret", "", "Secret in --namespace in which a certificate made here is kept and renewed, and from which --webhook-cert-dir is mounted; empty: it is renewed elsewhere, as by cert-manager")
	set.StringVar(&f.webhooks.service, "webhook-service", "mulligan-controller-webhook", "Service by which the API server calls the webhooks, for the certificate made here")
	set.BoolVar(&f.AdmissionCheck, "admission-check", false, "answer Kueue's AdmissionChecks of the controller "+controller.CheckController+" (docs/webhook.md); needs deploy/controller/admission-check.yaml")
	set.BoolVar(&f.verbose, "verbose", false, "log details")
	set.Usage = func() {
		fmt.Fprintln(set.Output(), "mulligan-controller retries failed workloads without touching their operators.")
		fmt.Fprintln(set.Output(), "The cluster is that of $KUBECONFIG, ~/.kube/config or its own pod. Flags:")
		set.PrintDefaults()
	}
	if err := set.Parse(args); err != nil {
		return nil, err
	}
	if set.NArg() > 0 {
		return nil, fmt.Errorf("argument %q is not known, expected flags only: see --help", set.Arg(0))
	}
	if f.namespaces != "" && slices.Contains(strings.Split(f.namespaces, ","), "") {
		return nil, fmt.Errorf("--watch-namespaces=%q, expected names separated by commas", f.namespaces)
	}
	f.NoEvents = !f.events
	if f.peers != "" {
		f.Peers.URLs = strings.Split(f.peers, ",")
	}
	if f.actIn != "" {
		f.ActIn = strings.Split(f.actIn, ",")
	}
	for _, namespace := range f.ActIn {
		if f.namespaces != "" && !slices.Contains(strings.Split(f.namespaces, ","), namespace) {
			return nil, fmt.Errorf("--act-namespaces: %q is not among --watch-namespaces=%s, expected namespaces that are looked after", namespace, f.namespaces)
		}
	}
	f.Mode, f.Nodes.Action = controller.Mode(f.mode), badnode.Action(f.nodeAction)
	if f.Webhooks = f.webhooks.address != ""; f.Webhooks {
		if err := f.webhooks.check(); err != nil {
			return nil, err
		}
	}
	return f, f.Validate()
}

func dial(f *flags) (*mulligan.Client, error) {
	options := []mulligan.Option{mulligan.WithDeadline(f.deadline), mulligan.WithTLSNames(mulligan.TLSNames{
		CA: "--tls-ca", Certificate: "--tls-cert", Key: "--tls-key", ServerName: "--tls-server-name",
	})}
	if f.tls != (mulligan.TLSFiles{}) {
		options = append(options, mulligan.WithTLS(f.tls))
	}
	return mulligan.Dial(f.server, options...)
}

func newManager(f *flags, ties *controller.Ties) (ctrl.Manager, error) {
	config, err := ctrl.GetConfig()
	if err != nil {
		return nil, err
	}
	config.QPS, config.Burst = float32(f.qps), f.burst
	metrics, err := metricsOptions(f)
	if err != nil {
		return nil, err
	}
	own := map[string]cache.Config{f.Namespace: {}}
	// Kinds are added to it, and client-go's own is shared by the whole process.
	known := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(known); err != nil {
		return nil, err
	}
	return ctrl.NewManager(config, ctrl.Options{
		Scheme:                        known,
		WebhookServer:                 f.webhooks.server(),
		LeaderElection:                f.leaderElection,
		LeaderElectionID:              controller.Name,
		LeaderElectionNamespace:       f.Namespace,
		LeaderElectionReleaseOnCancel: true,
		Metrics:                       metrics,
		HealthProbeBindAddress:        f.healthAddress,
		GracefulShutdownTimeout:       ptr.To(graceful),
		Client:                        client.Options{Cache: &client.CacheOptions{Unstructured: true}},
		NewClient: func(config *rest.Config, options client.Options) (client.Client, error) {
			made, err := client.New(config, options)
			return observing{made, f.acts}, err
		},
		Cache: cache.Options{
			DefaultNamespaces: watched(f.namespaces),
			DefaultTransform:  ties.Transform,
			ByObject: map[client.Object]cache.ByObject{
				&corev1.ConfigMap{}: {Namespaces: own},
				// Events about nodes are in the namespace default.
				&corev1.Event{}: {Namespaces: watched(withDefault(f.namespaces))},
			},
		},
	})
}

// metricsOptions lets the API server authorize readers.
func metricsOptions(f *flags) (metricsserver.Options, error) {
	options := metricsserver.Options{BindAddress: f.metricsAddress}
	if !f.metricsSecure {
		return options, nil
	}
	options.SecureServing = true
	options.FilterProvider = filters.WithAuthenticationAndAuthorization
	if f.tls.Certificate == "" {
		return options, nil
	}
	certificate, err := filepath.Abs(f.tls.Certificate)
	if err != nil {
		return options, err
	}
	key, err := filepath.Abs(f.tls.Key)
	if err != nil {
		return options, err
	}
	// Both are read again when they change.
	options.CertDir, options.CertName = filepath.Split(certificate)
	options.KeyName, err = filepath.Rel(options.CertDir, key)
	return options, err
}

func withDefault(list string) string {
	if list == "" {
		return ""
	}
	return list + ",default"
}

// watched returns nil for all namespaces.
func watched(list string) map[string]cache.Config {
	if list == "" {
		return nil
	}
	namespaces := map[string]cache.Config{}
	for _, name := range strings.Split(list, ",") {
		namespaces[name] = cache.Config{}
	}
	return namespaces
}
