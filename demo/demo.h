// The gallery that fovea demo draws: one page with one section per part of the program. A new
// system adds its section to the list in demo.cpp.
#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/image.h>
#include <fovea/report/page.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "cli/program/command.h"
#include "demo/overview.h"

namespace fovea::cli {

// The inputs of the sections.
struct DemoRun {
  Exec exec{};                          // with a resolved device
  ImageView<const std::uint8_t> scene;  // demo_scene(), stored as scene.png beside the page
  std::string folder{};                 // the folder of the page
  int act_frames = 56;                  // frames per action of a drawn person
  Overview* overview = nullptr;         // gets one picture of each system

  void show(const char* system, ImageView<const std::uint8_t> picture,
            Overview::Fit fit = Overview::Fit::kFill) const {
    if (overview) overview->add(system, picture, fit);
  }
};

// The entry in the table of commands.
Command demo_command();

struct DemoSection {
  std::string_view title;
  void (*add)(report::Page& page, const DemoRun& run);
};

void add_demo_operations(report::Page& page, const DemoRun& run);
void add_demo_people(report::Page& page, const DemoRun& run);
void add_demo_flow(report::Page& page, const DemoRun& run);
void add_demo_emd(report::Page& page, const DemoRun& run);
void add_demo_scenes(report::Page& page, const DemoRun& run);
void add_demo_mesh(report::Page& page, const DemoRun& run);
void add_demo_actions(report::Page& page, const DemoRun& run);
void add_demo_report(report::Page& page, const DemoRun& run);

// A test scene in RGB, drawn without any data file: smooth shades, straight and curved edges,
// texture, and patterns finer than a small image can show.
Image<std::uint8_t> demo_scene();

}  // namespace fovea::cli
