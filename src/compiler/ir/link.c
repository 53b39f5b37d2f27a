/* Linking of two stages that follow one another: what the second knows to be the same for every vertex comes over as a
 * constant, what it does not read is not written any more, and what the first never writes reads as zero.
 *
 * Legal because the interface between two stages of one pipeline is private to them: nothing else sees a parameter.
 * What is undefined by the rules (an input that is never written) may be anything, so zero. Built-in outputs stay as
 * they are: the rasteriser reads them. Not for: stages whose neighbour is not known (pipeline libraries), and not for
 * removing inputs of the first stage, which memory gives. */
#include <stdio.h>
#include <string.h>

#include "util/bits.h"

#include "compiler/ir/ir_builder.h"
#include "compiler/ir/opt.h"
#include "util/deep_stack.h"

enum {
    LOCATIONS = 64,
    PATCH_LOCATIONS = 32, /* from here on: what is a patch's has numbers of its own */
    SLOTS = LOCATIONS * 4 /* a slot is 32 bits of a location */
};

struct interface {
    bool read[SLOTS], written[SLOTS];
    bool varies[SLOTS];       /* written with something that is no constant, or with two of them */
    uint32_t constant[SLOTS]; /* what is written where it does not vary */
    uint8_t bits[SLOTS];
};

/* Which operand of a load counts locations; -1: no load of an input. */
static int input_offset(const struct ir_instr *instr)
{
    switch (instr->op) {
    case IR_OP_load_input:
        return 0;
    case IR_OP_load_interp:
    case IR_OP_load_input_vertex:
    case IR_OP_load_per_vertex:
        return 1;
    default:
        return -1;
    }
}

static int output_offset(const struct ir_instr *instr)
{
    return instr->op == IR_OP_store_output ? 1 : instr->op == IR_OP_store_per_vertex ? 2 : -1;
}

static bool is_parameter(const struct ir_instr *instr)
{
    return ir_imm(instr, IR_IMM_LOCATION) >= IR_LOCATION_VAR0;
}

static unsigned slots_of(const struct ir_value *value)
{
    return value->bits == 64 ? 2 : 1;
}

/* Inputs of an evaluation shader and outputs of a control shader that are not a vertex's. */
static unsigned first_location(const struct ir_shader *shader, const struct ir_instr *instr)
{
    const bool is_patch = (shader->stage == IR_STAGE_tess_eval && instr->op == IR_OP_load_input) ||
                          (shader->stage == IR_STAGE_tess_control && instr->op == IR_OP_store_output);
    return ir_imm(instr, IR_IMM_LOCATION) - IR_LOCATION_VAR0 + (is_patch ? PATCH_LOCATIONS : 0);
}

/* The slot of a component; -1 where it is not known or beyond all. */
static int slot_of(const struct ir_shader *shader, const struct ir_instr *instr, int offset, unsigned slots,
                   unsigned comp)
{
    if (!ir_is_const(ir_src(instr, (uint32_t)offset)))
        return -1;
    uint64_t slot = (first_location(shader, instr) + ir_const_u64(ir_src(instr, (uint32_t)offset))) * 4 +
                    ir_imm(instr, IR_IMM_COMP) + comp * slots;
    return slot + slots <= SLOTS ? (int)slot : -1;
}

/* An access at a computed place may touch everything from its location on. */
static void mark_from(const struct ir_shader *shader, const struct ir_instr *instr, bool flags[SLOTS])
{
    uint32_t first = first_location(shader, instr) * 4;
    for (uint32_t slot = first; slot < SLOTS; slot++)
        flags[slot] = true;
}

static bool reads_component(const struct ir_value *value, unsigned comp)
{
    ir_foreach_use (value, use) {
        if (!use->instr || use->instr->op != IR_OP_extract || ir_imm(use->instr, IR_IMM_COMP) == comp)
            return true;
    }
    return false;
}

static void gather_reads(const struct ir_shader *consumer, struct interface *io)
{
    memset(io->read, 0, sizeof(io->read));
    ir_foreach_block (consumer, block)
        ir_foreach_instr (block, instr) {
            int offset = input_offset(instr);
            if (offset < 0 || !is_parameter(instr))
                continue;
            unsigned slots = slots_of(&instr->def);
            for (unsigned comp = 0; comp < instr->def.comps; comp++) {
                int slot = slot_of(consumer, instr, offset, slots, comp);
                if (!reads_component(&instr->def, comp))
                    continue;
                if (slot < 0)
                    mark_from(consumer, instr, io->read);
                for (unsigned i = 0; slot >= 0 && i < slots; i++)
                    io->read[slot + (int)i] = true;
            }
        }
}

