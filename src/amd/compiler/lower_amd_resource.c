/* Descriptors as words in memory. A `resource` names set, binding and element; its readers want the words: 4 of a
 * buffer or a sampler, 8 of an image, 2 of an acceleration structure. The words of an immutable sampler are constants;
 * those of an inline block without a descriptor are made of the set's address.
 *
 * The scalar unit loads descriptors, and instructions read them from SGPRs. Where the element differs between lanes,
 * the access runs in a loop that serves all lanes of one element per turn:
 *
 *     loop { first = read_first(index); if (index == first) { access with `first`; break } } */
#include <string.h>

#include "amd/compiler/lower_amd.h"
#include "amd/compiler/select.h"

struct access {
    uint8_t operand[2]; /* which operands are handles */
    uint8_t dwords[2];
    uint8_t count;
    bool sampler[2]; /* the sampler's part of a combined descriptor */
};

static bool is_buffer_dim(const struct ir_instr *instr)
{
    return ir_imm(instr, IR_IMM_DIM) == IR_DIM_buffer;
}

static struct access find_access(const struct ir_instr *instr)
{
    struct access none = {.count = 0};
    switch (instr->op) {
    case IR_OP_load_ubo:
    case IR_OP_load_ssbo:
    case IR_OP_atomic_ssbo:
    case IR_OP_cmpxchg_ssbo:
    case IR_OP_ssbo_size:
        return (struct access){.operand = {0}, .dwords = {4}, .count = 1};
    case IR_OP_ray_structure:
        return (struct access){.operand = {0}, .dwords = {2}, .count = 1};
    case IR_OP_store_ssbo:
        return (struct access){.operand = {1}, .dwords = {4}, .count = 1};
    case IR_OP_load_image:
    case IR_OP_atomic_image:
    case IR_OP_cmpxchg_image:
    case IR_OP_image_size:
    case IR_OP_image_samples:
        return (struct access){.operand = {0}, .dwords = {is_buffer_dim(instr) ? 4 : 8}, .count = 1};
    case IR_OP_store_image:
        return (struct access){.operand = {1}, .dwords = {is_buffer_dim(instr) ? 4 : 8}, .count = 1};
    case IR_OP_tex:
        return (struct access){
            .operand = {0, 1}, .dwords = {is_buffer_dim(instr) ? 4 : 8, 4}, .sampler = {false, true}, .count = 2};
    default:
        return none;
    }
}

/* ---- chosen descriptors ---- */

/* Variable pointers choose between buffers: a select or phi has resources behind it. Those are given numbers, and what
 * is chosen is the number and the element. */
#define MAX_CHOICES 256

struct choices {
    struct ir_instr *resource[MAX_CHOICES]; /* one of each binding */
    bool several[MAX_CHOICES];              /* others of that binding have another element */
    uint32_t count;
};

/* Pointers to one buffer must have one number: they are compared as well. */
static uint32_t number_of(struct choices *choices, struct ir_instr *resource)
{
    for (uint32_t i = 0; i < choices->count; i++) {
        const struct ir_instr *known = choices->resource[i];
        const struct ir_value *a = ir_src(known, 0), *b = ir_src(resource, 0);
        if (ir_imm(known, IR_IMM_SET) != ir_imm(resource, IR_IMM_SET) ||
            ir_imm(known, IR_IMM_BINDING) != ir_imm(resource, IR_IMM_BINDING))
            continue;
        choices->several[i] |= a != b && !(ir_is_const(a) && ir_is_const(b) && ir_const_u64(a) == ir_const_u64(b));
        return i;
    }
    choices->resource[choices->count] = resource;
    return choices->count++;
}

static bool is_access_of(const struct ir_use *use)
{
    return use->instr && find_access(use->instr).count != 0;
}

static void number_choices(struct ir_shader *shader, struct choices *choices)
{
    ir_foreach_block (shader, block) {
        ir_foreach_instr (block, instr) {
            struct ir_value *packed = NULL;
            if (instr->op != IR_OP_resource)
                continue;
            for (bool again = true; again;) {
                again = false;
                ir_foreach_use (&instr->def, use) {
                    if (is_access_of(use) || (packed && use->instr == ir_def_instr(packed)))
                        continue;
                    if (!packed) {
                        if (choices->count == MAX_CHOICES)
                            ir_fail(shader, "pointers choose between more than %u buffers", MAX_CHOICES);
                        struct ir_builder b = ir_builder_after(shader, instr);
                        packed = ir_ior(&b, ir_ishl(&b, ir_src(instr, 0), ir_const(&b, 32, 8)),
                                        ir_const(&b, 32, number_of(choices, instr)));
                    }
                    ir_use_set(use, packed);
                    again = true;
                    break;
                }
            }
        }
    }
}

