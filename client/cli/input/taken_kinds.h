// The kinds of objects that a report has a place for.
#ifndef MULLIGAN_CLIENT_CLI_INPUT_TAKEN_KINDS_H_
#define MULLIGAN_CLIENT_CLI_INPUT_TAKEN_KINDS_H_

#include <string>
#include <vector>

#include "client/cli/input/documents.h"
#include "policy/request/kinds.h"

namespace mulligan::cli {

// The row of the object's kind; null when a report has no place for it.
// Versions do not matter: fields keep their names. Without an apiVersion every
// group fits: objects cut down by hand often lack it.
const Kind* FieldRow(const KubernetesObject& object);

// Their names.
std::vector<std::string> TakenKinds();

// What to give in the place of an object that there is no place for.
std::string InsteadOf(const KubernetesObject& object);

}  // namespace mulligan::cli

#endif  // MULLIGAN_CLIENT_CLI_INPUT_TAKEN_KINDS_H_
