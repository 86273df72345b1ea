package cluster

import (
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// A way to run an operator.
type way struct {
	name string
	// The release, or the binary with the recipe.
	recipe bool
	// The service to ask; "" turns the flag off.
	server func(t *testing.T) string
	// It decides as without Mulligan.
	native bool
	// Appended to its configuration file.
	configuration string
}

// waysOf returns the release, which defines native behaviour, and the binary with the
// recipe: off, with an unavailable, silent or refusing service, and asking.
func waysOf(c *cluster) []way {
	none := func(*testing.T) string { return "" }
	return []way{
		{name: "release", server: none, native: true},
		{name: "flag off", recipe: true, server: none, native: true},
		{name: "service away", recipe: true, server: freeAddress, native: true},
		{name: "service silent", recipe: true, server: silent, native: true},
		{name: "service refusing", recipe: true, server: c.refusing, native: true},
		c.asking(recipeDelay),
	}
}

// beforeAndAfter returns the release and the binary that asks.
func beforeAndAfter(c *cluster) []way {
	ways := waysOf(c)
	return []way{ways[0], ways[len(ways)-1]}
}

// asking returns the way that asks a service for the test with this delay.
func (c *cluster) asking(delay time.Duration) way {
	return askingAt(func(t *testing.T) string { return c.recipeServer(t, delay).address })
}

func askingAt(server func(t *testing.T) string) way {
	return way{name: "asking", recipe: true, server: server}
}

// Delays of the recipes' policy, long enough to see held retries.
const recipeDelay = 3 * time.Second

// recipeServer starts a service for the test with this delay.
func (c *cluster) recipeServer(t *testing.T, delay time.Duration) *process {
	t.Helper()
	return c.recipeServerFor(t, delay, controllerName)
}

// recipeServerFor starts a service that answers only this caller.
func (c *cluster) recipeServerFor(t *testing.T, delay time.Duration, caller string) *process {
	t.Helper()
	name := "server-" + strings.ToLower(strings.Map(func(r rune) rune {
		if r == '/' || r == '_' {
			return '-'
		}
		return r
	}, t.Name()))
	folder := filepath.Join(c.run, name)
	must(t, os.MkdirAll(folder, 0o755))
	policy, err := policyWithDelay(delay.String())
	must(t, err)
	must(t, os.WriteFile(filepath.Join(folder, "default.yaml"), []byte(policy), 0o644))
	// A test may start a second service.
	if err := os.Remove(filepath.Join(c.run, name+".ports")); err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return c.serverFor(t, name, folder, caller)
}

// refusing starts a service that answers operators with PERMISSION_DENIED.
func (c *cluster) refusing(t *testing.T) string {
	return c.recipeServerFor(t, recipeDelay, "somebody-else").address
}

// silent returns an address that accepts connections and never answers.
func silent(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			t.Cleanup(func() { connection.Close() })
		}
	}()
	return listener.Addr().String()
}

// needsRecipe skips a test whose operator was not built with its recipe.
func (c *cluster) needsRecipe(t *testing.T, operator string) {
	t.Helper()
	c.needs(t, operator)
	if _, err := os.Stat(filepath.Join(c.bin, operator+"-recipe")); err != nil {
		t.Skipf("skipped: %s is not built with its recipe", operator)
	}
}

