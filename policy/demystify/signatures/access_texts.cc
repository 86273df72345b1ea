// Credentials, permissions and licences that do not suffice, and what services
// say does not exist.
#include "policy/demystify/signatures/application_texts.h"

namespace mulligan::demystify {
namespace {

constexpr TextSignature kAccessTexts[] = {
    Fading(Config("permission denied", nullptr, "permission",
                  "the program may not do what it tries")),
    Fading(Config("permissionerror", nullptr, "permission-error",
                  "the program may not do what it tries")),
    Fading(Config("operation not permitted", nullptr, "not-permitted",
                  "the program may not do what it tries")),
    Fading(Config("eacces", "\\bEACCES\\b", "eacces",
                  "the program may not do what it tries")),
    Config("access denied", nullptr, "access-denied",
           "the credentials do not suffice"),
    Config("accessdenied", nullptr, "access-denied-code",
           "the credentials do not suffice"),
    Fading(Config("authentication failed", nullptr, "authentication",
                  "the credentials are wrong")),
    Fading(Config("authenticationerror", nullptr, "authentication-error",
                  "the credentials are wrong")),
    Fading(Config("invalid credentials", nullptr, "credentials",
                  "the credentials are wrong")),
    Config("unable to locate credentials", nullptr, "no-credentials",
           "there are no credentials"),
    Config("nocredentialserror", nullptr, "no-credentials-error",
           "there are no credentials"),
    Config("defaultcredentialserror", nullptr, "google-credentials-error",
           "there are no credentials"),
    Fading(Config("invalid_grant", nullptr, "oauth-grant",
                  "the credentials are wrong")),
    Config("invalidaccesskeyid", nullptr, "aws-key",
           "the credentials are wrong"),
    // A long run outlives its token; the next one begins with a new one.
    Blaming(kConfiguration, kMayRecover,
            Config("expiredtoken", nullptr, "aws-token",
                   "the credentials have expired")),
    Config("host key verification failed", nullptr, "ssh-host-key",
           "the host is not known"),
    Config("could not read username", nullptr, "git-credentials",
           "there are no credentials"),
    Config("repository", "repository '[^']*' not found", "git-repository",
           "the repository does not exist or is private"),
    Config("does not have", "does not have [\\w.-]*( access|permission)",
           "google-permission", "the credentials do not suffice"),
    Config("default credentials",
           "could not .{0,30}default credentials|default"
           " credentials were not found",
           "google-credentials", "there are no credentials"),
    Config("invalid api key", nullptr, "api-key", "the API key is wrong"),
    Config("api key",
           "(invalid|incorrect|missing|no) api key|api key.{0,40}("
           "not (set|found|configured|provided)|missing|invalid|required)",
           "api-key-missing", "the API key is wrong or missing"),
    Config("api_key", "api_key.{0,60}(not|must|missing|invalid|required)",
           "api-key-variable", "the API key is wrong or missing"),
    Config(
        "not allowed to",
        "(ip|address|host|client)[^\\n]{0,60} not allowed to (access|connect)",
        "not-allowed", "the service does not let this caller in"),
    // Before the code that some services send with it.
    Blaming(kApplication,
            AppText("quota",
                    "quota exceeded|exceeded (your|the|its) [^\\n]{0,40}quota|"
                    "quota [^\\n]{0,40}exceeded",
                    "service-quota", v1::DEPENDENCY_UNAVAILABLE, kMedium,
                    Tier::kSpecific, kPeerEffect,
                    "a service gives no more for now")),
    // Licences that do not cover the work; those in use stand elsewhere.
    Config(
        "licen",
        "licen[sc]e( file| key)?[^\\n]{0,30} (has |is |was )?(expired|invalid"
        "|not valid|revoked|not found|missing|corrupt)|(expired|invalid|no "
        "valid|missing) licen[sc]e",
        "licence-invalid", "the licence does not cover the work"),
    Blaming(
        kConfiguration, kMayRecover,
        Config("hostid", "hostid[^\\n]{0,30}(mismatch|does not match|invalid)",
               "licence-host", "the licence is for another host")),
    Config("list",
           "not (in|on) (the )?(authori[sz]ed user|include) list|on (the "
           ")?exclude list",
           "licence-user", "the licence is for other users"),
    Fading(
        Config("token",
               "(security|access|auth(entication)?|bearer|api|personal access"
               "|refresh)[ _]token[^\\n]{0,40}(invalid|expired|malformed|"
               "revoked|not valid)|invalid (security|access|auth|bearer|api "
               ")?token\\b",
               "token-invalid", "the credentials are wrong")),
    Config("invalidclienttokenid", nullptr, "aws-unknown-key",
           "the credentials are wrong"),
    Config("unrecognizedclient", nullptr, "aws-unknown-client",
           "the credentials are wrong"),
    Config("gated repo", nullptr, "gated", "the model needs permission"),
    Config("gatedrepoerror", nullptr, "gated-error",
           "the model needs permission"),
    Config("repositorynotfounderror", nullptr, "no-repository",
           "the model does not exist or is private"),
    Fading(Config("unauthorized", "\\b401\\b|unauthorized(error|exception)?\\b",
                  "unauthorized", "the credentials are wrong")),
    Config("403",
           "\\b403\\b.{0,20}forbidden|forbidden: 403|http (error |status )?403|"
           "(status|error) ?(code)?[:= ]*403\\b",
           "forbidden", "the credentials do not suffice"),
    // What the cluster's API answered the program.
    Config(" is invalid: ", "\" is invalid: \\[?(spec|metadata|data|status)\\b",
           "api-invalid", "the object the program wants to create is invalid"),
    Config("denied the request", nullptr, "api-denied",
           "an admission webhook refuses what the program asks"),
    Config("cannot ",
           "user \\S+ cannot (create|get|list|watch|patch|update|delete)\\b",
           "api-rbac", "the program's service account has no permission"),
    Config("apiexception: (", "apiexception: \\((400|401|403|422)\\)",
           "python-api-refused", "the API refuses what the program asks"),
    // boto3 and the AWS command line name the code and the call.
    Config(
        "an error occurred (",
        "an error occurred \\((401|403|\\w*(denied|unauthorized|forbidden|"
        "expiredtoken|invalidtoken|accesskeyid|signature)\\w*)\\) when calling",
        "aws-denied", "the credentials do not suffice"),
    Config("an error occurred (",
           "an error occurred \\((404|nosuch\\w+|\\w*notfound\\w*)\\) when "
           "calling",
           "aws-not-found", "what the program asks for does not exist"),
    Config("signaturedoesnotmatch", nullptr, "aws-signature",
           "the credentials are wrong"),
    Config("404",
           "\\b404\\b.{0,20}not found|http (error |status )?404|"
           "status ?(code)?[:= ]*404|\\(404\\) when calling",
           "not-found", "what the program asks for does not exist"),
    Config("does_not_exist", "\\b(?-i:[A-Z]+(_[A-Z]+)*_DOES_NOT_EXIST)\\b",
           "code-not-exist", "what the program asks for does not exist"),
    Config("not_found",
           "\\b(?-i:[A-Z]+(_[A-Z]+)*_NOT_FOUND)\\b|statuscode\\.not_found",
           "code-not-found", "what the program asks for does not exist"),
    Config("statuscode.",
           "statuscode\\.(permission_denied|unauthenticated|invalid_argument|"
           "failed_precondition)",
           "grpc-refused", "the service refuses what the program asks"),
    Config("code = ",
           "code = (permissiondenied|unauthenticated|invalidargument|"
           "notfound|failedprecondition)\\b",
           "go-grpc-refused", "the service refuses what the program asks"),
    Config("nosuchbucket", nullptr, "no-bucket", "the bucket does not exist"),
    Config("nosuchkey", nullptr, "no-key", "the object does not exist"),
    Config("usage: ", "(^|\\n)usage: ", "usage",
           "the program was called wrongly and prints how to call it"),
    Config("duplicate gpu detected", nullptr, "duplicate-gpu",
           "two ranks were given the same GPU"),
    Config("nccl warn",
           "nccl warn [^\\n]{0,40}(invalid (rank|root|argument|usage|config|"
           "value)|mismatch)",
           "nccl-warned", "the collective library is told what cannot be"),
    Config("ncclinvalidusage", nullptr, "nccl-usage",
           "NCCL was called in a way it forbids"),
    Config("is not a git repository", nullptr, "no-git",
           "the program runs in the wrong place"),
    Config("unknown database", nullptr, "no-database",
           "the database does not exist"),
};

}  // namespace

std::span<const TextSignature> AccessTexts() { return kAccessTexts; }

}  // namespace mulligan::demystify
