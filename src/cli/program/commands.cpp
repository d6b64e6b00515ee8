// The table of all commands of the program. A verb that is no operation needs one line here.
#include <algorithm>

#include "cli/beside/beside.h"
#include "cli/operations/run_operation.h"
#include "cli/program/command.h"

namespace fovea::cli {

const std::vector<System>& systems() {
  static const std::vector<System> kSystems{
      {"people", "find and follow people in images and video, train detectors, evaluate them"},
      {"flow", "estimate motion between images and along video, evaluate it, draw it"},
      {"emd", "find targets by their colors with the exact Earth Mover's Distance"},
      {"scenes", "classify places by their visual words, train models, evaluate them"},
      {"mesh", "divide triangle meshes into parts, measure distances over the surface, evaluate"},
      {"actions", "recognize what people do in video, train models, evaluate them"},
      {"ops", "run single operations on images"},
      {"bench",
       "measure speed on this machine, compared with other libraries and the hardware's limits"},
      {"ray", "run commands on a Ray cluster"},
  };
  return kSystems;
}

namespace {

// All verbs in the order of their systems: those that are operations first, then what else `parts`
// have; commands without a system come last.
std::vector<Command> joined(const std::vector<std::vector<Command>>& parts) {
  std::vector<Command> all;
  for (const operations::Operation& operation : operations::operations())
    all.push_back(command_of(operation));
  for (const std::vector<Command>& part : parts) all.insert(all.end(), part.begin(), part.end());
  const auto place = [](const Command& command) {
    return std::ranges::find(systems(), command.system, &System::name) - systems().begin();
  };
  std::ranges::stable_sort(all, {}, place);
  return all;
}

}  // namespace

const std::vector<Command>& commands() {
  // clang-format off
  static const std::vector<Command> kCommands = joined({{
      people_train_command(),
      people_mine_command(),
      people_study_command(),
      people_eval_command(),
      people_eval_tracks_command(),
      people_eval_kernel_command(),
      people_scene_command(),
      flow_eval_command(),
      flow_show_command(),
      flow_scene_command(),
      emd_map_command(),
      emd_scene_command(),
      scenes_train_command(),
      scenes_eval_command(),
      scenes_sample_command(),
      scenes_dictionary_command(),
      scenes_assign_command(),
      scenes_features_command(),
      scenes_classifier_command(),
      scenes_info_command(),
      mesh_eval_command(),
      actions_points_command(),
      actions_distances_command(),
      actions_train_command(),
      actions_recognize_command(),
      actions_eval_command(),
      actions_eval_stream_command(),
      actions_match_command(),
  }, bench_commands(), {
      ray_submit_command(),
      view_command(),
  }, demo_commands(), {
      merge_command(),
      info_command(),
      help_command(),
      man_command(),
      schema_command(),
      completion_command(),
      version_command(),
  }});
  // clang-format on
  return kCommands;
}

const Command* find_command(std::string_view system, std::string_view verb) {
  for (const Command& command : commands()) {
    if (command.system == system && command.verb == verb) return &command;
  }
  return nullptr;
}

std::vector<const Command*> verbs_of(std::string_view system) {
  std::vector<const Command*> verbs;
  for (const Command& command : commands()) {
    if (command.system == system && !command.verb.empty()) verbs.push_back(&command);
  }
  return verbs;
}

}  // namespace fovea::cli
