package notify

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/pem"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr/funcr"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
)

// rawly answers each connection with the function's result for the head of the request.
func rawly(t *testing.T, answer func(head string) string) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			var head strings.Builder
			for lines := bufio.NewReader(conn); !strings.HasSuffix(head.String(), "\r\n\r\n"); {
				line, err := lines.ReadString('\n')
				if err != nil {
					break
				}
				head.WriteString(line)
			}
			io.WriteString(conn, answer(head.String()))
			conn.Close()
		}
	}()
	return listener.Addr().String()
}

// pathIn returns the path of a request.
func pathIn(head string) string {
	parts := strings.Fields(head)
	if len(parts) < 2 {
		return ""
	}
	return parts[1]
}

const none = "Content-Length: 0\r\n\r\n"

// Whatever a receiver answers, no part of its address reaches a log or a metric: host,
// password, path and query, plain or encoded.
func TestNothingOfAnAddressIsRepeated(t *testing.T) {
	echoing := map[string]func(head string) string{
		"its body is the request": func(head string) string { return "HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n" + head },
		"its body is the request, refused for now": func(head string) string {
			return "HTTP/1.1 503 Busy\r\nRetry-After: 1\r\nConnection: close\r\n\r\n" + head
		},
		"the reason of its status is the path": func(head string) string { return "HTTP/1.1 400 no " + pathIn(head) + "\r\n" + none },
		"it leads to the path elsewhere": func(head string) string {
			return "HTTP/1.1 307 T\r\nLocation: http://other" + pathIn(head) + "\r\n" + none
		},
		"it redirects to an invalid address": func(head string) string {
			return "HTTP/1.1 302 F\r\nLocation: http://%zz" + pathIn(head) + "\r\n" + none
		},
		"its status line is the request":     func(head string) string { return head },
		"its status is the path":             func(head string) string { return "HTTP/1.1 " + pathIn(head) + " x\r\n" + none },
		"a header of it is the path":         func(head string) string { return "HTTP/1.1 200 OK\r\n" + pathIn(head) + "\r\n" + none },
		"its length is the path":             func(head string) string { return "HTTP/1.1 200 OK\r\nContent-Length: " + pathIn(head) + "\r\n\r\n" },
		"its encoding is the path":           func(head string) string { return "HTTP/1.1 200 OK\r\nTransfer-Encoding: " + pathIn(head) + "\r\n\r\n" },
		"it says more than it was asked":     func(head string) string { return "HTTP/1.1 400 B\r\n" + none + head },
		"it takes the message and says more": func(head string) string { return "HTTP/1.1 200 OK\r\n" + none + head },
		"it says nothing":                    func(string) string { return "" },
	}
	hosts := map[string]string{"a closed port": "127.0.0.1:1"}
	for name, answer := range echoing {
		hosts[name] = rawly(t, answer)
	}
	for name, host := range hosts {
		t.Run(name, func(t *testing.T) { repeatsNothing(t, "http://me:hunter2@"+host+"/services/T0/SECRET?key=QUERY", "") })
	}
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	defer secure.Close()
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	address := strings.TrimPrefix(secure.URL, "https://")
	t.Run("its certificate is not trusted", func(t *testing.T) {
		repeatsNothing(t, "https://me:hunter2@"+address+"/services/T0/SECRET?key=QUERY", "")
	})
	t.Run("it does not speak TLS", func(t *testing.T) {
		plain := httptest.NewServer(http.NotFoundHandler())
		defer plain.Close()
		repeatsNothing(t, "https://me:hunter2@"+strings.TrimPrefix(plain.URL, "http://")+"/services/T0/SECRET?key=QUERY", "")
	})
	t.Run("its certificate is that of another host", func(t *testing.T) {
		_, port, _ := net.SplitHostPort(address)
		repeatsNothing(t, "https://me:hunter2@localhost:"+port+"/services/T0/SECRET?key=QUERY", string(pemOf(secure)))
	})
}

func pemOf(server *httptest.Server) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
}

// repeatsNothing sends a message to a receiver at the address and checks logs and metrics.
func repeatsNothing(t *testing.T, address, authority string) {
	t.Helper()
	ca := filepath.Join(t.TempDir(), "ca")
	service := "url: '" + address + "'"
	if authority != "" {
		write(t, ca, authority)
		service += ", caFile: '" + ca + "'"
	}
	config, err := Parse([]byte("receivers: [{name: chat, webhook: {" + service + "}}]"))
	if err != nil {
		t.Fatal(err)
	}
	var logged bytes.Buffer
	log.SetOutput(&logged)
	defer log.SetOutput(io.Discard)
	n, err := New(config, funcr.New(func(prefix, args string) { logged.WriteString(prefix + args + "\n") }, funcr.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	s := n.senders[0]
	s.sleep = func(context.Context, time.Duration) bool { return true }
	n.Notify(failure())
	failures := counted(t, "chat", failed)
	s.deliver(t.Context(), <-s.queue)
	// net/http logs data on an idle connection in its own goroutine.
	time.Sleep(20 * time.Millisecond)
	text := logged.String()
	if counted(t, "chat", failed) > failures && !strings.Contains(text, `"receiver"="chat"`) {
		t.Errorf("logged %q, want the name of the receiver", text)
	}
	families, err := metrics.Registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families {
		if strings.HasPrefix(family.GetName(), "mulligan_") {
			text += family.String()
		}
	}
	host := strings.SplitN(strings.SplitN(address, "@", 2)[1], "/", 2)[0]
	for _, secret := range []string{host, "hunter2", base64.StdEncoding.EncodeToString([]byte("me:hunter2")), "services", "SECRET", "QUERY"} {
		if strings.Contains(text, secret) {
			t.Errorf("%q is repeated: %s", secret, logged.String())
		}
	}
}
