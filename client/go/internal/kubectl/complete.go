package kubectl

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
	"mulligan.dev/mulligan/internal/reportkinds"
)

// kindsToComplete returns the kinds of work in lower case.
func kindsToComplete() []string {
	names := []string{"cronjob"}
	for _, kind := range reportkinds.All {
		if kind.IsWork() {
			names = append(names, strings.ToLower(kind.Name))
		}
	}
	slices.Sort(names)
	return names
}

// complete offers kinds, then the names of existing objects.
func (o *whyOptions) complete(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	kind, name, slash := strings.Cut(typed, "/")
	switch {
	case len(args) == 0 && !slash:
		var found []string
		for _, one := range kindsToComplete() {
			if strings.HasPrefix(one, typed) {
				found = append(found, one+"/")
			}
		}
		return found, cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
	case len(args) == 0:
		return o.names(cmd, kind, name, kind+"/"), cobra.ShellCompDirectiveNoFileComp
	case len(args) == 1 && !strings.Contains(args[0], "/"):
		return o.names(cmd, args[0], typed, ""), cobra.ShellCompDirectiveNoFileComp
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
}

// causeNames returns the values of --cause.
func causeNames() []string {
	var names []string
	for number, name := range mulliganv1.Cause_name {
		if number != 0 {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// names returns the names of objects; none after an error, because a completion must not
// fail.
func (o *whyOptions) names(cmd *cobra.Command, kind, typed, prefix string) []string {
	cluster, err := newCluster(o.config)
	if err != nil {
		return nil
	}
	gvk, err := cluster.kindOf(kind)
	if err != nil {
		return nil
	}
	var names []string
	err = cluster.eachPage(cmd.Context(), gvk, cluster.namespace, &metav1.PartialObjectMetadataList{}, func(page client.ObjectList) error {
		return meta.EachListItem(page, func(item runtime.Object) error {
			if name := item.(client.Object).GetName(); strings.HasPrefix(name, typed) {
				names = append(names, prefix+name)
			}
			return nil
		})
	})
	if err != nil {
		return nil
	}
	slices.Sort(names)
	return names
}

// mustComplete offers the values of a flag.
func mustComplete(command *cobra.Command, flag string, values []string) {
	if err := command.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic(err)
	}
}
