/* The order in which the passes run. */
#include "compiler/ir/opt.h"

#include <stdio.h>

#include "compiler/ir/target.h"
#include "util/deep_stack.h"

static bool unroll_all(struct ir_shader *shader, const void *options)
{
    bool progress = false;
    while (IR_PASS(shader, opt_unroll, NULL)) {
        IR_PASS(shader, opt_fold, NULL);
        IR_PASS(shader, opt_dead_flow, NULL);
        progress = true;
    }
    return progress;
}

/* Each pass makes work for others. They take turns until each has found nothing since the last change, and soon: the
 * limit is against a circle of rules. */
static void run_rounds(struct ir_shader *shader)
{
    static const struct {
        const char *name;
        ir_pass pass;
    } rounds[] = {{"opt_fold", opt_fold},
                  {"opt_algebraic", opt_algebraic},
                  {"opt_dead_flow", opt_dead_flow},
                  {"opt_common", opt_common},
                  {"opt_dead_code", opt_dead_code},
                  {"opt_if_convert", opt_if_convert},
                  {"opt_invariant", opt_invariant},
                  {"unroll_all", unroll_all},
                  {"opt_vars_to_ssa", opt_vars_to_ssa}};
    enum {
        COUNT = sizeof(rounds) / sizeof(rounds[0]),
        MAX_ROUNDS = 16
    };
    for (unsigned i = 0, quiet = 0; i < COUNT * MAX_ROUNDS && quiet < COUNT; i++) {
        bool progress = ir_run_pass(shader, rounds[i % COUNT].name, rounds[i % COUNT].pass, NULL);
        quiet = progress ? 0 : quiet + 1;
    }
}

void ir_optimise(struct ir_shader *shader, const struct ir_target *target)
{
    shader->target = target;
    if (target->lower_rays)
        ir_run_pass(shader, "lower_rays", target->lower_rays, NULL);
    IR_PASS(shader, opt_dead_code, NULL);
    IR_PASS(shader, opt_vars_to_ssa, NULL);
    run_rounds(shader);
    /* Variables that are indexed by computed numbers and never change. */
    bool changed = IR_PASS(shader, opt_const_vars, NULL);
    if (IR_PASS(shader, opt_small_vars, NULL)) {
        IR_PASS(shader, opt_vars_to_ssa, NULL);
        IR_PASS(shader, opt_fold, NULL);
        IR_PASS(shader, opt_algebraic, NULL);
        IR_PASS(shader, opt_dead_flow, NULL);
        IR_PASS(shader, opt_common, NULL);
        IR_PASS(shader, opt_dead_code, NULL);
        changed = true;
    }
    /* Addresses last: what the rounds above have simplified shows which accesses lie side by side. */
    changed |= IR_PASS(shader, opt_address, NULL);
    if (changed) {
        IR_PASS(shader, opt_fold, NULL);
        IR_PASS(shader, opt_algebraic, NULL);
        IR_PASS(shader, opt_fold, NULL);
        IR_PASS(shader, opt_common, NULL);
        IR_PASS(shader, opt_address, NULL);
    }
    changed |= IR_PASS(shader, opt_vectorise, NULL);
    if (changed) {
        IR_PASS(shader, opt_fold, NULL);
        IR_PASS(shader, opt_common, NULL);
        IR_PASS(shader, opt_dead_code, NULL);
    }
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
