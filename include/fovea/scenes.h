#pragma once
// Scenes: which kind of place an image shows.
#include <fovea/core/options.h>
#include <fovea/scenes/classifier.h>
#include <fovea/scenes/coding.h>
#include <fovea/scenes/descriptors.h>
#include <fovea/scenes/dictionary.h>
#include <fovea/scenes/evaluate.h>
#include <fovea/scenes/explain.h>
#include <fovea/scenes/features.h>
#include <fovea/scenes/model.h>
#include <fovea/scenes/show.h>
#include <fovea/scenes/train.h>
#include <fovea/scenes/trained_classifier.h>
