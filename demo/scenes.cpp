// The gallery's section on scenes: drawn places of four kinds, a model trained on some of them, its
// words, the classes of the others, and how alike features of places are with two codings.
#include <fovea/core/random.h>
#include <fovea/io/image_io.h>
#include <fovea/ops/confusion.h>
#include <fovea/report/chart.h>
#include <fovea/report/draw.h>
#include <fovea/report/explanation.h>
#include <fovea/report/montage.h>
#include <fovea/scenes/classifier.h>
#include <fovea/scenes/explain.h>
#include <fovea/scenes/show.h>
#include <fovea/scenes/train.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>

#include "demo/demo.h"
#include "demo/figures.h"

namespace fovea::cli {
namespace {

using namespace report;

constexpr int kSide = 112;
constexpr int kEach = 16;       // drawn places per kind
constexpr int kTrainEach = 12;  // places per kind for training
const std::vector<std::string> kKinds{"beach", "city", "forest", "night"};

Color shade(Random& random, Color base, float spread) {
  const auto channel = [&](int value) {
    return static_cast<std::uint8_t>(
        std::clamp(static_cast<float>(value) + random.uniform(-spread, spread), 0.F, 255.F));
  };
  return {channel(base.r), channel(base.g), channel(base.b)};
}

void draw_beach(Canvas image, Random& random) {
  const double sea = kSide * random.uniform(0.3F, 0.45F),
               sand = kSide * random.uniform(0.6F, 0.75F);
  fill_box(image, {0, 0, kSide, kSide}, {shade(random, {168, 206, 236}, 16), 1});
  fill_box(image, {0, sea, kSide, sand - sea}, {shade(random, {44, 116, 158}, 16), 1});
  fill_box(image, {0, sand, kSide, kSide - sand}, {shade(random, {224, 204, 158}, 12), 1});
  for (int wave = 0; wave < 5; ++wave) {
    const double y = sea + (sand - sea) * random.uniform(), x = kSide * random.uniform(-0.2F, 0.7F);
    draw_line(image, {x, y}, {x + 40, y}, {.color = {224, 238, 244}, .thickness = 1.5F});
  }
}

void draw_city(Canvas image, Random& random) {
  fill_box(image, {0, 0, kSide, kSide}, {shade(random, {176, 186, 198}, 14), 1});
  for (double x = 0; x < kSide;) {
    const double width = random.uniform(18, 34), top = kSide * random.uniform(0.08F, 0.5F);
    fill_box(image, {x, top, width, kSide - top}, {shade(random, {116, 110, 108}, 30), 1});
    const Color window = shade(random, {66, 76, 92}, 12);
    for (double y = top + 5; y < kSide - 8; y += 9)
      for (double u = x + 4; u + 4 < x + width; u += 8) fill_box(image, {u, y, 4, 5}, {window, 1});
    x += width + 1;
  }
}

void draw_forest(Canvas image, Random& random) {
  fill_box(image, {0, 0, kSide, kSide}, {shade(random, {52, 78, 44}, 12), 1});
  for (int leaf = 0; leaf < 420; ++leaf) {
    const Point at{kSide * random.uniform(), kSide * random.uniform()};
    fill_circle(image, at, random.uniform(1, 4), {shade(random, {72, 110, 52}, 36), 1});
  }
  for (int trunk = 0; trunk < 5; ++trunk) {
    const double x = kSide * random.uniform();
    draw_line(image, {x, 0}, {x + random.uniform(-8, 8), kSide},
              {.color = shade(random, {58, 44, 32}, 10), .thickness = random.uniform(3, 8)});
  }
}

void draw_night(Canvas image, Random& random) {
  fill_box(image, {0, 0, kSide, kSide}, {shade(random, {14, 18, 38}, 8), 1});
  fill_box(image, {0, kSide * 0.72, kSide, kSide * 0.28}, {shade(random, {8, 10, 16}, 4), 1});
  for (int star = 0; star < 46; ++star)
    fill_circle(image, {kSide * random.uniform(), kSide * 0.7 * random.uniform()},
                random.uniform(0.5F, 1.4F), {{226, 226, 210}, 1});
  fill_circle(image, {kSide * random.uniform(0.2F, 0.8F), kSide * 0.2}, random.uniform(6, 11),
              {{236, 232, 208}, 1});
}

Image<std::uint8_t> draw_place(int kind, int number) {
  using Draw = void (*)(Canvas, Random&);
  static constexpr std::array<Draw, 4> kDraw{draw_beach, draw_city, draw_forest, draw_night};
  Image<std::uint8_t> image(kSide, kSide, 3);
  Random random(8, static_cast<std::uint64_t>(kind * kEach + number));
  kDraw[static_cast<std::size_t>(kind)](image.view(), random);
  for (int y = 0; y < kSide; ++y)
    for (int i = 0; i < 3 * kSide; ++i)
      image.row(y)[i] = static_cast<std::uint8_t>(
          std::clamp(static_cast<float>(image.row(y)[i]) + 6 * random.normal(), 0.F, 255.F));
  return image;
}

class Places final : public io::ImageSet {
 public:
  // Takes the first places of each kind, or the others.
  Places(int first, int last) {
    for (int kind = 0; kind < static_cast<int>(kKinds.size()); ++kind) {
      for (int number = first; number < last; ++number) {
        images_.push_back(draw_place(kind, number));
        labels_.push_back(kind);
      }
    }
  }
  int count() const override { return static_cast<int>(images_.size()); }
  Image<std::uint8_t> read(int index) const override {
    return clone(images_[static_cast<std::size_t>(index)]);
  }
  ImageView<const std::uint8_t> image(std::size_t index) const { return images_[index]; }
  const std::vector<std::int32_t>& labels() const { return labels_; }

