// fovea.emd: exact Earth Mover's Distances, maps of them, detection in cubes, and tracking.
#include <fovea/core/error.h>
#include <fovea/emd/detect.h>
#include <fovea/emd/scene.h>
#include <fovea/emd/show.h>
#include <fovea/emd/solver.h>
#include <fovea/emd/track.h>

#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <variant>

#include "arrays.h"
#include "emd_names.h"
#include "emd_track_input.h"
#include "errors.h"
#include "gpu_arrays.h"
#include "options.h"
#include "run.h"
#include "systems.h"

namespace fovea::python {
namespace {

using emd::BandFrame;
using emd::GroundDistance;
using emd::Track;

// Rough numbers of operations: per pair of bins of a problem, per pixel of a map and of a frame
// that targets are followed in.
constexpr double kOperationsPerCell = 10;
constexpr double kOperationsPerPixel = 500;
constexpr double kOperationsPerTrackedPixel = 100;

// A ground distance by its name or as a matrix, for histograms of so many bins.
GroundDistance ground_of(nb::handle ground, int bins) {
  if (PyUnicode_Check(ground.ptr()))
    return GroundDistance::named(nb::cast<std::string>(ground), bins);
  if (ground.is_none())
    throw_invalid_type("ground is None; expected a name such as 'threshold:3' or costs");
  const AnyArray costs = dense_array<double>(ground, "ground", {2});
  const auto count = [](std::size_t size) {
    return static_cast<int>(std::min<std::size_t>(size, std::numeric_limits<int>::max()));
  };
  return {count(costs.shape(0)), count(costs.shape(1)),
          std::span(static_cast<const double*>(costs.data()), costs.size())};
}

nb::dict facts_of(const GroundDistance& ground) {
  nb::dict facts;
  facts["rows"] = ground.rows();
  facts["columns"] = ground.columns();
  facts["form"] = to_string(ground.form());
  facts["metric"] = ground.metric();
  facts["greatest"] = ground.greatest();
  facts["unit"] = ground.unit();
  facts["exact"] = ground.exact();
  return facts;
}

class Solver {
 public:
  Solver(nb::handle ground, int bins, const nb::dict& keywords)
      : options_(options_of<emd::SolverOptions>(keywords, "distance")),
        ground_(ground_of(ground, bins)),
        solver_(options_.exec, [this](const Exec& exec) {
          emd::SolverOptions options = options_;
          options.exec = exec;
          return emd::Solver(ground_, options);
        }) {}

  // Distances, statuses, pivots, flows or None, the first problem with an invalid mass or -1, and
  // what solved each problem.
  // With `mark` the distances of such problems are NaN. Distances and flows lie where `first` does.
  nb::tuple solve(nb::handle first, nb::handle second, bool flows, bool mark) {
    using enum io::SampleType;
    const auto rows_of = [&](nb::handle value, const char* name) {
      return rows_input(value, name, {kUint8, kUint16, kFloat32, kFloat64}, solver_.stream());
    };
    const ImageInput p = rows_of(first, "P"), q = rows_of(second, "Q");
    if (p.view.index() != q.view.index())
      throw_invalid_type("P is " + array_text(first) + " and Q is " + array_text(second) +
                         "; expected arrays of one type");
    return std::visit(
        [&]<class T>(const ImageView<T>& rows) -> nb::tuple {
          using Mass = std::remove_const_t<T>;
          if constexpr (std::is_same_v<Mass, std::uint8_t> || std::is_same_v<Mass, std::uint16_t> ||
                        std::is_floating_point_v<Mass>)
            return solve_as<Mass>(rows, q.of<Mass>(), {flows, mark});
          else return nb::make_tuple();
        },
        p.view);
  }

  const GroundDistance& ground() const { return ground_; }
  const emd::SolverOptions& options() const { return options_; }

 private:
  struct Wish {
    bool flows, mark;
  };
  // The solutions of a batch, where `first` lies. Status, pivots and solvers are brought to the
  // host.
  struct Found {
    Array<double> distance;
    Array<emd::Status> status;
    Array<std::uint16_t> pivots;
    Array<double> flow;
    Array<emd::SolvedBy> solved_by;
    std::int64_t invalid = -1;

    Found(std::size_t problems, std::size_t cells, Memory memory)
        : distance(problems, memory),
          status(problems, memory),
          pivots(problems, memory),
          flow(problems * cells, memory),
          solved_by(problems, memory) {}
  };

