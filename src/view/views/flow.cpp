// Motion in the view: its colors, arrows and confidence over the first image, and the second image
// warped back.
#include <fovea/flow/evaluate.h>
#include <fovea/flow/explain.h>
#include <fovea/flow/flow.h>
#include <fovea/flow/show.h>
#include <fovea/flow/summary.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "view/system.h"

namespace fovea::view {
namespace {

flow::MotionSummary sum_of(const flow::Flow& field) {
  return flow::summarize({field.u, field.v, {}, field.confidence});
}

// What is saved of a run.
flow::FlowResult result_of(const Run& run, const flow::MotionSummary& motion, Extent size) {
  flow::FlowResult result{.size = size, .motion = motion};
  if (run.of_film()) {
    result.input = run.input();
    result.first_frame = run.frame_number();
  } else {
    result.first = run.input();
    result.second = run.inputs[1]->name();
  }
  return result;
}

// "A to B": which images a run is about.
std::string from_to(const Run& run) {
  if (run.frames.size() == 2)
    return fmt::format("frame {} to frame {}", run.frames[0].number, run.frames[1].number);
  if (run.of_film()) return fmt::format("frame {} to frame {}", run.frame, run.frame + 1);
  const auto file = [](const Input& input) {
    return std::filesystem::path(input.name()).filename().string();
  };
  return fmt::format("{} to {}", file(*run.inputs[0]), file(*run.inputs[1]));
}

// Two images with one number of channels.
struct Pair {
  ImageView<const std::uint8_t> first{}, second{};
  Image<std::uint8_t> copy{};  // of the one that was gray
};

Pair pair_of(const Picture& first, const Picture& second) {
  Pair pair{first.pixels(), second.pixels()};
  if (pair.first.channels == pair.second.channels) return pair;
  ImageView<const std::uint8_t>& gray = pair.first.channels == 1 ? pair.first : pair.second;
  pair.copy = rgb_copy(gray);
  gray = pair.copy.view();
  return pair;
}

std::shared_ptr<const Picture> shared_picture(Image<std::uint8_t> image) {
  return std::make_shared<Picture>(std::move(image));
}

Layer wheel_layer(const io::FlowFieldView& field, const flow::WheelOptions& options) {
  return {"wheel", "Motion in colors",
          "The hue is the direction, the saturation is the length; white stands still.",
          shared_picture(flow::wheel_picture(field, options))};
}

using FlowTask = TaskOf<flow::FlowOptions>;

std::string motion_summary(const flow::MotionSummary& sum, const std::string& between) {
  return fmt::format(
      "Pixels moved by {:.2f} pixels on average and by {:.1f} at most from {}, with a mean "
      "confidence of {:.2f}.",
      sum.mean_motion, sum.longest_motion, between, *sum.mean_confidence);
}

class FlowRunning final : public Running {
 public:
  FlowRunning(SystemView& view, const FlowTask& task)
      : view_(view), task_(task), estimator_(task.with) {}

  void begin(const StreamFrame& frame) override {
    estimator_.finish();
    estimator_.push(frame.picture->pixels());
    before_ = frame;
  }
  Result stay(const StreamFrame& frame) override {
    if (!before_) return next(frame);
    Result result = view_.run_on(task_.run, {*before_, frame}, task_.exec);
    begin(frame);
    return result;
  }

 private:
  void work(const StreamFrame& frame, Result& result, Stopwatch& watch) override {
    const std::optional<flow::Flow> field = estimator_.push(frame.picture->pixels());
    watch.lap("estimate motion");
    if (field) add_motion(result, *field, frame);
    else result.summary = "Motion is estimated from the second frame on.";
    watch.lap("draw");
    before_ = frame;
  }

  // Colors keep their meaning from frame to frame, as far as motion does not become longer.
  void add_motion(Result& result, const flow::Flow& field, const StreamFrame& frame) {
    const flow::MotionSummary sum = sum_of(field);
    longest_ = std::max({1.0, 0.95 * longest_, sum.longest_motion});
    result.summary =
        motion_summary(sum, fmt::format("frame {} to frame {}", before_->number, frame.number));
    result.layers.push_back(wheel_layer(io::FlowFieldView(field.u, field.v, {}, field.confidence),
                                        {.longest = longest_, .exec = task_.exec}));
  }

  SystemView& view_;
  FlowTask task_;
  flow::Estimator estimator_;
  std::optional<StreamFrame> before_{};
  double longest_ = 0;
};

class FlowView final : public OptionsView<flow::FlowOptions> {
 public:
  // The fast quality answers while a slider moves; better ones are one choice away.
  FlowView()
      : OptionsView({.name = "flow",
                     .title = "Motion",
                     .text = "Estimates where each pixel of one image has moved in the next: two "
                             "images, or two frames of a video.",
                     .headline = "Motion in",
                     .images = 2,
                     .streams = true},
                    {.quality = flow::Quality::kFast}, {"memory"}) {}