static void note_write(struct interface *io, int slot, unsigned slots, const struct ir_value *value)
{
    for (unsigned i = 0; i < slots; i++) {
        int at = slot + (int)i;
        bool constant = value && slots == 1 && ir_is_const(value);
        uint32_t bits = constant ? (uint32_t)ir_const_u64(value) : 0;
        io->varies[at] |= !constant || (io->written[at] && (io->constant[at] != bits || io->bits[at] != value->bits));
        io->written[at] = true;
        io->constant[at] = bits;
        io->bits[at] = constant ? value->bits : 0;
    }
}

static void gather_writes(const struct ir_shader *producer, struct interface *io)
{
    ir_foreach_block (producer, block)
        ir_foreach_instr (block, instr) {
            int offset = output_offset(instr);
            if (offset < 0 || !is_parameter(instr))
                continue;
            const struct ir_value *value = ir_src(instr, 0);
            for (unsigned comp = 0; comp < value->comps; comp++) {
                int slot = slot_of(producer, instr, offset, slots_of(value), comp);
                if (slot >= 0) {
                    note_write(io, slot, slots_of(value), ir_component(value, comp));
                    continue;
                }
                mark_from(producer, instr, io->written);
                mark_from(producer, instr, io->varies);
            }
        }
}

/* --- the consumer --- */

static bool is_finite(uint32_t bits, uint8_t width)
{
    return width == 16 ? (~bits & 0x7c00u) != 0 : (~bits & 0x7f800000u) != 0;
}

/* The known value of component `comp` of a load; NULL: nothing. Between three equal values lies that value, if it is
 * a number; a weight of zero times infinity is none. */
static struct ir_value *known_component(struct ir_builder *b, const struct ir_instr *load, const struct interface *io,
                                        unsigned comp)
{
    unsigned slots = slots_of(&load->def);
    int slot = slot_of(b->shader, load, input_offset(load), slots, comp);
    if (slot < 0)
        return NULL;
    bool written = io->written[slot] || (slots == 2 && io->written[slot + 1]);
    if (!written)
        return ir_const(b, load->def.bits, 0);
    if (slots == 2 || io->varies[slot] || io->bits[slot] != load->def.bits)
        return NULL;
    if (load->op == IR_OP_load_interp && !is_finite(io->constant[slot], io->bits[slot]))
        return NULL;
    return ir_const(b, load->def.bits, io->constant[slot]);
}

static bool forward_into(struct ir_shader *consumer, struct ir_instr *load, const struct interface *io)
{
    struct ir_builder b = ir_builder_after(consumer, load);
    struct ir_value *comps[IR_MAX_COMPS];
    bool any = false;
    for (unsigned i = 0; i < load->def.comps; i++) {
        comps[i] = reads_component(&load->def, i) ? known_component(&b, load, io, i) : NULL;
        any |= comps[i] != NULL;
    }
    if (!any)
        return false;
    struct ir_value *mark = ir_undef(&b, load->def.bits, load->def.comps); /* so that the load itself is not replaced */
    ir_replace_uses(&load->def, mark);
    for (unsigned i = 0; i < load->def.comps; i++)
        comps[i] = comps[i] ? comps[i] : load->def.comps == 1 ? &load->def : ir_extract(&b, &load->def, i);
    ir_replace_uses(mark, ir_vec(&b, load->def.comps, comps));
    return true;
}

static bool forward_constants(struct ir_shader *consumer, const void *options)
{
    const struct interface *io = options;
    bool progress = false;
    ir_foreach_block (consumer, block)
        ir_foreach_instr (block, instr) {
            int offset = input_offset(instr);
            if (offset >= 0 && is_parameter(instr))
                progress |= forward_into(consumer, instr, io);
        }
    return progress;
}

/* --- the producer --- */

static bool is_wanted(const struct ir_shader *producer, const struct ir_instr *store, const struct interface *io,
                      unsigned comp)
{
    unsigned slots = slots_of(ir_src(store, 0));
    int slot = slot_of(producer, store, output_offset(store), slots, comp);
    return slot < 0 || io->read[slot] || (slots == 2 && io->read[slot + 1]);
}

/* Transform feedback reads too. */
static void add_captures(const struct ir_shader *producer, struct interface *io)
{
    for (uint32_t i = 0; i < producer->num_captures; i++) {
        const struct ir_capture *capture = &producer->captures[i];
        if (capture->location < IR_LOCATION_VAR0)
            continue;
        uint32_t first = (capture->location - IR_LOCATION_VAR0) * 4u + capture->component,
                 end = first + capture->num_comps * (capture->bits == 64 ? 2u : 1u);
        for (uint32_t slot = first; slot < end && slot < SLOTS; slot++)
            io->read[slot] = true;
    }
}