 private:
  std::vector<Image<std::uint8_t>> images_;
  std::vector<std::int32_t> labels_;
};

void write_places(const Places& places, const std::string& folder, int first) {
  std::vector<int> next(kKinds.size(), first);
  for (std::size_t i = 0; i < places.labels().size(); ++i) {
    const auto kind = static_cast<std::size_t>(places.labels()[i]);
    std::filesystem::create_directories(folder + "/" + kKinds[kind]);
    io::write_image(fmt::format("{}/{}/{:02}.png", folder, kKinds[kind], next[kind]++),
                    places.image(i));
  }
}

// How alike the features of places are that stand kind after kind: a picture with a square per
// pair, the lighter the greater the cosine between both, and the mean cosines of pairs.
struct Likeness {
  Image<std::uint8_t> picture;
  double same = 0, other = 0;  // of one kind, and of two kinds
};

Likeness likeness(ImageView<const float> features) {
  constexpr int kPair = 4;  // pixels
  const int count = features.height;
  const auto product = [&](int a, int b) {
    double sum = 0;
    for (int x = 0; x < features.width; ++x)
      sum += static_cast<double>(features.row(a)[x]) * static_cast<double>(features.row(b)[x]);
    return sum;
  };
  std::vector<double> lengths;
  lengths.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) lengths.push_back(std::sqrt(product(i, i)));
  Likeness result{.picture = Image<std::uint8_t>(kPair * count, kPair * count, 3)};
  double sums[2]{}, pairs[2]{};
  for (int a = 0; a < count; ++a)
    for (int b = 0; b < count; ++b) {
      const double cosine = product(a, b) / (lengths[static_cast<std::size_t>(a)] *
                                             lengths[static_cast<std::size_t>(b)]);
      const auto shade = static_cast<std::uint8_t>(std::lround(255 * std::clamp(cosine, 0.0, 1.0)));
      const Rect<double> square{double{kPair} * b, double{kPair} * a, kPair, kPair};
      fill_box(result.picture.view(), square, {{shade, shade, shade}, 1});
      if (a == b) continue;
      const int which = a / kEach == b / kEach ? 0 : 1;
      sums[which] += cosine;
      pairs[which] += 1;
    }
  result.same = sums[0] / pairs[0];
  result.other = sums[1] / pairs[1];
  return result;
}

void add_codings(Page& page, const DemoRun& run, const scenes::Dictionary& counted) {
  const Places all(0, kEach);
  scenes::DescriptorOptions descriptor{.words = scenes::WordSource::kGradients};
  descriptor.exec = run.exec;
  scenes::DictionaryOptions dictionary{
      .words = 8, .coding = scenes::Coding::kFisher, .components = 24, .color_words = 8};
  dictionary.exec = run.exec;
  const scenes::Dictionary fisher =
      scenes::learn_dictionary(Places(0, kTrainEach), descriptor, dictionary);
  scenes::FeatureOptions options;
  options.exec = run.exec;
  const Likeness words = likeness(scenes::make_features(all, counted, options).features);
  const Likeness vectors = likeness(scenes::make_features(all, fisher, options).features);
  page.figures(
      {Figure::picture(
           words.picture,
           {fmt::format(
                "How alike the counted words of any two of the {} places are (white: the "
                "same), kind after kind. The mean cosine is {:.2f} within a kind and {:.2f} "
                "between kinds.",
                all.count(), words.same, words.other),
            "fovea scenes features places --dictionary places.safetensors -o f.npy --labels "
            "l.csv"}),
       Figure::picture(
           vectors.picture,
           {fmt::format("The same with Fisher vectors of {} words of gradients and {} of color: "
                        "{:.2f} within a kind, {:.2f} between kinds.",
                        dictionary.words, dictionary.color_words, vectors.same, vectors.other),
            "fovea scenes dictionary places --words gradients --dictionary 8 --coding fisher "
            "--components 24 --color-words 8 -o fisher.safetensors"})},
      2);
}

}  // namespace

