// Package trial reads decision logs and lists, by workload, what mulligan-controller
// would have changed while it only observed, and what it changed where it acted.
package trial

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/json"

	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
	"mulligan.dev/mulligan/internal/controller/kinds"
	"mulligan.dev/mulligan/internal/controller/records"
	"mulligan.dev/mulligan/internal/reportkinds"
	"mulligan.dev/mulligan/internal/words"
)

// Verdict compares what happened to a workload with what Mulligan decided.
type Verdict int

// The verdicts, in the order of the list.
const (
	// Saved: its operator gave it up, and Mulligan would have retried it, with changes or
	// after a transient failure.
	Saved Verdict = iota
	// Stopped: Mulligan would have stopped it while it ran, and it is not known to have
	// succeeded.
	Stopped
	// Lost: Mulligan would have stopped it, and it succeeded.
	Lost
	// Spent: its operator gave it up, and Mulligan would have retried it unchanged after a
	// failure that recurs.
	Spent
	// Waiting: it would have waited, or nothing more is known.
	Waiting
	// Agreed: given up by both.
	Agreed
	// Rescued: it was retried and succeeded.
	Rescued
	// Retried: it was retried, and is not known to have succeeded.
	Retried
	// GivenUp: it was given up.
	GivenUp
)

// Workload is a workload with all its attempts.
type Workload struct {
	Kind, Namespace, Name string
	Verdict               Verdict
	Cause, Outlook        string
	// Acted says whether the controller acted on it.
	Acted bool
	// Problem is the latest problem.
	Problem string

	action            mulliganv1.Decision_Action
	changes, running  bool
	completed, failed bool
	retries           int
}

// Result of reading logs.
type Result struct {
	Lines, BadLines, Records int
	Workloads                []*Workload
	all                      []*Workload
	byUID, latest            map[string]*Workload
}

// A line contains a whole report.
const maxLine = 64 << 20

