#include "scene.h"

const struct scene scene_compute_table[] = {
    {0},
};
