package kubectl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"google.golang.org/protobuf/encoding/protojson"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"mulligan.dev/mulligan"
	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
)

// A teller makes a story of what was gathered.
type teller struct {
	// The command line, which tells the whole story. Empty: there is none.
	binary string
	// The service that decides. Nil: the command line does.
	service *service
	passed  []string
	// Of several workloads, those that are told of.
	chosen choice
	errOut io.Writer
}

// How long a service that nobody named may take to say that it serves.
const patience = 3 * time.Second

// teller finds out who decides, see whyLong.
func (o *whyOptions) teller(ctx context.Context, c *cluster) (*teller, error) {
	binary, noBinary := o.binary.find()
	if noBinary != nil && o.binary.path != "" {
		return nil, noBinary
	}
	t := &teller{binary: binary, passed: o.passed, chosen: o.chosen, errOut: o.streams.ErrOut}
	var err error
	t.service, err = o.service.connect(ctx, c)
	var away *awayError
	if err != nil && !errors.As(err, &away) && !o.service.isNamed() && noBinary == nil {
		fmt.Fprintf(o.streams.ErrOut, "note: %v; decided here, by the policy in %s\n", err, binary)
		err = nil
	}
	if err != nil {
		return nil, err
	}
	if t.service == nil && noBinary != nil {
		return nil, fmt.Errorf("nobody to decide: no service was found, and %w", noBinary)
	}
	if noBinary != nil && (o.output == "html" || len(o.passed) > 0) {
		t.close()
		return nil, fmt.Errorf("-o html and --pass: %w", noBinary)
	}
	return t, nil
}

func (t *teller) close() {
	if t.service != nil {
		t.service.close()
	}
}

func (t *teller) tell(ctx context.Context, found *gathered, output string, out io.Writer) error {
	if t.binary != "" {
		return t.tellWithBinary(ctx, found, output, out)
	}
	all, err := t.askAll(ctx, found)
	if err != nil {
		return err
	}
	if found.report != nil && t.chosen.has(all[0]) {
		return printAnswer(out, output, all[0].answer)
	}
	return printAll(out, output, all, t.chosen)
}

// askAll asks about what was gathered. Of several workloads one without an answer is no
// error.
func (t *teller) askAll(ctx context.Context, found *gathered) ([]answered, error) {
	if found.report != nil {
		answer, err := t.ask(ctx, found.report)
		return []answered{{answer: answer}}, err
	}
	var all []answered
	for _, workload := range found.table.workloads {
		report, err := found.reportOf(ctx, workload)
		if apierrors.IsNotFound(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		answer, err := t.ask(ctx, report)
		if err != nil && (ctx.Err() != nil || len(found.table.workloads) == 1) {
			return nil, err
		}
		all = append(all, answered{nameOf(workload), answer, err})
	}
	return all, nil
}

// nameOf is "Job ml/train".
func nameOf(workload client.Object) string {
	return fmt.Sprintf("%s %s/%s", workload.GetObjectKind().GroupVersionKind().Kind, workload.GetNamespace(), workload.GetName())
}

func (t *teller) tellWithBinary(ctx context.Context, found *gathered, output string, out io.Writer) error {
	var input io.Reader
	var err error
	// What comes in a list may be of several workloads; what comes one after
	// another belongs together.
	if found.report == nil {
		input = found.table.list()
	} else if input, err = documents(found.objects, found.report); err != nil {
		return err
	}
	args := []string{"explain", "-", "-o", output}
	if t.service != nil {
		args = append([]string{"decide", "-", "-o", output, "--preview"}, t.service.flags()...)
	}
	asked := command(ctx, t.binary, slices.Concat(args, t.chosen.flags(), t.passed), input, out, t.errOut)
	// A binary that does not know it says how it names them itself.
	asked.Env = append(os.Environ(), "MULLIGAN_NAME_ONE="+nameOne)
	return asked.Run()
}

func (t *teller) ask(ctx context.Context, report *mulligan.Report) (*mulliganv1.DecideResponse, error) {
	ledger, err := mulligan.LedgerFrom(report.Workload())
	if err != nil {
		return nil, err
	}
	request, err := report.Request(ledger)
	if err != nil {
		return nil, err
	}
	request.Purpose, request.CompareNative = mulliganv1.DecideRequest_PREVIEW, true
	answer, err := t.service.client.Decide(ctx, request)
	if err != nil {
		return nil, err
	}
	dropNativeWarnings(answer)
	return answer, nil
}

// dropNativeWarnings takes out that there is no verdict of the workload's own operator: it
// was asked for without need, so that this is no news.
func dropNativeWarnings(answer *mulliganv1.DecideResponse) {
	answer.Warnings = slices.DeleteFunc(answer.Warnings, func(warning string) bool {
		return strings.HasPrefix(warning, "no native verdict: ")
	})
}

func printAnswer(out io.Writer, output string, answer *mulliganv1.DecideResponse) error {
	if output == "text" {
		printText(out, answer)
		return nil
	}
	text, err := protojson.MarshalOptions{Multiline: true, Indent: " "}.Marshal(answer)
	if err != nil {
		return err
	}
	if output == "yaml" {
		if text, err = yaml.JSONToYAML(text); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(out, "%s\n", bytes.TrimRight(text, "\n"))
	return err
}

// printText is the short form, in the words of the command line.
func printText(out io.Writer, answer *mulliganv1.DecideResponse) {
	row := func(name, format string, values ...any) {
		fmt.Fprintf(out, "  %-10s %s\n", name, fmt.Sprintf(format, values...))
	}
	diagnosis, accounting := answer.GetDiagnosis(), answer.GetAccounting()
	fmt.Fprintf(out, "%s\n\n", clean(mulligan.Problem(answer)))
	if step := diagnosis.GetFirstStep(); step.GetText() != "" {
		row("Do first", "%s", clean(step.GetText()))
	}
	row("Mulligan", "%s", clean(answer.GetDecision().GetSentence()))
	row("Cause", "%s (%s), confidence %s", diagnosis.GetCause(), diagnosis.GetFaultDomain(), diagnosis.GetConfidence())
	if accounting.GetChargedTo() != "" {
		row("Price", "%d from budget %s", accounting.GetUnits(), accounting.GetChargedTo())
	}
	if ladder := mulligan.Ladder(answer.GetDecision()); ladder != "" {
		row("Ladder", "%s", ladder)
	}
	for _, budget := range accounting.GetBudgets() {
		if budget.GetUsed() > 0 {
			row("Budget", "%s: %d of %d used", budget.GetName(), budget.GetUsed(), budget.GetLimit())
		}
	}
	if native := answer.GetNative(); native != nil {
		row("Operator", "%s: %s; %s", native.GetOperator(), native.GetVerdict(), clean(native.GetReason()))
	}
	row("Rule", "%s/%s", answer.GetPolicy().GetName(), answer.GetExplanation().GetMatchedRule().GetRule())
	for _, evidence := range append(diagnosis.GetEvidence(), quoted(diagnosis)...) {
		row("Evidence", "%s: %s (%s)", clean(evidence.GetMeaning()), clean(evidence.GetValue()), evidence.GetPath())
	}
	for _, warning := range answer.GetWarnings() {
		row("Warning", "%s", clean(warning))
	}
}

// quoted is the line that the problem tells and none of the evidence has.
func quoted(diagnosis *mulliganv1.Diagnosis) []*mulliganv1.Evidence {
	if line := diagnosis.GetProblemEvidence(); line != nil {
		return []*mulliganv1.Evidence{line}
	}
	return nil
}
