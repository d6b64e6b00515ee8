// The agreement between `fovea bench` and the module of rivals (fovea_rivals.so), which is loaded
// only there, so that the program itself links no other vision library. Plain C types: the two may
// come from different compilers.
#pragma once

extern "C" {

struct FoveaRivalShape {
  int width, height, channels;
  int to_width, to_height;      // of the result, where it has another size
  int taps;                     // of a kernel, where there is one
  double ratio;                 // of a scan's levels, where there is one
  const unsigned char* pixels;  // of the image, row after row, until prepare() returns; null: make
                                // one
  const unsigned char* second;  // the second image of a pair, likewise
  const double* costs;  // of a ground distance between histograms, width rows of to_width (0:
                        // width) columns; the images are then a histogram a row. Or of a graph of
                        // width nodes: how many arcs, then both ends and the cost of each. Or a
                        // mesh: how many vertices and faces, the places of vertices, the corners
                        // of faces. Likewise
};

// Work set up with buffers of its own; run() may be called any number of times. A null state means
// that this shape is beyond the rival.
struct FoveaRivalWork {
  void* state;
  void (*run)(void* state);
  void (*end)(void* state);
  // What the last run found, where someone measures it: of a flow u and v of each pixel, row after
  // row; of pairs of histograms their distances. May be null.
  const float* (*result)(void* state);
};

struct FoveaRival {
  const char* name;   // of the case it rivals: "gradient_sobel_u8", or of all that start with it:
                      // "emd_solver_*"
  const char* rival;  // as users know it: "cv::spatialGradient"
  struct FoveaRivalWork (*prepare)(const struct FoveaRivalShape* shape, int threads);
};

// A frame of a video: gray or RGB bytes, row after row.
struct FoveaRivalFrame {
  int width, height, channels;
  const unsigned char* pixels;  // until the call returns
};

// Follows one target. A box is x, y, width and height; next() changes it to the new place.
struct FoveaRivalTracker {
  const char* rival;  // "CamShift hue"
  void* (*begin)(const struct FoveaRivalFrame* frame, const double* box);
  void (*next)(void* state, const struct FoveaRivalFrame* frame, double* box);
  void (*end)(void* state);
};

struct FoveaRivalTable {
  int version;          // kFoveaRivalVersion of the module
  const char* library;  // "OpenCV 4.6.0"
  const struct FoveaRival* rivals;
  int count;
  const struct FoveaRivalTracker* trackers;
  int tracker_count;
};

// The module's only symbol: fovea_rivals.
typedef const struct FoveaRivalTable* (*FoveaRivalsFunction)(void);

}  // extern "C"

inline constexpr int kFoveaRivalVersion = 5;
