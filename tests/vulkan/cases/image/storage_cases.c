/* Images and texel buffers as shaders load, store and change them. */
#include <string.h>

#include "vt/vt_image.h"

#include "shaders/image_atomics_r32i.h"
#include "shaders/image_atomics_r32ui.h"
#include "shaders/storage_dim_1d.h"
#include "shaders/storage_dim_1d_array.h"
#include "shaders/storage_dim_2d.h"
#include "shaders/storage_dim_2d_array.h"
#include "shaders/storage_dim_3d.h"
#include "shaders/storage_dim_cube.h"
#include "shaders/storage_dim_cube_array.h"
#include "shaders/storage_r11f_g11f_b10f.h"
#include "shaders/storage_r16f.h"
#include "shaders/storage_r32f.h"
#include "shaders/storage_r32i.h"
#include "shaders/storage_r32ui.h"
#include "shaders/storage_r8.h"
#include "shaders/storage_rg16f.h"
#include "shaders/storage_rg8.h"
#include "shaders/storage_rgb10_a2.h"
#include "shaders/storage_rgba16.h"
#include "shaders/storage_rgba16_snorm.h"
#include "shaders/storage_rgba16f.h"
#include "shaders/storage_rgba16i.h"
#include "shaders/storage_rgba16ui.h"
#include "shaders/storage_rgba32f.h"
#include "shaders/storage_rgba32i.h"
#include "shaders/storage_rgba32ui.h"
#include "shaders/storage_rgba8.h"
#include "shaders/storage_rgba8_snorm.h"
#include "shaders/storage_rgba8i.h"
#include "shaders/storage_rgba8ui.h"
#include "shaders/texel_buffer_r32f.h"
#include "shaders/texel_buffer_r32ui.h"
#include "shaders/texel_buffer_rgba16f.h"
#include "shaders/texel_buffer_rgba32f.h"
#include "shaders/texel_buffer_rgba32ui.h"
#include "shaders/texel_buffer_rgba8.h"
#include "shaders/texel_buffer_rgba8i.h"
#include "shaders/texel_buffer_rgba8ui.h"

/* ---- formats ---- */

struct format_shader {
    VkFormat format;
    const uint32_t *code;
    size_t code_B;
};

/* A texel as a shader got it: four floats or four integers. */
static void expect_loaded(struct vt *vt, const struct vt_format *format, const uint32_t *loaded, const uint8_t *texel,
                          uint32_t i)
{
    double expected[4];
    vt_decode(format, texel, expected);
    for (unsigned c = 0; c < 4; c++) {
        float value;
        memcpy(&value, &loaded[c], sizeof(value));
        double got = format->kind == VT_UINT ? loaded[c] : format->kind == VT_SINT ? (int32_t)loaded[c] : (double)value;
        double allowed = vt_is_integer(format) ? 0 : vt_step(format, c, expected[c]) * 0.01 + 1e-6;
        if (!(got - expected[c] <= allowed && expected[c] - got <= allowed))
            vt_fail(vt, "component %u of texel %u was loaded as %.8g (0x%08x), expected %.8g", c, i, got, loaded[c],
                    expected[c]);
    }
}

/* Bits that load and store must keep. The lowest code of SNORM reads as -1, which is another code's value. */
static void avoid_lowest_code(const struct vt_format *format, uint8_t *texels, size_t count)
{
    if (format->kind != VT_SNORM)
        return;
    for (size_t i = 0; i < count; i++) {
        double color[4];
        vt_decode(format, texels + i * format->texel_B, color);
        vt_encode(format, color, texels + i * format->texel_B);
    }
}

