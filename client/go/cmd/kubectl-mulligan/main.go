// Command kubectl-mulligan is the kubectl plugin: "kubectl mulligan why job/x".
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"mulligan.dev/mulligan/internal/kubectl"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// Errors are returned, too.
	utilruntime.ErrorHandlers = nil
	streams := genericiooptions.IOStreams{In: os.Stdin, Out: os.Stdout, ErrOut: os.Stderr}
	err := kubectl.NewCommand(streams).ExecuteContext(ctx)
	var exited *exec.ExitError
	// If the command line failed, it has printed why.
	if err != nil && !errors.As(err, &exited) {
		fmt.Fprintln(os.Stderr, "error:", err)
	}
	os.Exit(kubectl.ExitCode(err))
}
