/* The caches of A6xx, who goes through them, and what the packets do to them: docs/coherence.md has the sources. */
#include "adreno/model/coherence.h"

#include "adreno/hw/decode.h"
#include "adreno/model/gpu.h"
#include "model/coherence/list.h"
#include "util/bits.h"
#include "util/debug.h"

enum place {
    MEMORY = COHERENCE_MEMORY,
    UCHE,
    DESCRIPTORS,
    CCU_COLOR,
    CCU_DEPTH,
    RESOLVE,
    CP_QUEUE,
    LRZ,
    PLACE_COUNT,
};

static const struct coherence_place places[PLACE_COUNT] = {
    [MEMORY] = {.name = "memory", .is_ordered = true}, /* events write late, and what reads that polls */
    [UCHE] = {.name = "UCHE", .clean = "CACHE_FLUSH_TS", .invalidate = "CACHE_INVALIDATE"},
    /* Sets of descriptors are fetched before shaders ask for them. */
    [DESCRIPTORS] = {.name = "prefetched descriptors", .parent = UCHE, .invalidate = "SP_UPDATE_CNTL"},
    /* Entries are found by target and layer, too, so that memory must leave the cache before it is another target. */
    [CCU_COLOR] = {.name = "CCU colour",
                   .clean = "PC_CCU_FLUSH_COLOR_TS",
                   .invalidate = "PC_CCU_INVALIDATE_COLOR",
                   .has_views = true,
                   .fills = true,
                   .is_ordered = true,
                   .loses_dirty = true,
                   .ends_cleaned = true},
    [CCU_DEPTH] = {.name = "CCU depth",
                   .clean = "PC_CCU_FLUSH_DEPTH_TS",
                   .invalidate = "PC_CCU_INVALIDATE_DEPTH",
                   .has_views = true,
                   .fills = true,
                   .is_ordered = true,
                   .loses_dirty = true,
                   .ends_cleaned = true},
    /* They go through the CCU, which so has no old copy of what they write. */
    [RESOLVE] = {.name = "stores of GMEM",
                 .clean = "PC_CCU_RESOLVE_TS",
                 .found_by = COHERENCE_BIT(CCU_COLOR) | COHERENCE_BIT(CCU_DEPTH),
                 .is_ordered = true,
                 .ends_cleaned = true},
    /* It keeps fast-clear bits, direction and view. What it reads counts as read through UCHE. */
    [LRZ] = {.name = "LRZ",
             .parent = UCHE,
             .clean = "LRZ_FLUSH_INVALIDATE",
             .invalidate = "CACHE_INVALIDATE",
             .is_ordered = true},
    [CP_QUEUE] = {.name = "writes of the CP", .clean = "CP_WAIT_MEM_WRITES", .is_ordered = true},
};

/* Level 1 begins after CP_WAIT_FOR_IDLE; the CP itself runs ahead and sees it after CP_WAIT_FOR_ME. */
static const char *const waits[] = {NULL, "CP_WAIT_FOR_IDLE", "CP_WAIT_FOR_ME"};

static const struct coherence_client clients[ADRENO_CLIENT_COUNT] = {
    [ADRENO_CLIENT_HOST] = {"the host", MEMORY, 0},
    [ADRENO_CLIENT_CP_FETCH] = {"the fetch of packets", MEMORY, 0},
    [ADRENO_CLIENT_CP_READ] = {"the CP", MEMORY, 1},
    [ADRENO_CLIENT_CP_EARLY] = {"the CP", MEMORY, 2},
    [ADRENO_CLIENT_CP_POLL] = {"the CP", MEMORY, 0},
    [ADRENO_CLIENT_CP_WRITE] = {"the CP", CP_QUEUE, 0},
    [ADRENO_CLIENT_EVENT] = {"an event", MEMORY, 0},
    [ADRENO_CLIENT_COUNTS] = {"counts of stream out", UCHE, 0},
    [ADRENO_CLIENT_STATE] = {"a state load", UCHE, 1},
    [ADRENO_CLIENT_DESCRIPTOR] = {"a shader's descriptor", DESCRIPTORS, 1},
    [ADRENO_CLIENT_PROGRAM] = {"the fetch of instructions", UCHE, 1},
    [ADRENO_CLIENT_SHADER] = {"a shader", UCHE, 1},
    [ADRENO_CLIENT_TEXTURE] = {"a texture", UCHE, 1},
    [ADRENO_CLIENT_INDEX] = {"the fetch of indices", UCHE, 1},
    [ADRENO_CLIENT_VERTEX] = {"the fetch of vertices", UCHE, 1},
    [ADRENO_CLIENT_STREAM_OUT] = {"stream out", UCHE, 1},
    [ADRENO_CLIENT_VSC] = {"the binning pass", UCHE, 1},
    [ADRENO_CLIENT_VISIBILITY] = {"the CP's look at visibility", MEMORY, 2},
    [ADRENO_CLIENT_LRZ] = {"low-resolution depth", LRZ, 1},
    [ADRENO_CLIENT_COLOR] = {"a colour target", CCU_COLOR, 1},
    [ADRENO_CLIENT_DEPTH] = {"depth and stencil", CCU_DEPTH, 1},
    [ADRENO_CLIENT_A2D_SOURCE] = {"the 2D engine's source", UCHE, 1},
    [ADRENO_CLIENT_A2D] = {"the 2D engine", CCU_COLOR, 1, .overwrites = true},
    [ADRENO_CLIENT_BLIT_LOAD] = {"the BLIT event", MEMORY, 1},
    [ADRENO_CLIENT_BLIT_STORE] = {"the BLIT event", RESOLVE, 1},
    [ADRENO_CLIENT_GMEM] = {"the RB", MEMORY, 1}, /* of GMEM, which UCHE has copies of */
};

