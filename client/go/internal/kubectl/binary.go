package kubectl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// binaryFlag finds the mulligan binary.
type binaryFlag struct{ path string }

var errNoBinary = errors.New("the binary mulligan is neither next to this plugin nor in $PATH: install it, or name it with --mulligan")

func (b *binaryFlag) find() (string, error) {
	if b.path != "" {
		if _, err := exec.LookPath(b.path); err != nil {
			return "", fmt.Errorf("--mulligan: %w", err)
		}
		return b.path, nil
	}
	candidates := []string{"mulligan"}
	if own, err := os.Executable(); err == nil {
		candidates = []string{filepath.Join(filepath.Dir(own), "mulligan"), "mulligan"}
	}
	for _, candidate := range candidates {
		// It may lack its libraries.
		if path, err := exec.LookPath(candidate); err == nil && exec.Command(path, "--version").Run() == nil {
			return path, nil
		}
	}
	return "", errNoBinary
}

// run returns an exec.ExitError if the binary fails, which has then printed why.
func run(ctx context.Context, path string, args []string, in io.Reader, out, errOut io.Writer) error {
	return command(ctx, path, args, in, out, errOut).Run()
}

func command(ctx context.Context, path string, args []string, in io.Reader, out, errOut io.Writer) *exec.Cmd {
	command := exec.CommandContext(ctx, path, args...)
	command.Stdin, command.Stdout, command.Stderr = in, out, errOut
	return command
}
