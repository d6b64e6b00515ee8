// Trainings whose negatives are searched in parts, on their own or elsewhere, give the bytes of one
// training that searches them itself.
// Covers: mine_file, mine_images
#include <fovea/people/mine.h>

#include <fovea/core/error.h>
#include <fovea/core/random.h>
#include <fovea/io/model_file.h>
#include <fovea/people/train.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "support/files.h"
#include "support/messages.h"
#include "support/sanitized.h"

namespace fovea::people {
namespace {

using test::message_of;
using testing::HasSubstr;

// Noise with an upright bar in the middle, or with lying bars and some upright ones.
class MinedBars final : public ImageSet {
 public:
  MinedBars(int count, bool positive) : count_(count), positive_(positive) {}
  int count() const override { return count_; }
  Image<std::uint8_t> read(int index) const override {
    Random random(positive_ ? 5 : 6, static_cast<std::uint64_t>(index));
    const int width = positive_ ? 68 : 110 + 3 * index, height = positive_ ? 132 : 150;
    Image<std::uint8_t> image(width, height, 3);
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) {
        const bool upright = x > 24 && x < 44 && y > 20 && y < 114;
        const bool bar =
            upright && (positive_ || index % 2 == 0) ? true : !positive_ && y / 17 % 3 == 1;
        for (int c = 0; c < 3; ++c)
          image.at(x, y, c) = static_cast<std::uint8_t>(
              (bar ? 120 + 10 * c : 60) + random.below(static_cast<std::uint32_t>(8 + x / 2)));
      }
    return image;
  }

