package mulligan

import (
	"strings"
	"testing"
)

func TestSecretsAreBlanked(t *testing.T) {
	// Put together here, so that no scanner takes them for real ones.
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

// What tells why work failed must stay.
func TestWhatIsNoSecretStays(t *testing.T) {
	for _, text := range []string{
		"KeyError: 'token'", "num_tokens=2048, tokens: 131072", "tokenizer = /models/llama-3/tokenizer.json",
		"ValueError: invalid token: expected_identifier", "Error: secret \"pg\" not found",
		"torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB",
		"NCCL WARN Cuda failure 'uncorrectable ECC error encountered'", "  File \"/app/train.py\", line 12, in <module>",
		"HTTP 401: Unauthorized: authorization is required", "pad_token_id: 128001", "exit code 137", "design=llama3-70b-instruct-v2",
		"image registry.example.com/team/app@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
		"http://10.0.0.1:8080/healthz: connection refused", "secretName=training-data-credentials",
	} {
		if got := Blank(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

func FuzzBlankLeavesText(f *testing.F) {
	f.Add("PASSWORD=hunter2")
	f.Fuzz(func(t *testing.T, text string) {
		if got := Blank(text); len(got) > 20*len(text)+20 {
			t.Errorf("%d bytes became %d", len(text), len(got))
		}
	})
}
