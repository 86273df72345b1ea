package main

import (
	"context"
	"encoding/json"
	"reflect"

	"github.com/flyteorg/flyte/flyteidl/gen/pb-go/flyteidl/core"
	"github.com/flyteorg/flyte/flyteplugins/go/tasks/pluginmachinery"
	pluginscore "github.com/flyteorg/flyte/flyteplugins/go/tasks/pluginmachinery/core"
	"github.com/flyteorg/flyte/flyteplugins/go/tasks/pluginmachinery/k8s"
	"sigs.k8s.io/controller-runtime/pkg/client"

	// Each registers itself.
	_ "github.com/flyteorg/flyte/flyteplugins/go/tasks/plugins/k8s/kfoperators/mpi"
	_ "github.com/flyteorg/flyte/flyteplugins/go/tasks/plugins/k8s/kfoperators/pytorch"
	_ "github.com/flyteorg/flyte/flyteplugins/go/tasks/plugins/k8s/kfoperators/tensorflow"
	_ "github.com/flyteorg/flyte/flyteplugins/go/tasks/plugins/k8s/pod"
	_ "github.com/flyteorg/flyte/flyteplugins/go/tasks/plugins/k8s/ray"
)

// pluginContext is a plugin's context of its task. Its content is irrelevant.
type pluginContext struct{ k8s.PluginContext }

func (pluginContext) TaskReader() pluginscore.TaskReader { return taskReader{} }
func (pluginContext) TaskExecutionMetadata() pluginscore.TaskExecutionMetadata {
	return taskMetadata{}
}
func (pluginContext) PluginStateReader() pluginscore.PluginStateReader { return noState{} }

type taskReader struct{ pluginscore.TaskReader }

func (taskReader) Read(context.Context) (*core.TaskTemplate, error) {
	return &core.TaskTemplate{}, nil
}

type taskMetadata struct {
	pluginscore.TaskExecutionMetadata
}

func (taskMetadata) GetTaskExecutionID() pluginscore.TaskExecutionID { return nil }

type noState struct{}

func (noState) GetStateVersion() uint8 { return 0 }
func (noState) Get(any) (uint8, error) { return 0, nil }

func pluginNamed(id string) k8s.PluginEntry {
	for _, entry := range pluginmachinery.PluginRegistry().GetK8sPlugins() {
		if entry.ID == id {
			return entry
		}
	}
	panic("Flyte has no plugin " + id)
}

// judge asks the plugin for the phase of the object.
func judge(made subject) (pluginscore.PhaseInfo, error) {
	entry := pluginNamed(made.plugin)
	object := reflect.New(reflect.TypeOf(entry.ResourceToWatch).Elem()).Interface()
	text, err := json.Marshal(made.object)
	if err != nil {
		panic(err)
	}
	if err := json.Unmarshal(text, object); err != nil {
		panic(err)
	}
	return entry.Plugin.GetTaskPhase(context.Background(), pluginContext{}, object.(client.Object))
}

// expectation describes a phase in the terms of tests/oracle/README.md.
func expectation(phase pluginscore.PhaseInfo, err error) map[string]any {
	if err != nil || phase.Phase() == pluginscore.PhaseUndefined {
		// A round of the propeller without effect.
		expect := map[string]any{
			"verdict": "Error", "action": "RETRY", "chargedTo": "max-workflow-retries",
		}
		if err != nil {
			expect["message"] = err.Error()
		}
		return expect
	}
	expect := map[string]any{
		"verdict": phase.Phase().String()[len("Phase"):],
		"reason":  "", "message": phase.Reason(), "chargedTo": "",
	}
	if phase.Phase().IsSuccess() || !phase.Phase().IsTerminal() {
		return expect
	}
	expect["reason"], expect["message"] = phase.Err().GetCode(), phase.Err().GetMessage()
	expect["action"] = "FAIL"
	if phase.Phase() == pluginscore.PhaseRetryableFailure {
		expect["action"], expect["chargedTo"] = "RETRY", "retries"
		if phase.Err().GetKind() == core.ExecutionError_SYSTEM {
			expect["chargedTo"] = "max-node-retries-system-failures"
		}
	}
	return expect
}
