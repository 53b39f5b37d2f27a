/* See move.h. */
#include "mali/model/sc/move.h"

#include <string.h>

#include "mali/model/sc/code.h"
#include "mali/model/sc/core.h"
#include "mali/model/sc/memory.h"
#include "mali/model/sc/message.h"
#include "mali/model/tex/tex.h"

/* ---- making ---- */

bool mali_sc_move_keep(struct sc_move_part *part, struct exec_code *code, const struct sc_jit_builder *b)
{
    const struct lane_program *p = &b->exec.program;
    part->insts = p->count <= EXEC_BYTES_MAX ? exec_code_alloc(code, p->count * sizeof(*part->insts)) : NULL;
    if (!part->insts)
        return false;
    memcpy(part->insts, p->insts, p->count * sizeof(*part->insts));
    part->count = p->count;
    part->inputs = b->inputs;
    return true;
}

/* Texels of two dimensions without offsets, four words each. */
static bool is_plain_fetch(const struct mali_isa_inst *inst)
{
    const uint8_t *field = inst->field;
    return inst->op == MALI_ISA_OP_TEX_FETCH && field[MALI_ISA_FIELD_DIMENSION] == MALI_TEX_2D &&
           field[MALI_ISA_FIELD_MASK] == 15 && field[MALI_ISA_FIELD_WIDTH] == MALI_ISA_WIDTH_32 &&
           !field[MALI_ISA_FIELD_TEXEL_OFFSET];
}

struct sc_move *mali_sc_move_begin(struct sc_jit_builder *b, const struct sc_uop *uop)
{
    const bool is_fetch = mali_sc_is_fetch(uop) && is_plain_fetch(uop->inst);
    const bool is_load = uop->run == mali_sc_run_load && uop->imm2 == 32 && !uop->inst->field[MALI_ISA_FIELD_LANE32];
    struct sc_move *move =
        is_fetch || is_load ? exec_code_alloc(mali_sc_code_exec(b->warp->code), sizeof(*move)) : NULL;
    if (!move)
        return NULL;
    *move = (struct sc_move){.uop = uop, .is_fetch = is_fetch, .bytes.row_count = is_fetch ? 4 : 1};
    for (uint32_t i = 0; i < move->bytes.row_count; i++)
        move->bytes.row_B[i] = uop->d + i * SC_ROW_B;
    const jit_value zero = lane_program_const(&b->exec.program, 0);
    const bool has_layer = is_fetch && uop->inst->field[MALI_ISA_FIELD_ARRAY_ENABLE];
    const sc_place at = is_fetch ? uop->s[1] : uop->s[0];
    move->places[SC_MOVE_X] = mali_sc_jit_read_row(b, at);
    move->places[SC_MOVE_Y] = mali_sc_jit_read_row(b, at + SC_ROW_B);
    move->places[SC_MOVE_LAYER] = has_layer ? mali_sc_jit_read_row(b, at + 2 * SC_ROW_B) : zero;
    for (uint32_t i = 0; i < 2; i++)
        move->places[SC_MOVE_HANDLES + i] = is_fetch ? mali_sc_jit_read_row(b, uop->s[0] + i * SC_ROW_B) : zero;
    return move;
}

/* ---- a launch ---- */

static bool is_step(const struct exec_plane *plane, uint32_t dx, uint32_t dy)
{
    return plane->kind == EXEC_PLANE_WORD && plane->dx == dx && plane->dy == dy;
}

/* Texels or words side by side, in rows. */
static bool are_beside(const struct sc_move *move, const struct exec_plane *places)
{
    if (!move->is_fetch)
        return is_step(&places[SC_MOVE_LOW], 4, places[SC_MOVE_LOW].dy) && exec_plane_is_flat(&places[SC_MOVE_HIGH]);
    return is_step(&places[SC_MOVE_X], 1, 0) && is_step(&places[SC_MOVE_Y], 0, 1) &&
           exec_plane_is_flat(&places[SC_MOVE_LAYER]) && exec_plane_is_flat(&places[SC_MOVE_HANDLES]) &&
           exec_plane_is_flat(&places[SC_MOVE_HANDLES + 1]);
}

/* No lane's address leaves the lower word. */
static bool is_one_span(const struct exec_area *area, const struct exec_plane *low)
{
    const int64_t last = (int64_t)low->base + (int64_t)(int32_t)low->dy * (area->height - 1);
    return last >= 0 && (int32_t)low->dy >= 0 && last + 4ll * area->width <= 1ll << 32;
}

static bool open_source(const struct sc_move *move, struct mali_warp *warp, const struct exec_area *area,
                        struct sc_moved *moved)
{
    const struct exec_plane *places = moved->places;
    const uint32_t handles[2] = {places[SC_MOVE_HANDLES].base, places[SC_MOVE_HANDLES + 1].base};
    moved->va = places[SC_MOVE_LOW].base + ((uint64_t)places[SC_MOVE_HIGH].base << 32) +
                (uint64_t)(int64_t)(int32_t)move->uop->inst->number[0];
    return move->is_fetch ? mali_sc_fetch_area(warp, move->uop, handles, places[SC_MOVE_LAYER].base, &moved->image)
                          : is_one_span(area, &places[SC_MOVE_LOW]);
}

bool mali_sc_move_find(struct sc_move *move, struct mali_warp *warp, const struct exec_area *area,
                       struct exec_plane planes_out[EXEC_BYTES_MAX], struct sc_moved *moved_out)
{
    if (!mali_sc_jit_bring(warp, &move->from.inputs))
        return false;
    exec_area_look(area, move->from.insts, move->from.count, planes_out);
    for (unsigned i = 0; i < SC_MOVE_PLACES; i++)
        moved_out->places[i] = planes_out[move->places[i]];
    return are_beside(move, moved_out->places) && open_source(move, warp, area, moved_out);
}

bool mali_sc_move_stays(struct sc_move *move, struct mali_warp *warp, jit_code code)
{
    return mali_sc_jit_bring(warp, &move->become.inputs) &&
           exec_bytes_are_apart(move->become.insts, move->become.count, warp, &move->bytes, move->result) &&
           exec_bytes_stay(code, warp, MALI_ROW_LANES, &move->bytes, move->result_B);
}

bool mali_sc_move_look(struct sc_move *move, struct mali_warp *warp, const struct exec_area *area, jit_code code,
                       struct sc_moved *moved_out)
{
    struct exec_plane planes[EXEC_BYTES_MAX];
    return mali_sc_move_find(move, warp, area, planes, moved_out) && mali_sc_move_stays(move, warp, code);
}

/* ---- rectangles ---- */

const uint8_t *mali_sc_move_rows(const struct sc_move *move, const struct sc_moved *moved,
                                 const struct gpu_space *space, const struct mali_tex_rect *rect, uint8_t *copy,
                                 size_t *row_B_out)
{
    const struct exec_plane *places = moved->places;
    if (move->is_fetch) {
        const struct mali_tex_rect from = {places[SC_MOVE_X].base + rect->x, places[SC_MOVE_Y].base + rect->y,
                                           rect->width, rect->height};
        *row_B_out = rect->width * 4;
        return mali_tex_area_read(&moved->image, &from, copy, *row_B_out) ? copy : NULL;
    }
    const uint64_t row_B = places[SC_MOVE_LOW].dy, va = moved->va + rect->y * row_B + rect->x * 4ull;
    *row_B_out = row_B;
    return gpu_space_whole(space, va, (rect->height - 1) * row_B + rect->width * 4ull, GPU_PERM_READ);
}
