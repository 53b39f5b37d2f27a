/* The order in which the passes run. */
#include "compiler/ir/opt.h"

#include <stdio.h>

#include "compiler/ir/target.h"
#include "util/deep_stack.h"

void ir_optimise(struct ir_shader *shader, const struct ir_target *target)
{
    shader->target = target;
    /* Each pass makes work for others; a shader is done when a round changes nothing, and soon: the limit is against a
     * circle of rules. */
    enum {
        MAX_ROUNDS = 16
    };
    if (target->lower_rays)
        ir_run_pass(shader, "lower_rays", target->lower_rays, NULL);
    IR_PASS(shader, opt_dead_code, NULL);
    IR_PASS(shader, opt_vars_to_ssa, NULL);
    for (unsigned round = 0; round < MAX_ROUNDS; round++) {
        bool progress = false;
        progress |= IR_PASS(shader, opt_fold, NULL);
        progress |= IR_PASS(shader, opt_algebraic, NULL);
        progress |= IR_PASS(shader, opt_dead_flow, NULL);
        progress |= IR_PASS(shader, opt_common, NULL);
        progress |= IR_PASS(shader, opt_dead_code, NULL);
        progress |= IR_PASS(shader, opt_if_convert, NULL);
        progress |= IR_PASS(shader, opt_invariant, NULL);
        while (IR_PASS(shader, opt_unroll, NULL)) {
            IR_PASS(shader, opt_fold, NULL);
            IR_PASS(shader, opt_dead_flow, NULL);
            progress = true;
        }
        if (!progress)
            break;
        IR_PASS(shader, opt_vars_to_ssa, NULL);
    }
    /* What is indexed by computed numbers and never changes. */
    IR_PASS(shader, opt_const_vars, NULL);
    if (IR_PASS(shader, opt_small_vars, NULL)) {
        IR_PASS(shader, opt_vars_to_ssa, NULL);
        IR_PASS(shader, opt_fold, NULL);
        IR_PASS(shader, opt_algebraic, NULL);
        IR_PASS(shader, opt_dead_flow, NULL);
        IR_PASS(shader, opt_common, NULL);
        IR_PASS(shader, opt_dead_code, NULL);
    }
    /* Addresses last: what the rounds above have simplified shows which accesses lie side by side. */
    IR_PASS(shader, opt_address, NULL);
    IR_PASS(shader, opt_fold, NULL);
    IR_PASS(shader, opt_algebraic, NULL);
    IR_PASS(shader, opt_fold, NULL);
    IR_PASS(shader, opt_common, NULL);
    IR_PASS(shader, opt_address, NULL);
    IR_PASS(shader, opt_vectorise, NULL);
    IR_PASS(shader, opt_fold, NULL);
    IR_PASS(shader, opt_common, NULL);
    IR_PASS(shader, opt_dead_code, NULL);
}

struct job {
    struct ir_shader *shader;
    const struct ir_target *target;
    char *error_out;
    bool done;
};

static void run_job(void *data)
{
    struct job *job = data;
    struct ir_failure failure;
    if (ir_guard(job->shader, &failure)) {
        snprintf(job->error_out, 256, "%s", failure.text);
    } else {
        ir_optimise(job->shader, job->target);
        job->done = true;
    }
    job->shader->failure = NULL;
}

bool ir_optimise_guarded(struct ir_shader *shader, const struct ir_target *target, char error_out[256])
{
    struct job job = {shader, target, error_out, false};
    if (ir_depth(shader) <= IR_SHALLOW)
        run_job(&job);
    else if (!deep_stack_run(run_job, &job))
        snprintf(error_out, 256, "out of memory for a stack");
    return job.done;
}
