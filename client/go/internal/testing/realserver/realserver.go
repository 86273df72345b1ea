// Package realserver starts the C++ server for tests. The environment variable
// MULLIGAN_BIN, set by scripts/test-go, names the folder with the binaries; without it
// tests are skipped.
package realserver

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"mulligan.dev/mulligan"
)

// Binary returns the path of "mulligan" or "mulligan-server".
func Binary(t testing.TB, name string) string {
	t.Helper()
	folder := os.Getenv("MULLIGAN_BIN")
	if folder == "" {
		t.Skip("MULLIGAN_BIN is not set: run scripts/test-go")
	}
	return filepath.Join(folder, name)
}

// Server is a running mulligan-server.
type Server struct {
	// Address of gRPC, and Admin of HTTP.
	Address, Admin string
	command        *exec.Cmd
	exited         chan struct{}
}

// Start starts a server on free loopback ports, which stops with the test. Addresses in
// flags take precedence.
func Start(t testing.TB, flags ...string) *Server {
	t.Helper()
	ports := filepath.Join(t.TempDir(), "ports.json")
	var log strings.Builder
	command := exec.Command(Binary(t, "mulligan-server"), append([]string{
		"--listen-address=127.0.0.1:0", "--admin-address=127.0.0.1:0",
		"--drain-delay=0s", "--port-file=" + ports,
	}, flags...)...)
	command.Stderr, command.Stdout = &log, io.Discard
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	exited := make(chan struct{})
	server := &Server{command: command, exited: exited}
	go func() { command.Wait(); close(exited) }()
	t.Cleanup(func() {
		command.Process.Signal(syscall.SIGTERM)
		select {
		case <-exited:
		case <-time.After(10 * time.Second):
			command.Process.Kill()
			<-exited
		}
		if t.Failed() {
			t.Logf("mulligan-server:\n%s", log.String())
		}
	})
	if err := server.waitFor(ports, exited); err != nil {
		t.Fatalf("%v:\n%s", err, log.String())
	}
	return server
}

func (s *Server) waitFor(file string, exited <-chan struct{}) error {
	for range 1000 {
		var ports struct{ GRPCPort, AdminPort int }
		if text, err := os.ReadFile(file); err == nil && json.Unmarshal(text, &ports) == nil {
			s.Address = fmt.Sprintf("127.0.0.1:%d", ports.GRPCPort)
			s.Admin = fmt.Sprintf("127.0.0.1:%d", ports.AdminPort)
			return nil
		}
		select {
		case <-exited:
			return errors.New("mulligan-server ended early")
		case <-time.After(20 * time.Millisecond):
		}
	}
	return errors.New("mulligan-server wrote no ports")
}

// Dial returns a client of the server, which the test closes.
func (s *Server) Dial(t testing.TB) *mulligan.Client {
	t.Helper()
	client, err := mulligan.Dial(s.Address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	return client
}

// Signal sends the server a signal: SIGTERM to stop it as Kubernetes does.
func (s *Server) Signal(signal syscall.Signal) { s.command.Process.Signal(signal) }

// Stop stops the server and waits until it has ended and written everything.
func (s *Server) Stop(t testing.TB) {
	t.Helper()
	s.Signal(syscall.SIGTERM)
	select {
	case <-s.exited:
	case <-time.After(10 * time.Second):
		t.Fatal("mulligan-server does not end")
	}
}
