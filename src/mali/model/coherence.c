/* The caches of v10, who goes through them, and what instructions do to them: docs/coherence.md has the sources. */
#include "mali/model/coherence.h"

#include "mali/model/cs/cs.h"
#include "mali/model/gpu.h"
#include "util/bits.h"
#include "util/debug.h"

enum place {
    MEMORY = COHERENCE_MEMORY,
    L2,
    LSC,
    READ_ONLY,
    TILER,
    PLACE_COUNT,
};

#define BIT COHERENCE_BIT

/* The load-store caches of the cores and L2 are coherent with each other, so only the host must wait until they are
 * cleaned. Work that was issued runs in any order until something waits for it. */
static const struct coherence_place places[PLACE_COUNT] = {
    [MEMORY] = {.name = "memory", .is_ordered = true},
    [L2] = {.name = "L2",
            .clean = "FLUSH_CACHE2 that cleans L2",
            .invalidate = "FLUSH_CACHE2 that invalidates L2",
            .found_by = BIT(LSC) | BIT(TILER),
            .orders_writes = true,
            .ends_cleaned = true},
    [LSC] = {.name = "load-store cache",
             .parent = L2,
             .clean = "FLUSH_CACHE2 that cleans the load-store cache",
             .invalidate = "FLUSH_CACHE2 that invalidates the load-store cache",
             .found_by = BIT(L2) | BIT(TILER),
             .orders_writes = true,
             .ends_cleaned = true},
    [READ_ONLY] = {.name = "read-only caches", .parent = L2, .invalidate = "FLUSH_CACHE2 with OTHER_INVALIDATE"},
    /* It writes what it has of bins when tiling is finished, or when it waits for memory. */
    [TILER] = {.name = "tiler",
               .parent = L2,
               .clean = "FINISH_TILING",
               .invalidate = "FLUSH_CACHE2 with OTHER_INVALIDATE",
               .orders_writes = true,
               .ends_cleaned = true},
};

static const char *const waits[] = {"WAIT for its slot, or a SYNC_WAIT for a signal after it"};

static const struct coherence_client clients[MALI_CLIENT_COUNT] = {
    [MALI_CLIENT_HOST] = {"the host", MEMORY},
    [MALI_CLIENT_CS] = {"the command stream", L2},
    [MALI_CLIENT_SIGNAL] = {"a signal", L2, .is_signal = true},
    [MALI_CLIENT_DESCRIPTOR] = {"the fetch of descriptors", L2},
    [MALI_CLIENT_TILER] = {"the tiler", TILER, .keeps_order = true},
    [MALI_CLIENT_SHADER] = {"a shader", LSC},
    [MALI_CLIENT_ATOMIC] = {"an atomic", LSC, .keeps_order = true},
    [MALI_CLIENT_IMAGE] = {"an image", LSC},
    [MALI_CLIENT_ATTRIBUTE] = {"an attribute", LSC},
    [MALI_CLIENT_VARYING] = {"a varying", LSC},
    [MALI_CLIENT_TEXTURE] = {"a texture", READ_ONLY},
    [MALI_CLIENT_WRITEBACK] = {"a tile's writeback", L2},
    [MALI_CLIENT_OCCLUSION] = {"an occlusion counter", LSC, .keeps_order = true},
};

static const struct coherence_event events[MALI_COHERENCE_EVENT_COUNT] = {
    [MALI_COHERENCE_LSC_CLEAN] = {"LSC-clean", .cleans = BIT(LSC)},
    [MALI_COHERENCE_L2_CLEAN] = {"L2-clean", .cleans = BIT(L2)},
    [MALI_COHERENCE_L2_INVALIDATE] = {"L2-invalidate", .invalidates = BIT(L2)},
    [MALI_COHERENCE_LSC_INVALIDATE] = {"LSC-invalidate", .invalidates = BIT(LSC)},
    [MALI_COHERENCE_OTHER_INVALIDATE] = {"other-invalidate", .invalidates = BIT(READ_ONLY) | BIT(TILER)},
    [MALI_COHERENCE_FINISH_TILING] = {"FINISH_TILING", .cleans = BIT(TILER), .comes_after = true},
};

static void describe_command(void *context, struct strbuf *text, const struct coherence_command *command)
{
    mali_cs_describe_word(text, command->va, command->dw[0] | (uint64_t)command->dw[1] << 32);
}

/* The first error ends the job. */
static bool report_error(void *context, const char *text)
{
    return mali_stop(context, GPU_STOP_STRICT, "coherence: %s", text);
}

/* For lists of tests. */
static void trace(void *context, const struct coherence_touch *touch)
{
    struct mali_queue *queue = context;
    if (queue->gpu->has_mutations)
        mali_cs_note_access(queue, touch->client, touch->line_va, touch->bytes, touch->is_write);
}

static const struct coherence_family family = {
    .places = places,
    .clients = clients,
    .events = events,
    .waits = waits,
    .place_count = PLACE_COUNT,
    .client_count = MALI_CLIENT_COUNT,
    .event_count = MALI_COHERENCE_EVENT_COUNT,
    .level_count = ARRAY_SIZE(waits),
    .host_client = MALI_CLIENT_HOST,
    .describe = describe_command,
    .report = report_error,
    .trace = trace,
};

bool mali_coherence_create(struct mali_gpu *gpu)
{
    if (debug_enabled(DEBUG_COHERENCE))
        gpu->coherence = coherence_create(&family);
    return gpu->coherence || !debug_enabled(DEBUG_COHERENCE);
}

void mali_coherence_discard(struct mali_queue *queue, uint64_t va, uint64_t size_B)
{
    if (queue->gpu->has_mutations)
        mali_cs_note_discard(queue, va, size_B);
    coherence_discard(queue->coherence, va, size_B);
}