// runs runs an operator in a way until the test ends, and then as before. release is the
// name of its binary, and ready checks that it works.
func (c *cluster) runs(t *testing.T, operator, release string, w way, ready func() string) {
	t.Helper()
	file := filepath.Join(c.run, operator+".command")
	before, err := os.ReadFile(file)
	must(t, err)
	command := string(before)
	configuration := filepath.Join(c.run, operator+".yaml")
	var configured []byte
	if w.configuration != "" {
		configured, err = os.ReadFile(configuration)
		must(t, err)
		must(t, os.WriteFile(configuration, append(slices.Clip(configured), w.configuration...), 0o644))
	}
	if w.recipe {
		binary := filepath.Join(c.bin, release)
		environment := append(c.recipeEnvironment(w.server(t)), "KUBECONFIG="+c.asDeployed(t, operator))
		if !w.native {
			// Tolerates slow machines.
			environment = append(environment, "MULLIGAN_DEADLINE=2s")
		}
		if strings.Count(command, binary+" ") != 1 {
			t.Fatalf("%s does not run %s: %s", file, binary, command)
		}
		command = strings.Replace(command, binary+" ", fmt.Sprintf("env %s %s ",
			strings.Join(environment, " "), filepath.Join(c.bin, operator+"-recipe")), 1)
	}
	restart := func(t *testing.T, command string) {
		c.controlPlane(t, "stop", operator)
		must(t, os.WriteFile(file, []byte(command), 0o644))
		c.controlPlane(t, "start", operator)
		eventually(t, long, ready)
	}
	restart(t, command)
	t.Cleanup(func() {
		errs := []error{c.control("stop", operator), os.WriteFile(file, before, 0o644)}
		if configured != nil {
			errs = append(errs, os.WriteFile(configuration, configured, 0o644))
		}
		for _, err := range append(errs, c.control("start", operator)) {
			if err != nil {
				t.Errorf("%s does not run as before: %v", operator, err)
			}
		}
	})
}

func (c *cluster) recipeEnvironment(server string) []string {
	return []string{
		"MULLIGAN_SERVER=" + server,
		"MULLIGAN_TLS_CA=" + c.certs.file("ca.crt"),
		"MULLIGAN_TLS_CERT=" + c.certs.file("controller.crt"),
		"MULLIGAN_TLS_KEY=" + c.certs.file("controller.key"),
	}
}

// listening returns a check that a local port is open.
func listening(port string) func() string {
	return func() string {
		connection, err := net.Dial("tcp", "127.0.0.1:"+port)
		if err != nil {
			return err.Error()
		}
		connection.Close()
		return ""
	}
}

// A recipeScenario is played in every way. In those that decide as without Mulligan its work
// must end as native, with the release's status, and in the last one as asking.
type recipeScenario struct {
	name string
	work recipeWork
	// It stops what the others need, and is played before them.
	alone bool
	// Reason of an Event with the message, with and without the recipe.
	event          string
	native, asking ended
}

// recipeWork is what an operator runs in a scenario.
type recipeWork interface {
	// play begins the work in a namespace, and returns the object once it has ended, and how.
	play(t *testing.T, c *cluster, w way, namespace string) (*unstructured.Unstructured, ended)
}

// ended is how work ended.
type ended struct {
	// As its operator writes them; message is a part of the message.
	state, reason, message string
	// What its operator counts, except zeros.
	counts counts
	// The memory limit of the last attempt.
	memory  string
	charged map[string]int32
}

type counts map[string]int64

func (e ended) is(want ended) bool {
	maps.DeleteFunc(e.counts, func(_ string, n int64) bool { return n == 0 })
	return e.state == want.state && e.reason == want.reason && strings.Contains(e.message, want.message) &&
		maps.Equal(e.counts, want.counts) && e.memory == want.memory && maps.Equal(e.charged, want.charged)
}

// Not parallel, because tests share the operators.
func TestRecipe(t *testing.T) {
	eachOperator(t, func(t *testing.T, o *operator) {
		seen := &statuses{of: map[string]string{}}
		for _, w := range waysOf(shared) {
			t.Run(w.name, func(t *testing.T) {
				if o.name == "kuberay" {
					startDashboardOf(t, shared, rayPlaying.answer)
				}
				o.runs(t, shared, w, 0)
				t.Run("plays", func(t *testing.T) {
					for _, scenario := range o.scenarios {
						t.Run(scenario.name, func(t *testing.T) { scenario.play(t, shared, w, seen) })
					}
				})
			})
		}
	})
}