  template <class Mass>
  nb::tuple solve_as(ImageView<const Mass> first, ImageView<const Mass> second, Wish wish) {
    require_bins("P", first.width, ground_.rows(), "rows");
    require_bins("Q", second.width, ground_.columns(), "columns");
    if (first.height != second.height && first.height != 1 && second.height != 1)
      throw InvalidArgument(
          fmt::format("P has {} rows and Q has {}; expected as many, or 1 in one of them",
                      first.height, second.height));
    const int problems = first.height == 1 ? second.height : first.height;
    const int cells = ground_.rows() * ground_.columns();
    const double operations = kOperationsPerCell * problems * cells;
    Found found = solver_.call({operations}, nb::none(), [&](emd::Solver& solver) {
      const ScopedDevice here(options_.exec.device);
      Found made(static_cast<std::size_t>(problems),
                 wish.flows ? static_cast<std::size_t>(cells) : 0, first.memory);
      const emd::SolutionsView out{
          made.distance.data(), made.status.data(), made.pivots.data(),
          wish.flows ? packed_view(made.flow.data(), cells, problems, 1, first.memory)
                     : ImageView<double>{},
          made.solved_by.data()};
      if (first.height == 1 && second.height != 1) {
        solver_.stream()->synchronize();  // the row is copied on another stream
        solve_one_with_all(solver, first, second, out);
      } else if (problems > 0) solver.solve<Mass>(first, second, out);
      solver_.stream()->synchronize();
      inspect(made, wish.mark);
      return made;
    });
    return result_of(std::move(found), wish.flows);
  }

  // The solver compares all rows of the first with one of the second, but not the other way round:
  // the only row of the first is repeated, for some rows of the second at a time.
  template <class Mass>
  static void solve_one_with_all(emd::Solver& solver, ImageView<const Mass> first,
                                 ImageView<const Mass> second, const emd::SolutionsView& out) {
    constexpr int kRows = 1 << 16;
    const Image<Mass> row = clone(first);
    Image<Mass> repeated(first.width, std::min(kRows, second.height));
    for (int y = 0; y < repeated.height(); ++y)
      std::copy_n(row.row(0), first.width, repeated.row(y));
    if (first.memory == Memory::kCuda) repeated = clone(repeated, Memory::kCuda);
    for (int y = 0; y < second.height; y += kRows) {
      const int some = std::min(kRows, second.height - y);
      solver.solve<Mass>(std::as_const(repeated).view().crop(0, 0, first.width, some),
                         second.crop(0, y, second.width, some),
                         {out.distance + y, out.status + y, out.pivots + y,
                          out.flow.empty() ? out.flow : out.flow.crop(0, y, out.flow.width, some),
                          out.solved_by + y});
    }
  }

  template <class T>
  static void copy_values(const Array<T>& from, Array<T>& to) {
    const auto bytes = static_cast<std::ptrdiff_t>(from.size() * sizeof(T));
    fovea::detail::copy_rows({from.data(), bytes, 0, from.memory()},
                             {to.data(), bytes, 0, to.memory()}, {from.size() * sizeof(T), 1, 1});
  }
  template <class T>
  static Array<T> on_host(Array<T>&& values) {
    if (values.memory() != Memory::kCuda) return std::move(values);
    Array<T> here(values.size());
    copy_values(values, here);
    return here;
  }

  static void inspect(Found& found, bool mark) {
    found.status = on_host(std::move(found.status));
    found.pivots = on_host(std::move(found.pivots));
    found.solved_by = on_host(std::move(found.solved_by));
    const auto* invalid =
        std::find(found.status.begin(), found.status.end(), emd::Status::kInvalidMass);
    if (invalid == found.status.end()) return;
    found.invalid = invalid - found.status.begin();
    if (!mark) return;
    Array<double> marked(found.distance.size());
    copy_values(found.distance, marked);
    for (std::size_t i = 0; i < marked.size(); ++i)
      if (found.status[i] == emd::Status::kInvalidMass)
        marked[i] = std::numeric_limits<double>::quiet_NaN();
    copy_values(marked, found.distance);
  }

  static void require_bins(const char* name, int is, int expected, const char* side) {
    if (is != expected)
      throw InvalidArgument(fmt::format("{} has {} bins, but the ground distance has {} {}", name,
                                        is, expected, side));
  }

