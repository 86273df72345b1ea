package kubectl

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"sigs.k8s.io/yaml"

	"mulligan.dev/mulligan"
	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
)

// answered is a workload that was asked about.
type answered struct {
	// "Job ml/train".
	workload string
	answer   *mulliganv1.DecideResponse
	// Why there is no answer.
	err error
}

// isBroken reports whether somebody has to act: the work has failed, or its operator
// retries it in vain.
func (a answered) isBroken() bool {
	action := a.answer.GetDecision().GetAction()
	switch a.answer.GetDiagnosis().GetSituation() {
	case mulliganv1.Diagnosis_BROKEN:
		return true
	case mulliganv1.Diagnosis_ALIVE:
		return action != mulliganv1.Decision_IGNORE && action != mulliganv1.Decision_WAIT
	}
	return false
}

// cause is empty without an answer.
func (a answered) cause() string {
	if a.err != nil {
		return ""
	}
	return a.answer.GetDiagnosis().GetCause().String()
}

func (a answered) verdict() string {
	if a.err != nil {
		return "no answer"
	}
	return verdictOf(a.answer.GetDecision())
}

func (a answered) why() string {
	if a.err != nil {
		return status.Convert(a.err).Message()
	}
	return mulligan.Problem(a.answer)
}

// Of what is broken, the worst first.
var worstFirst = []mulliganv1.Decision_Action{
	mulliganv1.Decision_FAIL, mulliganv1.Decision_WAIT_FOR_SPEC_UPDATE, mulliganv1.Decision_RETRY, mulliganv1.Decision_WAIT,
}

// rank is the order of the command line: no answer, what is broken, what is held, lives
// and is over.
func (a answered) rank() int {
	if a.err != nil {
		return -1
	}
	diagnosis := a.answer.GetDiagnosis()
	switch situation := diagnosis.GetSituation(); {
	case a.isBroken():
	case situation == mulliganv1.Diagnosis_HELD:
		return 10
	case situation == mulliganv1.Diagnosis_ALIVE:
		if diagnosis.GetCause() == mulliganv1.Cause_NOT_FAILED {
			return 12
		}
		// A part of it died.
		return 11
	case situation == mulliganv1.Diagnosis_FINISHED:
		return 13
	}
	if i := slices.Index(worstFirst, a.answer.GetDecision().GetAction()); i >= 0 {
		return i
	}
	return len(worstFirst)
}

// Causes that are counted by name.
const mostCauses = 8

// counts is of all that were asked about: "40 workloads, 3 broken: 2 CONTAINER_OOM, 1
// IMAGE_INVALID". Without an answer counts as broken.
func counts(all []answered) string {
	type count struct {
		cause string
		of    int
	}
	var causes []count
	broken := 0
	for _, one := range all {
		if one.err == nil && !one.isBroken() {
			continue
		}
		broken++
		cause := cmp.Or(one.cause(), "without an answer")
		i := slices.IndexFunc(causes, func(c count) bool { return c.cause == cause })
		if i < 0 {
			causes, i = append(causes, count{cause: cause}), len(causes)
		}
		causes[i].of++
	}
	slices.SortFunc(causes, func(a, b count) int {
		return cmp.Or(cmp.Compare(b.of, a.of), strings.Compare(a.cause, b.cause))
	})
	plural := "s"
	if len(all) == 1 {
		plural = ""
	}
	text := fmt.Sprintf("%d workload%s, %d broken", len(all), plural, broken)
	separator := ": "
	for i, c := range causes {
		if i == mostCauses {
			return text + separator + "..."
		}
		text += fmt.Sprintf("%s%d %s", separator, c.of, c.cause)
		separator = ", "
	}
	return text
}

// printAll tells those that are asked for, the worst first, in the form of the command
// line, where one workload is an answer and no list, unless it is left out.
func printAll(out io.Writer, output string, all []answered, chosen choice) error {
	listed := slices.DeleteFunc(slices.Clone(all), func(one answered) bool { return !chosen.has(one) })
	slices.SortStableFunc(listed, func(a, b answered) int {
		return cmp.Or(cmp.Compare(a.rank(), b.rank()), strings.Compare(a.workload, b.workload))
	})
	if output == "text" {
		return printTable(out, counts(all), listed)
	}
	if len(all) == 1 && len(listed) == 1 {
		return printAnswer(out, output, all[0].answer)
	}
	return printList(out, output, listed)
}

