package kubectl

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/cli-runtime/pkg/genericclioptions"
)

func TestProgressTellsWhatWasListed(t *testing.T) {
	api := newAPIServer(t, batchWork(t)...)
	t.Setenv("KUBECONFIG", api.kubeconfig(t))
	c, err := newCluster(genericclioptions.NewConfigFlags(true))
	if err != nil {
		t.Fatal(err)
	}
	var line bytes.Buffer
	c.progress = &progress{out: &line}
	if _, err := c.gatherAll(context.Background(), true); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"objects, listing Job", "objects, listing Pod"} {
		if !strings.Contains(line.String(), want) {
			t.Errorf("no %q in %q", want, line.String())
		}
	}
	c.progress.done()
	if !strings.HasSuffix(line.String(), "\r\x1b[K") {
		t.Errorf("%q is left behind", line.String())
	}
}

func TestProgressIsForTerminalsAlone(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for _, p := range []*progress{progressOn(file), progressOn(&bytes.Buffer{})} {
		if p != nil {
			t.Error("a file or a buffer gets a progress line")
		}
		p.listed("Pod", 1)
		p.done()
	}
}
