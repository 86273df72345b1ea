package kubectl

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
	"mulligan.dev/mulligan/internal/testing/realserver"
)

const donePodText = `
apiVersion: v1
kind: Pod
metadata: {name: done, namespace: ml, uid: pod-3, creationTimestamp: "2026-11-03T09:00:00Z"}
spec: {nodeName: node-a, restartPolicy: Never, containers: [{name: main, image: "train:1"}]}
status:
  phase: Succeeded
  containerStatuses:
  - name: main
    state: {terminated: {exitCode: 0, reason: Completed, startedAt: "2026-11-03T09:00:05Z", finishedAt: "2026-11-03T09:07:00Z"}}
`

// What the short form tells of several workloads is what the command line tells.
func TestATableIsThatOfTheCommandLine(t *testing.T) {
	server := realserver.Start(t)
	binary := realserver.Binary(t, "mulligan")
	several := slices.Concat(batchWork(t), bigSet(t, 3), []*unstructured.Unstructured{object(t, imagePodText), object(t, donePodText)})
	api := newAPIServer(t, several...)
	tell := func(args ...string) string {
		nowhere(t)
		out, errOut, err := plugin(t, context.Background(), api, append([]string{"why", "-A", "--mulligan-server=" + server.Address}, args...)...)
		if err != nil || errOut != "" {
			t.Fatalf("%v: %v, %s", args, err, errOut)
		}
		out, _, _ = strings.Cut(out, "One of them in full: ")
		return out
	}
	for _, test := range []struct {
		flags    []string
		has, not []string
	}{
		{nil, []string{"4 workloads, 3 broken: 2 CONTAINER_OOM, 1 IMAGE_INVALID", "Job ml/train", "Pod ml/done"}, nil},
		{[]string{"--broken"}, []string{"4 workloads, 3 broken", "Pod ml/typo"}, []string{"Pod ml/done"}},
		{[]string{"--cause=CONTAINER_OOM"}, []string{"4 workloads, 3 broken", "Job ml/train", "JobSet ml/big"}, []string{"Pod ml/done", "Pod ml/typo"}},
		{[]string{"--cause=SUCCEEDED", "--cause=CONTAINER_OOM"}, []string{"Pod ml/done", "Job ml/train", "JobSet ml/big"}, []string{"Pod ml/typo"}},
		{[]string{"--broken", "--cause=SUCCEEDED"}, []string{"4 workloads, 3 broken", "None of them is as asked for."}, []string{"WORKLOAD"}},
		{[]string{"--broken", "-o", "json"}, []string{`"workload":"Pod ml/typo"`}, []string{"Pod ml/done"}},
		{[]string{"--cause=SUCCEEDED", "-o", "yaml"}, []string{"workload: Pod ml/done"}, []string{"Pod ml/typo"}},
		{[]string{"--cause=GPU_FAULT", "-o", "json"}, []string{"[\n]\n"}, nil},
	} {
		short, whole := tell(test.flags...), tell(append(test.flags, "--mulligan="+binary)...)
		if slices.ContainsFunc(test.flags, func(flag string) bool { return flag == "-o" }) {
			if a, b := workloadsIn(t, short), workloadsIn(t, whole); !slices.Equal(a, b) {
				t.Errorf("%v: in short %v, by the command line %v", test.flags, a, b)
			}
		} else if short != whole {
			t.Errorf("%v: in short\n%s\nby the command line\n%s", test.flags, short, whole)
		}
		for _, has := range test.has {
			if !strings.Contains(short, has) {
				t.Errorf("%v: no %q in\n%s", test.flags, has, short)
			}
		}
		for _, not := range test.not {
			if strings.Contains(short, not) {
				t.Errorf("%v: %q in\n%s", test.flags, not, short)
			}
		}
	}
}

// workloadsIn are the names and causes of a list.
func workloadsIn(t *testing.T, text string) []string {
	t.Helper()
	var list []struct {
		Workload string
		Response struct{ Diagnosis struct{ Cause string } }
	}
	if err := yaml.Unmarshal([]byte(text), &list); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	var found []string
	for _, one := range list {
		found = append(found, one.Workload+" "+one.Response.Diagnosis.Cause)
	}
	return found
}

