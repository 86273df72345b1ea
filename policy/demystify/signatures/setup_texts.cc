// What a wrong setup makes programs say, whatever they are: keys and
// certificates, URLs, options of runtimes, parts of different versions.
#include "policy/demystify/signatures/application_texts.h"

namespace mulligan::demystify {
namespace {

constexpr TextSignature kSetupTexts[] = {
    // Who asks, and with what.
    Fading(
        Config("password",
               "(incorrect|invalid|wrong|bad) (user ?name|user|login|password)|"
               "password( is| was)? (incorrect|invalid|wrong|rejected|expired)",
               "password", "the credentials are wrong")),
    Config("login", "login (failed for user|was refused|denied|incorrect)",
           "login", "the credentials are wrong"),
    Config("logon denied", nullptr, "logon", "the credentials are wrong"),
    Config("authori",
           "(not|isn't) authori[sz]ed (to|on|for)\\b|authori[sz]ation "
           "(violation|failed|failure|denied)",
           "not-authorized", "the credentials do not suffice"),
    Config("pg_hba.conf", "no pg_hba.conf entry", "postgres-hba",
           "the database does not let this caller in"),
    Config("aadsts", "\\baadsts[1-8]\\d+", "azure-directory",
           "the credentials are wrong"),
    Config("active account", "not (currently )?have an active account",
           "gcloud-account", "there are no credentials"),
    Config("load key",
           "load key [^\\n]{0,120}(invalid|incorrect|error in libcrypto)",
           "ssh-key", "the key cannot be read"),
    Config("are too open", "permissions [^\\n]{0,120} are too open",
           "ssh-key-open", "others may read the key"),
    Config("dubious ownership", nullptr, "git-ownership",
           "the repository belongs to another user"),
    Config("noauth", "\\b(?-i:NOAUTH)\\b", "redis-no-password",
           "there are no credentials"),
    Config("wrongpass", nullptr, "redis-password", "the credentials are wrong"),
    Config("noperm", "\\b(?-i:NOPERM)\\b", "redis-permission",
           "the credentials do not suffice"),
    Config("moved", "\\b(?-i:MOVED) \\d+ \\S+:\\d+", "redis-moved",
           "the client does not know that the store is a cluster"),
    Config("crossslot", nullptr, "redis-slots",
           "the client does not know that the store is a cluster"),
    Config("sudo",
           "sudo: (no tty present|a terminal is required|a password "
           "is required)|must be suid",
           "sudo", "the program runs as the wrong user"),
    Config("root",
           "only root (can|may)|must be (run )?(as )?root\\b|are you root|"
           "requires? root\\b|(cannot|can't|not) (be )?run as root|running as "
           "root without",
           "root-user", "the program runs as the wrong user"),
    // Certificates, and who speaks TLS.
    Config("certificate",
           "certificate (is valid for|problem|is not yet valid|required|"
           "unknown)|(bad|unknown|invalid|self[- ]signed) (client |peer )?"
           "certificate|get local issuer certificate|certificate[^\\n]{0,40} "
           "(doesn't|does not) match",
           "certificate-refused", "a certificate is not trusted"),
    Config("valid certification path", nullptr, "java-certificate",
           "a certificate is not trusted"),
    Config("look like a tls handshake", nullptr, "go-no-tls",
           "the other end does not speak TLS"),
    Config("http response to https client", nullptr, "go-http-not-https",
           "the other end does not speak TLS"),
    Config("wrong version number", "ssl|tls", "openssl-no-tls",
           "the other end does not speak TLS"),
    // URLs and answers that blame the request: not 408, 409, 412, 423, 425 and
    // 429, which may pass.
    Config("client error", "\\b4(0[0-7]|1[013-9]|2[0-24]) (\\w+ )?client error",
           "http-refused", "the service refuses what the program asks"),
    Config("returned error: 4", "returned error: 4(0[0-7]|1[013-9]|2[0-24])\\b",
           "curl-refused", "the service refuses what the program asks"),
    Config("error code: 4", "error code: 4(0[0-7]|1[013-9]|2[0-24])\\b",
           "api-refused", "the service refuses what the program asks"),
    Config("scheme",
           "unsupported protocol scheme|no scheme supplied|(unknown|missing|"
           "unsupported) (url |uri )?scheme",
           "no-scheme", "a URL is wrong"),
    Config("no connection adapters", nullptr, "python-no-scheme",
           "a URL is wrong"),
    Config("url",
           "(invalid|malformed|illegal|unsupported|missing) ur[li]\\b|ur[li] "
           "(using bad|rejected|is (invalid|malformed|missing|empty))|path "
           "segment in ur[li] cannot",
           "bad-url", "a URL is wrong"),
    Config("no urls matched", nullptr, "gsutil-no-match",
           "what the program asks for does not exist"),
    Config("must be addressed using", nullptr, "s3-endpoint",
           "the store is asked at the wrong place"),
    Config("an error occurred (",
           "an error occurred \\((400|\\w*(validation|invalid|malformed|"
           "missing|unsupported|redirect|notallowed)\\w*)\\) when calling",
           "aws-refused", "the service refuses what the program asks"),
    Config("paramvalidationerror", nullptr, "aws-parameters",
           "the service refuses what the program asks"),
    Config("exceptions.invalidargument", nullptr, "google-argument",
           "the service refuses what the program asks"),
    Config("repo id must", nullptr, "hub-repository-name",
           "the model's name is not one"),
    Config("api key must", nullptr, "api-key-form", "the API key is wrong"),
    // The cluster's tools.
    Config("have a resource type", nullptr, "kubectl-type",
           "the cluster does not know the kind of object"),
    Config("no matches for kind", nullptr, "kubectl-kind",
           "the cluster does not know the kind of object"),
    Config("error from server (",
           "error from server \\((notfound|forbidden|badrequest|invalid|"
           "unauthorized|methodnotallowed)\\)",
           "kubectl-refused", "the API refuses what the program asks"),
    Config("error validating data", nullptr, "kubectl-validation",
           "the object the program wants to create is invalid"),
    Config("invalid ownership metadata", nullptr, "helm-ownership",
           "what the program creates belongs to somebody else"),
    Config("--", "use ['\"`]?--(force|overwrite|replace)\\b", "use-force",
           "the output of an earlier run is in the way"),
    Config("name that is still in use", nullptr, "helm-name",
           "what the program creates is there already"),
    Config("invalid reference format", nullptr, "image-reference",
           "the image's name is not one"),
    // Runtimes.
    Config("vm option", "(unrecognized|invalid|conflicting) (jvm|vm) option",
           "jvm-option", "the JVM does not know an option"),
    Config("heap size",
           "invalid (maximum|initial) heap size|initial heap size set to a "
           "larger",
           "jvm-heap-option", "the JVM's heap options do not fit"),
    Config("unsatisfiedlinkerror", nullptr, "java-native",
           "a library is missing"),
    Config("corrupt jarfile", nullptr, "java-jar-corrupt",
           "the jar file is damaged"),
    Config("could not resolve placeholder", nullptr, "spring-placeholder",
           "a setting is missing"),
    Config("beancreationexception", nullptr, "spring-bean",
           "the configuration does not validate"),
    Config("tomldecodeerror", nullptr, "toml", "a TOML file does not parse"),
    Config("undefinederror", nullptr, "jinja",
           "a template asks for what is not there"),
    Config("missing script", nullptr, "npm-script",
           "package.json has no such script"),
    Config("eresolve", "\\bERESOLVE\\b", "npm-resolve",
           "JavaScript packages do not fit together"),
    Config("gemnotfound", nullptr, "bundler-gem", "a Ruby library is missing"),
    Config("gem::loaderror", nullptr, "ruby-gems",
           "Ruby libraries do not fit together"),
    Fading(Config("cannot open the connection", nullptr, "r-connection",
                  "a file is missing")),
    Config("unable to open database file", nullptr, "sqlite-open",
           "a file is missing"),
    Config("readonly database", nullptr, "sqlite-read-only",
           "the program writes where it may not"),
    Config("wasn't expected", "argument '[^']*' (which )?wasn't expected",
           "clap-old-unknown", "the program does not know an argument"),
    Config("dirty database version", nullptr, "migrate-dirty",
           "a migration broke off, and somebody has to look at it"),
    Config("head revisions", "multiple head revisions", "alembic-heads",
           "the migrations do not follow from each other"),
    Config("migration",
           "migrations?[^\\n]{0,60}(failed validation|is applied before|"
           "checksum mismatch)|conflicting migrations",
           "migrations", "the migrations do not follow from each other"),
    // Parts of different versions.
    Config("not a supported", nullptr, "not-a-supported",
           "what the program is given is not supported"),
    Config("version",
           "versions?( tag| number)?( \\S+){0,4} (do|does)(n't| not) match|"
           "mismatch(ed|ing)? versions?",
           "versions-differ", "two parts have versions that do not fit"),
    Config("compiled",
           "(was|were|is|module) compiled (against|with|for|using) [^\\n]{0,60}"
           "(different|but|newer|older|another)",
           "compiled-against", "two libraries do not fit together"),
};

}  // namespace

std::span<const TextSignature> SetupTexts() { return kSetupTexts; }

}  // namespace mulligan::demystify
