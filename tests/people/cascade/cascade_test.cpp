// Covers: cascade_planes, cascade_rows
#include <fovea/core/error.h>
#include <fovea/people/cascade.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>
#include <tuple>

#include "people/cascade/cascade_check.h"
#include "people/cascade/cascade_math.h"
#include "people/model_parts.h"
#include "support/cascades.h"
#include "support/files.h"

namespace fovea::people {
namespace {

TEST(Cascade, PoolOfTheThesis) {
  const std::vector<Block> pool = block_pool({64, 128});
  EXPECT_EQ(pool.size(), 5029U);
  std::set<std::tuple<int, int, int, int>> distinct;
  for (const Block& b : pool) {
    distinct.insert({b.x, b.y, b.width, b.height});
    EXPECT_GE(std::min(b.width, b.height), 12);
    EXPECT_LE(b.x + b.width, 64);
    EXPECT_LE(b.y + b.height, 128);
    EXPECT_TRUE(b.width == b.height || b.width == 2 * b.height || b.height == 2 * b.width);
  }
  EXPECT_EQ(distinct.size(), pool.size());
  EXPECT_TRUE(block_pool({10, 10}).empty());
}

TEST(Cascade, VotesAreCloseToLengthAndAngle) {
  for (int dy = -255; dy <= 255; dy += 5) {
    for (int dx = -255; dx <= 255; dx += 3) {
      const cascade::Vote vote = cascade::pixel_vote(dx, dy);
      const double length = std::hypot(dx, dy);
      EXPECT_NEAR(vote.weight / 32.0, length, 0.02 * length + 0.04);
      double angle = std::atan2(dy, dx) * 9 / M_PI;
      if (angle < 0) angle += 9;
      if (length > 20) {
        EXPECT_LT(std::abs(std::remainder(angle - vote.bin - 0.5, 9)), 0.56) << dx << " " << dy;
      }
    }
  }
  EXPECT_EQ(cascade::pixel_vote(-7, 0).bin, 0);
  EXPECT_EQ(cascade::pixel_vote(0, 0).weight, 0);
}

TEST(Cascade, ComesBackFromAFile) {
  Random random(5);
  for (const bool ranking : {false, true}) {
    CascadeModel model = test::random_cascade(random, {4, 2, ranking ? 3 : 0});
    model.color = ranking;
    model.graded = !ranking;
    model.chained = ranking;
    io::ModelFile file;
    save(file, model);
    const io::ModelFile stored = io::ModelFile::parse(file.bytes(), "memory");
    const CascadeModel back = load_cascade(io::ModelReader(stored));
    ASSERT_EQ(back.stages.size(), model.stages.size());
    EXPECT_EQ(back.color, model.color);
    EXPECT_EQ(back.graded, model.graded);
    EXPECT_EQ(back.chained, model.chained);
    EXPECT_EQ(back.ranking.size(), model.ranking.size());
    for (std::size_t i = 0; i < model.stages.size(); ++i) {
      EXPECT_EQ(back.stages[i].threshold, model.stages[i].threshold);
      ASSERT_EQ(back.stages[i].classifiers.size(), model.stages[i].classifiers.size());
      for (std::size_t k = 0; k < model.stages[i].classifiers.size(); ++k) {
        const BlockClassifier &a = back.stages[i].classifiers[k],
                              &b = model.stages[i].classifiers[k];
        EXPECT_EQ(a.block, b.block);
        EXPECT_EQ(a.weights, b.weights);
        EXPECT_EQ(a.bias, b.bias);
        EXPECT_EQ(a.vote, b.vote);
      }
    }
  }
}

TEST(Cascade, ImpossibleModelsAreRefused) {
  Random random(6);
  const CascadeModel good = test::random_cascade(random, {2, 2, 0});
  const auto fault = [&](auto spoil) {
    CascadeModel model = good;
    spoil(model);
    return cascade_fault(model);
  };
  EXPECT_EQ(cascade_fault(good), "");
  const auto first = [](CascadeModel& m) -> BlockClassifier& { return m.stages[0].classifiers[0]; };
  EXPECT_NE(fault([](CascadeModel& m) { m.window.width = 63; }), "");
  EXPECT_NE(fault([](CascadeModel& m) { m.window.height = 4096; }), "");
  EXPECT_NE(fault([](CascadeModel& m) { m.stages.clear(); }), "");
  EXPECT_NE(fault([](CascadeModel& m) { m.stages[1].classifiers.clear(); }), "");
  EXPECT_NE(fault([](CascadeModel& m) { m.stages[0].threshold = NAN; }), "");
  EXPECT_NE(fault([&](CascadeModel& m) { first(m).block.x = 60; }), "");
  EXPECT_NE(fault([&](CascadeModel& m) { first(m).block.y = -2; }), "");
  EXPECT_NE(fault([&](CascadeModel& m) { first(m).block.width = 13; }), "");
  EXPECT_NE(fault([&](CascadeModel& m) { first(m).weights.pop_back(); }), "");
  EXPECT_NE(fault([&](CascadeModel& m) { first(m).weights[3] = INFINITY; }), "");
  CascadeModel odd = good;
  odd.window.width = 63;
  io::ModelFile file;
  EXPECT_THROW(save(file, odd), InvalidArgument);
}

TEST(Cascade, HostileTensorsAreModelErrors) {
  Random random(7);
  const CascadeModel good = test::random_cascade(random, {2, 2, 1});
  const auto refused = [&](auto spoil) {
    io::ModelFile file;
    save(file, good);
    spoil(file);
    return test::message_of<ModelError>([&] { load_cascade(io::ModelReader(file)); });
  };
  using Ints = std::vector<std::int32_t>;
  EXPECT_NE(refused([](auto& f) { f.add("stage_sizes", {2}, Ints{2, 3}); }), "");
  EXPECT_NE(refused([](auto& f) { f.add("stage_sizes", {2}, Ints{-1, 5}); }), "");
  EXPECT_NE(refused([](auto& f) { f.add("stage_sizes", {2}, Ints{2147483647, 1}); }), "");
  EXPECT_NE(refused([](auto& f) { f.add("stage_sizes", {1}, Ints{4}); }), "");
  EXPECT_NE(refused([](auto& f) { f.add("window", {2}, Ints{-64, 128}); }), "");
  EXPECT_NE(refused([](auto& f) { f.add("window", {2}, Ints{32, 64}); }), "");
  EXPECT_NE(refused([](auto& f) { f.set_metadata("cascade.graded", "2"); }), "");
  EXPECT_NE(refused([](auto& f) { f.add("votes", {1, 2}, std::vector<float>{0, 0}); }), "");
  EXPECT_NE(refused([](auto& f) {
              f.add("ranking_weights", {1, 36},
                    std::vector<float>(36, std::numeric_limits<float>::quiet_NaN()));
            }),
            "");
}

TEST(Cascade, OptionsAreStoredByNameAndReadFromOldFiles) {
  Random random(7);
  CascadeModel model = test::random_cascade(random, {2, 2, 1});
  model.color = false;
  model.graded = true;
  model.chained = false;
  io::ModelFile file;
  save(file, model);
  EXPECT_EQ(file.metadata().at("cascade.color"), "false");
  EXPECT_EQ(file.metadata().at("cascade.graded"), "true");
  EXPECT_FALSE(load_cascade(io::ModelReader(file)).chained);

  // Version 0.1.0 had numbers in a tensor, and no names.
  const auto old = [&](const std::vector<std::int32_t>& options) {
    io::ModelFile numbers;
    for (const char* name : {"window", "stage_sizes"}) {
      const auto values = file.tensor<std::int32_t>(name);
      numbers.add(name, {static_cast<std::int64_t>(values.size())}, values);
    }
    const auto thresholds = file.tensor<float>("stage_thresholds");
    numbers.add("stage_thresholds", {static_cast<std::int64_t>(thresholds.size())}, thresholds);
    for (const std::string prefix : {"", "ranking_"}) {
      const auto blocks = file.tensor<std::int16_t>(prefix + "blocks");
      const auto count = static_cast<std::int64_t>(blocks.size() / 4);
      numbers.add(prefix + "blocks", {count, 4}, blocks);
      numbers.add(prefix + "weights", {count, 36}, file.tensor<float>(prefix + "weights"));
      numbers.add(prefix + "votes", {count, 2}, file.tensor<float>(prefix + "votes"));
    }
    numbers.add("options", {3}, options);
    return load_cascade(io::ModelReader(numbers));
  };
  EXPECT_TRUE(old({1, 0, 1}).color);
  EXPECT_FALSE(old({1, 0, 1}).graded);
  EXPECT_TRUE(old({1, 0, 1}).chained);
  EXPECT_THROW(old({0, 2, 0}), ModelError);
}

}  // namespace
}  // namespace fovea::people
