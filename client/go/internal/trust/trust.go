// Package trust makes HTTP clients that trust one authority, and describes failed calls
// without their addresses, which may be secrets.
package trust

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net/http"
	"os"
)

// Transport trusts the authorities in the PEM file; without one, the machine's.
func Transport(caFile string) (*http.Transport, error) {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12}
	if caFile == "" {
		return transport, nil
	}
	text, err := os.ReadFile(caFile)
	if err != nil {
		return nil, err
	}
	transport.TLSClientConfig.RootCAs = x509.NewCertPool()
	if !transport.TLSClientConfig.RootCAs.AppendCertsFromPEM(text) {
		return nil, errors.New(caFile + " has no certificate in it, expected PEM")
	}
	return transport, nil
}
