/* See copy.h. */
#include "mali/model/sc/copy.h"

#include <stddef.h>

#include "isa/lane_env.h"
#include "mali/model/sc/code.h"
#include "mali/model/sc/core.h"
#include "mali/model/sc/memory.h"

#define REG_FIRST 55 /* what a launch preloads: */
#define REG_GLOBAL 60
#define MOST_MISSES 64
#define RESULT_B ((uint32_t)offsetof(struct mali_warp, temp))

/* ---- making ---- */

/* Its results are rows that nothing else reads: registers that a launch does not preload. */
bool mali_sc_copy_fetch(struct sc_copy *copy, struct sc_jit_builder *b, const struct sc_uop *uop)
{
    struct lane_program *p = &b->exec.program;
    const unsigned reg = uop->inst->staging[0].reg;
    if (copy->move || reg + 4 > REG_FIRST)
        return false;
    copy->move = mali_sc_move_begin(b, uop);
    if (!copy->move || !copy->move->is_fetch)
        return false;
    for (uint32_t i = 0; i < 4; i++)
        mali_sc_jit_write_row(b, uop->d + i * SC_ROW_B,
                              lane_program_emit(p, JIT_ROW, JIT_NONE, JIT_NONE, JIT_NONE, uop->d + i * SC_ROW_B));
    return !p->failed;
}

bool mali_sc_copy_store(struct sc_copy *copy, struct sc_jit_builder *b, const struct sc_uop *uop, jit_value lanes)
{
    if (!copy->move || copy->has_store || uop->imm2 != 32)
        return false;
    copy->has_store = true;
    copy->low = mali_sc_jit_read_row(b, uop->s[0]);
    copy->high = mali_sc_jit_read_row(b, uop->s[0] + SC_ROW_B);
    copy->value = mali_sc_jit_read_row(b, uop->s[1]);
    copy->offset_B = (int32_t)uop->inst->number[0];
    copy->lanes = lanes;
    return !b->exec.program.failed;
}

bool mali_sc_copy_end(struct sc_copy *copy, struct sc_jit_builder *b, const struct jit_frame *frame)
{
    struct lane_program *p = &b->exec.program;
    struct exec_code *code = mali_sc_code_exec(b->warp->code);
    if (!copy->has_store || b->inputs.site_count || b->inputs.view_count)
        return false;
    lane_program_emit(p, JIT_STORE, copy->value, JIT_NONE, JIT_NONE, RESULT_B);
    copy->move->result = copy->value;
    copy->move->result_B = RESULT_B;
    if (p->failed || !mali_sc_move_keep(&copy->move->from, code, b) || !mali_sc_move_keep(&copy->move->become, code, b))
        return false;
    copy->code = exec_code_compile(code, p, frame, true);
    return copy->code != NULL;
}

/* ---- running ---- */

static struct exec_plane find_register(void *user, uint32_t row_B)
{
    const uint32_t *first = user, reg = (row_B - (uint32_t)offsetof(struct mali_warp, rows)) / SC_ROW_B;
    if (reg < REG_GLOBAL || reg > REG_GLOBAL + 2)
        return (struct exec_plane){EXEC_PLANE_NONE};
    return exec_plane_of(first[reg - REG_GLOBAL], reg == REG_GLOBAL, reg == REG_GLOBAL + 1);
}

/* Where the rectangle goes; NULL: its rows do not lie in memory as such, or some of them where texels are read from:
 * threads read what other ones have not stored yet. */
static uint8_t *find_place(const struct sc_copy *copy, const struct mali_warp *warp, const struct exec_plane *planes,
                           const struct mali_tex_area *from, const struct mali_tex_rect *rect)
{
    const uint32_t width = rect->width, height = rect->height;
    const struct exec_plane *low = &planes[copy->low], *high = &planes[copy->high];
    const uint64_t va = low->base + ((uint64_t)high->base << 32) + (uint64_t)(int64_t)copy->offset_B;
    const uint64_t size_B = (uint64_t)low->dy * (height - 1) + width * 4ull;
    if (low->kind != EXEC_PLANE_WORD || !exec_plane_is_flat(high) || low->dx != 4 || (int32_t)low->dy < 0 ||
        low->base + size_B > 1ull << 32 || (height > 1 && low->dy < width * 4) ||
        mali_tex_area_meets(from, rect, va, size_B))
        return NULL;
    return gpu_space_whole(warp->memory, va, size_B, GPU_PERM_READ | GPU_PERM_WRITE);
}

static bool run_copy(struct sc_copy *copy, struct mali_warp *warp, const uint32_t first[3], uint32_t width,
                     uint32_t height)
{
    struct exec_plane planes[EXEC_BYTES_MAX];
    struct sc_moved moved;
    uint32_t numbers[3] = {first[0], first[1], first[2]};
    const struct exec_area area = {width, height, warp, find_register, numbers};
    planes[copy->lanes] = (struct exec_plane){EXEC_PLANE_NONE};
    const bool is_found = mali_sc_move_find(copy->move, warp, &area, planes, &moved);
    const struct exec_plane *lanes = &planes[copy->lanes];
    if (exec_plane_is_flat(lanes) && !lanes->base)
        return true; /* outside of what is copied */
    if (!is_found || !exec_plane_is_flat(lanes) || lanes->base != UINT32_MAX)
        return false;
    const struct mali_tex_rect rect = {moved.places[SC_MOVE_X].base, moved.places[SC_MOVE_Y].base, width, height};
    uint8_t *to = find_place(copy, warp, planes, &moved.image, &rect);
    if (!to)
        return false;
    if (copy->serial != warp->launch->serial) {
        const uint64_t host = lane_env_get();
        lane_env_set(warp->env);
        copy->serial = warp->launch->serial;
        copy->stays = mali_sc_move_stays(copy->move, warp, copy->code);
        lane_env_set(host);
    }
    return copy->stays && mali_tex_area_read(&moved.image, &rect, to, height > 1 ? planes[copy->low].dy : width * 4);
}

bool mali_sc_copy_run(struct sc_copy *copy, struct mali_warp *warp, const uint32_t first[3], uint32_t width,
                      uint32_t height)
{
    const bool is_done = copy->misses < MOST_MISSES && run_copy(copy, warp, first, width, height);
    copy->misses = is_done ? 0 : copy->misses + (copy->misses < MOST_MISSES);
    return is_done;
}
