#include "scene.h"

const struct scene scene_raster_table[] = {
    {0},
};
