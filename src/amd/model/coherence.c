/* The caches of GFX10.3, who goes through them, and what packets do to them: docs/coherence.md has the sources. */
#include "amd/model/coherence.h"

#include <pthread.h>

#include "amd/hw/decode.h"
#include "amd/model/cp/cp_machine.h"
#include "model/coherence/list.h"
#include "util/bits.h"
#include "util/debug.h"

enum place {
    MEMORY = COHERENCE_MEMORY,
    GL2,
    GLM,
    GL1,
    GLV,
    GLK,
    GLI,
    CB,
    CB_META,
    DB,
    DB_META,
    PLACE_COUNT,
};

/* The render backends' caches belong to the graphics ring alone, which so knows when nothing is in them. */
#define BACKEND .parent = GL2, .is_ordered = true, .is_own = true

static const struct coherence_place places[PLACE_COUNT] = {
    [MEMORY] = {.name = "memory", .is_ordered = true},
    [GL2] = {.name = "GL2", .clean = "GL2_WB", .invalidate = "GL2_INV"},
    [GLM] = {.name = "GLM", .parent = GL2, .clean = "GLM_WB", .invalidate = "GLM_INV"},
    /* Caches of the shaders: stores go through them. */
    [GL1] = {.name = "GL1", .parent = GL2, .invalidate = "GL1_INV"},
    [GLV] = {.name = "GLV", .parent = GL1, .invalidate = "GLV_INV"},
    [GLK] = {.name = "GLK", .parent = GL1, .invalidate = "GLK_INV"},
    [GLI] = {.name = "GLI", .parent = GL2, .invalidate = "GLI_INV"},
    [CB] = {.name = "CB", .clean = "FLUSH_AND_INV_CB_DATA", .invalidate = "FLUSH_AND_INV_CB_DATA", BACKEND},
    [CB_META] = {.name = "CB metadata",
                 .clean = "FLUSH_AND_INV_CB_META",
                 .invalidate = "FLUSH_AND_INV_CB_META",
                 BACKEND},
    [DB] = {.name = "DB", .clean = "FLUSH_AND_INV_DB_DATA", .invalidate = "FLUSH_AND_INV_DB_DATA", BACKEND},
    [DB_META] = {.name = "DB metadata",
                 .clean = "FLUSH_AND_INV_DB_META",
                 .invalidate = "FLUSH_AND_INV_DB_META",
                 BACKEND},
};

/* Level 1 is what the front knows. */
static const char *const waits[] = {NULL, "PFP_SYNC_ME"};
static const char *const set_waits[AMD_SET_COUNT] = {
    [AMD_SET_VERTICES] = "VS_PARTIAL_FLUSH",
    [AMD_SET_PIXELS] = "PS_PARTIAL_FLUSH",
    [AMD_SET_COMPUTE] = "CS_PARTIAL_FLUSH",
    [AMD_SET_DMA] = "DMA_DATA with CP_SYNC",
    [AMD_SET_EVENTS] = "a wait for the end of the pipe",
};

static const struct coherence_client clients[AMD_CLIENT_COUNT] = {
    [AMD_CLIENT_HOST] = {"the host", MEMORY, 0},
    [AMD_CLIENT_ME] = {"the command processor", GL2, 0},
    [AMD_CLIENT_PFP] = {"the command processor's front", GL2, 1},
    [AMD_CLIENT_EVENT] = {"an event", GL2, 0, .is_signal = true},
    [AMD_CLIENT_DMA] = {"the command processor's DMA", GL2, 0},
    [AMD_CLIENT_DMA_MEMORY] = {"the command processor's DMA", MEMORY, 0},
    [AMD_CLIENT_SDMA] = {"the DMA engine", MEMORY, 0},
    [AMD_CLIENT_INDEX] = {"the fetch of indices", GL2, 1},
    [AMD_CLIENT_LEVELS] = {"the tessellator", GL2, 0},
    [AMD_CLIENT_CODE] = {"the fetch of instructions", GLI, 0},
    [AMD_CLIENT_SCALAR] = {"a scalar load", GLK, 0},
    [AMD_CLIENT_VECTOR] = {"a shader", GLV, 0},
    [AMD_CLIENT_VECTOR_GL1] = {"a shader", GL1, 0},
    [AMD_CLIENT_VECTOR_GL2] = {"a shader", GL2, 0},
    [AMD_CLIENT_ATOMIC] = {"an atomic operation", GL2, 0, .keeps_order = true},
    [AMD_CLIENT_TEXTURE_META] = {"a texture's metadata", GLM, 0},
    [AMD_CLIENT_COLOR] = {"a colour target", CB, 0},
    [AMD_CLIENT_COLOR_META] = {"metadata of a colour target", CB_META, 0},
    [AMD_CLIENT_DEPTH] = {"depth and stencil", DB, 0},
    [AMD_CLIENT_DEPTH_META] = {"HTILE", DB_META, 0},
};

