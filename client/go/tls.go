package mulligan

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"os"
	"sync"

	"google.golang.org/grpc/credentials"
)

// TLSFiles names PEM files. They are read again for every new connection, so that
// certificates can be replaced without a new client. While a file is unreadable, as
// during its replacement, the last good ones are used.
type TLSFiles struct {
	// CA has the certificates that sign the server's. Mandatory.
	CA string
	// Certificate is the client's own with its chain, and Key its key. Both or neither.
	Certificate, Key string
	// ServerName is the name in the server's certificate, if it is not the target's
	// host.
	ServerName string
}

func (f TLSFiles) credentials(names TLSNames) (credentials.TransportCredentials, error) {
	if f.CA == "" {
		return nil, names.say(`%s "" is not valid, expected the certificates that sign the server's`, names.CA)
	}
	if (f.Certificate == "") != (f.Key == "") {
		return nil, names.say("%s %q is not valid, expected a key together with %s, or neither", names.Key, f.Key, names.Certificate)
	}
	config, err := f.load(names)
	if err != nil {
		return nil, err
	}
	return &reloading{files: f, names: names, last: config}, nil
}

func (f TLSFiles) load(names TLSNames) (*tls.Config, error) {
	config := &tls.Config{ServerName: f.ServerName, MinVersion: tls.VersionTLS12, RootCAs: x509.NewCertPool()}
	roots, err := os.ReadFile(f.CA)
	if err != nil {
		return nil, names.say("%s: %w", names.CA, err)
	}
	if !config.RootCAs.AppendCertsFromPEM(roots) {
		return nil, names.say("%s %q has no certificate in PEM form", names.CA, f.CA)
	}
	if f.Certificate == "" {
		return config, nil
	}
	own, err := tls.LoadX509KeyPair(f.Certificate, f.Key)
	if err != nil {
		return nil, names.say("%s %q and %s %q: %w", names.Certificate, f.Certificate, names.Key, f.Key, err)
	}
	config.Certificates = []tls.Certificate{own}
	return config, nil
}

// reloading credentials read the files again for each handshake.
type reloading struct {
	files TLSFiles
	names TLSNames
	mutex sync.Mutex
	last  *tls.Config
}

func (r *reloading) config() *tls.Config {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if fresh, err := r.files.load(r.names); err == nil {
		r.last = fresh
	}
	return r.last
}

func (r *reloading) ClientHandshake(ctx context.Context, authority string, raw net.Conn) (net.Conn, credentials.AuthInfo, error) {
	return credentials.NewTLS(r.config()).ClientHandshake(ctx, authority, raw)
}

func (r *reloading) ServerHandshake(net.Conn) (net.Conn, credentials.AuthInfo, error) {
	return nil, nil, errors.New("mulligan: these credentials are a client's")
}

func (r *reloading) Info() credentials.ProtocolInfo {
	return credentials.NewTLS(r.config()).Info()
}

func (r *reloading) Clone() credentials.TransportCredentials {
	return &reloading{files: r.files, names: r.names, last: r.config()}
}

// OverrideServerName is deprecated, but gRPC still requires it.
func (r *reloading) OverrideServerName(name string) error {
	r.files.ServerName = name
	return nil
}
