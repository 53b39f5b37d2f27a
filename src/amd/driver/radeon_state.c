/* The registers of a draw: the table of atoms, those of them that pipelines have baked, and writing dirty state. */
#include <string.h>

#include "amd/driver/radeon_cmd.h"
#include "amd/driver/radeon_hang.h"
#include "amd/driver/radeon_quick.h"
#include "amd/hw/regs_spi.h"
#include "util/bits.h"
#include "vulkan/runtime/object/vk_alloc.h"

/* A few registers that are written together, and what they are made of. Where a pipeline has all of that, its block
 * holds them; otherwise, where one of the rows or bits is dirty, emit writes them. */
struct atom {
    uint64_t rows;  /* of dynamic state */
    uint32_t dirty; /* enum radeon_graphics_dirty */
    enum radeon_block block;
    void (*emit)(struct radeon_cmd_buffer *cmd);
};

#define RASTER_SAMPLES                                                                                                 \
    (VK_DYN(SAMPLES) | VK_DYN(SAMPLE_LOCATIONS) | VK_DYN(SAMPLE_LOCATIONS_ENABLE) | VK_DYN(LINE_MODE) |                \
     VK_DYN(TOPOLOGY) | VK_DYN(POLYGON_MODE))

/* Of an atom in a block, bits may be: SHADING, which is the pipeline's; FORMATS, for which it has its own (the last
 * blocks alone); SPECIAL, which is zero but for the driver's own pipelines, and these bake nothing. */
