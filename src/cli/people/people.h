// What the verbs of fovea people share.
#pragma once
#include <fovea/io/image_io.h>
#include <fovea/people/detector.h>
#include <fovea/people/mine.h>

#include <string>

#include "cli/program/command.h"
#include "operations/people/people.h"

namespace fovea::cli {

using operations::people_text;

// The file in which a training looks for what a search of its negatives has found.
std::string mined_file(const std::string& folder, const people::SearchRequest& search);

}  // namespace fovea::cli
