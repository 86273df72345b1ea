package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const operator = `package main

import "fmt"

type reconciler struct{ failed int }

func main() {
	r := &reconciler{failed: 1}
	fmt.Println(r.reconcile("work"))
}

// reconcile decides.
func (r *reconciler) reconcile(name string) (string, error) {
	switch {
	case r.failed > 0:
		// The limit of the spec.
		if again := r.checkLimit(name); again {
			return "again", nil
		}
	}
	r.failed = 0
	return "over", nil
}

func (r *reconciler) checkLimit(string) bool { return false }
`

const reconcile = "func (r *reconciler) reconcile(name string) (string, error)"

func TestInsert(t *testing.T) {
	ask := "\n\tif verdict := ask(name); verdict != \"\" {\n\t\treturn verdict, nil\n\t}\n"
	for _, test := range []struct {
		name     string
		function string
		at       Place
		text     string
		want     string
	}{
		{"first in the function", reconcile, Place{}, ask, `
func (r *reconciler) reconcile(name string) (string, error) {
	if verdict := ask(name); verdict != "" {
		return verdict, nil
	}
	switch {
`},
		{"before the statement with a call, and its comment", reconcile, Place{Call: "r.checkLimit"}, ask, `
	case r.failed > 0:
		if verdict := ask(name); verdict != "" {
			return verdict, nil
		}
		// The limit of the spec.
		if again := r.checkLimit(name); again {
`},
		{"around a statement", reconcile, Place{Statement: "r.failed = 0"}, "\n\tif asked {\n\t\t…\n\t}\n", `
	if asked {
		r.failed = 0
	}
	return "over", nil
`},
	} {
		t.Run(test.name, func(t *testing.T) {
			made, err := Insertion{File: "main.go", Function: test.function, At: test.at, Text: test.text}.Insert([]byte(operator))
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(made), strings.TrimPrefix(test.want, "\n")) {
				t.Errorf("the function is now\n%s\nwant in it\n%s", made, test.want)
			}
		})
	}
}

func TestReportsChangesOfRelease(t *testing.T) {
	for _, test := range []struct {
		name     string
		file     string
		function string
		at       Place
		want     []string
	}{
		{"another result", "main.go", "func (r *reconciler) reconcile(name string) error", Place{},
			[]string{"was expected as", "it is now", "main.go: func (r *reconciler) reconcile(name string) (string, error)"}},
		{"another parameter", "main.go", "func (r *reconciler) reconcile(uid string) (string, error)", Place{},
			[]string{"it is now", "reconcile(name string) (string, error)"}},
		{"no method any more", "main.go", "func reconcile(name string) (string, error)", Place{},
			[]string{"it is now", "main.go: func (r *reconciler) reconcile(name string) (string, error)"}},
		{"another file", "pkg/policy.go", reconcile, Place{},
			[]string{"pkg/policy.go: " + reconcile, "it is now", "main.go: " + reconcile}},
		{"gone", "main.go", "func (r *reconciler) decide(name string) (string, error)", Place{},
			[]string{"func decide was expected", "no function of that name is left"}},
		{"the call is gone", "main.go", reconcile, Place{Call: "r.checkBackoffLimit"},
			[]string{"main.go: func reconcile: it has a call of r.checkBackoffLimit 0 times, expected once"}},
		{"the statement is gone", "main.go", reconcile, Place{Statement: "r.failed = 1"},
			[]string{"it has the statement r.failed = 1 0 times, expected once"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			module := t.TempDir()
			if err := writeFile(filepath.Join(module, "main.go"), []byte(operator)); err != nil {
				t.Fatal(err)
			}
			err := Insertion{File: test.file, Function: test.function, At: test.at, Text: "_ = 0"}.apply(module)
			if err == nil {
				t.Fatal("nothing was wrong")
			}
			for _, want := range test.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("it says\n%s\nwant in it %q", err, want)
				}
			}
		})
	}
}

func TestReadsShapeOfPreviousRelease(t *testing.T) {
	renamed := Insertion{File: "main.go", Function: "func (r *reconciler) reconcile(uid string) error", Earlier: reconcile, Text: "_ = 0"}
	if _, err := renamed.Insert([]byte(operator)); err != nil {
		t.Error(err)
	}
}

