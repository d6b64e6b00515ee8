#include "view/session.h"

#include <fovea/core/error.h>
#include <fovea/core/version.h>
#include <fovea/io/image_memory.h>
#include <fovea/io/json_writer.h>
#include <fovea/io/record_io.h>
#include <fovea/mesh/show.h>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>

#include "core/json_text.h"
#include "core/words.h"
#include "view/number.h"
#include "view/page_files.h"
#include "view/records.h"
#include "view/run_body.h"

namespace fovea::view {
namespace {

constexpr std::size_t kMostBody = 64 << 10;
constexpr std::size_t kMostFilm = 512 << 10;  // which names all of its frames
constexpr std::size_t kMostToken = 256;
constexpr std::size_t kMostResults = std::size_t{64} << 20;  // bytes of a file of results
constexpr int kThumbnailSide = 192;
constexpr int kPatchSide = 96;
constexpr std::size_t kNoNumber = std::numeric_limits<std::size_t>::max();

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

Response job_response(const std::string& id) {
  return json_response(fmt::format("{{\"job\": \"{}\"}}", id));
}

// Whether a question can be answered: it is about a place inside of the picture, or about a face of
// a mesh. Written so that NaN is refused as well.
bool answers(const Result& result, const Question& question) {
  if (question.face) return static_cast<bool>(result.explain_face);
  const Place& place = question.place;
  return result.explain && place.x >= 0 && place.x < result.size.width && place.y >= 0 &&
         place.y < result.size.height;
}

// A file for the user to keep, by any name.
Response download(SavedBytes file) {
  std::string name;
  for (const char letter : file.file) {
    const bool plain = std::isalnum(static_cast<unsigned char>(letter)) != 0 ||
                       std::string_view("._-").find(letter) != std::string_view::npos;
    name +=
        plain ? std::string(1, letter) : fmt::format("%{:02X}", static_cast<unsigned char>(letter));
  }
  return {.type = "application/octet-stream",
          .body = std::move(file.bytes),
          .headers = {{"Content-Disposition", "attachment; filename*=UTF-8''" + name}}};
}

struct FilmRequest {
  std::string name{};
  std::vector<std::string> inputs{};
};
void describe(FieldVisitor& visit, FilmRequest& request) {
  visit("name", request.name, "of the folder");
  visit("inputs", request.inputs, "its images by their ids, in their order");
}

// What an explanation is kept by.
std::string question_key(const std::string& id, const Question& question) {
  if (question.face) return fmt::format("{}/face/{}", id, *question.face);
  const Place& place = question.place;
  return fmt::format("{}/{}/{}/{}", id, place.x, place.y, place.frame);
}

// What the end of an address asks about; nothing where it does not.
std::optional<Question> question_in(const Request& request) {
  if (const auto face = number_of<std::int64_t>(request.asked("face")))
    return Question{.face = face};
  const auto x = number_of<double>(request.asked("x")), y = number_of<double>(request.asked("y"));
  if (!x || !y) return {};
  return Question{.place = {{*x, *y}, number_of<int>(request.asked("frame")).value_or(0)}};
}

Response frame_shapes(const Result& result, std::string_view number) {
  const std::optional<int> frame = number_of<int>(number);
  if (!result.video || !frame) return not_found();
  Response response = json_response(records_json(result.video->shapes(*frame)));
  response.lasting = true;
  return response;
}

Response why_picture(const Result& result, std::string_view name,
                     const std::optional<Question>& question) {
  const auto picture = std::ranges::find(result.why_pictures, name, &WhyPicture::name);
  if (picture == result.why_pictures.end() || !question || !answers(result, *question))
    return not_found();
  return {.type = picture->type, .body = picture->make(question->place), .lasting = true};
}

// The part of a picture that four numbers name, small; empty where it has none.
std::string patch_png(const Picture& picture, std::string_view text) {
  std::vector<double> numbers;
  for (const std::string_view part : detail::split(text, ','))
    numbers.push_back(number_of<double>(part).value_or(-1));
  if (numbers.size() != 4) return {};
  const auto patch = patch_of(picture, {numbers[0], numbers[1], numbers[2], numbers[3]});
  return patch.empty() ? std::string() : Picture(clone(patch)).thumbnail(kPatchSide);
}

// Places without a value do not cover the picture.
std::string heat_png(const report::HeatLayer& layer) {
  const ImageView<const float> values = layer.values.view();
  Image<std::uint8_t> opacity(values.width, values.height);
  for (int y = 0; y < values.height; ++y)
    for (int x = 0; x < values.width; ++x) opacity.at(x, y) = std::isnan(values.at(x, y)) ? 0 : 255;
  return io::png_bytes(with_opacity(report::draw_layer(layer), opacity));
}

}  // namespace

Session::Session(const SessionOptions& options) : Session(options, make_systems(options.model)) {}

Session::Session(const SessionOptions& options, Systems systems)
    : options_(options),
      guard_(options.guard),
      systems_(std::move(systems)),
      truth_(options.truth.empty() ? nullptr : std::make_shared<const Truth>(options.truth)),
      pictures_(std::size_t{32} << 20),
      explanations_(std::size_t{128} << 20),
      jobs_(options.exec),
      questions_(options.exec),
      streams_({systems_, inputs_, jobs_, options.exec, truth_}, options.timeout_seconds) {
  if (truth_) saved_.show_truth(truth_, inputs_);
}

std::variant<Response, std::size_t> Session::admit(const Request& request) {
  if (std::optional<Response> refused = guard_.check(request)) return *refused;
  const std::string& path = request.target.path;
  if (request.upgrade && path != "/inputs" && !path.starts_with("/jobs/") &&
      !path.starts_with("/streams/"))
    return refusal(404, "there is no such WebSocket");
  if (request.method == "GET") return std::size_t{0};
  if (path == "/session") return kMostToken;
  if (path == "/inputs") return options_.upload_bytes;
  return path == "/films" ? kMostFilm : kMostBody;
}

Response Session::respond(const Request& request) {
  const Parts parts = path_parts(request.target.path);
  if (request.method == "POST") {
    if (request.target.path == "/session") return guard_.open_session(request);
    if (request.target.path == "/inputs") return upload(request);
    if (request.target.path == "/films") return make_film(request);
    if (request.target.path == "/run") return start(request);
    if (parts.size() == 3 && parts[0] == "results" && parts[2] == "explain")
      return ask(request, std::string(parts[1]));
    return not_found();
  }
  if (request.target.path == "/") return page_file("index.html");
  if (parts[0] == "page" && parts.size() == 2) return page_file(parts[1]);
  if (request.target.path == "/systems") return systems();
  if (request.target.path == "/inputs")
    return json_response(
        inputs_.list_json(number_of<std::size_t>(request.asked("from")).value_or(0)));
  if (parts[0] == "inputs" && parts.size() > 1) return input(request, parts);
  if (parts[0] == "results" && parts.size() > 1) return result(request, parts);
  if (parts[0] == "earlier" || parts[0] == "evaluations") return saved_result(request, parts);
  return not_found();
}

std::unique_ptr<Listener> Session::listen(const Request& request, Send send) {
  const Parts parts = path_parts(request.target.path);
  if (request.target.path == "/inputs")
    return arrivals_.listen([this] { return inputs_.size(); }, std::move(send));
  if (parts.size() != 2) return nullptr;
  if (parts[0] == "jobs") {
    std::unique_ptr<Listener> listener = jobs_.listen(parts[1], send);
    return listener ? std::move(listener) : questions_.listen(parts[1], std::move(send));
  }
  const std::shared_ptr<Input> input = inputs_.find(parts[1]);
  if (parts[0] != "streams" || !input) return nullptr;
  return streams_.listen(input, number_of<int>(request.asked("frame")).value_or(0),
                         std::move(send));
}

Response Session::systems() const {
  std::string text;
  io::JsonWriter json(io::string_sink(text), io::JsonStyle::kCompact);
  json.begin_object()
      .member("fovea", FOVEA_VERSION)
      .member("upload_bytes", options_.upload_bytes)
      .member("tile", kTileSide)
      .key("extensions")
      .begin_array();
  for (const std::string& extension : input_extensions()) json.value(extension);
  json.end_array().key("systems").begin_array();
  for (const std::unique_ptr<SystemView>& system : systems_) {
    json.begin_object();
    io::write_fields(json, record_ref(system->facts()));
    json.key("controls").raw(system->controls()).key("model_texts").begin_object();
    for (const std::string& model : system->facts().models)
      json.member(model, system->text_of(model));
    json.end_object().end_object();
  }
  json.end_array().end_object().finish();
  return json_response(std::move(text));
}

// A file of results that a page has sent. The answer has no id, as it is no input, but that of an
// input that it is about.
Response Session::upload_results(const std::string& name, const std::string& bytes) {
  if (bytes.size() > kMostResults)
    throw InvalidArgument(
        fmt::format("'{}' has {} MiB; at most {} of results can be added here, name it on the "
                    "command line",
                    detail::shown(name), bytes.size() >> 20, kMostResults >> 20));
  std::string about;
  inputs_.keep_upload(name, bytes, [&](const std::string& path) {
    about = saved_.add_sent(read_saved(path), inputs_);
  });
  return json_response(fmt::format("{{\"about\": \"{}\"}}", about));
}

Response Session::upload(const Request& request) {
  const std::string name(request.asked("name")), samples(request.asked("samples"));
  if (is_saved_file(name)) return upload_results(name, request.body);
  const auto added = [this](const std::string& id) {
    const std::shared_ptr<Input> input = inputs_.find(id);
    saved_.add_labels_inside(*input, inputs_);
    saved_.look_again(inputs_);
    arrivals_.tell(inputs_.size());
    return json_response(input->facts_json());
  };
  if (samples.empty()) return added(inputs_.add_upload(name, request.body));
  const std::string_view body = request.body;
  const auto bytes = number_of<std::size_t>(request.asked("header_bytes"));
  if (!bytes || *bytes > body.size())
    throw InvalidArgument("upload: header_bytes does not say where the header ends");
  return added(inputs_.add_upload({name, body.substr(0, *bytes)}, {samples, body.substr(*bytes)}));
}

// The answer has no id where the images are no frames.
Response Session::make_film(const Request& request) {
  const auto body = io::parse_record<FilmRequest>(request.body, "film");
  const std::string id = inputs_.add_film(body.name, body.inputs);
  if (id.empty()) return json_response("{}");
  arrivals_.tell(inputs_.size());
  return json_response(inputs_.find(id)->facts_json());
}

Response Session::kept_png(const std::string& key, const std::function<std::string()>& make) {
  return png_response(*pictures_.get(
      key, [&] { return std::make_shared<const std::string>(make()); },
      [](const auto& bytes) { return bytes->capacity(); }));
}

// The tile that the end of an address, /.../tile/A/LEVEL/X/Y, names of a picture.
Response Session::tile(const Request& request, const Parts& parts, const FindPicture& find) {
  if (parts.size() != 7) return not_found();
  const auto level = number_of<int>(parts[4]), x = number_of<int>(parts[5]),
             y = number_of<int>(parts[6]);
  if (!level || !x || !y) return not_found();
  Response png = kept_png(request.target.path, [&] {
    const std::shared_ptr<const Picture> picture = find();
    return picture ? picture->tile(*level, *x, *y) : std::string();
  });
  return png.body.empty() ? not_found() : png;
}

Response Session::input(const Request& request, const Parts& parts) {
  const std::shared_ptr<Input> input = inputs_.find(parts[1]);
  if (!input) return not_found();
  if (parts.size() == 2) return json_response(input->facts_json());
  if (parts[2] == "thumbnail" && parts.size() == 3)
    return kept_png(request.target.path, [&] { return input->thumbnail(kThumbnailSide); });
  if (parts[2] == "shape.json" && input->kind() == InputKind::kMesh)
    return json_response(mesh::shape_json(*input->mesh()));
  const auto frame = parts.size() > 3 ? number_of<int>(parts[3]) : std::nullopt;
  if (parts[2] != "tile" || !frame || *frame < 0) return not_found();
  return tile(request, parts, [&] { return input->frame(*frame); });
}

Response Session::start(const Request& request) {
  RunBody body = parse_run_body(request.body, inputs_);
  body.run.truth = truth_;
  SystemView* view = find_system(systems_, body.system);
  if (view == nullptr)
    return failure(404, fmt::format("there is no system '{}'", detail::shown(body.system)));
  return job_response(jobs_.submit(
      body.client,
      [view, run = std::move(body.run)](const Exec& exec) { return view->run(run, exec); },
      view->facts().whole_video ? JobLength::kLong : JobLength::kQuick));
}

// Explains a place or a face of a result; the same one is explained once, as long as there is room.
std::shared_ptr<const report::Explanation> Session::explain(const Result& result,
                                                            const std::string& id,
                                                            const Question& question,
                                                            const Exec& exec) {
  return explanations_.get(
      question_key(id, question),
      [&] {
        return std::make_shared<const report::Explanation>(
            question.face ? result.explain_face(*question.face, exec)
                          : result.explain(question.place, exec));
      },
      [](const auto& made) { return bytes_of(*made); });
}

// The job gives nothing but its end: the explanation is kept for those who ask for this place.
Response Session::ask(const Request& request, const std::string& id) {
  const std::shared_ptr<const Result> result = jobs_.result(id);
  const Question question = parse_question(request.body);
  if (!result || !answers(*result, question)) return not_found();
  const auto job = [this, result, question, id](const Exec& exec) -> Result {
    explain(*result, id, question, exec);
    return {};
  };
  return job_response(questions_.submit(question.client, job));
}

Response Session::evaluation(const Request& request, const Parts& parts) {
  const auto file = parts.size() > 1 ? number_of<std::size_t>(parts[1]) : std::nullopt;
  if (!file) return not_found();
  if (parts.size() == 2) {
    std::string evaluation = saved_.evaluation_json(*file);
    return evaluation.empty() ? not_found() : json_response(std::move(evaluation));
  }
  const auto mistake =
      parts.size() == 4 && parts[2] == "mistakes" ? number_of<std::size_t>(parts[3]) : std::nullopt;
  if (!mistake) return not_found();
  Response picture = kept_png(request.target.path,
                              [&] { return saved_.mistake_png(*file, *mistake, kThumbnailSide); });
  picture.lasting = false;  // another run of the program may have another file of this number
  return picture.body.empty() ? not_found() : picture;
}

Response Session::saved_result(const Request& request, const Parts& parts) {
  if (request.target.path == "/earlier") return json_response(saved_.list_json());
  if (parts[0] == "evaluations") return evaluation(request, parts);
  if (parts.size() == 2)
    return json_response(
        saved_.input_json(parts[1], number_of<std::int64_t>(request.asked("frame")).value_or(0)));
  if (parts.size() == 4 && parts[2] == "surface") {
    const std::vector<report::Color> colors = saved_.surface(parts[1], parts[3]);
    return colors.empty() ? not_found() : colors_response(colors);
  }
  if (parts.size() < 3 || parts[2] != "tile") return not_found();
  return tile(request, parts, [&] { return saved_.layer(parts[1], parts[3]); });
}

Response Session::result(const Request& request, const Parts& parts) {
  const std::string id(parts[1]);
  const std::shared_ptr<const Result> result = jobs_.result(id);
  if (!result) return not_found();
  if (parts.size() == 2) return json_response(io::record_json(record_ref(*result)));
  const std::string_view what = parts[2];
  if (what == "result.json") return json_response(result->json);
  if (what == "tile")
    return tile(request, parts, [&]() -> std::shared_ptr<const Picture> {
      const auto layer = std::ranges::find(result->layers, parts[3], &Layer::name);
      return layer == result->layers.end() ? nullptr : layer->picture;
    });
  if (what == "parts.json" && !result->parts.empty()) return json_response(result->parts);
  if (what == "surface" && parts.size() == 4) {
    const auto surface = std::ranges::find(result->surfaces, parts[3], &Layer::name);
    return surface == result->surfaces.end() ? not_found() : colors_response(surface->colors);
  }
  if (what == "save" && parts.size() == 4) {
    const auto number = number_of<std::size_t>(parts[3]);
    if (!number || *number >= result->files.size()) return not_found();
    return download(result->save(result->files[*number]));
  }
  if (what == "patch" && parts.size() == 4 && result->image) {
    Response png =
        kept_png(request.target.path, [&] { return patch_png(*result->image, parts[3]); });
    return png.body.empty() ? not_found() : png;
  }
  if (what == "frame" && parts.size() == 4) return frame_shapes(*result, parts[3]);
  if (what == "why" && parts.size() == 4)
    return why_picture(*result, parts[3], question_in(request));
  if (what != "page.html" && what != "explain" && what != "heat" && what != "faces")
    return not_found();
  const std::optional<Question> question = question_in(request);
  std::shared_ptr<const report::Explanation> why;
  if (question) why = explanations_.find(question_key(id, *question)).value_or(nullptr);
  if (what == "page.html") {
    // One that has made room for others is made again: the page has what is seen.
    if (question && answers(*result, *question))
      why = explain(*result, id, *question, options_.exec);
    std::string page = result->page ? result->page(why.get()) : "";
    if (page.empty()) page = result_page(*result, why.get());
    return {.type = "text/html; charset=utf-8", .body = std::move(page)};
  }
  if (!why) return not_found();
  if (what == "explain") return json_response(report::to_json(*why, report::LayerValues::kNone));
  const std::size_t number =
      parts.size() == 4 ? number_of<std::size_t>(parts[3]).value_or(kNoNumber) : kNoNumber;
  if (what == "faces" && number < why->surface.size())
    return colors_response(
        mesh::value_colors(why->surface[number].values, report::ColorMap::kTide));
  if (what == "heat" && number < why->layers.size())
    return png_response(heat_png(why->layers[number]));
  return not_found();
}

}  // namespace fovea::view
