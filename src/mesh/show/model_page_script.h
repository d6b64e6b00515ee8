#pragma once

namespace fovea::mesh {

// Style and script of the page that model_page() writes.
extern const char* const kModelStyle;
extern const char* const kModelScript;

}  // namespace fovea::mesh
