package kubectl

import (
	"context"
	"io"
	"slices"

	"github.com/spf13/pflag"
)

// choice selects which of several workloads are shown.
type choice struct {
	// Empty for any.
	causes []string
	broken bool
}

func (c *choice) add(flags *pflag.FlagSet) {
	flags.StringArrayVar(&c.causes, "cause", nil, "Of several workloads those with this cause, a `NAME` of docs/causes.md; repeatable")
	flags.BoolVar(&c.broken, "broken", false, "Of several workloads those that are broken")
}

// flags returns the binary's flags for the choice.
func (c *choice) flags() []string {
	var flags []string
	for _, cause := range c.causes {
		flags = append(flags, "--cause="+cause)
	}
	if c.broken {
		flags = append(flags, "--broken")
	}
	return flags
}

// validate lets the binary check the flags and print what is wrong with them.
func (c *choice) validate(ctx context.Context, binary string, errOut io.Writer) error {
	if len(c.causes) == 0 {
		return nil
	}
	return run(ctx, binary, slices.Concat([]string{"explain"}, c.flags(), []string{"--help"}), nil, io.Discard, errOut)
}
