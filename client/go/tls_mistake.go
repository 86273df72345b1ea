package mulligan

import (
	"context"
	"fmt"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// TLSNames are a program's own names for the fields of [TLSFiles], such as "--tls-ca",
// for use in errors.
type TLSNames struct{ CA, Certificate, Key, ServerName string }

var fieldNames = TLSNames{"TLSFiles.CA", "TLSFiles.Certificate", "TLSFiles.Key", "TLSFiles.ServerName"}

// WithTLSNames makes errors about TLS use the program's names for flags or variables.
// Default: the fields of [TLSFiles].
func WithTLSNames(names TLSNames) Option {
	return func(o *options) { o.names = names }
}

func (n TLSNames) say(format string, args ...any) error {
	if n == fieldNames {
		format = "mulligan: " + format
	}
	return fmt.Errorf(format, args...)
}

// Errors of a connection that the other side closed silently.
var cutOff = []string{"server preface", "broken pipe", "connection reset by peer"}

// Mistakes about TLS, by the messages of gRPC and crypto/tls. The first match counts.
var mistakes = []struct {
	// For clients with TLS or without; with a certificate (own) or without; or any.
	tls, own, any bool
	// Only if the server has never answered, because a restart looks the same.
	first bool
	says  []string
	means string
}{
	{any: true, first: true, says: cutOff,
		means: "the server speaks TLS, it seems: give {ca}, the certificates that sign the server's"},
	// A port-forward does not report that the other side has closed.
	{any: true, first: true, says: []string{"waiting for connections to become ready"},
		means: "no answer in plaintext: if the server speaks TLS, give {ca}"},
	{tls: true, any: true, first: true, says: []string{"waiting for connections to become ready"},
		means: "no answer to TLS: if the server does not speak it, leave {ca} out; if it asks for a certificate, give {cert} and {key}"},
	{tls: true, any: true, says: []string{"first record does not look like a TLS handshake"},
		means: "the server does not speak TLS: leave {ca} out"},
	{tls: true, any: true, says: []string{"certificate is valid for", "certificate is not valid for any names", "doesn't contain any IP SANs", "relies on legacy Common Name"},
		means: "the server's certificate is of another name: ask it by that name, or give it with {name}"},
	{tls: true, any: true, says: []string{"certificate has expired or is not yet valid"},
		means: "the server's certificate, or one that signs it, has expired or is not valid yet"},
	{tls: true, any: true, says: []string{"failed to verify certificate", "x509: certificate signed by unknown authority"},
		means: "the server's certificate is not signed by one in {ca}"},
	{tls: true, own: true, says: []string{"remote error: tls: "},
		means: "the server does not take the certificate in {cert}: see who signed it and when it expires"},
	{tls: true, own: true, first: true, says: cutOff,
		means: "the server does not take the certificate in {cert}: see who signed it and when it expires"},
	{tls: true, says: []string{"remote error: tls: "},
		means: "the server asks for a certificate: give {cert} and {key}"},
	{tls: true, first: true, says: cutOff,
		means: "the server asks for a certificate, it seems: give {cert} and {key}"},
}

// mistake returns the probable mistake; empty if the message is not about TLS.
func (o *options) mistake(message string) string {
	for _, each := range mistakes {
		if each.tls != (o.tls != nil) || !each.any && each.own != (o.tls.Certificate != "") || each.first && o.answered.Load() {
			continue
		}
		for _, says := range each.says {
			if strings.Contains(message, says) {
				if o.names.ServerName == "" {
					each.means, _, _ = strings.Cut(each.means, ", or give it with {name}")
				}
				return strings.NewReplacer("{ca}", o.names.CA, "{cert}", o.names.Certificate, "{key}", o.names.Key, "{name}", o.names.ServerName).Replace(each.means)
			}
		}
	}
	return ""
}

// nameMistakes puts the probable TLS mistake before gRPC's message.
func (o *options) nameMistakes(ctx context.Context, method string, request, answer any, connection *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
	err := invoke(ctx, method, request, answer, connection, opts...)
	if err == nil {
		o.answered.Store(true)
		return nil
	}
	if code := status.Code(err); code != codes.Unavailable && code != codes.DeadlineExceeded {
		return err
	}
	failure := status.Convert(err).Proto()
	mistake := o.mistake(failure.GetMessage())
	if mistake == "" {
		return err
	}
	failure.Message = fmt.Sprintf("%s (%s)", mistake, failure.GetMessage())
	return status.ErrorProto(failure)
}
