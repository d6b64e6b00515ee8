// Plain programs with OpenCV, from files to files.
#pragma once
#include "operations/rivals/rival_table.h"

namespace rivals {

// Searches people; draws and writes them where there are outputs.
FoveaRivalWork people_files(const FoveaRivalShape* shape, int threads);
FoveaRivalWork resize_files(const FoveaRivalShape* shape, int threads);

}  // namespace rivals