static void case_format(struct vt *vt, const void *argument)
{
    const struct format_shader *test = argument;
    const struct vt_format *format = vt_format(test->format);
    struct vt_image source = vt_image_2d(vt, test->format, 19, 13, VK_IMAGE_USAGE_STORAGE_BIT);
    struct vt_image target = vt_image_2d(vt, test->format, 19, 13, VK_IMAGE_USAGE_STORAGE_BIT);
    uint8_t texels[19 * 13 * 16], mirrored[19 * 13 * 16];
    uint64_t seed = 3;
    vt_random_texels(format, &seed, texels, 19 * 13);
    avoid_lowest_code(format, texels, 19 * 13);
    vt_upload(vt, &source, 0, texels, VK_IMAGE_LAYOUT_GENERAL);
    vt_upload(vt, &target, 0, texels, VK_IMAGE_LAYOUT_GENERAL);
    struct vt_buffer loaded = vt_buffer(vt, 19 * 13 * 16, NULL);
    struct vt_binding bindings[] = {VT_STORAGE_IMAGE(vt_view(vt, &source, VK_IMAGE_VIEW_TYPE_2D)),
                                    VT_STORAGE_IMAGE(vt_view(vt, &target, VK_IMAGE_VIEW_TYPE_2D)),
                                    VT_STORAGE_BUFFER(loaded)};
    vt_dispatch(vt, (struct vt_spirv){test->code, test->code_B}, NULL, bindings, 3, 3, 2, 1);
    for (uint32_t i = 0; i < 19 * 13; i++) {
        expect_loaded(vt, format, (uint32_t *)loaded.map + i * 4, texels + i * format->texel_B, i);
        memcpy(mirrored + i * format->texel_B, texels + (19 * 13 - 1 - i) * format->texel_B, format->texel_B);
    }
    vt_expect_texels(vt, vt_download(vt, &target, 0), mirrored, format->texel_B, 19, 19 * 13, "stored");
}

#define SHADER(format, name)                                                                                           \
    {                                                                                                                  \
        VK_FORMAT_##format, name, sizeof(name)                                                                         \
    }
static const struct format_shader format_shaders[] = {
    SHADER(R32_UINT, storage_r32ui),
    SHADER(R32_SINT, storage_r32i),
    SHADER(R32_SFLOAT, storage_r32f),
    SHADER(R8G8B8A8_UNORM, storage_rgba8),
    SHADER(R8G8B8A8_SNORM, storage_rgba8_snorm),
    SHADER(R8G8B8A8_UINT, storage_rgba8ui),
    SHADER(R8G8B8A8_SINT, storage_rgba8i),
    SHADER(R16G16B16A16_UNORM, storage_rgba16),
    SHADER(R16G16B16A16_SNORM, storage_rgba16_snorm),
    SHADER(R16G16B16A16_UINT, storage_rgba16ui),
    SHADER(R16G16B16A16_SINT, storage_rgba16i),
    SHADER(R16G16B16A16_SFLOAT, storage_rgba16f),
    SHADER(R32G32B32A32_UINT, storage_rgba32ui),
    SHADER(R32G32B32A32_SINT, storage_rgba32i),
    SHADER(R32G32B32A32_SFLOAT, storage_rgba32f),
    SHADER(R8_UNORM, storage_r8),
    SHADER(R8G8_UNORM, storage_rg8),
    SHADER(R16_SFLOAT, storage_r16f),
    SHADER(R16G16_SFLOAT, storage_rg16f),
    SHADER(B10G11R11_UFLOAT_PACK32, storage_r11f_g11f_b10f),
    SHADER(A2B10G10R10_UNORM_PACK32, storage_rgb10_a2),
};

/* ---- dimensions ---- */

struct dimension {
    const uint32_t *code;
    size_t code_B;
    VkImageType type;
    VkImageViewType view;
    uint32_t width, height, depth, layers; /* of the whole image */
    uint32_t level;                        /* the level that the view shows */
};

