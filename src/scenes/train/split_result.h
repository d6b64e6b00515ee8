// Trains and tests a classifier on one split of features.
#pragma once
#include <fovea/scenes/evaluate.h>

#include <cstdint>
#include <span>
#include <vector>

#include "scenes/classify/classifier_parts.h"

namespace fovea::scenes {

// The rows of the predictions count from 0.
SplitReport run_split(const LabeledRows& train, const LabeledRows& test,
                      const TrainClassifierOptions& options);

// Replaces the numbers of rows by those of the images that the rows belong to.
void number_predictions(SplitReport& report, std::span<const int> images);

// Throws unless there is one label from 0 to classes - 1 for each image.
void check_labels(std::span<const std::int32_t> labels, int images, int classes);
// Throws unless labels and splits fit so many images.
void check_evaluation(std::span<const std::int32_t> labels, int images, int classes,
                      std::span<const Split> splits);
// Adds the number of the split to reports of progress.
Exec exec_of_split(const Exec& exec, std::size_t split, std::size_t count);

}  // namespace fovea::scenes
