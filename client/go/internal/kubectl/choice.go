package kubectl

import (
	"fmt"
	"slices"

	"github.com/spf13/pflag"

	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
	"mulligan.dev/mulligan/internal/words"
)

// choice is which of several workloads are told of, in the flags of the command line.
type choice struct {
	// None: any.
	causes []string
	broken bool
}

func (c *choice) add(flags *pflag.FlagSet) {
	flags.StringArrayVar(&c.causes, "cause", nil, "Of several workloads those with this cause, a `NAME` of docs/causes.md; repeatable")
	flags.BoolVar(&c.broken, "broken", false, "Of several workloads those that are broken")
}

func (c *choice) validate() error {
	known := words.Names(mulliganv1.Cause_name)
	for _, cause := range c.causes {
		if slices.Contains(known, cause) {
			continue
		}
		near := words.Nearest(cause, known)
		if near != "" {
			near = "; " + near + " is near"
		}
		return fmt.Errorf("--cause: \"%s\" is no cause, expected a name of docs/causes.md%s", clean(cause), near)
	}
	return nil
}

// flags are those of the command line.
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
