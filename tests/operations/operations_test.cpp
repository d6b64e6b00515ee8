// Covers: option_fields, shown
#include <gmock/gmock.h>

#include <algorithm>
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

TEST(Operations, OptionsOfOutputsStandWhereHelpHasThem) {
  for (const Operation& operation : operations()) {
    const auto call = operation.call();
    std::vector<NamedOutput> named(operation.outputs.size());
    std::vector<std::string> names;
    for (std::size_t i = 0; i < named.size(); ++i)
      named[i].path = std::string(operation.outputs[i].name);
    for (const OptionField& field : option_fields(operation, *call, named)) {
      const auto output = std::ranges::find(operation.outputs, field.name, &Output::name);
      if (output != operation.outputs.end()) {
        EXPECT_TRUE(!output->kinds.empty() || option_text(field) == field.name) << field.name;
        if (!output->after.empty()) {
          EXPECT_EQ(std::ranges::count(names, output->after), 1) << field.name;
        }
      }
      names.push_back(field.name);
    }
    for (const Output& output : operation.outputs)
      EXPECT_EQ(std::ranges::count(names, output.name), 1) << output.name;
  }
}

TEST(Operations, SayWhyAFileCannotBeMade) {
  for (const Operation& operation : operations()) {
    if (operation.words.system != "mesh" || operation.words.verb != "segment") continue;
    const auto tree = std::ranges::find(operation.outputs, "tree", &Output::name);
    const auto call = operation.call();
    EXPECT_THAT(call->obstacle(static_cast<std::size_t>(tree - operation.outputs.begin())),
                testing::HasSubstr("--division hierarchical"));
    EXPECT_EQ(call->obstacle(0), "");
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