 private:
  int count_;
  bool positive_;
};

const MinedBars kCrops(10, true), kScenes(9, false);

TrainOptions mined_options() {
  TrainOptions options;
  options.linear.enlarge = 1;
  options.linear.ratio = 1.2;
  options.linear.rounds = 2;
  options.linear.hard_windows = 40;
  options.linear.random_windows = 2;
  options.cascade.stages = 2;
  options.cascade.false_rate = 0.5;
  options.cascade.blocks_per_round = 4;
  options.cascade.negatives = 60;
  options.cascade.enlarge = 1;
  options.cascade.ratio = 1.3;
  options.cascade.ranking_windows = 40;
  options.channels.trees = 64;
  options.channels.negatives_per_round = 30;
  options.channels.most_negatives = 40;
  options.channels.enlarge = 1;
  options.channels.ratio = 1.3;
  options.filtered.trees = 64;
  options.filtered.filters = 1;
  options.filtered.depth = 2;
  options.filtered.negatives_per_round = 30;
  options.filtered.most_negatives = 40;
  options.filtered.enlarge = 1;
  options.filtered.ratio = 1.3;
  options.filtered.feature_share = 0.02;
  options.exec = {.device = Device::cpu(), .threads = 2};
  return options;
}

std::string file_of(const Model& model) {
  const test::TempFolder folder;
  model.write(folder / "m");
  return test::load(folder / "m");
}

// Searches in `parts` parts of different sizes, the last first, as read from files.
std::vector<MinedImage> in_parts(const SearchRequest& asked, int parts, const std::string& folder) {
  write_request(folder + "/search", asked);
  const SearchRequest request = read_request(folder + "/search");
  EXPECT_EQ(identity_of(request), identity_of(asked));
  std::vector<int> images = request.images;
  std::sort(images.begin(), images.end());
  std::vector<MinedImage> found;
  const auto count = static_cast<int>(images.size());
  for (int part = parts - 1; part >= 0; --part) {
    const int first = count * part / parts, last = count * (part + 1) / parts;
    for (MinedImage& image : mine(request, kScenes, std::span(images).subspan(first, last - first),
                                  {.device = Device::cpu(), .threads = 1 + part % 2}))
      found.push_back(std::move(image));
  }
  const std::vector<MinedImage> merged = merge_mined(request, std::move(found));
  write_mined(folder + "/mined", request, merged);
  EXPECT_EQ(read_mined(folder + "/mined", asked), merged);
  return merged;
}

class MinedKinds : public testing::TestWithParam<Kind> {};
INSTANTIATE_TEST_SUITE_P(Kinds, MinedKinds,
                         testing::Values(Kind::kHog, Kind::kHogCells, Kind::kHogIntegral,
                                         Kind::kCascade, Kind::kChannels, Kind::kFiltered));

// The training ends at every search, and goes on from its checkpoint with what was found in parts.
TEST_P(MinedKinds, SearchesInPartsGiveTheSameModel) {
  FOVEA_SKIP_WHERE_SANITIZED("tests of resumed and merged jobs run the same code");
  const test::TempFolder folder;
  TrainOptions options = mined_options();
  const TrainData data{kCrops, kScenes};
  const std::string expected = file_of(train(GetParam(), data, options));
  std::vector<std::pair<std::uint64_t, std::vector<MinedImage>>> answers;
  struct Pending {};
  options.checkpoint = folder / "checkpoint";
  options.search = [&](const SearchRequest& request) {
    const std::uint64_t identity = identity_of(request);
    for (const auto& [known, answer] : answers)
      if (known == identity) return answer;
    const std::vector<MinedImage> whole =
        mine(request, kScenes, request.images, {.device = Device::cpu(), .threads = 2});
    EXPECT_EQ(whole.size(), request.images.size());
    for (const int parts : {1, 2, 3, 7})
      EXPECT_EQ(in_parts(request, parts, folder / ""), whole) << request.what << ", " << parts;
    answers.emplace_back(identity, whole);
    throw Pending();
  };
  std::string bytes;
  for (int turn = 0; turn < 20 && bytes.empty(); ++turn) try {
      options.exec.threads = 1 + turn % 2;
      bytes = file_of(train(GetParam(), data, options));
    } catch (const Pending&) {
    }
  EXPECT_EQ(bytes, expected);
  EXPECT_GE(answers.size(), 2U);
}

SearchRequest some_request() {
  SearchRequest request{.what = "a test",
                        .scan = {.ratio = 1.2, .stride = 8, .padding = 0},
                        .least_score = -100,
                        .choice = WindowChoice::kHighest,
                        .per_image = 5,
                        .most = 5,
                        .images = {2, 0, 1},
                        .known = {{0, 0, 0, 0}}};
  LinearModel model;
  model.weights.assign(3780, 0);
  for (std::size_t i = 0; i < model.weights.size(); i += 7) model.weights[i] = 0.1F;
  request.model.classifier = model;
  return request;
}

TEST(Mine, FindsTheHighestOfAllAndLeavesOutWhatIsKnown) {
  SearchRequest request = some_request();
  const Exec exec{.device = Device::cpu()};
  const std::vector<MinedImage> few = mine(request, kScenes, request.images, exec);
  request.most = 10000;
  request.known.clear();
  const std::vector<MinedImage> all = mine(request, kScenes, request.images, exec);
  std::vector<MinedWindow> windows;
  for (const MinedImage& image : all)
    windows.insert(windows.end(), image.found.begin(), image.found.end());
  std::int64_t searched = 0;
  for (const MinedImage& image : all) searched += image.windows;
  EXPECT_EQ(static_cast<std::int64_t>(windows.size()), searched);
  std::erase_if(windows, [](const auto& each) { return each.place == WindowPlace{0, 0, 0, 0}; });
  EXPECT_LT(static_cast<std::int64_t>(windows.size()), searched);
  std::sort(windows.begin(), windows.end(),
            [](const MinedWindow& a, const MinedWindow& b) { return a.score > b.score; });
  std::vector<float> found, expected;
  for (const MinedImage& image : few)
    for (const MinedWindow& window : image.found) found.push_back(window.score);
  std::sort(found.rbegin(), found.rend());
  for (std::size_t i = 0; i < 5; ++i) expected.push_back(windows[i].score);
  EXPECT_EQ(found, expected);
  ASSERT_EQ(few.size(), 3U);
  EXPECT_EQ(few[0].image, 2);
  EXPECT_EQ(few[1].image, 0);
}

TEST(Mine, RefusesWhatDoesNotFit) {
  SearchRequest request = some_request();
  const Exec exec{.device = Device::cpu()};
  const std::vector<int> other{3}, both{0, 1};
  EXPECT_THAT(message_of<InvalidArgument>([&] { mine(request, kScenes, other, exec); }),
              HasSubstr("image 3 is not asked for"));
  std::vector<MinedImage> parts = mine(request, kScenes, both, exec);
  EXPECT_THAT(message_of<InvalidArgument>([&] { merge_mined(request, parts); }),
              HasSubstr("image 2 was not searched"));
  parts.push_back(parts.front());
  EXPECT_THAT(message_of<InvalidArgument>([&] { merge_mined(request, parts); }),
              HasSubstr("image 0 was searched twice"));
  request.checksums.assign(4, 0);
  EXPECT_THAT(message_of<FormatError>([&] { mine(request, kScenes, both, exec); }),
              HasSubstr("the training has 4 negatives, but 9 images are given"));
  request.checksums.assign(9, 0);
  EXPECT_THAT(message_of<FormatError>([&] { mine(request, kScenes, both, exec); }),
              HasSubstr("is not the image that the training has as its negative"));
}

TEST(Mine, FilesOfAnotherSearchVersionOrKindAreRefused) {
  const test::TempFolder folder;
  SearchRequest request = some_request();
  request.checksums.assign(9, 7);
  write_mined(folder / "mined", request, std::vector<MinedImage>(3));
  request.what = "another";
  EXPECT_THAT(message_of<InvalidArgument>([&] { read_mined(folder / "mined", request); }),
              HasSubstr("but the training asks for search"));
  EXPECT_THAT(message_of<Error>([&] { read_request(folder / "mined"); }),
              HasSubstr("people.mined"));
  write_request(folder / "search", request);
  EXPECT_THAT(message_of<Error>([&] { read_mined(folder / "search", request); }),
              HasSubstr("people.search"));
  const io::ModelFile file = io::ModelFile::read(folder / "search");
  io::ModelFile old = io::ModelFile::read(folder / "search");
  old.set_metadata("origin.version", "0.0.1");
  old.write(folder / "search");
  EXPECT_THAT(message_of<InvalidArgument>([&] { read_request(folder / "search"); }),
              HasSubstr("was written by version 0.0.1, but this is "));
  old = io::ModelFile::read(folder / "search");
  old.set_metadata("origin.version", file.metadata().at("origin.version"));
  old.set_metadata("origin.architecture", "vax");
  old.write(folder / "search");
  EXPECT_THAT(message_of<InvalidArgument>([&] { read_request(folder / "search"); }),
              HasSubstr("was written by architecture vax, but this is "));
  request.images = {12};
  write_request(folder / "search", request);
  EXPECT_THAT(message_of<ModelError>([&] { read_request(folder / "search"); }),
              HasSubstr("impossible"));
}

TEST(Mine, ATrainingRefusesWindowsOutsideOfItsImages) {
  TrainOptions options = mined_options();
  options.search = [&](const SearchRequest& request) {
    std::vector<MinedImage> found =
        mine(request, kScenes, request.images, {.device = Device::cpu()});
    found[0].found = {{{found[0].image, 0, 5000, 0}, 9}};
    return found;
  };
  EXPECT_THAT(message_of<FormatError>([&] {
                train(Kind::kHogCells, {kCrops, kScenes}, options);
              }),
              HasSubstr("a window outside of it"));
}

}  // namespace
}  // namespace fovea::people
