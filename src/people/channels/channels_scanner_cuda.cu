// CUDA twin of the channels' scanner: all levels of a frame at once.
#include "people/model_parts.h"
#include "people/trees/tree_walk_cuda.cuh"

namespace fovea::people::cuda {
namespace {

class ChannelsScanner final : public Scanner {
 public:
  explicit ChannelsScanner(const ChannelsModel& model) : model_(model) {}

  ScanResult scan(const ScanRequest& request, const Exec& exec) override {
    Session session(exec);
    session.must_wait();
    DeviceSteps steps(request.clock, session.stream());
    steps.begin(Step::kCopies);
    const fovea::cuda::OnDevice<const std::uint8_t> image(session, request.image);
    steps.begin(Step::kLevels);
    channels_.lay_out(session, image.image(), request.plan, pyramid_of(model_));
    if (channels_.stride() != stride_) {
      walker_.set_trees(scan_trees<2>(model_, channels_.stride()), session.stream());
      stride_ = channels_.stride();
    }
    ScanResult result;
    result.counts.windows = channels_.windows();
    if (channels_.windows() == 0) return result;
    channels_.build(session, image.image(), steps);
    steps.begin(Step::kTrees);
    walker_.scan(session, request,
                 {channels_.cells(), channels_.level_windows(), channels_.level_count(),
                  channels_.windows(), stride_ * channels::kChannels},
                 steps, result);
    steps.finish();
    return result;
  }

 private:
  const ChannelsModel& model_;
  DeviceChannels channels_;
  std::ptrdiff_t stride_ = -1;
  TreeWalker<ScanTree<2>> walker_;
};

}  // namespace

std::unique_ptr<Scanner> make_channels_scanner(const ChannelsModel& model) {
  check_channels(model);
  return std::make_unique<ChannelsScanner>(model);
}

}  // namespace fovea::people::cuda
