/* Building the machine IR: values, instructions, blocks and edges, and its text. */
#include "adreno/compiler/air.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "compiler/ir/ir.h"
#include "util/bits.h"
#include "util/strbuf.h"

void adreno_air_init(struct air_program *program, struct ir_failure *failure)
{
    *program = (struct air_program){.failure = failure, .num_temps = 1 /* 0 is none */, .limit = AIR_REGS};
}

void adreno_air_finish(struct air_program *program)
{
    arena_finish(&program->live_arena);
    arena_finish(&program->arena);
}

void adreno_air_fail(struct air_program *program, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(program->failure->text, sizeof(program->failure->text), format, args);
    va_end(args);
    longjmp(program->failure->jump, 1);
}

void *adreno_air_alloc(struct air_program *program, size_t size_B)
{
    void *memory = arena_zalloc(&program->arena, size_B ? size_B : 1);
    if (!memory) {
        program->failure->out_of_memory = true;
        adreno_air_fail(program, "out of memory");
    }
    return memory;
}

/* More room for an array that begins with `count` elements. */
static void *grown(struct air_program *program, const void *old, uint32_t count, uint32_t capacity, size_t element_B)
{
    void *moved = adreno_air_alloc(program, capacity * element_B);
    if (count)
        memcpy(moved, old, count * element_B);
    return moved;
}

air_temp adreno_air_temp(struct air_program *program, struct air_class class)
{
    if (program->num_temps >= program->capacity_temps) {
        program->capacity_temps = MAX2(256u, program->capacity_temps * 2);
        program->temps = grown(program, program->temps, program->temps ? program->num_temps : 0,
                               program->capacity_temps, sizeof(*program->temps));
    }
    program->temps[program->num_temps] = (struct air_temp_info){.class = class};
    return program->num_temps++;
}

struct air_instr *adreno_air_instr(struct air_builder *builder, unsigned op, unsigned num_defs, unsigned num_operands)
{
    const size_t operands_B = num_operands * sizeof(struct air_operand), defs_B = num_defs * sizeof(struct air_def);
    struct air_instr *instr = adreno_air_alloc(builder->program, sizeof(*instr) + operands_B + defs_B);
    instr->isa.op = (uint16_t)op;
    instr->num_defs = (uint16_t)num_defs;
    instr->num_operands = num_operands;
    instr->operands = (struct air_operand *)(instr + 1);
    instr->defs = (struct air_def *)(instr->operands + num_operands);
    for (unsigned i = 0; i < num_defs; i++)
        instr->defs[i].reg = AIR_NO_REG;
    list_insert_after(builder->before->prev, &instr->link);
    return instr;
}

/* A list of instructions points back at its block: when blocks move, it is linked again. */
static void move_list(struct list *to, const struct list *from)
{
    if (from->next == from) {
        list_init(to);
        return;
    }
    *to = *from;
    to->next->prev = to;
    to->prev->next = to;
}

static void move_blocks(struct air_program *program, struct air_block *to, const struct air_block *from, uint32_t count)
{
    (void)program;
    for (uint32_t i = 0; i < count; i++) {
        to[i] = from[i];
        move_list(&to[i].instrs, &from[i].instrs);
    }
}

struct air_block *adreno_air_block(struct air_program *program)
{
    if (program->num_blocks == program->capacity_blocks) {
        program->capacity_blocks = MAX2(16u, program->capacity_blocks * 2);
        struct air_block *blocks = adreno_air_alloc(program, program->capacity_blocks * sizeof(*blocks));
        move_blocks(program, blocks, program->blocks, program->num_blocks);
        program->blocks = blocks;
    }
    struct air_block *block = &program->blocks[program->num_blocks];
    *block = (struct air_block){.index = program->num_blocks++};
    list_init(&block->instrs);
    return block;
}

/* Arrays of edges have room for a power of two. */
static uint32_t *appended(struct air_program *program, uint32_t *edges, uint32_t count, uint32_t value)
{
    if (count == 0 || (count >= 2 && is_power_of_two(count)))
        edges = grown(program, edges, count, MAX2(2u, count * 2), sizeof(*edges));
    edges[count] = value;
    return edges;
}

