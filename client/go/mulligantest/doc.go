// Package mulligantest has a Mulligan service for unit tests of controllers. It
// runs in the process of the test, needs no network and no policy, and answers
// with the causes that the test wants:
//
//	service := mulligantest.New(t)
//	service.Next(
//		mulligantest.Cause(mulliganv1.Cause_CONTAINER_OOM),
//		mulligantest.Unavailable(),
//		mulligantest.Cause(mulliganv1.Cause_IMAGE_INVALID),
//	)
//	asker := mulligan.Asker{Service: service.Client(), Kube: fakeClient}
//
// Each new failure takes the next step, and is answered as the default policy
// answers that cause on the first occasion, with the budgets of the ledger that
// was sent: the fourth CONTAINER_OOM is a FAIL. The same failure told again gets
// the same answer and is charged nothing. That much a controller has to live
// with; diagnosis, rules and history are the real service's, against which
// integration tests run.
package mulligantest
