#include "tools/rows/rows.h"

#include <re2/re2.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "policy/demystify/signatures/matching/text_table.h"
#include "policy/loader/yaml_reader.h"
#include "policy/loader/yaml_tree.h"
#include "tools/rows/remedies.h"
#include "tools/rows/searched_texts.h"

namespace mulligan::demystify {
namespace {

using signatures::Row;
using signatures::Table;

// Converts "deletion-requested" to DeletionRequested.
std::string ConstantOf(const std::string& name) {
  std::string constant;
  bool begins = true;
  for (const char c : name) {
    if (c == '-') {
      begins = true;
      continue;
    }
    if (!absl::ascii_isalnum(static_cast<unsigned char>(c))) return {};
    constant += begins ? absl::ascii_toupper(static_cast<unsigned char>(c)) : c;
    begins = false;
  }
  return constant;
}

bool IsIdentifier(const std::string& name) {
  return !name.empty() &&
         absl::ascii_isupper(static_cast<unsigned char>(name.front())) &&
         std::ranges::all_of(
             name, [](unsigned char c) { return absl::ascii_isalnum(c); });
}

// Compiles one table's rows, with the defaults of table and sections.
class TableCompiler {
 public:
  TableCompiler(const Table& table, const SourceMap& positions, Issues& issues)
      : table_(table), positions_(positions), report_(positions, issues) {}

  CompiledTable Compile() {
    CompiledTable result{positions_.file(),
                         table_.table(),
                         table_.kind(),
                         table_.evidence(),
                         {}};
    if (table_.kind() == signatures::KIND_UNSPECIFIED) {
      report_.Error("kind", "missing, expected a kind of table such as TEXT");
      return result;
    }
    const bool is_named = table_.kind() != signatures::SIGN;
    if (is_named ? !IsIdentifier(table_.table()) : !table_.table().empty()) {
      report_.Error("table", absl::StrFormat(
                                 "\"%s\", expected the name of the table in "
                                 "C++, such as HardwareTexts; signs have none",
                                 table_.table()));
    }
    if (table_.rows().empty()) {
      report_.Error("rows", "rows is missing, expected at least one");
    }
    if (table_.evidence().empty() == (table_.kind() == signatures::TEXT)) {
      report_.Error("evidence",
                    "expected the name of the table in evidence, such as text; "
                    "only tables of texts have one");
    }
    AddRows(table_.defaults(), table_.rows(), "rows");
    Sort();
    result.rows = std::move(rows_);
    return result;
  }

 private:
  void AddRows(const Row& defaults,
               const google::protobuf::RepeatedPtrField<Row>& rows,
               const std::string& path) {
    for (int i = 0; i < rows.size(); ++i) {
      const std::string at = absl::StrCat(path, "[", i, "]");
      Row own = rows[i];
      own.clear_defaults();
      own.clear_rows();
      const bool is_section = rows[i].rows_size() > 0;
      if (is_section == rows[i].has_defaults() &&
          (!is_section || own.ByteSizeLong() == 0)) {
        const Row row =
            WithDefaults(is_section ? rows[i].defaults() : own, defaults);
        if (is_section) {
          AddRows(row, rows[i].rows(), at + ".rows");
        } else {
          AddRow(row, at);
        }
        continue;
      }
      report_.Error(at, "expected a row, or a section of defaults and rows");
    }
  }

  // Flags are replaced, not merged.
  static Row WithDefaults(const Row& own, const Row& defaults) {
    Row row = defaults;
    if (own.flags_size() > 0) row.clear_flags();
    row.MergeFrom(own);
    return row;
  }

