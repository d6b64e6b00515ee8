// The only reader of JSON from outside; included by .cpp files only.
#pragma once
#include <fovea/core/api.h>

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace fovea {
struct RecordRef;
}

namespace fovea::io {

// Throws FormatError "NAME: ..." with the line and column where the text is not JSON, and where it
// is nested more than 100 deep. Values under the key `left_out` are dropped while parsing, so that
// they take no memory.
FOVEA_API nlohmann::json parse_json(std::string_view text, const std::string& name,
                                    std::string_view left_out = {});

// Fills a record from a tree, as far as the tree has its members: what it lacks keeps its value.
// Throws FormatError "NAME: people[3].box: ..." where a value is of another kind.
FOVEA_API void read_record(const nlohmann::json& tree, RecordRef record, const std::string& name);

}  // namespace fovea::io
