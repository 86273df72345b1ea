// Random numbers for property tests; equal seeds give equal runs.
#ifndef MULLIGAN_TESTS_TESTING_RANDOM_H_
#define MULLIGAN_TESTS_TESTING_RANDOM_H_

#include <algorithm>
#include <random>

namespace mulligan::testing {

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}

  // Returns a number from 0 to `bound` - 1.
  int Below(int bound) {
    return static_cast<int>(engine_() % static_cast<unsigned>(bound));
  }
  bool OneIn(int n) { return Below(n) == 0; }
  template <typename List>
  void Shuffle(List& list) {
    std::shuffle(list.begin(), list.end(), engine_);
  }

 private:
  std::mt19937 engine_;
};

}  // namespace mulligan::testing

#endif  // MULLIGAN_TESTS_TESTING_RANDOM_H_