  void AddRow(Row row, const std::string& at) {
    const int errors = report_.errors();
    CompiledRow compiled;
    compiled.position = positions_.Find(at);
    CheckMandatory(row, at);
    CheckKind(row, at);
    CheckRemedies(row, at, report_);
    if (!row.message_pattern().empty() || row.message_patterns_size() > 0) {
      compiled.texts = SearchedTexts(row, table_.parts(), at, report_);
    }
    if (!row.sample().empty()) compiled.samples.push_back(row.sample());
    compiled.samples.insert(compiled.samples.end(), row.samples().begin(),
                            row.samples().end());
    compiled.constant = row.constant();
    if (table_.kind() == signatures::SIGN && compiled.constant.empty()) {
      compiled.constant = ConstantOf(row.name());
    }
    const bool needs_constant =
        table_.kind() == signatures::SIGN || !compiled.constant.empty();
    if (needs_constant && !IsIdentifier(compiled.constant)) {
      report_.Error(
          at + ".constant",
          absl::StrFormat("\"%s\", expected a name in C++ for \"%s\", such as "
                          "OutOf",
                          row.constant(), row.name()));
    }
    compiled.row = std::move(row);
    if (report_.errors() > errors) return;
    if (table_.kind() == signatures::TEXT) CheckSamples(compiled, at);
    rows_.push_back(std::move(compiled));
  }

  void CheckMandatory(const Row& row, const std::string& at) {
    const auto need = [&](bool given, const char* key, const char* expected) {
      if (!given) {
        report_.Error(absl::StrCat(at, ".", key),
                      absl::StrCat(key, " is missing, expected ", expected));
      }
    };
    need(!row.name().empty(), "name", "a name");
    need(row.cause() != v1::CAUSE_UNSPECIFIED, "cause",
         "a cause such as GPU_FAULT");
    need(row.confidence() != v1::Diagnosis::CONFIDENCE_UNSPECIFIED,
         "confidence", "LOW, MEDIUM or HIGH");
    need(row.tier() != Row::TIER_UNSPECIFIED, "tier",
         "a tier such as SPECIFIC");
    need(row.weight() != v1::Evidence::WEIGHT_UNSPECIFIED, "weight",
         "a weight such as MESSAGE");
    need(!row.meaning().empty() || row.needs_text(), "meaning",
         "what people are told");
  }

  // Checks for the keys of this kind of table, and no others.
  void CheckKind(const Row& row, const std::string& at) {
    const auto belongs = [&](bool given, bool mandatory, const char* key,
                             const char* expected) {
      if (given == mandatory) return;
      report_.Error(
          absl::StrCat(at, ".", key),
          absl::StrFormat("%s is %s in a table of the kind %s, expected %s",
                          key, given ? "not known" : "missing",
                          signatures::Kind_Name(table_.kind()),
                          given ? "none" : expected));
    };
    const signatures::Kind kind = table_.kind();
    const bool is_text = kind == signatures::TEXT;
    const bool has_pattern =
        !row.message_pattern().empty() || row.message_patterns_size() > 0;
    if (kind != signatures::SIGN) {
      belongs(has_pattern, is_text, "messagePattern", "an RE2 expression");
    }
    belongs(!row.sample().empty() || row.samples_size() > 0, is_text, "sample",
            "an example in your own words, or several in samples");
    belongs(!row.source().empty(), is_text, "source", "who prints such a text");
    belongs(row.exit_codes_size() > 0, kind == signatures::EXIT_CODE,
            "exitCodes", "the codes");
    belongs(row.http_codes_size() > 0, kind == signatures::HTTP_CODE,
            "httpCodes", "a code, or the first and the last");
    belongs(row.stage() != Row::Life::STAGE_UNSPECIFIED,
            kind == signatures::EVENT, "stage",
            "when in a pod's life it comes");
    if (row.http_codes_size() > 2) {
      report_.Error(at + ".httpCodes",
                    absl::StrFormat("has %d codes, expected one, or the first "
                                    "and the last",
                                    row.http_codes_size()));
    }
  }

  static bool Find(const SearchedText& text, const std::string& sample) {
    const TextSignature row{
        text.keyword,
        text.pattern.empty() ? nullptr : text.pattern.c_str(),
        {}};
    return TextTable("", {&row, 1}).Find(sample) != nullptr;
  }

