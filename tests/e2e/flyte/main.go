// Command flyte-node runs one node of a Flyte workflow: flyteplugins' own pod plugin builds
// the pods and reports their phases, and the recipe of client/go/recipes/flyte decides. The
// loop around them and its two budgets stand in for flytepropeller 1.16.7, which is not
// available as a Go module.
//
//	flyte-node -namespace ml -name e -state file [-retries 1] [-recipe=false]
//
// KUBECONFIG names the cluster, and MULLIGAN_SERVER the service. It ends with the node and
// prints the outcome as JSON. The file stands for the FlyteWorkflow: it is written after
// each round, so a killed process repeats its round.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"time"

	idl "github.com/flyteorg/flyte/flyteidl/gen/pb-go/flyteidl/core"
	"github.com/flyteorg/flyte/flyteplugins/go/tasks/pluginmachinery/core"
	podplugin "github.com/flyteorg/flyte/flyteplugins/go/tasks/plugins/k8s/pod"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/config"

	"mulligan.dev/mulligan/gate"
	"mulligan.dev/mulligan/recipes/flyte"
)

// Propeller's defaults in node-config: max-node-retries-system-failures, and
// interruptible-failure-threshold, which counts from the last possible run.
const (
	systemRetries = 3
	lastOnDemand  = 1
)

// A round of propeller.
const round = 200 * time.Millisecond

// Node is what propeller stores of a node, and its outcome.
type Node struct {
	Phase, Kind, Code, Message string
	// Retries so far, and those for which the system is to blame.
	Attempts, SystemFailures int
	// Whether each run was allowed on interruptible nodes.
	Interruptible []bool
	// Whether the object of this attempt was created.
	Launched bool
}

type loop struct {
	client.Client
	// Nil without the recipe.
	decide          func(context.Context, client.Object, core.PhaseInfo) (core.PhaseInfo, error)
	handOn          func(context.Context, client.Object) error
	namespace, name string
	state           string
	retries         int
}

func main() {
	l := loop{}
	flag.StringVar(&l.namespace, "namespace", "default", "where its pods are")
	flag.StringVar(&l.name, "name", "e", "of the execution")
	flag.StringVar(&l.state, "state", "", "file of what is stored of the node")
	flag.IntVar(&l.retries, "retries", 0, "of the task")
	recipe := flag.Bool("recipe", true, "whether the recipe is in the binary")
	flag.Parse()
	if err := l.main(context.Background(), *recipe); err != nil {
		fmt.Fprintln(os.Stderr, "flyte-node:", err)
		os.Exit(1)
	}
}

func (l *loop) main(ctx context.Context, recipe bool) error {
	loaded, err := config.GetConfig()
	if err != nil {
		return err
	}
	if l.Client, err = client.New(loaded, client.Options{}); err != nil {
		return err
	}
	if recipe {
		g, err := gate.FromEnvironment(l.Client, l.Client)
		if err != nil {
			return err
		}
		l.decide = func(ctx context.Context, obj client.Object, native core.PhaseInfo) (core.PhaseInfo, error) {
			return flyte.Decide(ctx, g, obj, native)
		}
		l.handOn = func(ctx context.Context, obj client.Object) error {
			notes, err := flyte.HandOn(ctx, g, obj, time.Now())
			for _, note := range notes {
				fmt.Fprintln(os.Stderr, note)
			}
			return err
		}
	}
	if err := configureSpot(); err != nil {
		return err
	}
	node, err := l.stored()
	if err != nil {
		return err
	}
	for node.Phase == "" {
		if err := l.round(ctx, node); err != nil {
			// The round is repeated.
			fmt.Fprintln(os.Stderr, err)
		} else if err := l.store(node); err != nil {
			return err
		}
		time.Sleep(round)
	}
	return json.NewEncoder(os.Stdout).Encode(node)
}

// stored returns the node after the last round.
func (l *loop) stored() (*Node, error) {
	node := &Node{}
	text, err := os.ReadFile(l.state)
	if errors.Is(err, fs.ErrNotExist) {
		return node, nil
	}
	if err != nil {
		return nil, err
	}
	return node, json.Unmarshal(text, node)
}

func (l *loop) store(node *Node) error {
	text, err := json.Marshal(node)
	if err != nil {
		return err
	}
	if err := os.WriteFile(l.state+".new", text, 0o644); err != nil {
		return err
	}
	return os.Rename(l.state+".new", l.state)
}

// round launches an attempt, or checks it and handles its end.
func (l *loop) round(ctx context.Context, node *Node) error {
	interruptible := node.SystemFailures < systemRetries+1-lastOnDemand
	task := newTask(l, node.Attempts, interruptible)
	if !node.Launched {
		if err := l.launch(ctx, task); err != nil {
			return err
		}
		node.Launched, node.Interruptible = true, append(node.Interruptible, interruptible)
		return nil
	}
	pod := &corev1.Pod{}
	pod.SetNamespace(l.namespace)
	pod.SetName(task.GetTaskExecutionID().GetGeneratedName())
	phase, err := l.check(ctx, task, pod)
	if err != nil || !phase.Phase().IsTerminal() {
		return err
	}
	if phase.CleanupOnFailure() {
		if err := client.IgnoreNotFound(l.Delete(ctx, pod)); err != nil {
			return err
		}
	}
	node.end(phase, l.retries)
	return nil
}

// launch creates the pod of an attempt, with propeller's labels and name. An existing one
// was created in a round that was not stored.
func (l *loop) launch(ctx context.Context, task *task) error {
	pod, err := podplugin.DefaultPodPlugin.BuildResource(ctx, task)
	if err != nil {
		return err
	}
	pod.SetNamespace(l.namespace)
	pod.SetName(task.GetTaskExecutionID().GetGeneratedName())
	pod.SetLabels(task.GetLabels())
	if l.handOn != nil {
		if err := l.handOn(ctx, pod); err != nil {
			return err
		}
	}
	if err := l.Create(ctx, pod); !apierrors.IsAlreadyExists(err) {
		return err
	}
	return nil
}

// check is checkResourcePhase.
func (l *loop) check(ctx context.Context, task *task, pod client.Object) (core.PhaseInfo, error) {
	err := l.Get(ctx, client.ObjectKeyFromObject(pod), pod)
	if apierrors.IsNotFound(err) {
		return core.PhaseInfoSystemRetryableFailure("ResourceDeletedExternally", "resource not found, it was deleted externally", nil), nil
	}
	if err != nil {
		return core.PhaseInfoUndefined, err
	}
	phase, err := podplugin.DefaultPodPlugin.GetTaskPhase(ctx, task, pod.(*corev1.Pod))
	if err == nil && l.decide != nil {
		phase, err = l.decide(ctx, pod, phase)
	}
	return phase, err
}

// end counts against propeller's two budgets: runs of the task, and retries by the system.
func (n *Node) end(phase core.PhaseInfo, retries int) {
	failure := phase.Err()
	n.Kind, n.Code, n.Message = failure.GetKind().String(), failure.GetCode(), failure.GetMessage()
	if phase.Phase() != core.PhaseRetryableFailure {
		n.Phase = phase.Phase().String()
		return
	}
	system := failure.GetKind() == idl.ExecutionError_SYSTEM
	used, limit := n.Attempts+1-n.SystemFailures, retries+1
	if system {
		used, limit = n.SystemFailures, systemRetries
	}
	if used >= limit {
		n.Phase, n.Code = "RetriesExhausted", "RetriesExhausted|"+n.Code
		return
	}
	n.Attempts, n.Launched = n.Attempts+1, false
	if system {
		n.SystemFailures++
	}
}
