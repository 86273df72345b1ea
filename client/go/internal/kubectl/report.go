package kubectl

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
)

const reportLong = `Gathers what the API server still has of batch work, failed, retried and
finished, and says what its failures cost, whose they are, what its operators
retried in vain or gave up for the platform's faults, what a policy would have
done with the same failures, and what to fix first. Each failure is judged as if
it had been asked about when it struck.

Nothing is installed or written; lists are read in pages. The binary mulligan
writes the report, by its embedded policy or that of --compare. For decision logs
use mulligan report LOG.`

const reportExample = `  kubectl mulligan report -A
  kubectl mulligan report -n ml --since 7d -o html > report.html
  kubectl mulligan report -A --save objects.json && mulligan report -f objects.json -o csv
  kubectl mulligan report -A --compare policies/ --team-label team`

// Flags of report.
type reportOptions struct {
	config        *genericclioptions.ConfigFlags
	binary        *binaryFlag
	streams       genericiooptions.IOStreams
	allNamespaces bool
	output        string
	since         string
	until         string
	teamLabel     string
	compare       []string
	save          string
}

func newReportCommand(config *genericclioptions.ConfigFlags, binary *binaryFlag, streams genericiooptions.IOStreams) *cobra.Command {
	o := &reportOptions{config: config, binary: binary, streams: streams}
	command := &cobra.Command{
		Use:     "report",
		Short:   "Report what failures cost, and what to fix first",
		Long:    reportLong,
		Example: reportExample,
		Args:    arguments(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := noneEmpty(cmd.LocalFlags()); err != nil {
				return usage(err)
			}
			return o.run(cmd.Context())
		},
	}
	flags := command.Flags()
	flags.BoolVarP(&o.allNamespaces, "all-namespaces", "A", false, "Work of all namespaces")
	flags.StringVarP(&o.output, "output", "o", "text", "text, html, json or csv")
	flags.StringVar(&o.since, "since", "", "Leave out what was observed before that: 7d ago, or 2026-11-01")
	flags.StringVar(&o.until, "until", "", "Leave out what was observed then or later")
	flags.StringVar(&o.teamLabel, "team-label", "", "Label of the workload that names its team (default: the namespace)")
	flags.StringArrayVar(&o.compare, "compare", nil, "Policy file or directory (default: the policy in the binary); repeatable")
	flags.StringVar(&o.save, "save", "", "Keep what was gathered in this file, for mulligan report -f")
	mustComplete(command, "output", []string{"text", "html", "json", "csv"})
	return command
}

func (o *reportOptions) run(ctx context.Context) error {
	if err := oneOf("output", o.output, "text", "html", "json", "csv"); err != nil {
		return usage(err)
	}
	binary, err := o.binary.find()
	if err != nil {
		return err
	}
	// An empty report checks the flags before the cluster is listed.
	flags := append([]string{"report", "-"}, o.flags()...)
	if err := run(ctx, binary, flags, strings.NewReader(""), io.Discard, o.streams.ErrOut); err != nil {
		return err
	}
	cluster, err := newCluster(o.config)
	if err != nil {
		return err
	}
	cluster.nodes = true
	if o.save != "" {
		if known, err := os.Stat(o.save); err == nil && !known.Mode().IsRegular() {
			return fmt.Errorf("--save: %s is not a file, expected the name of one", o.save)
		}
		if _, err := os.Stat(filepath.Dir(o.save)); err != nil {
			return fmt.Errorf("--save: %w", err)
		}
	}
	found, err := cluster.gatherAll(ctx, o.allNamespaces)
	if err != nil {
		return err
	}
	for _, note := range found.notes {
		fmt.Fprintln(o.streams.ErrOut, "note:", note)
	}
	if o.save != "" {
		if err := saveTo(o.save, found.table.list()); err != nil {
			return fmt.Errorf("--save: %w", err)
		}
	}
	arguments := append([]string{"report", "--filename=-"}, o.flags()...)
	return run(ctx, binary, arguments, found.table.list(), o.streams.Out, o.streams.ErrOut)
}

// flags returns the flags of mulligan report. No value can be taken for a flag.
func (o *reportOptions) flags() []string {
	args := []string{"--output=" + o.output}
	if o.since != "" {
		args = append(args, "--since="+o.since)
	}
	if o.until != "" {
		args = append(args, "--until="+o.until)
	}
	if o.teamLabel != "" {
		args = append(args, "--team-label="+o.teamLabel)
	}
	for _, policy := range o.compare {
		args = append(args, "--compare="+policy)
	}
	return args
}

// saveTo replaces the file atomically. Only the user can read it, because names in
// objects may be confidential.
func saveTo(path string, content io.Reader) error {
	file, err := os.CreateTemp(filepath.Dir(path), ".mulligan-*")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	if _, err := io.Copy(file, content); err != nil {
		file.Close()
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}
