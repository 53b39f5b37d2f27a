/* The shared part of the cases of shading rates (shading_rate.c): pictures whose fragments say where they are and
 * how large. */
#ifndef TESTS_VULKAN_SHADING_RATE_H
#define TESTS_VULKAN_SHADING_RATE_H

#include "vt/vt_graphics.h"

/* Odd, so that fragments cross the edges; and so does the middle, where four rectangles meet. */
#define RATE_WIDTH 47u
#define RATE_HEIGHT 35u
#define RATE_MIDDLE_X 23
#define RATE_MIDDLE_Y 17
#define RATE_FORMAT VK_FORMAT_R32G32B32A32_SFLOAT

#define RATE_KEEP VK_FRAGMENT_SHADING_RATE_COMBINER_OP_KEEP_KHR
#define RATE_REPLACE VK_FRAGMENT_SHADING_RATE_COMBINER_OP_REPLACE_KHR
#define RATE_MIN VK_FRAGMENT_SHADING_RATE_COMBINER_OP_MIN_KHR
#define RATE_MAX VK_FRAGMENT_SHADING_RATE_COMBINER_OP_MAX_KHR
#define RATE_MUL VK_FRAGMENT_SHADING_RATE_COMBINER_OP_MUL_KHR

/* `what` of rate.frag. */
enum rate_what {
    RATE_PLACE,
    RATE_STEP,  /* of places */
    RATE_COLOR, /* x and y are the place in pixels, as vertices interpolate it */
    RATE_COLOR_STEP,
    RATE_DEPTH,
    RATE_DISCARD,
    RATE_CONSTANT,
    RATE_FINE_STEP,
};

struct rate_limits {
    VkPhysicalDeviceFragmentShadingRatePropertiesKHR properties;
    VkPhysicalDeviceFragmentShadingRateKHR rates[64]; /* as the device lists them */
    uint32_t rate_count;
};

/* Skips where the device has no shading rates. */
struct rate_limits rate_need(struct vt *vt);

/* Another device for the rest of the case, which may have attachments with rates; skips where there are none. */
void rate_enter_device(struct vt *vt);

/* The differences between cases. */
struct rate_test {
    VkExtent2D size; /* of the pipeline */
    VkFragmentShadingRateCombinerOpKHR ops[2];
    uint32_t samples; /* 0: 1 */
    int what;
};

static inline uint32_t rate_samples_of(const struct rate_test *test)
{
    return test->samples ? test->samples : 1;
}

#define RATE_SIZES(w, h) .size = {w, h}, .ops = {RATE_KEEP, RATE_KEEP}

/* One pipeline's share in them. */
struct rate_draw {
    struct vt_graphics graphics;
    VkPipelineFragmentShadingRateStateCreateInfoKHR state;
};

typedef VkExtent2D rate_size;

/* The next rate of the list that is not larger in any direction. */
rate_size rate_choose(const struct rate_limits *limits, rate_size wanted, uint32_t samples);
rate_size rate_combine(VkFragmentShadingRateCombinerOpKHR op, rate_size a, rate_size b);
uint32_t rate_code(rate_size size); /* as shaders have it */
rate_size rate_of_code(uint32_t code);

/* The rates of the four rectangles. */
extern const rate_size rate_quarters[4];
unsigned rate_quarter_of(uint32_t x, uint32_t y);

/* Vertices of a rectangle in pixels; colours are places, and the rate. */
void rate_rectangle(struct vt_vertex out[6], float x0, float y0, float x1, float y1, float depth, uint32_t code);
void rate_four(struct vt_vertex out[24]); /* a quarter each, with its rate */

struct vt_target rate_target(struct vt *vt, uint32_t samples);
void rate_init(struct rate_draw *draw, const struct vt_target *target, struct vt_spirv vertex, struct vt_spirv fragment,
               rate_size size, VkFragmentShadingRateCombinerOpKHR first, VkFragmentShadingRateCombinerOpKHR second);

/* Read back: [sample][y][x]. */
typedef const float (*rate_picture)[RATE_HEIGHT][RATE_WIDTH][4];
rate_picture rate_read(struct vt *vt, struct vt_target *target);
rate_picture rate_render(struct vt *vt, struct rate_draw *draw, struct vt_target *target,
                         const struct vt_vertex *vertices, uint32_t count);

/* Every fragment of a picture of places stands in the middle of its area, which is as large as `expect` says. */
typedef rate_size (*rate_expect_fn)(const void *argument, uint32_t x, uint32_t y);
void rate_check(struct vt *vt, const struct vt_target *target, rate_picture picture, rate_expect_fn expect,
                const void *argument);

/* The middle of a fragment that a pixel belongs to. */
double rate_center(uint32_t pixel, uint32_t size);

extern const struct vt_spirv vt_rate_vert, vt_rate_writes_vert, vt_rate_frag;

#endif
