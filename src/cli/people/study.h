// What fovea people study writes.
#pragma once
#include <fovea/people/study.h>

#include <string>

#include "cli/program/command.h"

namespace fovea::cli {

// Writes the folder: index.html, table.csv, curves.csv, study.json and evaluation.json, each whole
// or not at all.
void write_study_folder(const std::string& folder, const Context& context,
                        const people::StudyReport& report);

}  // namespace fovea::cli
