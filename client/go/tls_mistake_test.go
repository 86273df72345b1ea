package mulligan_test

import (
	"context"
	"crypto/tls"
	"net"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/status"

	"mulligan.dev/mulligan"
	"mulligan.dev/mulligan/internal/testing/certificates"
)

var flagNames = mulligan.TLSNames{CA: "--tls-ca", Certificate: "--tls-cert", Key: "--tls-key", ServerName: "--tls-server-name"}

func TestNamesTLSMistakes(t *testing.T) {
	authority, stranger := certificates.New(t), certificates.New(t)
	own := issue(t, authority, "mulligan.internal")
	mutual := serve(t, &answering{}, grpc.Creds(credentials.NewTLS(&tls.Config{
		Certificates: []tls.Certificate{own}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: authority.Pool(),
	})))
	plaintext := serve(t, &answering{})
	right := filesOf(authority.Issue(t, "caller"))
	otherName, otherCA, noCertificate, notTaken := right, right, right, filesOf(stranger.Issue(t, "caller"))
	otherName.ServerName = "another.name"
	otherCA.CA = notTaken.CA
	noCertificate.Certificate, noCertificate.Key = "", ""
	notTaken.CA = right.CA
	if err := ask(context.Background(), connect(t, mutual, mulligan.WithTLS(right))); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		address string
		files   *mulligan.TLSFiles
		want    string
	}{
		"plaintext":               {mutual, nil, "the server speaks TLS, it seems: give --tls-ca"},
		"TLS to plaintext":        {plaintext, &right, "the server does not speak TLS: leave --tls-ca out"},
		"another name":            {mutual, &otherName, "give it with --tls-server-name"},
		"another authority":       {mutual, &otherCA, "not signed by one in --tls-ca"},
		"without a certificate":   {mutual, &noCertificate, "give --tls-cert and --tls-key"},
		"a certificate of others": {mutual, &notTaken, "does not take the certificate in --tls-cert"},
	} {
		t.Run(name, func(t *testing.T) {
			opts := []mulligan.Option{mulligan.WithTLSNames(flagNames), mulligan.WithDeadline(time.Minute)}
			if test.files != nil {
				opts = append(opts, mulligan.WithTLS(*test.files))
			}
			err := ask(context.Background(), connect(t, test.address, opts...))
			if status.Code(err) != codes.Unavailable || !strings.HasPrefix(status.Convert(err).Message(), "the server") || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}

func TestUnreachablePortIsNoTLSMistake(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	listener.Close()
	files := filesOf(certificates.New(t).Issue(t, "caller"))
	for _, opts := range [][]mulligan.Option{nil, {mulligan.WithTLS(files)}} {
		err := ask(context.Background(), connect(t, address, append(opts, mulligan.WithDeadline(time.Minute))...))
		if err == nil || strings.Contains(err.Error(), "TLSFiles") {
			t.Errorf("got %v", err)
		}
	}
}

func TestTLSNames(t *testing.T) {
	files := filesOf(certificates.New(t).Issue(t, "caller"))
	noCA, noKey, noPEM, swapped := files, files, files, files
	noCA.CA, noKey.Key, noPEM.CA = "", "", files.Key
	swapped.Certificate, swapped.Key = files.Key, files.Certificate
	for _, test := range []struct {
		files mulligan.TLSFiles
		want  string
	}{
		{noCA, `--tls-ca "" is not valid`},
		{noKey, `--tls-key "" is not valid, expected a key together with --tls-cert`},
		{noPEM, `--tls-ca "` + files.Key + `" has no certificate in PEM form`},
		{swapped, `--tls-cert "` + files.Key + `" and --tls-key "`},
	} {
		_, err := mulligan.Dial("a:1", mulligan.WithTLS(test.files), mulligan.WithTLSNames(flagNames))
		if err == nil || !strings.HasPrefix(err.Error(), test.want) || strings.Contains(err.Error(), "TLSFiles") {
			t.Errorf("got %v, want %s", err, test.want)
		}
	}
}
