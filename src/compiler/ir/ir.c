/* The IR's core: shaders, memory, instructions, operands and their uses. Control flow is in ir_region.c, analyses in
 * ir_cfg.c. */
#include "compiler/ir/ir.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/bits.h"
#include "util/half.h"

#include "compiler/ir/ir_internal.h"
#include "compiler/ir/target.h"

void ir_fail(struct ir_shader *shader, const char *format, ...)
{
    struct ir_failure *failure = shader->failure;
    char text[sizeof(failure->text)];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    if (!failure) {
        fprintf(stderr, "compiler/ir: nothing guards this failure: %s\n", text);
        abort();
    }
    memcpy(failure->text, text, sizeof(text));
    longjmp(failure->jump, 1);
}

static _Noreturn void fail_memory(struct ir_shader *shader)
{
    if (shader->failure)
        shader->failure->out_of_memory = true;
    ir_fail(shader, "out of memory");
}

void *ir_alloc(struct ir_shader *shader, size_t size_B)
{
    void *memory = arena_zalloc(&shader->arena, size_B);
    if (!memory)
        fail_memory(shader);
    return memory;
}

void *ir_alloc_scratch(struct ir_shader *shader, size_t size_B)
{
    void *memory = arena_zalloc(&shader->scratch, size_B);
    if (!memory)
        fail_memory(shader);
    return memory;
}

char *ir_strdup(struct ir_shader *shader, const char *text)
{
    if (!text)
        return NULL;
    size_t size_B = strlen(text) + 1;
    return memcpy(ir_alloc(shader, size_B), text, size_B);
}

/* A function of its own, because setjmp does not go with variables that change. */
static __attribute__((noinline)) bool init_body(struct ir_shader *shader)
{
    struct ir_failure failure = {0};
    if (ir_guard(shader, &failure))
        return false;
    ir_region_init(shader, &shader->body, NULL);
    shader->failure = NULL;
    return true;
}

struct ir_shader *ir_shader_create(enum ir_stage stage)
{
    struct ir_shader *shader = calloc(1, sizeof(*shader));
    if (!shader)
        return NULL;
    shader->stage = stage;
    shader->target = &ir_target_generic;
    list_init(&shader->vars);
    if (init_body(shader))
        return shader;
    ir_shader_destroy(shader);
    return NULL;
}

void ir_shader_destroy(struct ir_shader *shader)
{
    if (!shader)
        return;
    arena_finish(&shader->arena);
    arena_finish(&shader->scratch);
    free(shader);
}

struct ir_var *ir_var_create(struct ir_shader *shader, uint8_t bits, uint32_t length, const char *name)
{
    struct ir_var *var = ir_alloc(shader, sizeof(*var));
    var->name = ir_strdup(shader, name);
    var->index = shader->num_vars++;
    var->bits = bits;
    var->length = length;
    list_push_back(&shader->vars, &var->link);
    return var;
}

struct ir_var *ir_var_by_index(const struct ir_shader *shader, uint32_t index)
{
    list_foreach (&shader->vars, struct ir_var, var, link)
        if (var->index == index)
            return var;
    return NULL;
}

/* --- immediates and constants --- */

bool ir_has_imm(const struct ir_instr *instr, enum ir_imm_kind kind)
{
    return ir_info(instr)->imm_slot[kind] >= 0;
}

uint32_t ir_imm(const struct ir_instr *instr, enum ir_imm_kind kind)
{
    int slot = ir_info(instr)->imm_slot[kind];
    return slot >= 0 ? instr->imm[slot] : 0;
}

void ir_set_imm(struct ir_instr *instr, enum ir_imm_kind kind, uint32_t value)
{
    int slot = ir_info(instr)->imm_slot[kind];
    if (slot >= 0)
        instr->imm[slot] = value;
}

bool ir_is_const(const struct ir_value *value)
{
    return ir_def_instr(value)->op == IR_OP_const;
}

bool ir_is_undef(const struct ir_value *value)
{
    return ir_def_instr(value)->op == IR_OP_undef;
}

uint64_t ir_const_u64(const struct ir_value *value)
{
    const struct ir_instr *instr = ir_def_instr(value);
    return ((uint64_t)instr->imm[1] << 32 | instr->imm[0]) & bits_mask(value->bits);
}

int64_t ir_const_i64(const struct ir_value *value)
{
    return bits_sign_extend(ir_const_u64(value), value->bits);
}

double ir_const_f64(const struct ir_value *value)
{
    uint64_t bits = ir_const_u64(value);
    double number;
    switch (value->bits) {
    case 16:
        return half_to_float((uint16_t)bits);
    case 32:
        return bits_float((uint32_t)bits);
    default:
        memcpy(&number, &bits, sizeof(number));
        return number;
    }
}

