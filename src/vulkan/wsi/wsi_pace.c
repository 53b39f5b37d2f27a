/* The shared part of windows: a clock in the place of a vertical blank, and copying pixels. */
#include <string.h>
#include <time.h>

#include "vulkan/runtime/sync/vk_time.h"
#include "vulkan/wsi/wsi_window.h"

#define PERIOD_NS (1000000000u / 60)

void wsi_pacer_init(struct wsi_pacer *pacer, VkPresentModeKHR mode)
{
    *pacer = (struct wsi_pacer){.mode = mode, .start_ns = vk_time_now_ns()};
}

uint64_t wsi_pacer_next_ns(const struct wsi_pacer *pacer, uint64_t now_ns)
{
    bool is_fifo = pacer->mode == VK_PRESENT_MODE_FIFO_KHR;
    if ((!is_fifo && pacer->mode != VK_PRESENT_MODE_FIFO_RELAXED_KHR) || pacer->last_ns == 0)
        return now_ns;
    uint64_t shown_in = (pacer->last_ns - pacer->start_ns) / PERIOD_NS;
    uint64_t now_in = (now_ns - pacer->start_ns) / PERIOD_NS;
    if (!is_fifo && now_in > shown_in)
        return now_ns;
    return pacer->start_ns + (now_in + 1) * PERIOD_NS;
}

void wsi_pacer_wait(struct wsi_pacer *pacer)
{
    uint64_t next_ns = wsi_pacer_next_ns(pacer, vk_time_now_ns());
    struct timespec until = {.tv_sec = (time_t)(next_ns / 1000000000u), .tv_nsec = (long)(next_ns % 1000000000u)};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
    pacer->last_ns = vk_time_now_ns();
}

void wsi_copy_pixels(void *to, const void *from, uint32_t pixel_count, bool set_alpha)
{
    if (!set_alpha) {
        memcpy(to, from, (size_t)pixel_count * WSI_PIXEL_B);
        return;
    }
    const uint32_t alpha = 0xff000000u; /* the last byte of each format that is offered; both hosts are little-endian */
    const uint32_t *in = from;
    uint32_t *out = to;
    for (uint32_t i = 0; i < pixel_count; i++)
        out[i] = in[i] | alpha;
}
