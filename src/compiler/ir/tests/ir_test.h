/* The shared part of the IR's tests. */
#ifndef COMPILER_IR_TESTS_IR_TEST_H
#define COMPILER_IR_TESTS_IR_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "util/bits.h"
#include "util/strbuf.h"

#include "compiler/ir/ir_builder.h"

static inline char *printed(struct ir_shader *shader)
{
    struct strbuf text = {0};
    ir_index(shader);
    ir_print(shader, &text);
    assert_false(text.failed);
    return text.text;
}

static inline struct ir_shader *parsed(const char *text)
{
    char error[256];
    struct ir_shader *shader = ir_parse(text, error);
    if (!shader)
        fail_msg("%s in:\n%s", error, text);
    return shader;
}

/* Any value of a shape that the row allows for letters n and m: an undef. */
static inline struct ir_value *any_value(struct ir_builder *b, const struct ir_operand_info *info, uint8_t n, uint8_t m,
                                         uint8_t comps)
{
    uint8_t bits = info->letter == IR_LETTER_NONE ? info->bits
                   : info->letter == IR_LETTER_N  ? n
                   : info->letter == IR_LETTER_M  ? m
                                                  : 32;
    return ir_undef(b, bits, info->comps ? info->comps : comps);
}

/* One instruction of an operation at the letters' widths, with every immediate as large as it may be (`extreme`) or
 * zero. Jumps and phis need a place of their own. */
static inline struct ir_instr *any_instr(struct ir_builder *b, enum ir_op op, uint8_t n, uint8_t m, bool extreme)
{
    const struct ir_op_info *info = &ir_op_infos[op];
    struct ir_value *srcs[16];
    uint32_t imms[IR_MAX_IMMS] = {0};
    uint32_t num_srcs = 0;
    const uint8_t comps = extreme ? 4 : 1;
    for (; num_srcs < info->num_srcs; num_srcs++)
        srcs[num_srcs] = any_value(b, &info->srcs[num_srcs], n, m, comps);
    for (uint32_t i = 0; i < info->num_imms; i++) {
        const struct ir_imm_info *imm = &ir_imm_infos[info->imms[i]];
        imms[i] = extreme ? imm->largest : 0;
        if (imm->format == IR_IMM_FORMAT_location)
            imms[i] = extreme ? IR_LOCATION_VAR0 + 7 : IR_LOCATION_position;
        if (info->imms[i] == IR_IMM_VAR)
            imms[i] = ir_var_create(b->shader, n, 8, extreme ? "named" : NULL)->index;
        if (info->imms[i] == IR_IMM_QUERY || info->imms[i] == IR_IMM_SOURCE)
            imms[i] = ir_var_create(b->shader, 32, 2, NULL)->index;
        if (info->imms[i] == IR_IMM_ALIGN)
            imms[i] = extreme ? 0x80000000 : 1;
        if (info->imms[i] == IR_IMM_ALIGN_OFFSET)
            imms[i] = extreme ? 4 : 0;
    }
    uint8_t def_bits = 0, def_comps = 0;
    if (info->has_def) {
        struct ir_value *like = any_value(b, &info->def, n, m, comps);
        def_bits = like->bits;
        def_comps = like->comps;
    }
    uint32_t more = op == IR_OP_vec   ? (def_comps = 2)
                    : op == IR_OP_tex ? 1u + (uint32_t)__builtin_popcount(imms[info->imm_slot[IR_IMM_OPERANDS]])
                                      : 0;
    for (uint32_t i = 0; i < more; i++)
        srcs[num_srcs++] = any_value(b, &info->srcs[info->num_srcs], n, m, op == IR_OP_vec ? 1 : comps);
    if (op == IR_OP_extract && extreme) {
        srcs[0] = ir_undef(b, n, 16);
    } else if (op == IR_OP_const) {
        imms[0] &= (uint32_t)bits_mask(def_bits);
        imms[1] &= (uint32_t)(bits_mask(def_bits) >> 32);
    } else if (op == IR_OP_load_sysval) {
        def_comps = n == 1 ? 1 : def_comps;
        imms[0] = n == 1 ? IR_SYSVAL_front_facing : extreme ? IR_SYSVAL_frag_coord : IR_SYSVAL_vertex_index;
    } else if (op == IR_OP_load_incoming || op == IR_OP_store_incoming || op == IR_OP_load_outgoing ||
               op == IR_OP_store_outgoing) {
        imms[0] = extreme ? IR_FRAME_ARGS_B - 4 * comps : 0;
    } else if (op == IR_OP_ray_value) {
        def_comps = ir_ray_value_comps(imms[1]);
    } else if (op == IR_OP_hit_value) {
        def_comps = ir_ray_value_comps(imms[0]);
    }
    return ir_build(b, op, def_bits, def_comps, num_srcs, srcs, 0, NULL, imms);
}

/* Calls `visit` for every operation that has no place of its own, at every width that its row allows. */
static inline void foreach_op_width(void (*visit)(enum ir_op op, uint8_t n, uint8_t m))
{
    for (uint32_t op = 0; op < IR_OP_COUNT; op++) {
        const struct ir_op_info *info = &ir_op_infos[op];
        if (info->props & IR_PROP_JUMP || op == IR_OP_phi)
            continue;
        for (uint32_t n = 1; n <= 64; n *= 2) {
            for (uint32_t m = 1; m <= 64; m *= 2) {
                bool n_ok = info->widths[0] ? info->widths[0] & n : n == 1;
                bool m_ok = info->widths[1] ? info->widths[1] & m : m == 1;
                if (n_ok && m_ok)
                    visit((enum ir_op)op, (uint8_t)n, (uint8_t)m);
            }
        }
    }
}

#endif