static const struct atom atoms[] = {
    {0, RADEON_DIRTY_TARGETS, RADEON_BLOCK_NONE, radeon_emit_targets},
    {VK_DYN(VIEWPORTS) | VK_DYN(VIEWPORT_COUNT) | VK_DYN(NEGATIVE_ONE_TO_ONE) | VK_DYN(DEPTH_CLAMP), 0,
     RADEON_BLOCK_VIEWPORT, radeon_emit_viewports},
    {VK_DYN(SCISSORS) | VK_DYN(SCISSOR_COUNT) | VK_DYN(VIEWPORTS) | VK_DYN(VIEWPORT_COUNT), 0, RADEON_BLOCK_VIEWPORT,
     radeon_emit_scissors},
    {VK_DYN(VIEWPORTS) | VK_DYN(VIEWPORT_COUNT) | VK_DYN(TOPOLOGY) | VK_DYN(POLYGON_MODE) | VK_DYN(LINE_WIDTH), 0,
     RADEON_BLOCK_VIEWPORT, radeon_emit_guard_band},
    {VK_DYN(DISCARD_RECTANGLE_ENABLE) | VK_DYN(DISCARD_RECTANGLE_MODE) | VK_DYN(DISCARD_RECTANGLES), 0,
     RADEON_BLOCK_VIEWPORT, radeon_emit_discard_rectangles},
    {VK_DYN(CULL_MODE) | VK_DYN(FRONT_FACE) | VK_DYN(POLYGON_MODE) | VK_DYN(DEPTH_BIAS_ENABLE) |
         VK_DYN(PROVOKING_VERTEX),
     0, RADEON_BLOCK_RASTER, radeon_emit_polygons},
    {VK_DYN(DEPTH_CLAMP) | VK_DYN(DEPTH_CLIP) | VK_DYN(RASTERIZER_DISCARD) | VK_DYN(NEGATIVE_ONE_TO_ONE), 0,
     RADEON_BLOCK_RASTER, radeon_emit_clipping},
    {VK_DYN(CONSERVATIVE_MODE), 0, RADEON_BLOCK_RASTER, radeon_emit_conservative},
    {VK_DYN(DEPTH_BIAS), 0, RADEON_BLOCK_RASTER, radeon_emit_depth_bias},
    {VK_DYN(LINE_WIDTH) | VK_DYN(LINE_MODE) | VK_DYN(LINE_STIPPLE) | VK_DYN(LINE_STIPPLE_ENABLE) | VK_DYN(TOPOLOGY), 0,
     RADEON_BLOCK_RASTER, radeon_emit_lines},
    {VK_DYN(TOPOLOGY), 0, RADEON_BLOCK_RASTER, radeon_emit_topology},
    {VK_DYN(DEPTH_TEST) | VK_DYN(DEPTH_WRITE) | VK_DYN(DEPTH_COMPARE_OP) | VK_DYN(DEPTH_BOUNDS_TEST) |
         VK_DYN(STENCIL_TEST) | VK_DYN(STENCIL_OP),
     RADEON_DIRTY_FORMATS, RADEON_BLOCK_DEPTH, radeon_emit_depth_control},
    {VK_DYN(STENCIL_OP) | VK_DYN(STENCIL_COMPARE_MASK) | VK_DYN(STENCIL_WRITE_MASK) | VK_DYN(STENCIL_REFERENCE), 0,
     RADEON_BLOCK_DEPTH, radeon_emit_stencil},
    {VK_DYN(DEPTH_BOUNDS), 0, RADEON_BLOCK_DEPTH, radeon_emit_depth_bounds},
    {VK_DYN(DEPTH_CLAMP) | VK_DYN(DEPTH_CLIP), RADEON_DIRTY_SPECIAL, RADEON_BLOCK_DEPTH, radeon_emit_depth_override},
    {VK_DYN(BLEND_ENABLE) | VK_DYN(BLEND_EQUATION) | VK_DYN(LOGIC_OP_ENABLE), RADEON_DIRTY_FORMATS, RADEON_BLOCK_COLOR,
     radeon_emit_blend},
    {VK_DYN(LOGIC_OP) | VK_DYN(LOGIC_OP_ENABLE) | VK_DYN(COLOR_WRITE_MASK) | VK_DYN(COLOR_WRITE_ENABLE),
     RADEON_DIRTY_FORMATS | RADEON_DIRTY_SPECIAL, RADEON_BLOCK_COLOR, radeon_emit_color_control},
    {VK_DYN(BLEND_CONSTANTS), 0, RADEON_BLOCK_COLOR, radeon_emit_blend_constants},
    {RASTER_SAMPLES | VK_DYN(LINE_STIPPLE_ENABLE) | VK_DYN(CONSERVATIVE_MODE), RADEON_DIRTY_SHADING,
     RADEON_BLOCK_SAMPLES, radeon_emit_samples},
    {RASTER_SAMPLES, 0, RADEON_BLOCK_SAMPLES, radeon_emit_sample_locations},
    {VK_DYN(SAMPLE_MASK), 0, RADEON_BLOCK_SAMPLES, radeon_emit_sample_mask},
    {VK_DYN(ALPHA_TO_COVERAGE), 0, RADEON_BLOCK_SAMPLES, radeon_emit_alpha_to_coverage},
    {VK_DYN(FRAGMENT_SHADING_RATE) | VK_DYN(SAMPLES), RADEON_DIRTY_SHADING, RADEON_BLOCK_SAMPLES,
     radeon_emit_shading_rate},
    {VK_DYN(PRIMITIVE_RESTART), RADEON_DIRTY_INDEX_TYPE, RADEON_BLOCK_NONE, radeon_emit_index_type},
    {VK_DYN(SAMPLES), RADEON_DIRTY_OCCLUSION, RADEON_BLOCK_NONE, radeon_emit_occlusion},
    {VK_DYN(VERTEX_INPUT) | VK_DYN(BINDING_STRIDES), RADEON_DIRTY_VERTEX_BUFFERS | RADEON_DIRTY_VERTEX_USER,
     RADEON_BLOCK_NONE, radeon_emit_vertex_buffers},
    {0, RADEON_DIRTY_XFB | RADEON_DIRTY_VERTEX_USER, RADEON_BLOCK_NONE, radeon_emit_xfb},
    {VK_DYN(VERTEX_INPUT), RADEON_DIRTY_VERTEX_USER, RADEON_BLOCK_NONE, radeon_emit_vertex_input},
    {VK_DYN(PATCH_CONTROL_POINTS) | VK_DYN(DOMAIN_ORIGIN), RADEON_DIRTY_VERTEX_USER, RADEON_BLOCK_RASTER,
     radeon_emit_tessellation},
};

