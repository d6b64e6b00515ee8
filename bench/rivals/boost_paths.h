// Boost's Dijkstra as a rival of our shortest paths.
#pragma once
#include "operations/rivals/rival_table.h"

FoveaRivalWork fovea_boost_paths(const FoveaRivalShape* shape, int threads);
FoveaRivalWork fovea_boost_sampled_paths(const FoveaRivalShape* shape, int threads);
