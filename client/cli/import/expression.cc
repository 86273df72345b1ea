// Expressions of Argo Workflows as conditions of a policy: the expression
// becomes an "or" of "and"s of comparisons, each of which is a `when`.
#include <algorithm>
#include <bitset>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "client/cli/base/errors.h"
#include "client/cli/import/matchers.h"
#include "re2/re2.h"

namespace mulligan::cli {
namespace {

// Exit codes 0 to 255; the last bit is -1, Argo's value for no code.
constexpr int kNoCode = 256;
using Codes = std::bitset<kNoCode + 1>;

constexpr double kForever = 1e15;

struct Range {
  double from = 0;
  double to = kForever;
};

// Comparisons that must all hold.
struct Conjunction {
  Codes codes = Codes().set();
  bool may_fail = true;
  bool may_err = true;
  Range retries;
  Range seconds;
  std::vector<std::string> messages;
  std::vector<std::string> not_messages;
};
using Disjunction = std::vector<Conjunction>;
constexpr std::size_t kMaxDisjunction = 64;

absl::Status Unknown(const std::string& what) {
  return absl::UnimplementedError(
      absl::StrCat("a policy has no condition for ", what,
                   "; without it nothing is retried"));
}

bool CanHold(const Conjunction& all) {
  return all.codes.any() && (all.may_fail || all.may_err) &&
         all.retries.from <= all.retries.to &&
         all.seconds.from <= all.seconds.to;
}

Conjunction And(Conjunction left, const Conjunction& right) {
  left.codes &= right.codes;
  left.may_fail &= right.may_fail;
  left.may_err &= right.may_err;
  for (Range Conjunction::*range :
       {&Conjunction::retries, &Conjunction::seconds}) {
    (left.*range).from = std::max((left.*range).from, (right.*range).from);
    (left.*range).to = std::min((left.*range).to, (right.*range).to);
  }
  left.messages.insert(left.messages.end(), right.messages.begin(),
                       right.messages.end());
  left.not_messages.insert(left.not_messages.end(), right.not_messages.begin(),
                           right.not_messages.end());
  return left;
}

struct Token {
  enum class Kind { kEnd, kWord, kNumber, kString, kSign };
  Kind kind = Kind::kEnd;
  std::string text;
};

struct Operand {
  // "lastRetry.exitCode"; empty for values.
  std::string field;
  std::vector<Token> values;
};

// Returns the pattern of the texts that have this relation to `text`; the
// negation for "!=". Empty for relations of numbers.
std::string PatternOf(std::string_view sign, const std::string& text) {
  const std::string quoted = RE2::QuoteMeta(text);
  if (sign == "contains") return quoted;
  if (sign == "startsWith") return "^" + quoted;
  if (sign == "endsWith") return quoted + "$";
  if (sign == "matches") return text;
  return sign == "==" || sign == "!=" ? "^" + quoted + "$" : "";
}

bool Relates(double left, std::string_view sign, double right) {
  if (sign == "==") return left == right;
  if (sign == "!=") return left != right;
  if (sign == "<") return left < right;
  if (sign == "<=") return left <= right;
  if (sign == ">") return left > right;
  return left >= right;
}

class Parser {
 public:
  explicit Parser(std::string_view text) : rest_(text) { Next(); }

  absl::StatusOr<Disjunction> Parse() {
    absl::StatusOr<Disjunction> all = ParseOr(/*negated=*/false);
    if (!wrong_escape_.empty()) {
      return Invalid("%s has an unknown escape, expected \\\\ for a backslash",
                     Quote(wrong_escape_));
    }
    if (all.ok() && token_.kind != Token::Kind::kEnd) {
      return Wrong("an operator");
    }
    return all;
  }

