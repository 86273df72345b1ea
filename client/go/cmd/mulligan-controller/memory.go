package main

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
)

// Files with a container's memory limit, in cgroups version 2 and 1.
var cgroupLimits = []string{"sys/fs/cgroup/memory.max", "sys/fs/cgroup/memory/memory.limit_in_bytes"}

// boundMemory makes Go collect garbage before the container's limit is reached. By
// default the heap grows to twice its live size, so the first full list would kill a
// controller that has enough memory. A user's GOMEMLIMIT takes precedence.
func boundMemory() {
	if os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	if limit := containerMemory("/"); limit > 0 {
		// The rest is for memory outside the heap.
		debug.SetMemoryLimit(limit / 10 * 8)
	}
}

// containerMemory returns bytes; 0 if there is no limit.
func containerMemory(root string) int64 {
	for _, file := range cgroupLimits {
		text, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			continue
		}
		// "max" does not parse.
		limit, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
		if err == nil {
			return limit
		}
	}
	return 0
}
