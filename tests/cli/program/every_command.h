// What every entry of a table of commands must offer: tests that each program runs on its own.
#pragma once
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "cli/help/help.h"
#include "cli/program/command.h"
#include "cli/program/parser.h"
#include "cli/program/program.h"

namespace fovea::cli {
inline std::vector<std::string> words_of(std::string_view line) {
  std::istringstream in{std::string(line)};
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

class EveryCommand : public testing::TestWithParam<const Command*> {};

TEST_P(EveryCommand, ExamplesParse) {
  const Command& command = *GetParam();
  EXPECT_FALSE(command.examples.empty());
  for (const Example& example : command.examples) {
    auto words = words_of(example.line);
    ASSERT_EQ(words[0], "fovea");
    ASSERT_EQ(words[1], command.system);
    const std::size_t used = command.verb.empty() ? 2 : 3;
    if (used == 3) {
      ASSERT_EQ(words[2], command.verb);
    }
    EXPECT_NO_THROW(parse(command, std::span(words).subspan(used))) << example.line;
  }
}

TEST_P(EveryCommand, HelpTellsEveryOptionAndExample) {
  const Command& command = *GetParam();
  const std::string help = help_command_text(command);
  const Invocation defaults = default_invocation(command);
  for (const auto& fields : {defaults.own_fields(), defaults.common_fields()}) {
    for (const OptionField& field : fields)
      EXPECT_NE(help.find(field.name), std::string::npos) << field.name;
  }
  for (const Example& example : command.examples)
    EXPECT_NE(help.find(example.line), std::string::npos);
  std::istringstream lines(help);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;
}

TEST_P(EveryCommand, OptionNamesAreUniqueAndDefaultsInRange) {
  const Invocation defaults = default_invocation(*GetParam());
  std::set<std::string> names;
  for (const auto& fields : {defaults.own_fields(), defaults.common_fields()}) {
    for (const OptionField& field : fields) {
      EXPECT_TRUE(names.insert(field.name).second) << field.name;
      EXPECT_NO_THROW(check_option(field)) << field.name;
      EXPECT_FALSE(field.help.empty()) << field.name;
    }
  }
  const std::string preset(GetParam()->preset);
  EXPECT_TRUE(preset.empty() || names.contains(preset)) << preset;
}

TEST_P(EveryCommand, HelpIsReachedThreeWays) {
  const Command& command = *GetParam();
  if (!command.program.empty()) return;  // another program prints it
  auto words = words_of(command.name());
  words.push_back("--help");
  const Ended asked = run_here(words);
  words.back() = "-h";
  EXPECT_EQ(run_here(words).out, asked.out);
  words.pop_back();
  words.insert(words.begin(), "help");
  EXPECT_EQ(run_here(words).out, asked.out);
  EXPECT_EQ(asked.status, kDone);
  EXPECT_EQ(asked.err, "");
}

TEST_P(EveryCommand, ConfigurationIsJson) {
  const Command& command = *GetParam();
  if (!command.computes) return;  // takes no configuration
  auto words = words_of(command.name());
  words.push_back("--print-config");
  const Ended printed = run_here(words);
  EXPECT_EQ(printed.status, kDone);
  const auto config = nlohmann::json::parse(printed.out);
  EXPECT_EQ(config["command"], command.name());
  const test::TempFolder folder;
  test::save(folder / "c.json", printed.out);
  words.insert(words.end(), {"--config", folder / "c.json"});
  EXPECT_EQ(run_here(words).out, printed.out);
}

TEST_P(EveryCommand, ManualPageIsCleanTroff) {
  const Ended printed = run_here({"man", page_name(*GetParam())});
  EXPECT_EQ(printed.status, kDone);
  EXPECT_TRUE(printed.out.starts_with(".TH "));
  const test::TempFolder folder;
  test::save(folder / "page.1", printed.out);
  const Ended formatted = Process({"groff", "-man", "-ww", "-Tutf8", folder / "page.1"}).wait();
  if (formatted.status == 127) GTEST_SKIP() << "groff is not installed";
  EXPECT_EQ(formatted.status, 0);
  EXPECT_EQ(formatted.err, "");
}

// The commands of the running program that are its own, or that it only names.
inline std::vector<const Command*> entries_of(const std::vector<std::string_view>& systems) {
  std::vector<const Command*> all;
  for (const Command& command : commands())
    if (systems.empty() || std::ranges::find(systems, command.system) != systems.end())
      all.push_back(&command);
  return all;
}

inline std::string test_name(const testing::TestParamInfo<const Command*>& each) {
  std::string name = each.param->name();
  std::ranges::replace(name, ' ', '_');
  std::ranges::replace(name, '-', '_');
  return name;
}

}  // namespace fovea::cli
