// Package kubectl is the plugin "kubectl mulligan". It gathers the objects of a workload
// and lets the mulligan binary explain them. Without the binary it prints a service's
// answer about one workload.
package kubectl

import (
	"errors"
	"fmt"
	"os/exec"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
)

// NewCommand returns the plugin's root command.
func NewCommand(streams genericiooptions.IOStreams) *cobra.Command {
	config := genericclioptions.NewConfigFlags(true)
	binary := &binaryFlag{}
	root := &cobra.Command{
		Use:   "kubectl-mulligan",
		Short: "Why batch work failed, and whether it deserves another try",
		// How kubectl names plugins in usage texts.
		Annotations:   map[string]string{cobra.CommandDisplayNameAnnotation: "kubectl mulligan"},
		SilenceUsage:  true,
		SilenceErrors: true,
		// Allows --mulligan before a command whose flags are the binary's.
		TraverseChildren: true,
		Version:          version(),
		// Otherwise an unknown command prints the help without an error.
		Args: arguments(noUnknownCommand),
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetIn(streams.In)
	root.SetOut(streams.Out)
	root.SetErr(streams.ErrOut)
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usage(err) })
	config.AddFlags(root.PersistentFlags())
	root.PersistentFlags().StringVar(&binary.path, "mulligan", "", "The binary mulligan (default: next to this plugin, then in $PATH)")
	root.AddCommand(newWhyCommand(config, binary, streams))
	root.AddCommand(newReportCommand(config, binary, streams))
	for _, passed := range passedCommands {
		root.AddCommand(newPassedCommand(passed, binary, streams))
	}
	return root
}

// usageError is a mistake in the command line.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// usage marks an error as a usageError; nil stays nil.
func usage(err error) error {
	if err == nil {
		return nil
	}
	return usageError{err}
}

// ExitCode returns the exit code for an error of the plugin: the binary's if that failed,
// 2 for a usage error, else 1; 0 for nil.
func ExitCode(err error) int {
	var exited *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exited):
		return exited.ExitCode()
	case errors.As(err, &usageError{}):
		return 2
	}
	return 1
}

// arguments makes the errors of a check of positional arguments usage errors.
func arguments(takes cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error { return usage(takes(cmd, args)) }
}

// noUnknownCommand refuses unknown commands and suggests similar ones.
func noUnknownCommand(root *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	err := cobra.NoArgs(root, args)
	root.SuggestionsMinimumDistance = 2
	if near := root.SuggestionsFor(args[0]); len(near) > 0 {
		return fmt.Errorf("%w; did you mean %s?", err, strings.Join(near, " or "))
	}
	return err
}

// released is the version of the release, set by the linker; empty in other builds.
var released string

// version returns the release, else the module's version and commit as recorded by Go.
func version() string {
	if released != "" {
		return released
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	version := info.Main.Version
	for _, setting := range info.Settings {
		if setting.Key == "vcs.revision" {
			version += " (" + setting.Value + ")"
		}
	}
	return version
}

// Subcommands of the binary that need no cluster and parse their own flags.
var passedCommands = []struct{ name, short string }{
	{"explain", "Decide here about files (mulligan explain)"},
	{"decide", "Ask a server about files (mulligan decide)"},
	{"policy", "Check, show and test policies (mulligan policy)"},
	{"replay", "Decide a log again with other policies (mulligan replay)"},
}

func newPassedCommand(passed struct{ name, short string }, binary *binaryFlag, streams genericiooptions.IOStreams) *cobra.Command {
	return &cobra.Command{
		Use:                passed.name + " [ARGUMENT...]",
		Short:              passed.short,
		DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			path, err := binary.find()
			if err != nil {
				return err
			}
			return run(cmd.Context(), path, append([]string{passed.name}, args...), streams.In, streams.Out, streams.ErrOut)
		},
	}
}

// noneEmpty returns an error for a flag with an empty value.
func noneEmpty(flags *pflag.FlagSet) error {
	var err error
	flags.VisitAll(func(flag *pflag.Flag) {
		if err == nil && flag.Changed && flag.Value.String() == "" {
			err = fmt.Errorf("--%s: \"\" is not valid, expected a value", flag.Name)
		}
	})
	return err
}

// oneOf returns an error for a value that is not allowed.
func oneOf(flag, value string, allowed ...string) error {
	if slices.Contains(allowed, value) {
		return nil
	}
	return fmt.Errorf("--%s: %q is not valid, expected %s", flag, value, strings.Join(allowed, ", "))
}
