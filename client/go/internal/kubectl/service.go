package kubectl

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"google.golang.org/grpc/status"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"mulligan.dev/mulligan"
)

// serviceFlags choose the service that decides.
type serviceFlags struct {
	server, service              string
	local                        bool
	ca, certificate, key, tlsFor string
}

func (f *serviceFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.server, "mulligan-server", "", "HOST:PORT of a service to ask")
	flags.StringVar(&f.service, "service", "", "NAMESPACE/NAME of a Service to ask through a port-forward")
	flags.BoolVar(&f.local, "local", false, "Ask no service: decide here")
	flags.StringVar(&f.ca, "tls-ca", "", "CA of the service's certificate, PEM. Without it no TLS")
	flags.StringVar(&f.certificate, "tls-cert", "", "Own certificate with its chain, PEM")
	flags.StringVar(&f.key, "tls-key", "", "Key of the certificate, PEM")
	flags.StringVar(&f.tlsFor, "mulligan-tls-server-name", "", "Name in the service's certificate (default: the host, of a Service NAME.NAMESPACE.svc)")
}

// isNamed returns whether the user chose a service.
func (f *serviceFlags) isNamed() bool { return f.server != "" || f.service != "" }

func (f *serviceFlags) validate() error {
	chosen := 0
	for _, given := range []bool{f.server != "", f.service != "", f.local} {
		if given {
			chosen++
		}
	}
	if chosen > 1 {
		return errors.New("expected at most one of --mulligan-server, --service and --local")
	}
	namespace, name, ok := strings.Cut(f.service, "/")
	if f.service != "" && (!ok || namespace == "" || name == "" || strings.Contains(name, "/")) {
		return fmt.Errorf("--service: %q is not valid, expected NAMESPACE/NAME", f.service)
	}
	return nil
}

// service is a connected service.
type service struct {
	// Its name in messages.
	name    string
	address string
	tls     mulligan.TLSFiles
	client  *mulligan.Client
	// Ends the port-forward.
	stop func()
}

func (s *service) close() {
	s.client.Close()
	s.stop()
}

// flags returns the binary's flags for the service.
func (s *service) flags() []string {
	flags := []string{"--server=" + s.address}
	for name, value := range map[string]string{
		"--tls-ca": s.tls.CA, "--tls-cert": s.tls.Certificate, "--tls-key": s.tls.Key, "--tls-server-name": s.tls.ServerName,
	} {
		if value != "" {
			flags = append(flags, name+"="+value)
		}
	}
	slices.Sort(flags)
	return flags
}

// connect returns nil if there is no service and none was named.
func (f *serviceFlags) connect(ctx context.Context, c *cluster) (*service, error) {
	if f.local {
		return nil, nil
	}
	s := &service{name: f.server, address: f.server, stop: func() {},
		tls: mulligan.TLSFiles{CA: f.ca, Certificate: f.certificate, Key: f.key, ServerName: f.tlsFor}}
	if f.server == "" {
		found, err := f.find(ctx, c)
		if found == nil || err != nil {
			return nil, err
		}
		s.name = fmt.Sprintf("Service %s/%s", found.Namespace, found.Name)
		if s.address, s.stop, err = c.forward(ctx, found); err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
		if s.tls.CA != "" && s.tls.ServerName == "" {
			s.tls.ServerName = found.Name + "." + found.Namespace + ".svc"
		}
	}
	if err := s.dial(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *service) dial(ctx context.Context) error {
	opts := []mulligan.Option{mulligan.WithTLSNames(mulligan.TLSNames{
		CA: "--tls-ca", Certificate: "--tls-cert", Key: "--tls-key", ServerName: "--mulligan-tls-server-name",
	})}
	if s.tls.CA != "" || s.tls.Certificate != "" || s.tls.ServerName != "" {
		opts = append(opts, mulligan.WithTLS(s.tls))
	}
	client, err := mulligan.Dial(s.address, opts...)
	if err != nil {
		s.stop()
		return err
	}
	s.client = client
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := client.Serving(ctx); err != nil {
		s.close()
		return fmt.Errorf("%s does not answer: %s", s.name, status.Convert(err).Message())
	}
	return nil
}

// serviceLabels of the Services in deploy/.
var serviceLabels = client.MatchingLabels{"app.kubernetes.io/name": "mulligan"}

// find returns the named Service, else the first with the label; nil if there is none or
// the user may not list Services.
func (f *serviceFlags) find(ctx context.Context, c *cluster) (*corev1.Service, error) {
	if f.service != "" {
		namespace, name, _ := strings.Cut(f.service, "/")
		found := &corev1.Service{}
		if err := c.client.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, found); err != nil {
			return nil, fmt.Errorf("--service: %w", err)
		}
		return found, nil
	}
	var services corev1.ServiceList
	if err := c.client.List(ctx, &services, serviceLabels); err != nil {
		var away *url.Error
		if errors.As(err, &away) {
			return nil, &awayError{err: away}
		}
		// Usual for users with rights in one namespace.
		return nil, nil //nolint:nilerr
	}
	for i := range services.Items {
		if portOf(&services.Items[i]) != nil {
			return &services.Items[i], nil
		}
	}
	return nil, nil
}

// awayError says that the API server does not answer, so nothing can be explained.
type awayError struct{ err *url.Error }

func (e *awayError) Error() string {
	return fmt.Sprintf("the API server does not answer: %v (see --kubeconfig, --context and --server)", e.err)
}

// portOf returns the Service's port for gRPC; nil if it has none.
func portOf(found *corev1.Service) *corev1.ServicePort {
	for i, port := range found.Spec.Ports {
		if port.Name == "grpc" || len(found.Spec.Ports) == 1 {
			return &found.Spec.Ports[i]
		}
	}
	return nil
}
