// Between the files of flow fields: what each format reads and writes.
#pragma once
#include <fovea/io/flow_io.h>

#include "io/text/output_file.h"
#include "io/text/source.h"

namespace fovea::io {

inline constexpr float kUnknownFrom = 1e9F;  // Middlebury's: this and more is no motion

FlowField make_field(int width, int height);
// Sets a vector, known where both values are motion.
void set_vector(FlowField& field, int x, int y, float u, float v);

bool is_flo(std::string_view head);
FlowField read_flo(const Source& source);
// The field lies in host memory.
void write_flo(OutputFile& file, const FlowFieldView& field);

// From image files.
FlowField read_kitti(const Source& source);
FlowField read_planes(const Source& source, std::string_view head);
Image<std::uint16_t> kitti_pixels(const std::string& path, const FlowFieldView& field);
Image<float> plane_pixels(const FlowFieldView& field, int channels);

}  // namespace fovea::io
