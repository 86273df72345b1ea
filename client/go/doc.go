// Package mulligan asks a Mulligan service whether failed Kubernetes batch work
// deserves another try, who pays for it, and why.
//
// A controller built with controller-runtime needs two things. Once:
//
//	service, err := mulligan.Dial("dns:///mulligan.mulligan:8980")
//	asker := mulligan.Asker{Service: service, Kube: mgr.GetClient(), Reader: mgr.GetAPIReader()}
//
// And in Reconcile, with the object it reconciles:
//
//	advice, err := asker.Ask(ctx, job)
//	if err != nil {
//		return ctrl.Result{}, err // read the object and ask again
//	}
//	switch advice.Action() {
//	case mulliganv1.Decision_RETRY: // start the next attempt after advice.RetryAfter()
//	case mulliganv1.Decision_WAIT: // ask again after advice.RetryAfter()
//	case mulliganv1.Decision_FAIL, mulliganv1.Decision_WAIT_FOR_SPEC_UPDATE: // start nothing
//	}
//
// Ask calls four functions, which can be used alone:
//
//   - [Gather] reads the objects about the failure: owners, parts, pods, Kueue's
//     Workload, nodes, events. A caller that has the objects uses [NewReport] and
//     [Report.Add] instead.
//   - [LedgerFrom] reads what the workload has spent from its annotation.
//   - [Client.Decide] asks. Repeating a question is safe: the service keeps no state,
//     and a failure is charged exactly once, however often it is reported.
//   - [StoreLedger] writes the new ledger, unless another client changed it.
//
// A workload may have any number of pods. Of more than [MaxGatheredPods], the decisive
// ones are sent: the failed ones whose trouble began first, the first with each
// distinct message, the first on each node, and a few healthy ones. The others are
// counted in the report's omitted_pods; [Report.Notes] and a warning of the answer say
// so.
//
// "No" is a verdict. An error of a call means that there is no answer and nothing was
// charged. [Classify] says whether to ask again, and [Fallback] what to do until then.
//
// Package mulligantest has a service for unit tests.
package mulligan
