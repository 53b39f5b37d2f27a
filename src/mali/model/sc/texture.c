/* Textures, images and attributes: instructions to requests of the texture unit (tex/tex.h). */
#include "mali/model/sc/core.h"
#include "mali/model/sc/memory.h"
#include "mali/model/sc/message.h"
#include "mali/model/tex/area.h"
#include "model/stat.h"

/* ---- the unit ---- */

struct asker {
    struct mali_warp *warp;
    const struct sc_uop *uop;
};

static const uint32_t *find_descriptor(void *context, uint32_t handle)
{
    const struct asker *asker = context;
    return mali_sc_descriptor(asker->warp, asker->uop, handle);
}

/* A request that the unit has not done becomes the warp's fault. */
static void check_unit(struct mali_warp *warp, const struct sc_uop *uop, bool is_done, bool is_write)
{
    uint64_t va;
    if (is_done || warp->state == MALI_WARP_FAULTED)
        return;
    const char *problem = mali_tex_problem(warp->core->tex);
    if (mali_tex_fault(warp->core->tex, &va)) {
        mali_sc_memory_fault(warp, uop, va, is_write);
        return;
    }
    mali_sc_fault(warp, uop, MALI_FAULT_INSTRUCTION, "%s", problem ? problem : "the texture unit stopped");
}

/* ---- TEX_* ---- */

static struct mali_tex_request request_of(const struct mali_warp *warp, const struct sc_uop *uop)
{
    const uint8_t *field = uop->inst->field;
    uint32_t *source = sc_at(warp, uop->s[0]);
    return (struct mali_tex_request){
        .op = (uint8_t)uop->imm,
        .type = field[MALI_ISA_FIELD_TYPE],
        .is_32_bit = field[MALI_ISA_FIELD_WIDTH] == MALI_ISA_WIDTH_32,
        .mask = field[MALI_ISA_FIELD_MASK],
        .dimension = field[MALI_ISA_FIELD_DIMENSION],
        .has_wide_indices = field[MALI_ISA_FIELD_WIDE_INDICES],
        .is_array = field[MALI_ISA_FIELD_ARRAY_ENABLE],
        .has_offsets = field[MALI_ISA_FIELD_TEXEL_OFFSET],
        .is_shadow = field[MALI_ISA_FIELD_SHADOW],
        .has_integer_coordinates = field[MALI_ISA_FIELD_INTEGER_COORDINATES],
        .component = field[MALI_ISA_FIELD_GATHER],
        .lod_mode = field[MALI_ISA_FIELD_LOD],
        .has_derivatives = field[MALI_ISA_FIELD_DERIVATIVE_ENABLE],
        .is_bias_disabled = field[MALI_ISA_FIELD_LOD_BIAS_DISABLE],
        .is_clamp_disabled = field[MALI_ISA_FIELD_LOD_CLAMP_DISABLE],
        .lanes = warp->active,
        .staging = sc_at(warp, uop->s[1]),
        .source = {source, source + MALI_ROW_LANES},
        .result = sc_at(warp, uop->d),
    };
}

static void run_tex(struct mali_warp *warp, const struct sc_uop *uop)
{
    const struct mali_tex_request request = request_of(warp, uop);
    struct asker asker = {warp, uop};
    const struct mali_tex_resources resources = {warp->memory, find_descriptor, &asker, warp->launch->epoch};
    const unsigned before = stat_enter_work(STAT_TEXTURES);
    check_unit(warp, uop, mali_tex_run(warp->core->tex, &resources, &request), false);
    stat_leave(before);
}

bool mali_sc_is_fetch(const struct sc_uop *uop)
{
    return uop->run == run_tex && uop->imm == MALI_TEX_FETCH;
}

