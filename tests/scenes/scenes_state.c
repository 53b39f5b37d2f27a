#include "scene.h"

const struct scene scene_state_table[] = {
    {0},
};
