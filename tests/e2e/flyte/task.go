package main

import (
	"context"
	"fmt"

	idl "github.com/flyteorg/flyte/flyteidl/gen/pb-go/flyteidl/core"
	"github.com/flyteorg/flyte/flyteplugins/go/tasks/pluginmachinery/core"
	k8sconfig "github.com/flyteorg/flyte/flyteplugins/go/tasks/pluginmachinery/flytek8s/config"
	"github.com/flyteorg/flyte/flyteplugins/go/tasks/pluginmachinery/io"
	"github.com/flyteorg/flyte/flytestdlib/storage"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"
)

const spot = "cloud.google.com/gke-spot"

// configureSpot sends interruptible tasks to spot nodes, like an installation.
func configureSpot() error {
	settings := k8sconfig.GetK8sPluginConfig()
	settings.InterruptibleNodeSelector = map[string]string{spot: "true"}
	settings.InterruptibleTolerations = []corev1.Toleration{{Key: spot, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule}}
	return k8sconfig.SetK8sPluginConfig(settings)
}

// task is an attempt as the plugin sees it. Unused members are nil and would panic.
type task struct {
	core.TaskExecutionContext
	metadata
}

func newTask(l *loop, attempt int, interruptible bool) *task {
	return &task{metadata: metadata{loop: l, attempt: attempt, interruptible: interruptible}}
}

func (t *task) TaskReader() core.TaskReader                       { return reader{} }
func (t *task) InputReader() io.InputReader                       { return paths{} }
func (t *task) OutputWriter() io.OutputWriter                     { return paths{} }
func (t *task) PluginStateReader() core.PluginStateReader         { return stateless{} }
func (t *task) TaskExecutionMetadata() core.TaskExecutionMetadata { return &t.metadata }

// metadata is propeller's data of the attempt.
type metadata struct {
	core.TaskExecutionMetadata
	loop          *loop
	attempt       int
	interruptible bool
}

func (m *metadata) IsInterruptible() bool                      { return m.interruptible }
func (m *metadata) GetNamespace() string                       { return m.loop.namespace }
func (m *metadata) GetTaskExecutionID() core.TaskExecutionID   { return id{m} }
func (m *metadata) GetOverrides() core.TaskOverrides           { return overrides{} }
func (m *metadata) GetK8sServiceAccount() string               { return "" }
func (m *metadata) GetSecurityContext() idl.SecurityContext    { return idl.SecurityContext{} } //nolint:govet
func (m *metadata) GetEnvironmentVariables() map[string]string { return nil }
func (m *metadata) GetAnnotations() map[string]string          { return nil }
func (m *metadata) GetConsoleURL() string                      { return "" }
func (m *metadata) GetMaxAttempts() uint32                     { return uint32(m.loop.retries) + 1 }
func (m *metadata) GetPlatformResources() *corev1.ResourceRequirements {
	return &corev1.ResourceRequirements{}
}
func (m *metadata) GetOwnerID() types.NamespacedName {
	return types.NamespacedName{Namespace: m.loop.namespace, Name: m.loop.name}
}

// GetLabels returns propeller's labels, which identify the attempts of a node.
func (m *metadata) GetLabels() map[string]string {
	return map[string]string{"execution-id": m.loop.name, "node-id": "n0", "interruptible": fmt.Sprint(m.interruptible)}
}

type id struct{ of *metadata }

func (i id) GetGeneratedName() string { return fmt.Sprintf("%s-n0-%d", i.of.loop.name, i.of.attempt) }
func (i id) GetUniqueNodeID() string  { return "n0" }
func (i id) GetGeneratedNameWith(int, int) (string, error) {
	return i.GetGeneratedName(), nil
}

func (i id) GetID() idl.TaskExecutionIdentifier { //nolint:govet
	return idl.TaskExecutionIdentifier{NodeExecutionId: &idl.NodeExecutionIdentifier{
		NodeId: "n0", ExecutionId: &idl.WorkflowExecutionIdentifier{Project: "p", Domain: "d", Name: i.of.loop.name},
	}}
}

type overrides struct{ core.TaskOverrides }

func (overrides) GetExtendedResources() *idl.ExtendedResources { return nil }
func (overrides) GetContainerImage() string                    { return "" }
func (overrides) GetPodTemplate() *idl.K8SPod                  { return nil }
func (overrides) GetResources() *corev1.ResourceRequirements {
	memory := corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("1Gi")}
	return &corev1.ResourceRequirements{Requests: memory, Limits: memory}
}

type reader struct{ core.TaskReader }

func (reader) Read(context.Context) (*idl.TaskTemplate, error) {
	return &idl.TaskTemplate{Type: "python-task", Target: &idl.TaskTemplate_Container{Container: &idl.Container{
		Image: "registry.local/trainer:1", Args: []string{"pyflyte-execute"},
	}}}, nil
}

// paths are the unused paths of inputs and outputs.
type paths struct{ io.OutputWriter }

const bucket = storage.DataReference("s3://bucket/e")

func (paths) Get(context.Context) (*idl.LiteralMap, error)        { return &idl.LiteralMap{}, nil }
func (paths) GetInputPath() storage.DataReference                 { return bucket }
func (paths) GetInputPrefixPath() storage.DataReference           { return bucket }
func (paths) GetOutputPath() storage.DataReference                { return bucket }
func (paths) GetOutputPrefixPath() storage.DataReference          { return bucket }
func (paths) GetRawOutputPrefix() storage.DataReference           { return bucket }
func (paths) GetCheckpointPrefix() storage.DataReference          { return bucket }
func (paths) GetPreviousCheckpointsPrefix() storage.DataReference { return "" }

// stateless has no state of earlier rounds.
type stateless struct{ core.PluginStateReader }

func (stateless) Get(any) (uint8, error) { return 0, nil }
