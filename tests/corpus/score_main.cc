// Scores this build against files of real failures:
//   corpus_score FILE.jsonl...
// Exits with 0 when at least 90 % are named rightly or acceptably and at most
// 1 % wrongly with high confidence, with 1 when not, with 2 on bad input.
#include <cstdio>
#include <vector>

#include "tests/corpus/corpus.h"

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: corpus_score FILE.jsonl...\n");
    return 2;
  }
  std::vector<mulligan::corpus::Score> scores;
  for (int i = 1; i < argc; ++i) {
    const auto cases = mulligan::corpus::ReadCases(argv[i]);
    if (!cases.ok()) {
      std::fprintf(stderr, "%s\n",
                   std::string(cases.status().message()).c_str());
      return 2;
    }
    scores.push_back(mulligan::corpus::ScoreCases(*cases));
    std::fputs(mulligan::corpus::Describe(argv[i], scores.back()).c_str(),
               stdout);
  }
  const mulligan::corpus::Score sum = mulligan::corpus::Sum(scores);
  if (scores.size() > 1) {
    std::fputs(mulligan::corpus::Describe("all", sum).c_str(), stdout);
  }
  const bool good =
      sum.named_share() >= 0.90 && sum.confidently_wrong_share() <= 0.01;
  return good ? 0 : 1;
}
