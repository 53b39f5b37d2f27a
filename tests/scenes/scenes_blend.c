#include "scene.h"

const struct scene scene_blend_table[] = {
    {0},
};
