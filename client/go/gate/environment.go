package gate

import (
	"fmt"
	"os"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"mulligan.dev/mulligan"
)

// Environment variables of an operator with a recipe.
const (
	// EnvServer is "HOST:PORT" of the service. Unset or empty: the gate is closed.
	EnvServer = "MULLIGAN_SERVER"
	// EnvDeadline bounds a call of the service, "200ms". Unset: [DefaultCallDeadline].
	EnvDeadline = "MULLIGAN_DEADLINE"
	// EnvCA, EnvCertificate and EnvKey name files for mutual TLS ([mulligan.TLSFiles]).
	// EnvCA unset: plaintext.
	EnvCA          = "MULLIGAN_TLS_CA"
	EnvCertificate = "MULLIGAN_TLS_CERT"
	EnvKey         = "MULLIGAN_TLS_KEY"
)

// DefaultCallDeadline is short, because without an answer the operator decides alone.
const DefaultCallDeadline = 200 * time.Millisecond

// FromEnvironment opens a gate to the service that the environment names. It returns
// nil, a closed gate, if the environment names none. The arguments are those of [New];
// live should bypass the cache (mgr.GetAPIReader()), and watched are kinds such as
// "Pod".
func FromEnvironment(kube client.Client, live client.Reader, watched ...string) (*Gate, error) {
	server := os.Getenv(EnvServer)
	if server == "" {
		return nil, nil
	}
	deadline := DefaultCallDeadline
	if text := os.Getenv(EnvDeadline); text != "" {
		var err error
		if deadline, err = time.ParseDuration(text); err != nil {
			return nil, fmt.Errorf("mulligan: %s %q is not valid, expected a duration such as 200ms", EnvDeadline, text)
		}
	}
	options := []mulligan.Option{mulligan.WithDeadline(deadline), mulligan.WithRetryBackoff(deadline / 10),
		mulligan.WithTLSNames(mulligan.TLSNames{CA: EnvCA, Certificate: EnvCertificate, Key: EnvKey})}
	files := mulligan.TLSFiles{CA: os.Getenv(EnvCA), Certificate: os.Getenv(EnvCertificate), Key: os.Getenv(EnvKey)}
	if files != (mulligan.TLSFiles{}) {
		options = append(options, mulligan.WithTLS(files))
	}
	service, err := mulligan.Dial(server, options...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", EnvServer, err)
	}
	return New(service, kube, live, watched...), nil
}
