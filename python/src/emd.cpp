// fovea.emd: exact Earth Mover's Distances, maps of them, detection in cubes, and tracking.
#include <fovea/core/error.h>
#include <fovea/emd/detect.h>
#include <fovea/emd/explain.h>
#include <fovea/emd/scene.h>
#include <fovea/emd/solver.h>

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
#include "define.h"
#include "emd/solve/batch_solver.h"
#include "errors.h"
#include "explain.h"
#include "gpu_arrays.h"
#include "records.h"
#include "systems.h"

namespace fovea::python {
namespace {

using emd::BandFrame;
using emd::GroundDistance;

// Rough numbers of operations: per pair of bins of a problem, and per pixel of a map.
constexpr double kOperationsPerCell = 10;
constexpr double kOperationsPerPixel = 500;

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

template <class Enum>
nb::list words_of() {
  nb::list words;
  for (const Choice& choice : choices(Enum{})) words.append(choice.word);
  return words;
}

nb::dict ground_facts(const GroundDistance& ground) {
  return dict_of_record(record_ref(emd::facts_of(ground)));
}

// Histograms of unequal totals are compared as shares, unless a caller says otherwise.
struct SolverKeywords : emd::SolverOptions {
  SolverKeywords() { mass = emd::MassPolicy::kNormalize; }
};

// What is wanted besides distances.
struct Wish {
  bool flows = false, mark = false, potentials = false;
};

class Solver {
 public:
  Solver(nb::handle ground, int bins, const nb::dict& keywords)
      : ground_(ground_of(ground, bins)),
        options_(options_for(ground_, keywords)),
        solver_(options_.exec, [this](const Exec& exec) {
          return emd::Solver(ground_, with_exec(options_, exec));
        }) {}

  // Distances, statuses, pivots, flows or None, the first problem with an invalid mass or -1, what
  // solved each problem, and potentials or None.
  // With `mark` the distances of such problems are NaN. Distances and flows lie where `first` does.
  nb::tuple solve(nb::handle first, nb::handle second, bool flows, bool mark, bool potentials) {
    using enum io::SampleType;
    const auto rows_of = [&](nb::handle value, const char* name) {
      return rows_input(value, name, {kFloat64, kUint8, kUint16, kFloat32}, solver_.stream());
    };
    ImageInput p = rows_of(first, "P"), q = rows_of(second, "Q");
    if (p.view.index() != q.view.index()) {  // double precision holds all of them
      p = rows_input(first, "P", {kFloat64}, solver_.stream());
      q = rows_input(second, "Q", {kFloat64}, solver_.stream());
    }
    return std::visit(
        [&]<class T>(const ImageView<T>& rows) -> nb::tuple {
          using Mass = std::remove_const_t<T>;
          if constexpr (std::is_same_v<Mass, std::uint8_t> || std::is_same_v<Mass, std::uint16_t> ||
                        std::is_floating_point_v<Mass>)
            return solve_as<Mass>(rows, q.of<Mass>(), {flows, mark, potentials});
          else return nb::make_tuple();
        },
        p.view);
  }

  // The same for problems that have costs of their own, of the size of this ground distance.
  nb::tuple solve_each(nb::handle first, nb::handle second, nb::handle ground, bool flows,
                       bool mark) {
    const ImageInput p = rows_input(first, "P", {io::SampleType::kFloat64});
    const ImageInput q = rows_input(second, "Q", {io::SampleType::kFloat64});
    require_bins("P", p.of<double>().width, ground_.rows(), "rows");
    require_bins("Q", q.of<double>().width, ground_.columns(), "columns");
    const AnyArray costs = dense_array<double>(ground, "ground", {3});
    const int cells = ground_.rows() * ground_.columns();
    const auto problems = static_cast<int>(costs.shape(0));
    Calls calls;
    Found found = calls.run(work_of(problems), nb::none(), [&] {
      emd::Solutions made =
          emd::solve_each(p.of<double>(), q.of<double>(),
                          packed_view(static_cast<const double*>(costs.data()), cells, problems),
                          with_exec(options_, calls.watched(options_.exec)), flows);
      Found all(problems, flows ? cells : 0, 0, Memory::kHost);
      if (flows) copy(made.flow.view(), packed_view(all.flow.data(), cells, problems));
      all.distance = std::move(made.distance);
      all.status = std::move(made.status);
      all.pivots = std::move(made.pivots);
      all.solved_by = std::move(made.solved_by);
      inspect(all, mark);
      return all;
    });
    return result_of(std::move(found), {flows, mark});
  }

  const GroundDistance& ground() const { return ground_; }
  const emd::SolverOptions& options() const { return options_; }

