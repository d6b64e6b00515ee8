// What the verbs that run one stage of a training share: tables of numbers in .npy files, and how
// the learning of words is told.
#pragma once
#include <fovea/io/json_writer.h>
#include <fovea/scenes/dictionary.h>

#include <string>
#include <string_view>

#include "cli/program/command.h"

namespace fovea::cli {

// Checks that a stage has an output that ends in .npy.
void require_table_output(const Context& context, const std::string& output);

// A table of numbers, one row per sample or image. Throws FormatError where the file holds no array
// of rows and columns of floating-point numbers.
Image<float> read_table(const std::string& path);

// "k-means ended after 143 iterations, inertia 1.234e+06"
std::string learning_text(const scenes::WordLearning& learning);
// The members "iterations", "inertia", "converged" and "samples" of an object.
void add_learning(io::JsonWriter& json, const scenes::WordLearning& learning);

}  // namespace fovea::cli
