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

struct tex_direction tex_face_axes(unsigned face, struct tex_direction d)
{
    switch (face) {
    case 0:
        return (struct tex_direction){-d.z, -d.y, d.x};
    case 1:
        return (struct tex_direction){d.z, -d.y, -d.x};
    case 2:
        return (struct tex_direction){d.x, d.z, d.y};
    case 3:
        return (struct tex_direction){d.x, -d.z, -d.y};
    case 4:
        return (struct tex_direction){d.x, -d.y, d.z};
    default:
        return (struct tex_direction){-d.x, -d.y, -d.z};
    }
}

bool tex_face_coords(unsigned face, struct tex_direction d, float *s_out, float *t_out)
{
    struct tex_direction a = tex_face_axes(face, d);
    if (!(a.z > 0))
        return false;
    *s_out = a.x / a.z;
    *t_out = a.y / a.z;
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
