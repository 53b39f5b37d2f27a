/* Input attachments. What subpasses before this one have drawn may still be in the tile: then the driver gives two
 * words for an input, which LD_TILE takes. Where the first of them is zero, the attachment is in memory and a texture
 * as any other. The words are the same for all lanes, and so are the branches. See lower_mali.h and compiler.h. */
#include "mali/compiler/compiler.h"
#include "mali/compiler/lower_mali.h"

#define DEPTH_TARGET 0xff00u /* in place of a render target's number */
#define STENCIL_TARGET 0xfe00u

struct load {
    const struct ir_instr *instr;
    struct ir_value *coord, *sample; /* sample NULL: there is one */
    struct ir_value *words[2];
};

static bool is_input(const struct ir_instr *instr)
{
    return instr->op == IR_OP_tex && ir_imm(instr, IR_IMM_TEX_KIND) == IR_TEX_KIND_fetch &&
           (ir_imm(instr, IR_IMM_DIM) == IR_DIM_subpass || ir_imm(instr, IR_IMM_DIM) == IR_DIM_subpass_ms);
}

/* The array that a handle is of: the number of its first input and how many there are. False: it is not known, or there
 * are no words for all of them. */
static bool array_of(const struct ir_shader *shader, const struct ir_instr *handle, uint32_t *first_out,
                     uint32_t *count_out)
{
    uint32_t input = 0, count = 0;
    if (handle->op != IR_OP_resource)
        return false;
    for (uint32_t i = 0; i < shader->num_resources; i++) {
        const struct ir_resource *resource = &shader->resources[i];
        if (resource->set != ir_imm(handle, IR_IMM_SET) || resource->binding != ir_imm(handle, IR_IMM_BINDING))
            continue;
        if (input && input != resource->input) /* two variables of one binding */
            return false;
        input = resource->input;
        count = resource->count;
    }
    *first_out = input - 1;
    *count_out = count;
    return input != 0;
}

/* The number of an input that is known while compiling; -1: it is not, or there are no words for it. */
static int number_of(const struct ir_shader *shader, const struct ir_instr *instr)
{
    const struct ir_instr *handle = ir_def_instr(ir_src(instr, 0));
    uint32_t first, count;
    if (!array_of(shader, handle, &first, &count) || !ir_is_const(ir_src(handle, 0)))
        return -1;
    const uint64_t number = first + ir_const_u64(ir_src(handle, 0));
    return number < MALI_MAX_INPUTS ? (int)number : -1;
}

static bool is_integer(const struct load *load)
{
    return ir_imm(load->instr, IR_IMM_TEX_FLAGS) & IR_TEX_FLAG_INTEGER;
}

/* The coordinates of the pixel come last: LD_TILE does not take them, but each lane reads its own. */
static struct ir_value *read_tile(struct ir_builder *b, const struct load *load, uint32_t target, unsigned comps)
{
    struct ir_value *pixel = load->sample ? ir_ior(b, load->words[0], load->sample) : load->words[0];
    if (target)
        pixel = ir_ior(b, pixel, ir_const(b, 32, target));
    struct ir_value *place[] = {pixel, load->words[1], ir_extract(b, load->coord, 0), ir_extract(b, load->coord, 1)};
    struct ir_value *coord = ir_vec(b, 4, place);
    return ir_tex(b, load->instr->def.bits, (uint8_t)comps, ir_const(b, 32, 0), ir_undef(b, 32, 1), 1, &coord,
                  IR_TEX_KIND_fetch, IR_DIM_subpass, false, 0, target != 0, ir_imm(load->instr, IR_IMM_TEX_FLAGS));
}

/* One component; of a stencil the upper bits may be anything. */
static struct ir_value *read_depth(struct ir_builder *b, const struct load *load)
{
    const unsigned bits = load->instr->def.bits, comps = load->instr->def.comps;
    struct ir_value *values[4] = {read_tile(b, load, is_integer(load) ? STENCIL_TARGET : DEPTH_TARGET, 1)};
    if (is_integer(load))
        values[0] = ir_iand(b, values[0], ir_const(b, bits, 0xff));
    for (unsigned i = 1; i < comps; i++)
        values[i] = i < 3 ? ir_const(b, bits, 0) : is_integer(load) ? ir_const(b, bits, 1) : ir_const_f(b, bits, 1.0);
    return comps == 1 ? values[0] : ir_vec(b, comps, values);
}

/* The load, of another texture. */
static struct ir_value *fetch_texel(struct ir_builder *b, const struct ir_instr *instr, struct ir_value *texture,
                                    enum ir_dim dim)
{
    struct ir_value *values[1 + IR_TEX_OPERAND_COUNT];
    for (uint32_t i = 2; i < instr->num_srcs; i++)
        values[i - 2] = ir_src(instr, i);
    b->flags = instr->flags;
    struct ir_value *result = ir_tex(b, instr->def.bits, instr->def.comps, texture, ir_src(instr, 1),
                                     instr->num_srcs - 2, values, IR_TEX_KIND_fetch, dim, ir_imm(instr, IR_IMM_ARRAY),
                                     ir_imm(instr, IR_IMM_OPERANDS), 0, ir_imm(instr, IR_IMM_TEX_FLAGS));
    b->flags = 0;
    return result;
}

