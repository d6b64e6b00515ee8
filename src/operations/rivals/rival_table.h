// The interface between `fovea bench` and the module of rivals (fovea_rivals.so), which is loaded
// only there, so that the program itself links no other vision library. It uses plain C types,
// because the two may come from different compilers.
#pragma once

extern "C" {

// One edge of an undirected graph.
struct FoveaRivalArc {
  int from, to;
  float cost;
};

struct FoveaRivalGraph {
  int nodes, arc_count;
  const struct FoveaRivalArc* arcs;
};

struct FoveaRivalMesh {
  int vertex_count, face_count;
  const double* vertices;  // x, y and z of each
  const int* corners;      // three vertices of each face
};

struct FoveaRivalFiles {
  int count;
  const char* const* inputs;
  const char* const* outputs;  // one per input; null where nothing is written
};

// What a case works on. Data behind a pointer is valid until prepare() returns; a null pointer
// means that the case does not have it.
struct FoveaRivalShape {
  int width, height, channels;
  int to_width, to_height;  // size of the result, where it differs
  int taps;                 // width of a kernel, where there is one
  double ratio;             // step between the levels of a scan, where there is one
  int disparities;          // number of disparities from 0 on, for a stereo pair
  // The image and the second one of a pair, row by row; where they are null, a rival makes its own.
  // Cases about histograms have one histogram per row.
  const unsigned char* pixels;
  const unsigned char* second;
  // The ground distance between histograms: `width` rows of `to_width` columns (0: `width`
  // columns).
  const double* ground;
  const struct FoveaRivalGraph* graph;
  const struct FoveaRivalMesh* mesh;
  const struct FoveaRivalFiles* files;
};

// Work that is set up with its own buffers; run() may be called any number of times. A null state
// means that the rival cannot handle this shape.
struct FoveaRivalWork {
  void* state;
  void (*run)(void* state);
  void (*end)(void* state);
  // The result of the last run, where it is measured: a flow gives u and v of each pixel, row by
  // row; points that are followed give x and y; a stereo pair gives disparities, infinite where
  // they are not known; pairs of histograms give their distances. May be null.
  const float* (*result)(void* state);
};

struct FoveaRival {
  const char*
      name;  // the case it rivals, "gradient_sobel_u8", or how several start: "emd_solver_*"
  const char* rival;  // the name that users know, such as "cv::spatialGradient"
  struct FoveaRivalWork (*prepare)(const struct FoveaRivalShape* shape, int threads);
};

// A frame of a video: gray or RGB bytes, row by row.
struct FoveaRivalFrame {
  int width, height, channels;
  const unsigned char* pixels;  // valid until the call returns
};

// Tracks one target. A box is x, y, width and height; next() changes it to the new place.
struct FoveaRivalTracker {
  const char* rival;  // "CamShift hue"
  void* (*begin)(const struct FoveaRivalFrame* frame, const double* box);
  void (*next)(void* state, const struct FoveaRivalFrame* frame, double* box);
  void (*end)(void* state);
};

struct FoveaRivalTable {
  int version;          // kFoveaRivalVersion when the module was compiled
  const char* library;  // "OpenCV 4.6.0"
  const struct FoveaRival* rivals;
  int count;
  const struct FoveaRivalTracker* trackers;
  int tracker_count;
};

// The module's only symbol: fovea_rivals.
typedef const struct FoveaRivalTable* (*FoveaRivalsFunction)(void);

}  // extern "C"

inline constexpr int kFoveaRivalVersion = 8;
