// Command record plays stories on a control plane started by scripts/record-stories, and
// records every version of all their objects: what a caller of Mulligan would have seen,
// without Mulligan.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// story is a story to be played.
type story struct {
	name string
	// Failures that happen, by the budget of the default policy that pays for them.
	truth map[string]int
	// Further failures that a caller with a partial view may count, and the kind without
	// whose objects the budget is unknown (README.md).
	unpaid int
	needs  string
	// How it ends: succeeded, failed, runs, deleted or suspended.
	ends string
	note string
	// As named by scripts/control-plane; empty for a Job.
	operator string
	// Nodes in its pool; 3 if 0.
	nodes int
	play  func(*stage)
}

type recorder struct {
	config  *rest.Config
	out     string
	mirrors *known
	ray     *dashboard
}

func main() {
	kubeconfig := flag.String("kubeconfig", "", "of the control plane")
	out := flag.String("out", "", "folder of the recordings")
	mirrors := flag.String("mirrors", "", "folder of the mirrors of Kubernetes' objects, *.proto")
	operators := flag.String("operators", "", "operators that run")
	rayPort := flag.String("ray-port", "", "where KubeRay asks Ray's dashboard")
	atOnce := flag.Int("at-once", 12, "stories played side by side")
	flag.Parse()
	if err := run(*kubeconfig, *out, *mirrors, *rayPort, strings.Fields(*operators), *atOnce, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(kubeconfig, out, mirrors, rayPort string, operators []string, atOnce int, names []string) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	config.QPS, config.Burst = 500, 1000
	config.WarningHandler = rest.NoWarnings{}
	r := &recorder{config: config, out: out}
	if r.mirrors, err = readMirrors(mirrors); err != nil {
		return err
	}
	if r.ray, err = startDashboard(rayPort); err != nil {
		return err
	}
	var group sync.WaitGroup
	places := make(chan bool, atOnce)
	failed := make(chan string, len(stories()))
	for _, s := range stories() {
		if len(names) > 0 && !slices.Contains(names, s.name) {
			continue
		}
		if s.operator != "" && !slices.Contains(operators, s.operator) {
			fmt.Printf("skipped: %s: %s is not built\n", s.name, s.operator)
			continue
		}
		places <- true
		group.Go(func() {
			if err := r.record(&s); err != nil {
				failed <- fmt.Sprintf("%s: %v", s.name, err)
			}
			<-places
		})
	}
	group.Wait()
	close(failed)
	var all []string
	for text := range failed {
		all = append(all, text)
	}
	if all != nil {
		return fmt.Errorf("%s", strings.Join(all, "\n"))
	}
	return nil
}

// record plays one story, and saves its recording if it ended as it should.
func (r *recorder) record(s *story) (err error) {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	typed := kubernetes.NewForConfigOrDie(r.config)
	client := dynamic.NewForConfigOrDie(r.config)
	k := &kubelet{Interface: typed, namespace: s.name, nodes: map[string]*node{}, started: make(chan *pod, 100)}
	k.onTerm.after, k.onTerm.code = 4*time.Second, 143
	at := &stage{kubelet: k, ctx: ctx, dynamic: client, ray: r.ray}
	for _, name := range []string{s.name, s.name + "-others"} {
		_, err := typed.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
		if err != nil {
			return err
		}
	}
	if s.nodes == 0 {
		s.nodes = 3
	}
	for i := range s.nodes {
		name := fmt.Sprintf("%s-%c", s.name, 'a'+i)
		if k.nodes[name], err = addNode(ctx, typed, name, s.name); err != nil {
			return err
		}
		defer func() { _ = typed.CoreV1().Nodes().Delete(context.Background(), name, metav1.DeleteOptions{}) }()
	}
	if err := k.serve(ctx); err != nil {
		return err
	}
	// Until the nodes are usable.
	time.Sleep(2 * time.Second)
	seen := &recording{mirrors: r.mirrors}
	for _, gvr := range slices.Concat(kinds["kubernetes"], kinds[s.operator]) {
		if err := seen.watch(ctx, client, gvr, s.name); err != nil {
			return err
		}
	}
	defer func() {
		if broken, ok := recover().(trouble); ok {
			err = broken
		}
	}()
	s.play(at)
	at.untilIt(s.ends)
	// Changes that follow an end.
	time.Sleep(8 * time.Second)
	if s.truth == nil {
		s.truth = map[string]int{}
	}
	return seen.save(r.out, title{Story: s.name, Truth: s.truth, Unpaid: s.unpaid, Needs: s.needs, Ends: s.ends, Note: s.note})
}
