/* See shading_rate.h. */
#include "cases/rate/shading_rate.h"

#include <math.h>
#include <string.h>

#include "shaders/rate_frag.h"
#include "shaders/rate_samples.h"
#include "shaders/rate_vert.h"
#include "shaders/rate_writes_vert.h"

const struct vt_spirv vt_rate_vert = {rate_vert, sizeof(rate_vert)},
                      vt_rate_writes_vert = {rate_writes_vert, sizeof(rate_writes_vert)},
                      vt_rate_frag = {rate_frag, sizeof(rate_frag)};

const rate_size rate_quarters[4] = {{1, 1}, {1, 2}, {2, 1}, {2, 2}};

struct rate_limits rate_need(struct vt *vt)
{
    if (!vt->has[VT_SHADING_RATE])
        vt_skip(vt, "no shading rates");
    struct rate_limits limits = {
        .properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FRAGMENT_SHADING_RATE_PROPERTIES_KHR},
        .rate_count = COUNT_OF(limits.rates)};
    VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                              .pNext = &limits.properties};
    vkGetPhysicalDeviceProperties2(vt->physical, &properties);
    for (uint32_t i = 0; i < COUNT_OF(limits.rates); i++)
        limits.rates[i].sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FRAGMENT_SHADING_RATE_KHR;
    PFN_vkGetPhysicalDeviceFragmentShadingRatesKHR get =
        (PFN_vkGetPhysicalDeviceFragmentShadingRatesKHR)(void *)vkGetInstanceProcAddr(
            vt->instance, "vkGetPhysicalDeviceFragmentShadingRatesKHR");
    VT_CHECK(vt, get(vt->physical, &limits.rate_count, limits.rates));
    return limits;
}

/* The runner's device has no such attachments, which change how some drivers keep depth: the case has another one. */
static struct vt first_device;

static void leave_device(struct vt *vt, uint64_t handle)
{
    vkDestroyCommandPool(vt->device, vt->commands, NULL);
    vkDestroyDevice(vt->device, NULL);
    vt->device = first_device.device;
    vt->queue = first_device.queue;
    vt->commands = first_device.commands;
}

void rate_enter_device(struct vt *vt)
{
    VkPhysicalDeviceVulkan13Features features13 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
                                                   .dynamicRendering = VK_TRUE,
                                                   .synchronization2 = VK_TRUE,
                                                   .maintenance4 = VK_TRUE}; /* sizes of workgroups by constants */
    VkPhysicalDeviceVulkan12Features features12 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                                   .pNext = &features13,
                                                   .bufferDeviceAddress = VK_TRUE};
    VkPhysicalDeviceFragmentShadingRateFeaturesKHR rates = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FRAGMENT_SHADING_RATE_FEATURES_KHR, .pNext = &features12};
    VkPhysicalDeviceFeatures2 found = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &rates};
    rates.pNext = NULL;
    vkGetPhysicalDeviceFeatures2(vt->physical, &found);
    if (!rates.attachmentFragmentShadingRate)
        vt_skip(vt, "no attachments with rates");
    rates.pNext = &features12;
    const float priority = 1;
    const char *name = VK_KHR_FRAGMENT_SHADING_RATE_EXTENSION_NAME;
    const VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                           .queueFamilyIndex = vt->family,
                                           .queueCount = 1,
                                           .pQueuePriorities = &priority};
    const VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                     .pNext = &rates,
                                     .queueCreateInfoCount = 1,
                                     .pQueueCreateInfos = &queue,
                                     .enabledExtensionCount = 1,
                                     .ppEnabledExtensionNames = &name};
    const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                          .queueFamilyIndex = vt->family};
    VkDevice device;
    VT_CHECK(vt, vkCreateDevice(vt->physical, &info, NULL, &device));
    first_device = *vt;
    vt->device = device;
    vkGetDeviceQueue(device, vt->family, 0, &vt->queue);
    vkCreateCommandPool(device, &pool, NULL, &vt->commands);
    vt_defer(vt, leave_device, 0); /* the last of all, for the newest go first */
}

/* ---- rates ---- */

rate_size rate_choose(const struct rate_limits *limits, rate_size wanted, uint32_t samples)
{
    for (uint32_t i = 0; i < limits->rate_count; i++) {
        const VkPhysicalDeviceFragmentShadingRateKHR *rate = &limits->rates[i];
        if (rate->fragmentSize.width <= wanted.width && rate->fragmentSize.height <= wanted.height &&
            rate->sampleCounts & samples)
            return rate->fragmentSize;
    }
    return (rate_size){1, 1};
}

static uint32_t combine_rates(VkFragmentShadingRateCombinerOpKHR op, uint32_t a, uint32_t b)
{
    switch (op) {
    case RATE_REPLACE:
        return b;
    case RATE_MIN:
        return a < b ? a : b;
    case RATE_MAX:
        return a > b ? a : b;
    case RATE_MUL:
        return a * b < 4 ? a * b : 4;
    default:
        return a;
    }
}

rate_size rate_combine(VkFragmentShadingRateCombinerOpKHR op, rate_size a, rate_size b)
{
    return (rate_size){combine_rates(op, a.width, b.width), combine_rates(op, a.height, b.height)};
}

uint32_t rate_code(rate_size size)
{
    return (uint32_t)__builtin_ctz(size.width) << 2 | (uint32_t)__builtin_ctz(size.height);
}

