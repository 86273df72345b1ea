package cluster

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// why runs the plugin, and returns its output and peak memory in megabytes.
func (c *cluster) why(t *testing.T, args ...string) (string, int64) {
	t.Helper()
	return c.plugin(t, append([]string{"why", "--local"}, args...)...)
}

// plugin runs the plugin with the binary. The memory is the larger of both.
func (c *cluster) plugin(t *testing.T, args ...string) (string, int64) {
	t.Helper()
	args = append(args, "--mulligan="+mulliganBinary())
	command := exec.CommandContext(t.Context(), filepath.Join(c.bin, "kubectl-mulligan"), args...)
	command.Env = append(os.Environ(), "KUBECONFIG="+filepath.Join(c.run, "kubeconfig"), "HOME="+t.TempDir())
	var said, complaints bytes.Buffer
	command.Stdout, command.Stderr = &said, &complaints
	if err := command.Run(); err != nil {
		t.Fatalf("kubectl-mulligan %v: %v\n%s", args, err, complaints.String())
	}
	return said.String(), command.ProcessState.SysUsage().(*syscall.Rusage).Maxrss >> 10
}