static void case_dimension(struct vt *vt, const void *argument)
{
    const struct dimension *test = argument;
    bool cube = test->view == VK_IMAGE_VIEW_TYPE_CUBE || test->view == VK_IMAGE_VIEW_TYPE_CUBE_ARRAY;
    struct vt_image image =
        vt_image(vt, &(struct vt_image_info){.format = VK_FORMAT_R32_UINT,
                                             .type = test->type,
                                             .width = test->width,
                                             .height = test->type == VK_IMAGE_TYPE_1D ? 0 : test->height,
                                             .depth = test->depth,
                                             .layers = test->layers,
                                             .levels = test->level + 1,
                                             .flags = cube ? VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT : 0,
                                             .usage = VK_IMAGE_USAGE_STORAGE_BIT});
    size_t count = vt_level_B(&image, test->level, test->layers, image.aspects) / 4;
    uint32_t *texels = vt_buffer(vt, count * 4, NULL).map;
    uint64_t seed = 13;
    for (size_t i = 0; i < count; i++)
        texels[i] = vt_random(&seed);
    vt_upload(vt, &image, test->level, texels, VK_IMAGE_LAYOUT_GENERAL);
    VkImageView view =
        vt_view_of(vt, &image,
                   (VkImageViewCreateInfo){.viewType = test->view,
                                           .subresourceRange = {.baseMipLevel = test->level, .levelCount = 1}});
    struct vt_binding bindings[] = {VT_STORAGE_IMAGE(view)};
    vt_dispatch(vt, (struct vt_spirv){test->code, test->code_B}, NULL, bindings, 1, 8, 8, 4);
    for (size_t i = 0; i < count; i++)
        texels[i] += (uint32_t)i;
    vt_expect_texels(vt, vt_download(vt, &image, test->level), texels, 4, vt_mip(test->width, test->level), count,
                     "image");
}

/* One slice of a volume's level as a 2D image: the others keep what they have. */
static void case_slice(struct vt *vt, const void *argument)
{
    uint32_t level = *(const uint32_t *)argument, slice = 2;
    if (!vt->has[VT_VIEW_2D_OF_3D])
        vt_skip(vt, "no 2D views of volumes");
    struct vt_image image = vt_image(vt, &(struct vt_image_info){.format = VK_FORMAT_R32_UINT,
                                                                 .type = VK_IMAGE_TYPE_3D,
                                                                 .width = 30,
                                                                 .height = 18,
                                                                 .depth = 12,
                                                                 .levels = 2,
                                                                 .flags = VK_IMAGE_CREATE_2D_VIEW_COMPATIBLE_BIT_EXT,
                                                                 .usage = VK_IMAGE_USAGE_STORAGE_BIT});
    size_t count = vt_level_B(&image, level, 1, image.aspects) / 4, of_slice = count / vt_mip(12, level);
    uint32_t *texels = vt_buffer(vt, count * 4, NULL).map;
    uint64_t seed = 29;
    for (size_t i = 0; i < count; i++)
        texels[i] = vt_random(&seed);
    vt_upload(vt, &image, level, texels, VK_IMAGE_LAYOUT_GENERAL);
    VkImageView view = vt_view_of(
        vt, &image,
        (VkImageViewCreateInfo){
            .viewType = VK_IMAGE_VIEW_TYPE_2D,
            .subresourceRange = {.baseMipLevel = level, .levelCount = 1, .baseArrayLayer = slice, .layerCount = 1}});
    struct vt_binding bindings[] = {VT_STORAGE_IMAGE(view)};
    vt_dispatch(vt, VT_SPIRV(storage_dim_2d), NULL, bindings, 1, 8, 8, 1);
    for (size_t i = 0; i < of_slice; i++)
        texels[slice * of_slice + i] += (uint32_t)i;
    vt_expect_texels(vt, vt_download(vt, &image, level), texels, 4, vt_mip(30, level), count, "volume");
}

static const uint32_t slice_levels[] = {0, 1};

