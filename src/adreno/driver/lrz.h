/* Low-resolution depth (LRZ): a 16-bit bound of the depths of each block of 8 by 8 samples, in a buffer after the
 * image's texels. With "less" no depth of a block is above its bound, with "greater" none is below, so that fragments
 * beyond it need not be shaded. Bounds are written by the binning pass, for draws whose primitives hide everything
 * beyond them; and where the chip feeds them back, by later passes and in memory, from what was tested there.
 *
 * A binning pass knows the whole rendering, so a fragment goes for what is drawn after it, too. That is right as long
 * as the later draw replaces all that the earlier one left: lrz_rules.c says which draws may write bounds, which end
 * that for the rest of the rendering, and which make the bounds worthless.
 *
 * Bounds are kept from rendering to rendering where the chip follows the direction of comparisons itself: in the buffer
 * are the direction and the view that they hold for, and draws of another view or direction are not tested. Other chips
 * have them between a clear and the end of the same rendering. */
#ifndef ADRENO_DRIVER_LRZ_H
#define ADRENO_DRIVER_LRZ_H

#include "adreno/driver/image.h"

struct adreno_cmd_buffer;
struct adreno_cs;

/* ---- rules (lrz_rules.c) ---- */

/* The part of a draw's state that matters. */
struct adreno_lrz_draw {
    bool is_tested, is_written; /* depth */
    uint8_t compare;            /* VkCompareOp */
    bool has_bounds;            /* the depth bounds test */
    bool writes_stencil;        /* may do so, whatever becomes of the depth test */
    bool may_fail;              /* some fragments may fail the stencil test */
    bool may_kill;              /* discards, masks of samples, alpha to coverage */
    bool is_late;               /* the shader gives the depth, or has effects, before the tests */
    bool has_effects;           /* the shader writes memory */
    bool is_counted;            /* an occlusion query is active */
    bool has_color;             /* some target is written, */
    bool replaces_color;        /* all of every target */
};

/* The bounds' state after the draws so far. */
struct adreno_lrz_rules {
    bool is_valid;     /* false: no draw may use them until they are cleared */
    bool is_followed;  /* the chip follows the direction, which may be another than is known here */
    bool has_color;    /* a draw has left a colour that later bounds could take away */
    bool is_closed;    /* no draw may write bounds of a binning pass any more */
    uint8_t direction; /* of depths that were written: ADRENO_LRZ_LESS, _GREATER or _UNSET */
};

/* A draw's use of the bounds. */
struct adreno_lrz_use {
    bool is_tested, is_written;
    bool is_greater;
    bool writes_depth; /* the direction counts from here on */
    bool has_bounds;
};

struct adreno_lrz_use adreno_lrz_next(struct adreno_lrz_rules *rules, const struct adreno_lrz_draw *draw);
/* A secondary command buffer was executed, which ended with `done`. */
void adreno_lrz_join(struct adreno_lrz_rules *rules, const struct adreno_lrz_rules *done);

/* ---- renderings (lrz.c) ---- */

enum adreno_lrz_start {
    ADRENO_LRZ_START_NONE,
    ADRENO_LRZ_START_CLEAR, /* no bounds: whatever the depths are */
    ADRENO_LRZ_START_FILL,  /* all have the clear value */
    ADRENO_LRZ_START_KEEP,
};

struct adreno_lrz_pass {
    const struct adreno_image *image; /* NULL: none */
    enum adreno_lrz_start start;
    bool has_fast_clear; /* bits say which blocks were written */
    uint32_t view;       /* GRAS_LRZ_VIEW_INFO */
    float depth;         /* of a fill */
    struct adreno_lrz_rules rules;
};

/* A rendering has begun, and its attachments are known; or a secondary command buffer, where they are not. */
void adreno_lrz_begin(struct adreno_cmd_buffer *cmd);
void adreno_lrz_begin_secondary(struct adreno_cmd_buffer *cmd);
/* The next of joined subpasses follows. */
void adreno_lrz_next_subpass(struct adreno_cmd_buffer *cmd);
/* Around a secondary command buffer in the stream for draws. */
void adreno_lrz_before_secondary(struct adreno_cmd_buffer *cmd);

/* Registers before the first pass over the draws, before each tile, and after the last. */
void adreno_emit_lrz_start(struct adreno_cmd_buffer *cmd, struct adreno_cs *cs);
void adreno_emit_lrz_buffer(struct adreno_cmd_buffer *cmd, struct adreno_cs *cs);
void adreno_emit_lrz_end(struct adreno_cmd_buffer *cmd, struct adreno_cs *cs);

/* Before a draw: whether what it does has changed. The registers are a group of their own. */
bool adreno_lrz_decide(struct adreno_cmd_buffer *cmd);
void adreno_emit_lrz(struct adreno_cmd_buffer *cmd, struct adreno_cs *cs);

/* Depths are written by something else than draws of a rendering, or are undefined. */
void adreno_lrz_forget(struct adreno_cmd_buffer *cmd, const struct adreno_image *image, VkImageAspectFlags aspects);

#endif
