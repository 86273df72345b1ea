package main

import (
	"runtime/debug"
	"strings"
)

// release is the operator's minor release if it is not the newest, as in a
// policy: "1.8"; empty for the newest.
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
