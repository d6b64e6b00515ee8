#include "view/session.h"

#include <fovea/core/error.h>
#include <fovea/core/version.h>
#include <fovea/io/image_memory.h>
#include <fovea/io/json_writer.h>
#include <fovea/mesh/show.h>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "core/json_text.h"
#include "core/words.h"
#include "view/page_files.h"
#include "view/run_body.h"

namespace fovea::view {
namespace {

constexpr std::size_t kMostBody = 64 << 10;
constexpr std::size_t kMostToken = 256;
constexpr int kThumbnailSide = 192;
constexpr std::size_t kNoNumber = std::numeric_limits<std::size_t>::max();

template <class Number>
std::optional<Number> number_of(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

Response png_response(std::string bytes) {
  return {.type = "image/png", .body = std::move(bytes), .lasting = true};
}

Response not_found() { return failure(404, "there is no such thing, or none any more"); }

Response page_file(std::string_view name) {
  if (const PageFile* file = find_page_file(name))
    return {.type = std::string(file->type), .body = std::string(file->text)};
  if (const std::string_view module = mesh::model_module(name); !module.empty())
    return {.type = "text/javascript; charset=utf-8", .body = std::string(module)};
  return not_found();
}

// Red, green and blue of each face of a mesh.
Response colors_response(const std::vector<report::Color>& colors) {
  std::string bytes;
  bytes.reserve(3 * colors.size());
  for (const report::Color& color : colors)
    for (const std::uint8_t value : {color.r, color.g, color.b}) bytes += static_cast<char>(value);
  return {.type = "application/octet-stream", .body = std::move(bytes), .lasting = true};
}

// What a request asks about a result: a face of a mesh, or a place of a picture.
struct Question {
  std::string key;
  std::function<report::Explanation()> answer;
};
std::optional<Question> question_of(const Request& request, const Result& result) {
  if (result.explain_face) {
    const auto face = number_of<std::int64_t>(request.asked("face"));
    if (!face) return {};
    return Question{fmt::format("face {}", *face),
                    [&result, face = *face] { return result.explain_face(face); }};
  }
  const auto x = number_of<double>(request.asked("x")), y = number_of<double>(request.asked("y"));
  // Written so that NaN is refused as well.
  const auto inside = [](double value, int size) { return value >= 0 && value < size; };
  if (!result.explain || !x || !y || !inside(*x, result.size.width) ||
      !inside(*y, result.size.height))
    return {};
  return Question{fmt::format("{}/{}", *x, *y),
                  [&result, place = report::Point{*x, *y}] { return result.explain(place); }};
}

// The numbers at the end of /.../tile/A/LEVEL/X/Y; nothing where they are none.
struct TilePlace {
  int level = 0, x = 0, y = 0;
};
std::optional<TilePlace> tile_place(const std::vector<std::string_view>& parts) {
  if (parts.size() != 7) return {};
  const auto level = number_of<int>(parts[4]), x = number_of<int>(parts[5]),
             y = number_of<int>(parts[6]);
  if (!level || !x || !y) return {};
  return TilePlace{*level, *x, *y};
}

}  // namespace

Session::Session(const SessionOptions& options)
    : options_(options),
      guard_(options.guard),
      systems_(make_systems(options.model)),
      truth_(options.truth.empty() ? nullptr : std::make_shared<const Truth>(options.truth)),
      pictures_(std::size_t{64} << 20),
      explanations_(std::size_t{128} << 20),
      jobs_(options.exec) {}

std::variant<Response, std::size_t> Session::admit(const Request& request) {
  if (std::optional<Response> refused = guard_.check(request)) return *refused;
  const std::string& path = request.target.path;
  if (request.upgrade && !path.starts_with("/jobs/"))
    return refusal(404, "there is no such WebSocket");
  if (request.method == "GET") return std::size_t{0};
  if (path == "/session") return kMostToken;
  if (path == "/inputs") return options_.upload_bytes;
  return kMostBody;
}

Response Session::respond(const Request& request) {
  const Parts parts = path_parts(request.target.path);
  if (request.method == "POST") {
    if (request.target.path == "/session") return guard_.open_session(request);
    if (request.target.path == "/inputs") return upload(request);
    if (request.target.path == "/run") return start(request);
    return not_found();
  }
  if (request.target.path == "/") return page_file("index.html");
  if (parts[0] == "page" && parts.size() == 2) return page_file(parts[1]);
  if (request.target.path == "/systems") return systems();
  if (request.target.path == "/inputs") return json_response(inputs_.list_json());
  if (parts[0] == "inputs" && parts.size() > 1) return input(request, parts);
  if (parts[0] == "results" && parts.size() > 1) return result(request, parts);
  return not_found();
}

std::unique_ptr<Listener> Session::listen(const Request& request, Send send) {
  const Parts parts = path_parts(request.target.path);
  return parts.size() == 2 ? jobs_.listen(parts[1], std::move(send)) : nullptr;
}

Response Session::systems() const {
  std::string text;
  io::JsonWriter json(io::string_sink(text), io::JsonStyle::kCompact);
  json.begin_object()
      .member("fovea", FOVEA_VERSION)
      .member("upload_bytes", options_.upload_bytes)
      .member("tile", kTileSide)
      .key("systems")
      .begin_array();
  for (const std::unique_ptr<SystemView>& system : systems_) {
    json.begin_object()
        .member("name", system->name())
        .member("title", system->title())
        .member("text", system->text())
        .member("takes", to_string(system->takes()))
        .member("images", system->images())
        .member("needs_box", system->needs_box())
        .key("models")
        .begin_array();
    for (const std::string& model : system->models()) json.value(model);
    json.end_array().key("controls").raw(system->controls()).end_object();
  }
  json.end_array().end_object().finish();
  return json_response(std::move(text));
}

Response Session::upload(const Request& request) {
  const std::string id = inputs_.add_upload(std::string(request.asked("name")), request.body);
  return json_response(inputs_.find(id)->facts_json());
}

Response Session::kept_png(const std::string& key, const std::function<std::string()>& make) {
  if (const auto known = pictures_.find(key)) return png_response(**known);
  const auto bytes = std::make_shared<const std::string>(make());
  pictures_.keep(key, bytes, bytes->size());
  return png_response(*bytes);
}

Response Session::input(const Request& request, const Parts& parts) {
  const std::shared_ptr<Input> input = inputs_.find(parts[1]);
  if (!input) return not_found();
  if (parts.size() == 2) return json_response(input->facts_json());
  if (parts[2] == "thumbnail" && parts.size() == 3)
    return kept_png(request.target.path, [&] { return input->thumbnail(kThumbnailSide); });
  if (parts[2] == "shape.json" && input->kind() == InputKind::kMesh)
    return json_response(mesh::shape_json(*input->mesh()));
  if (parts[2] != "tile") return not_found();
  const std::optional<TilePlace> place = tile_place(parts);
  const std::optional<int> frame = place ? number_of<int>(parts[3]) : std::nullopt;
  if (!frame || *frame < 0) return not_found();
  return kept_png(request.target.path,
                  [&] { return input->frame(*frame)->tile(place->level, place->x, place->y); });
}

Response Session::start(const Request& request) {
  RunBody body = parse_run_body(request.body, inputs_);
  body.run.truth = truth_;
  for (const std::unique_ptr<SystemView>& system : systems_) {
    if (system->name() != body.system) continue;
    const std::string id =
        jobs_.submit(body.client, [view = system.get(), run = std::move(body.run)](
                                      const Exec& exec) { return view->run(run, exec); });
    return json_response(fmt::format("{{\"job\": \"{}\"}}", id));
  }
  return failure(404, fmt::format("there is no system '{}'", detail::shown(body.system)));
}

// Explains a place of a result; the same place is explained once.
std::shared_ptr<const report::Explanation> Session::explanation(const Request& request,
                                                                const std::string& id,
                                                                const Result& result) {
  const std::optional<Question> question = question_of(request, result);
  if (!question) return nullptr;
  const std::string key = fmt::format("{}/{}", id, question->key);
  if (const auto known = explanations_.find(key)) return *known;
  auto made = std::make_shared<const report::Explanation>(question->answer());
  std::size_t bytes = 4096;
  for (const report::HeatLayer& layer : made->layers)
    bytes += static_cast<std::size_t>(layer.values.stride()) *
             static_cast<std::size_t>(layer.values.height()) * sizeof(float);
  for (const report::FaceLayer& layer : made->surface) bytes += layer.values.size() * sizeof(float);
  explanations_.keep(key, made, bytes);
  return made;
}

Response Session::result(const Request& request, const Parts& parts) {
  const std::string id(parts[1]);
  const std::shared_ptr<const Result> result = jobs_.result(id);
  if (!result) return not_found();
  if (parts.size() == 2) return json_response(result_json(*result));
  const std::string_view what = parts[2];
  if (what == "result.json") return json_response(result->json);
  if (what == "tile") {
    const std::optional<TilePlace> place = tile_place(parts);
    const auto layer =
        place ? std::ranges::find(result->layers, parts[3], &Layer::name) : result->layers.end();
    if (layer == result->layers.end()) return not_found();
    return kept_png(request.target.path,
                    [&] { return layer->picture->tile(place->level, place->x, place->y); });
  }
  if (what == "parts.json" && !result->parts.empty()) return json_response(result->parts);
  if (what == "surface" && parts.size() == 4) {
    const auto surface = std::ranges::find(result->surfaces, parts[3], &Surface::name);
    return surface == result->surfaces.end() ? not_found() : colors_response(surface->colors);
  }
  if (what != "page.html" && what != "explain" && what != "heat" && what != "faces")
    return not_found();
  const std::shared_ptr<const report::Explanation> why = explanation(request, id, *result);
  if (what == "page.html")
    return {.type = "text/html; charset=utf-8",
            .body = result->page ? result->page(why.get()) : result_page(*result, why.get())};
  if (!why) return not_found();
  if (what == "explain") return json_response(report::to_json(*why, report::LayerValues::kNone));
  const std::size_t number =
      parts.size() == 4 ? number_of<std::size_t>(parts[3]).value_or(kNoNumber) : kNoNumber;
  if (what == "faces" && number < why->surface.size())
    return colors_response(
        mesh::value_colors(why->surface[number].values, report::ColorMap::kTide));
  if (what == "heat" && number < why->layers.size())
    return png_response(io::png_bytes(report::draw_layer(why->layers[number])));
  return not_found();
}

}  // namespace fovea::view
