package secrets

import (
	"regexp"
	"strings"
)

// The characters of the rest of a token.
type letters uint8

const (
	alnum  letters = iota // A-Z a-z 0-9
	upper                 // A-Z 0-9
	hex                   // a-f 0-9
	word                  // alnum and _
	dashed                // word and -
	dotted                // dashed and .
	base64                // dashed and + / =
	path                  // all except white space and quotes
)

// tokenForms are the prefixes of services' keys, with the kind and least number of the
// letters that follow, as published by the services and used by repository scanners.
// Prefixes that are also ordinary words must be followed by random letters.
var tokenForms = []struct {
	begin string
	rest  letters
	least int
	// Only what looks random is one.
	random bool
}{
	// Clouds.
	{"AKIA", upper, 16, false}, {"ASIA", upper, 16, false}, {"ABIA", upper, 16, false}, {"ACCA", upper, 16, false},
	{"AIza", dashed, 30, false}, {"ya29.", dotted, 20, false}, {"GOCSPX-", dashed, 20, false},
	{"LTAI", alnum, 16, true}, {"AKID", alnum, 32, true}, {"dop_v1_", hex, 40, false}, {"doo_v1_", hex, 40, false},
	{"dor_v1_", hex, 40, false}, {"v1.0-", dashed, 100, false}, {"HRKU-", dashed, 30, false}, {"tskey-", dashed, 20, true},
	{"fo1_", dashed, 40, false}, {"fm1r_", base64, 60, false}, {"fm2_", base64, 60, false}, {"nfp_", alnum, 30, false},
	{"pscale_tkn_", dotted, 30, false}, {"pscale_pw_", dotted, 30, false}, {"pscale_oauth_", dotted, 30, false},
	{"sbp_", hex, 40, false}, {"sb_secret_", dashed, 20, false}, {"napi_", alnum, 40, false}, {"mdb_sa_sk_", dashed, 30, false},
	{"A3T", upper, 17, true}, {"ABSK", base64, 100, false}, {"bedrock-api-key-", base64, 20, false}, {"4b1d", alnum, 38, true},
	{"tk-us-", dashed, 40, false}, {"sm_pat_", alnum, 16, false}, {"sm_aat_", alnum, 16, false}, {"sm_sat_", alnum, 16, false},
	{"sha256~", dashed, 40, false}, {"pul-", hex, 40, false}, {"AQVN", dashed, 30, true},
	// Code, packages, images, builds.
	{"ghp_", alnum, 20, false}, {"gho_", alnum, 20, false}, {"ghu_", alnum, 20, false}, {"ghs_", alnum, 20, false},
	{"ghr_", alnum, 20, false}, {"github_pat_", word, 20, false}, {"glpat-", dotted, 16, false}, {"glcbt-", dotted, 16, false},
	{"gldt-", dotted, 16, false}, {"glrt-", dotted, 16, false}, {"glrtr-", dotted, 16, false}, {"glptt-", dotted, 16, false},
	{"glft-", dotted, 16, false}, {"glsoat-", dotted, 16, false}, {"glimt-", dotted, 16, false}, {"glagent-", dotted, 16, false},
	{"glffct-", dotted, 16, false}, {"gloas-", dotted, 16, false}, {"GR1348941", dashed, 20, false}, {"npm_", alnum, 30, false},
	{"pypi-Ag", dashed, 30, false}, {"rubygems_", hex, 40, false}, {"dckr_pat_", dashed, 20, false}, {"dckr_oat_", dashed, 20, false},
	{"AKCp", alnum, 60, false}, {"cmVmd", alnum, 50, true}, {"sgp_", word, 40, false}, {"ATATT3", base64, 50, false},
	{"ATCTT3", base64, 50, false}, {"ATBB", alnum, 28, false}, {"CLOJARS_", alnum, 60, false}, {"API-", upper, 26, true},
	{"ico-", alnum, 32, true}, {"pat.", dotted, 50, true}, {"sat.", dotted, 50, true},
	// Models and experiments.
	{"hf_", alnum, 20, false}, {"api_org_", alnum, 20, false}, {"sk-", dashed, 20, true}, {"gsk_", alnum, 40, false},
	{"xai-", alnum, 60, false}, {"pplx-", alnum, 40, false}, {"nvapi-", dashed, 40, false}, {"r8_", alnum, 30, false},
	{"lsv2_pt_", word, 30, false}, {"lsv2_sk_", word, 30, false}, {"pcsk_", word, 40, false}, {"tgp_v1_", dashed, 30, false},
	{"KGAT_", alnum, 30, false}, {"wandb_v1_", word, 30, false},
	// Secrets and operations.
	{"hvs.", dashed, 20, false}, {"hvb.", dashed, 20, false}, {"hvr.", dashed, 20, false}, {"s.", alnum, 24, true},
	{"AGE-SECRET-KEY-1", upper, 40, false}, {"glc_", base64, 30, false}, {"glsa_", word, 30, false}, {"eyJrIjoi", base64, 30, false},
	{"sntrys_", base64, 30, false}, {"sntryu_", hex, 40, false}, {"NRAK-", alnum, 20, false}, {"NRII-", dashed, 20, false},
	{"NRJS-", hex, 19, false}, {"dt0c01.", dotted, 40, false}, {"dp.pt.", alnum, 30, false}, {"dp.st.", dotted, 30, false},
	{"dp.ct.", alnum, 30, false}, {"dp.sa.", alnum, 30, false}, {"ops_eyJ", base64, 60, false}, {"dapi", hex, 32, false},
	{"pnu_", alnum, 30, false}, {"pnb_", alnum, 30, false}, {"A3-", dashed, 30, true}, {"dnkey-", dashed, 40, false},
	{"scauth_", dotted, 60, false}, {"p8e-", alnum, 32, true},
	// Messages, mail, payments, documents.
	{"xoxa-", dashed, 10, false}, {"xoxb-", dashed, 10, false}, {"xoxc-", dashed, 10, false}, {"xoxd-", path, 10, false},
	{"xoxe-", dashed, 10, false}, {"xoxe.", dotted, 10, false}, {"xoxo-", dashed, 10, false}, {"xoxp-", dashed, 10, false},
	{"xoxr-", dashed, 10, false}, {"xoxs-", dashed, 10, false}, {"xapp-", dashed, 10, true}, {"xwfp-", dashed, 10, true},
	{"hooks.slack.com/", path, 20, false}, {"discord.com/api/webhooks/", path, 10, false},
	{"discordapp.com/api/webhooks/", path, 10, false}, {"webhook.office.com/webhookb2/", path, 10, false},
	{"SG.", dotted, 40, false}, {"key-", hex, 32, false}, {"SK", hex, 32, false}, {"sk_live_", alnum, 16, false},
	{"sk_test_", alnum, 16, false}, {"rk_live_", alnum, 16, false}, {"rk_test_", alnum, 16, false}, {"whsec_", base64, 20, false},
	{"sq0atp-", dashed, 20, false}, {"sq0csp-", dashed, 40, false}, {"shpat_", alnum, 32, false}, {"shpca_", alnum, 32, false},
	{"shppa_", alnum, 32, false}, {"shpss_", alnum, 32, false}, {"lin_api_", alnum, 30, false}, {"ntn_", alnum, 40, false},
	{"EZAK", alnum, 54, false}, {"EZTK", alnum, 54, false}, {"duffel_test_", dashed, 40, false}, {"duffel_live_", dashed, 40, false},
	{"FLWSECK-", dashed, 30, false}, {"FLWSECK_TEST-", dashed, 12, false}, {"rdme_", alnum, 70, false}, {"fio-u-", dashed, 60, false},
	{"shippo_live_", alnum, 40, false}, {"shippo_test_", alnum, 40, false}, {"xkeysib-", dashed, 64, false}, {"sk_prod_", alnum, 16, false},
	{"rk_prod_", alnum, 16, false}, {"EAA", dashed, 60, true}, {"CFPAT-", dashed, 40, false},
	{"secret_", alnum, 40, false}, {"figd_", dashed, 30, false}, {"PMAK-", dashed, 50, false}, {"tfp_", dotted, 50, false},
}

