/* The state of a sampler in a form that no family owns: a family fills it from its descriptors. Level of detail,
 * footprints and filtering, which are in the family's model, read nothing else of a sampler. */
#ifndef MODEL_TEXTURE_TEXTURE_H
#define MODEL_TEXTURE_TEXTURE_H

#include <stdbool.h>
#include <stdint.h>

/* Which texel stands for one outside of the image. */
enum tex_wrap {
    TEX_REPEAT,
    TEX_MIRROR,
    TEX_CLAMP_TO_EDGE,
    TEX_MIRROR_ONCE_TO_EDGE,
    TEX_CLAMP_TO_HALF_BORDER, /* coordinates stop at the edge, where half of the weight is the border's */
    TEX_MIRROR_ONCE_TO_HALF_BORDER,
    TEX_CLAMP_TO_BORDER,
    TEX_MIRROR_ONCE_TO_BORDER,
};

enum tex_reduction {
    TEX_MEAN, /* weighted */
    TEX_MIN,
    TEX_MAX,
};

struct tex_sampler {
    uint8_t wrap[3];   /* enum tex_wrap, by axis */
    uint8_t reduction; /* enum tex_reduction */
    uint8_t compare;   /* enum pixel_compare: the reference against the texel */
    bool mag_linear, min_linear;
    bool z_follows_xy, z_linear; /* of volumes */
    bool mip_linear, mip_none;
    bool is_seamless; /* filtering crosses the edges of a cube */
    bool is_encoded;  /* sRGB texels are returned as they are stored */
    bool trunc;       /* the nearest texel is the one that the coordinate lies in, without rounding */
    bool unnormalized;
    unsigned max_aniso; /* 1: isotropic */
    float lod_bias, min_lod, max_lod;
};

#endif