// A complete recipe for an operator of one file: recipe and glue have one function each.
func TestAnOperatorWithARecipe(t *testing.T) {
	source, to, root := t.TempDir(), filepath.Join(t.TempDir(), "copy"), t.TempDir()
	for path, content := range map[string]string{
		filepath.Join(source, "go.mod"):         "module example.test/toy\n\ngo 1.25.0\n\nreplace k8s.io/api => k8s.io/api v0.1.0\n\nreplace example.test/old => example.test/new v1.0.0\n",
		filepath.Join(source, "main.go"):        operator,
		filepath.Join(root, "client/go/go.mod"): "module mulligan.dev/mulligan\n\ngo 1.25.0\n",
		filepath.Join(root, "client/go/recipes/toy/toy.go"): `// Package toy asks.
package toy

import "os"

// Ask answers where the flag is set.
func Ask(name string) string {
	if os.Getenv("TOY_ASKS") == "" {
		return ""
	}
	return "asked about " + name
}
`,
		filepath.Join(root, "client/go/recipes/toy/toy_test.go"): "package toy_test\n",
		filepath.Join(root, "tests/e2e/components/recipes/toy/glue.go.txt"): `package main

import "example.test/toy/pkg/mulligan"

func ask(name string) string { return mulligan.Ask(name) }
`,
	} {
		if err := writeFile(path, []byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	recipe := Recipe{
		Operator: "toy", Module: "example.test/toy", PackageTo: "pkg/mulligan", GlueTo: "mulligan.go", Main: ".", Unpin: "k8s.io/",
		Insertions: []Insertion{{
			File: "main.go", Function: reconcile, At: Place{Call: "r.checkLimit"},
			Text: "\n\tif verdict := ask(name); verdict != \"\" {\n\t\treturn verdict, nil\n\t}\n",
		}},
	}
	if err := recipe.apply(source, to, root); err != nil {
		t.Fatal(err)
	}
	for flag, want := range map[string]string{"": "over <nil>\n", "yes": "asked about work <nil>\n"} {
		command := exec.Command("go", "run", ".")
		command.Dir = to
		command.Env = append(os.Environ(), "TOY_ASKS="+flag, "GOFLAGS=-mod=mod")
		if said, err := command.CombinedOutput(); err != nil || string(said) != want {
			t.Errorf("with the flag %q: %s, %v; want %s", flag, said, err, want)
		}
	}
	if made, err := os.ReadFile(filepath.Join(to, "go.mod")); err != nil || strings.Contains(string(made), "k8s.io/api") || !strings.Contains(string(made), "example.test/old") {
		t.Errorf("its go.mod is %s, %v; want the pin of k8s.io gone, and no other", made, err)
	}
	if before, err := os.ReadFile(filepath.Join(source, "main.go")); err != nil || string(before) != operator {
		t.Errorf("the release itself was changed: %v", err)
	}
	if _, err := os.Stat(filepath.Join(to, "pkg/mulligan/toy_test.go")); err == nil {
		t.Error("the recipe's tests were copied along")
	}
}

// Every row of the table fits the release in tests/e2e/versions.tsv, if that is in the
// module cache.
func TestTheTableFitsTheReleases(t *testing.T) {
	root, err := filepath.Abs("../../../..")
	if err != nil {
		t.Fatal(err)
	}
	table, err := os.ReadFile(filepath.Join(root, "tests/e2e/versions.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	versions := map[string]string{}
	for line := range strings.Lines(string(table)) {
		if columns := strings.Split(line, "\t"); len(columns) > 2 {
			versions[columns[2]] = columns[1]
		}
	}
	for _, recipe := range recipes {
		t.Run(recipe.Operator, func(t *testing.T) {
			release := recipe.Module + "@" + versions[recipe.Module]
			command := exec.Command("go", "mod", "download", "-json", release)
			command.Dir = t.TempDir()
			command.Env = append(os.Environ(), "GOPROXY=off")
			said, err := command.Output()
			if err != nil {
				t.Skipf("skipped: %s is not in the module cache", release)
			}
			var module struct{ Dir string }
			if err := json.Unmarshal(said, &module); err != nil {
				t.Fatal(err)
			}
			made := filepath.Join(t.TempDir(), "copy")
			if err := recipe.apply(module.Dir, made, root); err != nil {
				t.Fatal(err)
			}
			rights, err := recipe.rights(made)
			if err != nil || !strings.Contains(rights, "kind: ClusterRole\n") || !strings.Contains(rights, `{"apiGroups":[""],"resources":[`) {
				t.Errorf("its rights are %s, %v; want the release's and what the recipe adds", rights, err)
			}
		})
	}
}

func TestRejectsUnknownOperators(t *testing.T) {
	err := run([]string{"apply", "flink", "a", "b", "c"})
	if err == nil || !strings.Contains(err.Error(), `no recipe for "flink", expected one of jobset, kuberay`) {
		t.Errorf("it says %v", err)
	}
}