static struct ir_instr *resource_of(const struct ir_instr *instr, const struct access *access, unsigned i)
{
    if (i >= access->count)
        return NULL;
    struct ir_instr *def = ir_def_instr(ir_src(instr, access->operand[i]));
    return def->op == IR_OP_resource ? def : NULL;
}

static const struct amd_binding_layout *layout_of(struct ir_shader *shader, const struct amd_compile_options *options,
                                                  const struct ir_instr *resource)
{
    uint32_t set = ir_imm(resource, IR_IMM_SET), binding = ir_imm(resource, IR_IMM_BINDING);
    if (set >= options->num_sets || binding >= options->sets[set].num_bindings)
        ir_fail(shader, "the shader reads set %u, binding %u, which the layout does not have", set, binding);
    return &options->sets[set].bindings[binding];
}

static struct ir_value *const_words(struct ir_builder *b, const uint32_t *words)
{
    struct ir_value *consts[4];
    for (unsigned i = 0; i < 4; i++)
        consts[i] = ir_const(b, 32, words[i]);
    return ir_vec(b, 4, consts);
}

/* An inline block's buffer, made of the set's address. */
static struct ir_value *bare_words(struct ir_builder *b, const struct amd_compile_options *options,
                                   const struct amd_binding_layout *layout, uint32_t set)
{
    struct ir_value *words[4] = {
        ir_iadd(b, ir_set_address(b, ir_const(b, 32, set)), ir_const(b, 32, layout->bare_words[0])),
        ir_const(b, 32, layout->bare_words[1] | (options->address32_hi & 0xffff)),
        ir_const(b, 32, layout->bare_words[2]),
        ir_const(b, 32, layout->bare_words[3]),
    };
    return ir_vec(b, 4, words);
}

/* The words of one element. */
static struct ir_value *load_words(struct ir_builder *b, const struct amd_compile_options *options,
                                   const struct ir_instr *resource, struct ir_value *index, unsigned dwords,
                                   bool sampler)
{
    const struct amd_binding_layout *layout = layout_of(b->shader, options, resource);
    if (sampler && layout->immutable_samplers && (layout->embedded || ir_is_const(index))) {
        const uint32_t *words = layout->immutable_samplers + (layout->embedded ? 0 : ir_const_u64(index) * 4);
        return const_words(b, words);
    }
    if (layout->bare)
        return bare_words(b, options, layout, ir_imm(resource, IR_IMM_SET));
    /* The layout counts: a program may see the two halves of a combined descriptor as two variables. */
    uint32_t base_B = layout->offset_B + (sampler ? layout->sampler_offset_B : 0);
    struct ir_value *set = ir_const(b, 32, layout->dynamic ? AMD_PUSH_SET : ir_imm(resource, IR_IMM_SET));
    struct ir_value *offset;
    if (ir_is_const(index))
        offset = ir_const(b, 32, base_B + ir_const_u64(index) * layout->stride_B);
    else
        offset = ir_iadd(b, ir_imul(b, index, ir_const(b, 32, layout->stride_B)), ir_const(b, 32, base_B));
    return ir_load_desc(b, (uint8_t)dwords, set, offset);
}

/* Few descriptors at constant places are loaded once, before the choice. */
#define MAX_LOADED 4

static bool load_choices(struct ir_builder *b, const struct amd_compile_options *options, const struct choices *choices,
                         unsigned dwords, struct ir_value *words_out[MAX_LOADED])
{
    bool constant = choices->count <= MAX_LOADED;
    for (uint32_t i = 0; constant && i < choices->count; i++)
        constant = ir_is_const(ir_src(choices->resource[i], 0)) && !choices->several[i];
    for (uint32_t i = 0; constant && i < choices->count; i++)
        words_out[i] = load_words(b, options, choices->resource[i], ir_src(choices->resource[i], 0), dwords, false);
    return constant;
}