#define CODE(name) name, sizeof(name)
static const struct dimension dimensions[] = {
    {CODE(storage_dim_1d), VK_IMAGE_TYPE_1D, VK_IMAGE_VIEW_TYPE_1D, 31, 1, 1, 1, 0},
    {CODE(storage_dim_1d_array), VK_IMAGE_TYPE_1D, VK_IMAGE_VIEW_TYPE_1D_ARRAY, 31, 1, 1, 7, 0},
    {CODE(storage_dim_2d), VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D, 31, 17, 1, 1, 0},
    {CODE(storage_dim_2d), VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D, 62, 34, 1, 1, 1},
    {CODE(storage_dim_2d_array), VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D_ARRAY, 31, 17, 1, 5, 0},
    {CODE(storage_dim_2d_array), VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D_ARRAY, 32, 32, 1, 5, 2},
    {CODE(storage_dim_3d), VK_IMAGE_TYPE_3D, VK_IMAGE_VIEW_TYPE_3D, 31, 17, 11, 1, 0},
    {CODE(storage_dim_3d), VK_IMAGE_TYPE_3D, VK_IMAGE_VIEW_TYPE_3D, 32, 24, 16, 1, 1},
    {CODE(storage_dim_cube), VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_CUBE, 20, 20, 1, 6, 0},
    {CODE(storage_dim_cube_array), VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_CUBE_ARRAY, 20, 20, 1, 12, 0},
};

/* ---- atomics ---- */

struct atomic {
    int op;
    bool is_signed;
};

static uint32_t atomic_step(const struct atomic *test, uint32_t texel, uint32_t value)
{
    bool less = test->is_signed ? (int32_t)value < (int32_t)texel : value < texel;
    switch (test->op) {
    case 0:
        return texel + value;
    case 1:
        return less ? value : texel;
    case 2:
        return less ? texel : value;
    case 3:
        return texel & (value | 0xf0);
    case 4:
        return texel | (value & 0xff00);
    default:
        return texel ^ value;
    }
}

/* Results of exchanges, with the texels that are left, are the old and the written numbers, each once. */
static void expect_exchanged(struct vt *vt, const uint32_t *got, const uint32_t *texels, unsigned t)
{
    uint32_t put[17], taken[17];
    for (unsigned i = 0; i < 16; i++) {
        unsigned invocation = i * 16 + t;
        put[i] = invocation * 7919u - 500000u;
        taken[i] = got[invocation];
    }
    put[16] = 1000 + t;
    taken[16] = texels[t];
    for (unsigned i = 0; i < 17; i++) {
        unsigned found = 0;
        for (unsigned k = 0; k < 17; k++)
            found += taken[k] == put[i];
        if (found != 1)
            vt_fail(vt, "texel %u: 0x%08x came out %u times", t, put[i], found);
    }
}

/* One compare-and-swap with the texel's number wrote; the others got its number. */
static void expect_swapped(struct vt *vt, const uint32_t *got, const uint32_t *texels, unsigned t)
{
    unsigned winners = 0;
    for (unsigned i = t; i < 256; i += 16) {
        if (got[i] == t) {
            winners++;
            if (texels[t] != i * 7919u - 500000u)
                vt_fail(vt, "texel %u is 0x%08x though invocation %u won", t, texels[t], i);
        } else if (got[i] != texels[t]) {
            vt_fail(vt, "texel %u: invocation %u got 0x%08x, the texel is 0x%08x", t, i, got[i], texels[t]);
        }
    }
    if (winners != 1)
        vt_fail(vt, "texel %u: %u invocations won", t, winners);
}

static void case_atomic(struct vt *vt, const void *argument)
{
    const struct atomic *test = argument;
    struct vt_image image =
        vt_image_2d(vt, test->is_signed ? VK_FORMAT_R32_SINT : VK_FORMAT_R32_UINT, 4, 4, VK_IMAGE_USAGE_STORAGE_BIT);
    uint32_t texels[16];
    for (uint32_t t = 0; t < 16; t++)
        texels[t] = test->op == 7 ? t : test->op == 3 ? 0xdeadbeef * (t + 1) : 1000 + t;
    vt_upload(vt, &image, 0, texels, VK_IMAGE_LAYOUT_GENERAL);
    struct vt_buffer got = vt_buffer(vt, 256 * 4, NULL);
    struct vt_binding bindings[] = {VT_STORAGE_IMAGE(vt_view(vt, &image, VK_IMAGE_VIEW_TYPE_2D)),
                                    VT_STORAGE_BUFFER(got)};
    vt_dispatch(vt, test->is_signed ? VT_SPIRV(image_atomics_r32i) : VT_SPIRV(image_atomics_r32ui),
                VT_CONSTANTS(test->op), bindings, 2, 4, 1, 1);
    const uint32_t *left = vt_download(vt, &image, 0);
    for (uint32_t t = 0; t < 16; t++) {
        if (test->op == 6) {
            expect_exchanged(vt, got.map, left, t);
        } else if (test->op == 7) {
            expect_swapped(vt, got.map, left, t);
        } else {
            for (uint32_t i = t; i < 256; i += 16)
                texels[t] = atomic_step(test, texels[t], i * 7919u - 500000u);
            if (left[t] != texels[t])
                vt_fail(vt, "texel %u is 0x%08x, expected 0x%08x", t, left[t], texels[t]);
        }
    }
}

