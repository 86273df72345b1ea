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
	"sigs.k8s.io/yaml"

	"mulligan.dev/mulligan"
	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
)

// nameOne asks about one of several workloads.
const nameOne = "kubectl mulligan why KIND/NAME"

// An explainer explains what was gathered.
type explainer struct {
	// The mulligan binary, which writes the explanation. Empty if there is none; then the
	// service's answer is printed as it is.
	binary string
	// The service that decides; nil if the binary does.
	service *service
	passed  []string
	// Which of several workloads are shown.
	chosen choice
	errOut io.Writer
}

// How long a service may take to answer its health check.
const patience = 3 * time.Second

// explainer chooses who decides, see whyLong.
func (o *whyOptions) explainer(ctx context.Context, c *cluster) (*explainer, error) {
	binary, noBinary := o.binary.find()
	if noBinary != nil && o.binary.path != "" {
		return nil, noBinary
	}
	if noBinary == nil {
		if err := o.chosen.validate(ctx, binary, o.streams.ErrOut); err != nil {
			return nil, err
		}
	}
	e := &explainer{binary: binary, passed: o.passed, chosen: o.chosen, errOut: o.streams.ErrOut}
	var err error
	e.service, err = o.service.connect(ctx, c)
	var away *awayError
	if err != nil && !errors.As(err, &away) && !o.service.isNamed() && noBinary == nil {
		fmt.Fprintf(o.streams.ErrOut, "note: %v; decided here, by the policy in %s\n", err, binary)
		err = nil
	}
	if err != nil {
		return nil, err
	}
	if e.service == nil && noBinary != nil {
		return nil, fmt.Errorf("nothing can decide: no service was found, and %w", noBinary)
	}
	if noBinary != nil && (o.output == "html" || len(o.passed) > 0 || len(o.chosen.flags()) > 0) {
		e.close()
		return nil, fmt.Errorf("-o html, --broken, --cause, --details and --pass: %w", noBinary)
	}
	c.noBinary = noBinary
	return e, nil
}

func (e *explainer) close() {
	if e.service != nil {
		e.service.close()
	}
}

func (e *explainer) explain(ctx context.Context, found *gathered, output string, out io.Writer) error {
	if e.binary != "" {
		return e.explainWithBinary(ctx, found, output, out)
	}
	answer, err := e.ask(ctx, found.report)
	if err != nil {
		return err
	}
	return printAnswer(out, output, answer)
}

func (e *explainer) explainWithBinary(ctx context.Context, found *gathered, output string, out io.Writer) error {
	var input io.Reader
	var err error
	// The binary takes objects in a list for several workloads, and separate documents
	// for one.
	if found.report == nil {
		input = found.table.list()
	} else if input, err = documents(found.objects, found.report); err != nil {
		return err
	}
	args := []string{"explain", "-", "-o", output}
	if e.service != nil {
		args = append([]string{"decide", "-", "-o", output, "--preview"}, e.service.flags()...)
	}
	asked := command(ctx, e.binary, slices.Concat(args, e.chosen.flags(), e.passed), input, out, e.errOut)
	// An older binary ignores it and names its own command.
	asked.Env = append(os.Environ(), "MULLIGAN_NAME_ONE="+nameOne)
	return asked.Run()
}

func (e *explainer) ask(ctx context.Context, report *mulligan.Report) (*mulliganv1.DecideResponse, error) {
	ledger, err := mulligan.LedgerFrom(report.Workload())
	if err != nil {
		return nil, err
	}
	request, err := report.Request(ledger)
	if err != nil {
		return nil, err
	}
	request.Purpose, request.CompareNative = mulliganv1.DecideRequest_PREVIEW, true
	answer, err := e.service.client.Decide(ctx, request)
	if err != nil {
		return nil, err
	}
	dropNativeWarnings(answer)
	return answer, nil
}

// dropNativeWarnings removes warnings about a missing verdict of the workload's own
// operator, because the user did not ask for one.
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

// printText prints the answer's texts, under the names that the binary uses.
func printText(out io.Writer, answer *mulliganv1.DecideResponse) {
	row := func(name, text string) {
		if text != "" {
			fmt.Fprintf(out, "  %-10s %s\n", name, clean(text))
		}
	}
	diagnosis := answer.GetDiagnosis()
	fmt.Fprintf(out, "%s\n\n", clean(mulligan.Problem(answer)))
	row("Do first", diagnosis.GetFirstStep().GetText())
	row("Mulligan", answer.GetDecision().GetSentence())
	row("Cause", fmt.Sprintf("%s (%s), confidence %s", diagnosis.GetCause(), diagnosis.GetFaultDomain(), diagnosis.GetConfidence()))
	for _, warning := range answer.GetWarnings() {
		row("Warning", warning)
	}
}