  nb::tuple result_of(Found&& found, bool flows) const {
    const std::size_t problems = found.status.size(),
                      rows = static_cast<std::size_t>(ground_.rows()),
                      columns = static_cast<std::size_t>(ground_.columns());
    const Device device = options_.exec.device;
    Array<std::uint8_t> codes(problems);
    std::transform(found.status.begin(), found.status.end(), codes.begin(),
                   [](emd::Status status) { return static_cast<std::uint8_t>(status); });
    Array<std::uint8_t> solvers(problems);
    std::transform(found.solved_by.begin(), found.solved_by.end(), solvers.begin(),
                   [](emd::SolvedBy solver) { return static_cast<std::uint8_t>(solver); });
    return nb::make_tuple(
        to_python(std::move(found.distance), {problems}, device),
        to_python(std::move(codes), {problems}, device),
        to_python(std::move(found.pivots), {problems}, device),
        flows ? to_python(std::move(found.flow), {problems, rows, columns}, device) : nb::none(),
        found.invalid, to_python(std::move(solvers), {problems}, device));
  }

  emd::SolverOptions options_;
  GroundDistance ground_;
  Kept<emd::Solver> solver_;
};

// An image or a cube: an array, or the path of a file that is read when it is needed. It keeps the
// array alive.
class FrameSource {
 public:
  // With a stream, the array may lie on its GPU.
  FrameSource(nb::handle value, const char* name, const std::string& variable,
              const Stream* stream = nullptr)
      : name_(name), variable_(variable) {
    using enum io::SampleType;
    if (PyUnicode_Check(value.ptr())) path_ = nb::cast<std::string>(value);
    else
      image_ =
          image_input(value, {name,
                              {kUint8, kUint16, kUint32, kInt8, kInt16, kInt32, kFloat32, kFloat64},
                              {},
                              stream});
  }

  // Reads or converts, on a GPU in the order of exec.stream; needs no lock of Python's.
  BandFrame frame(const Exec& exec = {}) const {
    if (image_) return emd::bands_of(image_->view, name_, exec);
    return emd::read_bands(path_, {.variable = variable_});
  }
  // Of a file it is not known before it is read.
  Work work(double operations_per_pixel) const {
    if (!image_) return {1e12};
    return std::visit(
        [&](const auto& view) {
          return Work{operations_per_pixel * view.width * view.height * std::sqrt(view.channels)};
        },
        image_->view);
  }

 private:
  std::string name_, variable_, path_;
  std::optional<ImageInput> image_;
};

// A matrix of costs where `ground` is an array; names are keywords.
emd::SceneMapOptions map_options(const nb::dict& keywords, nb::handle ground) {
  auto options = options_of<emd::SceneMapOptions>(keywords, "Mapper");
  if (!ground.is_none()) options.ground = emd::Ground(ground_of(ground, 0));
  return options;
}

// The ground distance is an argument of its own, because it may be an array.
nb::list map_table() {
  nb::list table;
  for (const nb::handle entry : option_table<emd::SceneMapOptions>())
    if (nb::cast<std::string>(entry["name"]) != "ground") table.append(entry);
  return table;
}

class Mapper {
 public:
  // The target is a box, or an image or cube, or the path of one.
  Mapper(const std::optional<std::vector<int>>& box, nb::handle target, const std::string& variable,
         nb::handle ground, bool keep_spectrum, const nb::dict& keywords)
      : variable_(variable), options_(map_options(keywords, ground)) {
    options_.keep_spectrum = keep_spectrum;
    if (box) {
      box_ = Rect<int>{box->at(0), box->at(1), box->at(2), box->at(3)};
      return;
    }
    const FrameSource shown(target, "target", variable_, &stream_);
    nb::gil_scoped_release others_go_on;
    shown_ = shown.frame(exec_there());
    stream_.synchronize();  // the array may go
  }

