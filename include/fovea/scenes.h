#pragma once
// Everything of one system: which kind of place a picture shows.
#include <fovea/scenes/classifier.h>
#include <fovea/scenes/descriptors.h>
#include <fovea/scenes/dictionary.h>
#include <fovea/scenes/evaluate.h>
#include <fovea/scenes/features.h>
#include <fovea/scenes/model.h>
#include <fovea/scenes/show.h>
#include <fovea/scenes/train.h>
