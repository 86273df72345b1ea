package kubectl

import (
	"context"
	"strings"
	"testing"

	"mulligan.dev/mulligan/internal/testing/realserver"
)

func TestWhatIsChosenIsPassedToTheBinary(t *testing.T) {
	api := newAPIServer(t, batchWork(t)...)
	out, _, err := plugin(t, context.Background(), api, "why", "-A", "--mulligan="+recorder(t), "--broken", "--cause=CONTAINER_OOM", "--pass=--explain=full")
	if err != nil || !strings.HasPrefix(out, "explain - -o text --cause=CONTAINER_OOM --broken --explain=full\n") {
		t.Errorf("%v, %s", err, out)
	}
}

func TestACauseThatIsNoneIsSaidBeforeAnythingIsListed(t *testing.T) {
	binary := realserver.Binary(t, "mulligan")
	for value, near := range map[string]string{"CONTAINR_OOM": "; CONTAINER_OOM is near", "container-oom": "; CONTAINER_OOM is near", "A": "", "": "", "CAUSE_UNSPECIFIED": "", "x\x1b[31m": ""} {
		api := newAPIServer(t, batchWork(t)...)
		_, _, err := plugin(t, context.Background(), api, "why", "-A", "--mulligan="+recorder(t), "--cause="+value)
		want := `--cause: "` + clean(value) + `" is no cause, expected a name of docs/causes.md` + near
		if err == nil || err.Error() != want || ExitCode(err) != 2 || len(api.requests) > 0 {
			t.Errorf("%q: %v (exit code %d, %d requests), want %s", value, err, ExitCode(err), len(api.requests), want)
		}
		// The command line says the same, and where its help is.
		_, said, err := plugin(t, context.Background(), api, "--mulligan="+binary, "explain", "--cause", value, "-")
		if err == nil || value != "" && !strings.Contains(said, want) || ExitCode(err) != 2 {
			t.Errorf("%q: the command line says %s (exit code %d), want %s", value, said, ExitCode(err), want)
		}
	}
}
