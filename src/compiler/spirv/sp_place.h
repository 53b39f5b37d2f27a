/* Where branches go while blocks become regions (sp_function.c says how), and the regions that are being filled. */
#ifndef COMPILER_SPIRV_SP_PLACE_H
#define COMPILER_SPIRV_SP_PLACE_H

#include "compiler/spirv/sp.h"

/* Somewhere that branches go to. */
struct sp_place {
    struct sp_loop *loop;        /* that it lies in; of a break or continue place the loop itself */
    struct ir_block *init_block; /* runs whenever the construct is entered: where the flag is cleared */
    struct ir_var *flag;
    struct sp_place **pending; /* places whose flags may be set when control falls to this one */
    uint32_t num_pending, max_pending;
};

struct sp_loop {
    struct sp_place *break_place, *continue_place;
    bool in_cont;
    uint32_t breaks;
    struct sp_place after; /* collects what is pending after the loop */
};

/* A region that is being filled. */
struct sp_emit {
    struct sp_emit *parent;
    struct sp_place *next;
    struct sp_loop *loop;
    uint32_t open_ifs; /* to be closed when the region ends */
    uint32_t depth;
};

struct sp_place *sp_new_place(struct sp *s);
void sp_add_pending(struct sp *s, struct sp_place *at, struct sp_place *target);
/* Whether a jump of the IR goes there. */
bool sp_is_native(const struct sp *s, const struct sp_place *place);

void sp_enter_region(struct sp *s, struct sp_emit *frame, struct sp_place *next);
void sp_open_else(struct sp *s); /* until the region ends */
void sp_leave_region(struct sp *s);

/* Control goes to a place that is known; the region ends here. */
void sp_jump_to(struct sp *s, struct sp_place *place);
/* Control has fallen to `place`: where it was meant for another, it goes on. What is emitted next belongs to
 * `place`. */
void sp_arrive(struct sp *s, struct sp_place *place);

#endif
