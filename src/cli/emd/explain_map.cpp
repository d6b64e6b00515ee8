// fovea emd map --explain: which mass moves where between a pixel's signature and the target's.
#include <fovea/core/error.h>
#include <fovea/emd/explain.h>
#include <fovea/report/montage.h>

#include <fmt/format.h>

#include <array>

#include "cli/emd/map.h"
#include "cli/program/image_input.h"
#include "cli/program/run.h"

namespace fovea::cli {

int explain_map(const MapRequest& request, Context& context) {
  std::vector<std::string> addresses;
  addresses.reserve(context.inputs.size());
  for (const std::string& input : context.inputs) addresses.push_back(context.address_of(input));
  BandFrames frames(addresses, request.map.spectral() || request.map.band, request.read,
                    video_options(context));
  BandFrame frame;
  if (!frames.next(frame)) throw FormatError(fmt::format("{}: has no frame", context.inputs[0]));
  const ExplainedPixel pixel =
      explained_pixel(request.explain, {frame.bands.width(), frame.bands.height()});
  const emd::SceneMapper mapper = frame_mapper(request, frame, context.exec_without_progress());
  const emd::MapExplanation why = emd::explain(mapper, frame, pixel.x, pixel.y);
  const report::Explanation shown = present(why);
  if (!request.explain_picture.empty()) {
    const Image<std::uint8_t> place = report::draw_explanation(scene_picture(frame), shown,
                                                               {.margin = 1.0}),
                              moves = emd::draw_moves(why);
    const std::array<report::Tile, 2> tiles{
        {{place, ""}, {moves, "the pixel's signature, what moves, and the target's"}}};
    io::write_image(request.explain_picture,
                    report::montage(tiles, {.columns = 2, .gap = 6}).view());
  }
  return print_explanation(
      context, shown,
      {.picture = {}, .image = {}, .drawing = {}, .members = [&](io::JsonWriter& json) {
         json.member("input", context.inputs[0]);
         if (!request.explain_picture.empty()) json.member("picture", request.explain_picture);
         json.member("distance", why.distance);
         json.key("histogram").values(why.histogram);
         json.key("target").values(why.target);
         json.key("moves").begin_array();
         for (const emd::BinMove& move : why.moves)
           json.begin_object()
               .member("from", move.from)
               .member("to", move.to)
               .member("mass", move.mass)
               .member("cost", move.cost)
               .member("value", move.value)
               .end_object();
         json.end_array();
       }});
}

}  // namespace fovea::cli
