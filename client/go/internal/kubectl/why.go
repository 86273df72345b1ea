package kubectl

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"mulligan.dev/mulligan/logs"
)

const whyLong = `Gathers a workload's objects (owners, parts, pods, nodes, events, Kueue's
Workload) and says why it failed, whether it deserves another try and who pays.
Any object of the workload may be named. Without one, a table shows all workloads
of the namespace, the worst first; for a CronJob it shows all its Jobs.
--broken and --cause choose from a table; the counts above it are of all.

Who decides: the service given with --mulligan-server or --service; else a Service in
the cluster with the label app.kubernetes.io/name=mulligan, through a
port-forward; else, or with --local, the binary mulligan on this machine with
its embedded policy. The binary writes the explanation in every case. Without it,
the service's answer about one workload is printed, as text, JSON or YAML.

Nothing is written to the cluster, and no metric of the service counts the
question.`

const whyExample = `  kubectl mulligan why job/train
  kubectl mulligan why pod train-zk8tn -o html > why.html
  kubectl mulligan why -A
  kubectl mulligan why -A --broken
  kubectl mulligan why -n ml --cause CONTAINER_OOM -o json
  kubectl mulligan why cronjob/nightly
  kubectl mulligan why rayjob/tune --watch
  kubectl mulligan why jobset/pretrain --mulligan-server mulligan.example.com:8980 --tls-ca ca.pem`

// Flags of why.
type whyOptions struct {
	config        *genericclioptions.ConfigFlags
	binary        *binaryFlag
	streams       genericiooptions.IOStreams
	service       serviceFlags
	output        string
	watch         bool
	interval      time.Duration
	allNamespaces bool
	chosen        choice
	passed        []string
	details       bool
	logs          string
}

func newWhyCommand(config *genericclioptions.ConfigFlags, binary *binaryFlag, streams genericiooptions.IOStreams) *cobra.Command {
	o := &whyOptions{config: config, binary: binary, streams: streams}
	command := &cobra.Command{
		Use:               "why [KIND/NAME | KIND NAME]",
		Short:             "Explain why a workload failed, and what to do",
		Long:              whyLong,
		Example:           whyExample,
		Args:              arguments(cobra.MaximumNArgs(2)),
		ValidArgsFunction: o.complete,
		RunE:              func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args) },
	}
	flags := command.Flags()
	flags.StringVarP(&o.output, "output", "o", "text", "text, html, json or yaml")
	flags.BoolVarP(&o.watch, "watch", "w", false, "Explain it again whenever an object changes")
	flags.DurationVar(&o.interval, "interval", 5*time.Second, "With --watch: how often to look")
	flags.BoolVarP(&o.allNamespaces, "all-namespaces", "A", false, "All workloads of all namespaces")
	flags.StringVar(&o.logs, "logs", "", "Of one workload, read the end of the logs of what ended with an error and no termination message: kubernetes, loki=URL or file=PATTERN. What looks like a secret is blanked")
	flags.Lookup("logs").NoOptDefVal = "kubernetes"
	flags.BoolVar(&o.details, "details", false, "Text also says why, with the evidence and every budget; needs the binary")
	flags.StringArrayVar(&o.passed, "pass", nil, "A flag for the binary, such as --pass=--explain=full; repeatable")
	o.chosen.add(flags)
	o.service.add(flags)
	mustComplete(command, "cause", causeNames())
	mustComplete(command, "output", []string{"text", "html", "json", "yaml"})
	return command
}

func (o *whyOptions) run(ctx context.Context, args []string) error {
	if o.details {
		o.passed = append(o.passed, "--details")
	}
	name, err := o.validate(args)
	if err != nil {
		return usage(err)
	}
	cluster, err := newCluster(o.config)
	if err != nil {
		return err
	}
	if o.logs != "" {
		if cluster.logs, err = logs.Parse(o.logs, cluster.config); err != nil {
			return fmt.Errorf("--logs: %w", err)
		}
	}
	explainer, err := o.explainer(ctx, cluster)
	if err != nil {
		return err
	}
	defer explainer.close()
	seen := ""
	for {
		found, err := o.gather(ctx, cluster, name)
		if o.watch && ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		if version := versionOf(found); version != seen {
			if seen != "" && o.output == "text" {
				fmt.Fprintf(o.streams.Out, "\n--- %s\n\n", time.Now().Format(time.RFC3339))
			}
			seen = version
			for _, note := range found.notes {
				fmt.Fprintln(o.streams.ErrOut, "note:", note)
			}
			if err := explainer.explain(ctx, found, o.output, o.streams.Out); err != nil && !(o.watch && ctx.Err() != nil) {
				return err
			}
		}
		if !o.watch {
			return nil
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(o.interval):
		}
	}
}

// validate returns the named object; empty for the whole namespace.
func (o *whyOptions) validate(args []string) (objectName, error) {
	if err := oneOf("output", o.output, "text", "html", "json", "yaml"); err != nil {
		return objectName{}, err
	}
	if o.interval <= 0 {
		return objectName{}, fmt.Errorf("--interval: %v is not valid, expected a positive duration", o.interval)
	}
	if o.watch && o.output == "html" {
		return objectName{}, errors.New("--watch: a page is written once, expected -o text, json or yaml")
	}
	name, err := parseName(args)
	if err == nil && o.allNamespaces && name != (objectName{}) {
		err = fmt.Errorf("-A: expected no object with it, found %s", strings.Join(args, " "))
	}
	if err == nil {
		err = o.service.validate()
	}
	return name, err
}

// objectName is an object as the user names it: "job/train".
type objectName struct{ kind, name string }

func parseName(args []string) (objectName, error) {
	if len(args) == 0 {
		return objectName{}, nil
	}
	kind, name, both := strings.Cut(args[0], "/")
	if !both && len(args) == 2 {
		name = args[1]
	}
	if kind == "" || name == "" || both && (len(args) == 2 || strings.Contains(name, "/")) {
		return objectName{}, fmt.Errorf("%q is not valid, expected KIND/NAME or KIND NAME, such as job/train", strings.Join(args, " "))
	}
	return objectName{kind, name}, nil
}

func (o *whyOptions) gather(ctx context.Context, c *cluster, name objectName) (*gathered, error) {
	if name == (objectName{}) {
		return c.gatherAll(ctx, o.allNamespaces)
	}
	return c.gather(ctx, name)
}

// versionOf changes with every change of an object.
func versionOf(found *gathered) string {
	if found.table != nil {
		return fmt.Sprint(found.table.version)
	}
	var versions []string
	for _, obj := range found.objects {
		if o, ok := obj.(client.Object); ok {
			versions = append(versions, string(o.GetUID())+"@"+o.GetResourceVersion())
		}
	}
	slices.Sort(versions)
	return strings.Join(versions, " ") + "."
}
