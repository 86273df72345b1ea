package mulligantest

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	corev1 "mulligan.dev/mulligan/gen/mulligan/kubernetes/core/v1"
	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
)

// A Step answers one failure. Callers may write their own.
type Step func(request *mulliganv1.DecideRequest) (*mulliganv1.DecideResponse, error)

// Cause answers like the default policy's first decision on this cause: action, delay,
// the budget that pays and the new ledger. Each edit may change the answer, for example
// to ask for more memory.
func Cause(cause mulliganv1.Cause, edits ...func(*mulliganv1.DecideResponse)) Step {
	return func(request *mulliganv1.DecideRequest) (*mulliganv1.DecideResponse, error) {
		response := answer(cause, request)
		for _, edit := range edits {
			edit(response)
		}
		return response, nil
	}
}

// Unavailable is a server that stops or is unreachable.
func Unavailable() Step { return Error(codes.Unavailable, "the server is stopping") }

// Overloaded refuses the call and asks the caller to stay away for the given time.
func Overloaded(after time.Duration) Step {
	refusal, err := status.New(codes.ResourceExhausted, "too many calls are under way").
		WithDetails(&errdetails.RetryInfo{RetryDelay: durationpb.New(after)})
	if err != nil {
		panic(err)
	}
	return func(*mulliganv1.DecideRequest) (*mulliganv1.DecideResponse, error) { return nil, refusal.Err() }
}

// Error answers with the code; docs/errors.md of the project lists the service's codes.
func Error(code codes.Code, message string) Step {
	return func(*mulliganv1.DecideRequest) (*mulliganv1.DecideResponse, error) {
		return nil, status.Error(code, message)
	}
}

func answer(cause mulliganv1.Cause, request *mulliganv1.DecideRequest) *mulliganv1.DecideResponse {
	v := verdicts[cause]
	response := &mulliganv1.DecideResponse{
		Decision:   &mulliganv1.Decision{Action: v.action, Scope: mulliganv1.Decision_WORKLOAD},
		Diagnosis:  diagnosisOf(cause, v.action),
		Accounting: &mulliganv1.Accounting{MaxAttempts: maxAttempts},
		Ledger:     ledgerOf(request),
		Policy:     &mulliganv1.PolicyReference{Name: "default", Revision: "mulligantest"},
	}
	if v.action == retry || v.action == wait {
		response.Decision.RetryAfter = durationpb.New(v.after)
	}
	if v.action != ignore && (v.action != wait || v.budget != "") {
		charge(response, request, cause, v)
	}
	response.Decision.Sentence = fmt.Sprintf("%s: %s", cause, response.GetDecision().GetAction())
	return response
}

func diagnosisOf(cause mulliganv1.Cause, action mulliganv1.Decision_Action) *mulliganv1.Diagnosis {
	situations := map[mulliganv1.Cause]mulliganv1.Diagnosis_Situation{
		mulliganv1.Cause_NOT_FAILED:   mulliganv1.Diagnosis_ALIVE,
		mulliganv1.Cause_SUSPENDED:    mulliganv1.Diagnosis_HELD,
		mulliganv1.Cause_SUCCEEDED:    mulliganv1.Diagnosis_FINISHED,
		mulliganv1.Cause_CANCELLED:    mulliganv1.Diagnosis_FINISHED,
		mulliganv1.Cause_STALE_REPORT: mulliganv1.Diagnosis_FINISHED,
	}
	situation, ok := situations[cause]
	if !ok {
		situation = mulliganv1.Diagnosis_BROKEN
	}
	return &mulliganv1.Diagnosis{
		Cause: cause, Situation: situation, Confidence: mulliganv1.Diagnosis_HIGH,
		Summary: fmt.Sprintf("scripted: %s", cause), Signature: "mulligantest",
	}
}

