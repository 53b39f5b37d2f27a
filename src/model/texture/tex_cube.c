/* Faces of cubes and directions, by Vulkan's table of major axes. */
#include "model/texture/texture.h"

#include <math.h>

struct tex_direction tex_face_direction(unsigned face, float s, float t)
{
    switch (face) {
    case 0:
        return (struct tex_direction){1, -t, -s};
    case 1:
        return (struct tex_direction){-1, -t, s};
    case 2:
        return (struct tex_direction){s, 1, t};
    case 3:
        return (struct tex_direction){s, -1, -t};
    case 4:
        return (struct tex_direction){s, -t, 1};
    default:
        return (struct tex_direction){-s, -t, -1};
    }
}

bool tex_face_coords(unsigned face, struct tex_direction d, float *s_out, float *t_out)
{
    float major, s, t;
    switch (face) {
    case 0:
        major = d.x, s = -d.z, t = -d.y;
        break;
    case 1:
        major = -d.x, s = d.z, t = -d.y;
        break;
    case 2:
        major = d.y, s = d.x, t = d.z;
        break;
    case 3:
        major = -d.y, s = d.x, t = -d.z;
        break;
    case 4:
        major = d.z, s = d.x, t = -d.y;
        break;
    default:
        major = -d.z, s = -d.x, t = -d.y;
        break;
    }
    if (!(major > 0))
        return false;
    *s_out = s / major;
    *t_out = t / major;
    return true;
}

unsigned tex_face_of(struct tex_direction d)
{
    float x = fabsf(d.x), y = fabsf(d.y), z = fabsf(d.z);
    if (z >= x && z >= y)
        return d.z < 0 ? 5 : 4;
    if (y >= x)
        return d.y < 0 ? 3 : 2;
    return d.x < 0 ? 1 : 0;
}
