// Makes requests larger in ways that may cost more than their bytes.
#ifndef MULLIGAN_TESTS_BENCHMARK_COSTLY_MUTATION_H_
#define MULLIGAN_TESTS_BENCHMARK_COSTLY_MUTATION_H_

#include <google/protobuf/message.h>

#include <cstddef>
#include <random>

namespace mulligan::testing {

using Random = std::minstd_rand;

// Changes one field somewhere in `message`: a list gets many copies of one of
// its members (alike, or with names and texts of their own) or empty ones, a
// text becomes long, a number extreme, an absent part present. Stays within
// `max_bytes`, roughly.
void Mutate(google::protobuf::Message& message, std::size_t max_bytes,
            Random& random);

}  // namespace mulligan::testing

#endif  // MULLIGAN_TESTS_BENCHMARK_COSTLY_MUTATION_H_
