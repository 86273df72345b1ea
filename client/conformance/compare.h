// Compares an answer with what a peer's test asserts.
#ifndef MULLIGAN_CLIENT_CONFORMANCE_COMPARE_H_
#define MULLIGAN_CLIENT_CONFORMANCE_COMPARE_H_

#include <string>
#include <vector>

#include "client/conformance/case.h"

namespace mulligan::conformance {

// Every difference, as "path: expected X, got Y"; empty when `actual` meets
// `expect`. An answer may say more than is asserted, never less:
//   objects  every member of `expect` is in `actual` and meets it; a member
//            that is absent there differs, also from null
//   arrays   same length, element by element
//   numbers  by value
//   error    asserted as true or false: whether there is one, a text that is
//            not empty
// Some member names assert a property of the member they name:
//   xContains     `actual.x` contains the text, or every text of a list
//   xNotContains  ... contains none of them
//   xRegex        ... is found by the RE2 expression
//   xOneOf        ... equals one of the list
//   xAtLeast      ... is a number not smaller
//   xNever        `actual.xHistory`, a list, does not have the value
//   toleranceSeconds  numbers of its siblings may differ by so much
std::vector<std::string> Differences(const Json& expect, const Json& actual);

// A list of which peers' tests assert single elements: the conditions of an
// object, the samples of a registry. Each element wanted is met by one of
// these, in any order.
Json OpenList(Json elements);

// An answer that is true in several wordings ("a new name", "set", the name
// itself): what asserts one of them is met. Case files describe in their own
// words what a peer's test checks on objects.
Json Described(std::vector<Json> wordings);
// The same for an object that has members of its own besides.
Json Described(std::vector<Json> wordings, Json members);

}  // namespace mulligan::conformance

#endif  // MULLIGAN_CLIENT_CONFORMANCE_COMPARE_H_
