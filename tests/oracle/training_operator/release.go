package main

import (
	"runtime/debug"
	"strings"
)

// release is the operator's minor release when it is not the newest, "1.8", as
// the policy says it; empty for the newest.
var release = func() string {
	const newest = "1.9"
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, dependency := range info.Deps {
		if dependency.Path != "github.com/kubeflow/training-operator" {
			continue
		}
		parts := strings.SplitN(strings.TrimPrefix(dependency.Version, "v"), ".", 3)
		if minor := parts[0] + "." + parts[1]; minor != newest {
			return minor
		}
	}
	return ""
}()
