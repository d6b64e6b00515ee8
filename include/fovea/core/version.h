#pragma once

// The build reads the three numbers from here; there is no second copy of them.
#define FOVEA_VERSION_MAJOR 0
#define FOVEA_VERSION_MINOR 2
#define FOVEA_VERSION_PATCH 0
#define FOVEA_VERSION "0.2.0"
