#include "server/policies/policy_source.h"

#include <utility>

namespace mulligan {
namespace {

class EmbeddedSource final : public PolicySource {
 public:
  std::vector<PolicyText> Read(Issues&) override { return {EmbeddedPolicy()}; }
  std::string Describe() const override { return "<embedded>"; }
};

class DirectorySource final : public PolicySource {
 public:
  explicit DirectorySource(std::string directory)
      : directory_(std::move(directory)) {}

  std::vector<PolicyText> Read(Issues& issues) override {
    return ReadPolicyDirectory(directory_, issues);
  }
  std::string Describe() const override { return directory_; }

 private:
  const std::string directory_;
};

}  // namespace

std::unique_ptr<PolicySource> MakePolicySource(const std::string& directory) {
  if (directory.empty()) return std::make_unique<EmbeddedSource>();
  return std::make_unique<DirectorySource>(directory);
}

}  // namespace mulligan
