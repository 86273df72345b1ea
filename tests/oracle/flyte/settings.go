package main

import (
	"math/rand/v2"
	"time"

	podconfig "github.com/flyteorg/flyte/flyteplugins/go/tasks/pluginmachinery/flytek8s/config"
	kubeflow "github.com/flyteorg/flyte/flyteplugins/go/tasks/plugins/k8s/kfoperators/common"
	"github.com/flyteorg/flyte/flytestdlib/config"

	"mulligan.dev/mulligan/tests/oracle/cases"
)

// durations are choices of deployments; ages of conditions are near them.
var durations = []time.Duration{
	0, 100 * time.Millisecond, 7 * time.Second, 30 * time.Second, time.Minute, 90 * time.Second,
	3 * time.Minute, 10 * time.Minute, time.Hour,
}

// defaults are the defaults of the settings that configure changes.
var defaults = *podconfig.GetK8sPluginConfig()

// configure sets the plugins' configuration and returns the settings that
// differ from the defaults, by the names that Mulligan uses.
func configure(random *rand.Rand) map[string]any {
	pods, jobs := defaults, kubeflow.Config{Timeout: config.Duration{Duration: time.Minute}}
	fields := []struct {
		name  string
		value *config.Duration
	}{
		{"image-pull-backoff-grace-period", &pods.ImagePullBackoffGracePeriod},
		{"create-container-error-grace-period", &pods.CreateContainerErrorGracePeriod},
		{"create-container-config-error-grace-period", &pods.CreateContainerConfigErrorGracePeriod},
		{"pod-pending-timeout", &pods.PodPendingTimeout},
		{"kf-operator.timeout", &jobs.Timeout},
	}
	said := map[string]any{}
	for _, field := range fields {
		if cases.Chance(random, 3) {
			field.value.Duration = cases.Pick(random, durations...)
			said["flyte."+field.name] = field.value.String()
		}
	}
	if err := podconfig.SetK8sPluginConfig(&pods); err != nil {
		panic(err)
	}
	if err := kubeflow.SetConfig(&jobs); err != nil {
		panic(err)
	}
	return said
}