#define SAMPLE_STATE_ROWS (VK_DYN(SAMPLES) | VK_DYN(TOPOLOGY) | VK_DYN(POLYGON_MODE))
#define ALL_ATOMS ((uint32_t)bits_mask(ARRAY_SIZE(atoms)))
#define TESS_ATOM (1u << (ARRAY_SIZE(atoms) - 1))
#define PROLOG_ATOM (1u << (ARRAY_SIZE(atoms) - 2))
#define XFB_ATOM (1u << (ARRAY_SIZE(atoms) - 3))
#define TARGETS_ATOM 1u
/* Indices and occlusion: the words that a pipeline begins a recording with have them, too. */
#define BEGUN_ATOMS (3u << (ARRAY_SIZE(atoms) - 6))
#define VERTEX_ATOM (1u << (ARRAY_SIZE(atoms) - 4))
#define PLAIN_ATOMS (TARGETS_ATOM | BEGUN_ATOMS | VERTEX_ATOM | XFB_ATOM)
#define VERTEX_ROWS (VK_DYN(VERTEX_INPUT) | VK_DYN(BINDING_STRIDES))

/* ---- pipelines ---- */

/* More than all atoms of a block together write. */
#define MAX_BLOCK_DW 512

/* Whether a rendering has shading rates is known with the draw. */
static bool depends_on_rates(const struct radeon_device *device, const struct atom *atom)
{
    return device->vk.enabled_features.attachmentFragmentShadingRate &&
           (atom->emit == radeon_emit_shading_rate || atom->emit == radeon_emit_depth_override);
}

/* Records the atoms of a block whose rows are all in cmd's state, and keeps what came out. */
static bool bake_block(struct radeon_cmd_buffer *cmd, struct radeon_graphics_pipeline *baked, enum radeon_block block)
{
    uint32_t words[MAX_BLOCK_DW];
    cmd->cs.dw = words;
    cmd->cs.end = words + MAX_BLOCK_DW;
    for (uint32_t i = 0; i < ARRAY_SIZE(atoms); i++) {
        if (atoms[i].block != block || atoms[i].rows & ~cmd->vk.rec->dynamic_state.set ||
            depends_on_rates(cmd->device, &atoms[i]))
            continue;
        atoms[i].emit(cmd);
        baked->live_atoms &= ~(1u << i);
    }
    uint32_t count_dw = (uint32_t)(cmd->cs.dw - words);
    if (!count_dw)
        return true;
    baked->blocks[block] = radeon_words_get(cmd->device, words, count_dw);
    return baked->blocks[block];
}

static bool bake_elements(struct radeon_device *device, const struct vk_vertex_input_state *vi,
                          struct radeon_graphics_pipeline *baked)
{
    struct radeon_vertex_element elements[RADEON_MAX_VERTEX_BUFFERS];
    static_assert(sizeof(elements[0]) == 4 * RADEON_VERTEX_ELEMENT_DW, "words");
    uint32_t count = radeon_vertex_elements(device, vi, elements);
    baked->vertex_elements = radeon_words_get(device, (const uint32_t *)elements, count * RADEON_VERTEX_ELEMENT_DW);
    return baked->vertex_elements;
}

static bool bake_all(struct radeon_cmd_buffer *cmd, struct radeon_graphics_pipeline *baked)
{
    for (enum radeon_block block = RADEON_BLOCK_VIEWPORT; block < RADEON_BLOCK_COUNT; block++) {
        if (!bake_block(cmd, baked, block))
            return false;
    }
    bool vertices = !(VERTEX_ROWS & ~cmd->vk.rec->dynamic_state.set) && !baked->is_prolog;
    return !vertices || bake_elements(cmd->device, &cmd->vk.rec->dynamic_state.vi, baked);
}

static uint32_t traits_of(const struct vk_rendering_formats *formats, const struct vk_color_slots *slots)
{
    uint32_t traits = radeon_depth_traits(formats->depth_format, formats->stencil_format);
    for (uint32_t i = 0; i < MIN2(formats->color_count, VK_MAX_COLOR_ATTACHMENTS); i++) {
        if (vk_color_is_written(slots, i))
            traits |= radeon_color_traits(vk_color_slot(slots, i), formats->color_formats[i]);
    }
    return traits;
}