// nameOne is how one of several workloads is asked for.
const nameOne = "kubectl mulligan why KIND/NAME"

// printTable is a line a workload, and below it the story where one alone is broken.
func printTable(out io.Writer, counts string, listed []answered) error {
	fmt.Fprintf(out, "%s\n\n", counts)
	if len(listed) == 0 {
		_, err := fmt.Fprintln(out, "None of them is as asked for.")
		return err
	}
	columns := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(columns, "WORKLOAD\tVERDICT\tCAUSE\tWHY")
	var broken []answered
	for _, one := range listed {
		fmt.Fprintf(columns, "%s\t%s\t%s\t%s\n", clean(one.workload), one.verdict(), one.cause(), clean(one.why()))
		if one.isBroken() {
			broken = append(broken, one)
		}
	}
	if err := columns.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(out)
	if len(broken) == 1 {
		return printAnswer(out, "text", broken[0].answer)
	}
	_, err := fmt.Fprintln(out, "One of them in full:", nameOne)
	return err
}

// errorOf is why there is no answer, for programs.
type errorOf struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// printList is an array, as JSON with an element a line.
func printList(out io.Writer, output string, listed []answered) error {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	text.WriteString("[")
	for i, one := range listed {
		element := struct {
			Workload string          `json:"workload"`
			Response json.RawMessage `json:"response,omitempty"`
			Error    *errorOf        `json:"error,omitempty"`
		}{Workload: one.workload}
		if one.err != nil {
			element.Error = &errorOf{code.Code(status.Code(one.err)).String(), one.why()}
		} else if response, err := protojson.Marshal(one.answer); err != nil {
			return err
		} else {
			element.Response = response
		}
		if i > 0 {
			text.WriteString(",")
		}
		text.WriteString("\n")
		if err := encoder.Encode(element); err != nil {
			return err
		}
		text.Truncate(text.Len() - len("\n"))
	}
	text.WriteString("\n]\n")
	printed := text.Bytes()
	if output == "yaml" {
		var err error
		if printed, err = yaml.JSONToYAML(printed); err != nil {
			return err
		}
	}
	_, err := out.Write(printed)
	return err
}

// scopes in the words of the command line.
var scopes = map[mulliganv1.Decision_Scope]string{
	mulliganv1.Decision_CONTAINER: " the container",
	mulliganv1.Decision_POD:       " the pod",
	mulliganv1.Decision_INDEX:     " the index",
	mulliganv1.Decision_JOB:       " the Job",
	mulliganv1.Decision_JOB_SET:   " the JobSet",
	mulliganv1.Decision_CLUSTER:   " the cluster",
	mulliganv1.Decision_WORKLOAD:  " the workload",
}

// verdictOf is a decision in few words: "RETRY the pod in 30s".
func verdictOf(decision *mulliganv1.Decision) string {
	verdict := strings.ReplaceAll(decision.GetAction().String(), "_", " ")
	delay := decision.GetRetryAfter()
	switch decision.GetAction() {
	case mulliganv1.Decision_IGNORE:
		return "nothing to do"
	case mulliganv1.Decision_FAIL:
		verdict += scopes[decision.GetScope()]
	case mulliganv1.Decision_RETRY:
		verdict += scopes[decision.GetScope()]
		if delay.AsDuration() == 0 {
			verdict += " at once"
		} else {
			verdict += " in " + delayText(delay.AsDuration())
		}
		if decision.GetLastAttempt() {
			verdict += ", for the last time"
		}
	case mulliganv1.Decision_WAIT:
		if delay != nil {
			verdict += ", ask again in " + delayText(delay.AsDuration())
		}
	}
	return verdict
}

// delayText is in whole seconds, or milliseconds below one, without zeros at its end: "1h".
func delayText(delay time.Duration) string {
	unit := time.Second
	if delay < unit {
		unit = time.Millisecond
	}
	text := delay.Round(unit).String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}
