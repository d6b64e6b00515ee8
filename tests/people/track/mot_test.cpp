#include <fovea/core/error.h>
#include <fovea/people/mot.h>
#include <gmock/gmock.h>

#include <cmath>
#include <string_view>

#include "support/messages.h"

namespace fovea::people {
namespace {

using testing::HasSubstr;

std::vector<MotBox> parsed(std::string_view text, const MotReadOptions& options = {}) {
  return parse_mot(std::as_bytes(std::span(text)), "file.txt", options);
}
std::string refusal(std::string_view text, const MotReadOptions& options = {}) {
  return test::message_of<FormatError>([&] { parsed(text, options); });
}

TEST(Mot, ReadsLinesOfAllForms) {
  const auto boxes =
      parsed("2,3,11,21,30,40,0.5,-1,-1,-1\n\n1 4 1 1 5.5 6\r\n1;5;2;2;7;8;1;1;0.25");
  ASSERT_EQ(boxes.size(), 3U);
  EXPECT_EQ(boxes[0], (MotBox{.frame = 0, .id = 4, .box = {0, 0, 5.5, 6}}));
  EXPECT_EQ(boxes[1],
            (MotBox{.frame = 0, .id = 5, .box = {1, 1, 7, 8}, .label = 1, .visibility = 0.25}));
  EXPECT_EQ(boxes[2], (MotBox{.frame = 1, .id = 3, .box = {10, 20, 30, 40}, .score = 0.5}));
  EXPECT_EQ(parsed("1,4,0,0,5,6", {.origin = 0})[0].box.x, 0);
  EXPECT_TRUE(parsed("").empty());
}

TEST(Mot, LeavesOutOtherClassesUnlessTheyAreWanted) {
  constexpr const char* kText = "1,1,1,1,5,5,1,3,1\n1,2,1,1,5,5,1,1,1\n1,3,1,1,5,5,1,-1,-1\n";
  EXPECT_EQ(parsed(kText).size(), 2U);
  EXPECT_EQ(parsed(kText, {.pedestrians = false}).size(), 3U);
}

TEST(Mot, DetectionsNeedNoIdentity) {
  constexpr const char* kText = "1,-1,1,1,5,5,0.9\n1,-1,9,9,5,5,0.8\n";
  EXPECT_EQ(parsed(kText, {.identities = false}).size(), 2U);
  EXPECT_THAT(refusal(kText), HasSubstr("file.txt: line 1 is '1,-1,1,1,5,5,0.9'; expected a whole "
                                        "id from 0 on"));
}

TEST(Mot, RefusesDamagedLinesByTheirNumber) {
  EXPECT_THAT(refusal("1,1,1,1,5,5\n1,2,3\n"), HasSubstr("line 2 is '1,2,3'; expected frame, id"));
  EXPECT_THAT(refusal("frame,id,x,y,w,h\n"), HasSubstr("line 1"));
  EXPECT_THAT(refusal("1,1,1,1,5,5,1,1,1,1,1,1,1,1,1,1,1\n"), HasSubstr("at most ten more"));
  EXPECT_THAT(refusal("0,1,1,1,5,5\n"), HasSubstr("a whole frame from 1 on"));
  EXPECT_THAT(refusal("1.5,1,1,1,5,5\n"), HasSubstr("a whole frame from 1 on"));
  EXPECT_THAT(refusal("1e300,1,1,1,5,5\n"), HasSubstr("a whole frame from 1 on"));
  EXPECT_THAT(refusal("1,1,nan,1,5,5\n"), HasSubstr("a box of finite numbers"));
  EXPECT_THAT(refusal("1,1,1,1,inf,5\n"), HasSubstr("a box of finite numbers"));
  EXPECT_THAT(refusal("1,1,1,1,-5,5\n"), HasSubstr("width and height above 0"));
  EXPECT_THAT(refusal("1,1,1,1,5,5,nan\n"), HasSubstr("a finite confidence"));
  EXPECT_THAT(refusal("1,1,1,1,5,5\n2,1,1,1,5,5\n1,1,2,2,5,5\n"),
              HasSubstr("lines 1 and 3 both have id 1 in frame 1"));
}

TEST(Mot, WhatIsWrittenIsReadBack) {
  const std::vector<MotBox> boxes{
      {.frame = 0, .id = 2, .box = {-3.25, 0, 10.5, 20}, .score = 0.75},
      {.frame = 6, .id = 1, .box = {3, 4, 5, 6}, .label = 1, .visibility = 0.5}};
  std::string text;
  for (const MotBox& box : boxes) text += mot_line(box);
  EXPECT_EQ(text,
            "1,2,-2.250,1.000,10.500,20.000,0.7500,-1,-1,-1\n"
            "7,1,4.000,5.000,5.000,6.000,1.0000,1,0.5\n");
  EXPECT_EQ(parsed(text), boxes);
}

TEST(Mot, AFileThatIsNotThereIsAnIoError) {
  EXPECT_THAT(test::message_of<IoError>([] { read_mot("/nowhere/at/all.txt"); }),
              HasSubstr("/nowhere/at/all.txt"));
}

}  // namespace
}  // namespace fovea::people
