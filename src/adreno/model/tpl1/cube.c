/* Directions to faces of a cube: what tex_face_of and tex_face_coords say of one, for sixteen lanes at a time. */
#include <string.h>

#include "adreno/model/tpl1/unit.h"

typedef float floats __attribute__((vector_size(64)));
typedef int32_t words __attribute__((vector_size(64)));

#define GROUP 16
#define SIGN INT32_MIN

/* Macros: vectors of this size as arguments or results would be another ABI for each level of the host. */
#define CHOOSE(mask, yes, no) (((yes) & (mask)) | ((no) & ~(mask)))

/* From [-1, 1] of a face to [0, 1]; the middle where the direction does not meet its plane. */
#define PLACE(along, length, is_ahead) (((floats)((words)((floats)(along) / (length)) & (is_ahead)) + 1) / 2)

void adreno_tpl1_cube(uint32_t face[LANES_MAX], float s[LANES_MAX], float t[LANES_MAX], const tex_float *x,
                      const tex_float *y, const tex_float *z)
{
    for (unsigned i = 0; i < LANES_MAX; i += GROUP) {
        words at_x, at_y, at_z;
        memcpy(&at_x, x + i, sizeof(at_x));
        memcpy(&at_y, y + i, sizeof(at_y));
        memcpy(&at_z, z + i, sizeof(at_z));
        const floats long_x = (floats)(at_x & ~SIGN), long_y = (floats)(at_y & ~SIGN), long_z = (floats)(at_z & ~SIGN);
        const words is_z = (long_z >= long_x) & (long_z >= long_y), is_y = ~is_z & (long_y >= long_x);
        const words major = CHOOSE(is_z, at_z, CHOOSE(is_y, at_y, at_x));
        const floats length = (floats)(major & ~SIGN), zero = {0};
        const words is_back = (floats)major<zero, is_ahead = length> zero; /* a NaN is neither */
        const words turns_s = CHOOSE(is_z, is_back, ~is_y & ~is_back), turns_t = is_back | ~is_y;
        const words number = (is_z & 4) + (is_y & 2) - is_back;
        const words along = CHOOSE(is_z | is_y, at_x, at_z) ^ (turns_s & SIGN),
                    across = CHOOSE(is_y, at_z, at_y) ^ (turns_t & SIGN);
        const floats at_s = PLACE(along, length, is_ahead), at_t = PLACE(across, length, is_ahead);
        memcpy(face + i, &number, sizeof(number));
        memcpy(s + i, &at_s, sizeof(at_s));
        memcpy(t + i, &at_t, sizeof(at_t));
    }
}
