package cluster

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// process is started and ended by a test.
type process struct {
	command *exec.Cmd
	address string
	log     string
	done    chan struct{}
}

func start(run, name, binary string, args []string, env ...string) (*process, error) {
	p := &process{command: exec.Command(binary, args...), log: filepath.Join(run, name+".log"), done: make(chan struct{})}
	log, err := os.OpenFile(p.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	p.command.Stdout, p.command.Stderr = log, log
	p.command.Env = append(os.Environ(), env...)
	// Ends with the test program, even if that is killed.
	p.command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := p.command.Start(); err != nil {
		return nil, err
	}
	go func() {
		_ = p.command.Wait()
		close(p.done)
	}()
	return p, nil
}

func (p *process) end() {
	_ = p.command.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.done:
	case <-time.After(10 * time.Second):
		p.kill()
	}
}

// kill ends it at once.
func (p *process) kill() {
	_ = p.command.Process.Kill()
	<-p.done
}

// startServer starts the C++ server with mutual TLS, and with the policies in a folder or
// else shortPolicy. It answers only the caller with this name in its certificate.
func startServer(c *cluster, name, policies, caller string, more ...string) (*process, error) {
	if policies == "" {
		var err error
		if policies, err = shortPolicy(c.run); err != nil {
			return nil, err
		}
	}
	ports := filepath.Join(c.run, name+".ports")
	args := append([]string{
		"--listen-address=127.0.0.1:0", "--admin-address=127.0.0.1:0", "--drain-delay=0s",
		"--port-file=" + ports, "--policy-dir=" + policies,
		"--tls-cert=" + c.certs.file("server.crt"), "--tls-key=" + c.certs.file("server.key"),
		"--tls-client-ca=" + c.certs.file("ca.crt"), "--allow-callers=" + caller, "--allow-policy-callers=" + caller,
	}, more...)
	p, err := start(c.run, name, os.Getenv("E2E_SERVER"), args)
	if err != nil {
		return nil, err
	}
	for range 100 {
		text, err := os.ReadFile(ports)
		var bound struct {
			GrpcPort int `json:"grpcPort"`
		}
		if err == nil && json.Unmarshal(text, &bound) == nil {
			p.address = fmt.Sprintf("127.0.0.1:%d", bound.GrpcPort)
			return p, nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	log, _ := os.ReadFile(p.log)
	p.end()
	return nil, fmt.Errorf("mulligan-server does not serve:\n%s", log)
}

// serverFor starts a server for the test, see startServer.
func (c *cluster) serverFor(t *testing.T, name, policies, caller string, more ...string) *process {
	t.Helper()
	server, err := startServer(c, name, policies, caller, more...)
	must(t, err)
	t.Cleanup(server.end)
	return server
}

var (
	delays = regexp.MustCompile(`initial: \d+[smh]`)
	limits = regexp.MustCompile(`max: \d+[smh]`)
	graces = regexp.MustCompile(`grace: \d+[smh]`)
)

// shortPolicy writes a folder with the built-in default policy with delays of one second and
// graces of eight seconds, and the same as "slow", with five and eight.
func shortPolicy(run string) (string, error) {
	folder := filepath.Join(run, "policies")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", err
	}
	for name, delay := range map[string]string{"default": "1s", "slow": "5s"} {
		policy, err := policyWithDelay(delay)
		if err != nil {
			return "", err
		}
		if name != "default" {
			policy = strings.Replace(policy, "  name: default\n", "  name: "+name+"\n", 1)
			policy = strings.Replace(policy, "spec:\n", "spec:\n  onlyByName: true\n", 1)
		}
		if err := os.WriteFile(filepath.Join(folder, name+".yaml"), []byte(policy), 0o644); err != nil {
			return "", err
		}
	}
	return folder, nil
}

// policyWithDelay returns the built-in default policy with this as every delay, and graces
// of eight seconds.
func policyWithDelay(delay string) (string, error) {
	text, err := os.ReadFile("../../../policy/default_policy.yaml")
	if err != nil {
		return "", err
	}
	policy := limits.ReplaceAllString(string(text), "max: "+delay)
	policy = delays.ReplaceAllString(policy, "initial: "+delay)
	policy = graces.ReplaceAllString(policy, "grace: 8s")
	if !strings.Contains(policy, "grace: 8s") || !strings.Contains(policy, "initial: "+delay) {
		return "", fmt.Errorf("default_policy.yaml has no delays to shorten")
	}
	return policy, nil
}

// startController starts mulligan-controller for only the test's namespace.
func (c *cluster) startController(t *testing.T, namespace, mode string, args ...string) *process {
	t.Helper()
	return c.startControllerWith(t, c.configOf(home), namespace, mode, args...)
}

// startControllerWith starts mulligan-controller with a kubeconfig.
func (c *cluster) startControllerWith(t *testing.T, config, namespace, mode string, args ...string) *process {
	t.Helper()
	args = append([]string{
		"--mode=" + mode, "--watch-namespaces=" + namespace, "--namespace=" + home,
		"--server=" + c.server, "--tls-ca=" + c.certs.file("ca.crt"),
		"--tls-cert=" + c.certs.file("controller.crt"), "--tls-key=" + c.certs.file("controller.key"),
		"--metrics-address=0", "--health-address=0", "--leader-elect=false",
		"--retries-per-minute=100000", "--verbose",
	}, args...)
	p, err := start(c.run, "controller-"+namespace, filepath.Join(c.bin, "mulligan-controller"), args,
		"KUBECONFIG="+config)
	must(t, err)
	t.Cleanup(p.end)
	// Failures before it watches leave less evidence.
	eventually(t, long, func() string {
		text, _ := os.ReadFile(p.log)
		said := string(text)
		if strings.Count(said, `"Starting workers"`) < strings.Count(said, `"Starting Controller"`) ||
			!strings.Contains(said, `"Starting workers"`) {
			return "the controller has not started"
		}
		return ""
	})
	return p
}

func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer listener.Close()
	return listener.Addr().String()
}
