// Package cluster runs the scenarios of docs/e2e.md on a real control plane, started by
// scripts/e2e. Assertions read the API server. The tests play the kubelet: they write how
// pods end.
package cluster

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"mulligan.dev/mulligan/internal/controller/records"
)

// cluster is shared by all tests of a run.
type cluster struct {
	client.Client
	config *rest.Config
	// Folder of the control plane's files, with the kubeconfig.
	run string
	// Folder of the binaries.
	bin string
	// Names of the running operators.
	operators []string
	// Address of the C++ server, and its certificates.
	server string
	certs  certificates
}

var shared *cluster

func TestMain(m *testing.M) {
	code, err := runAll(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		code = 1
	}
	os.Exit(code)
}

func runAll(m *testing.M) (int, error) {
	run := os.Getenv("E2E_RUN")
	if run == "" {
		fmt.Println("skipped: e2e: no control plane (E2E_RUN): run scripts/e2e")
		return 0, nil
	}
	c, err := connect(run)
	if err != nil {
		return 1, err
	}
	shared = c
	if c.certs, err = makeCertificates(filepath.Join(run, "tls")); err != nil {
		return 1, err
	}
	server, err := startServer(c, "server", "", controllerName)
	if err != nil {
		return 1, err
	}
	defer server.end()
	c.server = server.address
	if err := c.addNodes(); err != nil {
		return 1, err
	}
	if err := c.grantController(); err != nil {
		return 1, err
	}
	if err := c.installRecords(); err != nil {
		return 1, err
	}
	return m.Run(), nil
}

func connect(run string) (*cluster, error) {
	config, err := clientcmd.BuildConfigFromFlags("", filepath.Join(run, "kubeconfig"))
	if err != nil {
		return nil, err
	}
	config.QPS, config.Burst = 2000, 4000
	// No client-side rate limit.
	config.WarningHandler = rest.NoWarnings{}
	if err := records.AddToScheme(scheme.Scheme); err != nil {
		return nil, err
	}
	c, err := client.New(config, client.Options{Scheme: scheme.Scheme})
	return &cluster{
		Client: c, config: config, run: run, bin: os.Getenv("E2E_BIN"),
		operators: strings.Fields(os.Getenv("E2E_OPERATORS")),
	}, err
}

// The namespace of the controller's ConfigMaps.
const home = "mulligan"

// grantController gives the controller exactly its deployed roles, and a kubeconfig.
func (c *cluster) grantController() error {
	if err := c.Create(context.Background(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: home}}); err != nil {
		return err
	}
	for _, file := range []string{"rbac.yaml", "all-namespaces.yaml", "act.yaml", "policies.yaml", "admission-check.yaml"} {
		text, err := os.ReadFile("../../../deploy/controller/" + file)
		if err != nil {
			return err
		}
		if err := c.createAll(string(text)); err != nil {
			return err
		}
	}
	return c.writeConfigOf(home)
}

// createAll creates the missing objects of a file.
func (c *cluster) createAll(text string) error {
	for _, document := range strings.Split("\n"+text, "\n---\n") {
		obj := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(document), &obj.Object); err != nil {
			return err
		}
		if len(obj.Object) == 0 {
			continue
		}
		if err := c.Create(context.Background(), obj); err != nil && !apierrors.IsAlreadyExists(err) {
			return err
		}
	}
	return nil
}

// writeConfigOf writes a kubeconfig with the rights of the controller in a namespace.
func (c *cluster) writeConfigOf(namespace string) error {
	config, err := clientcmd.LoadFromFile(filepath.Join(c.run, "kubeconfig"))
	if err != nil {
		return err
	}
	for _, user := range config.AuthInfos {
		user.Impersonate = "system:serviceaccount:" + namespace + ":mulligan-controller"
	}
	return clientcmd.WriteToFile(*config, c.configOf(namespace))
}