  nb::dict map(nb::handle image) {
    const FrameSource source(image, "image", variable_, &stream_);
    Mapped mapped = calls_.run(source.work(kOperationsPerPixel), nb::none(), [&] {
      const BandFrame frame = source.frame(exec_there());
      emd::SceneMapper& mapper = mapper_for(frame);
      Image<float> distances = mapper.map(frame);
      const std::span<const std::uint16_t> target = mapper.mapper().target();
      return Mapped{
          std::move(distances),     mapper.mapper().report(), {target.begin(), target.end()},
          mapper.mapper().ground(), mapper.range(),           mapper.spectrum(),
          mapper.target_size()};
    });
    nb::dict all;
    all["distances"] = to_python(std::move(mapped.distances), options_.exec.device);
    all["report"] = report_of(mapped.report);
    all["target"] = to_numpy(mapped.target);
    all["ground"] = facts_of(mapped.ground);
    all["range"] = options_.spectral()
                       ? nb::none()
                       : nb::object(nb::make_tuple(mapped.range.low, mapped.range.high));
    all["size"] = nb::make_tuple(mapped.size.width, mapped.size.height);
    all["spectrum"] = mapped.spectrum.empty() ? nb::none() : to_numpy(mapped.spectrum);
    return all;
  }

  // Before the first image.
  void set_mask(nb::handle mask) { mask_ = clone(mask_input(mask).of<std::uint8_t>()); }
  const emd::SceneMapOptions& options() const { return options_; }

 private:
  // All that a call gives, taken while it has the turn.
  struct Mapped {
    Image<float> distances;
    emd::MapReport report;
    std::vector<std::uint16_t> target;
    GroundDistance ground;
    emd::LevelRange range;
    std::vector<float> spectrum;
    Extent size;
  };

  // For frames that lie on the GPU.
  Exec exec_there() const { return {.device = options_.exec.device, .stream = stream_.get()}; }

  // What was learned from the first frame outlives an interruption.
  emd::SceneMapper& mapper_for(const BandFrame& frame) {
    const bool current = made_at_ == calls_.interruptions();
    if (mapper_ && current) return *mapper_;
    Exec exec = calls_.watched(options_.exec);
    exec.stream = stream_.get();
    if (mapper_) {
      mapper_->renew(exec);
    } else {
      emd::SceneMapOptions options = options_;
      options.exec = exec;
      emd::SceneMapper made =
          box_ ? emd::SceneMapper(frame, *box_, options) : emd::SceneMapper(frame, shown_, options);
      if (!mask_.view().empty()) made.set_mask(mask_);
      mapper_ = std::move(made);
      shown_ = {};
    }
    made_at_ = calls_.interruptions();
    return *mapper_;
  }