VkResult radeon_bake_state(struct radeon_device *device, const struct vk_graphics_state *state,
                           struct radeon_graphics_pipeline *baked)
{
    baked->live_atoms = ALL_ATOMS;
    bool good = true;
    if (state && !baked->hull)
        baked->live_atoms &= ~TESS_ATOM;
    if (state && !baked->is_prolog)
        baked->live_atoms &= ~PROLOG_ATOM;
    if (state) {
        /* A recording that is never submitted. */
        struct {
            struct radeon_cmd_buffer cmd;
            struct radeon_recording rec;
        } *own = vk_zalloc(&device->vk.alloc, NULL, sizeof(*own), VK_SYSTEM_ALLOCATION_SCOPE_COMMAND);
        if (!own)
            return VK_ERROR_OUT_OF_HOST_MEMORY;
        struct radeon_cmd_buffer *cmd = &own->cmd;
        radeon_take_recording(cmd, &own->rec.vk);
        cmd->device = device;
        cmd->vk.rec->dynamic_state = state->dyn;
        cmd->graphics->baked = baked;
        cmd->graphics->slots = vk_color_slots_of(&state->rendering);
        cmd->graphics->traits = baked->traits = traits_of(&state->rendering, &cmd->graphics->slots);
        good = bake_all(cmd, baked);
        vk_free(&device->vk.alloc, NULL, own);
    }
    bits_foreach (baked->live_atoms, i) {
        baked->live_rows |= atoms[i].rows;
        baked->live_dirty |= atoms[i].dirty;
    }
    baked->is_plain =
        baked->live_atoms == PLAIN_ATOMS && baked->has_plans && !baked->has_sample_state && !baked->has_geometry_user;
    if (baked->has_sample_state) /* which is no atom */
        baked->live_rows |= SAMPLE_STATE_ROWS;
    if (baked->vertex_elements)
        baked->live_rows &= ~VERTEX_ROWS;
    return good ? VK_SUCCESS : VK_ERROR_OUT_OF_HOST_MEMORY;
}

/* ---- into the stream ---- */

/* The state that the words of BEGUN_ATOMS are made of; never 0. */
static uint32_t begun_key(const struct radeon_cmd_buffer *cmd)
{
    const struct radeon_graphics_state *graphics = cmd->graphics;
    const struct vk_dynamic_graphics_state *dyn = &cmd->vk.rec->dynamic_state;
    const bool counts = cmd->queries.occlusion_active && !cmd->meta_depth;
    return 1u << 31 | (uint32_t)(cmd->queries.precise_active != 0) << 26 | (uint32_t)counts << 25 |
           (uint32_t)dyn->ia.primitive_restart << 24 | (uint32_t)dyn->ms.samples << 16 |
           (uint32_t)graphics->index_type << 8 | graphics->index_log2_B;
}

static void __attribute__((noinline)) write_begun(struct radeon_cmd_buffer *cmd, struct radeon_begun *begun)
{
    const struct radeon_cs kept = cmd->cs;
    cmd->cs.dw = begun->dw;
    cmd->cs.end = begun->dw + RADEON_BEGUN_DW;
    bits_foreach (BEGUN_ATOMS, i)
        atoms[i].emit(cmd);
    assert(cmd->cs.dw == cmd->cs.end);
    begun->key = begun_key(cmd);
    cmd->cs = kept;
}

/* All blocks and BEGUN_ATOMS at once, as the first draw of a recording wants them. False: nothing was done. */
static bool emit_whole(struct radeon_cmd_buffer *cmd)
{
    struct radeon_graphics_state *graphics = cmd->graphics;
    const struct radeon_whole *whole = graphics->baked->whole;
    if (graphics->unbaked || !whole)
        return false;
    struct radeon_begun *begun = &((struct radeon_cmd_pool *)cmd->vk.pool)->begun;
    if (__builtin_expect(begun->key != begun_key(cmd), 0))
        write_begun(cmd, begun);
    radeon_cs_reserve(&cmd->cs, whole->count_dw + RADEON_WHOLE_COPY_DW);
    radeon_copy_words(&cmd->cs, whole->dw, whole->count_dw, RADEON_WHOLE_COPY_DW);
    radeon_copy_words(&cmd->cs, begun->dw, RADEON_BEGUN_DW, RADEON_BEGUN_DW);
    graphics->settled = graphics->baked;
    return true;
}

/* From the pipeline before, which may make the step. */
static bool emit_step(struct radeon_cmd_buffer *cmd)
{
    const struct radeon_graphics_state *graphics = cmd->graphics;
    if (radeon_emit_step(cmd))
        return true;
    return graphics->settled && !graphics->unbaked &&
           radeon_step_find((struct radeon_cmd_pool *)cmd->vk.pool, graphics->settled, graphics->baked) &&
           radeon_emit_step(cmd);
}

