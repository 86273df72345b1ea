package cluster

import (
	"io"
	"net"
	"sync"
	"testing"
)

// proxy stands between a controller and the service, and can hold an answer back
// when the service has given it.
type proxy struct {
	address string
	lock    sync.Mutex
	backend string
	// Called once, with the first answer that comes after it was set; the answer is
	// forwarded when it returns.
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

// set chooses the replica for connections from now on, and the hook.
func (p *proxy) set(backend string, onAnswer func()) {
	p.lock.Lock()
	defer p.lock.Unlock()
	p.backend, p.onAnswer = backend, onAnswer
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
		// Handshakes, settings and acknowledgements are small; an answer is not.
		if n > answerBytes {
			p.held()
		}
		if _, writeErr := caller.Write(buffer[:n]); err != nil || writeErr != nil {
			return
		}
	}
}

// Less than any answer to Decide, more than what comes before one but the
// certificates, which come before a hook is set.
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
