// Other libraries' stereo on the same pair, through the module of rivals.
#include <memory>
#include <utility>

#include "operations/flow/stereo.h"
#include "operations/measure.h"
#include "operations/rivals/rivals.h"

namespace fovea::operations {

void describe(FieldVisitor& visit, StereoResult& result) {
  visit.record("StereoRival", "another method on the same pair");
  visit("method", result.name, "its name");
  describe(visit, result.report);
  visit("seconds", result.seconds, "how long it took", {.unit = "seconds"});
}

StereoResult stereo_result(const StereoContest& contest, std::string name,
                           ImageView<const float> found, double seconds) {
  return {std::move(name), flow::evaluate_stereo(found, contest.truth, contest.visible), seconds};
}

std::vector<StereoResult> measure_stereo_rivals(
    const StereoContest& contest, const Exec& exec,
    const std::function<void(const std::string& text)>& note) {
  const Rivals rivals;
  if (!rivals.absence().empty()) {
    note("no rivals: " + rivals.absence());
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
  for (const Rivals::Work& work : rivals.prepare(same, thread_count(exec))) {
    throw_if_stopped(exec);
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

}  // namespace fovea::operations
