/* The stages of rays as functions with frames (trace_layout.h): what a shader asks of its ray is read from the ray's
 * block or from the instance's leaf, and what it calls is called by the address that its record has. */
#include "amd/compiler/lower_amd_trace.h"

#include "util/bits.h"

static struct ir_value *word(struct ir_builder *b, uint32_t value)
{
    return ir_const(b, 32, value);
}

static struct ir_value *pair(struct ir_builder *b, struct ir_value *words)
{
    return ir_pack64(b, ir_extract(b, words, 0), ir_extract(b, words, 1));
}

static struct ir_value *halves(struct ir_builder *b, struct ir_value *address)
{
    struct ir_value *words[2] = {ir_lo32(b, address), ir_hi32(b, address)};
    return ir_vec(b, 2, words);
}

/* ---- tables and records ---- */

/* 64 bits from memory, at a multiple of four bytes. */
static struct ir_value *amd_trace_load64(struct ir_builder *b, struct ir_value *address, uint32_t offset_B)
{
    return pair(b, ir_load_global(b, 32, 2, address, offset_B, 4, 0, IR_ACCESS_READONLY));
}

struct ir_value *amd_trace_record(struct ir_builder *b, uint32_t table_B, struct ir_value *index)
{
    struct ir_value *tables = ir_trace_tables(b), *none = ir_const(b, 64, 0);
    struct ir_value *table = amd_trace_load64(b, tables, table_B);
    struct ir_value *stride = ir_load_global(b, 32, 1, tables, table_B + TRACE_TABLE_STRIDE, 4, 0, IR_ACCESS_READONLY);
    /* A table may be larger than 4 GiB; an index and a stride are 32 bits each. */
    struct ir_value *offset = ir_pack64(b, ir_imul(b, stride, index), ir_umul_hi(b, stride, index));
    return ir_select(b, ir_ieq(b, table, none), none, ir_iadd(b, table, offset));
}

struct ir_value *amd_trace_code(struct ir_builder *b, struct ir_value *record, uint32_t handle_B)
{
    struct ir_value *none = ir_const(b, 64, 0);
    struct ir_if *node = ir_builder_push_if(b, ir_ine(b, record, none));
    struct ir_value *code = amd_trace_load64(b, record, handle_B);
    ir_builder_pop_if(b);
    return ir_if_phi(b, node, code, none);
}

/* ---- calls ---- */

static void put_value(struct ir_builder *b, uint32_t place_B, struct ir_value *value)
{
    if (value)
        ir_store_outgoing(b, value, place_B);
}

struct ir_value *amd_trace_call(struct ir_builder *b, const struct trace_call *call)
{
    put_value(b, TRACE_CALL_RECORD, halves(b, call->record));
    put_value(b, TRACE_CALL_RAY, call->ray);
    put_value(b, TRACE_CALL_DATA, call->data);
    put_value(b, TRACE_CALL_ATTRIBUTES, call->attributes);
    if (call->has_verdict)
        put_value(b, TRACE_CALL_VERDICT, word(b, IR_RAY_VERDICT_accept));
    ir_stack_call(b, call->code);
    return call->has_verdict ? ir_load_outgoing(b, 1, TRACE_CALL_VERDICT) : NULL;
}

static void trace_ray(struct ir_builder *b, const struct ir_instr *instr, const struct amd_compile_options *options)
{
    struct ir_value *rules = ir_src(instr, 1), *words[6];
    uint32_t skip = 0;
    if (options->stage && options->stage->ray.skip_triangles)
        skip |= TRACE_FLAG_SKIP_TRIANGLES;
    if (options->stage && options->stage->ray.skip_boxes)
        skip |= TRACE_FLAG_SKIP_BOXES;
    for (uint32_t i = 0; i < 5; i++)
        words[i] = ir_extract(b, rules, i);
    words[5] = word(b, skip);
    put_value(b, TRACE_RAY_STRUCTURE, halves(b, ir_src(instr, 0)));
    put_value(b, TRACE_RAY_FLAGS, ir_vec(b, ARRAY_SIZE(words), words));
    put_value(b, TRACE_RAY_FROM, ir_src(instr, 2));
    put_value(b, TRACE_RAY_TO, ir_src(instr, 3));
    put_value(b, TRACE_RAY_PAYLOAD, ir_src(instr, 4));
    ir_stack_call(b, ir_trace_traversal(b));
}

