// FAISS as a rival of k-means and of the search for the nearest center.
#pragma once
#include "operations/rivals/rival_table.h"

FoveaRivalWork fovea_faiss_search(const FoveaRivalShape* shape, int threads);
FoveaRivalWork fovea_faiss_kmeans(const FoveaRivalShape* shape, int threads);
