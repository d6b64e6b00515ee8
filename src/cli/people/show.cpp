// fovea people show: draws what a detector sees in an image, and what a model has learned.
#include <fovea/core/error.h>
#include <fovea/ops/resize.h>
#include <fovea/people/measure.h>
#include <fovea/people/show.h>
#include <fovea/report/draw.h>
#include <fovea/report/montage.h>

#include <fmt/format.h>

#include "cli/people/people.h"
#include "cli/program/batch.h"
#include "cli/program/image_input.h"
#include "cli/program/result.h"
#include "cli/program/run.h"

namespace fovea::cli {
namespace {

struct ShowRequest {
  std::string model{};
  std::string output{};
  int blocks = 0;
  int glyph = 16;
  people::HogOptions hog{};
};

void describe(OptionVisitor& visit, ShowRequest& request) {
  visit.path("output", request.output, TextUse::kOutput, "picture to write");
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

Image<std::uint8_t> blocks_on(Image<std::uint8_t> image, const ShowRequest& request,
                              const Exec& exec) {
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
  options.exec = exec;
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

int run_show(ShowRequest& request, Context& context) {
  if (request.output.empty()) throw InvalidArgument("people show needs -o OUT, a picture to write");
  check_outputs(context, {{"-o", request.output}}, {request.model});
  resolve_device(context);
  Image<std::uint8_t> picture;
  if (context.inputs.empty()) {
    picture =
        sheet_of(*people::load_model(request.model.empty() ? "hog" : request.model), request.glyph);
  } else {
    Image<std::uint8_t> image = people::detector_pixels(
        read_finite_input(context, context.inputs[0], io::Orientation::kApply));
    picture = request.blocks > 0
                  ? blocks_on(in_color(std::move(image)), request, context.exec_without_progress())
                  : gradients_of(image, request);
  }
  io::write_image(request.output, picture.view());
  if (!context.json) {
    context.console.print(request.output + "\n");
    return kDone;
  }
  const ShowResult result{request.output, picture.width(), picture.height()};
  print_result(context, record_ref(result));
  return kDone;
}

}  // namespace

Command people_show_command() {
  return {
      .system = "people",
      .verb = "show",
      .summary = "draw what a detector sees and what a model has learned",
      .text =
          "With an image, its gradients are drawn as glyphs, one star of lines per cell, or with "
          "--blocks the blocks of one stage of a cascade on the person with the highest score. "
          "Without an image, the weights, blocks or channels of a model are drawn.",
      .arguments = {{"IMAGE", "image to show", 0, 1}},
      .examples = {{"fovea people show street.jpg -o glyphs.png", "draw the gradients of an image"},
                   {"fovea people show --model cascade -o stages.png",
                    "draw the blocks of a cascade's first stages"},
                   {"fovea people show street.jpg --blocks 3 -o blocks.png",
                    "draw the blocks of stage 3 on a person"}},
      .request = make_request<ShowRequest, run_show>,
      .result = {sample_record<ShowResult>},
      .reads_images = true};
}

}  // namespace fovea::cli
