package notify

import (
	"bufio"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	mulliganv1 "mulligan.dev/mulligan/gen/mulligan/v1"
)

var listening = regexp.MustCompile(`msg="Listening on" address=(127\.0\.0\.1:\d+)`)

// startAlertmanager starts Debian's Alertmanager, which posts its alerts to the mailbox
// at once.
func startAlertmanager(t *testing.T, box *mailbox) string {
	t.Helper()
	binary, err := exec.LookPath("prometheus-alertmanager")
	if err != nil {
		t.Skip("prometheus-alertmanager is not installed: apt-get install prometheus-alertmanager")
	}
	folder := t.TempDir()
	config := filepath.Join(folder, "config.yml")
	write(t, config, `
route: {receiver: box, group_by: [...], group_wait: 10ms, group_interval: 1s}
receivers: [{name: box, webhook_configs: [{url: '`+box.URL+`'}]}]
`)
	command := exec.Command(binary, "--config.file="+config, "--storage.path="+folder,
		"--web.listen-address=127.0.0.1:0", "--cluster.listen-address=")
	log, err := command.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		command.Process.Signal(os.Interrupt)
		command.Wait()
	})
	address := make(chan string, 1)
	go func() {
		lines := bufio.NewScanner(log)
		for lines.Scan() {
			if found := listening.FindStringSubmatch(lines.Text()); found != nil {
				address <- found[1]
			}
		}
	}()
	select {
	case found := <-address:
		return "http://" + found
	case <-time.After(20 * time.Second):
		t.Fatal("the Alertmanager does not listen")
	}
	return ""
}

type group struct {
	Alerts []struct {
		Status              string
		Labels, Annotations map[string]string
	}
}

func TestAlertmanagerTakesAlerts(t *testing.T) {
	box := newMailbox(t)
	url := startAlertmanager(t, box)
	n, _ := begin(t, box, "storyURL: 'https://stories/{{.Name}}'\nreceivers: [{name: alerts, alertmanager: {url: '"+url+"'}}]")
	n.Notify(failure(func(f *Failure) { f.Answer.Diagnosis.Problem = evil }))
	var got group
	if err := json.Unmarshal([]byte(box.next(t).body), &got); err != nil || len(got.Alerts) != 1 {
		t.Fatalf("%v, %v, want one alert", got, err)
	}
	alert := got.Alerts[0]
	if alert.Status != "firing" {
		t.Errorf("the alert is %s", alert.Status)
	}
	for name, want := range map[string]string{
		"alertname": "MulliganNeedsSomebody", "cause": "APP_ERROR", "actor": "user", "team": "vision",
		"namespace": "ml", "workload": "train", "workload_kind": "Job", "severity": "info",
	} {
		if alert.Labels[name] != want {
			t.Errorf("label %s is %q, want %q", name, alert.Labels[name], want)
		}
	}
	if got := alert.Annotations; got["first_step"] != "correct the import" || got["story"] != "https://stories/train" {
		t.Errorf("annotations %v", got)
	}
}

// Alertmanager's own count shows that alerts about one node are one, also from
// independent controllers.
func TestGroupsAlertsOfIncident(t *testing.T) {
	box := newMailbox(t)
	url := startAlertmanager(t, box)
	for _, name := range []string{"a", "b", "c"} {
		n, end := begin(t, box, "receivers: [{name: alerts, alertmanager: {url: '"+url+"'}}]")
		n.Notify(failure(named(name), decided(mulliganv1.Decision_RETRY),
			caused(mulliganv1.Cause_GPU_FAULT, mulliganv1.Diagnosis_INFRASTRUCTURE, platform), on("n1"), avoiding("n1", true)))
		end()
	}
	response, err := http.Get(url + "/api/v2/alerts")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var alerts []struct{ Labels map[string]string }
	if err := json.NewDecoder(response.Body).Decode(&alerts); err != nil {
		t.Fatal(err)
	}
	if len(alerts) != 1 || alerts[0].Labels["node"] != "n1" || alerts[0].Labels["severity"] != "warning" {
		t.Errorf("alerts %v, want one of node n1", alerts)
	}
}