static struct ir_value *read_memory(struct ir_builder *b, const struct load *load)
{
    const bool has_samples = ir_imm(load->instr, IR_IMM_DIM) == IR_DIM_subpass_ms;
    return fetch_texel(b, load->instr, ir_src(load->instr, 0), has_samples ? IR_DIM_2dms : IR_DIM_2d);
}

static struct ir_value *sample_of(const struct ir_instr *instr)
{
    const uint32_t mask = ir_imm(instr, IR_IMM_OPERANDS);
    return mask >> IR_TEX_sample & 1
               ? ir_src(instr, 3 + (uint32_t)__builtin_popcount(mask & ((1u << IR_TEX_sample) - 1)))
               : NULL;
}

static void lower_load(struct ir_shader *shader, struct ir_instr *instr, unsigned number)
{
    struct ir_builder builder = ir_builder_before(shader, instr), *b = &builder;
    struct load load = {.instr = instr, .coord = ir_src(instr, 2), .sample = sample_of(instr)};
    struct ir_value *zero = ir_const(b, 32, 0);
    struct ir_value *words =
        ir_load_push(b, 32, 2, zero, MALI_LOWER_INPUTS_B + number * MALI_LOWER_INPUT_B, MALI_LOWER_INPUT_B, 0);
    for (unsigned i = 0; i < 2; i++)
        load.words[i] = ir_extract(b, words, i);
    struct ir_if *near = ir_builder_push_if(b, ir_ine(b, load.words[0], zero));
    struct ir_if *color = ir_builder_push_if(b, ir_ine(b, load.words[1], zero));
    struct ir_value *of_color = read_tile(b, &load, 0, instr->def.comps);
    ir_builder_push_else(b);
    struct ir_value *of_depth = read_depth(b, &load);
    ir_builder_pop_if(b);
    struct ir_value *of_tile = ir_if_phi(b, color, of_color, of_depth);
    ir_builder_push_else(b);
    struct ir_value *of_memory = read_memory(b, &load);
    ir_builder_pop_if(b);
    ir_replace_uses(&instr->def, ir_if_phi(b, near, of_tile, of_memory));
    ir_remove(instr);
}

/* ---- inputs by a computed number ---- */

/* How many inputs the computed index of a load chooses from; 0: it has none, or they cannot be told apart. */
static uint32_t choice_of(const struct ir_shader *shader, const struct ir_instr *instr)
{
    const struct ir_instr *handle = ir_def_instr(ir_src(instr, 0));
    uint32_t first, count;
    if (!array_of(shader, handle, &first, &count) || ir_is_const(ir_src(handle, 0)))
        return 0;
    return first + count <= MALI_MAX_INPUTS ? count : 0;
}

static struct ir_value *fetch_element(struct ir_builder *b, const struct ir_instr *instr, uint32_t element)
{
    const struct ir_instr *handle = ir_def_instr(ir_src(instr, 0));
    struct ir_value *texture = ir_resource(b, ir_const(b, ir_src(handle, 0)->bits, element), ir_imm(handle, IR_IMM_SET),
                                           ir_imm(handle, IR_IMM_BINDING), ir_imm(handle, IR_IMM_RESOURCE));
    return fetch_texel(b, instr, texture, (enum ir_dim)ir_imm(instr, IR_IMM_DIM));
}

/* Each may be in the tile or in memory: a branch for each, to a load whose number is known. */
static void choose_source(struct ir_shader *shader, struct ir_instr *instr, uint32_t count)
{
    struct ir_builder builder = ir_builder_before(shader, instr), *b = &builder;
    struct ir_value *index = ir_src(ir_def_instr(ir_src(instr, 0)), 0), *values[MALI_MAX_INPUTS];
    struct ir_if *ifs[MALI_MAX_INPUTS];
    for (uint32_t i = 0; i + 1 < count; i++) {
        ifs[i] = ir_builder_push_if(b, ir_ieq(b, index, ir_const(b, index->bits, i)));
        values[i] = fetch_element(b, instr, i);
        ir_builder_push_else(b);
    }
    struct ir_value *result = fetch_element(b, instr, count - 1);
    for (uint32_t i = count - 1; i-- > 0;) {
        ir_builder_pop_if(b);
        result = ir_if_phi(b, ifs[i], values[i], result);
    }
    ir_replace_uses(&instr->def, result);
    ir_remove(instr);
}

/* ---- all of them ---- */

static bool lower_one(struct ir_shader *shader, struct ir_instr *instr)
{
    const int number = number_of(shader, instr);
    const uint32_t count = choice_of(shader, instr);
    if (number >= 0)
        lower_load(shader, instr, (unsigned)number);
    else if (count)
        choose_source(shader, instr, count);
    return number >= 0 || count;
}

/* Blocks are cut by what is put in place of a load, so the search begins anew after each. */
static bool lower_next(struct ir_shader *shader)
{
    ir_foreach_block (shader, block) {
        ir_foreach_instr (block, instr) {
            if (is_input(instr) && lower_one(shader, instr))
                return true;
        }
    }
    return false;
}

bool mali_lower_subpass(struct ir_shader *shader, const void *options)
{
    (void)options;
    bool progress = false;
    while (lower_next(shader))
        progress = true;
    return progress;
}
