package secrets

import (
	encoding "encoding/base64"
	"strings"
	"syscall"
	"testing"
	"time"
)

func base64Of(text string) string { return encoding.StdEncoding.EncodeToString([]byte(text)) }

// hidden are secrets by kind; what is between « and » must go, the rest must stay. They are
// put together here, so that no scanner takes them for real ones.
func hidden() map[string]string {
	long := strings.Repeat("aB3", 24)
	hexes := strings.Repeat("0a1b2c3d", 12)
	line := strings.Repeat("MIIEvQIBADANBgkq", 4)
	body := line + "\n" + line + "\n" + line[:20] + "=\n"
	key := func(kind, body string) string {
		return "-----BEGIN " + kind + "-----\n" + body + "-----END " + kind + "-----"
	}
	pem := key("RSA PRIVATE KEY", body)
	prefixed := func(text, prefix string) string {
		return prefix + strings.ReplaceAll(text, "\n", "\n"+prefix)
	}
	const cri = "2026-08-22T11:58:00.123456789Z stderr F "
	const compose = "train-1  | "
	docker := `{"auths":{"r.example.com":{"username":"me","auth":"` + base64Of("me:hunter2hunter2") + `"}}}`
	kinds := map[string]string{
		"PGP key":                    "key:\n«" + key("PGP PRIVATE KEY BLOCK", "Version: GnuPG v2\n\n"+body+"=aBc3\n") + "»\nafter it",
		"OpenSSH key":                "«" + key("OPENSSH PRIVATE KEY", body) + "»\nafter it",
		"encrypted key":              "«" + key("ENCRYPTED PRIVATE KEY", body) + "»\nafter it",
		"key with a head":            "«" + key("EC PRIVATE KEY", "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,00\n\n"+body) + "»\nafter it",
		"PuTTY's key":                "«PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nComment: me\nPublic-Lines: 2\n" + body + "Private-Lines: 1\n" + line + "\nPrivate-MAC: " + hexes[:64] + "»\nError: after it",
		"key of a container runtime": cri + "cannot parse\n" + cri + "«" + strings.TrimPrefix(prefixed(pem, cri), cri) + "»\n" + cri + "ValueError: no",
		"key of Compose":             "«" + strings.TrimPrefix(prefixed(pem, compose), compose) + "»\n" + compose + "ValueError: no",
		"key without its first line": "«" + body + "-----END RSA PRIVATE KEY-----»\nafter it",
		"key cut in its first line":  "«RSA PRIVATE KEY-----\n" + body + "-----END RSA PRIVATE KEY-----»\nafter it",
		"key cut in a line":          "«" + line[9:] + "\n" + body + "-----END RSA PRIVATE KEY-----»\nafter it",
		"key without its first line, of a container runtime": "«" + prefixed(body+"-----END RSA PRIVATE KEY-----", cri) + "»\n" + cri + "after it",
		"key without its first line, of Compose":             "«" + prefixed(body+"-----END RSA PRIVATE KEY-----", compose) + "»\n" + compose + "after it",
		"key without its last line":                          "before it\n«-----BEGIN RSA PRIVATE KEY-----\n" + strings.TrimSuffix(body, "\n") + "»\nafter it was cut",
		"key without its last line, of a container runtime":  cri + "«-----BEGIN RSA PRIVATE KEY-----\n" + prefixed(strings.TrimSuffix(body, "\n"), cri) + "»\n" + cri + "ValueError: after it",
		"PGP key without its first line":                     "«" + body + "=aBc3\n-----END PGP PRIVATE KEY BLOCK-----»\nafter it",
		"key in JSON":                                        `{"type": "service_account", "private_key": "«` + strings.ReplaceAll(pem, "\n", `\n`) + `»\n", "client_email": "a@b"}`,
		"key in JSON without its first line":                 "«" + strings.ReplaceAll(body, "\n", `\n`) + `-----END RSA PRIVATE KEY-----»\n", "client_email": "a@b"}`,
		"two keys":                                           "«" + pem + "»\nand\n«" + pem + "»\nafter both",
		"kubeconfig's client-key-data":                       "users:\n- name: me\n  user:\n    client-key-data: «" + base64Of(pem) + "»\n    other: x",
		"kubeconfig's client-key-data, cut":                  "«" + base64Of("x" + pem)[3:] + "»\n    other: x",
		"kubeconfig's client-key-data in JSON":               `{"client-key-data":"«` + base64Of(pem) + `»"}`,
		"Secret's tls.key":                                   "data:\n  tls.key: «" + base64Of(pem) + "»\n",
		"age's key":                                          "«AGE-SECRET-KEY-1" + strings.Repeat("QPZRY9X8", 7) + "»\n",
		"registry's auth":                                    `{"auths":{"r.example.com":{"auth":"«` + base64Of("me:hunter2") + `»"}}}`,
		"registry's password":                                `{"auths":{"r.example.com":{"username":"me","password":"«hunter2»"}}}`,
		"Secret's .dockerconfigjson":                         "data:\n  .dockerconfigjson: «" + base64Of(docker) + "»\n",
		".dockerconfigjson in JSON":                          `".dockerconfigjson":"«` + base64Of(docker) + `»"`,
		"registry's identity token":                          `{"identitytoken": "«` + long + `»"}`,
		"variable of a container":                            `{"name": "DB_PASSWORD", "value": "«hunter2»"}`,
		"variable of a container, number":                    `{"name":"PIN_TOKEN","value":"«4711»"}`,
		"variable in quoted JSON":                            `{\"name\": \"DB_PASSWORD\", \"value\": \"«p w d»\"}`,
		"variable, value first":                              `[{"value": "b", "name": "A"}, {"value": "«hunt\"er2»", "name": "DB_PASSWORD"}]`,
		"variable, value first, in quoted JSON":              `{\"value\": \"«p w d»\", \"name\": \"DB_PASSWORD\"}`,
		"variable, value first, over lines":                  "{\n  \"value\": \"«abc/def»\",\n  \"name\": \"AWS_SECRET_ACCESS_KEY\"\n}",
		"variable, value first, in YAML":                     "- name: A\n  value: b\n- value: «hunter2»\n  name: DB_PASSWORD\n- name: C\n  value: d",
		"variable, value first, in quoted YAML":              "- value: '«p w d»'\n  name: API_TOKEN\n",
		"block of YAML":                                      "stringData:\n  db-password: |-\n    «hunter2\n\n    and more»\n  user: me\n",
		"folded block of YAML":                               "api_token: >\n  «a b\n   c»\nuser: me",
		"block of YAML at the end":                           "- password: |2+\n    «hunter2»",
		"block of a variable":                                "- name: DB_PASSWORD\n  value: |\n    «hunter2\n    more»\n- name: A\n  value: b",
		"variable in YAML":                                   "- name: DB_PASSWORD\n  value: «hunter2»\n- name: A\n  value: b",
		"variable in quoted YAML":                            "- name: API_TOKEN\n  value: \"«p w d»\"\n",
		"variable as Go prints it":                           "Env:[{Name:DB_PASSWORD Value:«hunter2»} {Name:A Value:b}]",
		"variable as Go prints it in full":                   `v1.EnvVar{Name:"DB_PASSWORD", Value:"«hunter2»"}`,
		"variable over lines":                                "{\n  \"name\": \"AWS_SECRET_ACCESS_KEY\",\n  \"value\": \"«abc/def»\"\n}",
		"tag of AWS":                                         `{"Key": "db_password", "Value": "«hunter2»"}`,
		"DB_PASS":                                            "DB_PASS=«hunter2» python train.py",
		"DB_PASS of digits":                                  "DB_PASS=«123456» python train.py",
		"SMTP_PASS":                                          "SMTP_PASS: «hunter2»\nx",
		"any PASS":                                           "export MY_APP_PASS=«hunter2»",
		"dbpass":                                             `dbpass: "«p w d»"`,
		"flag with pass":                                     "run --db-pass «hunter2» --epochs 3",
		"URL's password":                                     "postgres://app:«hunter2»@db:5432/x refused",
		"URL's password with a slash":                        "postgres://app:«pa/ss»@db:5432/x refused",
		"URL's password with an at":                          "postgres://app:«p@ss»@db:5432/x refused",
		"URL's password with both":                           "amqp://app:«p@s/s@w»@mq/x refused",
		"URL's password with a question":                     "amqp://app:«p?s»@mq refused",
		"URL's password without a user":                      "redis://:«p@ss»@cache:6379/0",
		"URL's password, hosts in a row":                     "mongodb://app:«p@ss»@h1:27017,h2:27017/x?y=z",
		"URL's password before an IPv6":                      "http://me:«hunter2»@[::1]:8080/",
		"URL's password in quotes":                           `url="https://me:«hunter2»@h/x"`,
		"URL's user":                                         "fatal: https://«" + long + "»@github.com/a/b.git not found",
		"URL's user with a word":                             "https://«" + hexes[:40] + ":x-oauth-basic»@github.com/a/b",
		"URL's user of Sentry":                               "dsn=https://«" + hexes[:32] + "»@o1.ingest.sentry.io/2",
		"MySQL's address":                                    "root:«hunter2»@tcp(db:3306)/x",
		"login with -p":                                      "docker login -u me -p «hunter2» r.example.com",
		".netrc":                                             "machine h login u password «hunter2»\nmachine i",
		".pgpass":                                            "db.example.com:5432:app:me:«hunter2»\nnext",
		"mysql's -p":                                         "mysql -h db -u root -p«hunter2» app < dump.sql",
		"Redis' AUTH":                                        "sent AUTH «" + long[:20] + "» and got no answer",
		"Redis' AUTH with a user":                            "AUTH app «" + long[:20] + "»",
		"Google's refresh token":                             "got «1//0" + long[:40] + "» back",
		"wandb's login key":                                  "wandb: login key «" + hexes[:40] + "» is not known",
		"sshpass":                                            "sshpass -p «hunter2» ssh me@host",
		"header with a key":                                  "X-Api-Key: «" + long + "»",
		"header in quoted JSON":                              `{\"Authorization\": \"«Bearer ` + long + `»\"}`,
		"encrypted web token":                                "«eyJhbGciOiJSU0EifQ." + long + "." + long + "." + long + "." + long + "» is expired",
		"Terraform Cloud":                                    "«" + long[:14] + ".atlasv1." + long + "»",
		"Azure's client secret":                              "got «abc8Q~" + long[:34] + "» back",
		"Telegram":                                           "bot «123456789:AA" + long[:33] + "» failed",
		"Slack's address":                                    "POST https://«hooks.slack.com/services/T0/B0/" + long[:24] + "» 404",
		"behind an escaped line end":                         `failed:\n«ghp_` + long[:36] + `»\nbye`,
		"AWS's session":                                      "aws_session_token=«" + long + "»",
		"Airtable":                                           "got «pat" + long[:14] + "." + hexes[:64] + "» back",
		"a storage account":                                  "AccountName=a;AccountKey=«" + long + "==»;EndpointSuffix=b",
		"an AWS key":                                         "using «AKIA" + "IOSFODNN7EXAMPLE» now",
		"an AWS secret":                                      "aws_secret_access_key = «wJalrXUtnFEMI/K7MDENG/bPxRfiCY3»",
		"a header":                                           "> Authorization: «Bearer " + long + "»",
		"a header in JSON":                                   `{"Authorization": "«Basic dXNlcjpwYXNz»"}`,
		"a bearer on its own":                                "sent bearer «" + long + "», got 401",
		"a token of GitHub":                                  "git clone https://x:«ghp_" + long + "»@github.com/a/b",
		"a web token":                                        "«eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln» is expired",
		"a password by name":                                 "DB_PASSWORD=«hunter2» python train.py",
		"a password in JSON":                                 `{"password": "«hunter2»", "user": "me"}`,
		"a key by name":                                      "WANDB_API_KEY=«0123456789abcdef0123456789abcdef01234567»",
		"a signed URL":                                       "GET https://b/x?X-Amz-Signature=«0a1b2c3d4e5f6a7b8c9d»&y=1",
		"a private key":                                      "«-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc\n-----END RSA PRIVATE KEY-----»\nafter",
		"a private key that is cut":                          "«-----BEGIN PRIVATE KEY-----\nMIIE\nabc»",
		"a private key whose beginning is cut":               "«abcdEFGH1234\nMIIEabc=\n-----END RSA PRIVATE KEY-----»\nafter",
		"a shared access signature":                          "GET https://b/x?sv=1&sig=«0a1b2c3d4e5f%2B6a7b8c9d»&se=2",
		"a cookie":                                           "Set-Cookie: «session=abc; Path=/»\nnext",
		"a secret key with one digit":                        "AWS_SECRET_ACCESS_KEY=«wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY» x",
		"words by name":                                      "API_KEY=«correcthorsebatterystaple»",
		"a short token":                                      "token: «short1a2b»",
		"a token in a sentence":                              "connecting with token: «short1a2b»",
		"a client's secret":                                  "client_secret=«GOCSPX-" + "abcdefghijkl»",
		"a flag and its value":                               "train --db-password «secretarg1» --epochs 3",
		"a flag with its value":                              "train --api-key=«abc» --epochs 3",
		"a user for curl":                                    "curl -u user:«pa55word» https://x",
		"a user for curl in quotes":                          "curl --user 'me:«p w d»' https://x",
		"a key for a login":                                  "wandb login «" + hexes[:40] + "»",
		"a login again":                                      "wandb login --relogin «" + hexes[:40] + "»",
		"a quoted value":                                     "MY_PASSWD='«p w d»' run",
		"a quoted value with a quote":                        `password="«p\"w d»" run`,
		"a quote that is not closed":                         "password='«p w d»\nnext",
		"a value in quoted JSON":                             `{\"dbPassword\": \"«p w d»\", \"a\": 1}`,
		"JSON with spaces":                                   `"accessToken" : "«abc»"`,
		"YAML":                                               "password: «hunter»\nuser: me",
		"a word that is a state elsewhere":                   "PASSWORD=«access»",
		"a numbered name":                                    "TOKEN_2=«abcdef»",
		"a key in base64 that begins like a path":            "SECRET_KEY=«/Jalr5UtnFEMI77/K7MDENG»",
		"two in a line":                                      "PASSWORD=«aa1» TOKEN=«" + long + "»",
	}
	for _, form := range tokenForms {
		letters := map[bool]string{false: long + long, true: hexes + hexes}[form.rest == hex]
		if form.rest == upper {
			letters = strings.ToUpper(letters)
		}
		kinds["token "+form.begin] = "using «" + form.begin + letters[:max(form.least, 8)] + "» now"
	}
	return kinds
}

