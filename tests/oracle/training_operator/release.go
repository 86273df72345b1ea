package main

import "mulligan.dev/mulligan/tests/oracle/cases"

// release is the operator's minor release if it is not the newest, as in a
// policy: "1.8"; empty for the newest.
var release = func() string {
	minor := cases.Release("github.com/kubeflow/training-operator")
	if minor == "1.9" {
		return ""
	}
	return minor
}()
