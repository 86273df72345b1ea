#include "policy/demystify/readers/creation_error_reader.h"

#include <span>

#include "policy/demystify/context.h"
#include "policy/demystify/fact.h"
#include "policy/demystify/readers/text_reader.h"
#include "policy/demystify/signatures/rows.h"
#include "policy/demystify/signatures/tables.h"
#include "policy/demystify/weighing/scene.h"
#include "policy/demystify/weighing/weighing.h"

namespace mulligan::demystify {
namespace {

void AddError(Candidates& facts, const Signature& row, const char* leaf,
              std::string_view value, std::int32_t number = 0) {
  AddFact(facts, "creation-error", row,
          {Root::kCreationError, -1, "", -1, leaf}, value)
      .number = number;
}

// Adds the most informative field if none names a cause.
void AddUnnamedError(Candidates& facts, const v1::CreationError& error) {
  const bool create = error.phase() == v1::CreationError::CREATE;
  const struct {
    const char* leaf;
    std::string_view value;
    std::int32_t number = 0;
  } all[] = {{".message", error.message()},
             {".reason", error.reason()},
             {".httpCode", {}, error.http_code()},
             {".phase", create ? "CREATE" : "", create ? 0 : error.phase()},
             {".kind", error.kind()},
             {"", "{}"}};
  for (const auto& sent : all) {
    if (sent.value.empty() && sent.number == 0) continue;
    return AddError(facts, NoAnswer(), sent.leaf, sent.value, sent.number);
  }
}

// Adds an API's answer. Returns the row of its message, or null.
const Signature* AddAnswer(Candidates& facts, const v1::CreationError& error) {
  const Signature* text =
      AddText(facts, CreationTexts(), error.message(),
              {Root::kCreationError, -1, "", -1, ".message"}, kUnknownTime);
  if (const Signature* reason = FindStatusReason(error.reason())) {
    AddError(facts, *reason, ".reason", error.reason());
  } else if (const Signature* code = FindHttpCode(error.http_code())) {
    AddError(facts, *code, ".httpCode", {}, error.http_code());
  } else if (text == nullptr) {
    AddUnnamedError(facts, error);
  }
  return text;
}

}  // namespace

void ReadCreationError(const Context& context, Candidates& facts) {
  if (!context.report.has_creation_error()) return;
  const v1::CreationError& error = context.report.creation_error();
  // Ignores an empty error next to objects.
  const bool alone =
      context.report.pods().empty() && context.report.jobs().empty();
  if (!alone && error.ByteSizeLong() == 0) return;
  context.AddUserSignature(
      facts, v1::Signature::CREATION_ERROR, error.message(), std::nullopt,
      {Root::kCreationError, -1, "", -1, ".message"}, kUnknownTime);
  const std::size_t before = facts.size();
  const bool of_build = error.phase() == v1::CreationError::BUILD;
  if (of_build) AddError(facts, BuildFailure(), ".phase", "BUILD");
  const bool was_called = !of_build || IsErrorCode(error.http_code());
  const Signature* text = was_called ? AddAnswer(facts, error) : nullptr;
  const Scene scene = {.message = text,
                       .is_answer = true,
                       .http_code = error.http_code(),
                       .of_build = of_build};
  const auto added = std::span(facts).subspan(before);
  Weigh(Round::kSameObject, added, scene);
  if (text != nullptr && text->confidence != v1::Diagnosis::HIGH &&
      text->cause == v1::QUOTA_EXCEEDED) {
    Weigh(Round::kQuota, std::span(facts), scene);
  }
  Weigh(Round::kTrust, added, scene);
}

}  // namespace mulligan::demystify
