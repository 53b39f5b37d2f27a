/* Programs that move memory: one fetch of a texel or one load of a word for each lane, and what becomes of it is the
 * same four bytes. Where the lanes' texels or words are is known for a whole rectangle of lanes (model/exec/area.h), so
 * that whoever runs the program may move rectangles of bytes instead. Whether the bytes stay as they are is tried for
 * each launch, for uniforms decide about it (model/exec/bytes.h).
 *
 * Not for: texels of other sizes, several fetches, loads whose address is no plane. */
#ifndef MALI_MODEL_SC_MOVE_H
#define MALI_MODEL_SC_MOVE_H

#include "mali/model/sc/jit_build.h"
#include "mali/model/tex/area.h"
#include "model/exec/area.h"
#include "model/exec/bytes.h"

/* Inputs of the fetch or the load: x, y and layer, and the handles; low and high words of an address. */
enum {
    SC_MOVE_X,
    SC_MOVE_Y,
    SC_MOVE_LAYER,
    SC_MOVE_HANDLES, /* two words */
    SC_MOVE_PLACES = SC_MOVE_HANDLES + 2,
    SC_MOVE_LOW = SC_MOVE_X,
    SC_MOVE_HIGH = SC_MOVE_Y,
};

/* Part of a program, and what is brought before it runs. */
struct sc_move_part {
    struct jit_inst *insts;
    uint32_t count;
    struct sc_jit_inputs inputs;
};

struct sc_move {
    const struct sc_uop *uop; /* the fetch or the load */
    bool is_fetch;
    struct sc_move_part from; /* places of what is moved */
    jit_value places[SC_MOVE_PLACES];
    struct sc_move_part become; /* what becomes of it: `result` */
    jit_value result;
    uint32_t result_B; /* the row that it is left in */
    struct exec_bytes bytes;
};

/* Keep a copy of a program. False: no memory. */
bool mali_sc_move_keep(struct sc_move_part *part, struct exec_code *code, const struct sc_jit_builder *b);

/* A move by a micro-operation that the builder is in front of; NULL: it is none such, or no memory. */
struct sc_move *mali_sc_move_begin(struct sc_jit_builder *b, const struct sc_uop *uop);

/* Of a launch: where what is moved is. */
struct sc_moved {
    struct exec_plane places[SC_MOVE_PLACES];
    uint64_t va;                /* of a load: of the first lane */
    struct mali_tex_area image; /* of a fetch */
};

/* Planes over `area`, whose frame is the warp. False: the texels or words are not side by side, or their bytes do not
 * stay as they are. `code` is of the part `become`. */
bool mali_sc_move_look(struct sc_move *move, struct mali_warp *warp, const struct exec_area *area, jit_code code,
                       struct sc_moved *moved_out);

/* Both parts of it: planes of all operations of `from` over the area; whether bytes stay as they are, whatever the area
 * is. */
bool mali_sc_move_find(struct sc_move *move, struct mali_warp *warp, const struct exec_area *area,
                       struct exec_plane planes_out[EXEC_BYTES_MAX], struct sc_moved *moved_out);
bool mali_sc_move_stays(struct sc_move *move, struct mali_warp *warp, jit_code code);

/* Rows of `rect`, of lanes of the area, at its own memory if it is one; else in `copy`, which has room for them. NULL:
 * not all of it can be read so. */
const uint8_t *mali_sc_move_rows(const struct sc_move *move, const struct sc_moved *moved,
                                 const struct gpu_space *space, const struct mali_tex_rect *rect, uint8_t *copy,
                                 size_t *row_B_out);

#endif
