// What the formats of flow fields share, and what each of them reads and writes.
#pragma once
#include <fovea/io/flow_io.h>

#include "io/text/output_file.h"
#include "io/text/source.h"

namespace fovea::io {

FlowField make_field(int width, int height);
// Keeps a third channel as the confidence if every known vector has a value from 0 to 1 in it.
// `zeros_count` is whether a channel of zeros is a confidence.
void keep_confidence(FlowField& field, Image<float> channel, bool zeros_count);
// Sets a vector. It counts as known where both values are possible motions. They are double, so
// that a value beyond the range of float is noticed before it is converted.
void set_vector(FlowField& field, int x, int y, double u, double v);

bool is_flo(std::string_view head);
FlowField read_flo(const Source& source, const ImageReadOptions& options);
// The field lies in host memory.
void write_flo(OutputFile& file, const FlowFieldView& field);

// Fields in image files and arrays.
FlowField read_kitti(const Source& source, const ImageReadOptions& options);
FlowField read_pfm_field(const Source& source, const ImageReadOptions& options);
FlowField read_npy_field(const Source& source, const ImageReadOptions& options);
FlowField read_tiff_field(const Source& source, const ImageReadOptions& options);
Image<std::uint16_t> kitti_pixels(const std::string& path, const FlowFieldView& field);
// u, v and, in the third channel, the confidence or 0.
Image<float> plane_pixels(const FlowFieldView& field, int channels);

}  // namespace fovea::io