/* A texture that cannot be opened is not reported here: who runs the program comes to it. */
bool mali_sc_fetch_area(struct mali_warp *warp, const struct sc_uop *uop, const uint32_t handles[2], uint32_t layer,
                        struct mali_tex_area *area_out)
{
    struct mali_tex_request request = request_of(warp, uop);
    struct asker asker = {warp, uop};
    const struct mali_tex_resources resources = {warp->memory, find_descriptor, &asker, warp->launch->epoch};
    request.source[0] = &handles[0];
    request.source[1] = &handles[1];
    const bool is_open = mali_tex_area_open(warp->core->tex, &resources, &request, layer, area_out);
    warp->state = MALI_WARP_RUNNING;
    return is_open;
}

static bool translate_tex(struct sc_builder *builder, enum mali_tex_op op)
{
    const struct mali_isa_inst *inst = builder->inst;
    const sc_place s0 = mali_sc_source(builder, 0);
    struct sc_uop *uop = mali_sc_build(builder, run_tex);
    uop->s[0] = s0;
    uop->s[1] = mali_sc_register_place(inst->staging[1].reg);
    uop->d = mali_sc_register_place(inst->staging[0].reg);
    uop->imm = op;
    return true;
}

/* ---- images and attributes ---- */

typedef bool (*access_fn)(struct mali_tex *tex, const struct mali_tex_resources *resources,
                          const struct mali_tex_access *access);

static access_fn access_of(unsigned op)
{
    switch (op) {
    case MALI_ISA_OP_LD_TEX:
    case MALI_ISA_OP_LD_TEX_IMM:
        return mali_tex_load_image;
    case MALI_ISA_OP_LEA_TEX:
    case MALI_ISA_OP_LEA_TEX_IMM:
        return mali_tex_image_address;
    case MALI_ISA_OP_LD_ATTR:
    case MALI_ISA_OP_LD_ATTR_IMM:
        return mali_tex_load_attribute;
    case MALI_ISA_OP_LEA_ATTR:
    case MALI_ISA_OP_LEA_ATTR_IMM:
        return mali_tex_attribute_address;
    default:
        return NULL;
    }
}

static bool access_handle(struct mali_warp *warp, const struct sc_uop *uop, uint32_t handle, uint64_t lanes)
{
    uint32_t first[MALI_ROW_LANES], second[MALI_ROW_LANES]; /* they may be among the results */
    memcpy(first, sc_at(warp, uop->s[0]), sizeof(first));
    memcpy(second, sc_at(warp, uop->s[1]), sizeof(second));
    const struct mali_tex_access access = {
        .handle = handle,
        .regfmt = uop->inst->field[MALI_ISA_FIELD_REGFMT],
        .components = (uint8_t)(uop->inst->field[MALI_ISA_FIELD_VECTOR] + 1),
        .lanes = lanes,
        .source = {first, second},
        .attribute_offset = warp->launch->attribute_offset,
        .result = sc_at(warp, uop->d),
    };
    struct asker asker = {warp, uop};
    const struct mali_tex_resources resources = {warp->memory, find_descriptor, &asker, warp->launch->epoch};
    check_unit(warp, uop, access_of(uop->inst->op)(warp->core->tex, &resources, &access), false);
    return true;
}

/* s[2]: handles, unless imm2 says that imm is one. */
static void run_access(struct mali_warp *warp, const struct sc_uop *uop)
{
    uint32_t handles[MALI_ROW_LANES];
    const unsigned before = stat_enter_work(STAT_TEXTURES);
    if (uop->imm2) {
        access_handle(warp, uop, uop->imm, warp->active);
    } else {
        memcpy(handles, sc_at(warp, uop->s[2]), sizeof(handles));
        mali_sc_each_handle(warp, uop, handles, access_handle);
    }
    stat_leave(before);
}