rate_size rate_of_code(uint32_t code)
{
    return (rate_size){1u << (code >> 2 & 3), 1u << (code & 3)};
}

double rate_center(uint32_t pixel, uint32_t size)
{
    return pixel / size * size + size / 2.0;
}

/* ---- what is drawn ---- */

unsigned rate_quarter_of(uint32_t x, uint32_t y)
{
    return (x >= RATE_MIDDLE_X) + 2 * (y >= RATE_MIDDLE_Y);
}

void rate_rectangle(struct vt_vertex out[6], float x0, float y0, float x1, float y1, float depth, uint32_t code)
{
    vt_rectangle(out, x0 / RATE_WIDTH * 2 - 1, y0 / RATE_HEIGHT * 2 - 1, x1 / RATE_WIDTH * 2 - 1,
                 y1 / RATE_HEIGHT * 2 - 1, depth, (const float[4]){0, 0, 0, (float)code});
    const float corners[6][2] = {{x0, y0}, {x1, y0}, {x0, y1}, {x1, y0}, {x1, y1}, {x0, y1}};
    for (unsigned i = 0; i < 6; i++)
        memcpy(out[i].color, corners[i], sizeof(corners[i]));
}

void rate_four(struct vt_vertex out[24])
{
    static const float x[3] = {0, RATE_MIDDLE_X, RATE_WIDTH}, y[3] = {0, RATE_MIDDLE_Y, RATE_HEIGHT};
    for (unsigned i = 0; i < 4; i++)
        rate_rectangle(out + i * 6, x[i & 1], y[i >> 1], x[(i & 1) + 1], y[(i >> 1) + 1], 0.5f,
                       rate_code(rate_quarters[i]));
}

struct vt_target rate_target(struct vt *vt, uint32_t samples)
{
    if (!(vt->properties.limits.framebufferColorSampleCounts & samples))
        vt_skip(vt, "not so many samples");
    struct vt_target target = vt_empty_target(RATE_WIDTH, RATE_HEIGHT, (VkSampleCountFlagBits)samples);
    vt_add_color(vt, &target, RATE_FORMAT);
    target.load = VK_ATTACHMENT_LOAD_OP_CLEAR;
    return target;
}

void rate_init(struct rate_draw *draw, const struct vt_target *target, struct vt_spirv vertex, struct vt_spirv fragment,
               rate_size size, VkFragmentShadingRateCombinerOpKHR first, VkFragmentShadingRateCombinerOpKHR second)
{
    vt_graphics_init(&draw->graphics, target, vertex, fragment);
    vt_use_vertices(&draw->graphics);
    draw->state = (VkPipelineFragmentShadingRateStateCreateInfoKHR){
        .sType = VK_STRUCTURE_TYPE_PIPELINE_FRAGMENT_SHADING_RATE_STATE_CREATE_INFO_KHR,
        .fragmentSize = size,
        .combinerOps = {first, second}};
    draw->graphics.next = &draw->state;
}

rate_picture rate_read(struct vt *vt, struct vt_target *target)
{
    if (target->samples == VK_SAMPLE_COUNT_1_BIT)
        return vt_download(vt, &target->colors[0], 0);
    VkSampler sampler = vt_sampler(vt, (VkSamplerCreateInfo){0});
    struct vt_buffer loaded = vt_buffer(vt, sizeof(float[RATE_HEIGHT][RATE_WIDTH][4]) * target->samples, NULL);
    VkCommandBuffer commands = vt_begin(vt);
    vt_to_layout(commands, &target->colors[0], VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    vt_submit(vt, commands);
    struct vt_binding bindings[] = {VT_SAMPLED(sampler, target->color_views[0]), VT_STORAGE_BUFFER(loaded)};
    vt_dispatch(vt, VT_SPIRV(rate_samples), NULL, bindings, 2, (RATE_WIDTH + 7) / 8, (RATE_HEIGHT + 7) / 8, 1);
    return loaded.map;
}

rate_picture rate_render(struct vt *vt, struct rate_draw *draw, struct vt_target *target,
                         const struct vt_vertex *vertices, uint32_t count)
{
    vt_make_pipeline(vt, &draw->graphics, target);
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, target);
    vt_draw(vt, commands, &draw->graphics, vertices, count);
    vkCmdEndRendering(commands);
    vt_submit(vt, commands);
    return rate_read(vt, target);
}

void rate_check(struct vt *vt, const struct vt_target *target, rate_picture picture, rate_expect_fn expect,
                const void *argument)
{
    for (uint32_t i = 0; i < RATE_WIDTH * RATE_HEIGHT * target->samples; i++) {
        const uint32_t x = i % RATE_WIDTH, y = i / RATE_WIDTH % RATE_HEIGHT, s = i / RATE_WIDTH / RATE_HEIGHT;
        const rate_size size = expect(argument, x, y);
        const float *texel = picture[s][y][x];
        const double wanted[4] = {rate_center(x, size.width), rate_center(y, size.height), rate_code(size), 1};
        for (unsigned c = 0; c < 4; c++) {
            if (texel[c] != (float)wanted[c])
                vt_fail(vt, "pixel %u,%u sample %u has (%g %g %g %g), not (%g %g %g %g)", x, y, s, (double)texel[0],
                        (double)texel[1], (double)texel[2], (double)texel[3], wanted[0], wanted[1], wanted[2],
                        wanted[3]);
        }
    }
}
