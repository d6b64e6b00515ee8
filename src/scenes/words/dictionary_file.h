// A dictionary's part of files: how places are described, the words, and how they were learned.
#pragma once
#include <fovea/io/model_file.h>
#include <fovea/scenes/dictionary.h>

#include <map>
#include <string>
#include <string_view>

#include "io/model/model_reader.h"

namespace fovea::scenes {

// Schema and newest version of a model's file, which holds a dictionary too.
inline constexpr std::string_view kModelSchema = "scenes.words";
inline constexpr int kModelVersion = 3;
// Files without other codings than hard and without words beside others have this version still.
inline constexpr int kCountingModelVersion = 2;
inline constexpr std::string_view kFactPrefix = "scenes.";

// Returns whether a dictionary needs more than counting words in one way.
bool is_coded(const Dictionary& dictionary);

// Returns what a file says in words about the learning; empty where nothing is known.
std::map<std::string, std::string> learning_facts(const Dictionary& dictionary);

// Adds everything but the facts of learning. Throws InvalidArgument where there are more words
// beside the dictionary's than a file holds.
void add_dictionary(io::ModelFile& file, const Dictionary& dictionary);
// Reads the dictionary of a file with the choices of this version of a model.
Dictionary read_dictionary(const io::ModelReader& in, int version);

Dictionary parse_dictionary(const io::ModelFile& file);

}  // namespace fovea::scenes