void adreno_air_edge(struct air_program *program, uint32_t from, uint32_t to)
{
    struct air_block *source = &program->blocks[from], *target = &program->blocks[to];
    source->succs = appended(program, source->succs, source->num_succs++, to);
    target->preds = appended(program, target->preds, target->num_preds++, from);
}

/* ---- critical edges ---- */

static void rename_block(struct air_block *block, const uint32_t *new_index)
{
    for (uint32_t i = 0; i < block->num_succs; i++)
        block->succs[i] = new_index[block->succs[i]];
    for (uint32_t i = 0; i < block->num_preds; i++)
        block->preds[i] = new_index[block->preds[i]];
    air_foreach_instr(block, instr)
    {
        if (instr->isa.op == AIR_P_JUMP || instr->isa.op == AIR_P_BRANCH) {
            instr->target = new_index[instr->target];
            instr->other = new_index[instr->other];
        }
    }
}

void adreno_air_reorder(struct air_program *program, const uint32_t *order)
{
    uint32_t *new_index = adreno_air_alloc(program, program->num_blocks * sizeof(*new_index));
    struct air_block *blocks = adreno_air_alloc(program, program->num_blocks * sizeof(*blocks));
    for (uint32_t i = 0; i < program->num_blocks; i++)
        new_index[order[i]] = i;
    for (uint32_t i = 0; i < program->num_blocks; i++) {
        move_blocks(program, &blocks[i], &program->blocks[order[i]], 1);
        blocks[i].index = i;
        rename_block(&blocks[i], new_index);
    }
    program->blocks = blocks;
    program->capacity_blocks = program->num_blocks;
}

static void retarget(struct air_block *block, uint32_t from, uint32_t to)
{
    for (uint32_t i = 0; i < block->num_succs; i++)
        block->succs[i] = block->succs[i] == from ? to : block->succs[i];
    struct air_instr *last = container_of(block->instrs.prev, struct air_instr, link);
    if (last->target == from)
        last->target = to;
    else if (last->other == from)
        last->other = to;
}

static void put_on_edge(struct air_program *program, const struct edge_split *split)
{
    struct air_block *source = &program->blocks[split->from], *target = &program->blocks[split->to];
    struct air_block *block = &program->blocks[split->block];
    block->loop_depth = MIN2(source->loop_depth, target->loop_depth);
    retarget(source, split->to, split->block);
    target->preds[split->pred] = split->block;
    block->preds = appended(program, NULL, 0, split->from);
    block->succs = appended(program, NULL, 0, split->to);
    block->num_preds = block->num_succs = 1;
    struct air_builder builder = {program, &block->instrs};
    adreno_air_instr(&builder, AIR_P_JUMP, 0, 0)->target = split->to;
}

void adreno_air_split_edges(struct air_program *program)
{
    struct machine_edges *graph = adreno_air_alloc(program, program->num_blocks * sizeof(*graph));
    air_foreach_block(program, block) graph[block->index] =
        (struct machine_edges){block->preds, block->succs, block->num_preds, block->num_succs};
    struct edge_splits splits;
    if (!edges_plan_splits(graph, program->num_blocks, &program->arena, &splits)) {
        program->failure->out_of_memory = true;
        adreno_air_fail(program, "out of memory");
    }
    if (!splits.count)
        return;
    const struct air_block *old = program->blocks;
    struct air_block *blocks = adreno_air_alloc(program, splits.num_blocks * sizeof(*blocks));
    for (uint32_t i = 0; i < splits.num_blocks; i++) {
        if (splits.old_index[i] == EDGE_NEW_BLOCK) {
            list_init(&blocks[i].instrs);
        } else {
            move_blocks(program, &blocks[i], &old[splits.old_index[i]], 1);
            rename_block(&blocks[i], splits.new_index);
        }
        blocks[i].index = i;
    }
    program->blocks = blocks;
    program->num_blocks = program->capacity_blocks = splits.num_blocks;
    for (uint32_t i = 0; i < splits.count; i++)
        put_on_edge(program, &splits.list[i]);
}

/* ---- registers ---- */

