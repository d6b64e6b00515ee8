// Any bytes as the body of a run or of a question: refused, or a run of inputs that exist, whose
// options are set only within their ranges.
#include <fovea/core/error.h>
#include <fovea/emd/scene.h>
#include <fovea/flow/flow.h>
#include <fovea/mesh/segment.h>
#include <fovea/people/detector.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "view/fuzz_session.h"
#include "view/run_body.h"

namespace {

using namespace fovea;

template <class Options>
void fill(const view::FormValues& values) {
  Options options, defaults;
  view::Form form = view::form_of(options);
  try {
    view::fill_form(form, values);
  } catch (const Error&) {
  }
  view::changed_flags(form, view::form_of(defaults));
  view::changed_keywords(form, view::form_of(defaults));
}

void check_run(const view::Run& run) {
  if (run.inputs.empty() || run.inputs.size() > 8 || run.frame < 0) std::abort();
  for (const auto& input : run.inputs)
    if (!input) std::abort();
  fill<people::DetectOptions>(run.options);
  fill<flow::FlowOptions>(run.options);
  fill<emd::SceneMapOptions>(run.options);
  fill<mesh::SegmentOptions>(run.options);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  view::FuzzSession& fuzz = view::fuzz_session();
  const std::string body = fuzz.with_id({reinterpret_cast<const char*>(data), size});
  try {
    check_run(view::parse_run_body(body, fuzz.session.inputs()).run);
  } catch (const Error&) {
  }
  try {
    const view::Question question = view::parse_question(body);
    if (!std::isfinite(question.place.x) || !std::isfinite(question.place.y)) std::abort();
  } catch (const FormatError&) {
  }
  return 0;
}