 private:
  // The solutions of a batch, where `first` lies. Status, pivots and solvers are brought to the
  // host.
  struct Found {
    Array<double> distance;
    Array<emd::Status> status;
    Array<std::uint16_t> pivots;
    Array<double> flow;
    Array<emd::SolvedBy> solved_by;
    Array<double> potential;
    std::int64_t invalid = -1;

    Found(int problems, int cells, int bins, Memory memory)
        : Found(static_cast<std::size_t>(problems), memory) {
      flow = Array<double>(status.size() * static_cast<std::size_t>(cells), memory);
      potential = Array<double>(status.size() * static_cast<std::size_t>(bins));
    }

   private:
    Found(std::size_t problems, Memory memory)
        : distance(problems, memory),
          status(problems, memory),
          pivots(problems, memory),
          solved_by(problems, memory) {}
  };

  static emd::SolverOptions options_for(const GroundDistance& ground, const nb::dict& keywords) {
    SolverKeywords options;
    set_keywords(options, keywords, "distance");
    Device& device = options.exec.device;  // large problems are work for the CPU
    if (device.kind == DeviceKind::kAuto && emd::is_large(ground)) device = Device::cpu();
    device = usable_device(device);
    return options;
  }
  Work work_of(int problems) const {
    const double rows = ground_.rows(), columns = ground_.columns();
    const double rounds = std::max(1.0, (rows + columns) / (2 * emd::kMostFastBins));
    return {kOperationsPerCell * problems * rows * columns * rounds};
  }

  template <class Mass>
  nb::tuple solve_as(ImageView<const Mass> first, ImageView<const Mass> second, Wish wish) {
    require_bins("P", first.width, ground_.rows(), "rows");
    require_bins("Q", second.width, ground_.columns(), "columns");
    if (first.height != second.height && first.height != 1 && second.height != 1)
      throw InvalidArgument(
          fmt::format("P has {} rows and Q has {}; expected as many, or 1 in one of them",
                      first.height, second.height));
    const int problems = first.height == 1 ? second.height : first.height;
    const std::int64_t all = std::int64_t{ground_.rows()} * ground_.columns();
    if (wish.flows && all > std::numeric_limits<int>::max())
      throw InvalidArgument(fmt::format("flows between {} and {} bins are too many", ground_.rows(),
                                        ground_.columns()));
    const int cells = wish.flows ? static_cast<int>(all) : 0;
    const int bins = wish.potentials ? ground_.rows() + ground_.columns() : 0;
    Found found = solver_.call(work_of(problems), nb::none(), [&](emd::Solver& solver) {
      const ScopedDevice here(options_.exec.device);
      Found made(problems, cells, bins, first.memory);
      const emd::SolutionsView out{
          made.distance.data(),
          made.status.data(),
          made.pivots.data(),
          wish.flows ? packed_view(made.flow.data(), cells, problems, 1, first.memory)
                     : ImageView<double>{},
          made.solved_by.data(),
          wish.potentials ? packed_view(made.potential.data(), bins, problems)
                          : ImageView<double>{}};
      if (first.height == 1 && second.height != 1) {
        solver_.stream()->synchronize();  // the row is copied on another stream
        solve_one_with_all(solver, first, second, out);
      } else if (problems > 0) solver.solve<Mass>(first, second, out);
      solver_.stream()->synchronize();
      inspect(made, wish.mark);
      return made;
    });
    return result_of(std::move(found), wish);
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
      const auto part = [&](const ImageView<double>& rows) {
        return rows.empty() ? rows : rows.crop(0, y, rows.width, some);
      };
      solver.solve<Mass>(std::as_const(repeated).view().crop(0, 0, first.width, some),
                         second.crop(0, y, second.width, some),
                         {out.distance + y, out.status + y, out.pivots + y, part(out.flow),
                          out.solved_by + y, part(out.potential)});
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

  nb::tuple result_of(Found&& found, Wish wish) const {
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
        wish.flows ? to_python(std::move(found.flow), {problems, rows, columns}, device)
                   : nb::none(),
        found.invalid, to_python(std::move(solvers), {problems}, device),
        wish.potentials ? to_python(std::move(found.potential), {problems, rows + columns}, device)
                        : nb::none());
  }

  GroundDistance ground_;
  emd::SolverOptions options_;
  LazyFace<emd::Solver> solver_;
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
    nb::gil_scoped_release gil_release;
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
    all["report"] = dict_of_record(record_ref(mapped.report));
    all["target"] = to_numpy(mapped.target);
    all["ground"] = ground_facts(mapped.ground);
    all["range"] = options_.spectral()
                       ? nb::none()
                       : nb::object(nb::make_tuple(mapped.range.low, mapped.range.high));
    all["size"] = nb::make_tuple(mapped.size.width, mapped.size.height);
    all["spectrum"] = mapped.spectrum.empty() ? nb::none() : to_numpy(mapped.spectrum);
    return all;
  }