// One workload is an answer, not a list of one, unless it is left out.
func TestOneWorkloadInAnyForm(t *testing.T) {
	server := realserver.Start(t)
	binary := realserver.Binary(t, "mulligan")
	api := newAPIServer(t, batchWork(t)...)
	for _, test := range []struct {
		args []string
		want string
		list bool
	}{
		{[]string{"-o", "json"}, `"CONTAINER_OOM"`, false},
		{[]string{"job/train", "--broken", "-o", "json"}, `"CONTAINER_OOM"`, false},
		{[]string{"-o", "json", "--cause=APP_ERROR"}, "[\n]\n", true},
		{[]string{"job/train", "-o", "json", "--cause=APP_ERROR"}, "[\n]\n", true},
		{[]string{"job/train", "--cause=APP_ERROR"}, "1 workload, 1 broken: 1 CONTAINER_OOM\n\nNone of them is as asked for.\n", false},
	} {
		for _, by := range []string{"", "--mulligan=" + binary} {
			nowhere(t)
			args := append([]string{"why", "--mulligan-server=" + server.Address}, test.args...)
			if by != "" {
				args = append(args, by)
			}
			out, _, err := plugin(t, context.Background(), api, args...)
			if err != nil || !strings.Contains(out, test.want) || strings.HasPrefix(out, "[") != test.list {
				t.Errorf("%v: %v, want %q in\n%s", args, err, test.want, out)
			}
		}
	}
}

func TestWhatIsChosenIsPassedToTheBinary(t *testing.T) {
	api := newAPIServer(t, batchWork(t)...)
	out, _, err := plugin(t, context.Background(), api, "why", "-A", "--mulligan="+recorder(t), "--broken", "--cause=CONTAINER_OOM", "--pass=--explain=full")
	if err != nil || !strings.HasPrefix(out, "explain - -o text --cause=CONTAINER_OOM --broken --explain=full\n") {
		t.Errorf("%v, %s", err, out)
	}
}

func TestACauseThatIsNoneIsSaidBeforeAnythingIsListed(t *testing.T) {
	binary := realserver.Binary(t, "mulligan")
	for value, near := range map[string]string{"CONTAINR_OOM": "; CONTAINER_OOM is near", "container-oom": "; CONTAINER_OOM is near", "A": "", "": "", "CAUSE_UNSPECIFIED": "", "x\x1b[31m": ""} {
		api := newAPIServer(t, batchWork(t)...)
		_, _, err := plugin(t, context.Background(), api, "why", "-A", "--mulligan="+recorder(t), "--cause="+value)
		want := `--cause: "` + clean(value) + `" is no cause, expected a name of docs/causes.md` + near
		if err == nil || err.Error() != want || ExitCode(err) != 2 || len(api.requests) > 0 {
			t.Errorf("%q: %v (exit code %d, %d requests), want %s", value, err, ExitCode(err), len(api.requests), want)
		}
		// The command line says the same, and where its help is.
		_, said, err := plugin(t, context.Background(), api, "--mulligan="+binary, "explain", "--cause", value, "-")
		if err == nil || value != "" && !strings.Contains(said, want) || ExitCode(err) != 2 {
			t.Errorf("%q: the command line says %s (exit code %d), want %s", value, said, ExitCode(err), want)
		}
	}
}

