#include <fmt/format.h>
#include <fovea/actions/train.h>
#include <fovea/core/error.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "support/files.h"

namespace fovea::actions {
namespace {

using test::message_of;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kHead =
    "This database contains sequences of six classes performed by\r\n"
    "25 subjects in four different conditions (see below).\r\n\r\n"
    "Training:   person11, 12, 13, 14, 15, 16, 17, 18\r\n"
    "Validation: person19, 20, 21, 23, 24, 25, 01, 04\r\n"
    "Test:       person22, 02, 03, 05, 06, 07, 08, 09, 10 \r\n\r\n";

// A file of the whole set's form: 599 videos, five of them with three pieces, one missing.
std::string whole_set() {
  static constexpr std::array kActions{"boxing",  "handclapping", "handwaving",
                                       "jogging", "running",      "walking"};
  static constexpr std::array kThree{"person11_boxing_d4", "person13_handwaving_d3",
                                     "person14_handwaving_d3", "person15_boxing_d4",
                                     "person22_boxing_d1"};
  std::string text = kHead;
  for (int person = 1; person <= 25; ++person)
    for (const char* action : kActions)
      for (int scenario = 1; scenario <= 4; ++scenario) {
        const std::string name = fmt::format("person{:02}_{}_d{}", person, action, scenario);
        if (name == "person13_handclapping_d3") {
          text += name + "  *missing*\r\n";
          continue;
        }
        const bool three = std::ranges::find(kThree, name) != kThree.end();
        text += fmt::format("{} \t\tframes\t1-95, 96-185, 186-245{}\r\n", name,
                            three ? "" : ", 246-360");
      }
  return text;
}

TEST(Kth, TheWholeSetHasItsCounts) {
  const test::TempFolder folder;
  test::save(folder / "s.txt", whole_set());
  const KthSequences kth = read_kth(folder / "s.txt", "videos", true);
  EXPECT_EQ(kth.videos, 599);
  EXPECT_EQ(kth.corpus.clips.size(), 2391U);
  EXPECT_EQ(kth.train.size(), 760U);
  EXPECT_EQ(kth.validation.size(), 768U);
  EXPECT_EQ(kth.test.size(), 863U);
  EXPECT_EQ(kth.corpus.subjects().size(), 25U);
  EXPECT_THAT(kth.corpus.classes,
              ElementsAre("boxing", "handclapping", "handwaving", "jogging", "running", "walking"));
  const Clip& second = kth.corpus.clips[1];
  EXPECT_EQ(second.path, "videos/boxing/person01_boxing_d1_uncomp.avi");
  EXPECT_EQ(second.subject, "person01");
  EXPECT_EQ(second.scenario, "d1");
  EXPECT_EQ(second.first, 95);
  EXPECT_EQ(second.frames, 90);
}

TEST(Kth, APartOfItIsReadWhereTheWholeIsNotAskedFor) {
  const test::TempFolder folder;
  const std::string path = folder / "s.txt";
  test::save(path, std::string(kHead) + "person22_running_d2 frames 9-40\n");
  EXPECT_EQ(read_kth(path, ".", false).test.size(), 1U);
  EXPECT_THAT(message_of<FormatError>([&] { read_kth(path, ".", true); }),
              HasSubstr("1 video and 1 clip,"));
}

TEST(Kth, WhatDoesNotFitIsNamedWithItsLine) {
  const test::TempFolder folder;
  const std::string path = folder / "s.txt";
  const auto why = [&](const std::string& text) {
    test::save(path, text);
    return message_of<FormatError>([&] { read_kth(path, ".", false); });
  };
  EXPECT_THAT(why(kHead), HasSubstr("is this KTH's"));
  EXPECT_THAT(why("person01_boxing_d1 frames 1-2\n"), HasSubstr("person01 stands in none"));
  const std::string head = kHead;
  EXPECT_THAT(why(head + "person01_dancing_d1 frames 1-2\n"), HasSubstr("action \"dancing\""));
  EXPECT_THAT(why(head + "person01_boxing_d1 frames 1-2, 7-3\n"), HasSubstr("line 8: frames"));
  EXPECT_THAT(why(head + "person01_boxing_d1 1-2\n"), HasSubstr("expected \"frames\""));
  EXPECT_THAT(why(head + "personal_notes\n"), HasSubstr("expected a name"));
}

}  // namespace
}  // namespace fovea::actions