/* Returns the atoms that were written with them. */
static uint32_t emit_blocks(struct radeon_cmd_buffer *cmd)
{
    struct radeon_graphics_state *graphics = cmd->graphics;
    const struct radeon_graphics_pipeline *baked = graphics->baked;
    uint32_t count = graphics->unbaked ? RADEON_BLOCK_FORMATS : RADEON_BLOCK_COUNT;
    const bool had_blocks = graphics->has_blocks;
    graphics->has_blocks = true;
    if (!had_blocks && emit_whole(cmd))
        return BEGUN_ATOMS;
    radeon_cs_reserve(&cmd->cs, RADEON_STEP_MAX_DW);
    if (emit_step(cmd))
        return 0;
    radeon_unsettle(graphics);
    if (!had_blocks)
        memset(graphics->blocks, 0, sizeof(graphics->blocks));
    for (uint32_t i = 0; i < count; i++) {
        const struct radeon_words *words = baked->blocks[i];
        if (!words || words == graphics->blocks[i])
            continue;
        radeon_cs_reserve(&cmd->cs, words->count_dw);
        radeon_emit_array(&cmd->cs, words->dw, words->count_dw);
        graphics->blocks[i] = words;
    }
    graphics->settled = graphics->unbaked ? NULL : baked;
    return 0;
}

/* Atoms that are dirty at the beginning of a recording though, as a rule, nothing is to be written. */
static uint32_t empty_atoms(const struct radeon_cmd_buffer *cmd)
{
    const struct vk_rendering *rendering = &cmd->vk.rec->rendering;
    return (rendering->active && !rendering->inherited ? 0 : TARGETS_ATOM) |
           (radeon_has_xfb(cmd->graphics) ? 0 : XFB_ATOM);
}

static uint32_t format_atoms(uint64_t *rows_out)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < ARRAY_SIZE(atoms); i++) {
        if (atoms[i].block >= RADEON_BLOCK_FORMATS && atoms[i].block < RADEON_BLOCK_COUNT) {
            found |= 1u << i;
            *rows_out |= atoms[i].rows;
        }
    }
    return found;
}

/* Targets that the pipeline was not made for are allowed where attachments may be unused: their atoms are written like
 * dynamic state, for which the rows must be there. Returns the atoms that are live then. */
static uint32_t __attribute__((noinline, cold)) unbake(struct radeon_cmd_buffer *cmd)
{
    const struct vk_graphics_pipeline *pipeline = cmd->graphics->pipeline;
    uint64_t rows = 0;
    uint32_t atoms_there = format_atoms(&rows);
    vk_dynamic_graphics_state_bind(&cmd->vk.rec->dynamic_state, pipeline->dynamic, pipeline->baked_rows & ~rows);
    return cmd->graphics->baked->live_atoms | atoms_there;
}

/* Corner 0 of a shader's triangle is vertex 0, turned by no vertex. */
static uint32_t corner_order(const struct radeon_cmd_buffer *cmd)
{
    const uint8_t drawn = radeon_drawn_as(cmd);
    return drawn == AMD_GS_OUTPRIM_POINTLIST ? 4 : drawn == AMD_GS_OUTPRIM_LINESTRIP ? 3 : 0;
}

/* Fragment shaders that do not know the number of samples receive its logarithm, and with it, what is drawn. */
static void emit_sample_state(struct radeon_cmd_buffer *cmd)
{
    struct amd_sgpr_place place = cmd->graphics->baked->fragment->binary.config.user[AMD_USER_sample_state];
    radeon_cs_reserve(&cmd->cs, 3);
    radeon_set_sh_reg(&cmd->cs, AMD_REG_SPI_SHADER_USER_DATA_PS + place.first * 4u,
                      log2_floor(MAX2(cmd->vk.rec->dynamic_state.ms.samples, 1)) | corner_order(cmd) << 8);
}

static void emit_vertex_user(struct radeon_cmd_buffer *cmd, enum amd_user_data which, uint32_t word)
{
    const struct radeon_graphics_pipeline *baked = cmd->graphics->baked;
    struct amd_sgpr_place place = baked->vertex->binary.config.user[which];
    if (!place.count)
        return;
    radeon_cs_reserve(&cmd->cs, 3);
    radeon_set_sh_reg(&cmd->cs, baked->vertex_user_reg + place.first * 4u, word);
}