func TestAWorkloadWithoutAnAnswerIsListedFirst(t *testing.T) {
	refused := answered{workload: "Job ml/a", err: status.Error(codes.ResourceExhausted, "too much <at once>")}
	held := answered{workload: "Job ml/b", answer: &mulliganv1.DecideResponse{Diagnosis: &mulliganv1.Diagnosis{Situation: mulliganv1.Diagnosis_HELD, Cause: mulliganv1.Cause_SUSPENDED}, Decision: &mulliganv1.Decision{Action: mulliganv1.Decision_WAIT}}}
	for flags, want := range map[*choice]string{
		{}:                              "2 workloads, 1 broken: 1 without an answer\n\nWORKLOAD  VERDICT    CAUSE      WHY\nJob ml/a  no answer             too much <at once>\nJob ml/b  WAIT       SUSPENDED  ",
		{broken: true}:                  "1 without an answer\n\nWORKLOAD  VERDICT    CAUSE  WHY\nJob ml/a  no answer         too much <at once>\n\nOne of them",
		{causes: []string{"SUSPENDED"}}: "1 without an answer\n\nWORKLOAD  VERDICT  CAUSE      WHY\nJob ml/b  WAIT     SUSPENDED",
	} {
		var out strings.Builder
		if err := printAll(&out, "text", []answered{held, refused}, *flags); err != nil || !strings.Contains(out.String(), want) {
			t.Errorf("%+v: %v, want %q in\n%q", flags, err, want, out.String())
		}
	}
	var out strings.Builder
	if err := printAll(&out, "json", []answered{held, refused}, choice{broken: true}); err != nil || out.String() != "[\n"+`{"workload":"Job ml/a","error":{"code":"RESOURCE_EXHAUSTED","message":"too much <at once>"}}`+"\n]\n" {
		t.Errorf("%v, %s", err, out.String())
	}
	var list []json.RawMessage
	out.Reset()
	if err := errors.Join(printAll(&out, "json", []answered{held, refused}, choice{}), json.Unmarshal([]byte(out.String()), &list)); err != nil || len(list) != 2 {
		t.Errorf("%v, %s", err, out.String())
	}
}

func TestWhatIsTriedAgainInVainIsBroken(t *testing.T) {
	alive := func(action mulliganv1.Decision_Action) answered {
		return answered{workload: action.String(), answer: &mulliganv1.DecideResponse{
			Diagnosis: &mulliganv1.Diagnosis{Situation: mulliganv1.Diagnosis_ALIVE, Cause: mulliganv1.Cause_CONTAINER_OOM},
			Decision:  &mulliganv1.Decision{Action: action},
		}}
	}
	all := []answered{alive(mulliganv1.Decision_WAIT), alive(mulliganv1.Decision_IGNORE), alive(mulliganv1.Decision_RETRY), alive(mulliganv1.Decision_FAIL)}
	var out strings.Builder
	if err := printAll(&out, "text", all, choice{}); err != nil {
		t.Fatal(err)
	}
	if said := out.String(); !strings.HasPrefix(said, "4 workloads, 2 broken: 2 CONTAINER_OOM") ||
		!(strings.Index(said, "\nFAIL") < strings.Index(said, "\nRETRY") && strings.Index(said, "\nRETRY") < strings.Index(said, "\nIGNORE")) {
		t.Errorf("said\n%s", said)
	}
}

func TestVerdictsInFewWords(t *testing.T) {
	const pod = mulliganv1.Decision_POD
	for want, decision := range map[string]*mulliganv1.Decision{
		"RETRY the pod in 9s":              {Action: mulliganv1.Decision_RETRY, Scope: pod, RetryAfter: durationpb.New(9400 * time.Millisecond)},
		"RETRY the pod in 250ms":           {Action: mulliganv1.Decision_RETRY, Scope: pod, RetryAfter: durationpb.New(250 * time.Millisecond)},
		"RETRY at once, for the last time": {Action: mulliganv1.Decision_RETRY, LastAttempt: true},
		"FAIL the JobSet":                  {Action: mulliganv1.Decision_FAIL, Scope: mulliganv1.Decision_JOB_SET},
		"WAIT FOR SPEC UPDATE":             {Action: mulliganv1.Decision_WAIT_FOR_SPEC_UPDATE, Scope: pod},
		"WAIT, ask again in 1h":            {Action: mulliganv1.Decision_WAIT, RetryAfter: durationpb.New(time.Hour)},
		"WAIT, ask again in 1m30s":         {Action: mulliganv1.Decision_WAIT, RetryAfter: durationpb.New(90 * time.Second)},
		"WAIT, ask again in 10m":           {Action: mulliganv1.Decision_WAIT, RetryAfter: durationpb.New(10 * time.Minute)},
		"WAIT":                             {Action: mulliganv1.Decision_WAIT},
		"nothing to do":                    {Action: mulliganv1.Decision_IGNORE},
	} {
		if got := verdictOf(decision); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
