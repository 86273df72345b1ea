// Signs of a failure that passes, looked for beside a mistake: a program that
// lost its connection, or was told to come again, often says so in words that
// also stand for a wrong setting or damaged data.
#include "policy/demystify/signatures/application_texts.h"
#include "policy/demystify/signatures/tables.h"

namespace mulligan::demystify {
namespace {

constexpr TextSignature Passing(std::string_view keyword, const char* pattern,
                                std::string_view name,
                                std::string_view meaning) {
  return AppText(keyword, pattern, name, v1::DEPENDENCY_UNAVAILABLE, kLow,
                 Tier::kHint, kPasses, meaning);
}

constexpr TextSignature kPassingTexts[] = {
    Passing("timed out", nullptr, "timed-out",
            "something did not answer in time"),
    Passing("timeout",
            "timeout (was )?(exceeded|expired|occurred|reached)|(gateway|"
            "client\\.|request|read|connect(ion)?|socket|handshake|i/o) "
            "?timeout",
            "timeout", "something did not answer in time"),
    Passing("while awaiting", nullptr, "while-awaiting",
            "something did not answer in time"),
    Passing("deadline", "deadline[ _]?exceeded", "deadline",
            "something did not answer in time"),
    Passing("connection",
            "connection (was )?(reset|refused|aborted|lost|broken|closed "
            "(un|by|before))",
            "connection", "a connection broke"),
    Passing("reset by peer", nullptr, "reset", "a connection broke"),
    Passing("broken pipe", nullptr, "broken-pipe", "a connection broke"),
    Passing("unexpected disconnect", nullptr, "disconnect",
            "a connection broke"),
    Passing("early eof", nullptr, "early-eof", "a connection broke"),
    Passing("premature", "premature(ly)? (end|clos)", "premature",
            "a connection broke"),
    Passing(
        "unexpected e",
        "(https?:/|\\b(s3|gs|abfss?|wasbs?|hdfs|oss|pipe):|\\b(stream|"
        "socket|download))[^\\n]{0,300}unexpected e(of|nd of)|unexpected "
        "e(of|nd of)[^\\n]{0,200}(https?:/|\\b(s3|gs|abfss?|wasbs?|hdfs|oss|"
        "pipe)\\b|\\b(stream|socket|download))",
        "remote-end", "a transfer ended too early"),
    Passing("could not transfer", nullptr, "transfer",
            "a transfer ended too early"),
    Passing("econn", "\\bECONN(RESET|REFUSED|ABORTED)\\b", "econn",
            "a connection broke"),
    Passing("50",
            "\\b(http|status|code|error|returned)\\b[^\\n]{0,12}\\b50[234]"
            "\\b|\\b50[234] (service|bad|gateway)",
            "http-50x", "a service is unavailable"),
    Passing("429", "\\b429\\b[^\\n]{0,20}(too many|rate)", "http-429",
            "a service asks to slow down"),
    Passing("rejected execution", nullptr, "rejected-execution",
            "a service takes no more work for now"),
    Passing("try",
            "(please |and |then |to )(re)?try (the |this |your )?(operation|"
            "request|query|again)|(re-?)?try(ing)? (it |again )?(later|may|"
            "might|will)\\b",
            "try-again", "it asks to be tried again"),
    Passing("temporar", "temporar(y|ily) (failure|error|unavailable)",
            "temporary", "it says itself that it passes"),
    Passing("transient", "transient (error|failure|exception|issue)",
            "transient", "it says itself that it passes"),
    Passing("concurrent",
            "concurrent (update|modif|write|transaction|append|operation)|"
            "(updated|modified|created|changed|deleted) concurrently",
            "concurrent", "others wrote at the same time"),
    Passing("has changed: expected", nullptr, "changed",
            "others wrote at the same time"),
    Passing(
        "lock",
        "(unable|failed) to (get |obtain |acquire |take )?(a |the )?lock\\b|"
        "(could not|cannot) (get|obtain|acquire|take) (a |the )?lock|no "
        "locks available",
        "lock", "another process holds a lock"),
    Passing("has exited", "owner has exited", "owner-gone",
            "another process it depends on went away"),
};

}  // namespace

const TextTable& PassingTexts() {
  static const TextTable* const table = new TextTable("passing", kPassingTexts);
  return *table;
}

}  // namespace mulligan::demystify
