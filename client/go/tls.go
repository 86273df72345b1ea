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

// TLSFiles names files in PEM form. They are read again for every new connection,
// so that certificates are replaced without a new client. While a file cannot be
// read, as in the middle of its replacement, the last good ones are used.
type TLSFiles struct {
	// CA signs the server's certificate. Mandatory.
	CA string
	// Certificate is the caller's own with its chain, and Key its key. Both or
	// neither.
	Certificate, Key string
	// ServerName is a name in the server's certificate, where it is not the host
	// of the target.
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

// reloading are credentials that shake hands with the files as they are then.
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

// OverrideServerName is deprecated by gRPC, which asks for it still.
func (r *reloading) OverrideServerName(name string) error {
	r.files.ServerName = name
	return nil
}