#define BIT COHERENCE_BIT
#define SHADERS (BIT(GL1) | BIT(GLV) | BIT(GLK) | BIT(GLI))
#define BACKENDS (BIT(CB) | BIT(CB_META) | BIT(DB) | BIT(DB_META))
static const struct coherence_event events[AMD_COHERENCE_EVENT_COUNT] = {
    [AMD_COHERENCE_GLM_WB] = {"GLM_WB", .cleans = BIT(GLM)},
    [AMD_COHERENCE_GL2_WB] = {"GL2_WB", .cleans = BIT(GL2)},
    [AMD_COHERENCE_GL2_INV] = {"GL2_INV", .invalidates = BIT(GL2)},
    [AMD_COHERENCE_GLM_INV] = {"GLM_INV", .invalidates = BIT(GLM)},
    [AMD_COHERENCE_GL1_INV] = {"GL1_INV", .invalidates = BIT(GL1)},
    [AMD_COHERENCE_GLV_INV] = {"GLV_INV", .invalidates = BIT(GLV)},
    [AMD_COHERENCE_GLK_INV] = {"GLK_INV", .invalidates = BIT(GLK)},
    [AMD_COHERENCE_GLI_INV] = {"GLI_INV", .invalidates = BIT(GLI)},
    [AMD_COHERENCE_CB_DATA] = {"CB_DATA", .cleans = BIT(CB), .invalidates = BIT(CB)},
    [AMD_COHERENCE_CB_META] = {"CB_META", .cleans = BIT(CB_META), .invalidates = BIT(CB_META)},
    [AMD_COHERENCE_DB_DATA] = {"DB_DATA", .cleans = BIT(DB), .invalidates = BIT(DB)},
    [AMD_COHERENCE_DB_META] = {"DB_META", .cleans = BIT(DB_META), .invalidates = BIT(DB_META)},
    [AMD_COHERENCE_BACKENDS] = {"BACKENDS", .cleans = BACKENDS, .invalidates = BACKENDS},
    [AMD_COHERENCE_PFP_SYNC] = {"PFP_SYNC", .waits = BIT(1)},
    [AMD_COHERENCE_VS_WAIT] = {"VS_WAIT"},
    [AMD_COHERENCE_PS_WAIT] = {"PS_WAIT"},
    [AMD_COHERENCE_CS_WAIT] = {"CS_WAIT"},
    [AMD_COHERENCE_DMA_WAIT] = {"DMA_WAIT"},
    [AMD_COHERENCE_EOP_WAIT] = {"EOP_WAIT"},
    [AMD_COHERENCE_MEM_SYNC] = {"mem-sync", .cleans = BIT(GL2) | BIT(GLM), .invalidates = BIT(GL2) | BIT(GLM) | SHADERS,
                                .waits = BIT(1)},
    [AMD_COHERENCE_JOB_BEGIN] = {"job-begin"},
    [AMD_COHERENCE_JOB_END] = {"job-end", .cleans = BIT(GL2) | BIT(GLM) | BACKENDS, .invalidates = BIT(GLM) | BACKENDS},
};

/* ---- reports ---- */

static void describe_command(void *context, struct strbuf *text, const struct coherence_command *command)
{
    const struct cp_machine *m = context;
    const struct hw_decode_options options = {
        .generation = m->gfx, .stream = m->ring_kind == AMD_RING_SDMA ? AMD_STREAM_SDMA : AMD_STREAM_PM4};
    amd_decode_stream(text, &options, command->dw, MIN2(command->length_dw, (uint32_t)COHERENCE_COMMAND_DW));
}

/* The first error ends the job, with the packet. Any worker may have found it. */
static bool report_error(void *context, const char *text)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    struct cp_machine *m = context;
    pthread_mutex_lock(&lock);
    if (!m->incoherence.text)
        strbuf_append(&m->incoherence, text);
    pthread_mutex_unlock(&lock);
    return false;
}

/* ---- the list of a run, for tests ---- */

/* The set of the command goes with each access. */
static void trace(void *context, const struct coherence_touch *touch)
{
    const struct coherence_client *client = &clients[touch->client];
    if (!client->is_signal)
        coherence_list_touch(touch->is_write ? 'w' : 'r', client->place, touch->set, touch);
}

bool amd_coherence_takes(uint32_t job, enum amd_coherence_event event)
{
    return coherence_list_event(job, events[event].name, event < AMD_COHERENCE_MEM_SYNC);
}

static const struct coherence_family family = {
    .places = places,
    .clients = clients,
    .events = events,
    .waits = waits,
    .set_waits = set_waits,
    .place_count = PLACE_COUNT,
    .client_count = AMD_CLIENT_COUNT,
    .event_count = AMD_COHERENCE_EVENT_COUNT,
    .level_count = ARRAY_SIZE(waits),
    .host_client = AMD_CLIENT_HOST,
    .describe = describe_command,
    .report = report_error,
    .trace = trace,
};

struct coherence *amd_coherence_create(bool *is_ok_out)
{
    *is_ok_out = true;
    if (!debug_enabled(DEBUG_COHERENCE))
        return NULL;
    coherence_list_open();
    struct coherence *c = coherence_create(&family);
    *is_ok_out = c != NULL;
    return c;
}
