// FAISS as a rival of k-means and of the search for the nearest centre.
#pragma once
#include "cli/rival_table.h"

FoveaRivalWork fovea_faiss_search(const FoveaRivalShape* shape, int threads);
FoveaRivalWork fovea_faiss_kmeans(const FoveaRivalShape* shape, int threads);
