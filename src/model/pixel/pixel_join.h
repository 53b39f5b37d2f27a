/* Programs of pixels joined with what comes after them: pieces of host code from the first registers of a wave to the
 * bytes of its targets, made for a program and the state of the targets together and kept with the decoded program.
 *
 * What all families do in the same way: which joined program it is, when it is worth its code, and the pieces. Between
 * two pieces stand micro-operations of the family's, which run as they do elsewhere: of image instructions, for one.
 *
 * A family embeds struct pixel_joined as the first member of its own, with its key after it. What is in the key, how
 * instructions are lowered and what a wave finds before the code runs are the family's; pixel_program.h has what
 * becomes of colours. */
#ifndef MODEL_PIXEL_JOIN_H
#define MODEL_PIXEL_JOIN_H

#include <stddef.h>

#include "model/exec/code.h"
#include "model/exec/program.h"

#define PIXEL_SEGMENTS 48

/* Host code, and then micro-operations. */
struct pixel_segment {
    jit_code code;
    void *inputs; /* the family's; NULL: none */
    const void *first, *end;
};

enum pixel_join_state {
    PIXEL_JOIN_WAITS, /* until it was wanted often enough */
    PIXEL_JOIN_READY,
    PIXEL_JOIN_NEVER,
};

struct pixel_variant {
    enum pixel_join_state state;
    uint32_t waited;
    uint32_t count;
    struct pixel_segment segments[PIXEL_SEGMENTS];
};

struct pixel_joined {
    struct pixel_joined *next;
    struct pixel_variant variants[2]; /* of waves of several primitives, of one */
};

/* The first one of these programs that `is` holds for; a new one of size_B bytes of zeros where there is none. NULL:
 * there are so many already that finding them would cost more than they save, or out of memory. */
struct pixel_joined *pixel_joined_find(struct exec_code *code, bool (*is)(const struct pixel_joined *, const void *),
                                       const void *key, size_t size_B, bool *is_new_out);

/* Count a wave. True: the variant is worth its code now. */
bool pixel_variant_is_due(struct pixel_variant *variant);

/* One more piece: `program`, and the micro-operations from `first` to before `end` after it. `inputs` are copied.
 * False: it does not fit, or there is no memory. */
bool pixel_variant_add(struct pixel_variant *variant, struct exec_code *code, const struct lane_program *program,
                       const struct jit_frame *frame, const void *inputs, size_t inputs_B, const void *first,
                       const void *end);

/* No register is looked at again: what was stored so far is not. */
void pixel_join_drop_stores(struct lane_program *program);

#endif
