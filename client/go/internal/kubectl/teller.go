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

// nameOne is how one of several workloads is asked for.
const nameOne = "kubectl mulligan why KIND/NAME"

// A teller makes a story of what was gathered.
type teller struct {
	// The command line, which tells the story. Empty: there is none, and the service's
	// answer is printed as it is.
	binary string
	// The service that decides. Nil: the command line does.
	service *service
	passed  []string
	// Of several workloads, those that are shown.
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
	if noBinary == nil {
		if err := o.chosen.validate(ctx, binary, o.streams.ErrOut); err != nil {
			return nil, err
		}
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
	if noBinary != nil && (o.output == "html" || len(o.passed) > 0 || len(o.chosen.flags()) > 0) {
		t.close()
		return nil, fmt.Errorf("-o html, --broken, --cause, --details and --pass: %w", noBinary)
	}
	c.noBinary = noBinary
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
	answer, err := t.ask(ctx, found.report)
	if err != nil {
		return err
	}
	return printAnswer(out, output, answer)
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

// printText prints the answer's own texts, named as the command line names them.
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