static void execute_callable(struct ir_builder *b, const struct ir_instr *instr)
{
    struct ir_value *record = amd_trace_record(b, TRACE_TABLES_CALLABLE, ir_src(instr, 0));
    const struct trace_call call = {
        .code = amd_trace_code(b, record, TRACE_HANDLE_GENERAL), .record = record, .data = ir_src(instr, 1)};
    amd_trace_call(b, &call);
}

/* ---- the ray's block ---- */

static struct ir_value *load_block(struct ir_builder *b, uint32_t place_B, uint8_t count)
{
    struct ir_value *ray = ir_load_incoming(b, 1, TRACE_CALL_RAY);
    return ir_load_stack(b, 32, count, ray, place_B, 4, 0);
}

static void store_block(struct ir_builder *b, uint32_t place_B, struct ir_value *value)
{
    ir_store_stack(b, value, ir_load_incoming(b, 1, TRACE_CALL_RAY), place_B, 4, 0);
}

/* By words; what is copied beyond the last is not read. */
static void keep_attributes(struct ir_builder *b, struct ir_value *from, uint32_t size_B)
{
    for (uint32_t at_B = 0; at_B < size_B; at_B += 4)
        store_block(b, TRACE_BLOCK_MET_ATTRIBUTES + at_B, ir_load_stack(b, 32, 1, from, at_B, 4, 0));
}

/* Within the ray's interval, and not ignored by the group's any-hit shader. */
static struct ir_value *report_hit(struct ir_builder *b, const struct ir_instr *instr)
{
    struct ir_value *t = ir_src(instr, 0), *kind = ir_src(instr, 1), *zero = word(b, 0), *one = word(b, 1);
    struct ir_var *answer = ir_var_create(b->shader, 32, 1, "ANSWER");
    struct ir_value *most = load_block(b, TRACE_BLOCK_T, 1), *least = load_block(b, TRACE_BLOCK_T_MIN, 1);
    ir_store_var(b, zero, zero, answer->index);
    ir_builder_push_if(b, ir_iand(b, ir_fge(b, t, least), ir_fge(b, most, t)));
    store_block(b, TRACE_BLOCK_T, t);
    store_block(b, TRACE_BLOCK_HIT_KIND, kind);
    const struct trace_call call = {.code = pair(b, load_block(b, TRACE_BLOCK_ANY_HIT, 2)),
                                    .record = pair(b, ir_load_incoming(b, 2, TRACE_CALL_RECORD)),
                                    .ray = ir_load_incoming(b, 1, TRACE_CALL_RAY),
                                    .data = ir_load_incoming(b, 1, TRACE_CALL_DATA),
                                    .attributes = ir_src(instr, 2),
                                    .has_verdict = true};
    struct ir_value *verdict = amd_trace_call(b, &call);
    ir_builder_push_if(b, ir_ieq(b, verdict, word(b, IR_RAY_VERDICT_ignore)));
    store_block(b, TRACE_BLOCK_T, most);
    ir_builder_push_else(b);
    struct ir_value *flags = load_block(b, TRACE_BLOCK_FLAGS, 1);
    struct ir_value *first = ir_iand(b, flags, word(b, TRACE_FLAG_TERMINATE_ON_FIRST_HIT)),
                    *is_last = ir_ior(b, ir_ieq(b, verdict, word(b, IR_RAY_VERDICT_terminate)), ir_ine(b, first, zero));
    store_block(b, TRACE_BLOCK_ACCEPTED, one);
    store_block(b, TRACE_BLOCK_ENDED, ir_select(b, is_last, one, zero));
    store_block(b, TRACE_BLOCK_MET_KIND, kind);
    keep_attributes(b, ir_src(instr, 2), ir_imm(instr, IR_IMM_SIZE));
    ir_store_var(b, ir_select(b, is_last, word(b, 2), one), zero, answer->index);
    ir_builder_pop_if(b);
    ir_builder_pop_if(b);
    return ir_load_var(b, 32, 1, zero, answer->index);
}

