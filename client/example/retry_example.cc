// A controller in C++: reads a failed pod as protobuf bytes, asks what to do,
// and prints the annotation to store before acting.
//
//   mulligan_example HOST:PORT [STORED_LEDGER] < pod.bin
#include <iostream>
#include <iterator>
#include <string>

#include "client/client.h"
#include "client/fallback.h"
#include "client/ledger.h"

namespace {

int Fail(const absl::Status& status) {
  std::cerr << status << '\n';
  return 1;
}

int Run(const std::string& target, const std::string& stored) {
  const auto client = mulligan::Client::Create({.target = target});
  if (!client.ok()) return Fail(client.status());

  mulligan::v1::DecideRequest request;
  auto& pod = *request.mutable_report()->add_pods();
  const std::string bytes((std::istreambuf_iterator<char>(std::cin)),
                          std::istreambuf_iterator<char>());
  if (!pod.ParseFromString(bytes)) {
    return Fail(absl::InvalidArgumentError("expected the bytes of a Pod"));
  }
  const auto ledger = mulligan::LedgerFromAnnotation(stored, "");
  if (!ledger.ok()) return Fail(ledger.status());
  if (ledger->has_value()) *request.mutable_ledger() = **ledger;

  const auto answer = (*client)->Decide(request);
  if (!answer.ok()) {
    // If waiting is worse than not counting, set rule.native.
    const mulligan::FallbackRule rule;
    std::cout << mulligan::DecideWithoutAnswer(rule, absl::ZeroDuration(),
                                               answer.status())
                     .sentence()
              << '\n';
    return 2;
  }
  const auto annotation = mulligan::LedgerToAnnotation(answer->ledger());
  if (!annotation.ok()) return Fail(annotation.status());
  std::cout << mulligan::kLedgerAnnotation << '=' << *annotation << '\n'
            << answer->decision().sentence() << '\n';
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "usage: mulligan_example HOST:PORT [LEDGER] < pod.bin\n";
    return 1;
  }
  return Run(argv[1], argc > 2 ? argv[2] : "");
}