 private:
  void Next() {
    static const RE2 kToken(R"(\s*(?:([A-Za-z_][\w.]*)|(-?\d+(?:\.\d+)?))"
                            R"re(|"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)')re"
                            R"(|`([^`]*)`|(&&|\|\||[=!<>]=|[^\s])))");
    std::string word, number, twice, once, raw, sign;
    re2::StringPiece rest(rest_.data(), rest_.size());
    token_ = {};
    if (!RE2::Consume(&rest, kToken, &word, &number, &twice, &once, &raw,
                      &sign)) {
      return;
    }
    const std::string_view read = rest_.substr(0, rest_.size() - rest.size());
    rest_.remove_prefix(read.size());
    if (!word.empty()) {
      token_ = {Token::Kind::kWord, word};
    } else if (!number.empty()) {
      token_ = {Token::Kind::kNumber, number};
    } else if (!sign.empty()) {
      token_ = {Token::Kind::kSign, sign};
    } else {
      token_ = {Token::Kind::kString, raw};
      const std::string& escaped = twice.empty() ? once : twice;
      if (!escaped.empty() && !absl::CUnescape(escaped, &token_.text)) {
        wrong_escape_ = escaped;
      }
    }
  }

  bool Take(std::string_view text) {
    if (token_.kind == Token::Kind::kString || token_.text != text) {
      return false;
    }
    Next();
    return true;
  }

  absl::Status Wrong(std::string_view expected) const {
    // Operators of the language that this parser does not support.
    if (token_.text == "?" || token_.text == "." || token_.text == "+") {
      return Unknown(absl::StrCat("the operator ", token_.text));
    }
    return Invalid(
        "expected %s before %s", expected,
        token_.kind == Token::Kind::kEnd ? "the end" : Quote(token_.text));
  }

  // Negation exchanges "and" and "or".
  absl::StatusOr<Disjunction> Combine(absl::StatusOr<Disjunction> left,
                                      absl::StatusOr<Disjunction> right,
                                      bool both) {
    if (!left.ok()) return left;
    if (!right.ok()) return right;
    if (!both) {
      left->insert(left->end(), right->begin(), right->end());
      return left;
    }
    Disjunction all;
    for (const Conjunction& one : *left) {
      for (const Conjunction& other : *right) {
        Conjunction together = And(one, other);
        if (CanHold(together)) all.push_back(std::move(together));
      }
    }
    if (all.size() > kMaxDisjunction) return Unknown("so many alternatives");
    return all;
  }

  absl::StatusOr<Disjunction> ParseOr(bool negated) {
    if (++depth_ > 32) return Unknown("so many parentheses");
    absl::StatusOr<Disjunction> all = ParseAnd(negated);
    while (all.ok() && (Take("||") || Take("or"))) {
      all = Combine(std::move(all), ParseAnd(negated), negated);
    }
    --depth_;
    return all;
  }

  absl::StatusOr<Disjunction> ParseAnd(bool negated) {
    absl::StatusOr<Disjunction> all = ParseNot(negated);
    while (all.ok() && (Take("&&") || Take("and"))) {
      all = Combine(std::move(all), ParseNot(negated), !negated);
    }
    return all;
  }

  absl::StatusOr<Disjunction> ParseNot(bool negated) {
    while (Take("!") || Take("not")) negated = !negated;
    if (!Take("(")) return ParseComparison(negated);
    absl::StatusOr<Disjunction> all = ParseOr(negated);
    if (all.ok() && !Take(")")) return Wrong("\")\"");
    return all;
  }

  absl::StatusOr<Operand> ParseOperand() {
    Operand operand;
    if (Take("[")) {
      while (!Take("]")) {
        if (token_.kind == Token::Kind::kEnd) return Wrong("\"]\"");
        operand.values.push_back(token_);
        Next();
        Take(",");
      }
      return operand;
    }
    if (token_.kind != Token::Kind::kWord) {
      if (token_.kind == Token::Kind::kEnd ||
          token_.kind == Token::Kind::kSign) {
        return Wrong("a value");
      }
      operand.values.push_back(token_);
      Next();
      return operand;
    }
    const std::string word = token_.text;
    Next();
    if (word == "true" || word == "false") {
      operand.values.push_back({Token::Kind::kWord, word});
      return operand;
    }
    if (!Take("(")) {
      operand.field = word;
      return operand;
    }
    static const std::vector<std::string> kCasts = {
        "asInt", "asFloat", "int", "float", "string", "toString"};
    if (std::find(kCasts.begin(), kCasts.end(), word) == kCasts.end()) {
      return Unknown(absl::StrCat("the function ", word));
    }
    absl::StatusOr<Operand> inner = ParseOperand();
    if (inner.ok() && !Take(")")) return Wrong("\")\"");
    return inner;
  }