/* The words of whatever the number says; `chosen` is the same in all lanes. `loaded` may be NULL. */
static struct ir_value *choose_words(struct ir_builder *b, const struct amd_compile_options *options,
                                     const struct choices *choices, struct ir_value *chosen, unsigned dwords,
                                     struct ir_value *const *loaded)
{
    struct ir_value *number = ir_iand(b, chosen, ir_const(b, 32, 255)),
                    *element = ir_ushr(b, chosen, ir_const(b, 32, 8)), *result = NULL;
    for (uint32_t i = 0; i < choices->count; i++) {
        struct ir_value *words =
                            loaded ? loaded[i] : load_words(b, options, choices->resource[i], element, dwords, false),
                        *comps[8];
        if (result) {
            struct ir_value *this_one = ir_ieq(b, number, ir_const(b, 32, i));
            for (unsigned n = 0; n < dwords; n++)
                comps[n] = ir_select(b, this_one, ir_extract(b, words, n), ir_extract(b, result, n));
            words = ir_vec(b, dwords, comps);
        }
        result = words;
    }
    return result;
}

/* A handle that a select or phi made: of a number in one dword, where descriptors' words are not yet. */
static bool is_chosen(const struct ir_instr *instr, const struct access *access)
{
    if (access->count != 1)
        return false;
    const struct ir_value *handle = ir_src(instr, access->operand[0]);
    return handle->comps == 1 && !ir_is_undef(handle) && ir_def_instr(handle)->op != IR_OP_resource;
}

/* The access for each of few choices, under an if of its own: lanes need not be served one after the other. */
static struct ir_value *access_each(struct ir_builder *b, const struct ir_instr *instr, unsigned operand,
                                    struct ir_value *number, struct ir_value *const *words, uint32_t left)
{
    struct ir_value *srcs[8], *other;
    for (unsigned i = 0; i < instr->num_srcs; i++)
        srcs[i] = i == operand ? words[left - 1] : ir_src(instr, i);
    struct ir_if *branch = left > 1 ? ir_builder_push_if(b, ir_ieq(b, number, ir_const(b, 32, left - 1))) : NULL;
    b->flags = instr->flags;
    struct ir_instr *made =
        ir_build(b, instr->op, instr->def.bits, instr->def.comps, instr->num_srcs, srcs, 0, NULL, instr->imm);
    b->flags = 0;
    if (!branch)
        return &made->def;
    ir_builder_push_else(b);
    other = access_each(b, instr, operand, number, words, left - 1);
    ir_builder_pop_if(b);
    return instr->def.bits ? ir_if_phi(b, branch, &made->def, other) : NULL;
}

/* True where the rest of the block is another one now. */
static bool lower_chosen(struct ir_shader *shader, const struct amd_compile_options *options,
                         const struct choices *choices, struct ir_instr *instr, const struct access *access)
{
    struct ir_builder b = ir_builder_before(shader, instr);
    struct ir_value *chosen = ir_src(instr, access->operand[0]);
    if (!choices->count)
        ir_fail(shader, "a descriptor that comes from nowhere");
    struct ir_value *words[MAX_LOADED], *const *loaded =
                                            load_choices(&b, options, choices, access->dwords[0], words) ? words : NULL;
    if (!chosen->divergent) {
        ir_use_set(&instr->srcs[access->operand[0]],
                   choose_words(&b, options, choices, chosen, access->dwords[0], loaded));
        return false;
    }
    if (loaded) {
        struct ir_value *number = ir_iand(&b, chosen, ir_const(&b, 32, 255));
        struct ir_value *result = access_each(&b, instr, access->operand[0], number, loaded, choices->count);
        if (instr->def.bits)
            ir_replace_uses(&instr->def, result);
        ir_remove(instr);
        return choices->count > 1;
    }
    ir_builder_push_loop(&b);
    struct ir_value *first = ir_read_first(&b, chosen);
    ir_builder_push_if(&b, ir_ieq(&b, chosen, first));
    struct ir_block *home = b.block;
    list_remove(&instr->link);
    list_push_back(&home->instrs, &instr->link);
    instr->block = home;
    struct ir_builder inside = ir_builder_before(shader, instr);
    ir_use_set(&instr->srcs[access->operand[0]],
               choose_words(&inside, options, choices, first, access->dwords[0], NULL));
    b = ir_builder_at_end(shader, home);
    ir_jump(&b, IR_OP_break);
    ir_builder_pop_if(&b);
    ir_builder_pop_loop(&b);
    if (instr->def.bits) {
        struct ir_value *phi = ir_phi(&b, instr->def.bits, instr->def.comps);
        ir_replace_uses(&instr->def, phi);
        ir_phi_add(shader, ir_def_instr(phi), home, &instr->def);
    }
    return true;
}

