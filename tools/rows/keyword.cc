#include "tools/rows/keyword.h"

#include <re2/filtered_re2.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "policy/demystify/signatures/matching/pattern_options.h"

namespace mulligan::demystify {
namespace {

// The words ("atoms") that a match must contain. RE2 only answers whether a
// text with given atoms may match.
class Atoms {
 public:
  explicit Atoms(const std::string& pattern) : filter_(1) {
    int id = 0;
    filter_.Add(pattern, PatternOptions(), &id);
    filter_.Compile(&atoms_);
  }

  // Returns whether every match has an atom with `words`.
  bool Require(const std::string& words) const {
    std::vector<int> others;
    for (std::size_t i = 0; i < atoms_.size(); ++i) {
      if (atoms_[i].find(words) == std::string::npos) {
        others.push_back(static_cast<int>(i));
      }
    }
    std::vector<int> potential;
    filter_.AllPotentials(others, &potential);
    return potential.empty();
  }

  bool Have(const std::string& words) const {
    return std::ranges::any_of(atoms_, [&words](const std::string& atom) {
      return atom.find(words) != std::string::npos;
    });
  }

  // Returns all parts of atoms, the longest first, then alphabetically.
  std::vector<std::string> Parts() const {
    std::set<std::string> unique;
    for (const std::string& atom : atoms_) {
      for (std::size_t from = 0; from < atom.size(); ++from) {
        for (std::size_t size = 1; from + size <= atom.size(); ++size) {
          unique.insert(atom.substr(from, size));
        }
      }
    }
    std::vector<std::string> parts(unique.begin(), unique.end());
    std::ranges::stable_sort(parts, std::ranges::greater(), &std::string::size);
    return parts;
  }

 private:
  re2::FilteredRE2 filter_;
  std::vector<std::string> atoms_;
};

}  // namespace

std::optional<std::string> LiteralOf(const std::string& pattern) {
  constexpr std::string_view kSpecial = "^$.|?*+()[]{}";
  std::string literal;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '\\') {
      ++i;
      if (i == pattern.size() ||
          !absl::ascii_ispunct(static_cast<unsigned char>(pattern[i]))) {
        return std::nullopt;
      }
    } else if (kSpecial.find(pattern[i]) != std::string_view::npos) {
      return std::nullopt;
    }
    literal += pattern[i];
  }
  return absl::AsciiStrToLower(literal);
}

std::string RequiredWords(const std::string& pattern) {
  const Atoms atoms(pattern);
  for (std::string& part : atoms.Parts()) {
    if (!atoms.Require(part)) continue;
    const bool is_distinctive =
        part.size() > 1 ||
        absl::ascii_ispunct(static_cast<unsigned char>(part[0]));
    return is_distinctive ? std::move(part) : std::string();
  }
  return {};
}

std::string KeywordProblem(const std::string& pattern,
                           const std::string& keyword, bool elsewhere) {
  const Atoms atoms(pattern);
  if (atoms.Require(keyword)) {
    return absl::StrCat("every match of the pattern has \"", keyword,
                        "\" already, expected no keyword");
  }
  if (atoms.Have(keyword) == elsewhere) return {};
  return elsewhere
             ? absl::StrCat("no match of the pattern has \"", keyword,
                            "\", expected no keywordBeside")
             : absl::StrCat("some matches of the pattern have \"", keyword,
                            "\", and the others are never found without "
                            "it, expected a keyword of none or all, or "
                            "keywordBeside");
}

}  // namespace mulligan::demystify
