// The face of matching: checks its input, chooses the device, and divides the energy of an
// assignment into its parts.
#include <fovea/actions/match.h>
#include <fovea/core/options.h>

#include <limits>

#include "actions/match/backend.h"
#include "actions/match/match_math.h"
#include "core/dispatch.h"

namespace fovea::actions {
namespace {

// These sums are in double: they are only reported and never compared.
struct Parts {
  double appearance = 0, dummies = 0, time = 0, angles = 0;
};

float squared_distance(const Nodes& a, int i, const Nodes& b, int j) {
  float sum = 0;
  for (int k = 0; k < a.features.width(); ++k)
    sum = detail::add_square(a.features.at(k, i), b.features.at(k, j), sum);
  return sum;
}

float way(const Node& from, const Node& to) {
  return detail::direction(to.x - from.x, to.y - from.y);
}
detail::Bends bends(const Node& first, const Node& middle, const Node& last) {
  return detail::bends_of(way(middle, last), way(first, middle), way(first, last));
}

void add_triple(const Chain& model, const Scene& scene, std::span<const MatchedNode> path, int i,
                const detail::MatchTerms& terms, Parts& parts) {
  for (const int j : {i, i - 1}) {
    const auto model_gap = static_cast<float>(model.nodes[j].frame - model.nodes[j - 1].frame);
    parts.time += detail::time_cost(terms.time, model_gap,
                                    static_cast<float>(path[j].frame - path[j - 1].frame));
  }
  if (path[i].point < 0 || path[i - 1].point < 0 || path[i - 2].point < 0) return;
  const auto node = [&](int j) { return scene.points.nodes[path[j].point]; };
  parts.angles +=
      static_cast<double>(terms.angles) *
      detail::bend_distance(bends(model.nodes[i - 2], model.nodes[i - 1], model.nodes[i]),
                            bends(node(i - 2), node(i - 1), node(i)));
}

Match match_of(const Chain& model, const Scene& scene, detail::MatchFound found,
               const detail::MatchTerms& terms) {
  Match match;
  match.found = !found.path.empty();
  match.energy = found.energy;
  match.path = std::move(found.path);
  if (!match.found) return match;
  Parts parts;
  for (int i = 0; i < model.size(); ++i) {
    const std::int32_t point = match.path[i].point;
    if (point < 0) {
      parts.dummies += terms.dummy;
      ++match.dummy_count;
    } else {
      parts.appearance += detail::appearance_cost(terms.appearance,
                                                  squared_distance(model, i, scene.points, point));
    }
    if (i >= 2) add_triple(model, scene, match.path, i, terms, parts);
  }
  match.appearance = static_cast<float>(parts.appearance);
  match.dummies = static_cast<float>(parts.dummies);
  match.time = static_cast<float>(parts.time);
  match.angles = static_cast<float>(parts.angles);
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