struct ir_value *ir_component(const struct ir_value *value, uint32_t comp)
{
    const struct ir_instr *instr = ir_def_instr(value);
    if (value->comps == 1 && comp == 0)
        return (struct ir_value *)value;
    return instr->op == IR_OP_vec && comp < instr->num_srcs ? ir_src(instr, comp) : NULL;
}

/* --- operands --- */

void ir_use_set(struct ir_use *use, struct ir_value *value)
{
    if (use->value)
        list_remove(&use->link);
    use->value = value;
    if (value)
        list_push_back(&value->uses, &use->link);
}

void ir_replace_uses(struct ir_value *from, struct ir_value *to)
{
    if (from == to)
        return;
    ir_foreach_use (from, use)
        use->value = to;
    list_splice_back(&to->uses, &from->uses);
}

struct ir_instr *ir_instr_alloc(struct ir_shader *shader, enum ir_op op, uint8_t bits, uint8_t comps, uint32_t num_srcs)
{
    if (shader->num_instrs_made >= IR_MAX_INSTRS)
        ir_fail(shader, "the shader grew beyond %u instructions", IR_MAX_INSTRS);
    if (num_srcs > UINT16_MAX)
        ir_fail(shader, "an instruction of %u operands", num_srcs);
    shader->num_instrs_made++;
    struct ir_instr *instr = ir_alloc(shader, sizeof(*instr) + num_srcs * sizeof(struct ir_use));
    list_init(&instr->link);
    instr->op = (uint16_t)op;
    instr->num_srcs = num_srcs;
    instr->srcs = (struct ir_use *)(instr + 1);
    for (uint32_t i = 0; i < num_srcs; i++) {
        list_init(&instr->srcs[i].link);
        instr->srcs[i].instr = instr;
    }
    list_init(&instr->def.uses);
    instr->def.bits = bits;
    instr->def.comps = bits ? comps : 0;
    instr->def.index = bits ? shader->num_values++ : UINT32_MAX;
    return instr;
}

void ir_remove(struct ir_instr *instr)
{
    for (uint32_t i = 0; i < instr->num_srcs; i++)
        ir_use_set(&instr->srcs[i], NULL);
    list_remove(&instr->link);
    instr->block = NULL;
}

/* --- phis --- */

/* A phi's arrays hold a power of two of sources, four at least: then the capacity follows from the count. */
static uint32_t phi_capacity(uint32_t count)
{
    return count <= 4 ? 4 : 1u << log2_ceil(count);
}

static void phi_move_sources(struct ir_instr *phi, struct ir_use *srcs, struct ir_block **preds)
{
    for (uint32_t i = 0; i < phi->num_srcs; i++) {
        struct ir_value *value = phi->srcs[i].value;
        ir_use_set(&phi->srcs[i], NULL);
        srcs[i] = (struct ir_use){.instr = phi};
        list_init(&srcs[i].link);
        ir_use_set(&srcs[i], value);
        preds[i] = phi->preds[i];
    }
    phi->srcs = srcs;
    phi->preds = preds;
}

void ir_phi_add(struct ir_shader *shader, struct ir_instr *phi, struct ir_block *pred, struct ir_value *value)
{
    uint32_t count = phi->num_srcs;
    if (!phi->preds || count == phi_capacity(count)) {
        uint32_t capacity = phi_capacity(count + 1);
        phi_move_sources(phi, ir_alloc(shader, capacity * sizeof(struct ir_use)),
                         ir_alloc(shader, capacity * sizeof(struct ir_block *)));
    }
    phi->num_srcs++;
    phi->preds[count] = pred;
    phi->srcs[count] = (struct ir_use){.instr = phi};
    list_init(&phi->srcs[count].link);
    ir_use_set(&phi->srcs[count], value);
}

void ir_phi_remove(struct ir_instr *phi, const struct ir_block *pred)
{
    for (uint32_t i = 0; i < phi->num_srcs; i++) {
        if (phi->preds[i] != pred)
            continue;
        uint32_t last = phi->num_srcs - 1u;
        ir_use_set(&phi->srcs[i], phi->srcs[last].value);
        ir_use_set(&phi->srcs[last], NULL);
        phi->preds[i] = phi->preds[last];
        phi->num_srcs--;
        return;
    }
}

struct ir_value *ir_phi_source(const struct ir_instr *phi, const struct ir_block *pred)
{
    for (uint32_t i = 0; i < phi->num_srcs; i++)
        if (phi->preds[i] == pred)
            return phi->srcs[i].value;
    return NULL;
}