// installRecords installs the kind RetryRecord.
func (c *cluster) installRecords() error {
	text, err := os.ReadFile("../../../deploy/controller/retryrecords.yaml")
	if err != nil {
		return err
	}
	crd := &unstructured.Unstructured{}
	if err := yaml.Unmarshal(text, &crd.Object); err != nil {
		return err
	}
	if err := c.Create(context.Background(), crd); err != nil {
		return err
	}
	for range 100 {
		if err = c.List(context.Background(), &records.RetryRecordList{}); err == nil {
			return nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	return fmt.Errorf("RetryRecord is not served: %w", err)
}

func (c *cluster) configOf(namespace string) string {
	return filepath.Join(c.run, "kubeconfig-"+namespace)
}

// needs skips a test whose operator does not run.
func (c *cluster) needs(t *testing.T, operator string) {
	t.Helper()
	if !slices.Contains(c.operators, operator) {
		t.Skipf("skipped: %s is not built", operator)
	}
}

// namespace makes a namespace for the test, opted in, and removes it afterwards.
func (c *cluster) namespace(t *testing.T) string {
	t.Helper()
	name := strings.ToLower(regexp.MustCompile(`[^a-zA-Z0-9]+`).ReplaceAllString(t.Name(), "-"))
	name = strings.TrimPrefix(name, "test")
	if len(name) > 60 {
		name = name[len(name)-60:]
	}
	return c.namespaceNamed(t, strings.Trim(name, "-"))
}

func (c *cluster) namespaceNamed(t *testing.T, name string) string {
	t.Helper()
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
		Name: name, Labels: map[string]string{"mulligan.dev/policy": ""},
	}}
	must(t, c.Create(t.Context(), ns))
	t.Cleanup(func() {
		if err := c.Delete(context.Background(), ns); err != nil {
			t.Logf("namespace %s stays: %v", name, err)
		}
	})
	return name
}

// waitGone waits until a deleted namespace is gone.
func (c *cluster) waitGone(t *testing.T, namespace string, patience time.Duration) {
	t.Helper()
	eventually(t, patience, func() string {
		err := c.Get(t.Context(), client.ObjectKey{Name: namespace}, &corev1.Namespace{})
		if !apierrors.IsNotFound(err) {
			return fmt.Sprintf("the namespace %s is still there: %v", namespace, err)
		}
		return ""
	})
}

// Two ordinary nodes and two spot nodes.
func (c *cluster) addNodes() error {
	for i := range 4 {
		node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{
			Name:        fmt.Sprintf("node-%d", i),
			Annotations: map[string]string{"kwok.x-k8s.io/node": "fake"},
			Labels:      map[string]string{"kubernetes.io/hostname": fmt.Sprintf("node-%d", i)},
		}}
		if i >= 2 {
			node.Name = fmt.Sprintf("spot-%d", i-2)
			node.Labels = map[string]string{"kubernetes.io/hostname": node.Name, spotKey: "true"}
			node.Spec.Taints = []corev1.Taint{{Key: spotKey, Value: "true", Effect: corev1.TaintEffectNoSchedule}}
		}
		if err := c.Create(context.Background(), node); err != nil {
			return err
		}
	}
	return nil
}

const spotKey = "cloud.google.com/gke-spot"

// controlPlane starts or stops a component by scripts/control-plane.
func (c *cluster) controlPlane(t *testing.T, command, component string) {
	t.Helper()
	must(t, c.control(command, component))
}

// control does so without a test, also once its context has ended.
func (c *cluster) control(command, component string) error {
	script := os.Getenv("E2E_CONTROL_PLANE")
	if out, err := exec.Command(script, command, c.run, component).CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s %s: %w\n%s", script, command, component, err, out)
	}
	return nil
}

// eventually calls check until it returns "". After the timeout its last result is the
// failure.
func eventually(t *testing.T, within time.Duration, check func() string) {
	t.Helper()
	deadline := time.Now().Add(within)
	for {
		wrong := check()
		if wrong == "" {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("not within %v: %s", within, wrong)
		}
		time.Sleep(100 * time.Millisecond)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