/* Geometry shaders order the vertices of a strip's triangles by the vertex that gives flat values; they and mesh
 * shaders count for queries, but for draws of the driver's own. */
static void emit_geometry_user(struct radeon_cmd_buffer *cmd)
{
    emit_vertex_user(cmd, AMD_USER_provoking,
                     cmd->vk.rec->dynamic_state.rs.provoking_vertex == VK_PROVOKING_VERTEX_MODE_LAST_VERTEX_EXT);
    emit_vertex_user(cmd, AMD_USER_counters, radeon_counts_pointer(cmd));
}

static void emit_atoms(struct radeon_cmd_buffer *cmd, uint32_t live, uint64_t rows, uint32_t dirty)
{
    bits_foreach (live, i) {
        if (!(atoms[i].rows & rows) && !(atoms[i].dirty & dirty))
            continue;
        atoms[i].emit(cmd);
        if (atoms[i].block == RADEON_BLOCK_NONE)
            continue;
        radeon_unsettle(cmd->graphics);
        cmd->graphics->blocks[atoms[i].block] = NULL;
    }
}

static void __attribute__((noinline)) emit_state(struct radeon_cmd_buffer *cmd)
{
    struct radeon_graphics_state *graphics = cmd->graphics;
    struct vk_dynamic_graphics_state *dyn = &cmd->vk.rec->dynamic_state;
    const struct radeon_graphics_pipeline *baked = graphics->baked;
    uint32_t dirty = graphics->dirty, live = baked->live_atoms;
    if (dirty & (RADEON_DIRTY_PIPELINE | RADEON_DIRTY_FORMATS)) {
        graphics->unbaked = live != ALL_ATOMS && baked->traits != graphics->traits;
        live &= ~(emit_blocks(cmd) | empty_atoms(cmd));
        if (baked->is_prolog) /* the block has the shader's own address again */
            dirty |= RADEON_DIRTY_VERTEX_USER;
    }
    if (__builtin_expect(graphics->unbaked, 0))
        live = unbake(cmd);
    if (dyn->dirty & baked->live_rows || dirty & baked->live_dirty || graphics->unbaked)
        emit_atoms(cmd, live, dyn->dirty, dirty);
    if (baked->has_sample_state && (dyn->dirty & SAMPLE_STATE_ROWS || dirty & RADEON_DIRTY_SHADING))
        emit_sample_state(cmd);
    if (baked->has_geometry_user && (dyn->dirty & VK_DYN(PROVOKING_VERTEX) || dirty & RADEON_DIRTY_VERTEX_USER))
        emit_geometry_user(cmd);
    if (baked->hull && dirty & RADEON_DIRTY_VERTEX_USER)
        radeon_emit_tess_rings(cmd);
    dyn->dirty = 0;
    graphics->dirty &= RADEON_DIRTY_INDEX_BUFFER;
}

static void emit_user_data(struct radeon_cmd_buffer *cmd)
{
    const struct radeon_graphics_pipeline *baked = cmd->graphics->baked;
    struct vk_bindings *bindings = &cmd->vk.rec->bindings[VK_BIND_GRAPHICS];
    vk_bindings_flush_push(&cmd->vk, bindings, &cmd->upload);
    if (baked->has_plans) { /* and reads no dynamic buffers, which stand in memory */
        radeon_cs_reserve(&cmd->cs, RADEON_PLANS_MAX_DW);
        radeon_emit_plans(cmd);
        bindings->dynamic_dirty = false;
        return;
    }
    bool all = bindings->dynamic_dirty;
    const VkShaderStageFlags before = RADEON_GRAPHICS_STAGES & ~(VkShaderStageFlags)VK_SHADER_STAGE_FRAGMENT_BIT;
    radeon_emit_user_data(cmd, &cmd->cs, VK_BIND_GRAPHICS, baked->vertex, baked->vertex_user_reg, bindings->dirty,
                          all || cmd->push_dirty & before);
    if (baked->hull)
        radeon_emit_user_data(cmd, &cmd->cs, VK_BIND_GRAPHICS, baked->hull, baked->front_user_reg, bindings->dirty,
                              all || cmd->push_dirty & before);
    radeon_emit_user_data(cmd, &cmd->cs, VK_BIND_GRAPHICS, baked->fragment, AMD_REG_SPI_SHADER_USER_DATA_PS,
                          bindings->dirty, all || cmd->push_dirty & VK_SHADER_STAGE_FRAGMENT_BIT);
    bindings->dirty = 0;
    bindings->dynamic_dirty = false;
    cmd->push_dirty &= ~RADEON_GRAPHICS_STAGES;
}