#define BIT COHERENCE_BIT
static const struct coherence_event events[ADRENO_COHERENCE_EVENT_COUNT] = {
    [ADRENO_COHERENCE_CACHE_FLUSH] = {"CACHE_FLUSH_TS", .cleans = BIT(UCHE)},
    [ADRENO_COHERENCE_CACHE_INVALIDATE] = {"CACHE_INVALIDATE", .invalidates = BIT(UCHE) | BIT(LRZ)},
    [ADRENO_COHERENCE_FLUSH_COLOR] = {"PC_CCU_FLUSH_COLOR_TS", .cleans = BIT(CCU_COLOR)},
    [ADRENO_COHERENCE_FLUSH_DEPTH] = {"PC_CCU_FLUSH_DEPTH_TS", .cleans = BIT(CCU_DEPTH)},
    [ADRENO_COHERENCE_INVALIDATE_COLOR] = {"PC_CCU_INVALIDATE_COLOR", .invalidates = BIT(CCU_COLOR)},
    [ADRENO_COHERENCE_INVALIDATE_DEPTH] = {"PC_CCU_INVALIDATE_DEPTH", .invalidates = BIT(CCU_DEPTH)},
    [ADRENO_COHERENCE_RESOLVE] = {"PC_CCU_RESOLVE_TS", .cleans = BIT(RESOLVE)},
    [ADRENO_COHERENCE_LRZ_FLUSH] = {"LRZ_FLUSH_INVALIDATE", .cleans = BIT(LRZ)},
    [ADRENO_COHERENCE_BINDLESS] = {"SP_UPDATE_CNTL", .invalidates = BIT(DESCRIPTORS)},
    [ADRENO_COHERENCE_WAIT_MEM_WRITES] = {"CP_WAIT_MEM_WRITES", .cleans = BIT(CP_QUEUE), .is_waited = true},
    [ADRENO_COHERENCE_FLUSH_SO] = {"FLUSH_SO",
                                   .cleans = BIT(UCHE)}, /* after it has written how far a buffer is filled */
    [ADRENO_COHERENCE_OWN_WAIT] = {"own-wait", .cleans = BIT(CP_QUEUE), .is_waited = true},
    [ADRENO_COHERENCE_WAIT_FOR_IDLE] = {"CP_WAIT_FOR_IDLE", .waits = BIT(1)},
    [ADRENO_COHERENCE_WAIT_FOR_ME] = {"CP_WAIT_FOR_ME", .waits = BIT(2)},
    [ADRENO_COHERENCE_JOB_BEGIN] = {"job-begin", .invalidates = BIT(CCU_COLOR) | BIT(CCU_DEPTH), .is_waited = true},
    [ADRENO_COHERENCE_JOB_END] = {"job-end", .cleans = BIT(UCHE) | BIT(CP_QUEUE)},
};

static void describe_command(void *context, struct strbuf *text, const struct coherence_command *command)
{
    const struct hw_decode_options options = {0};
    const uint32_t length_dw = MIN2(command->length_dw, (uint32_t)COHERENCE_COMMAND_DW);
    adreno_decode_stream(text, &options, command->dw, length_dw);
}

/* The first error ends the job. */
static bool report_error(void *context, const char *text)
{
    return adreno_stop(context, ADRENO_STOP_STRICT, "coherence: %s", text);
}

/* ---- the list of a run, for tests ---- */

/* The view goes with each access. */
static void trace(void *context, const struct coherence_touch *touch)
{
    const struct coherence_client *client = &clients[touch->client];
    const char kind = !touch->is_write ? 'r' : client->overwrites ? 'o' : 'w';
    if (touch->client != ADRENO_CLIENT_CP_FETCH && touch->client != ADRENO_CLIENT_EVENT)
        coherence_list_touch(kind, client->place, touch->view, touch);
}

bool adreno_coherence_takes(uint32_t job, enum adreno_coherence_event event)
{
    return coherence_list_event(job, events[event].name, event < ADRENO_COHERENCE_FLUSH_SO);
}

static const struct coherence_family family = {
    .places = places,
    .clients = clients,
    .events = events,
    .waits = waits,
    .place_count = PLACE_COUNT,
    .client_count = ADRENO_CLIENT_COUNT,
    .event_count = ADRENO_COHERENCE_EVENT_COUNT,
    .level_count = ARRAY_SIZE(waits),
    .host_client = ADRENO_CLIENT_HOST,
    .describe = describe_command,
    .report = report_error,
    .trace = trace,
};

bool adreno_coherence_create(struct adreno_gpu *gpu)
{
    if (!debug_enabled(DEBUG_COHERENCE))
        return true;
    coherence_list_open();
    struct coherence *c = coherence_create(&family);
    gpu->coherence = c ? coherence_actor_create(c, gpu, 0) : NULL;
    if (!gpu->coherence)
        coherence_destroy(c);
    return gpu->coherence;
}

void adreno_coherence_destroy(struct adreno_gpu *gpu)
{
    struct coherence *c = gpu->coherence ? coherence_of(gpu->coherence) : NULL;
    coherence_actor_destroy(gpu->coherence);
    coherence_destroy(c);
}
