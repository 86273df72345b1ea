package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/resolver"
	"google.golang.org/grpc/resolver/manual"
	"google.golang.org/grpc/status"

	"mulligan.dev/mulligan"
	"mulligan.dev/mulligan/internal/testing/certificates"
	"mulligan.dev/mulligan/internal/testing/realserver"
)

// replicas returns a target that resolves to all addresses, like a headless Service.
func replicas(addresses ...string) string {
	scheme := fmt.Sprintf("replicas%d", time.Now().UnixNano())
	name := manual.NewBuilderWithScheme(scheme)
	var state resolver.State
	for _, address := range addresses {
		state.Addresses = append(state.Addresses, resolver.Address{Addr: address})
	}
	name.InitialState(state)
	resolver.Register(name)
	return scheme + ":///mulligan"
}

func TestMutualTLSWithAListOfCallers(t *testing.T) {
	authority := certificates.New(t)
	own := authority.Issue(t, "mulligan.internal")
	server := realserver.Start(t, "--tls-cert="+own.Certificate, "--tls-key="+own.Key, "--tls-client-ca="+own.CA, "--allow-callers=controller.*")
	for name, want := range map[string]codes.Code{"controller.ml": codes.OK, "stranger": codes.PermissionDenied} {
		t.Run(name, func(t *testing.T) {
			caller := authority.Issue(t, name)
			client := dialTo(t, server.Address, mulligan.WithTLS(mulligan.TLSFiles{
				CA: caller.CA, Certificate: caller.Certificate, Key: caller.Key, ServerName: "mulligan.internal",
			}))
			_, err := client.Decide(context.Background(), request(t, mulligan.NewReport().Add(pod(terminated(1, "Error"))), nil))
			if status.Code(err) != want {
				t.Errorf("got %v, want %v", err, want)
			}
		})
	}
	t.Run("without a certificate", func(t *testing.T) {
		client := dialTo(t, server.Address, mulligan.WithDeadline(time.Minute), mulligan.WithTLS(mulligan.TLSFiles{CA: own.CA, ServerName: "mulligan.internal"}))
		_, err := client.Decide(context.Background(), request(t, mulligan.NewReport().Add(pod(terminated(1, "Error"))), nil))
		if status.Code(err) != codes.Unavailable || !strings.Contains(err.Error(), "give TLSFiles.Certificate and TLSFiles.Key") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("in plaintext", func(t *testing.T) {
		client := dialTo(t, server.Address, mulligan.WithDeadline(time.Minute))
		_, err := client.Decide(context.Background(), request(t, mulligan.NewReport().Add(pod(terminated(1, "Error"))), nil))
		if status.Code(err) != codes.Unavailable || !strings.Contains(err.Error(), "the server speaks TLS, it seems: give TLSFiles.CA") {
			t.Errorf("got %v", err)
		}
	})
}
