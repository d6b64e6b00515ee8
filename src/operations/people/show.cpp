// people show: draws what a detector sees in an image, and what a model has learned.
#include <fovea/core/error.h>
#include <fovea/ops/resize.h>
#include <fovea/people/measure.h>
#include <fovea/people/show.h>
#include <fovea/report/draw.h>
#include <fovea/report/montage.h>

#include <fmt/format.h>

#include "operations/make_operation.h"
#include "operations/people/people.h"
#include "operations/systems.h"

namespace fovea::operations {
namespace of_people_show {
namespace {

struct ShowRequest {
  std::string model{};
  int blocks = 0;
  int glyph = 16;
  people::HogOptions hog{};
  Exec exec{};
};

void describe(OptionVisitor& visit, ShowRequest& request) {
  visit.path("model", request.model, TextUse::kModel,
             "model to show where no image is given, or the cascade for --blocks: a shipped model "
             "(channels, filtered, cascade or hog) or a file");
  visit("blocks", request.blocks,
        "draw the blocks of this stage of a cascade on the person with the highest score; 0 shows "
        "gradients",
        0, 1000);
  visit("glyph", request.glyph, "width of a cell in the picture, in pixels", 4, 256);
  visit.group("hog", request.hog);
}

struct ShowResult {
  std::string output{};
  int width = 0, height = 0;
};
void describe(FieldVisitor& visit, ShowResult& result) {
  visit("output", result.output, "the picture that was written");
  visit("width", result.width, "of the picture", {.unit = "pixels"});
  visit("height", result.height, "of the picture", {.unit = "pixels"});
}

struct Drawn {
  Image<std::uint8_t> image{};  // none where a model is shown
  Image<std::uint8_t> picture{};
  ShowResult result{};
};

Image<std::uint8_t> sheet_of(const people::Model& model, int glyph) {
  const auto pictures = people::model_pictures(model, glyph);
  if (pictures.empty())
    throw InvalidArgument(
        "people show: a model with circular blocks cannot be drawn; give one with square blocks");
  std::vector<report::Tile> tiles;
  tiles.reserve(pictures.size());
  for (const people::ModelPicture& picture : pictures)
    tiles.push_back({picture.image.view(), picture.caption});
  return report::montage(tiles,
                         {.columns = static_cast<int>(std::min<std::size_t>(5, tiles.size()))});
}

// The image and its gradients, side by side at one size.
Image<std::uint8_t> gradients_of(ImageView<const std::uint8_t> image, const ShowRequest& request) {
  const Image<std::uint8_t> glyphs = people::hog_glyphs(image, request.hog, request.glyph);
  const auto cells =
      image.crop(0, 0, glyphs.width() / request.glyph * request.hog.cell_size().width,
                 glyphs.height() / request.glyph * request.hog.cell_size().height);
  Image<std::uint8_t> shown(glyphs.width(), glyphs.height(), image.channels);
  resize(cells, shown.view(), {.exec = {.device = Device::cpu()}});
  const std::vector<report::Tile> tiles{{shown.view(), "image"}, {glyphs.view(), "gradients"}};
  return report::montage(tiles, {.columns = 2});
}

Image<std::uint8_t> blocks_on(Image<std::uint8_t> image, const ShowRequest& request) {
  const auto model = people::load_model(request.model.empty() ? "cascade" : request.model);
  const auto* cascade = std::get_if<people::CascadeModel>(&model->classifier);
  if (cascade == nullptr)
    throw InvalidArgument(fmt::format("--blocks needs a cascade, not {}", to_string(model->kind)));
  if (request.blocks > static_cast<int>(cascade->stages.size()))
    throw InvalidArgument(fmt::format("--blocks is {}, but the cascade has {} stages",
                                      request.blocks, cascade->stages.size()));
  const auto& stage = cascade->stages[static_cast<std::size_t>(request.blocks - 1)];
  const double width = cascade->window.width;
  people::DetectOptions options;
  options.exec = request.exec;
  const auto found = people::Detector(model, options).detect(image).people;
  if (found.empty())
    throw InvalidArgument("the cascade finds nobody in the image; give one with a person");
  const Rect<float>& window = found[0].window;
  const double scale = window.width / width;
  for (std::size_t k = 0; k < stage.classifiers.size(); ++k) {
    const people::Block& block = stage.classifiers[k].block;
    report::draw_box(image.view(),
                     Rect<double>{window.x + block.x * scale, window.y + block.y * scale,
                                  block.width * scale, block.height * scale},
                     report::Stroke{.color = report::palette(static_cast<int>(k))});
  }
  return image;
}

void read(const ShowRequest&, const Source& source, Drawn& item) {
  item.result.output = source.file("output");
  if (!source.name.empty())
    item.image = people::detector_pixels(source.image(io::Orientation::kApply));
}

void run(const ShowRequest& request, NoWorker&, Drawn& item) {
  if (item.image.empty())
    item.picture =
        sheet_of(*people::load_model(request.model.empty() ? "hog" : request.model), request.glyph);
  else if (request.blocks > 0) item.picture = blocks_on(in_color(std::move(item.image)), request);
  else item.picture = gradients_of(item.image, request);
  item.result.width = item.picture.width();
  item.result.height = item.picture.height();
}

}  // namespace
}  // namespace of_people_show

Operation people_show() {
  using namespace of_people_show;
  return make_operation<ShowRequest, Drawn>(
      {.words =
           {.system = "people",
            .verb = "show",
            .summary = "draw what a detector sees and what a model has learned",
            .text =
                "With an image, its gradients are drawn as glyphs, one star of lines per cell, or "
                "with --blocks the blocks of one stage of a cascade on the person with the highest "
                "score. Without an image, the weights, blocks or channels of a model are drawn.",
            .arguments = {{"IMAGE", "image to show", 0, 1}},
            .examples = {{"fovea people show street.jpg -o glyphs.png",
                          "draw the gradients of an image"},
                         {"fovea people show --model cascade -o stages.png",
                          "draw the blocks of a cascade's first stages"},
                         {"fovea people show street.jpg --blocks 3 -o blocks.png",
                          "draw the blocks of stage 3 on a person"}}},
       .input = InputKind::kImage,
       .needs_output = true,
       .finite_pixels = true,
       .alone = true,
       .outputs = {{.about = {.name = "output", .help = "picture to write"},
                    .write =
                        [](const ShowRequest&, const Drawn& item, const std::string& path) {
                          io::write_image(path, item.picture.view());
                        }}},
       .read_beside = [](const ShowRequest& request,
                         const std::string&) { return std::vector<std::string>{request.model}; },
       .begin =
           [](ShowRequest& request, const Exec& exec, const Plan&) {
             request.exec = exec;
             request.exec.progress = {};
           },
       .read = read,
       .run = run,
       .result = [](const Drawn& item) { return record_ref(item.result); },
       .line = [](const ShowRequest&, const Drawn& item) { return item.result.output; }},
      sample_record<ShowResult>);
}

}  // namespace fovea::operations