void add_demo_scenes(Page& page, const DemoRun& run) {
  const Places known(0, kTrainEach), unknown(kTrainEach, kEach);
  write_places(known, run.folder + "/places", 0);
  write_places(unknown, run.folder + "/more-places", kTrainEach);
  scenes::TrainOptions options;
  options.descriptor.color = scenes::Color::kLab;
  options.dictionary.words = 60;
  options.exec = run.exec;
  const auto model =
      std::make_shared<const scenes::Model>(scenes::train(known, known.labels(), kKinds, options));
  scenes::Classifier classifier(model, {.exec = run.exec});
  std::vector<ImageView<const std::uint8_t>> images;
  for (std::size_t i = 0; i < unknown.labels().size(); ++i) images.push_back(unknown.image(i));
  const std::vector<scenes::ClassifyResult> results = classifier.classify(images);
  Confusion confusion(static_cast<int>(kKinds.size()));
  for (std::size_t i = 0; i < results.size(); ++i)
    ++confusion.at(unknown.labels()[i], results[i].label);

  page.paragraph(fmt::format(
      "A model is trained on {} drawn places of each of four kinds. The responses of 96 filters "
      "describe every pixel, k-means finds {} visual words among them, and a place is classified "
      "by how often each word occurs in it. Drawings are no measure of accuracy; `docs/scenes.md` "
      "has figures for photos.",
      kTrainEach, model->dictionary.size()));
  const auto colors = scenes::word_colors(model->dictionary);
  scenes::FeatureOptions feature_options;
  feature_options.exec = run.exec;
  scenes::FeatureMaker maker(model->dictionary, feature_options);
  std::vector<Image<std::uint8_t>> maps;
  std::vector<Tile> places;
  for (std::size_t i = 0; i < results.size(); i += 2) {
    places.push_back({images[i], fmt::format("{} {:.2f}", results[i].name, results[i].score)});
    maps.push_back(scenes::show_words(maker.words(unknown.image(i)).view(), colors));
  }
  const Image<std::uint8_t> classified = montage(places, {.columns = 4});
  run.show("scenes: which kind of place it is", classified, Overview::Fit::kWhole);
  page.figures(
      {Figure::picture(
           classified,
           {fmt::format("Places that training has not seen, and the kinds they are classified as. "
                        "{:.0f} % of all {} are right.",
                        100 * confusion.accuracy(), results.size()),
            "fovea scenes train places -o places.safetensors --color lab --dictionary 60"}),
       Figure::picture(
           sheet(maps, 4),
           {"Each pixel has the color of its word; similar words have similar colors.",
            "fovea scenes words more-places/city --model places.safetensors -o words"})},
      2);
  page.figure(
      Figure::chart(to_svg(MatrixChart{.title = "Confusion",
                                       .values = {confusion.counts.begin(), confusion.counts.end()},
                                       .rows = confusion.classes,
                                       .columns = confusion.classes,
                                       .row_labels = kKinds,
                                       .column_labels = kKinds,
                                       .row_title = "drawn",
                                       .column_title = "predicted",
                                       .value_title = "images",
                                       .width = 360}),
                    {"Which kind is confused with which.",
                     "fovea scenes eval more-places --model places.safetensors -o report"}));
  const ImageView<const std::uint8_t> explained = unknown.image(0);
  const Explanation why = scenes::present(scenes::explain(*model, explained, {.exec = run.exec}));
  page.figure(why_figure(draw_explanation(explained, why, {.whole_image = true}), why,
                         fmt::format("fovea scenes classify more-places/{}/{:02}.png --model "
                                     "places.safetensors --explain --explain-picture why.png",
                                     kKinds[0], kTrainEach)));
  add_codings(page, run, model->dictionary);
}

}  // namespace fovea::cli
