package kubectl

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mulligan.dev/mulligan/internal/testing/realserver"
)

// The plugin as installed: in $PATH, called by kubectl, with the mulligan binary next to
// it.
func TestKubectlFindsThePlugin(t *testing.T) {
	mulligan := realserver.Binary(t, "mulligan")
	folder := t.TempDir()
	plugin := filepath.Join(folder, "kubectl-mulligan")
	if out, err := exec.Command("go", "build", "-o", plugin, "../../cmd/kubectl-mulligan").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if err := os.Symlink(mulligan, filepath.Join(folder, "mulligan")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", folder+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("KUBECONFIG", newAPIServer(t, append(batchWork(t), object(t, imagePodText))...).kubeconfig(t))
	command := []string{"kubectl", "mulligan"}
	if _, err := exec.LookPath("kubectl"); err != nil {
		t.Log("there is no kubectl here: the plugin is called itself")
		command = []string{plugin}
	}
	call := func(args ...string) (string, error) {
		args = append(append([]string{}, command...), args...)
		out, err := exec.Command(args[0], args[1:]...).CombinedOutput()
		return string(out), err
	}
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"why", "job/train"}, "memory 1 of 3 used"},
		{[]string{"why", "-A"}, "2 workloads, 2 broken"},
		{[]string{"policy", "show"}, "kind: RetryPolicy"},
		{[]string{"--help"}, "kubectl mulligan"},
		{[]string{"--version"}, "kubectl mulligan version "},
	} {
		if out, err := call(test.args...); err != nil || !strings.Contains(out, test.want) {
			t.Errorf("%v: %v, no %q in\n%s", test.args, err, test.want, out)
		}
	}
	if out, err := call("why", "job/gone"); err == nil || !strings.Contains(out, `error: jobs.batch "gone" not found`) && !strings.Contains(out, "not found") {
		t.Errorf("got %v, %s", err, out)
	}
	if out, err := call("wyh", "job/train"); err == nil || !strings.Contains(out, `unknown command "wyh" for "kubectl mulligan"; did you mean why?`) {
		t.Errorf("got %v, %s", err, out)
	}
	// The exit code and the message are the binary's.
	out, err := call("policy", "check", filepath.Join(folder, "nosuch.yaml"))
	exited, ok := err.(*exec.ExitError)
	if !ok || exited.ExitCode() != 2 || strings.Contains(out, "exit status") {
		t.Errorf("got %v, %s", err, out)
	}
}
