// Enlarges requests in ways that may cost more than their size.
#ifndef MULLIGAN_TESTS_BENCHMARK_COSTLY_MUTATION_H_
#define MULLIGAN_TESTS_BENCHMARK_COSTLY_MUTATION_H_

#include <google/protobuf/message.h>

#include <cstddef>
#include <random>

namespace mulligan::testing {

using Random = std::minstd_rand;

// Changes one field in `message`: a list gets many copies of one of its
// elements (equal, or with unique names and texts) or empty ones, a text
// becomes long, a number extreme, an absent part present. Stays within about
// `max_bytes`.
void Mutate(google::protobuf::Message& message, std::size_t max_bytes,
            Random& random);

}  // namespace mulligan::testing

#endif  // MULLIGAN_TESTS_BENCHMARK_COSTLY_MUTATION_H_