// Read adds the lines of a log. It only counts lines that are not decision records.
func (r *Result) Read(log io.Reader) error {
	lines := bufio.NewReaderSize(log, 1<<20)
	for {
		line, err := readLine(lines)
		if text := bytes.TrimSpace(line); len(text) > 0 {
			r.Lines++
			record := &mulliganv1.DecisionRecord{}
			if (protojson.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(text, record) != nil {
				r.BadLines++
			} else {
				if record.GetRequest() != nil || record.GetResponse() != nil {
					r.Records++
				}
				r.add(record)
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// readLine returns "too long", which is no record, for a line above maxLine.
func readLine(from *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := from.ReadSlice('\n')
		if len(line) <= maxLine {
			line = append(line, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if len(line) > maxLine {
			line = []byte("too long")
		}
		return line, err
	}
}

func (r *Result) add(record *mulliganv1.DecisionRecord) {
	obj, phase := workloadOf(record.GetRequest().GetReport())
	diagnosis, decision := record.GetResponse().GetDiagnosis(), record.GetResponse().GetDecision()
	if obj == nil {
		return
	}
	w := r.named(obj)
	// Work that its operator retries is stopped by a verdict other than IGNORE and WAIT.
	braked := diagnosis.GetSituation() == mulliganv1.Diagnosis_ALIVE &&
		decision.GetAction() != mulliganv1.Decision_IGNORE && decision.GetAction() != mulliganv1.Decision_WAIT
	switch {
	case diagnosis.GetSituation() == mulliganv1.Diagnosis_FINISHED:
		w.completed = w.completed || phase == kinds.Succeeded
	case diagnosis.GetSituation() == mulliganv1.Diagnosis_BROKEN, braked:
		w.action = decision.GetAction()
		// An observing controller also asks for the operator's own verdict.
		w.Acted = !record.GetRequest().GetCompareNative()
		w.Cause, w.Outlook = diagnosis.GetCause().String(), diagnosis.GetOutlook().String()
		w.Problem = cmp.Or(diagnosis.GetProblem(), diagnosis.GetSummary(), decision.GetSentence())
		w.changes = len(decision.GetResources()) > 0
		w.running, w.failed = phase == kinds.Active, w.failed || phase == kinds.Failed
		if w.action == mulliganv1.Decision_RETRY {
			w.retries++
		}
	}
}

// named returns the workload that an object is an attempt of. A retry names its first
// attempt; if several objects had that name, it is the latest.
func (r *Result) named(obj *unstructured.Unstructured) *Workload {
	if r.byUID == nil {
		r.byUID, r.latest = map[string]*Workload{}, map[string]*Workload{}
	}
	of := func(name string) string { return obj.GetKind() + "/" + obj.GetNamespace() + "/" + name }
	key := of(obj.GetName()) + "/" + string(obj.GetUID())
	if r.byUID[key] == nil {
		w := r.latest[of(obj.GetLabels()[records.Origin])]
		if w == nil {
			w = &Workload{Kind: obj.GetKind(), Namespace: obj.GetNamespace(), Name: obj.GetName()}
			r.all = append(r.all, w)
			r.latest[of(obj.GetName())] = w
		}
		r.byUID[key] = w
	}
	return r.byUID[key]
}

// workloadOf returns the report's workload; nil if the controller does not handle its
// kind.
func workloadOf(report *mulliganv1.FailureReport) (*unstructured.Unstructured, kinds.Phase) {
	message := report.ProtoReflect()
	for _, kind := range slices.Backward(kinds.All) {
		gvk := kind.GroupVersionKind()
		field := message.Descriptor().Fields().ByName(reportkinds.Find(gvk.GroupKind()).Field)
		if field == nil || !message.Has(field) {
			continue
		}
		value := message.Get(field)
		var of proto.Message
		if field.IsList() {
			of = value.List().Get(0).Message().Interface()
		} else {
			of = value.Message().Interface()
		}
		text, err := protojson.Marshal(of)
		obj := &unstructured.Unstructured{}
		if err != nil || json.Unmarshal(text, &obj.Object) != nil {
			continue
		}
		// Typed messages may lack it.
		obj.SetGroupVersionKind(gvk)
		return obj, kind.Outcome(obj).Phase
	}
	return nil, 0
}

// Verdicts returns the workloads that failed, each with its verdict, sorted by it.
func (r *Result) Verdicts() []*Workload {
	r.Workloads = nil
	for _, w := range r.all {
		if w.Cause == "" {
			continue
		}
		w.Verdict = w.verdict()
		r.Workloads = append(r.Workloads, w)
	}
	slices.SortFunc(r.Workloads, func(a, b *Workload) int {
		return cmp.Or(cmp.Compare(a.Verdict, b.Verdict), cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name))
	})
	return r.Workloads
}

func (w *Workload) verdict() Verdict {
	stops := w.action == mulliganv1.Decision_FAIL || w.action == mulliganv1.Decision_WAIT_FOR_SPEC_UPDATE
	lasting := w.Outlook == mulliganv1.Diagnosis_CANNOT_RECOVER.String() && !w.changes
	switch {
	case w.Acted && stops:
		return GivenUp
	case w.Acted && w.completed && w.retries > 0:
		return Rescued
	case w.Acted && w.retries > 0:
		return Retried
	case stops && w.completed:
		return Lost
	case stops && w.running:
		return Stopped
	case stops:
		return Agreed
	case w.action == mulliganv1.Decision_RETRY && w.failed && lasting:
		return Spent
	case w.action == mulliganv1.Decision_RETRY && w.failed:
		return Saved
	}
	return Waiting
}

const (
	maxProblem = 200 // bytes of a problem
	maxNamed   = 50  // workloads named for a verdict
)

// Print writes the result for people.
func (r *Result) Print(out io.Writer) {
	workloads := r.Verdicts()
	fmt.Fprintf(out, "%d workloads failed, by %d lines", len(workloads), r.Lines)
	if r.BadLines > 0 {
		fmt.Fprintf(out, ", %d of which could not be read", r.BadLines)
	}
	fmt.Fprintln(out)
	for verdict, title := range titles {
		of := slices.DeleteFunc(slices.Clone(workloads), func(w *Workload) bool { return w.Verdict != Verdict(verdict) })
		if len(of) == 0 {
			continue
		}
		fmt.Fprintf(out, "\n%d %s\n", len(of), title)
		for i, w := range of {
			if i == maxNamed {
				fmt.Fprintf(out, "  and %d more\n", len(of)-i)
				break
			}
			fmt.Fprintf(out, "  %s %s/%s: %s: %s\n", w.Kind, w.Namespace, w.Name, w.Cause, words.Line(w.Problem, maxProblem))
		}
	}
}

var titles = []string{
	Saved:   "would have been saved: given up by their operator, started again by Mulligan",
	Stopped: "would have been stopped sooner: they kept running, and are not known to have succeeded",
	Lost:    "would have been lost: given up by Mulligan, and they succeeded",
	Spent:   "would have been tried again for a failure that recurs until something is changed",
	Waiting: "would have waited",
	Agreed:  "given up by their operator and by Mulligan",
	Rescued: "were started again and succeeded",
	Retried: "were started again, and are not known to have succeeded",
	GivenUp: "were given up",
}
