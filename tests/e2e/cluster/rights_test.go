package cluster

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"mulligan.dev/mulligan"
)

// A controller whose role is bound in one namespace retries there, may create nothing
// elsewhere, and serves metrics to clients that the API server authorizes.
func TestScenario23RightsInOneNamespaceAlone(t *testing.T) {
	t.Parallel()
	c := shared
	namespace := c.namespace(t)
	// Another namespace for a second controller from the same files.
	const narrow = "mulligan-narrow"
	must(t, c.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: narrow}}))
	c.grantIn(t, narrow, namespace, "act")

	metrics := freeAddress(t)
	c.play(t, namespace, failsTimes(1))
	controller := c.startControllerWith(t, c.configOf(narrow), namespace, "act", "--namespace="+narrow, "--metrics-address="+metrics)
	must(t, c.Create(t.Context(), newJob(namespace, "train")))
	c.attempts(t, namespace, 2)
	controller.wasRefusedNothing(t)

	for in, want := range map[string]bool{namespace: true, "default": false, home: false} {
		if got := may(t, c.configOf(narrow), "create", in); got != want {
			t.Errorf("may create Jobs in %s: %v, want %v", in, got, want)
		}
	}

	if got := c.metricsStatus(t, metrics, ""); got != http.StatusUnauthorized {
		t.Errorf("metrics without a token: %d, want 401", got)
	}
	token := c.tokenOf(t, namespace, "prometheus")
	if got := c.metricsStatus(t, metrics, token); got != http.StatusForbidden {
		t.Errorf("metrics for a stranger: %d, want 403", got)
	}
	must(t, c.Create(t.Context(), &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "reads-metrics"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "mulligan-controller-metrics-reader"},
		Subjects:   []rbacv1.Subject{{Kind: "ServiceAccount", Namespace: namespace, Name: "reader"}},
	}))
	token = c.tokenOf(t, namespace, "reader")
	eventually(t, long, func() string {
		if got := c.metricsStatus(t, metrics, token); got != http.StatusOK {
			return http.StatusText(got) + " for who may read metrics"
		}
		return ""
	})
}

// An observing controller writes an Event that says what would have been different, and
// nothing else, and it may write to no workload.
func TestScenario23ObservingWritesToNoWorkload(t *testing.T) {
	t.Parallel()
	c := shared
	namespace := c.namespace(t)
	const reading = "mulligan-reading"
	must(t, c.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: reading}}))
	c.grantIn(t, reading, namespace, "observe")
	c.play(t, namespace, isTakenAway)
	controller := c.startControllerWith(t, c.configOf(reading), namespace, "observe", "--namespace="+reading)
	job := newJob(namespace, "train")
	must(t, c.Create(t.Context(), job))
	c.waitsUntil(t, job, long, isFailed)
	// The Job controller counts a node's shutdown like a failure of the program.
	c.anEvent(t, job, "WouldRetry", "charged to disruption", "The operator: Job: fail the Job")
	// A retry would come within two seconds.
	time.Sleep(3 * time.Second)
	jobs := c.jobs(t, namespace)
	_, charged := jobs[0].Annotations[mulligan.LedgerAnnotation]
	if written := decisionOf(t, &jobs[0]); len(jobs) != 1 || !isFailed(&jobs[0]) || charged || written.Action != "" {
		t.Errorf("%d Jobs, the first has a ledger: %v, and the decision %v; want the failed Job alone, without both", len(jobs), charged, written)
	}
	for _, verb := range []string{"create", "patch", "update", "delete"} {
		if may(t, c.configOf(reading), verb, namespace) {
			t.Errorf("who observes may %s Jobs", verb)
		}
	}
	controller.wasRefusedNothing(t)
}

// wasRefusedNothing checks that a controller's rights suffice for all that it tried.
func (p *process) wasRefusedNothing(t *testing.T) {
	t.Helper()
	said, err := os.ReadFile(p.log)
	must(t, err)
	if strings.Contains(string(said), "forbidden") {
		t.Errorf("the rights do not suffice: see %s", p.log)
	}
}

// may returns whether a kubeconfig's user may do this to the Jobs of a namespace.
func may(t *testing.T, kubeconfig, verb, namespace string) bool {
	t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	must(t, err)
	own, err := client.New(config, client.Options{Scheme: scheme.Scheme})
	must(t, err)
	review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
		ResourceAttributes: &authorizationv1.ResourceAttributes{Namespace: namespace, Verb: verb, Group: "batch", Resource: "jobs"},
	}}
	must(t, own.Create(t.Context(), review))
	return review.Status.Allowed
}

// grantIn grants a second controller, of the namespace home, the rights of a mode in one
// namespace, and writes its kubeconfig.
func (c *cluster) grantIn(t *testing.T, home, namespace, mode string) {
	t.Helper()
	for _, file := range []string{"rbac.yaml", "act.yaml"} {
		text, err := os.ReadFile("../../../deploy/controller/" + file)
		must(t, err)
		// Without the cluster-wide binding at the end of act.yaml.
		role, _, _ := strings.Cut(string(text), "\n---\napiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleBinding\nmetadata:\n  name: mulligan-controller-act\n")
		must(t, c.createAll(strings.NewReplacer("namespace: mulligan", "namespace: "+home, "mulligan-controller-cluster", home).Replace(role)))
	}
	bindings, err := exec.CommandContext(t.Context(), filepath.Join(c.bin, "mulligan-controller"),
		"--print-rolebindings", "--mode="+mode, "--watch-namespaces="+namespace, "--namespace="+home).Output()
	must(t, err)
	// Each controller has such a Role in the namespace default.
	must(t, c.createAll(strings.ReplaceAll(string(bindings), "mulligan-controller-node-events", home+"-node-events")))
	must(t, c.writeConfigOf(home))
}

// tokenOf creates a ServiceAccount, and returns a token for it.
func (c *cluster) tokenOf(t *testing.T, namespace, name string) string {
	t.Helper()
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
	must(t, c.Create(t.Context(), account))
	request := &authenticationv1.TokenRequest{}
	must(t, c.SubResource("token").Create(context.Background(), account, request))
	return request.Status.Token
}

// metricsStatus returns the HTTP status of /metrics over TLS with the controller's
// certificate.
func (c *cluster) metricsStatus(t *testing.T, address, token string) int {
	t.Helper()
	authority, err := os.ReadFile(c.certs.file("ca.crt"))
	must(t, err)
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(authority)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+address+"/metrics", nil)
	must(t, err)
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	asking := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, ServerName: "mulligan-controller"}}}
	answer, err := asking.Do(request)
	must(t, err)
	answer.Body.Close()
	return answer.StatusCode
}
