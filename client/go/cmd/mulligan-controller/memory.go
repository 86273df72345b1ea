package main

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
)

// Where a container sees the limit of its memory, by version 2 and 1 of cgroups.
var cgroupLimits = []string{"sys/fs/cgroup/memory.max", "sys/fs/cgroup/memory/memory.limit_in_bytes"}

// boundMemory has Go collect before the container's limit is reached. Otherwise it lets the
// heap grow to twice what is in use, and the first list of everything would end a controller
// that has room for it. GOMEMLIMIT is somebody's own choice.
func boundMemory() {
	if os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	if limit := containerMemory("/"); limit > 0 {
		// The rest is for what is no heap.
		debug.SetMemoryLimit(limit / 10 * 8)
	}
}

// containerMemory is in bytes; 0: there is no limit.
func containerMemory(root string) int64 {
	for _, file := range cgroupLimits {
		text, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			continue
		}
		// "max" is no number.
		limit, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
		if err == nil {
			return limit
		}
	}
	return 0
}
