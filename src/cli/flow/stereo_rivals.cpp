// Other libraries' stereo on the same pair, through the module of rivals.
#include <memory>
#include <utility>

#include "cli/flow/stereo.h"
#include "cli/rivals/rivals.h"

namespace fovea::cli {

StereoResult stereo_result(const StereoContest& contest, std::string name,
                           ImageView<const float> found, double seconds) {
  return {std::move(name), flow::evaluate_stereo(found, contest.truth, contest.visible), seconds};
}

std::vector<StereoResult> measure_stereo_rivals(const StereoContest& contest, Context& context) {
  const Rivals rivals;
  if (!rivals.absence().empty()) {
    context.console.note("no rivals: " + rivals.absence());
    return {};
  }
  const auto gray = [](const io::AnyImage& image) {
    return std::make_shared<Image<std::uint8_t>>(io::to_gray(io::to_bytes(image).view()));
  };
  RivalCase same;
  same.name = "stereo";
  same.shape = {.width = contest.truth.width, .height = contest.truth.height};
  same.shape.disparities = contest.max_disparity + 1;
  same.image = gray(contest.pair.first);
  same.second = gray(contest.pair.second);
  std::vector<StereoResult> results;
  for (const Rivals::Work& work : rivals.prepare(same, thread_count(context.exec))) {
    throw_if_stopped(context.exec);
    if (!work.result) continue;
    const double start = steady_seconds();
    work.work();
    const double seconds = steady_seconds() - start;
    const ImageView<const float> found{work.result(), contest.truth.width, contest.truth.height, 1,
                                       contest.truth.width};
    results.push_back(stereo_result(contest, work.rival, found, seconds));
  }
  return results;
}

}  // namespace fovea::cli
