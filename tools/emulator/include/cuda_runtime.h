// Stands in for CUDA's header of this name. These headers hold what the project uses of CUDA; what
// else a kernel needs is a compiler's error that names it, and is added here.
#pragma once
#include "emulator/api.h"
#include "emulator/arithmetic.h"
#include "emulator/launch.h"
#include "emulator/memory.h"
#include "emulator/ptx.h"
#include "emulator/threads.h"
#include "emulator/warp.h"
