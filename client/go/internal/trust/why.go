package trust

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"syscall"
)

// Client makes single calls over a [Transport]. It follows no redirect, because only
// the configuration names addresses, and keeps no connection, because net/http logs
// data that arrives on an idle one.
func Client(caFile string) (*http.Client, error) {
	transport, err := Transport(caFile)
	if err != nil {
		return nil, err
	}
	transport.DisableKeepAlives = true
	return &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}, nil
}

// Why maps the error of a call to one of a closed set. net/http's errors contain the
// address, which may be a secret, and parts of the answer, which may repeat it.
func Why(err error) error {
	var (
		network  net.Error
		dns      *net.DNSError
		code     syscall.Errno
		untrusty *tls.CertificateVerificationError
		record   tls.RecordHeaderError
		alert    tls.AlertError
	)
	switch {
	case errors.Is(err, context.Canceled):
		return context.Canceled
	case errors.As(err, &dns):
		return errors.New("its host cannot be looked up")
	case errors.As(err, &network) && network.Timeout():
		return errors.New("no answer in time")
	case errors.As(err, &code):
		return code
	case errors.As(err, &untrusty):
		return errors.New("its certificate is not trusted, or is that of another host")
	case errors.As(err, &record):
		return errors.New("it does not speak TLS")
	case errors.As(err, &alert):
		return alert
	}
	return errors.New("it closed the connection, or its answer is not HTTP")
}

// Refusal describes an answer other than 2xx by its status code. The reason phrase is
// the other side's text and is left out.
func Refusal(response *http.Response) error {
	return errors.New(strings.TrimSpace(fmt.Sprint(response.StatusCode, " ", http.StatusText(response.StatusCode))))
}
