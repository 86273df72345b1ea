package kubectl

import (
	"context"
	"strings"
	"testing"

	"mulligan.dev/mulligan/internal/testing/realserver"
)

func TestPassesChoiceToBinary(t *testing.T) {
	api := newAPIServer(t, batchWork(t)...)
	out, _, err := plugin(t, context.Background(), api, "why", "-A", "--mulligan="+recorder(t), "--broken", "--cause=CONTAINER_OOM", "--pass=--explain=full")
	if err != nil || !strings.HasPrefix(out, "explain - -o text --cause=CONTAINER_OOM --broken --explain=full\n") {
		t.Errorf("%v, %s", err, out)
	}
}

func TestRejectsUnknownCauseBeforeListing(t *testing.T) {
	binary := realserver.Binary(t, "mulligan")
	for value, want := range map[string]string{"CONTAINR_OOM": "; CONTAINER_OOM is near", "": "--cause: ", "x\x1b[31m": `--cause: "x\u001b[31m" is not a cause`} {
		api := newAPIServer(t, batchWork(t)...)
		_, said, err := plugin(t, context.Background(), api, "why", "-A", "--mulligan="+binary, "--cause="+value)
		if err == nil || !strings.Contains(said, want) || ExitCode(err) != 2 || len(api.requests) > 0 {
			t.Errorf("%q: %v (exit code %d, %d requests), said %q, want %q", value, err, ExitCode(err), len(api.requests), said, want)
		}
	}
}