static struct air_span span_of(unsigned component, bool is_half, unsigned count)
{
    const unsigned halves = is_half ? 1 : 2, shared = component - ADRENO_ISA_REG_SHARED;
    if (component >= ADRENO_ISA_REG_P0)
        return (struct air_span){(uint16_t)(AIR_UNIT_P0 + component % 4), 1, false};
    if (component >= ADRENO_ISA_REG_A0)
        return (struct air_span){(uint16_t)(AIR_UNIT_A0 + component % 4), 1, false};
    if (component >= ADRENO_ISA_REG_SHARED)
        return (struct air_span){(uint16_t)(AIR_UNIT_SHARED + shared * 2), (uint16_t)(count * 2), is_half};
    return (struct air_span){(uint16_t)(component * halves), (uint16_t)(count * halves), is_half};
}

static struct air_span array_span(const struct air_program *program, unsigned component, bool is_relative)
{
    if (is_relative)
        return (struct air_span){program->array_reg, program->array_halves, false};
    return (struct air_span){(uint16_t)(program->array_reg + component * 2), 2, false};
}

struct air_span adreno_air_read(const struct air_program *program, const struct air_operand *operand)
{
    if (operand->kind == AIR_CONST_RELATIVE)
        return (struct air_span){AIR_UNIT_A0, 1, false};
    if (operand->kind == AIR_ARRAY || operand->kind == AIR_ARRAY_RELATIVE)
        return array_span(program, (unsigned)operand->value, operand->kind == AIR_ARRAY_RELATIVE);
    if (operand->kind == AIR_SPECIAL)
        return span_of((unsigned)operand->value, operand->flags & ADRENO_ISA_FLAG_HALF, 1);
    if (operand->kind != AIR_TEMP)
        return (struct air_span){0};
    const struct air_class class = program->temps[operand->temp].class;
    return (struct air_span){operand->reg, (uint16_t)air_halves(class), class.is_half};
}

struct air_span adreno_air_written(const struct air_program *program, const struct air_instr *instr, unsigned def)
{
    static const uint8_t places[] = {ADRENO_ISA_PLACE_DST, ADRENO_ISA_PLACE_DST1};
    if (!instr->defs[def].temp && instr->defs[def].special >= AIR_SPECIAL_ARRAY)
        return array_span(program, instr->defs[def].special - AIR_SPECIAL_ARRAY, instr->defs[def].is_relative);
    if (!instr->defs[def].temp)
        return span_of(instr->defs[def].special, instr->isa.operands[places[def]].flags & ADRENO_ISA_FLAG_HALF,
                       instr->defs[def].count ? instr->defs[def].count : 1);
    const struct air_class class = program->temps[instr->defs[def].temp].class;
    return (struct air_span){instr->defs[def].reg, (uint16_t)air_halves(class), class.is_half};
}

/* ---- text ---- */

static void print_reg(struct strbuf *text, air_reg reg, bool is_half)
{
    const unsigned component = is_half ? reg : reg / 2u;
    strbuf_printf(text, "%sr%u.%c", is_half ? "h" : "", component / 4, "xyzw"[component % 4]);
}

static void print_temp(const struct air_program *program, struct strbuf *text, air_temp temp, air_reg reg)
{
    const struct air_class class = program->temps[temp].class;
    strbuf_printf(text, "%%%u", temp);
    if (class.comps != 1 || class.is_half)
        strbuf_printf(text, ":%s%u", class.is_half ? "h" : "", class.comps);
    if (reg != AIR_NO_REG) {
        strbuf_append(text, "=");
        print_reg(text, reg, class.is_half);
    }
}

static void print_operand(const struct air_program *program, struct strbuf *text, const struct air_operand *operand)
{
    static const char *const marks[] = {[AIR_NONE] = "-",
                                        [AIR_CONST] = "c",
                                        [AIR_NUMBER] = "#",

                                        [AIR_CONST_RELATIVE] = "c<a0.x>",
                                        [AIR_SPECIAL] = "special",
                                        [AIR_ARRAY] = "array",
                                        [AIR_ARRAY_RELATIVE] = "array<a0.x>",
                                        [AIR_UNDEF] = "undef"};
    strbuf_append(text, operand->flags & ADRENO_ISA_FLAG_NOT ? "!" : "");
    strbuf_append(text, operand->flags & ADRENO_ISA_FLAG_NEG ? "-" : "");
    strbuf_append(text, operand->flags & ADRENO_ISA_FLAG_ABS ? "|" : "");
    if (operand->kind == AIR_TEMP)
        print_temp(program, text, operand->temp, operand->reg);
    else
        strbuf_printf(text, "%s%d", marks[operand->kind], operand->value);
}