// charge records the failure in the ledger. Without a budget left, the decision is
// FAIL.
func charge(response *mulliganv1.DecideResponse, request *mulliganv1.DecideRequest, cause mulliganv1.Cause, v verdict) {
	ledger, accounting := response.Ledger, response.Accounting
	ledger.AttemptsSeen++
	accounting.Attempts = ledger.AttemptsSeen
	record := &mulliganv1.AttemptRecord{Attempt: ledger.AttemptsSeen, Cause: cause, ObservedAt: request.GetReport().GetObservedAt()}
	if v.budget != "" {
		use, limit := ledger.Budgets[v.budget], limits[v.budget]
		if use == nil {
			use = &mulliganv1.BudgetUse{}
			ledger.Budgets[v.budget] = use
		}
		state := &mulliganv1.BudgetState{Name: v.budget, UsedBefore: use.Used, Limit: limit}
		if use.Used >= limit {
			response.Decision = &mulliganv1.Decision{Action: fail, Scope: mulliganv1.Decision_WORKLOAD}
			accounting.Exhaustion = &mulliganv1.Exhaustion{
				Limit: mulliganv1.Exhaustion_BUDGET, Budget: v.budget, Used: use.Used, Bound: limit, Cause: cause,
			}
			record.RefusedBy, record.RefusingBudget = mulliganv1.AttemptRecord_BUDGET, v.budget
		} else {
			use.Used++
			accounting.ChargedTo, accounting.Units = v.budget, 1
			record.ChargedTo = v.budget
			response.Decision.LastAttempt = use.Used == limit
		}
		state.Used, state.Remaining = use.Used, limit-use.Used
		record.Used, record.Bound = use.Used, limit
		accounting.Budgets = []*mulliganv1.BudgetState{state}
	}
	record.Decision = proto.CloneOf(response.Decision)
	ledger.History = append(ledger.History, record)
}

func ledgerOf(request *mulliganv1.DecideRequest) *mulliganv1.BudgetLedger {
	ledger := &mulliganv1.BudgetLedger{}
	if request.GetLedger() != nil {
		ledger = proto.CloneOf(request.GetLedger())
	}
	if ledger.Budgets == nil {
		ledger.Budgets = map[string]*mulliganv1.BudgetUse{}
	}
	return ledger
}

func notFailed(request *mulliganv1.DecideRequest) *mulliganv1.DecideResponse {
	return answer(mulliganv1.Cause_NOT_FAILED, request)
}

// again returns the answer to a failure that the ledger knows.
func again(before *mulliganv1.DecideResponse, request *mulliganv1.DecideRequest) *mulliganv1.DecideResponse {
	response := proto.CloneOf(before)
	response.Ledger = ledgerOf(request)
	response.RequestId = request.GetRequestId()
	response.Accounting.Duplicate, response.Accounting.Units = true, 0
	return response
}

func knows(ledger *mulliganv1.BudgetLedger, failureID string) bool {
	return slices.ContainsFunc(ledger.GetHistory(), func(record *mulliganv1.AttemptRecord) bool {
		return record.GetFailureId() == failureID
	})
}

// identityOf returns the same for two reports of one failure: its given id, or a hash
// of what broke.
func identityOf(report *mulliganv1.FailureReport) string {
	if report.GetFailureId() != "" {
		return report.GetFailureId()
	}
	parts := []string{report.GetWorkload().GetUid(), report.GetCreationError().GetMessage(), report.GetExit().String()}
	for _, job := range report.GetJobs() {
		parts = append(parts, fmt.Sprint(job.GetMetadata().GetUid(), job.GetStatus().GetFailed()))
	}
	for _, status := range []proto.Message{
		report.GetJobSet().GetStatus(), report.GetRayJob().GetStatus(), report.GetTrainJob().GetStatus(),
		report.GetKubeflowJob().GetStatus(), report.GetSparkApplication().GetStatus(),
	} {
		text, _ := proto.MarshalOptions{Deterministic: true}.Marshal(status)
		parts = append(parts, string(text))
	}
	for _, pod := range report.GetPods() {
		parts = append(parts, brokenParts(pod)...)
	}
	slices.Sort(parts)
	return fmt.Sprintf("mulligantest:%x", sha256.Sum256([]byte(strings.Join(slices.Compact(parts), "\n"))))
}

func brokenParts(pod *corev1.Pod) []string {
	name := pod.GetMetadata().GetUid() + "/" + pod.GetMetadata().GetName()
	var parts []string
	if pod.GetStatus().GetPhase() == "Failed" {
		parts = append(parts, name)
	}
	for _, container := range pod.GetStatus().GetContainerStatuses() {
		if container.GetState().GetTerminated().GetExitCode() != 0 {
			parts = append(parts, fmt.Sprint(name, container.GetName(), container.GetRestartCount()))
		}
	}
	return parts
}