/* ---- what a shader asks ---- */

/* A point (`moves`) or a direction of the world in the object's space. */
static struct ir_value *to_object(struct ir_builder *b, struct ir_value *instance, uint32_t place_B, bool moves)
{
    struct ir_value *rows[12], *out[3], *from = load_block(b, place_B, 3);
    amd_ray_node_value(b, instance, IR_RAY_world_to_object, rows);
    for (uint32_t i = 0; i < 3; i++) {
        struct ir_value *const *m = &rows[i * 4];
        out[i] = ir_fmul(b, m[0], ir_extract(b, from, 0));
        if (moves)
            out[i] = ir_ffma(b, m[0], ir_extract(b, from, 0), m[3]);
        out[i] = ir_ffma(b, m[1], ir_extract(b, from, 1), out[i]);
        out[i] = ir_ffma(b, m[2], ir_extract(b, from, 2), out[i]);
    }
    return ir_vec(b, 3, out);
}

static struct ir_value *matrix(struct ir_builder *b, struct ir_value *instance, enum ir_ray_value what)
{
    struct ir_value *rows[12], *out[12];
    amd_ray_node_value(b, instance, what, rows);
    for (uint32_t i = 0; i < 12; i++)
        out[i] = rows[i % 3 * 4 + i / 3]; /* by columns */
    return ir_vec(b, 12, out);
}

static struct ir_value *hit_value(struct ir_builder *b, const struct ir_instr *instr)
{
    static const struct {
        uint8_t is_there, place_B;
    } own[] = {
        [IR_RAY_flags] = {1, TRACE_BLOCK_FLAGS},
        [IR_RAY_t_min] = {1, TRACE_BLOCK_T_MIN},
        [IR_RAY_world_origin] = {1, TRACE_BLOCK_ORIGIN},
        [IR_RAY_world_direction] = {1, TRACE_BLOCK_DIRECTION},
        [IR_RAY_t] = {1, TRACE_BLOCK_T},
        [IR_RAY_geometry_index] = {1, TRACE_BLOCK_GEOMETRY},
        [IR_RAY_primitive_index] = {1, TRACE_BLOCK_PRIMITIVE},
        [IR_RAY_hit_kind] = {1, TRACE_BLOCK_HIT_KIND},
        [IR_RAY_cull_mask] = {1, TRACE_BLOCK_MASK},
    };
    const enum ir_ray_value what = ir_imm(instr, IR_IMM_RAY_VALUE);
    struct ir_value *out[12];
    if (what < ARRAY_SIZE(own) && own[what].is_there)
        return load_block(b, own[what].place_B, instr->def.comps);
    if (what == IR_RAY_vertices) {
        amd_ray_node_value(b, pair(b, load_block(b, TRACE_BLOCK_LEAF, 2)), what, out);
        return ir_vec(b, 9, out);
    }
    struct ir_value *instance = pair(b, load_block(b, TRACE_BLOCK_INSTANCE, 2));
    switch (what) {
    case IR_RAY_object_origin:
    case IR_RAY_object_direction:
        return to_object(b, instance, what == IR_RAY_object_origin ? TRACE_BLOCK_ORIGIN : TRACE_BLOCK_DIRECTION,
                         what == IR_RAY_object_origin);
    case IR_RAY_object_to_world:
    case IR_RAY_world_to_object:
        return matrix(b, instance, what);
    case IR_RAY_custom_index:
    case IR_RAY_instance_id:
        amd_ray_node_value(b, instance, what, out);
        return out[0];
    default:
        ir_fail(b->shader, "a shader cannot ask this of its ray");
    }
}