  std::string variable_;
  emd::SceneMapOptions options_;
  Stream stream_{options_.exec.device};  // on which frames that lie on its GPU are awaited
  std::optional<Rect<int>> box_;
  BandFrame shown_;
  Image<std::uint8_t> mask_{};
  Calls calls_{options_.exec.device};
  std::optional<emd::SceneMapper> mapper_;
  std::int64_t made_at_ = -1;
};

// The samples as they are stored, one channel per band.
nb::object read_cube(const std::string& path, const nb::dict& keywords) {
  io::CubeReadOptions options;
  set_keywords(options, keywords, "read_cube");
  io::Cube cube;
  {
    nb::gil_scoped_release others_go_on;
    cube = io::read_cube(path, options);
  }
  return std::visit(
      []<class T>(const Stack<T>& bands) {
        Image<T> pixels(bands.width(), bands.height(), bands.count());
        for (int b = 0; b < bands.count(); ++b)
          for (int y = 0; y < bands.height(); ++y)
            for (int x = 0; x < bands.width(); ++x) pixels.at(x, y, b) = bands.plane(b).at(x, y);
        return to_numpy(std::move(pixels));
      },
      cube.bands);
}

nb::object mean_spectrum(nb::handle cube, const std::optional<std::vector<int>>& box,
                         nb::handle mask) {
  const FrameSource source(cube, "cube", "");
  const ImageInput counted = mask_input(mask);
  std::vector<float> spectrum;
  {
    nb::gil_scoped_release others_go_on;
    const BandFrame frame = source.frame();
    const auto view = counted.of<std::uint8_t>();
    Rect<int> part{0, 0, frame.bands.width(), frame.bands.height()};
    if (box) part = {box->at(0), box->at(1), box->at(2), box->at(3)};
    spectrum = view.empty() ? emd::mean_spectrum(frame.bands, part)
                            : emd::mean_spectrum(frame.bands, view);
  }
  return to_numpy(spectrum);
}

using SpectrumScore = Image<float> (*)(StackView<const float>, std::span<const float>, const Exec&);
template <SpectrumScore score>
nb::object spectrum_score(nb::handle cube, nb::handle spectrum) {
  const FrameSource source(cube, "cube", "");
  const AnyArray target = dense_array<float>(spectrum, "spectrum", {1});
  Calls calls;
  return to_numpy(calls.run(source.work(kOperationsPerPixel), nb::none(), [&] {
    const BandFrame frame = source.frame();
    return score(frame.bands, {static_cast<const float*>(target.data()), target.size()},
                 calls.watched({}));
  }));
}

nb::dict roc(nb::handle score, nb::handle truth, const std::string& sense, nb::handle counted) {
  const ImageInput scores = image_input(score, {"score", {io::SampleType::kFloat32}, {1}});
  if (truth.is_none()) throw_invalid_type("truth is None; expected a mask of the score's size");
  const ImageInput known = mask_input(truth, "truth"), mask = mask_input(counted, "counted");
  const auto words = emd::choices(emd::TargetScore{});
  const auto word = std::find_if(words.begin(), words.end(),
                                 [&](const Choice& choice) { return sense == choice.word; });
  if (word == words.end())
    throw InvalidArgument(
        fmt::format("sense is '{}'; expected {} or {}", sense, words[0].word, words[1].word));
  emd::Roc roc;
  {
    nb::gil_scoped_release others_go_on;
    roc = emd::roc(scores.of<float>(), known.of<std::uint8_t>(),
                   static_cast<emd::TargetScore>(word->value), mask.of<std::uint8_t>());
  }
  const auto column = [&](auto part) {
    std::vector<std::remove_cvref_t<decltype(roc.curve[0].*part)>> values;
    values.reserve(roc.curve.size());
    for (const emd::RocPoint& point : roc.curve) values.push_back(point.*part);
    return to_numpy(values);
  };
  nb::dict all;
  all["threshold"] = column(&emd::RocPoint::threshold);
  all["false_rate"] = column(&emd::RocPoint::false_rate);
  all["true_rate"] = column(&emd::RocPoint::true_rate);
  all["area"] = roc.area;
  all["positives"] = roc.positives;
  all["negatives"] = roc.negatives;
  return all;
}

// Rows of x, y, width and height.
std::vector<Rect<double>> boxes_of(nb::handle boxes, const char* name) {
  const AnyArray rows = dense_array<double>(boxes, name, {2});
  if (rows.shape(1) != 4)
    throw InvalidArgument(
        fmt::format("{} is {}; expected rows of x, y, width and height", name, array_text(boxes)));
  std::vector<Rect<double>> all(rows.shape(0));
  const auto* number = static_cast<const double*>(rows.data());
  for (Rect<double>& box : all) {
    box = {number[0], number[1], number[2], number[3]};
    number += 4;
  }
  return all;
}
nb::object rows_of(std::span<const Rect<double>> boxes) {
  std::vector<double> numbers;
  numbers.reserve(4 * boxes.size());
  for (const Rect<double>& box : boxes)
    numbers.insert(numbers.end(), {box.x, box.y, box.width, box.height});
  return to_numpy(numbers, {boxes.size(), 4});
}

nb::dict columns_of(const std::vector<Track>& tracks) {
  const auto column = [&](auto part) {
    std::vector<std::remove_cvref_t<decltype(tracks[0].*part)>> values;
    for (const Track& track : tracks) values.push_back(track.*part);
    return values;
  };
  const std::vector<bool> lost = column(&Track::lost);
  nb::dict columns;
  columns["id"] = to_numpy(column(&Track::id));
  columns["xywh"] = rows_of(column(&Track::box));
  columns["score"] = to_numpy(column(&Track::score));
  columns["confidence"] = to_numpy(column(&Track::confidence));
  columns["lost"] = to_numpy(std::vector<std::uint8_t>(lost.begin(), lost.end()));
  return columns;
}

std::vector<Track> tracks_of(const nb::dict& columns) {
  const auto numbers = [&](const char* name) {
    const AnyArray array = dense_array<double>(columns[name], name, {1});
    const auto* first = static_cast<const double*>(array.data());
    return std::vector<double>(first, first + array.size());
  };
  const std::vector<Rect<double>> boxes = boxes_of(columns["xywh"], "xywh");
  const AnyArray id = dense_array<int>(columns["id"], "id", {1}),
                 lost = dense_array<std::uint8_t>(columns["lost"], "lost", {1});
  const auto score = numbers("score"), confidence = numbers("confidence");
  if (id.size() != boxes.size() || lost.size() != boxes.size() || score.size() != boxes.size() ||
      confidence.size() != boxes.size())
    throw InvalidArgument("the columns of tracks have different lengths");
  std::vector<Track> tracks(boxes.size());
  for (std::size_t i = 0; i < boxes.size(); ++i)
    tracks[i] = {static_cast<const int*>(id.data())[i], boxes[i], score[i], confidence[i],
                 static_cast<const std::uint8_t*>(lost.data())[i] != 0};
  return tracks;
}

// It does not watch for a stop: a frame that has begun is followed to its end, so that Ctrl-C
// leaves the targets where the last frame shows them.
class Tracker {
 public:
  explicit Tracker(const nb::dict& keywords)
      : options_(options_of<emd::TrackOptions>(keywords, "Tracker")),
        stream_(options_.exec.device),
        calls_(options_.exec.device),
        tracker_(on_stream()) {}