static bool translate_access(struct sc_builder *builder)
{
    const struct mali_isa_inst *inst = builder->inst;
    const bool is_immediate = mali_isa_source_count(inst->op) == 2;
    /* Loads name the index before the table, addresses after it. */
    const bool is_load = strncmp(mali_isa_name(inst->op), "LD_", 3) == 0;
    const sc_place s0 = mali_sc_source(builder, 0), s1 = mali_sc_source(builder, 1);
    const sc_place s2 = is_immediate ? 0 : mali_sc_source(builder, 2);
    struct sc_uop *uop = mali_sc_build(builder, run_access);
    uop->s[0] = s0;
    uop->s[1] = s1;
    uop->s[2] = s2;
    uop->d = mali_sc_register_place(inst->staging[0].reg);
    uop->imm = is_immediate ? mali_tex_handle(inst->number[is_load], inst->number[!is_load]) : 0;
    uop->imm2 = is_immediate;
    return true;
}

/* ---- LD_CVT, ST_CVT ---- */

static void run_load_converted(struct mali_warp *warp, const struct sc_uop *uop)
{
    uint32_t address[2 * MALI_ROW_LANES], format[MALI_ROW_LANES]; /* they may be among the results */
    memcpy(address, sc_at(warp, uop->s[0]), sizeof(address));
    memcpy(format, sc_at(warp, uop->s[1]), sizeof(format));
    const struct mali_tex_conversion conversion = {
        .regfmt = uop->inst->field[MALI_ISA_FIELD_REGFMT],
        .components = (uint8_t)(uop->inst->field[MALI_ISA_FIELD_VECTOR] + 1),
        .lanes = warp->active,
        .address = {address, address + MALI_ROW_LANES},
        .offset_B = (int32_t)uop->inst->number[0],
        .conversion = format,
        .result = sc_at(warp, uop->d),
    };
    check_unit(warp, uop, mali_tex_load_converted(warp->core->tex, warp->memory, &conversion), false);
}

static void run_store_converted(struct mali_warp *warp, const struct sc_uop *uop)
{
    const uint32_t *low = sc_at(warp, uop->s[0]);
    const bool is_forced = uop->inst->field[MALI_ISA_FIELD_ACCESS_CVT] == MALI_ISA_ACCESS_CVT_FORCE;
    const struct mali_tex_conversion conversion = {
        .regfmt = uop->inst->field[MALI_ISA_FIELD_REGFMT],
        .components = (uint8_t)(uop->inst->field[MALI_ISA_FIELD_VECTOR] + 1),
        .lanes = is_forced ? warp->active : sc_writers(warp),
        .address = {low, low + MALI_ROW_LANES},
        .offset_B = (int32_t)uop->inst->number[0],
        .conversion = sc_at(warp, uop->s[1]),
        .data = sc_at(warp, uop->s[2]),
    };
    check_unit(warp, uop, mali_tex_store_converted(warp->core->tex, warp->memory, &conversion), true);
}

static bool translate_converted(struct sc_builder *builder)
{
    const bool is_load = builder->inst->op == MALI_ISA_OP_LD_CVT;
    const sc_place s0 = mali_sc_source(builder, 0), s1 = mali_sc_source(builder, 1);
    struct sc_uop *uop = mali_sc_build(builder, is_load ? run_load_converted : run_store_converted);
    uop->s[0] = s0;
    uop->s[1] = s1;
    uop->s[2] = uop->d = mali_sc_register_place(builder->inst->staging[0].reg);
    return true;
}

bool mali_sc_translate_texture(struct sc_builder *builder)
{
    switch (builder->inst->op) {
    case MALI_ISA_OP_TEX_FETCH:
        return translate_tex(builder, MALI_TEX_FETCH);
    case MALI_ISA_OP_TEX_SINGLE:
        return translate_tex(builder, MALI_TEX_SINGLE);
    case MALI_ISA_OP_TEX_GATHER:
        return translate_tex(builder, MALI_TEX_GATHER);
    case MALI_ISA_OP_TEX_GRADIENT:
        return translate_tex(builder, MALI_TEX_GRADIENT);
    case MALI_ISA_OP_LD_CVT:
    case MALI_ISA_OP_ST_CVT:
        return translate_converted(builder);
    default: /* TEX_DUAL and VAR_TEX_*: what their registers mean is not public */
        return access_of(builder->inst->op) != NULL && translate_access(builder);
    }
}
