// LEMON's network simplex as a rival of our exact solver.
#pragma once
#include "operations/rivals/rival_table.h"

FoveaRivalWork fovea_lemon_emd(const FoveaRivalShape* shape, int threads);
