package main

import (
	"fmt"
	"math/rand/v2"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"mulligan.dev/mulligan/tests/oracle/cases"
	config "sigs.k8s.io/kueue/apis/config/v1beta2"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
)

// configure chooses Kueue's configuration and the queues' stop policies, and
// states them as settings of native.semantics.
func configure(random *rand.Rand, made *scene) {
	const block, strategy = "kueue.waitForPodsReady.", "kueue.waitForPodsReady.requeuingStrategy."
	made.readiness = &config.WaitForPodsReady{}
	duration := func(name string, field func(metav1.Duration), choices ...time.Duration) {
		if cases.Chance(random, 2) {
			chosen := cases.Pick(random, choices...)
			field(metav1.Duration{Duration: chosen})
			made.settings[block+name] = fmt.Sprintf("%ds", int(chosen.Seconds()))
		}
	}
	duration("timeout", func(d metav1.Duration) { made.readiness.Timeout = d }, time.Minute, 5*time.Minute, time.Hour)
	duration("recoveryTimeout", func(d metav1.Duration) { made.readiness.RecoveryTimeout = &d }, 0, time.Minute, 5*time.Minute)
	requeuing := &config.RequeuingStrategy{}
	number := func(name string, field func(*int32), choices ...int32) {
		if cases.Chance(random, 2) {
			chosen := cases.Pick(random, choices...)
			field(&chosen)
			made.readiness.RequeuingStrategy = requeuing
			made.settings[strategy+name] = fmt.Sprint(chosen)
		}
	}
	number("backoffLimitCount", func(n *int32) { requeuing.BackoffLimitCount = n }, 0, 1, 2, 3, 10)
	number("backoffBaseSeconds", func(n *int32) { requeuing.BackoffBaseSeconds = n }, 1, 10, 60, 600)
	number("backoffMaxSeconds", func(n *int32) { requeuing.BackoffMaxSeconds = n }, 60, 300, 7200)
	config.SetDefaults_Configuration(&config.Configuration{WaitForPodsReady: made.readiness})

	policy := func(name string, into *kueue.StopPolicy) {
		*into = kueue.None
		if cases.Chance(random, 4) {
			*into = cases.Pick(random, kueue.None, kueue.Hold, kueue.HoldAndDrain, kueue.HoldAndDrain)
		}
		made.settings["kueue."+name+".stopPolicy"] = string(*into)
	}
	policy("clusterQueue", &made.clusterPolicy)
	policy("localQueue", &made.localPolicy)
	made.disabled = cases.Chance(random, 15)
	made.observed = cases.Chance(random, 5)
}

// request returns the scene as a DecideRequest.
func (s scene) request(number int) map[string]any {
	gates := map[string]any{}
	if s.disabled {
		gates["DisableWaitForPodsReady"] = true
	}
	if s.observed {
		gates["UnadmittedWorkloadsObservability"] = true
	}
	semantics := map[string]any{"settings": s.settings}
	if len(gates) > 0 {
		semantics["featureGates"] = gates
	}
	return cases.Compared(number, map[string]any{"kueueWorkload": cases.Object(s.workload)}, semantics)
}
