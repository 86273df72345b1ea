package cluster

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// certificates is a folder with ca.crt, and NAME.crt and NAME.key of server and controller.
type certificates string

func (c certificates) file(name string) string { return filepath.Join(string(c), name) }

// The name in the certificates of the controller and of operators with a recipe.
const controllerName = "mulligan-controller"

func makeCertificates(folder string) (certificates, error) {
	c := certificates(folder)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return c, err
	}
	steps := [][]string{{
		"req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=e2e",
		"-keyout", c.file("ca.key"), "-out", c.file("ca.crt"),
	}}
	for _, who := range []struct{ name, alternative string }{
		{"server", "IP:127.0.0.1"}, {"controller", "DNS:" + controllerName},
	} {
		extension := c.file(who.name + ".ext")
		if err := os.WriteFile(extension, []byte("subjectAltName="+who.alternative+"\n"), 0o644); err != nil {
			return c, err
		}
		steps = append(steps, []string{
			"req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=" + who.name,
			"-keyout", c.file(who.name + ".key"), "-out", c.file(who.name + ".csr"),
		}, []string{
			"x509", "-req", "-in", c.file(who.name + ".csr"), "-days", "2", "-CA", c.file("ca.crt"),
			"-CAkey", c.file("ca.key"), "-CAcreateserial", "-extfile", extension, "-out", c.file(who.name + ".crt"),
		})
	}
	for _, step := range steps {
		if out, err := exec.Command("openssl", step...).CombinedOutput(); err != nil {
			return c, fmt.Errorf("openssl %v: %w\n%s", step, err, out)
		}
	}
	return c, nil
}
