package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// A Recipe makes an operator ask Mulligan.
type Recipe struct {
	// Operator is its name, and that of our folders and of its component.
	Operator string
	// Module of the operator.
	Module string
	// Package below client/go/recipes, copied into the operator at PackageTo under the
	// name "mulligan".
	PackageTo string
	// GlueTo is the path of the copied glue, in the package that decides.
	GlueTo string
	// Main is the package of the binary, in the module.
	Main string
	// Rights are the release's files with its manager's roles, and RightsAtHome the rules that
	// only its chart adds, in its own namespace.
	Rights       []string
	RightsAtHome []rule
	// Insertions call the glue.
	Insertions []Insertion
	// Unpin is the prefix of modules that the operator pins to an earlier version than the
	// client needs; empty if there are none.
	Unpin string
}

// apply copies source, a folder with the operator's module, to `to`, and adds the recipe.
// root is the folder of this repository.
func (r Recipe) apply(source, to, root string) error {
	if err := copyTree(source, to); err != nil {
		return err
	}
	for _, insertion := range r.Insertions {
		if err := insertion.apply(to); err != nil {
			return fmt.Errorf("%s: %w", r.Operator, err)
		}
	}
	if err := r.addOurs(to, root); err != nil {
		return err
	}
	client := "mulligan.dev/mulligan"
	edits := []string{"mod", "edit", "-require=" + client + "@v0.0.0", "-replace=" + client + "=" + filepath.Join(root, "client/go")}
	unpinned, err := r.unpinned(to)
	if err != nil {
		return err
	}
	_, err = goCommand(to, append(edits, unpinned...)...)
	return err
}

// unpinned returns the arguments of `go mod edit` that drop replacements.
func (r Recipe) unpinned(module string) ([]string, error) {
	if r.Unpin == "" {
		return nil, nil
	}
	said, err := goCommand(module, "mod", "edit", "-json")
	if err != nil {
		return nil, err
	}
	var file struct {
		Replace []struct{ Old struct{ Path string } }
	}
	if err := json.Unmarshal(said, &file); err != nil {
		return nil, err
	}
	var edits []string
	for _, replaced := range file.Replace {
		if strings.HasPrefix(replaced.Old.Path, r.Unpin) {
			edits = append(edits, "-dropreplace="+replaced.Old.Path)
		}
	}
	return edits, nil
}

func (i Insertion) apply(module string) error {
	path := filepath.Join(module, i.File)
	source, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err != nil {
		source = []byte("package gone\n")
	}
	made, err := i.Insert(source)
	if moved := (*Moved)(nil); errors.As(err, &moved) && len(moved.Now) == 0 {
		moved.Now = functionsNamed(module, moved.Name)
	}
	if err != nil {
		return err
	}
	return os.WriteFile(path, made, 0o644)
}

// functionsNamed searches a module, except its tests.
func functionsNamed(module, name string) []string {
	var found []string
	_ = filepath.WalkDir(module, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil
		}
		for _, declaration := range file.Decls {
			if function, ok := declaration.(*ast.FuncDecl); ok && function.Name.Name == name {
				inside, _ := filepath.Rel(module, path)
				found = append(found, inside+": "+shape(function))
			}
		}
		return nil
	})
	return found
}

// addOurs copies the recipe's package and the glue.
func (r Recipe) addOurs(to, root string) error {
	folder := filepath.Join(root, "client/go/recipes", r.Operator)
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		name := entry.Name()
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		source, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			return err
		}
		if err := writeFile(filepath.Join(to, r.PackageTo, name), renamed(source, r.Operator)); err != nil {
			return err
		}
	}
	glue, err := os.ReadFile(filepath.Join(root, "tests/e2e/components/recipes", r.Operator, "glue.go.txt"))
	if err != nil {
		return err
	}
	return writeFile(filepath.Join(to, r.GlueTo), glue)
}

// renamed renames a package to "mulligan".
func renamed(source []byte, name string) []byte {
	clause := regexp.MustCompile(`(?m)^(package|// Package) ` + name + `\b`)
	return clause.ReplaceAll(source, []byte("$1 mulligan"))
}

func writeFile(path string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, content, 0o644)
}

// copyTree makes a writable copy, because the module cache is read-only.
func copyTree(from, to string) error {
	if err := os.RemoveAll(to); err != nil {
		return err
	}
	return filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		inside, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, inside)
		if entry.IsDir() {
			return os.MkdirAll(target, 0o755)
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(target, content, 0o644)
	})
}

func goCommand(folder string, args ...string) ([]byte, error) {
	command := exec.Command("go", args...)
	command.Dir = folder
	var said, wrong bytes.Buffer
	command.Stdout, command.Stderr = &said, &wrong
	if err := command.Run(); err != nil {
		return nil, fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, wrong.Bytes())
	}
	return said.Bytes(), nil
}
