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

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// A controller whose role is bound in one namespace retries there, may create nothing
// elsewhere, and shows its metrics to those that the API server lets read them.
func TestScenario23RightsInOneNamespaceAlone(t *testing.T) {
	t.Parallel()
	c := shared
	namespace := c.namespace(t)
	// Another place for a second controller of the same files.
	const narrow = "mulligan-narrow"
	must(t, c.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: narrow}}))
	elsewhere := strings.NewReplacer("namespace: "+home, "namespace: "+narrow, "mulligan-controller-cluster", narrow)
	text, err := os.ReadFile("../../../deploy/controller/rbac.yaml")
	must(t, err)
	must(t, c.createAll(elsewhere.Replace(string(text))))
	bindings, err := exec.CommandContext(t.Context(), filepath.Join(c.bin, "mulligan-controller"),
		"--print-rolebindings", "--watch-namespaces="+namespace, "--namespace="+narrow).Output()
	must(t, err)
	must(t, c.createAll(string(bindings)))
	must(t, c.writeConfigOf(narrow))

	metrics := freeAddress(t)
	c.play(t, namespace, failsTimes(1))
	c.startControllerWith(t, c.configOf(narrow), namespace, "act", "--namespace="+narrow, "--metrics-address="+metrics)
	must(t, c.Create(t.Context(), newJob(namespace, "train")))
	c.attempts(t, namespace, 2)

	config, err := clientcmd.BuildConfigFromFlags("", c.configOf(narrow))
	must(t, err)
	own, err := client.New(config, client.Options{Scheme: scheme.Scheme})
	must(t, err)
	for in, want := range map[string]bool{namespace: true, "default": false, home: false} {
		review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
			ResourceAttributes: &authorizationv1.ResourceAttributes{Namespace: in, Verb: "create", Group: "batch", Resource: "jobs"},
		}}
		must(t, own.Create(t.Context(), review))
		if review.Status.Allowed != want {
			t.Errorf("may create Jobs in %s: %v, want %v", in, review.Status.Allowed, want)
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

// tokenOf makes a ServiceAccount and asks for a token of it.
func (c *cluster) tokenOf(t *testing.T, namespace, name string) string {
	t.Helper()
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
	must(t, c.Create(t.Context(), account))
	request := &authenticationv1.TokenRequest{}
	must(t, c.SubResource("token").Create(context.Background(), account, request))
	return request.Status.Token
}

// metricsStatus asks for metrics over TLS, by the controller's certificate.
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
