#include "policy/demystify/signatures/matching/keyword_matcher.h"

#include <cstddef>
#include <cstdlib>

#include "absl/strings/ascii.h"

namespace mulligan::demystify {

KeywordMatcher::KeywordMatcher(const std::vector<std::string_view>& keywords) {
  if (keywords.size() > kMaxKeywords) std::abort();
  for (const std::string_view keyword : keywords) {
    for (const char c : keyword) {
      std::uint8_t& symbol = symbol_[static_cast<unsigned char>(c)];
      if (symbol == 0) symbol = static_cast<std::uint8_t>(symbols_++);
    }
  }
  for (int c = 'A'; c <= 'Z'; ++c) {
    symbol_[static_cast<std::size_t>(c)] = symbol_[static_cast<std::size_t>(
        absl::ascii_tolower(static_cast<unsigned char>(c)))];
  }
  next_.assign(symbols_, 0);
  reports_.emplace_back();
  for (std::size_t i = 0; i < keywords.size(); ++i) {
    AddKeyword(keywords[i], static_cast<std::uint16_t>(i));
  }
  LinkStates();
}

void KeywordMatcher::AddKeyword(std::string_view keyword,
                                std::uint16_t number) {
  std::uint32_t state = 0;
  for (const char c : keyword) {
    const std::uint32_t symbol = symbol_[static_cast<unsigned char>(c)];
    if (Next(state, symbol) == 0) {
      const auto added = static_cast<std::uint32_t>(reports_.size());
      Next(state, symbol) = added;
      next_.resize(next_.size() + symbols_, 0);
      reports_.emplace_back();
    }
    state = Next(state, symbol);
  }
  reports_[state].push_back(number);
}

// Missing edges lead where the longest proper suffix leads.
void KeywordMatcher::LinkStates() {
  std::vector<std::uint32_t> fail(reports_.size(), 0);
  std::vector<std::uint32_t> queue;
  for (std::uint32_t symbol = 0; symbol < symbols_; ++symbol) {
    if (Next(0, symbol) != 0) queue.push_back(Next(0, symbol));
  }
  for (std::size_t head = 0; head < queue.size(); ++head) {
    const std::uint32_t state = queue[head];
    const std::vector<std::uint16_t>& inherited = reports_[fail[state]];
    reports_[state].insert(reports_[state].end(), inherited.begin(),
                           inherited.end());
    for (std::uint32_t symbol = 0; symbol < symbols_; ++symbol) {
      std::uint32_t& target = Next(state, symbol);
      const std::uint32_t fallback = Next(fail[state], symbol);
      if (target == 0) {
        target = fallback;
      } else {
        fail[target] = fallback;
        queue.push_back(target);
      }
    }
  }
  for (std::uint32_t& target : next_) {
    const bool reports = !reports_[target].empty();
    target *= symbols_;
    if (reports) target |= kReports;
  }
}

bool KeywordMatcher::Match(std::string_view text, Hits& hits) const {
  bool any = false;
  std::uint32_t row = 0;
  for (const char c : text) {
    const std::uint32_t target =
        next_[row + symbol_[static_cast<unsigned char>(c)]];
    row = target & ~kReports;
    if ((target & kReports) != 0) {
      any = true;
      for (const std::uint16_t keyword : reports_[row / symbols_]) {
        hits[keyword / 64] |= std::uint64_t{1} << (keyword % 64);
      }
    }
  }
  return any;
}

}  // namespace mulligan::demystify