func TestEachKindOfSecretIsBlanked(t *testing.T) {
	marks := strings.NewReplacer("«", "", "»", "")
	for name, marked := range hidden() {
		t.Run(name, func(t *testing.T) {
			var want strings.Builder
			for i, part := range strings.Split(marked, "«") {
				secret, rest, _ := strings.Cut(part, "»")
				if i == 0 {
					want.WriteString(part)
					continue
				}
				if len(secret) < 3 {
					t.Fatal("no secret")
				}
				want.WriteString(blanked + rest)
			}
			got := Blank(marks.Replace(marked))
			if got != want.String() {
				t.Errorf("got  %q\nwant %q", got, want.String())
			}
			if again := Blank(got); again != got {
				t.Errorf("a second time: %q", again)
			}
		})
	}
}

// Harmless texts that look like these kinds.
func TestWhatOnlyLooksLikeASecretStays(t *testing.T) {
	certificate := "-----BEGIN CERTIFICATE-----\n" + strings.Repeat("MIIEvQIBADANBgkq", 4) + "\n-----END CERTIFICATE-----"
	for _, text := range []string{
		certificate, "client-certificate-data: " + base64Of(certificate),
		key("PUBLIC KEY"), key("PGP PUBLIC KEY BLOCK"),
		"tls: failed to find any PEM data: expected -----BEGIN PRIVATE KEY----- in the input\nValueError: after it\n",
		"no -----END PRIVATE KEY----- was found\nValueError: after it",
		"ValueError: bad loss\nexpected -----END PRIVATE KEY-----\n",
		"epoch 3 is over\nRuntimeError: CUDA\n-----END RSA PRIVATE KEY-----\n"[:34],
		"http://10.0.0.1:8080/users/me@example.com", "https://host:443/@scope/pkg", "https://example.com/a:b@c",
		"https://registry.npmjs.org:443/@types/node", "http://[::1]:8080/x@y", "docker://alpine:3.19@sha256:0123", "ssh://git@github.com:22/a/b",
		"git clone git@github.com:a/b.git", "https://me@github.com/a/b", "https://spark-history-server@github.com/a/b",
		"mongodb://h1:27017,h2:27017/x?mail=a@b.com", "https://user:${PASSWORD}@h/x", "https://user:***@h/x", "s3://bucket/key:v1@2",
		"https://host:8080?x=a@b.com", "redis://cache:6379/0", "file:///a:b@c", "a://", "://", "see https://", "https://user:<password>@h/x",
		"tests passed: 12", "PASS: test_loss", "--- PASS: TestA (0.00s)", "TEST_PASS=12", "bypass=on", "compass: north", "forward_pass=12ms",
		"backward_pass: slow", "first_pass = done", "n_pass=3", "surpass: x", "DB_PASS=$DB_PASS", "DB_PASS=", "one pass over the data",
		`{"name": "DB_PASSWORD", "valueFrom": {"secretKeyRef": {"name": "pg", "key": "password"}}}`,
		`{"name": "DB_HOST", "value": "db"}`, `{"value": "db", "name": "DB_HOST"}`, `{"value": "$(PG)", "name": "DB_PASSWORD"}`, "- name: A\n  value: b\n- name: DB_PASSWORD\n  valueFrom:\n    x: y",
		"script: |\n  train --epochs 3\n", "password: |\nuser: me\n", `{"name": "A", "value": "b"}, {"name": "DB_PASSWORD"}`, "- name: DB_PASSWORD\n  valueFrom:\n    secretKeyRef:\n      name: pg", `{"name": "DB_PASSWORD", "value": "$(PG)"}`,
		`{"name": "max_tokens", "value": "4096"}`, `{"name":"DB_PASSWORD","value":""}`, "- name: tokenizer\n  value: llama",
		"hf_hub_download_with_all_retries failed", "npm_config_something_that_is_long_enough", "pypi-server-for-all-of-our-packages-in-house",
		"sk-learn-based-pipeline-with-features", "glpat- is missing", "xapp-domain-name-without-number", "SG.2026", "hvs.", "patch.the.module.of.the.model.that.is.loaded.by.all.of.our.programs", "API-SERVERS-OF-THE-CLUSTER-ARE-GONE", "ico-larger-than-thirty-two-letters-is-no-icon", "s.replaceAllOccurrencesOf",
		"AKIA", "eyJ", "/run/x/etc/passwd: input/output error", "may require authorization: server message: insufficient", "    TOKEN = os.environ['WANDB_API_KEY']", "key_data = cPickle.load(f)", "key-value-store-of-the-team", "SKIPPED", "secret_name_of_the_database_password_file_is_missing", "dapi", "tskey-less-than-others-are",
		"AQVNothingOfTheKindIsInHere", "/usr/lib/python3.11/site-packages/transformers/modeling_utils", "shard-00001-of-00008.safetensors",
		"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", "aGVsbG8gd29ybGQsIHRoaXMgaXMgYSB0ZXh0",
		base64Of("a text of some length that holds nothing of the kind"), `{"auth": "enabled"}`, `"auth": "kubernetes.io/oidc"`, "auth: anonymous12",
		// The reasons for failures.
		"KeyError: 'token'", "num_tokens=2048, tokens: 131072", "tokenizer = /models/llama-3/tokenizer.json",
		"ValueError: invalid token: expected_identifier", "Error: secret \"pg\" not found",
		"torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB",
		"NCCL WARN Cuda failure 'uncorrectable ECC error encountered'", "  File \"/app/train.py\", line 12, in <module>",
		"HTTP 401: Unauthorized: authorization is required", "pad_token_id: 128001", "exit code 137", "design=llama3-70b-instruct-v2",
		"image registry.example.com/team/app@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
		"http://10.0.0.1:8080/healthz: connection refused", "secretName=training-data-credentials",
		"token: expired", "Error: token: expired.", `"token": "has expired"`, "password authentication failed for user \"app\"",
		"invalid token", "password: authentication failed", "password: ''", "token=None", "api_key=null", "--token is required",
		"error: argument --token: expected one argument", "SyntaxError: unexpected token: RPAREN", "invalid token: expected_identifier",
		`failed to fetch anonymous token: Get "https://auth.example.com/token?service=x": net/http: TLS handshake timeout`,
		"failed to fetch oauth token: unexpected status: 401 Unauthorized", "could not refresh token: oauth2: cannot fetch",
		"MountVolume.SetUp failed for volume \"db-token\" : secret \"pg\" not found", "pad_token: <pad>, eos_token=</s>",
		"time per token: 12.5 ms", "if token == other_token", "Token::kind", "token=$TOKEN --password ${PASSWORD}",
		"--token=/var/run/secrets/kubernetes.io/serviceaccount/token", "Bad credentials: 401", "max_tokens: 4096",
		"Invalid API key: please log in", "login failed for user", "docker run --user 1000:1000", "Password:\nsudo: no tty",
		"references non-existent secret key: tls.crt", "the secret was not found", "couldn't find key password in Secret ml/pg",
		"login -p", "docker login failed: unauthorized", "kubectl exec -it login-pod -- bash", "user:group@host", "at tcp(10.0.0.1:3306)",
		"primary_key=id", "sort_key: name", "session key exchange: X25519", "config_key: learning_rate", "shared_keyboard=1", "private_key_path=/etc/x",
	} {
		if got := Blank(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

func key(kind string) string {
	return "-----BEGIN " + kind + "-----\n" + strings.Repeat("MIIEvQIBADANBgkq", 4) + "\n-----END " + kind + "-----\n"
}

// What stands before and behind a secret is read for the cause.
func TestKeepsErrorLineNextToSecrets(t *testing.T) {
	marks := strings.NewReplacer("«", "", "»", "")
	const before, after = "INFO loading the model\n", "\nValueError: bad loss\n"
	for name, marked := range hidden() {
		if strings.HasPrefix(marked, "«") && strings.Contains(name, "without its first line") || strings.Contains(name, "cut") {
			continue // nothing stands before it
		}
		got := Blank(before + marks.Replace(marked) + after)
		if !strings.HasPrefix(got, before) || !strings.HasSuffix(got, after) {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// The longest text that is sent, of what keeps each rule busy: with time that grew with the
// square of it some took ten seconds and more.
func TestTimeIsLinear(t *testing.T) {
	pieces := []string{"a", "\n", ":", "://", "a:b@", "https://a:", "token", "token= ", "password ", "password=", "-----END PRIVATE KEY-----\n",
		"-----BEGIN PRIVATE KEY-----\n", "-----BEGIN PRIVATE KEY-----", `\n`, "MIIEvQIBADANBgkq", "sk-", "xapp-a", "eyJ", "eyJa.", `"name":"token"`,
		"login ", "login -p ", "authorization: ", `\"`, "auth:", base64Of("token=") + " ", base64Of(base64Of(base64Of("password="))),
		`{"name": "DB_PASSWORD", "value": `, "docker login -u me -p x ", "dbpass: \"p w d\"", "run --db-pass x ", "password: |\n ", "name: token value: | ", `"value": "x", "name": "token" `, `"value": `}
	for _, piece := range pieces {
		took := func(bytes int) time.Duration {
			text, before := strings.Repeat(piece, bytes/len(piece)), processorTime(t)
			Blank(text)
			return processorTime(t) - before
		}
		// Four times as much; the square would be sixteen times.
		if quarter, all := took(16<<10), took(64<<10); all > 10*quarter+200*time.Millisecond {
			t.Errorf("64 KiB of %q took %v, a quarter of it %v", piece, all, quarter)
		}
	}
}

// processorTime does not depend on what else the machine does.
func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		t.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano())
}

func FuzzBlankLeavesText(f *testing.F) {
	f.Add("PASSWORD=hunter2")
	for _, marked := range hidden() {
		f.Add(marked)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if got := Blank(text); len(got) > 20*len(text)+20 {
			t.Errorf("%d bytes became %d", len(text), len(got))
		}
	})
}
