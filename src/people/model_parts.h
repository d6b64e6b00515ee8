// The kinds of classifier in a model file: each writes its tensors and reads them back, trusting
// nothing.
#pragma once
#include <fovea/people/model.h>

#include "io/model/model_reader.h"

namespace fovea::people {

void save(io::ModelFile& file, const LinearModel& model);
void save(io::ModelFile& file, const CascadeModel& model);
void save(io::ModelFile& file, const ChannelsModel& model);

Model parse_model(const io::ModelFile& file);

// Throw ModelError where the tensors are absent, of another shape, or impossible.
LinearModel load_linear(Kind kind, const io::ModelReader& in);
CascadeModel load_cascade(const io::ModelReader& in);
ChannelsModel load_channels(const io::ModelReader& in);

// Throws InvalidArgument where the model has not as many weights as the kind's descriptor numbers.
void check_linear(Kind kind, const LinearModel& model);
// Throws ModelError where trees ask for what a window has not, or the geometry is impossible.
void check_channels(const ChannelsModel& model);

// Throws InvalidArgument, with what is wrong, where no descriptor has this geometry.
void check_geometry(const HogOptions& hog);
// How many numbers describe a block, and a window.
int block_size(const HogOptions& hog);
int descriptor_size(const HogOptions& hog);

}  // namespace fovea::people
