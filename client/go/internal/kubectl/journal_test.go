package kubectl

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"mulligan.dev/mulligan/internal/testing/realserver"
)

// isPage says whether a request is for a page of a list.
func isPage(r *http.Request) bool { return r.URL.Query().Get("limit") != "" }

// saving is the command that is given again and again.
type saving struct {
	api  *apiServer
	file string
	// Pages that were asked for, of the last call.
	pages []string
	// Called for each of them.
	onPage func(r *http.Request) *metav1.Status
}

func newSaving(t *testing.T, objects ...*unstructured.Unstructured) *saving {
	t.Helper()
	s := &saving{api: newAPIServer(t, objects...), file: filepath.Join(t.TempDir(), "objects.json")}
	s.api.refuse = func(r *http.Request) *metav1.Status {
		if !isPage(r) {
			return nil
		}
		s.pages = append(s.pages, r.URL.Path+"?"+r.URL.Query().Get("continue"))
		if s.onPage == nil {
			return nil
		}
		return s.onPage(r)
	}
	return s
}

func (s *saving) call(t *testing.T, ctx context.Context, binary string, args ...string) (out, errOut string, err error) {
	t.Helper()
	s.pages = nil
	return plugin(t, ctx, s.api, append([]string{"report", "--save", s.file, "--mulligan=" + binary}, args...)...)
}

// saved is the file, which nobody else may read.
func (s *saving) saved(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(s.file)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(s.file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file has mode %v, %v", info.Mode(), err)
	}
	if _, err := os.Stat(s.partial()); !os.IsNotExist(err) {
		t.Errorf("what was gathered on the way is left behind: %v", err)
	}
	return string(text)
}

func (s *saving) partial() string { return s.file + ".partial" }

// interruptedAt ends the call that asks for the nth page, from 0.
func (s *saving) interruptedAt(t *testing.T, page int, binary string) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	s.onPage = func(*http.Request) *metav1.Status {
		if len(s.pages) > page {
			stop()
			return &apierrors.NewInternalError(ctx.Err()).ErrStatus
		}
		return nil
	}
	if _, _, err := s.call(t, ctx, binary, "-A"); err == nil {
		t.Fatalf("page %d: nothing was interrupted", page)
	}
	s.onPage = nil
}

func TestAReportGoesOnWhereItWasInterrupted(t *testing.T) {
	binary := realserver.Binary(t, "mulligan")
	work := append(batchWork(t), bigSet(t, 1200)...)
	whole := newSaving(t, work...)
	want, errOut, err := whole.call(t, context.Background(), binary, "-A", "-o", "json")
	if err != nil || errOut != "" {
		t.Fatalf("%v, %s", err, errOut)
	}
	all := whole.pages
	if len(all) < 6 {
		t.Fatalf("pages %v, want several of the pods", all)
	}
	for page := range all {
		s := newSaving(t, work...)
		s.interruptedAt(t, page, binary)
		if page%2 > 0 {
			tear(t, s.partial())
		}
		got, errOut, err := s.call(t, context.Background(), binary, "-A", "-o", "json")
		if err != nil || !strings.Contains(errOut, "goes on with "+s.partial()) {
			t.Fatalf("page %d: %v, %s", page, err, errOut)
		}
		if got != want || s.saved(t) != whole.saved(t) {
			t.Errorf("interrupted at page %d the report is another one:\n%s", page, got)
		}
		if !slices.Equal(s.pages, all[page:]) {
			t.Errorf("interrupted at page %d: asked for %v again, want %v", page, s.pages, all[page:])
		}
	}
}