  absl::StatusOr<Disjunction> ParseComparison(bool negated) {
    absl::StatusOr<Operand> left = ParseOperand();
    if (!left.ok()) return left.status();
    std::string sign = token_.text;
    static const std::vector<std::string> kSigns = {
        "==", "!=",       "<",          "<=",       ">",       ">=",
        "in", "contains", "startsWith", "endsWith", "matches", "not"};
    if (token_.kind == Token::Kind::kString ||
        std::find(kSigns.begin(), kSigns.end(), sign) == kSigns.end()) {
      if (left->values.size() == 1) {
        return Constant((left->values[0].text == "true") != negated);
      }
      return Wrong("a comparison");
    }
    Next();
    if (sign == "not") {
      negated = !negated;
      sign = token_.text;
      Next();
    }
    absl::StatusOr<Operand> right = ParseOperand();
    if (!right.ok()) return right.status();
    if (left->field.empty() && !right->field.empty()) {
      std::swap(*left, *right);
      if (sign.size() <= 2 && sign[0] == '<') {
        sign[0] = '>';
      } else if (sign.size() <= 2 && sign[0] == '>') {
        sign[0] = '<';
      }
    }
    if (!right->field.empty() || right->values.empty()) {
      return Unknown(right->field.empty() ? "an empty list" : right->field);
    }
    if (left->field.empty()) {
      const bool equal = left->values[0].text == right->values[0].text;
      return Constant((equal == (sign == "==")) != negated);
    }
    return OfField(left->field, sign, right->values, negated);
  }

  static Disjunction Constant(bool holds) {
    return holds ? Disjunction{Conjunction()} : Disjunction();
  }

  static absl::StatusOr<Disjunction> OfField(const std::string& field,
                                             const std::string& sign,
                                             const std::vector<Token>& values,
                                             bool negated) {
    Conjunction all;
    const std::string& text = values[0].text;
    std::string pattern = PatternOf(sign, text);
    const bool of_texts = !pattern.empty() && sign != "==" && sign != "!=";
    const RE2 compiled(pattern, RE2::Quiet);
    if (!compiled.ok()) {
      return Invalid("%s is not an RE2 expression: %s", Quote(text),
                     compiled.error());
    }
    if (field == "lastRetry.message") {
      if (pattern.empty()) return Unknown(absl::StrCat(field, " ", sign));
      ((sign == "!=") != negated ? all.not_messages : all.messages)
          .push_back(std::move(pattern));
      return Disjunction{all};
    }
    const auto holds = [&](double value, std::string_view word) {
      if (of_texts) {
        const std::string seen =
            word.empty() ? absl::StrCat(value) : std::string(word);
        return RE2::PartialMatch(seen, compiled) != negated;
      }
      for (const Token& token : values) {
        double number = 0;
        const bool is_number = absl::SimpleAtod(token.text, &number);
        const bool fits =
            word.empty()
                ? is_number &&
                      Relates(value, sign == "in" ? "==" : sign, number)
                : Relates(word == token.text, "==", sign != "!=");
        if (fits) return !negated;
      }
      return negated;
    };
    if (field == "lastRetry.status") {
      all.may_fail = holds(0, "Failed");
      all.may_err = holds(0, "Error");
    } else if (field == "lastRetry.exitCode") {
      // No failure has the code 0.
      all.codes.reset(0);
      for (int code = 1; code <= kNoCode; ++code) {
        const auto bit = static_cast<std::size_t>(code);
        all.codes.set(bit, holds(code == kNoCode ? -1 : code, ""));
      }
    } else if (field == "lastRetry.duration" || field == "retries") {
      double number = 0;
      if (!absl::SimpleAtod(text, &number) || values.size() != 1) {
        return Unknown(absl::StrCat(field, " ", sign, " ", text));
      }
      // The difference between successive values; retries are whole.
      const double step = field == "retries" ? 1 : 0.001;
      Range& range = field == "retries" ? all.retries : all.seconds;
      const bool above = (sign[0] == '>') != negated;
      const bool with = (sign.size() == 2) != negated;
      if (sign == "==" && !negated) {
        range = {number, number};
      } else if (sign[0] != '<' && sign[0] != '>') {
        return Unknown(absl::StrCat(field, " ", sign));
      } else if (above) {
        range.from = with ? number : number + step;
      } else {
        range.to = with ? number : number - step;
      }
    } else {
      return Unknown(field);
    }
    return CanHold(all) ? Disjunction{all} : Disjunction();
  }

