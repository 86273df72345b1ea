package main

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTrialOfAFolderOfLogs(t *testing.T) {
	folder := t.TempDir()
	line := func(action, outlook string) string {
		return `{"request":{"compareNative":true,"report":{"jobs":[{"metadata":{"name":"train","namespace":"ml","uid":"u"},"status":{"conditions":[{"type":"Failed","status":"True"}]}}]}},` +
			`"response":{"diagnosis":{"situation":"BROKEN","cause":"NODE_LOST","outlook":"` + outlook + `","problem":"node n1 is gone"},"decision":{"action":"` + action + `"}}}`
	}
	var packed bytes.Buffer
	writer := gzip.NewWriter(&packed)
	writer.Write([]byte(line("FAIL", "CANNOT_RECOVER")))
	writer.Close()
	// The highest number is the oldest; the last answer counts.
	for name, text := range map[string]string{
		"decisions.jsonl": line("RETRY", "RECOVERS"), "decisions.jsonl.2": line("FAIL", "CANNOT_RECOVER"), "decisions.jsonl.10.gz": packed.String(),
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var out strings.Builder
	if err := printTrial(&out, folder); err != nil {
		t.Fatal(err)
	}
	want := "1 workloads failed, by 3 lines\n\n1 would have been saved: given up by their operator, started again by Mulligan\n  Job ml/train: NODE_LOST: node n1 is gone\n"
	if out.String() != want {
		t.Errorf("%s\nwant\n%s", out.String(), want)
	}
	for path, want := range map[string]string{t.TempDir(): "expected files *.jsonl", "/no/such": "no such file"} {
		if err := printTrial(&out, path); err == nil || !strings.Contains(err.Error(), "--print-trial: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
}
