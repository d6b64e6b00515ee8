// Stands in for this folder's .cu files in a build without CUDA.
#include "core/no_cuda.h"

#include "actions/stream/stream_engine.h"

namespace fovea::actions::cuda {

std::unique_ptr<detail::StreamEngine> make_stream_engine(const detail::StreamChains&, const Exec&) {
  fovea::cuda::absent();
}
std::shared_ptr<detail::FeatureRows> make_feature_rows(const detail::FeatureRule&, const Exec&) {
  fovea::cuda::absent();
}
std::shared_ptr<const detail::RowStream> make_row_stream(const detail::StreamChains&,
                                                         const detail::DigestRules&, const Exec&) {
  fovea::cuda::absent();
}

}  // namespace fovea::actions::cuda