  nb::dict add(nb::handle frame, nb::handle boxes) {
    const TrackInput image = input(frame, "frame");
    const std::vector<Rect<double>> targets = boxes_of(boxes, "box");
    return run(image, [&](const auto& view) { return tracker_.add(view, targets); });
  }
  nb::dict add_example(nb::handle frame, nb::handle example) {
    const TrackInput image = input(frame, "frame"), shown = input(example, "example");
    image.require_kind_of(shown);
    return run(image, [&](const auto& view) {
      return shown.visit([&](const auto& pixels) {
        if constexpr (std::is_same_v<decltype(view), decltype(pixels)>)
          return std::vector<Track>{tracker_.add_example(view, pixels)};
        else return std::vector<Track>{};  // the kinds are the same
      });
    });
  }
  nb::dict track(nb::handle frame) {
    const TrackInput image = input(frame, "frame");
    return run(image, [&](const auto& view) {
      std::vector<Track> tracks = tracker_.track(view);
      ++frame_;
      return tracks;
    });
  }
  nb::dict tracks() {
    return columns_of(calls_.run(Work{}, nb::none(), [&] { return tracker_.tracks(); }));
  }
  nb::object likelihood(int id) {
    return to_numpy(calls_.run(Work{}, nb::none(), [&] { return tracker_.likelihood(id); }));
  }
  bool uses_parts(int id) {
    return calls_.run(Work{}, nb::none(), [&] { return tracker_.uses_parts(id); });
  }
  nb::dict report() {
    return report_of(calls_.run(Work{}, nb::none(), [&] { return tracker_.report(); }));
  }
  std::int64_t frame() const { return frame_; }
  const emd::TrackOptions& options() const { return options_; }

 private:
  template <class Function>
  nb::dict run(const TrackInput& image, Function function) {
    const Work work{kOperationsPerTrackedPixel * image.samples()};
    return columns_of(calls_.run(work, nb::none(), [&] {
      std::vector<Track> tracks = image.visit(function);
      stream_.synchronize();
      return tracks;
    }));
  }
  TrackInput input(nb::handle value, const char* name) const {
    return TrackInput(value, name, stream_);
  }
  emd::TrackOptions on_stream() const {
    emd::TrackOptions options = options_;
    options.exec.stream = stream_.get();
    return options;
  }

