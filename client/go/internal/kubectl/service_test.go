package kubectl

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"mulligan.dev/mulligan/internal/testing/certificates"
	"mulligan.dev/mulligan/internal/testing/realserver"
)

// behindService adds a Service and a pod that lead to the real server.
func behindService(t *testing.T, api *apiServer, server *realserver.Server) {
	t.Helper()
	api.forwardTo = server.Address
	api.objects = append(api.objects, object(t, `
apiVersion: v1
kind: Service
metadata: {name: mulligan, namespace: mulligan, labels: {app.kubernetes.io/name: mulligan}}
spec:
  clusterIP: None
  selector: {app.kubernetes.io/name: mulligan}
  ports: [{name: grpc, port: 8980, targetPort: grpc}, {name: admin, port: 8981, targetPort: admin}]
`), object(t, `
apiVersion: v1
kind: Pod
metadata: {name: mulligan-0, namespace: mulligan, labels: {app.kubernetes.io/name: mulligan}}
spec: {containers: [{name: mulligan, ports: [{name: grpc, containerPort: 8980}]}]}
status: {phase: Running, conditions: [{type: Ready, status: "True"}]}
`))
}

func metrics(t *testing.T, server *realserver.Server) string {
	t.Helper()
	answer, err := http.Get("http://" + server.Admin + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestServiceDecidesThroughPortForward(t *testing.T) {
	server := realserver.Start(t)
	binary := realserver.Binary(t, "mulligan")
	for name, test := range map[string]struct {
		args []string
		want []string
	}{
		"explained by the binary":     {[]string{"--mulligan=" + binary, "job/train"}, []string{"the kernel killed a process", "memory limit of 16Gi", "memory 1 of 3 used"}},
		"its own texts without it":    {[]string{"job/train"}, []string{"memory limit of 16Gi", "raise the memory limit", "CONTAINER_OOM (RESOURCE_LIMIT), confidence HIGH", ": retry the pod at once"}},
		"as JSON without it":          {[]string{"job/train", "-o", "json"}, []string{`"cause":`, "CONTAINER_OOM"}},
		"as YAML without it":          {[]string{"job/train", "-o", "yaml"}, []string{"cause: CONTAINER_OOM"}},
		"a named Service":             {[]string{"--service=mulligan/mulligan", "job/train"}, []string{"CONTAINER_OOM"}},
		"a server without forwarding": {[]string{"--mulligan-server=" + server.Address, "job/train"}, []string{"CONTAINER_OOM"}},
	} {
		t.Run(name, func(t *testing.T) {
			nowhere(t)
			api := newAPIServer(t, batchWork(t)...)
			behindService(t, api, server)
			out, errOut, err := plugin(t, context.Background(), api, append([]string{"why"}, test.args...)...)
			if err != nil || errOut != "" {
				t.Fatalf("%v, %s", err, errOut)
			}
			for _, has := range test.want {
				if !strings.Contains(out, has) {
					t.Errorf("no %q in\n%s", has, out)
				}
			}
		})
	}
	for _, line := range strings.Split(metrics(t, server), "\n") {
		if strings.HasPrefix(line, "mulligan_decisions_total{") && !strings.HasSuffix(line, " 0") {
			t.Errorf("a question was counted: %s", line)
		}
	}
}

// Only the binary explains several workloads, chooses among them and writes HTML.
func TestSaysWhatNeedsTheBinary(t *testing.T) {
	nowhere(t)
	server := realserver.Start(t)
	api := newAPIServer(t, append(batchWork(t), object(t, cronText))...)
	for _, test := range []struct {
		args []string
		want string
	}{
		{nil, "several workloads: the binary mulligan is neither next to this plugin nor in $PATH: install it, or name it with --mulligan, or ask about one (kubectl mulligan why KIND/NAME)"},
		{[]string{"-A"}, "several workloads: the binary mulligan is neither"},
		{[]string{"cronjob/nightly"}, "several workloads: the binary mulligan is neither"},
		{[]string{"job/train", "-o", "html"}, "-o html, --broken, --cause, --details and --pass: the binary mulligan is neither"},
		{[]string{"job/train", "--broken"}, "-o html, --broken, --cause, --details and --pass: "},
		{[]string{"job/train", "--details"}, "-o html, --broken, --cause, --details and --pass: "},
		{[]string{"job/train", "--pass=--explain=full"}, "-o html, --broken, --cause, --details and --pass: "},
	} {
		out, _, err := plugin(t, context.Background(), api, append([]string{"why", "--mulligan-server=" + server.Address}, test.args...)...)
		if err == nil || !strings.HasPrefix(err.Error(), test.want) || out != "" {
			t.Errorf("%v: %v, want %s; printed %q", test.args, err, test.want, out)
		}
	}
	for _, request := range api.requests {
		if strings.HasSuffix(request, "/pods") {
			t.Errorf("%s: nothing had to be listed", request)
		}
	}
}

func TestMutualTLSThroughPortForward(t *testing.T) {
	authority := certificates.New(t)
	own, mine := authority.Issue(t, "mulligan.mulligan.svc"), authority.Issue(t, "someone")
	server := realserver.Start(t, "--tls-cert="+own.Certificate, "--tls-key="+own.Key, "--tls-client-ca="+own.CA)
	api := newAPIServer(t, batchWork(t)...)
	behindService(t, api, server)
	tls := []string{"--tls-ca=" + mine.CA, "--tls-cert=" + mine.Certificate, "--tls-key=" + mine.Key}
	for name, binary := range map[string]string{"with the binary": "--mulligan=" + realserver.Binary(t, "mulligan"), "without it": ""} {
		t.Run(name, func(t *testing.T) {
			nowhere(t)
			args := append([]string{"why", "job/train"}, tls...)
			if binary != "" {
				args = append(args, binary)
			}
			out, errOut, err := plugin(t, context.Background(), api, args...)
			if err != nil || errOut != "" || !strings.Contains(out, "CONTAINER_OOM") {
				t.Errorf("%v, %s, %s", err, errOut, out)
			}
		})
	}
	nowhere(t)
	_, _, err := plugin(t, context.Background(), api, "why", "job/train", "--service=mulligan/mulligan")
	if err == nil || !strings.Contains(err.Error(), "if the server speaks TLS, give --tls-ca") {
		t.Errorf("in plaintext: %v", err)
	}
}

func TestServiceDoesNotAnswer(t *testing.T) {
	api := newAPIServer(t, batchWork(t)...)
	behindService(t, api, &realserver.Server{Address: "127.0.0.1:1"})
	out, errOut, err := plugin(t, context.Background(), api, "why", "job/train", "--mulligan="+recorder(t))
	if err != nil || !strings.HasPrefix(out, "explain ") || !strings.Contains(errOut, "Service mulligan/mulligan does not answer") || !strings.Contains(errOut, "decided here") {
		t.Errorf("got %v, %s, %s", err, errOut, out)
	}
	_, _, err = plugin(t, context.Background(), api, "why", "job/train", "--mulligan="+recorder(t), "--service=mulligan/mulligan")
	if err == nil || !strings.Contains(err.Error(), "does not answer") {
		t.Errorf("a named service must answer: %v", err)
	}
}