// byBegin indexes tokenForms by the first byte of a token.
var byBegin = func() (by [256][]int) {
	for i, form := range tokenForms {
		by[form.begin[0]] = append(by[form.begin[0]], i)
	}
	return by
}()

func (l letters) has(c byte) bool {
	digit := '0' <= c && c <= '9'
	lower := 'a' <= c && c <= 'z'
	capital := 'A' <= c && c <= 'Z'
	switch l {
	case upper:
		return digit || capital
	case hex:
		return digit || 'a' <= c && c <= 'f'
	case path:
		return c > ' ' && c != '"' && c != '\'' && c != '\\' && c != '<' && c != '>' && c != '`' && c != ')'
	}
	return digit || lower || capital || l >= word && c == '_' || l >= dashed && c == '-' ||
		l == dotted && c == '.' || l == base64 && (c == '+' || c == '/' || c == '=')
}

// blankTokens blanks keys of known services, by their prefixes.
func blankTokens(text string) string {
	var out strings.Builder
	end := 0
	for at := 0; at < len(text); at++ {
		if len(byBegin[text[at]]) == 0 || !beginsWord(text, at) {
			continue
		}
		if to := tokenAt(text, at); to > at {
			out.WriteString(text[end:at])
			out.WriteString(blanked)
			end = to
			at = to - 1
		}
	}
	return out.String() + text[end:]
}

// tokenAt returns the end of the token that begins at `at`; 0 if there is none.
func tokenAt(text string, at int) int {
	for _, i := range byBegin[text[at]] {
		form := &tokenForms[i]
		if !strings.HasPrefix(text[at:], form.begin) {
			continue
		}
		from := at + len(form.begin)
		to := from
		for to < min(len(text), from+decides) && form.rest.has(text[to]) {
			to++
		}
		if to-from < form.least || form.random && !looksRandom(text[from:to]) {
			continue
		}
		for to < len(text) && form.rest.has(text[to]) {
			to++
		}
		return to
	}
	return 0
}

// decides is how many letters of a token are checked. Words may be endless, and may
// begin like a token again and again.
const decides = 256

// beginsWord returns whether `at` follows no letter, or an escaped one ("\nghp_...").
func beginsWord(text string, at int) bool {
	if at == 0 || !word.has(text[at-1]) {
		return true
	}
	return at >= 2 && text[at-2] == '\\' && strings.IndexByte("nrt", text[at-1]) >= 0
}

var webToken = regexp.MustCompile(`\beyJ[\w-]{10,}\.[\w-]{5,}(?:\.[\w-]*){0,3}`)

// blankWebTokens blanks JSON web tokens, signed or encrypted.
func blankWebTokens(text string) string {
	if !strings.Contains(text, "eyJ") {
		return text
	}
	return webToken.ReplaceAllLiteralString(text, blanked)
}