  nb::tuple explain(nb::handle image, int x, int y) {
    const FrameSource source(image, "image", variable_, &stream_);
    emd::MapExplanation why = calls_.run(source.work(kOperationsPerPixel), nb::none(), [&] {
      const BandFrame frame = source.frame(exec_there());
      return emd::explain(mapper_for(frame), frame, x, y);
    });
    report::Explanation shown = emd::present(why);
    nb::object picture = to_numpy(emd::draw_moves(why));
    nb::dict numbers = record_with_rows(record_ref(why), {"moves", "bins"});
    numbers["picture"] = picture;
    return explanation_of(std::move(shown), numbers);
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
      const emd::SceneMapOptions options = with_exec(options_, exec);
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
nb::object read_cube(const io::CubeReadOptions& options, const std::string& path) {
  const io::Cube cube = unlocked([&] { return io::read_cube(path, options); });
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
  return to_numpy(unlocked([&] {
    const BandFrame frame = source.frame();
    const auto view = counted.of<std::uint8_t>();
    Rect<int> part{0, 0, frame.bands.width(), frame.bands.height()};
    if (box) part = {box->at(0), box->at(1), box->at(2), box->at(3)};
    return view.empty() ? emd::mean_spectrum(frame.bands, part)
                        : emd::mean_spectrum(frame.bands, view);
  }));
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

// Matched filter and adaptive cosine of one background.
nb::tuple background_scores(nb::handle cube, nb::handle spectrum) {
  const FrameSource source(cube, "cube", "");
  const AnyArray target = dense_array<float>(spectrum, "spectrum", {1});
  Calls calls;
  emd::BackgroundScores scores = calls.run(source.work(kOperationsPerPixel), nb::none(), [&] {
    const BandFrame frame = source.frame();
    return emd::background_scores(
        frame.bands, {static_cast<const float*>(target.data()), target.size()}, calls.watched({}));
  });
  return nb::make_tuple(to_numpy(std::move(scores.matched)), to_numpy(std::move(scores.adaptive)));
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
  const emd::Roc roc = unlocked([&] {
    return emd::roc(scores.of<float>(), known.of<std::uint8_t>(),
                    static_cast<emd::TargetScore>(word->value), mask.of<std::uint8_t>());
  });
  return dict_of_record(record_ref(roc));
}

void bind_maps(nb::module_& m) {
  define_face<Mapper>(m, "Mapper")
      .def(nb::init<const std::optional<std::vector<int>>&, nb::handle, const std::string&,
                    nb::handle, bool, const nb::dict&>())
      .def("map", &Mapper::map)
      .def("explain", &Mapper::explain)
      .def("set_mask", &Mapper::set_mask);
  m.def("roc_fields", &fields_of<emd::Roc>);
  // The ground distance is an argument of its own, because it may be an array.
  m.def("map_options",
        [] { return table_without("ground", option_table<emd::SceneMapOptions>()); });
  bind_emd_regions(m);
  define(m, "read_cube", &read_cube);
  m.def("mean_spectrum", &mean_spectrum);
  m.def("spectral_angle", &spectrum_score<emd::spectral_angle>);
  m.def("sum_of_differences", &spectrum_score<emd::sum_of_differences>);
  m.def("matched_filter", &spectrum_score<emd::matched_filter>);
  m.def("adaptive_cosine", &spectrum_score<emd::adaptive_cosine>);
  m.def("background_scores", &background_scores);
  m.def("roc", &roc);
}

}  // namespace

void bind_emd(nb::module_& parent) {
  nb::module_ m = parent.def_submodule("emd");
  define_face<Solver>(m, "Solver")
      .def(nb::init<nb::handle, int, const nb::dict&>())
      .def("solve", &Solver::solve)
      .def("solve_each", &Solver::solve_each)
      .def_prop_ro("ground", [](const Solver& s) { return ground_facts(s.ground()); });
  m.def("solve_options", &option_table<SolverKeywords>);
  m.def("status_names", &words_of<emd::Status>);
  m.def("solver_names", &words_of<emd::SolvedBy>);
  m.def("ground_words", [] {
    nb::list words;
    for (const std::string_view word : emd::ground_words())
      words.append(nb::str(word.data(), word.size()));
    return words;
  });
  bind_maps(m);
  bind_emd_tracking(m);
}

}  // namespace fovea::python