  std::string_view rest_;
  Token token_;
  int depth_ = 0;
  // A string whose escapes the language does not know.
  std::string wrong_escape_;
};

// "NotIn [0]" means any code.
PolicyJson CodesJson(const Codes& codes, bool in) {
  std::vector<int> values;
  if (!in) values.push_back(0);
  for (int code = 1; code < kNoCode; ++code) {
    if (codes.test(static_cast<std::size_t>(code))) values.push_back(code);
  }
  return {{"operator", in ? "In" : "NotIn"}, {"values", values}};
}

// Adds what must hold to `positive`, and what only an earlier rule can refuse
// to `negative`. Returns false if `negative` is needed and null.
bool Write(const Conjunction& all, PolicyJson& positive,
           Alternatives* negative) {
  const auto refuse = [&](PolicyJson when) {
    if (negative == nullptr) return false;
    negative->push_back({std::move(when), true});
    return true;
  };
  bool written = true;
  if (const Codes others = ~Codes(all.codes).set(0); others.any()) {
    // An end without a code matches too, so other codes are refused instead.
    if (all.codes.test(kNoCode) && negative != nullptr) {
      refuse({{"exitCodes", CodesJson(others, true)}});
    } else {
      const bool in = all.codes.count() <= others.count();
      positive["exitCodes"] = CodesJson(in ? all.codes : others, in);
    }
  }
  if (!all.may_fail) {
    positive["kinds"] = {"argo"};
    positive["reasons"] = {"Error"};
  } else if (!all.may_err) {
    if (!refuse({{"kinds", {"argo"}}, {"reasons", {"Error"}}})) {
      positive["kinds"] = {"argo"};
      positive["reasons"] = {"Failed"};
    }
  }
  if (all.messages.size() > 1) return false;
  if (!all.messages.empty()) positive["statusPattern"] = all.messages[0];
  for (const std::string& message : all.not_messages) {
    written &= refuse({{"statusPattern", message}});
  }
  // Attempts count from 1, retries from 0.
  if (all.retries.from > 0) {
    positive["attempts"]["from"] = static_cast<int>(all.retries.from) + 1;
  }
  if (all.retries.to < kForever) {
    positive["attempts"]["to"] = static_cast<int>(all.retries.to) + 1;
  }
  const auto duration = [](double seconds) {
    return PolicyDuration(std::llround(seconds * 1000));
  };
  if (all.seconds.from > 0) {
    positive["ran"]["from"] = duration(all.seconds.from);
  }
  if (all.seconds.to < kForever) {
    positive["ran"]["to"] = duration(all.seconds.to);
  }
  return written;
}

}  // namespace

absl::StatusOr<Alternatives> MatchExpression(std::string_view text) {
  absl::StatusOr<Disjunction> either = Parser(text).Parse();
  if (!either.ok()) return either.status();
  Alternatives negative;
  Alternatives positive;
  for (const Conjunction& all : *either) {
    PolicyJson when = PolicyJson::object();
    if (!Write(all, when, either->size() == 1 ? &negative : nullptr)) {
      return Unknown("negations combined with alternatives");
    }
    positive.push_back({std::move(when)});
  }
  negative.insert(negative.end(), positive.begin(), positive.end());
  return negative;
}

}  // namespace mulligan::cli
