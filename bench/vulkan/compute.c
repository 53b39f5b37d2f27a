/* The compute scenes: rates of plain kernels. Not for: drawing (graphics.c). */
#include "bench.h"

const struct bench_scene bench_compute_scenes[] = {{0}};
