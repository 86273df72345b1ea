package e2e

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	"mulligan.dev/mulligan"
	"mulligan.dev/mulligan/internal/testing/realserver"
)

// The example in C++ reads the bytes of a Go pod, and its annotation is ours.
func TestTheExampleInCpp(t *testing.T) {
	example := realserver.Binary(t, "mulligan_example")
	if _, err := os.Stat(example); err != nil {
		t.Skip("mulligan_example is not built: it comes with the tests")
	}
	failed := pod(terminated(137, "OOMKilled"))
	raw, err := failed.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	server := realserver.Start(t)
	call := func(address, ledger string) (string, error) {
		command := exec.Command(example, address, ledger)
		command.Stdin = bytes.NewReader(raw)
		out, err := command.Output()
		return string(out), err
	}
	out, err := call(server.Address, "")
	if err != nil {
		t.Fatal(err)
	}
	annotation, sentence, _ := strings.Cut(out, "\n")
	text, ok := strings.CutPrefix(annotation, mulligan.LedgerAnnotation+"=")
	if !ok || !strings.Contains(sentence, "charged to memory (1 of 3 used)") {
		t.Errorf("got %s", out)
	}
	ledger, err := mulligan.ParseLedger(text)
	if err != nil {
		t.Fatal(err)
	}
	if ours, err := mulligan.EncodeLedger(ledger); err != nil || ours != text {
		t.Errorf("bytes differ, %v:\nours   %s\ntheirs %s", err, ours, text)
	}
	if again, err := call(server.Address, text); err != nil || !strings.Contains(again, `"attemptsSeen":1,`) {
		t.Errorf("with its ledger: %v, %s", err, again)
	}
	out, err = call("127.0.0.1:1", "")
	var exited *exec.ExitError
	if !errors.As(err, &exited) || exited.ExitCode() != 2 || !strings.Contains(out, "Mulligan had no answer (UNAVAILABLE") {
		t.Errorf("without a server: %v, %s", err, out)
	}
}
