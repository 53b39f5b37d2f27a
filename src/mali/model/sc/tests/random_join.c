/* See random_join.h. */
#include "mali/model/sc/tests/random_join.h"

#include "isa/lane_env.h"
#include "mali/hw/enums.h"
#include "mali/model/sc/core.h"
#include "mali/model/sc/jit_build.h"

static bool take_varying(void *user, struct lane_program *program, const struct mali_varying_load *load,
                         jit_value registers_out[4])
{
    (void)user;
    (void)program;
    (void)load;
    (void)registers_out;
    return false;
}

/* A blend shader is called where the descriptor says so. */
static enum mali_blend_result take_blend(void *user, const struct sc_join_blend *blend)
{
    (void)user;
    return (blend->descriptor[0] & 3) == MALI_BLEND_MODE_SHADER ? MALI_BLEND_SHADER : MALI_BLEND_FAULT;
}

static unsigned take_tile(void *user, struct lane_program *program, const struct sc_join_tile *tile,
                          jit_value registers_out[4])
{
    (void)user;
    (void)program;
    (void)tile;
    (void)registers_out;
    return 0;
}

static void pause_blends(void *user, struct lane_program *program)
{
    (void)user;
    (void)program;
}

/* Registers are stored at the end. */
static bool finish_program(void *user, struct lane_program *program, const struct sc_join_end *end)
{
    const struct sc_jit_builder *b = user;
    (void)end;
    for (unsigned reg = 0; reg < MALI_WARP_REGISTERS; reg++) {
        const uint32_t place = mali_sc_register_place(reg);
        const jit_value value = b->rows.values[(place - b->rows.first_B) / b->rows.row_B];
        if (value != JIT_NONE)
            lane_program_emit(program, JIT_STORE, value, JIT_NONE, JIT_NONE, place);
    }
    return !program->failed;
}

static bool was_apart;
static unsigned pieces;

unsigned random_join_pieces(void)
{
    return pieces;
}

bool random_join_was_apart(void)
{
    return was_apart;
}

struct mali_warp *random_join_run(struct mali_core *core, const struct mali_launch *launch,
                                  void (*fill)(struct mali_warp *warp), uint64_t lanes, bool *stopped_out)
{
    static const struct sc_join_hooks hooks = {take_varying, take_blend, take_tile, pause_blends, finish_program};
    struct mali_warp *warp = mali_sc_join_warp(core, launch, sizeof(struct sc_join_rows));
    struct pixel_variant variant = {0};
    struct sc_join join = {
        .warp = warp,
        .variant = &variant,
        .frame_B = sizeof(struct mali_warp) + sizeof(struct sc_join_rows),
        .hooks = &hooks,
        .user = mali_sc_code_jit(core->code),
    };
    *stopped_out = false;
    if (!warp || !mali_sc_join(&join) || !mali_sc_join_suits(warp, &variant))
        return NULL;
    was_apart = join.is_apart;
    pieces = variant.count;
    fill(warp);
    const uint64_t host = lane_env_get();
    lane_env_set(warp->env);
    *stopped_out = !mali_sc_join_run(warp, &variant, &join.between, lanes, lanes);
    lane_env_set(host);
    return *stopped_out ? NULL : warp;
}