/* Stores again what is wanted, run by run. */
static bool shrink_store(struct ir_shader *producer, struct ir_instr *store, const struct interface *io)
{
    struct ir_value *value = ir_src(store, 0), *comps[IR_MAX_COMPS];
    unsigned wanted = 0;
    for (unsigned i = 0; i < value->comps; i++)
        wanted += is_wanted(producer, store, io, i);
    if (wanted == value->comps)
        return false;
    struct ir_builder b = ir_builder_before(producer, store);
    for (unsigned first = 0; first < value->comps;) {
        unsigned count = 0;
        while (first + count < value->comps && is_wanted(producer, store, io, first + count)) {
            comps[count] = ir_extract(&b, value, first + count);
            count++;
        }
        if (count)
            ir_store_output(&b, ir_vec(&b, count, comps), ir_src(store, 1), ir_imm(store, IR_IMM_LOCATION),
                            ir_imm(store, IR_IMM_COMP) + first * slots_of(value), ir_imm(store, IR_IMM_DUAL_INDEX));
        first += MAX2(count, 1u);
    }
    ir_remove(store);
    return true;
}

/* A mesh shader's: all of it or none. */
static bool drop_store(struct ir_shader *producer, struct ir_instr *store, const struct interface *io)
{
    for (unsigned i = 0; i < ir_src(store, 0)->comps; i++) {
        if (is_wanted(producer, store, io, i))
            return false;
    }
    ir_remove(store);
    return true;
}

static bool drop_unread(struct ir_shader *producer, const void *options)
{
    bool progress = false;
    ir_foreach_block (producer, block)
        ir_foreach_instr (block, instr) {
            if (instr->op == IR_OP_store_output && is_parameter(instr))
                progress |= shrink_store(producer, instr, options);
            else if (instr->op == IR_OP_store_per_vertex && is_parameter(instr))
                progress |= drop_store(producer, instr, options);
        }
    return progress;
}

/* --- lists of variables --- */

static void prune_vars(struct ir_io_var *vars, uint32_t *count, const bool used[SLOTS])
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < *count; i++) {
        bool keep = vars[i].location < IR_LOCATION_VAR0;
        uint32_t first = keep ? 0 : (vars[i].location - IR_LOCATION_VAR0 + (vars[i].patch ? PATCH_LOCATIONS : 0)) * 4u;
        for (uint32_t slot = first; !keep && slot < first + MAX2(vars[i].num_locations, 1u) * 4u && slot < SLOTS;
             slot++)
            keep = used[slot];
        if (keep)
            vars[kept++] = vars[i];
    }
    *count = kept;
}

uint64_t ir_inputs_read(const struct ir_shader *shader)
{
    struct interface io;
    uint64_t mask = 0;
    gather_reads(shader, &io);
    for (unsigned slot = 0; slot < SLOTS; slot++)
        mask |= io.read[slot] ? 1ull << slot / 4 : 0;
    return mask;
}

static bool link_guarded(struct ir_shader *producer, struct ir_shader *consumer, char error_out[256])
{
    struct ir_failure failure;
    struct interface io = {0};
    bool ok = false;
    if (ir_guard(producer, &failure)) {
        snprintf(error_out, 256, "%s", failure.text);
        goto end;
    }
    consumer->failure = &failure;
    gather_writes(producer, &io);
    if (IR_PASS(consumer, forward_constants, &io)) {
        IR_PASS(consumer, opt_fold, NULL);
        IR_PASS(consumer, opt_dead_flow, NULL);
    }
    IR_PASS(consumer, opt_dead_code, NULL);
    gather_reads(consumer, &io);
    prune_vars(consumer->inputs, &consumer->num_inputs, io.read);
    if (producer->stage != IR_STAGE_tess_control) { /* its outputs are read by its other invocations, too */
        add_captures(producer, &io);
        if (IR_PASS(producer, drop_unread, &io))
            IR_PASS(producer, opt_dead_code, NULL);
        prune_vars(producer->outputs, &producer->num_outputs, io.read);
    }
    ok = true;
end:
    producer->failure = consumer->failure = NULL;
    return ok;
}

struct linking {
    struct ir_shader *producer, *consumer;
    char *error_out;
    bool done;
};

static void run_link(void *data)
{
    struct linking *linking = data;
    linking->done = link_guarded(linking->producer, linking->consumer, linking->error_out);
}

bool ir_link(struct ir_shader *producer, struct ir_shader *consumer, char error_out[256])
{
    struct linking linking = {producer, consumer, error_out, false};
    if (ir_depth(producer) <= IR_SHALLOW && ir_depth(consumer) <= IR_SHALLOW)
        run_link(&linking);
    else if (!deep_stack_run(run_link, &linking))
        snprintf(error_out, 256, "out of memory for a stack");
    return linking.done;
}
