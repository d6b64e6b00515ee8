// What fovea people study writes.
#pragma once
#include <fovea/people/study.h>
#include <fovea/report/evaluation.h>

#include <string>

#include "cli/program/command.h"

namespace fovea::cli {

// A chart per parameter, with the default in each, titled by the parameter's name. Windows are no
// inputs, so that there are curves and no mistakes.
report::Evaluation study_evaluation(const people::StudyReport& report);
// Writes the folder: index.html, table.csv, curves.csv, study.json and evaluation.json, each whole
// or not at all.
void write_study_folder(const std::string& folder, const Context& context,
                        const people::StudyReport& report);

}  // namespace fovea::cli
