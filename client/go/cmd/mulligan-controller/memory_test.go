package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestTheContainersMemoryIsRead(t *testing.T) {
	for _, test := range []struct {
		name, file, text string
		want             int64
	}{
		{"version 2", cgroupLimits[0], "1073741824\n", 1 << 30},
		{"version 1", cgroupLimits[1], "1073741824\n", 1 << 30},
		{"no limit", cgroupLimits[0], "max\n", 0},
		{"no cgroups", "sys/fs/other", "1\n", 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			root := t.TempDir()
			file := filepath.Join(root, test.file)
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(test.text), 0o644); err != nil {
				t.Fatal(err)
			}
			if got := containerMemory(root); got != test.want {
				t.Errorf("%d bytes, want %d", got, test.want)
			}
		})
	}
}