static const struct atomic atomics[] = {{0, false}, {1, false}, {2, false}, {3, false}, {4, false}, {5, false},
                                        {6, false}, {7, false}, {0, true},  {1, true},  {2, true}};

/* ---- texel buffers ---- */

static void case_texel_buffer(struct vt *vt, const void *argument)
{
    const struct format_shader *test = argument;
    const struct vt_format *format = vt_format(test->format);
    VkFormatProperties properties;
    vkGetPhysicalDeviceFormatProperties(vt->physical, test->format, &properties);
    VkFormatFeatureFlags wanted =
        VK_FORMAT_FEATURE_UNIFORM_TEXEL_BUFFER_BIT | VK_FORMAT_FEATURE_STORAGE_TEXEL_BUFFER_BIT;
    if ((properties.bufferFeatures & wanted) != wanted)
        vt_skip(vt, "the format is none of texel buffers");
    enum {
        COUNT = 200
    };
    uint8_t texels[COUNT * 16], mirrored[COUNT * 16];
    uint64_t seed = 17;
    vt_random_texels(format, &seed, texels, COUNT);
    uint32_t offset_B = (uint32_t)vt->properties.limits.minTexelBufferOffsetAlignment, size_B = COUNT * format->texel_B;
    struct vt_buffer source = vt_buffer(vt, offset_B + size_B, NULL),
                     target = vt_buffer(vt, offset_B + size_B + 16, NULL);
    memcpy((uint8_t *)source.map + offset_B, texels, size_B);
    struct vt_buffer loaded = vt_buffer(vt, 256 * 16, NULL);
    struct vt_binding bindings[] = {{.type = VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER,
                                     .view = vt_buffer_view(vt, &source, test->format, offset_B, VK_WHOLE_SIZE)},
                                    {.type = VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER,
                                     .view = vt_buffer_view(vt, &target, test->format, offset_B, size_B)},
                                    VT_STORAGE_BUFFER(loaded)};
    vt_dispatch(vt, (struct vt_spirv){test->code, test->code_B}, NULL, bindings, 3, 4, 1, 1);
    for (uint32_t i = 0; i < COUNT; i++) {
        expect_loaded(vt, format, (uint32_t *)loaded.map + i * 4, texels + i * format->texel_B, i);
        memcpy(mirrored + i * format->texel_B, texels + (COUNT - 1 - i) * format->texel_B, format->texel_B);
    }
    vt_expect_texels(vt, (uint8_t *)target.map + offset_B, mirrored, format->texel_B, COUNT, COUNT, "stored");
    for (uint32_t i = 0; i < offset_B; i++) {
        if (((uint8_t *)target.map)[i] != 0)
            vt_fail(vt, "byte %u before the view was written", i);
    }
    float size;
    memcpy(&size, (uint32_t *)loaded.map + COUNT * 4, sizeof(size));
    uint32_t reported = vt_is_integer(format) ? ((uint32_t *)loaded.map)[COUNT * 4] : (uint32_t)size;
    if (reported != COUNT)
        vt_fail(vt, "the size of the storage texel buffer is %u, expected %u", reported, COUNT);
}