static const char *name_of(unsigned op)
{
    static const char *const names[] = {"start", "phi", "copy", "collect", "split", "jump", "branch"};
    return op < ADRENO_ISA_OP_COUNT ? adreno_isa_name(op) : names[op - AIR_P_START];
}

static void print_instr(const struct air_program *program, struct strbuf *text, const struct air_instr *instr)
{
    strbuf_append(text, "    ");
    for (unsigned i = 0; i < instr->num_defs; i++) {
        if (instr->defs[i].temp)
            print_temp(program, text, instr->defs[i].temp, instr->defs[i].reg);
        else
            strbuf_printf(text, "special%u", instr->defs[i].special);
        strbuf_append(text, i + 1 < instr->num_defs ? ", " : " = ");
    }
    strbuf_append(text, name_of(instr->isa.op));
    for (unsigned i = 0; i < instr->num_operands; i++) {
        strbuf_append(text, i ? ", " : " ");
        print_operand(program, text, &instr->operands[i]);
    }
    if (instr->isa.op == AIR_P_JUMP || instr->isa.op == AIR_P_BRANCH)
        strbuf_printf(text, " block %u", instr->target);
    if (instr->isa.op == AIR_P_BRANCH)
        strbuf_printf(text, " else %u", instr->other);
    strbuf_append(text, "\n");
}

void adreno_air_print(const struct air_program *program, struct strbuf *text)
{
    air_foreach_block(program, block)
    {
        strbuf_printf(text, "block %u:", block->index);
        for (uint32_t i = 0; i < block->num_preds; i++)
            strbuf_printf(text, " %s%u", i ? "" : "from ", block->preds[i]);
        strbuf_append(text, "\n");
        air_foreach_instr(block, instr) print_instr(program, text, instr);
    }
}

/* ---- rules ---- */

static const char *check_instr(const struct air_program *program, const struct air_block *block,
                               const struct air_instr *instr, const uint32_t *home)
{
    if (instr->isa.op == AIR_P_PHI && instr->num_operands != block->num_preds)
        return "a phi has an operand for each predecessor";
    for (unsigned i = 0; i < instr->num_operands; i++) {
        const struct air_operand *operand = &instr->operands[i];
        if (operand->kind == AIR_TEMP &&
            (!operand->temp || operand->temp >= program->num_temps || !home[operand->temp]))
            return "a value is read that nothing writes";
    }
    if (instr->isa.op == AIR_P_COLLECT && instr->num_operands != program->temps[instr->defs[0].temp].class.comps)
        return "a collect has an operand for each component";
    if (instr->isa.op == AIR_P_SPLIT && instr->num_defs != program->temps[instr->operands[0].temp].class.comps)
        return "a split has a result for each component";
    if ((instr->isa.op == AIR_P_JUMP || instr->isa.op == AIR_P_BRANCH) && instr->link.next != &block->instrs)
        return "a jump is the last instruction of its block";
    return NULL;
}

const char *adreno_air_validate(struct air_program *program)
{
    uint32_t *home = adreno_air_alloc(program, program->num_temps * sizeof(*home));
    air_foreach_block(program, block)
    {
        air_foreach_instr(block, instr)
        {
            for (unsigned i = 0; i < instr->num_defs; i++) {
                if (instr->defs[i].temp && home[instr->defs[i].temp])
                    return "a value is written twice";
                home[instr->defs[i].temp] = block->index + 1;
            }
        }
    }
    air_foreach_block(program, block)
    {
        air_foreach_instr(block, instr)
        {
            const char *wrong = check_instr(program, block, instr, home);
            if (wrong)
                return wrong;
        }
    }
    return NULL;
}
