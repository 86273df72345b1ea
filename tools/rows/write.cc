#include "tools/rows/write.h"

#include <string_view>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tools/rows/keyword.h"

namespace mulligan::demystify {
namespace {

using signatures::Row;

constexpr char kGenerated[] =
    "// Made from policy/demystify/signatures/*.yaml by "
    "tools/rows.\n";

std::string FlagsOf(const Row& row) {
  std::string flags = "kNoFlags";
  for (const int flag : row.flags()) {
    if (flag == Row::NONE) continue;
    absl::StrAppend(&flags, " | ",
                    ConstantName(Row::Flag_Name(static_cast<Row::Flag>(flag))));
  }
  return flags;
}

std::string SignatureOf(const Row& row) {
  return absl::StrCat(
      "{", CppString(row.name()), ", v1::", v1::Cause_Name(row.cause()),
      ", v1::Diagnosis::", v1::Diagnosis::Confidence_Name(row.confidence()),
      ", Tier::", ConstantName(Row::Tier_Name(row.tier())),
      ", v1::Evidence::", v1::Evidence::Weight_Name(row.weight()), ", ",
      FlagsOf(row), ",\n   ", CppString(row.meaning()), ",\n   v1::Diagnosis::",
      v1::Diagnosis::FaultDomain_Name(row.fault_domain()),
      ", v1::Diagnosis::", v1::Diagnosis::Outlook_Name(row.outlook()), "}");
}

std::string TextsOf(const CompiledRow& compiled) {
  return absl::StrJoin(
      compiled.texts, ",\n  ",
      [&compiled](std::string* out, const SearchedText& text) {
        absl::StrAppend(
            out, "{", CppString(text.keyword), ", ",
            text.pattern.empty() ? "nullptr" : CppString(text.pattern), ",\n  ",
            SignatureOf(compiled.row), "}");
      });
}

std::string EventOf(const Row& row) {
  return absl::StrCat(
      "{", SignatureOf(row),
      ", Stage::", ConstantName(Row::Life::Stage_Name(row.stage())),
      ", Texts::", ConstantName(Row::Message::Texts_Name(row.texts())), ", ",
      row.needs_text() ? "true" : "false", "}");
}

std::string ExitCodesOf(const Row& row) {
  return absl::StrJoin(
      row.exit_codes(), ",\n  ", [&row](std::string* out, int code) {
        absl::StrAppend(out, "{", code, ", ExitContext::",
                        ConstantName(Row::Owner::Context_Name(row.context())),
                        ", ", SignatureOf(row), "}");
      });
}

std::string HttpCodesOf(const Row& row) {
  return absl::StrCat("{", row.http_codes(0), ", ",
                      row.http_codes(row.http_codes_size() - 1), ", ",
                      SignatureOf(row), "}");
}

// Returns the remedies of all tables.
std::string RemediesOf(const std::vector<CompiledTable>& tables) {
  std::string text = "namespace {\nconstexpr RemedyRow kRemedies[] = {\n";
  for (const CompiledTable& table : tables) {
    for (const CompiledRow& compiled : table.rows) {
      for (const Row::Remedy& remedy : compiled.row.remedies()) {
        absl::StrAppend(
            &text, "  {", CppString(table.evidence), ", ",
            CppString(compiled.row.name()),
            ", v1::", v1::Cause_Name(compiled.row.cause()), ", ",
            CppString(remedy.names()), ", ",
            CppString(RequiredWords(remedy.names())), ",\n   ",
            CppString(remedy.problem()), ",\n   ", CppString(remedy.remedy()),
            ",\n   ", CppString(remedy.command()),
            ", v1::FirstStep::", v1::FirstStep::Actor_Name(remedy.actor()),
            ", ", CppString(remedy.elsewhere()), "},\n");
      }
    }
  }
  return text +
         "};\n}  // namespace\nstd::span<const RemedyRow> RemedyRows() { "
         "return "
         "kRemedies; }\n\n";
}

struct InCpp {
  std::string type;
  std::string row;
};

InCpp InCppOf(const CompiledRow& compiled, signatures::Kind kind) {
  switch (kind) {
    case signatures::TEXT:
      return {"TextSignature", TextsOf(compiled)};
    case signatures::EVENT:
      return {"EventSignature", EventOf(compiled.row)};
    case signatures::EXIT_CODE:
      return {"ExitCodeSignature", ExitCodesOf(compiled.row)};
    case signatures::HTTP_CODE:
      return {"HttpCodeSignature", HttpCodesOf(compiled.row)};
    case signatures::SIGN:
      if (!compiled.texts.empty()) return {"TextSignature", TextsOf(compiled)};
      break;
    default:
      break;
  }
  return {"Signature", SignatureOf(compiled.row)};
}

}  // namespace

std::string ConstantName(std::string_view name) {
  std::string result = "k";
  bool begins = true;
  for (const char c : name) {
    if (c == '_') {
      begins = true;
      continue;
    }
    const auto letter = static_cast<unsigned char>(c);
    result +=
        begins ? absl::ascii_toupper(letter) : absl::ascii_tolower(letter);
    begins = false;
  }
  return result;
}

std::string CppString(const std::string& text) {
  return absl::StrCat("\"", absl::CHexEscape(text), "\"");
}

std::string HeaderOf(const std::vector<CompiledTable>& tables) {
  std::string rows;
  std::string signs;
  std::string keys;
  for (const CompiledTable& table : tables) {
    if (table.kind != signatures::SIGN && !table.rows.empty()) {
      absl::StrAppend(&rows, "std::span<const ",
                      InCppOf(table.rows.front(), table.kind).type, "> ",
                      table.name, "();\n");
    }
    for (const CompiledRow& row : table.rows) {
      if (table.kind == signatures::SIGN) {
        absl::StrAppend(&signs, "extern const ", InCppOf(row, table.kind).type,
                        " k", row.constant, ";\n");
      } else if (!row.constant.empty()) {
        absl::StrAppend(&keys, "inline constexpr std::string_view k",
                        row.constant, " = ", CppString(row.row.name()), ";\n");
      }
    }
  }
  return absl::StrCat(
      kGenerated,
      "#ifndef MULLIGAN_POLICY_DEMYSTIFY_SIGNATURES_ROWS_H_\n"
      "#define MULLIGAN_POLICY_DEMYSTIFY_SIGNATURES_ROWS_H_\n\n"
      "#include <span>\n#include <string_view>\n\n"
      "#include \"policy/demystify/signatures/tables.h\"\n\n"
      "namespace mulligan::demystify {\n\n"
      "// Whole tables.\nnamespace rows {\n",
      rows, "}  // namespace rows\n\n",
      "// Rows that code asks for.\nnamespace sign {\n", signs,
      "}  // namespace sign\n\n",
      "// Names of rows that code asks for.\nnamespace key {\n", keys,
      "}  // namespace key\n\n}  // namespace mulligan::demystify\n\n"
      "#endif  // MULLIGAN_POLICY_DEMYSTIFY_SIGNATURES_ROWS_H_\n");
}

std::string SourceOf(const std::vector<CompiledTable>& tables) {
  std::string text =
      absl::StrCat(kGenerated,
                   "#include \"policy/demystify/signatures/rows.h\"\n\n"
                   "namespace mulligan::demystify {\n\n");
  for (const CompiledTable& table : tables) {
    if (table.rows.empty()) continue;
    if (table.kind == signatures::SIGN) {
      for (const CompiledRow& row : table.rows) {
        const InCpp cpp = InCppOf(row, table.kind);
        absl::StrAppend(&text, "constinit const ", cpp.type, " sign::k",
                        row.constant, " =\n  ", cpp.row, ";\n");
      }
      continue;
    }
    const std::string type = InCppOf(table.rows.front(), table.kind).type;
    absl::StrAppend(&text, "namespace {\nconstexpr ", type, " k", table.name,
                    "[] = {\n");
    for (const CompiledRow& row : table.rows) {
      absl::StrAppend(&text, "  ", InCppOf(row, table.kind).row, ",\n");
    }
    absl::StrAppend(&text, "};\n}  // namespace\nstd::span<const ", type,
                    "> rows::", table.name, "() { return k", table.name,
                    "; }\n\n");
  }
  absl::StrAppend(&text, RemediesOf(tables),
                  "}  // namespace mulligan::demystify\n");
  return text;
}

std::string SamplesOf(const std::vector<CompiledTable>& tables) {
  std::string text =
      absl::StrCat(kGenerated,
                   "#include \"policy/demystify/signatures/samples.h\"\n\n"
                   "namespace mulligan::demystify {\nnamespace {\n"
                   "constexpr TextSample kSamples[] = {\n");
  for (const CompiledTable& table : tables) {
    for (const CompiledRow& row : table.rows) {
      for (const std::string& sample : row.samples) {
        absl::StrAppend(&text, "  {", CppString(table.evidence), ", ",
                        CppString(row.row.name()), ",\n   ", CppString(sample),
                        "},\n");
      }
    }
  }
  absl::StrAppend(&text,
                  "};\n}  // namespace\n"
                  "std::span<const TextSample> TextSamples() {\n"
                  "  return kSamples;\n}\n"
                  "}  // namespace mulligan::demystify\n");
  return text;
}

}  // namespace mulligan::demystify