/* All that emit_state and emit_user_data write of a plain pipeline for registers of which nothing is known. False: not
 * in this way; nothing was done. */
static bool emit_first(struct radeon_cmd_buffer *cmd)
{
    struct radeon_graphics_state *graphics = cmd->graphics;
    struct vk_bindings *bindings = &cmd->vk.rec->bindings[VK_BIND_GRAPHICS];
    graphics->unbaked = false;
    if (graphics->baked->traits != graphics->traits || radeon_has_xfb(graphics) || bindings->push_dirty ||
        !emit_whole(cmd))
        return false;
    graphics->has_blocks = true;
    if (!(empty_atoms(cmd) & TARGETS_ATOM))
        radeon_emit_targets(cmd);
    radeon_emit_vertex_buffers(cmd);
    radeon_cs_reserve(&cmd->cs, RADEON_PLANS_MAX_DW);
    radeon_emit_plans(cmd);
    bindings->dynamic_dirty = false;
    cmd->vk.rec->dynamic_state.dirty = 0;
    graphics->dirty &= RADEON_DIRTY_INDEX_BUFFER;
    return true;
}

/* Writes the dirty atoms. */
static void __attribute__((noinline)) emit_dirty(struct radeon_cmd_buffer *cmd)
{
    const struct vk_bindings *bindings = &cmd->vk.rec->bindings[VK_BIND_GRAPHICS];
    if (cmd->vk.rec->dynamic_state.dirty || cmd->graphics->dirty & ~(uint32_t)RADEON_DIRTY_INDEX_BUFFER)
        emit_state(cmd);
    if (bindings->dirty || bindings->dynamic_dirty || bindings->push_dirty || cmd->push_dirty & RADEON_GRAPHICS_STAGES)
        emit_user_data(cmd);
}

bool radeon_before_draw(struct radeon_cmd_buffer *cmd)
{
    const struct radeon_graphics_state *graphics = cmd->graphics;
    if (__builtin_expect(!graphics->baked, 0))
        return false;
    if (graphics->has_blocks || !graphics->baked->is_plain || !emit_first(cmd))
        emit_dirty(cmd);
    if (cmd->due)
        radeon_emit_due(cmd);
    radeon_mark(cmd);
    return true;
}

/* ---- what is known ---- */

void radeon_graphics_forget_registers(struct radeon_cmd_buffer *cmd)
{
    vk_dynamic_graphics_state_dirty_all(&cmd->vk.rec->dynamic_state);
    cmd->graphics->dirty = RADEON_DIRTY_ALL;
    cmd->vk.rec->bindings[VK_BIND_GRAPHICS].dirty = UINT32_MAX;
    cmd->push_dirty |= RADEON_GRAPHICS_STAGES;
    cmd->graphics->settled = NULL;
    cmd->graphics->has_blocks = false;
    radeon_forget_arguments(cmd->graphics);
}

void radeon_graphics_reset(struct radeon_cmd_buffer *cmd)
{
    memset(cmd->graphics, 0, offsetof(struct radeon_graphics_state, inherited));
    radeon_graphics_forget_registers(cmd);
}

void radeon_graphics_save(const struct radeon_cmd_buffer *cmd, struct radeon_graphics_saved *saved)
{
    saved->dynamic = cmd->vk.rec->dynamic_state;
    saved->rendering = cmd->vk.rec->rendering;
    saved->graphics = *cmd->graphics;
}

void radeon_graphics_restore(struct radeon_cmd_buffer *cmd, const struct radeon_graphics_saved *saved)
{
    cmd->vk.rec->dynamic_state = saved->dynamic;
    cmd->vk.rec->rendering = saved->rendering;
    *cmd->graphics = saved->graphics;
    radeon_graphics_forget_registers(cmd);
}
