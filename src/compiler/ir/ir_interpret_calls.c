/* The interpreter's calls: functions that the caller of the interpreter gives by address, and a stack for each lane. */
#include "compiler/ir/ir_interpret.h"

#include "util/bits.h"

#include "compiler/ir/ir_interpret_internal.h"

uint32_t interp_frame_args_B(const struct ir_shader *shader)
{
    return ir_is_function(shader) ? IR_FRAME_ARGS_B : 0;
}

uint32_t interp_next_frame_B(const struct interpreter *in)
{
    return in->frame_B + (uint32_t)align_u64(interp_frame_args_B(in->shader) + (uint64_t)in->shader->scratch_size_B, 16);
}

bool interp_wants_stack(const struct ir_shader *shader)
{
    ir_foreach_block (shader, block) {
        ir_foreach_instr (block, instr) {
            switch (instr->op) {
            case IR_OP_stack_call:
            case IR_OP_call_one:
            case IR_OP_load_outgoing:
            case IR_OP_store_outgoing:
            case IR_OP_load_incoming:
            case IR_OP_store_incoming:
            case IR_OP_load_stack:
            case IR_OP_store_stack:
            case IR_OP_frame_address:
                return true;
            default:
                break;
            }
        }
    }
    return false;
}

static struct ir_shader *function_at(struct interpreter *in, uint64_t address)
{
    for (uint32_t i = 0; i < in->options->num_functions; i++) {
        if (in->options->functions[i].address == address)
            return in->options->functions[i].shader;
    }
    interp_stop(in, "there is no function at 0x%llx", (unsigned long long)address);
}

/* The body of another shader, or of the same one again, in these lanes. */
static void run_function(struct interpreter *in, struct ir_shader *shader, struct lanes *mask)
{
    const struct interp_running before = in->running;
    struct ir_shader *caller = in->shader;
    struct ir_failure *failure = shader->failure;
    const uint32_t frame_B = in->frame_B;
    in->frame_B = interp_next_frame_B(in);
    shader->failure = caller->failure;
    in->shader = shader;
    if ((uint64_t)interp_next_frame_B(in) + IR_FRAME_ARGS_B > in->stack_size_B)
        interp_stop(in, "the stack of %u bytes is full", in->stack_size_B);
    interp_begin_shader(in);
    interp_run_body(in, mask);
    shader->failure = failure;
    in->shader = caller;
    in->running = before;
    in->frame_B = frame_B;
}

/* One wave after the other and one address after the other, as a GPU does it. */
static void call_function(struct interpreter *in, const struct ir_instr *instr, const struct lanes *mask)
{
    for (uint32_t w = 0; w < in->num_waves; w++) {
        uint64_t left = mask->wave[w];
        while (left) {
            const uint32_t first = w * in->wave_size;
            uint64_t address = interp_decisive(in, instr, 0, first + (uint32_t)__builtin_ctzll(left));
            struct lanes same = {0};
            for (uint64_t rest = left; rest; rest &= rest - 1) {
                uint32_t lane = (uint32_t)__builtin_ctzll(rest);
                if (interp_decisive(in, instr, 0, first + lane) == address)
                    same.wave[w] |= 1ull << lane;
            }
            left &= ~same.wave[w];
            if (address)
                run_function(in, function_at(in, address), &same);
        }
    }
}

bool interp_calls(struct interpreter *in, const struct ir_instr *instr, const struct lanes *mask)
{
    switch (instr->op) {
    case IR_OP_stack_call:
    case IR_OP_call_one:
        call_function(in, instr, mask);
        return true;
    case IR_OP_frame_address:
        foreach_lane (in, mask, lane) {
            interp_data(in, &instr->def, 0)[lane] =
                in->frame_B + interp_frame_args_B(in->shader) + ir_imm(instr, IR_IMM_BASE);
            interp_doubt(in, &instr->def, 0)[lane] = 0;
        }
        return true;
    default:
        return false;
    }
}