static void replace_handle(struct ir_shader *shader, const struct amd_compile_options *options, struct ir_instr *instr,
                           const struct access *access, unsigned i, struct ir_value *index)
{
    struct ir_instr *resource = resource_of(instr, access, i);
    struct ir_builder b = ir_builder_before(shader, instr);
    ir_use_set(&instr->srcs[access->operand[i]],
               load_words(&b, options, resource, index, access->dwords[i], access->sampler[i]));
}

/* Put the instruction into a loop that takes one element per turn. */
static void make_waterfall(struct ir_shader *shader, const struct amd_compile_options *options, struct ir_instr *instr,
                           const struct access *access)
{
    struct ir_builder b = ir_builder_before(shader, instr);
    struct ir_value *index[2] = {NULL, NULL}, *first[2] = {NULL, NULL}, *same = NULL;
    for (unsigned i = 0; i < access->count; i++) {
        struct ir_instr *resource = resource_of(instr, access, i);
        index[i] = resource ? ir_src(resource, 0) : NULL;
    }
    ir_builder_push_loop(&b);
    for (unsigned i = 0; i < access->count; i++) {
        if (!index[i])
            continue;
        if (i && index[i] == index[0]) {
            first[i] = first[0];
            continue;
        }
        first[i] = index[i]->divergent ? ir_read_first(&b, index[i]) : index[i];
        if (!index[i]->divergent)
            continue;
        struct ir_value *equal = ir_ieq(&b, index[i], first[i]);
        same = same ? ir_iand(&b, same, equal) : equal;
    }
    ir_builder_push_if(&b, same);
    struct ir_value *placeholder = instr->def.bits ? &instr->def : NULL;
    struct ir_block *home = b.block;
    list_remove(&instr->link);
    list_push_back(&home->instrs, &instr->link);
    instr->block = home;
    for (unsigned i = 0; i < access->count; i++) {
        if (index[i])
            replace_handle(shader, options, instr, access, i, first[i]);
    }
    b = ir_builder_at_end(shader, home);
    ir_jump(&b, IR_OP_break);
    ir_builder_pop_if(&b);
    ir_builder_pop_loop(&b);
    if (placeholder) {
        struct ir_value *phi = ir_phi(&b, placeholder->bits, placeholder->comps);
        ir_replace_uses(placeholder, phi);
        ir_phi_add(shader, ir_def_instr(phi), home, placeholder);
    }
}

bool amd_lower_amd_resource(struct ir_shader *shader, const void *data)
{
    const struct amd_compile_options *options = data;
    bool progress = false;
    struct choices *choices = ir_alloc_scratch(shader, sizeof(*choices));
    number_choices(shader, choices);
    ir_foreach_block (shader, block) {
        ir_foreach_instr (block, instr) {
            struct access access = find_access(instr);
            bool any = false, differs = false;
            if (is_chosen(instr, &access)) {
                progress = true;
                if (lower_chosen(shader, options, choices, instr, &access))
                    break;
                continue;
            }
            for (unsigned i = 0; i < access.count; i++) {
                struct ir_instr *resource = resource_of(instr, &access, i);
                any |= resource != NULL;
                differs |= resource && ir_src(resource, 0)->divergent;
            }
            if (!any)
                continue;
            progress = true;
            if (differs) {
                /* The rest of the block is in another one now: go on there. */
                make_waterfall(shader, options, instr, &access);
                break;
            }
            for (unsigned i = 0; i < access.count; i++) {
                struct ir_instr *resource = resource_of(instr, &access, i);
                if (resource)
                    replace_handle(shader, options, instr, &access, i, ir_src(resource, 0));
            }
        }
    }
    return progress;
}
