#include <fovea/actions/show.h>
#include <fovea/core/error.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "actions/match_problems.h"
#include "support/messages.h"
#include "support/xml_check.h"

namespace fovea::actions {
namespace {

using test::message_of;
using testing::HasSubstr;

int count_of(const std::string& text, const std::string& part) {
  int count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

// A model of four frames, found in a scene as it is.
struct Drawing {
  Drawing() {
    Random random(5);
    model = test::random_chain({.nodes = 4, .extent = 100}, random);
    scene.points.nodes = model.nodes;
    scene.points.features = clone(model.features);
    scene.first_frame = model.nodes.front().frame;
    scene.frames = model.nodes.back().frame - scene.first_frame + 1;
    match = FrameMatcher({&model, 1}, Variant::kSingle, match_on({}, {.device = Device::cpu()}))
                .match(scene)
                .at(0);
  }
  std::string svg() const {
    return match_graph_svg({&model, &scene, &match, {160, 120}, {160, 120}});
  }
  FrameModel model;
  Scene scene;
  FrameMatch match;
};

TEST(ShowGraph, EveryHyperedgeIsATriangleOnBothSides) {
  Drawing drawing;
  const std::string svg = drawing.svg();
  EXPECT_EQ(test::xml_problem(svg), "");
  EXPECT_EQ(count_of(svg, "Z\""), 4);  // two triangles on either side
  EXPECT_THAT(svg, HasSubstr("not seen: 0"));
  drawing.match.strands[0].match.path[1].point = -1;
  const std::string without = drawing.svg();
  EXPECT_EQ(count_of(without, "Z\""), 2);
  EXPECT_THAT(without, HasSubstr("not seen: 1"));
}

TEST(ShowGraph, WhatCannotBeDrawnIsRefused) {
  Drawing drawing;
  drawing.match.strands[0].points[0] = 77;
  EXPECT_THAT(message_of<InvalidArgument>([&] { drawing.svg(); }), HasSubstr("point 77"));
  drawing.match.strands[0].points.pop_back();
  EXPECT_THAT(message_of<InvalidArgument>([&] { drawing.svg(); }), HasSubstr("3 points"));
  drawing.match.found = false;
  EXPECT_THAT(message_of<InvalidArgument>([&] { drawing.svg(); }), HasSubstr("no match"));
}

}  // namespace
}  // namespace fovea::actions
