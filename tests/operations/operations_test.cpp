#include <gmock/gmock.h>

#include <set>

#include "operations/operation.h"

namespace fovea::operations {
namespace {

class CollectNames final : public OptionVisitor {
 public:
  std::multiset<std::string> names;

 private:
  void field(const OptionField& field) override { names.insert(field.name); }
};

TEST(Operations, HaveNamesOfTheirOwnAndOutputsThatAreNoOtherOptions) {
  std::set<std::string> verbs;
  for (const Operation& operation : operations()) {
    const std::string verb =
        std::string(operation.words.system) + " " + std::string(operation.words.verb);
    EXPECT_TRUE(verbs.insert(verb).second) << verb;
    CollectNames options;
    operation.call()->visit_options(options);
    for (const Output& output : operation.outputs) options.names.insert(std::string(output.name));
    for (const std::string& name : options.names)
      EXPECT_EQ(options.names.count(name), 1U) << verb << " --" << name;
    for (const Output& output : operation.outputs) {
      EXPECT_FALSE(output.help.empty()) << verb << " --" << output.name;
      const bool named_by_driver = output.share == Share::kPerInput && !operation.names_files;
      EXPECT_TRUE(!named_by_driver || !output.result.empty()) << output.name;
      EXPECT_TRUE(output.after.empty() || options.names.contains(std::string(output.after)))
          << verb << " --" << output.name;
      EXPECT_TRUE(output.endings.empty() || !output.what.empty()) << output.name;
    }
    EXPECT_NE(operation.sample, nullptr) << verb;
  }
}

TEST(Operations, ItemsAreApart) {
  for (const Operation& operation : operations()) {
    const auto call = operation.call();
    EXPECT_NE(call->make_item(), call->make_item());
  }
}

}  // namespace
}  // namespace fovea::operations
