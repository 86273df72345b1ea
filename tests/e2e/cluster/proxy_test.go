package cluster

import (
	"io"
	"net"
	"sync"
	"testing"
	"time"
)

// proxy is between a controller and the service, and can delay answers.
type proxy struct {
	address string
	lock    sync.Mutex
	backend string
	// Called once, on the first answer after it was set. The answer is forwarded when it
	// returns.
	onAnswer func()
}

func startProxy(t *testing.T, backend string) *proxy {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { listener.Close() })
	p := &proxy{address: listener.Addr().String(), backend: backend}
	go func() {
		for {
			caller, err := listener.Accept()
			if err != nil {
				return
			}
			go p.serve(caller)
		}
	}()
	return p
}

// set chooses the replica for new connections, and the hook.
func (p *proxy) set(backend string, onAnswer func()) {
	p.lock.Lock()
	defer p.lock.Unlock()
	p.backend, p.onAnswer = backend, onAnswer
}

// killsAtNextAnswer forwards new connections to the tests' server, and waits until the next
// answer is on its way, when it kills the process.
func (p *proxy) killsAtNextAnswer(t *testing.T, victim *process) {
	t.Helper()
	killed := make(chan struct{})
	p.set(shared.server, func() {
		victim.kill()
		close(killed)
	})
	select {
	case <-killed:
	case <-time.After(long):
		t.Fatal("no failure was asked about")
	}
}

func (p *proxy) serve(caller net.Conn) {
	defer caller.Close()
	p.lock.Lock()
	backend := p.backend
	p.lock.Unlock()
	service, err := net.Dial("tcp", backend)
	if err != nil {
		return
	}
	defer service.Close()
	go func() {
		_, _ = io.Copy(service, caller)
		service.Close()
	}()
	buffer := make([]byte, 64<<10)
	for {
		n, err := service.Read(buffer)
		// Handshakes, settings and acknowledgements are smaller than an answer.
		if n > answerBytes {
			p.held()
		}
		if _, writeErr := caller.Write(buffer[:n]); err != nil || writeErr != nil {
			return
		}
	}
}

// Smaller than any answer to Decide, and larger than other data except certificates, which
// come before a hook is set.
const answerBytes = 512

func (p *proxy) held() {
	p.lock.Lock()
	hook := p.onAnswer
	p.onAnswer = nil
	p.lock.Unlock()
	if hook != nil {
		hook()
	}
}
