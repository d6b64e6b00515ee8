// The parts of the extension module, one per system.
#pragma once
#include <nanobind/nanobind.h>

#include <type_traits>

// An argument that may be any object may be None too, without an annotation that says so.
template <>
struct nanobind::detail::has_arg_defaults<nanobind::handle> : std::true_type {};

namespace fovea::python {

void bind_array_rules(nanobind::module_& parent);
void bind_gpu_arrays(nanobind::module_& parent);
void bind_tables(nanobind::module_& parent);
void bind_explanations(nanobind::module_& parent);
void bind_files(nanobind::module_& parent);
void bind_people(nanobind::module_& parent);
void bind_flow(nanobind::module_& parent);
void bind_emd(nanobind::module_& parent);
void bind_mesh(nanobind::module_& parent);
void bind_actions(nanobind::module_& parent);
void bind_kmeans(nanobind::module_& parent);
void bind_scenes(nanobind::module_& parent);
void bind_ops(nanobind::module_& parent);
// After all systems, because it adds to their parts.
void bind_operations(nanobind::module_& parent);

// Part of fovea.files, which it binds itself.
void bind_video_writing(nanobind::module_& m);
// Parts of fovea.people, which it binds itself.
void bind_people_training(nanobind::module_& m);
void bind_people_evaluation(nanobind::module_& m);
void bind_people_study(nanobind::module_& m);
void bind_people_tracking(nanobind::module_& m);
// Parts of fovea.actions, which it binds itself.
void bind_actions_points(nanobind::module_& m);
void bind_actions_training(nanobind::module_& m);
void bind_actions_classification(nanobind::module_& m);
void bind_actions_matching(nanobind::module_& m);
// Parts of fovea.emd, which it binds itself.
void bind_emd_regions(nanobind::module_& m);
void bind_emd_tracking(nanobind::module_& m);
// Parts of fovea.flow, which it binds itself.
void bind_flow_follow(nanobind::module_& m);
void bind_flow_stereo(nanobind::module_& m);
void bind_flow_segments(nanobind::module_& m);
// Part of fovea.mesh, which it binds itself.
void bind_mesh_costs(nanobind::module_& m);
// The stages of fovea.scenes, which it binds itself.
void bind_scenes_stages(nanobind::module_& m);

}  // namespace fovea::python