  emd::TrackOptions options_;
  Stream stream_;
  Calls calls_;
  emd::Tracker tracker_;
  std::int64_t frame_ = 0;  // of the last frame, counted from the one of the first targets
};

nb::object draw(nb::handle image, const nb::dict& columns) {
  const ImageInput pixels = image_input(image, {"image", {io::SampleType::kUint8}, {3}});
  const std::vector<Track> tracks = tracks_of(columns);
  Image<std::uint8_t> drawn = clone(pixels.of<std::uint8_t>());
  emd::draw_tracks(drawn, tracks);
  return to_numpy(std::move(drawn));
}

std::string mot_text(std::int64_t frame, const nb::dict& columns) {
  std::string text;
  for (const Track& track : tracks_of(columns)) text += emd::mot_line(frame + 1, track);
  return text;
}

nb::dict evaluate_track(nb::handle boxes, nb::handle truth) {
  const emd::TrackReport report =
      emd::evaluate_track(boxes_of(boxes, "boxes"), boxes_of(truth, "truth"));
  nb::dict all;
  all["frames"] = report.frames;
  all["mean_overlap"] = report.mean_overlap;
  all["precision_20px"] = report.precision_20px;
  all["success_50"] = report.success_50;
  all["success_area"] = report.success_area;
  return all;
}

void bind_maps(nb::module_& m) {
  nb::class_<Mapper>(m, "Mapper")
      .def(nb::init<const std::optional<std::vector<int>>&, nb::handle, const std::string&,
                    nb::handle, bool, const nb::dict&>(),
           nb::arg("box").none(), nb::arg("target").none(), nb::arg("variable"),
           nb::arg("ground").none(), nb::arg("keep_spectrum"), nb::arg("keywords"))
      .def("map", &Mapper::map, nb::arg("image").none())
      .def("set_mask", &Mapper::set_mask, nb::arg("mask").none())
      .def_prop_ro("options", [](const Mapper& p) { return option_values(p.options()); })
      .def_prop_ro("words", [](const Mapper& p) { return option_words(p.options()); });
  m.def("map_options", &map_table);
  bind_emd_regions(m);
  m.def("read_cube", &read_cube);
  m.def("read_cube_options", &option_table<io::CubeReadOptions>);
  m.def("mean_spectrum", &mean_spectrum, nb::arg("cube").none(), nb::arg("box").none(),
        nb::arg("mask").none());
  m.def("spectral_angle", &spectrum_score<emd::spectral_angle>, nb::arg("cube").none(),
        nb::arg("spectrum").none());
  m.def("sum_of_differences", &spectrum_score<emd::sum_of_differences>, nb::arg("cube").none(),
        nb::arg("spectrum").none());
  m.def("roc", &roc, nb::arg("score").none(), nb::arg("truth").none(), nb::arg("sense"),
        nb::arg("counted").none());
}

void bind_tracks(nb::module_& m) {
  nb::class_<Tracker>(m, "Tracker")
      .def(nb::init<const nb::dict&>())
      .def("add", &Tracker::add, nb::arg("frame").none(), nb::arg("boxes").none())
      .def("add_example", &Tracker::add_example, nb::arg("frame").none(), nb::arg("example").none())
      .def("track", &Tracker::track, nb::arg("frame").none())
      .def("tracks", &Tracker::tracks)
      .def("likelihood", &Tracker::likelihood)
      .def("uses_parts", &Tracker::uses_parts)
      .def("report", &Tracker::report)
      .def_prop_ro("frame", &Tracker::frame)
      .def_prop_ro("options", [](const Tracker& t) { return option_values(t.options()); })
      .def_prop_ro("words", [](const Tracker& t) { return option_words(t.options()); });
  m.def("track_options", &option_table<emd::TrackOptions>);
  m.def("draw", &draw, nb::arg("image").none(), nb::arg("columns"));
  m.def("mot_text", &mot_text);
  m.def("is_band_file", [](const std::string& path) {
    const nb::gil_scoped_release released;
    return emd::is_band_file(path);
  });
  m.def("evaluate_track", &evaluate_track, nb::arg("boxes").none(), nb::arg("truth").none());
  m.def("read_boxes", [](const std::string& path, int origin, int id) {
    return rows_of(emd::read_boxes(path, origin, id));
  });
}

}  // namespace

void bind_emd(nb::module_& parent) {
  nb::module_ m = parent.def_submodule("emd");
  nb::class_<Solver>(m, "Solver")
      .def(nb::init<nb::handle, int, const nb::dict&>(), nb::arg("ground").none(), nb::arg("bins"),
           nb::arg("keywords"))
      .def("solve", &Solver::solve, nb::arg("first").none(), nb::arg("second").none(),
           nb::arg("flows"), nb::arg("mark"))
      .def_prop_ro("ground", [](const Solver& s) { return facts_of(s.ground()); })
      .def_prop_ro("options", [](const Solver& s) { return option_values(s.options()); })
      .def_prop_ro("words", [](const Solver& s) { return option_words(s.options()); });
  m.def("solve_options", &option_table<emd::SolverOptions>);
  m.def("status_names", &status_names);
  m.def("solver_names", &solver_names);
  m.def("ground_words", [] {
    nb::list words;
    for (const std::string_view word : emd::ground_words())
      words.append(nb::str(word.data(), word.size()));
    return words;
  });
  bind_maps(m);
  bind_tracks(m);
}

}  // namespace fovea::python
