// Sets options by name, from --set and from JSON files.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "cli/program/command.h"

namespace fovea::cli {

// Sets a field from a user's text. For text that is not valid, throws with a message that starts
// with `origin` ("--", "FILE: ") and suggests the nearest word where the field has choices.
void set_field(const OptionField& field, std::string_view text, std::string_view origin,
               bool append = false);

// The same for a field that the user names.
void set_by_name(const Command& command, const std::vector<OptionField>& fields,
                 const std::string& name, std::string_view text, std::string_view origin);

// Reads a JSON file with an object of options, or with any result of the program, whose "options"
// are taken. Throws IoError or FormatError for an unreadable file, and InvalidArgument for options
// that are not valid or belong to another command.
void load_config(const std::string& path, const Command& command,
                 const std::vector<OptionField>& fields, Request& request);

}  // namespace fovea::cli
