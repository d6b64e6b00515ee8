// The kinds of classifiers in a model file: each writes its tensors and reads them back without
// trusting them.
#pragma once
#include <fovea/core/options.h>
#include <fovea/people/model.h>

#include <functional>
#include <string>
#include <string_view>

#include "io/model/model_reader.h"

namespace fovea::people {

void save(io::ModelFile& file, const LinearModel& model);
void save(io::ModelFile& file, const CascadeModel& model);
void save(io::ModelFile& file, const ChannelsModel& model);
void save(io::ModelFile& file, const FilteredModel& model);

Model parse_model(const io::ModelFile& file);

// These throw ModelError where the tensors are absent, have another shape, or are impossible.
LinearModel load_linear(Kind kind, const io::ModelReader& in);
CascadeModel load_cascade(const io::ModelReader& in);
ChannelsModel load_channels(const io::ModelReader& in);
FilteredModel load_filtered(const io::ModelReader& in);
std::variant<LinearModel, CascadeModel, ChannelsModel, FilteredModel> load_classifier(
    Kind kind, const io::ModelReader& in);

// Throws InvalidArgument where the number of weights differs from that of the descriptor's numbers.
void check_linear(Kind kind, const LinearModel& model);
// Throws ModelError where trees use features that a window does not have, or the geometry is
// impossible.
void check_channels(const ChannelsModel& model);
void check_filtered(const FilteredModel& model);

// Throws InvalidArgument with the reason where no descriptor has this geometry.
void check_geometry(const HogOptions& hog);
// The number of numbers that describe a block, and a window.
int block_size(const HogOptions& hog);
int descriptor_size(const HogOptions& hog);

// Whether models of the first version do not know an option.
bool is_later_option(std::string_view name);
// The options as files store them: those that came later only where they differ from the default.
void for_each_stored_option(const HogOptions& hog,
                            const std::function<void(const OptionField&)>& visit);
std::string stored_options_json(const HogOptions& hog);

}  // namespace fovea::people