func (s recipeScenario) play(t *testing.T, c *cluster, w way, seen *statuses) {
	if !s.alone {
		t.Parallel()
	}
	namespace := c.namespace(t)
	obj, got := s.work.play(t, c, w, namespace)
	got.charged = charges(t, obj)
	want := s.asking
	if w.native {
		want = s.native
	}
	if !got.is(want) {
		t.Errorf("it ended as %+v, want %+v; Events %q", got, want, c.allEvents(t, namespace))
	}
	if s.event != "" {
		c.anEvent(t, obj, s.event, want.message)
	}
	if w.native {
		seen.compare(t, c, s.name, w, obj)
	}
}

// statuses are the release's, by scenario, which the other ways must write, too.
type statuses struct {
	lock sync.Mutex
	of   map[string]string
}

// compare keeps the release's status, and waits until other ways have the same.
func (s *statuses) compare(t *testing.T, c *cluster, scenario string, w way, obj *unstructured.Unstructured) {
	t.Helper()
	if !w.recipe {
		s.lock.Lock()
		defer s.lock.Unlock()
		s.of[scenario] = withoutTimes(t, obj)
		return
	}
	s.lock.Lock()
	want := s.of[scenario]
	s.lock.Unlock()
	eventually(t, long, func() string {
		must(t, c.Get(t.Context(), client.ObjectKeyFromObject(obj), obj))
		if got := withoutTimes(t, obj); got != want {
			return fmt.Sprintf("the status is\n%s\nand that of the release\n%s", got, want)
		}
		return ""
	})
}

var ofOneRun = regexp.MustCompile(` \(first failed job: [^)]*\)| StartTime: [^.]*\.`)

// withoutTimes returns a status with sorted conditions, without the differences between
// runs: times, generated names, and which member of a gang was seen first.
func withoutTimes(t *testing.T, obj *unstructured.Unstructured) string {
	t.Helper()
	status, _, _ := unstructured.NestedMap(obj.Object, "status")
	for _, key := range []string{
		"lastTransitionTime", "startTime", "endTime", "jobId", "rayClusterName", "dashboardURL", "rayClusterStatus", "replicatedJobsStatus",
		"requeueAt", "accumulatedPastExecutionTimeSeconds", "reclaimablePods",
		"sparkApplicationId", "submissionID", "lastSubmissionAttemptTime", "terminationTime", "webUIAddress",
	} {
		without(status, key)
	}
	conditions, _ := status["conditions"].([]any)
	slices.SortFunc(conditions, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	text, err := json.MarshalIndent(status, "", " ")
	must(t, err)
	alike := strings.NewReplacer(obj.GetNamespace(), "NAMESPACE", obj.GetName(), "NAME").Replace(string(text))
	return ofOneRun.ReplaceAllString(alike, "")
}

func without(value any, key string) {
	switch value := value.(type) {
	case map[string]any:
		delete(value, key)
		for _, below := range value {
			without(below, key)
		}
	case []any:
		for _, below := range value {
			without(below, key)
		}
	}
}

// charges returns the charges in a workload's ledger, by budget.
func charges(t *testing.T, obj client.Object) map[string]int32 {
	t.Helper()
	charged := map[string]int32{}
	for name, use := range spent(t, obj).GetBudgets() {
		charged[name] = use.GetUsed()
	}
	return charged
}

// deletedWhileHeld checks that a workload stays as check wants it, and that a user can then
// delete it.
func (c *cluster) deletedWhileHeld(t *testing.T, obj *unstructured.Unstructured, held time.Duration, check func() string) {
	t.Helper()
	for end := time.Now().Add(held); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		if wrong := check(); wrong != "" {
			t.Fatalf("it did not stay so: %s", wrong)
		}
	}
	must(t, c.Delete(t.Context(), obj))
	eventually(t, long, func() string {
		if left := c.objects(t, obj.GetNamespace(), obj.GroupVersionKind()); len(left) != 0 {
			return "it is still there"
		}
		return ""
	})
}
