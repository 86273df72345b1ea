// What programs say of wrong configuration in words of everyday.
#include "policy/demystify/signatures/application_texts.h"
#include "policy/demystify/signatures/named_thing.h"

namespace mulligan::demystify {
namespace {

// Words that also stand in lines about something else: tried when nothing more
// telling was found.
constexpr TextSignature kVague[] = {
    Config("config",
           "(invalid|wrong|bad|missing|malformed|broken|incomplete)"
           "[^\\n]{0,40}config|(\\b|kube)config(uration)?[^\\n]{0,60}(is |was "
           ")?(invalid|"
           "missing|malformed|not found|not exist|error|required)|(parse|pars"
           "ing|read|load|decode|validate|unmarshal)\\w*[^\\n]{0,30}config",
           "configuration", "the configuration is wrong or missing"),
    Config("settings", "(missing|invalid|not found)", "settings",
           "the settings are wrong or missing"),
    Config("does not exist",
           "(table|column|relation|schema|database|function|role|file|"
           "directory|folder|path|bucket|model|dataset|topic|package)\\b[^\\n]"
           "{0,80} does not exist|fatal: /\\S+ does not exist",
           "does-not-exist", "what the program asks for does not exist"),
    Config("table", "table[_ ]or[_ ]view[_ ]not[_ ]found", "spark-table",
           "the table does not exist"),
    Config(
        "incompatib",
        "(version|cuda|cudnn|driver|abi|architecture|schema|library|compiler|"
        "toolchain)[^\\n]{0,60}incompatib|incompatib\\w*[^\\n]{0,60}(version|"
        "cuda|driver|architecture|schema|library|compiler|toolchain)",
        "incompatible", "two parts have versions that do not fit"),
    Config("unsupported",
           "unsupported (\\w+ "
           ")?(entry|field|key|value|toolchain|architecture|gpu|platform|"
           "version|option|"
           "argument|setting|configuration|operating system)",
           "unsupported", "what the program is given is not supported"),
    Config("only support",
           "only supports? [^\\n]{0,60}(gpu|cuda|architecture|python|version|"
           "device|platform|or (newer|later|higher|above))",
           "only-supports", "what the program is given is not supported"),
    Config("unbound variable", nullptr, "shell-unbound",
           "a variable of a script is not set"),
    Config("cannot load such file", nullptr, "ruby-load",
           "a Ruby library is missing"),
    // git says so after whatever ssh had to say.
    Blaming(kConfiguration, kMayRecover,
            Config("could not read from remote repository", nullptr,
                   "git-no-access",
                   "the repository is not there for these credentials")),
    Config("remote branch", "remote branch \\S+ not found", "git-branch",
           "the branch or tag does not exist"),
    Config("find remote ref", nullptr, "git-ref",
           "the branch or tag does not exist"),
    Config("did not match any", "pathspec [^\\n]{0,120}did not match any",
           "git-pathspec", "the branch, tag or path does not exist"),
    Config("defined",
           "(connection|conn_id|variable|setting|parameter|secret|environment|"
           "profile|context|option)\\b[^\\n]{0,60}(isn't|is not|not) defined",
           "not-defined", "a setting is missing"),
    Config(
        "missing",
        "missing (required )?(param(eter)?|argument|setting|option|env(ironment"
        ")?|credential|field|secret|token|variable)s?\\b",
        "missing-parameter", "a setting is missing"),
    Config("divisible by", "(is not|must be|should be) divisible by",
           "divisible", "sizes that have to fit each other do not"),
    Config("size",
           "error[^\\n]{0,160}(batch|world|group|pipeline|parallel)\\w*[ _]"
           "size[^\\n]{0,80}(equal|multiple|greater|less|larger|smaller|exceed|"
           "match|!=)",
           "sizes-differ", "sizes that have to fit each other do not"),
    Config("context initialization",
           "exception encountered during context initiali[sz]ation",
           "spring-context", "the configuration does not validate"),
    Config("nosuchbeandefinition", nullptr, "spring-no-bean",
           "the configuration does not validate"),
    Config("invalid device ordinal", nullptr, "cuda-ordinal",
           "the program asks for a GPU that it does not have"),
    Config("load",
           "can't load (the )?(tokenizer|model|config|feature|image|processor)",
           "hub-load", "the model does not exist"),
    Config("unimplemented", "statuscode.unimplemented|code = unimplemented",
           "grpc-unimplemented", "the service does not know the call"),
    Config("credentials",
           "no valid credentials|invalidcredentials|(load|find|locate|obtain|"
           "resolve) (the |any )?(\\w+ )?credentials|no (\\w+ )?credentials "
           "(provided|found|configured|available|set)|credentials? (could not|"
           "cannot|were not|was not|not|are|is) (be )?(found|loaded|provided|"
           "configured|invalid|missing)",
           "no-valid-credentials", "the credentials are wrong"),
    Config("provider found", "no \\S+ provider found", "no-provider",
           "nobody vouches for the credentials"),
    Config("doesn't exist",
           "\\b" MULLIGAN_NAMED_THING "\\b[^\\n]{0,80} doesn't exist",
           "doesnt-exist", "what the program asks for does not exist"),
    Config("not found",
           "\\b" MULLIGAN_NAMED_THING
           "\\b[^\\n]{0,60} (was |were |is |are )?not found",
           "thing-not-found", "what the program asks for does not exist"),
    Config("find",
           "(could not|couldn't|cannot|can't|unable to|failed to) find "
           "[^\\n]{0,40}\\b" MULLIGAN_NAMED_THING "\\b",
           "cannot-find", "what the program asks for does not exist"),
    Config("locate",
           "(could not|couldn't|cannot|can't|unable to|failed to) locate "
           "[^\\n]{0,40}\\b(" MULLIGAN_NAMED_THING "|\\S+\\.pm)\\b",
           "cannot-locate", "what the program asks for does not exist"),
    Config("no such", "no such " MULLIGAN_NAMED_THING "\\b", "no-such",
           "what the program asks for does not exist"),
    Config("unknown", "unknown " MULLIGAN_NAMED_THING "\\b", "unknown-thing",
           "the program does not know what it is told"),
    Config("unde", "(undefined|undeclared) (\\w+ )?" MULLIGAN_NAMED_THING "\\b",
           "undefined-thing", "the program does not know what it is told"),
    Config("unrecognized", "unrecognized " MULLIGAN_NAMED_THING "\\b",
           "unrecognized-thing", "the program does not know what it is told"),
    Config("support",
           "(error|exception|fatal|fail|cannot)[^\\n]{0,160}\\b(not|n't|no "
           "longer)( yet| currently| a| an)? support(ed)?\\b",
           "not-supported", "what the program is given is not supported"),
    Config("must",
           "\\b(you|and|it) must (specify|provide|set|configure|supply|define)"
           "|must be (specified|provided|configured|supplied|defined)\\b",
           "must-be-set", "a setting is missing"),
    Config("required flag", nullptr, "cobra-required", "a flag is missing"),
    Config("required",
           "(required|mandatory) " MULLIGAN_NAMED_THING
           "[^\\n]{0,60}(not (set|given|found|provided|specified)|missing|"
           "absent)",
           "required-thing", "a setting is missing"),
    Config("missing mandatory", nullptr, "omegaconf", "a setting is missing"),
    Config("pars",
           "(could not|cannot|can't|failed to|unable to|error) pars(e|ing) "
           "(the )?\\W?(image |object )?(reference|ur[li]|address|dsn|"
           "connection string|duration|flag|argument|option|quantity|schedule|"
           "cron|template|endpoint|host ?name|port|environment)s?\\b",
           "cannot-parse", "a setting is not what it should be"),
};

}  // namespace

std::span<const TextSignature> VagueUserErrorTexts() { return kVague; }

}  // namespace mulligan::demystify