static struct ir_value *sysval(struct ir_builder *b, const struct ir_instr *instr)
{
    switch (ir_imm(instr, IR_IMM_SYSVAL)) {
    case IR_SYSVAL_launch_id:
        return ir_load_stack(b, 32, 3, word(b, 0), TRACE_STACK_LAUNCH_ID, 4, 0);
    case IR_SYSVAL_launch_size:
        return ir_load_global(b, 32, 3, ir_trace_size(b), 0, 4, 0, IR_ACCESS_READONLY);
    default:
        return NULL;
    }
}

/* ---- the pass ---- */

static bool is_ours(const struct ir_instr *instr)
{
    switch (instr->op) {
    case IR_OP_incoming_data:
    case IR_OP_shader_record:
    case IR_OP_trace_ray:
    case IR_OP_execute_callable:
    case IR_OP_report_hit:
    case IR_OP_judge_hit:
    case IR_OP_hit_value:
        return true;
    case IR_OP_load_sysval:
        return ir_imm(instr, IR_IMM_SYSVAL) == IR_SYSVAL_launch_id ||
               ir_imm(instr, IR_IMM_SYSVAL) == IR_SYSVAL_launch_size;
    default:
        return false;
    }
}

static struct ir_value *replacement(struct ir_builder *b, const struct ir_instr *instr,
                                    const struct amd_compile_options *options)
{
    switch (instr->op) {
    case IR_OP_incoming_data:
        return ir_load_incoming(
            b, 1, ir_imm(instr, IR_IMM_RAY_DATA) == IR_RAY_DATA_attributes ? TRACE_CALL_ATTRIBUTES : TRACE_CALL_DATA);
    case IR_OP_shader_record:
        return ir_iadd(b, pair(b, ir_load_incoming(b, 2, TRACE_CALL_RECORD)), ir_const(b, 64, TRACE_HANDLE_SIZE));
    case IR_OP_trace_ray:
        trace_ray(b, instr, options);
        return NULL;
    case IR_OP_execute_callable:
        execute_callable(b, instr);
        return NULL;
    case IR_OP_report_hit:
        return report_hit(b, instr);
    case IR_OP_judge_hit:
        ir_store_incoming(b, word(b, ir_imm(instr, IR_IMM_RAY_VERDICT)), TRACE_CALL_VERDICT);
        return NULL;
    case IR_OP_hit_value:
        return hit_value(b, instr);
    default:
        return sysval(b, instr);
    }
}

bool amd_lower_amd_trace(struct ir_shader *shader, const void *options)
{
    uint32_t count = 0, at = 0;
    ir_foreach_block (shader, block)
        ir_foreach_instr (block, instr)
            count += is_ours(instr);
    if (!count)
        return false;
    /* Blocks are split on the way: the instructions are gathered first. */
    struct ir_instr **instrs = ir_alloc_scratch(shader, count * sizeof(struct ir_instr *));
    ir_foreach_block (shader, block)
        ir_foreach_instr (block, instr)
            if (is_ours(instr))
                instrs[at++] = instr;
    if (!ir_is_function(shader))
        ir_fail(shader, "%s outside ray tracing", ir_info(instrs[0])->name);
    for (uint32_t i = 0; i < count; i++) {
        struct ir_builder b = ir_builder_before(shader, instrs[i]);
        b.flags = IR_FLAG_NAN_INF;
        struct ir_value *value = replacement(&b, instrs[i], options);
        if (value)
            ir_replace_uses(&instrs[i]->def, value);
        ir_remove(instrs[i]);
    }
    return true;
}
