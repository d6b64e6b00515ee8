// OpenCV's filters and matcher as rivals of the features of scenes.
#pragma once
#include "operations/rivals/rival_table.h"

// The bank's 32 kernels as they are, or each as the fewest products of a column and a row.
FoveaRivalWork fovea_opencv_bank(const FoveaRivalShape* shape, int threads);
FoveaRivalWork fovea_opencv_bank_separable(const FoveaRivalShape* shape, int threads);
// The same, followed by the search for the nearest of `second`'s rows for each pixel.
FoveaRivalWork fovea_opencv_words(const FoveaRivalShape* shape, int threads);
