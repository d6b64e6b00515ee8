// The face of matching: checks its input and chooses the device.
#include <fovea/actions/match.h>
#include <fovea/core/options.h>

#include "actions/match/backend.h"
#include "actions/match/match_costs.h"
#include "core/dispatch.h"

namespace fovea::actions {
namespace {

Match match_of(const Chain& model, const Scene& scene, detail::MatchFound found,
               const detail::MatchTerms& terms) {
  Match match;
  match.found = !found.path.empty();
  match.energy = found.energy;
  match.path = std::move(found.path);
  if (match.found) detail::set_parts(model, scene, terms, match);
  return match;
}

Chain copy_of(const Chain& chain) { return {chain.nodes, clone(chain.features)}; }

}  // namespace

struct Matcher::Impl {
  std::vector<Chain> models;
  detail::MatchTerms terms;
  int features = -1;
  std::unique_ptr<detail::MatchEngine> engine;
};

Matcher::Matcher(std::span<const Chain> chains, const MatchOptions& options)
    : impl_(std::make_unique<Impl>()) {
  check_options(options);
  for (const Chain& model : chains) {
    detail::check_chain(model, static_cast<int>(impl_->models.size()), impl_->features);
    impl_->features = model.features.width();
    impl_->models.push_back(copy_of(model));
  }
  impl_->terms = detail::MatchTerms(options);
  const Exec resolved = fovea::detail::resolve_exec("match", options.exec, {});
  if (impl_->models.empty()) return;
  impl_->engine = fovea::detail::on_cuda(resolved)
                      ? cuda::make_match_engine(impl_->models, impl_->terms, resolved)
                      : cpu::make_match_engine(impl_->models, impl_->terms, resolved);
}
Matcher::~Matcher() = default;
Matcher::Matcher(Matcher&&) noexcept = default;
Matcher& Matcher::operator=(Matcher&&) noexcept = default;

int Matcher::chains() const { return static_cast<int>(impl_->models.size()); }

std::vector<Match> Matcher::match(const Scene& scene) const {
  detail::check_scene(scene, impl_->features);
  if (!impl_->engine) return {};
  std::vector<detail::MatchFound> found = impl_->engine->match(scene);
  std::vector<Match> matches;
  matches.reserve(found.size());
  for (int i = 0; i < chains(); ++i)
    matches.push_back(match_of(impl_->models[i], scene, std::move(found[i]), impl_->terms));
  return matches;
}

Image<MatchScore> Matcher::scores(std::span<const Scene> scenes) const {
  for (const Scene& scene : scenes) detail::check_scene(scene, impl_->features);
  Image<MatchScore> scores(chains(), static_cast<int>(scenes.size()));
  if (impl_->engine && !scenes.empty()) impl_->engine->scores(scenes, scores);
  return scores;
}

}  // namespace fovea::actions