 private:
  void work(const FlowTask& task, Result& result, Stopwatch& watch) override {
    const auto images = task.run.images(2);
    result.show(images[0]);
    const Extent size = result.size;
    if (images[1]->width() != size.width || images[1]->height() != size.height)
      throw InvalidArgument(fmt::format(
          "the images have {}x{} and {}x{} pixels; motion is estimated between two of one size",
          size.width, size.height, images[1]->width(), images[1]->height()));
    const Pair pair = pair_of(*images[0], *images[1]);
    watch.lap("read the images");
    const flow::Flow field = flow::Estimator(task.with).estimate(pair.first, pair.second);
    watch.lap("estimate motion");
    const flow::MotionSummary sum = sum_of(field);
    result.summary = motion_summary(sum, from_to(task.run));
    result.facts = {{"size", fmt::format("{}x{}", size.width, size.height)},
                    {"mean motion", fmt::format("{:.3f} pixels", sum.mean_motion)},
                    {"longest motion", fmt::format("{:.2f} pixels", sum.longest_motion)},
                    {"mean confidence", fmt::format("{:.3f}", *sum.mean_confidence)}};
    add_layers(result, field, pair, task.exec);
    result.layers.push_back(
        {"second", "Second image", "The image that follows the first.", images[1], false});
    add_truth(result, task.run, [&](const Truth& truth) {
      if (const auto motion = truth.flow(*task.run.inputs.front()))
        compare_with_truth(result, field, *motion);
    });
    add_reasons(result, task.with, images[1]);
    const flow::FlowResult saved = result_of(task.run, sum, size);
    result.json =
        task.saved({.command = "flow " + verb(task.with), .all_inputs = true}, record_ref(saved));
    result.picture = rgb_later(result.layers[1].picture);
    add_lines(result, task);
  }

  std::unique_ptr<Running> stream(const FlowTask& task) override {
    return std::make_unique<FlowRunning>(*this, task);
  }
  // The verb of the program is the method.
  flow::FlowOptions plain(const flow::FlowOptions& options) const override {
    return {.method = options.method};
  }
  static std::string verb(const flow::FlowOptions& options) {
    return options.method == flow::Method::kLucasKanade ? "lk" : "bm";
  }

  static void add_layers(Result& result, const flow::Flow& field, const Pair& pair,
                         const Exec& exec) {
    const io::FlowFieldView view(field.u, field.v, {}, field.confidence);
    Exec quiet = exec;
    quiet.progress = {};
    result.layers.push_back(wheel_layer(view, {.exec = quiet}));
    result.layers.push_back({"arrows", "Arrows",
                             "Arrows show the mean motion of the cell around them.",
                             shared_picture(flow::arrows_picture(pair.first, view)), false});
    result.layers.push_back({"confidence", "Confidence",
                             "Bright where the motion is certain, dark where it is a guess.",
                             shared_picture(flow::confidence_picture(field.confidence)), false});
    result.layers.push_back(
        {"warp", "Second image, warped back",
         "Where the motion is right, it looks like the first image; black has left the image.",
         shared_picture(flow::warp_picture(pair.second, view, quiet)), false});
  }

  // The wheel of the estimate gets the scale of the truth, so that the two can be compared.
  static void compare_with_truth(Result& result, const flow::Flow& field,
                                 const io::FlowField& truth) {
    constexpr double kGreatest = 3;
    const io::FlowFieldView estimate(field.u, field.v);
    const flow::FlowErrors errors =
        flow::evaluate_flow(estimate, field.confidence, truth).all;  // refuses another size
    const double longest = flow::summarize(truth).longest_motion;
    const flow::WheelOptions colors{.longest = longest > 0 ? std::optional(longest) : std::nullopt};
    result.layers.front().picture = shared_picture(flow::wheel_picture(estimate, colors));
    result.layers.push_back({"truth", "True motion",
                             "The truth, in the same colors; black where it is not known.",
                             shared_picture(flow::wheel_picture(truth, colors)), false, 1});
    result.layers.push_back(
        {"error", "Endpoint error",
         fmt::format("Dark where the motion is right, bright where it is {:g} pixels or more "
                     "beside the truth, gray where that is not known.",
                     kGreatest),
         shared_picture(flow::error_picture(flow::endpoint_errors(estimate, truth), kGreatest)),
         false, 1});
    result.summary +=
        fmt::format(" It is {:.2f} pixels beside the truth on average.", errors.endpoint);
    result.facts.emplace_back("endpoint error", fmt::format("{:.3f} pixels", errors.endpoint));
    result.facts.emplace_back("angular error", fmt::format("{:.2f} degrees", errors.angular));
    result.facts.emplace_back("more than 1 pixel beside", fmt::format("{:.1f} %", 100 * errors.r1));
  }

  static void add_reasons(Result& result, flow::FlowOptions options,
                          std::shared_ptr<const Picture> second) {
    options.exec = {};
    result.why_hint = "Click a pixel to see how sure its motion is, and why.";
    result.held_bytes = second->bytes();
    result.explain = [options, first = result.image, second = std::move(second)](
                         report::Point place, const Exec& exec) {
      const Pair pair = pair_of(*first, *second);
      flow::FlowOptions asked = options;
      asked.exec = exec;
      asked.exec.device = Device::cpu();
      return flow::present(flow::explain(flow::Estimator(asked), pair.first, pair.second,
                                         {static_cast<int>(place.x), static_cast<int>(place.y)}));
    };
  }

  // The options of a method have no prefix as those of its verb.
  static void add_lines(Result& result, const FlowTask& task) {
    const std::string verb = FlowView::verb(task.with);
    std::string flags = task.flags;
    for (const std::string before : {" --", " --no-"})
      for (std::size_t at; (at = flags.find(before + verb + "-")) != flags.npos;)
        flags.replace(at, before.size() + 3, before);
    const bool film = task.run.of_film();
    result.command = fmt::format("fovea flow {} {} -o {}{}{}", verb, task.shell_inputs(2),
                                 film ? "fields" : "motion.flo", flags,
                                 film ? task.shell_frames(2) : " --picture wheel motion.png");
    const std::vector<std::string> images = task.python_images(2);
    std::string keywords = verb == "bm" ? ", method=\"bm\"" : "";
    keywords += task.keywords;
    if (!keywords.empty()) keywords.erase(0, 2);
    result.python =
        fmt::format("fovea.flow.Estimator({}).estimate({}, {})", keywords, images[0], images[1]);
  }
};

}  // namespace

std::unique_ptr<SystemView> flow_view() { return std::make_unique<FlowView>(); }

}  // namespace fovea::view
