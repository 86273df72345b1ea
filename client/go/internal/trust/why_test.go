package trust

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"syscall"
	"testing"
)

// Errors name the kind of failure, without any text of the address or the other side.
func TestWhy(t *testing.T) {
	const secret = "/services/T0/SECRET"
	for want, cause := range map[string]error{
		"its host cannot be looked up": &net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", Name: "SECRET.example", IsNotFound: true}},
		"no answer in time":            context.DeadlineExceeded,
		"context canceled":             fmt.Errorf("%s: %w", secret, context.Canceled),
		"connection refused":           &net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)},
		"its certificate is not trusted, or is that of another host": &tls.CertificateVerificationError{
			Err: x509.HostnameError{Host: "SECRET.example", Certificate: &x509.Certificate{DNSNames: []string{"other"}}},
		},
		"it does not speak TLS":                               tls.RecordHeaderError{Msg: secret},
		"it closed the connection, or its answer is not HTTP": errors.New("malformed HTTP response " + secret),
	} {
		got := Why(&url.Error{Op: "Post", URL: "http://h" + secret, Err: cause}).Error()
		if got != want || strings.Contains(got, "SECRET") {
			t.Errorf("%v: %q, want %q", cause, got, want)
		}
	}
}

func TestRefusalShowsOnlyTheStatusCode(t *testing.T) {
	for code, want := range map[int]string{404: "404 Not Found", 599: "599"} {
		if got := Refusal(&http.Response{StatusCode: code, Status: "404 no /services/SECRET"}).Error(); got != want {
			t.Errorf("%d: %q, want %q", code, got, want)
		}
	}
}
