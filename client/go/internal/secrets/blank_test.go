package secrets

import (
	"strings"
	"testing"
)

func TestSecretsAreBlanked(t *testing.T) {
	// Assembled here, so that scanners do not report them.
	long := strings.Repeat("aB3", 14)
	for _, test := range []struct{ name, text, want string }{
		{"an AWS key", "using AKIA" + "IOSFODNN7EXAMPLE now", "using [blanked] now"},
		{"an AWS secret", "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCY3", "aws_secret_access_key = [blanked]"},
		{"a header", "> Authorization: Bearer " + long, "> Authorization: [blanked]"},
		{"a header in JSON", `{"Authorization": "Basic dXNlcjpwYXNz"}`, `{"Authorization": "[blanked]"}`},
		{"a bearer on its own", "sent bearer " + long + ", got 401", "sent bearer [blanked], got 401"},
		{"a token of Hugging Face", "login with hf_" + long, "login with [blanked]"},
		{"a token of GitHub", "git clone https://x:ghp_" + long + "@github.com/a/b", "git clone https://x:[blanked]@github.com/a/b"},
		{"a web token", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln is expired", "[blanked] is expired"},
		{"a password in a URL", "postgres://app:hunter2@db:5432/x refused", "postgres://app:[blanked]@db:5432/x refused"},
		{"a password by name", "DB_PASSWORD=hunter2 python train.py", "DB_PASSWORD=[blanked] python train.py"},
		{"a password in JSON", `{"password": "hunter2", "user": "me"}`, `{"password": "[blanked]", "user": "me"}`},
		{"a key by name", "WANDB_API_KEY=0123456789abcdef0123456789abcdef01234567", "WANDB_API_KEY=[blanked]"},
		{"a signed URL", "GET https://b/x?X-Amz-Signature=0a1b2c3d4e5f6a7b8c9d&y=1", "GET https://b/x?X-Amz-Signature=[blanked]&y=1"},
		{"a private key", "-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc\n-----END RSA PRIVATE KEY-----\nafter", "[blanked]\nafter"},
		{"a private key that is cut", "-----BEGIN PRIVATE KEY-----\nMIIE\nabc", "[blanked]"},
		{"a private key whose beginning is cut", "abcdEFGH1234\nMIIEabc=\n-----END RSA PRIVATE KEY-----\nafter", "[blanked]\nafter"},
		{"a shared access signature", "GET https://b/x?sv=1&sig=0a1b2c3d4e5f%2B6a7b8c9d&se=2", "GET https://b/x?sv=1&sig=[blanked]&se=2"},
		{"a cookie", "Set-Cookie: session=abc; Path=/\nnext", "Set-Cookie: [blanked]\nnext"},
		{"a secret key with one digit", "AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY x", "AWS_SECRET_ACCESS_KEY=[blanked] x"},
		{"words by name", "API_KEY=correcthorsebatterystaple", "API_KEY=[blanked]"},
		{"a short token", "token: short1a2b", "token: [blanked]"},
		{"a token in a sentence", "connecting with token: short1a2b", "connecting with token: [blanked]"},
		{"a client's secret", "client_secret=GOCSPX-" + "abcdefghijkl", "client_secret=[blanked]"},
		{"a flag and its value", "train --db-password secretarg1 --epochs 3", "train --db-password [blanked] --epochs 3"},
		{"a flag with its value", "train --api-key=abc --epochs 3", "train --api-key=[blanked] --epochs 3"},
		{"a user for curl", "curl -u user:pa55word https://x", "curl -u user:[blanked] https://x"},
		{"a user for curl in quotes", "curl --user 'me:p w d' https://x", "curl --user 'me:[blanked]' https://x"},
		{"a key for a login", "wandb login " + strings.Repeat("0a1b2c3d", 5), "wandb login [blanked]"},
		{"a login again", "wandb login --relogin " + strings.Repeat("0a1b2c3d", 5), "wandb login --relogin [blanked]"},
		{"a quoted value", "MY_PASSWD='p w d' run", "MY_PASSWD='[blanked]' run"},
		{"a quoted value with a quote", `password="p\"w d" run`, `password="[blanked]" run`},
		{"a quote that is not closed", "password='p w d\nnext", "password='[blanked]\nnext"},
		{"a value in quoted JSON", `{\"dbPassword\": \"p w d\", \"a\": 1}`, `{\"dbPassword\": \"[blanked]\", \"a\": 1}`},
		{"JSON with spaces", `"accessToken" : "abc"`, `"accessToken" : "[blanked]"`},
		{"YAML", "password: hunter\nuser: me", "password: [blanked]\nuser: me"},
		{"a word that is a state elsewhere", "PASSWORD=access", "PASSWORD=[blanked]"},
		{"a numbered name", "TOKEN_2=abcdef", "TOKEN_2=[blanked]"},
		{"a key in base64 that begins like a path", "SECRET_KEY=/Jalr5UtnFEMI77/K7MDENG", "SECRET_KEY=[blanked]"},
		{"two in a line", "PASSWORD=a TOKEN=" + long, "PASSWORD=[blanked] TOKEN=[blanked]"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := Blank(test.text); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
			if again := Blank(Blank(test.text)); again != test.want {
				t.Errorf("a second time: %s", again)
			}
		})
	}
}

// The reasons for failures must stay.
func TestKeepsHarmlessText(t *testing.T) {
	for _, text := range []string{
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
	} {
		if got := Blank(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
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
