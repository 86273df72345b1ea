// Package mulligantest has a Mulligan service for unit tests of controllers. It runs in
// the test's process, needs no network and no policy, and answers with the causes that
// the test chooses:
//
//	service := mulligantest.New(t)
//	service.Next(
//		mulligantest.Cause(mulliganv1.Cause_CONTAINER_OOM),
//		mulligantest.Unavailable(),
//		mulligantest.Cause(mulliganv1.Cause_IMAGE_INVALID),
//	)
//	asker := mulligan.Asker{Service: service.Client(), Kube: fakeClient}
//
// Each new failure takes the next step. It is answered like the default policy's first
// decision on that cause, with the budgets of the ledger that was sent: the fourth
// CONTAINER_OOM is a FAIL. The same failure reported again gets the same answer and no
// charge. Test diagnosis, rules and history against the real service.
package mulligantest