// tear leaves what a kill in the midst of writing does.
func tear(t *testing.T, path string) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = file.WriteString(`{"Group":"","Version":"v1","Kind":"Pod","From":"`)
	}
	if err == nil {
		err = file.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Tokens do not last: the kind begins anew, with what there is now.
func TestExpiredPagesAreListedAnew(t *testing.T) {
	binary := recorder(t)
	work := append(batchWork(t), bigSet(t, 1200)...)
	for _, interrupted := range []bool{true, false} {
		s := newSaving(t, work...)
		// The fourth: the JobSets, the Jobs and the first pods are there.
		if interrupted {
			s.interruptedAt(t, 3, binary)
		}
		s.api.objects = slices.DeleteFunc(slices.Clone(work), func(o *unstructured.Unstructured) bool { return o.GetName() == "big-workers-0-7" })
		expired := false
		s.onPage = func(r *http.Request) *metav1.Status {
			if r.URL.Query().Get("continue") == "" || expired {
				return nil
			}
			expired = true
			return &apierrors.NewResourceExpired("The provided continue parameter is too old").ErrStatus
		}
		_, errOut, err := s.call(t, context.Background(), binary, "-A")
		if err != nil || !strings.Contains(errOut, "pages of Pod have expired: it was listed anew") {
			t.Fatalf("%v, %s", err, errOut)
		}
		fresh := newSaving(t, s.api.objects...)
		if _, _, err := fresh.call(t, context.Background(), binary, "-A"); err != nil {
			t.Fatal(err)
		}
		if s.saved(t) != fresh.saved(t) {
			t.Errorf("interrupted %v: what was listed anew is not what there is", interrupted)
		}
		for _, page := range s.pages {
			if interrupted && strings.Contains(page, "jobs") {
				t.Errorf("%s was there and is listed again", page)
			}
		}
	}
	s := newSaving(t, work...)
	s.onPage = func(r *http.Request) *metav1.Status {
		if r.URL.Query().Get("continue") == "" {
			return nil
		}
		return &apierrors.NewResourceExpired("too old").ErrStatus
	}
	if _, _, err := s.call(t, context.Background(), binary, "-A"); err == nil || !strings.Contains(err.Error(), "listing Pod: too old, 3 times") {
		t.Errorf("pages that never last: %v", err)
	}
}

// What was gathered elsewhere is not mixed in, and nothing of it is lost.
func TestAReportGoesOnWithItsOwnFileAlone(t *testing.T) {
	binary := recorder(t)
	s := newSaving(t, append(batchWork(t), bigSet(t, 600)...)...)
	s.interruptedAt(t, 3, binary)
	kept, err := os.ReadFile(s.partial())
	if err != nil {
		t.Fatal(err)
	}
	head, _, _ := strings.Cut(string(kept), "\n")
	other := newSaving(t, batchWork(t)...)
	other.file = s.file
	recreated := newSaving(t, append(batchWork(t), object(t, "{apiVersion: v1, kind: Namespace, metadata: {name: kube-system, uid: another}}"))...)
	// As the kept page of Jobs, with another Job in it.
	withJob := func(was, is string) string {
		text := strings.Replace(string(kept), was, is, 1)
		if text == string(kept) {
			t.Fatalf("no %s in what is kept", was)
		}
		return text
	}
	page := func(from string) string {
		return fmt.Sprintf(`{"Group":"","Version":"v1","Kind":"Pod","From":%q,"Next":"","Items":[]}`, from) + "\n"
	}
	for _, test := range []struct {
		name   string
		by     *saving
		text   string
		args   []string
		expect string
	}{
		{"another namespace", s, string(kept), []string{"-n", "ml"}, fmt.Sprintf("line 1: is of all namespaces of the cluster \"\" at %s (form 1), expected namespace ml of", s.api.URL)},
		{"another cluster", other, string(kept), []string{"-A"}, "expected all namespaces of the cluster \"\" at " + other.api.URL},
		{"a cluster of the same address", recreated, strings.Replace(string(kept), s.api.URL, recreated.api.URL, 1), []string{"-A"}, `expected all namespaces of the cluster "another"`},
		{"another form", s, strings.Replace(string(kept), `"mulliganJournal":1`, `"mulliganJournal":2`, 1), []string{"-A"}, "(form 2), expected"},
		{"something else", s, "items:\n", []string{"-A"}, "line 1: is no journal of a report"},
		{"a damaged page", s, head + "\n{\n", []string{"-A"}, "line 2: unexpected end of JSON input"},
		{"a name that is a number", s, withJob(`"name":"train"`, `"name":7`), []string{"-A"}, "Items[0]: json: cannot unmarshal number into Go struct field ObjectMeta.metadata.name of type string"},
		{"no name", s, withJob(`"name":"train",`, ``), []string{"-A"}, "Items[0]: has no metadata.name, expected that of a Job"},
		{"labels that are none", s, withJob(`"name":"train"`, `"name":"train","labels":[]`), []string{"-A"}, "of type map[string]string"},
		{"another kind", s, withJob(`"kind":"Job"`, `"kind":"Pod"`), []string{"-A"}, "Items[0]: is batch/v1, Kind=Pod, expected batch/v1, Kind=Job"},
		{"two at once", s, string(kept) + page("500") + page("500"), []string{"-A"}, "line 6: is a page of Pod that follows none"},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.by.file = s.file
			if test.by == recreated {
				test.by.file = filepath.Join(t.TempDir(), "objects.json")
			}
			if err := os.WriteFile(test.by.partial(), []byte(test.text), 0o600); err != nil {
				t.Fatal(err)
			}
			_, _, err := test.by.call(t, context.Background(), binary, test.args...)
			for _, want := range []string{"--save: " + test.by.partial(), test.expect, "; delete it, or name another file"} {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("got %v, want %s", err, want)
				}
			}
			if text, _ := os.ReadFile(test.by.partial()); string(text) != test.text || len(test.by.pages) > 0 {
				t.Errorf("what was gathered has changed, or something was listed: %v", test.by.pages)
			}
		})
	}
	// Flags that only tell may differ.
	if err := os.WriteFile(s.partial(), kept, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, errOut, err := s.call(t, context.Background(), binary, "-A", "-o", "csv", "--since", "7d"); err != nil || !strings.Contains(errOut, "goes on with") {
		t.Errorf("%v, %s", err, errOut)
	}
}

func TestNothingIsLeftOfAnEmptyNamespace(t *testing.T) {
	s := newSaving(t, batchWork(t)...)
	_, _, err := s.call(t, context.Background(), recorder(t), "-n", "empty")
	if err == nil || !strings.Contains(err.Error(), "there is no batch work in namespace empty") {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(s.partial()); !os.IsNotExist(err) {
		t.Errorf("a journal is left behind: %v", err)
	}
}

func TestAJournalIsARegularFileOfLinesThatFit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.partial")
	for name, c := range map[string]struct {
		make func() error
		want string
	}{
		"a device": {func() error { return os.Symlink("/dev/zero", path) }, "expected a regular file"},
		"a FIFO":   {func() error { return syscall.Mkfifo(path, 0o600) }, "expected a regular file"},
		"a line without an end": {func() error {
			if err := os.WriteFile(path, nil, 0o600); err != nil {
				return err
			}
			return os.Truncate(path, maxTableBytes+2<<20)
		}, "line 1: has more than 256 MiB"},
	} {
		t.Run(name, func(t *testing.T) {
			os.Remove(path)
			if err := c.make(); err != nil {
				t.Fatal(err)
			}
			if _, err := openJournal(path, journalHead{Journal: journalForm}); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, expected %q", err, c.want)
			}
		})
	}
}
