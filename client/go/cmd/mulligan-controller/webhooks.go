package main

import (
	"fmt"
	"net"
	"strconv"

	"github.com/open-policy-agent/cert-controller/pkg/rotator"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/webhook"

	"mulligan.dev/mulligan/internal/controller"
)

// webhookFlags are the webhooks' flags; without an address there are no webhooks.
type webhookFlags struct {
	address string
	certDir string
	secret  string
	service string
}

func (f webhookFlags) check() error {
	if _, _, err := f.split(); err != nil {
		return fmt.Errorf("--webhook-address=%q, expected HOST:PORT or :PORT", f.address)
	}
	if f.certDir == "" {
		return fmt.Errorf("--webhook-cert-dir is empty, expected a folder with tls.crt and tls.key")
	}
	if f.secret != "" && f.service == "" {
		return fmt.Errorf("--webhook-service is empty, expected the Service that the certificate in --webhook-secret is for")
	}
	return nil
}

func (f webhookFlags) split() (string, int, error) {
	host, port, err := net.SplitHostPort(f.address)
	if err != nil {
		return "", 0, err
	}
	number, err := strconv.ParseUint(port, 10, 16)
	if err == nil && number == 0 {
		err = fmt.Errorf("port 0")
	}
	return host, int(number), err
}

// server listens once there is something to serve.
func (f webhookFlags) server() webhook.Server {
	host, port, err := f.split()
	if err != nil {
		return nil
	}
	return webhook.NewServer(webhook.Options{Host: host, Port: port, CertDir: f.certDir})
}

// renew keeps our own certificate in the Secret, and its authority in the
// MutatingWebhookConfiguration. It returns a channel that is closed when the
// certificate is there; nil if it is managed elsewhere.
func (f webhookFlags) renew(mgr ctrl.Manager, namespace string) (<-chan struct{}, error) {
	if f.address == "" || f.secret == "" {
		return nil, nil
	}
	ready := make(chan struct{})
	host := f.service + "." + namespace + ".svc"
	return ready, rotator.AddRotator(mgr, &rotator.CertRotator{
		SecretKey:      types.NamespacedName{Namespace: namespace, Name: f.secret},
		CertDir:        f.certDir,
		CAName:         controller.Name,
		CAOrganization: "mulligan.dev",
		DNSName:        host,
		IsReady:        ready,
		Webhooks:       []rotator.WebhookInfo{{Name: controller.Name, Type: rotator.Mutating}},
		// Replicas that do not lead serve the webhooks, too.
		RequireLeaderElection: false,
	})
}