  void CheckSamples(const CompiledRow& compiled, const std::string& at) {
    const auto found = [&compiled](const std::string& sample) {
      return std::ranges::any_of(compiled.texts, [&](const SearchedText& text) {
        return Find(text, sample);
      });
    };
    for (const std::string& sample : compiled.samples) {
      if (found(sample)) continue;
      report_.Error(at + ".sample",
                    absl::StrFormat("the row does not match \"%s\", expected a "
                                    "text that it matches",
                                    sample));
    }
    for (const SearchedText& text : compiled.texts) {
      if (std::ranges::any_of(compiled.samples, [&](const std::string& sample) {
            return Find(text, sample);
          })) {
        continue;
      }
      report_.Error(at + ".samples",
                    absl::StrFormat("none has \"%s\", expected "
                                    "a sample of each",
                                    text.keyword));
    }
    for (const std::string& other : compiled.row.near_misses()) {
      if (!found(other)) continue;
      report_.Error(at + ".nearMisses",
                    absl::StrFormat("the row matches \"%s\", expected a text "
                                    "that it does not match",
                                    other));
    }
  }

  void Sort() {
    if (table_.kind() == signatures::REASON ||
        table_.kind() == signatures::EVENT) {
      std::ranges::stable_sort(rows_, {}, [](const CompiledRow& compiled) {
        return compiled.row.name();
      });
    }
    // Of two rows with one code, the one with a context comes first.
    if (table_.kind() == signatures::EXIT_CODE) {
      std::ranges::stable_sort(rows_, {}, [](const CompiledRow& compiled) {
        return std::pair(compiled.row.exit_codes(0),
                         compiled.row.context() == Row::Owner::ANY);
      });
    }
  }

  const Table& table_;
  const SourceMap& positions_;
  IssueReporter report_;
  std::vector<CompiledRow> rows_;
};

}  // namespace

std::vector<CompiledTable> CompileTables(const std::string& file,
                                         const std::string& yaml,
                                         Issues& issues) {
  std::vector<CompiledTable> tables;
  const YamlDocuments parsed = ParseYaml(file, yaml, issues);
  if (HasErrors(issues)) return tables;
  if (parsed.documents.empty()) {
    issues.push_back(
        {Issue::Severity::kError, file, {}, "empty file, expected a table"});
  }
  for (const YamlNode& document : parsed.documents) {
    Table table;
    SourceMap positions(file);
    ReadYamlMessage(document, table, positions, issues);
    if (HasErrors(issues)) continue;
    tables.push_back(TableCompiler(table, positions, issues).Compile());
  }
  return tables;
}

void CheckNames(const std::vector<CompiledTable>& tables, Issues& issues) {
  std::map<std::string, std::string> taken;
  const auto take = [&](const std::string& what, const std::string& name,
                        const std::string& file, Position position) {
    const auto [entry, is_new] =
        taken.insert({absl::StrCat(what, " ", name),
                      absl::StrCat(file, ":", position.line)});
    if (is_new) return;
    issues.push_back({Issue::Severity::kError, file, position,
                      absl::StrFormat("%s \"%s\" is used twice, the first time "
                                      "at %s; expected another",
                                      what, name, entry->second)});
  };
  for (const CompiledTable& table : tables) {
    if (!table.name.empty()) take("table", table.name, table.file, {});
    for (const CompiledRow& row : table.rows) {
      // Families of texts share the names of their evidence.
      const std::string& scope =
          table.evidence.empty() ? table.name : table.evidence;
      if (table.kind == signatures::EXIT_CODE) {
        for (const int code : row.row.exit_codes()) {
          take("exit code",
               absl::StrCat(code, " ",
                            Row::Owner::Context_Name(row.row.context())),
               table.file, row.position);
        }
      } else if (table.kind != signatures::SIGN) {
        take("name", absl::StrCat(scope, "/", row.row.name()), table.file,
             row.position);
      }
      if (!row.constant.empty()) {
        take("constant", row.constant, table.file, row.position);
      }
    }
  }
}

}  // namespace mulligan::demystify