static const struct format_shader texel_buffers[] = {
    SHADER(R32_UINT, texel_buffer_r32ui),
    SHADER(R32_SFLOAT, texel_buffer_r32f),
    SHADER(R8G8B8A8_UNORM, texel_buffer_rgba8),
    SHADER(R8G8B8A8_UINT, texel_buffer_rgba8ui),
    SHADER(R8G8B8A8_SINT, texel_buffer_rgba8i),
    SHADER(R16G16B16A16_SFLOAT, texel_buffer_rgba16f),
    SHADER(R32G32B32A32_UINT, texel_buffer_rgba32ui),
    SHADER(R32G32B32A32_SFLOAT, texel_buffer_rgba32f),
};

const struct vt_case vt_storage_cases[] = {
    {"slice of a volume", case_slice, &slice_levels[0]},
    {"slice of a volume's second level", case_slice, &slice_levels[1]},
#define FORMAT(i, name)                                                                                                \
    {                                                                                                                  \
        "format " name, case_format, &format_shaders[i]                                                                \
    }
    FORMAT(0, "r32 uint"),
    FORMAT(1, "r32 sint"),
    FORMAT(2, "r32 sfloat"),
    FORMAT(3, "r8g8b8a8 unorm"),
    FORMAT(4, "r8g8b8a8 snorm"),
    FORMAT(5, "r8g8b8a8 uint"),
    FORMAT(6, "r8g8b8a8 sint"),
    FORMAT(7, "r16g16b16a16 unorm"),
    FORMAT(8, "r16g16b16a16 snorm"),
    FORMAT(9, "r16g16b16a16 uint"),
    FORMAT(10, "r16g16b16a16 sint"),
    FORMAT(11, "r16g16b16a16 sfloat"),
    FORMAT(12, "r32g32b32a32 uint"),
    FORMAT(13, "r32g32b32a32 sint"),
    FORMAT(14, "r32g32b32a32 sfloat"),
    FORMAT(15, "r8 unorm"),
    FORMAT(16, "r8g8 unorm"),
    FORMAT(17, "r16 sfloat"),
    FORMAT(18, "r16g16 sfloat"),
    FORMAT(19, "b10g11r11 ufloat"),
    FORMAT(20, "a2b10g10r10 unorm"),
#define DIMENSION(i, name)                                                                                             \
    {                                                                                                                  \
        name, case_dimension, &dimensions[i]                                                                           \
    }
    DIMENSION(0, "1d"),
    DIMENSION(1, "1d array"),
    DIMENSION(2, "2d"),
    DIMENSION(3, "2d level 1"),
    DIMENSION(4, "2d array"),
    DIMENSION(5, "2d array level 2"),
    DIMENSION(6, "3d"),
    DIMENSION(7, "3d level 1"),
    DIMENSION(8, "cube"),
    DIMENSION(9, "cube array"),
#define ATOMIC(i, name)                                                                                                \
    {                                                                                                                  \
        "atomic " name, case_atomic, &atomics[i]                                                                       \
    }
    ATOMIC(0, "add"),
    ATOMIC(1, "min"),
    ATOMIC(2, "max"),
    ATOMIC(3, "and"),
    ATOMIC(4, "or"),
    ATOMIC(5, "xor"),
    ATOMIC(6, "exchange"),
    ATOMIC(7, "compare and swap"),
    ATOMIC(8, "signed add"),
    ATOMIC(9, "signed min"),
    ATOMIC(10, "signed max"),
#define TEXEL_BUFFER(i, name)                                                                                          \
    {                                                                                                                  \
        "texel buffer " name, case_texel_buffer, &texel_buffers[i]                                                     \
    }
    TEXEL_BUFFER(0, "r32 uint"),
    TEXEL_BUFFER(1, "r32 sfloat"),
    TEXEL_BUFFER(2, "r8g8b8a8 unorm"),
    TEXEL_BUFFER(3, "r8g8b8a8 uint"),
    TEXEL_BUFFER(4, "r8g8b8a8 sint"),
    TEXEL_BUFFER(5, "r16g16b16a16 sfloat"),
    TEXEL_BUFFER(6, "r32g32b32a32 uint"),
    TEXEL_BUFFER(7, "r32g32b32a32 sfloat"),
};
const size_t vt_storage_count = COUNT_OF(vt_storage_cases);
