/* Vectors and matrices of the scenes: column-major, y up, right-handed; clip space as Vulkan has it, y turned by the
 * projection. Not for: speed. */
#ifndef TESTS_SCENES_SCENE_MATH_H
#define TESTS_SCENES_SCENE_MATH_H

#include <math.h>

#define PI 3.14159265358979f

struct vec3 {
    float x, y, z;
};

struct mat4 {
    float at[4][4]; /* [column][row] */
};

static inline struct vec3 v3(float x, float y, float z)
{
    return (struct vec3){x, y, z};
}

static inline struct vec3 add(struct vec3 a, struct vec3 b)
{
    return v3(a.x + b.x, a.y + b.y, a.z + b.z);
}

static inline struct vec3 scaled(struct vec3 a, float by)
{
    return v3(a.x * by, a.y * by, a.z * by);
}

static inline struct vec3 minus(struct vec3 a, struct vec3 b)
{
    return add(a, scaled(b, -1));
}

static inline float dot(struct vec3 a, struct vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline struct vec3 cross(struct vec3 a, struct vec3 b)
{
    return v3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

static inline struct vec3 unit(struct vec3 a)
{
    return scaled(a, 1 / sqrtf(dot(a, a)));
}

static inline struct mat4 identity(void)
{
    return (struct mat4){{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}};
}

/* First b, then a. */
static inline struct mat4 mul(struct mat4 a, struct mat4 b)
{
    struct mat4 out;
    for (int c = 0; c < 4; c++) {
        for (int r = 0; r < 4; r++) {
            out.at[c][r] =
                a.at[0][r] * b.at[c][0] + a.at[1][r] * b.at[c][1] + a.at[2][r] * b.at[c][2] + a.at[3][r] * b.at[c][3];
        }
    }
    return out;
}

static inline struct mat4 move(struct vec3 by)
{
    struct mat4 out = identity();
    out.at[3][0] = by.x;
    out.at[3][1] = by.y;
    out.at[3][2] = by.z;
    return out;
}

static inline struct mat4 stretch(float x, float y, float z)
{
    return (struct mat4){{{x, 0, 0, 0}, {0, y, 0, 0}, {0, 0, z, 0}, {0, 0, 0, 1}}};
}

/* About an axis of length 1, counter-clockwise for a viewer looking against it. */
static inline struct mat4 turn(struct vec3 axis, float angle)
{
    float s = sinf(angle), c = cosf(angle), k = 1 - c, x = axis.x, y = axis.y, z = axis.z;
    return (struct mat4){{{k * x * x + c, k * x * y + s * z, k * x * z - s * y, 0},
                          {k * x * y - s * z, k * y * y + c, k * y * z + s * x, 0},
                          {k * x * z + s * y, k * y * z - s * x, k * z * z + c, 0},
                          {0, 0, 0, 1}}};
}

static inline struct mat4 look(struct vec3 from, struct vec3 to, struct vec3 up)
{
    struct vec3 back = unit(minus(from, to)), right = unit(cross(up, back)), above = cross(back, right);
    return (struct mat4){{{right.x, above.x, back.x, 0},
                          {right.y, above.y, back.y, 0},
                          {right.z, above.z, back.z, 0},
                          {-dot(right, from), -dot(above, from), -dot(back, from), 1}}};
}

/* Depth 0 at near and 1 at far. */
static inline struct mat4 perspective(float fov_y, float aspect, float near, float far)
{
    float f = 1 / tanf(fov_y / 2);
    return (struct mat4){
        {{f / aspect, 0, 0, 0}, {0, -f, 0, 0}, {0, 0, far / (near - far), -1}, {0, 0, near * far / (near - far), 0}}};
}

static inline struct mat4 orthographic(float half_width, float half_height, float near, float far)
{
    return (struct mat4){{{1 / half_width, 0, 0, 0},
                          {0, -1 / half_height, 0, 0},
                          {0, 0, 1 / (near - far), 0},
                          {0, 0, near / (near - far), 1}}};
}

#endif
