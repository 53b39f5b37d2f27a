/* A pixel program while it is joined (spi_ps_join.h), between the files that do it. */
#ifndef AMD_MODEL_SPI_PS_JOINING_H
#define AMD_MODEL_SPI_PS_JOINING_H

#include "amd/model/spi/spi_ps_join.h"
#include "amd/model/sq/sq_whole_mask.h"

/* Where a lane mask is that the program has made, before the segment at hand. */
enum join_mask {
    JOIN_MASK_ELSEWHERE, /* in its registers, if at all */
    JOIN_MASK_ALL,       /* it has all lanes */
    JOIN_MASK_NONE,
    JOIN_MASK_ROW,  /* a row of spi_ps_output.masks */
    JOIN_MASK_BITS, /* of exec alone: in its registers */
    JOIN_MASK_LOST, /* only on one of two ways */
};

/* A branch that is not taken: code that waves without an active lane skip. */
struct join_region {
    uint64_t end_va;
    bool is_open;
    bool is_split;                /* they do skip it, between two segments: */
    uint32_t segment;             /* the one before it */
    struct sq_registers writes;   /* scalar registers that it changes */
    uint8_t before[SQ_REGISTERS]; /* of a split one: enum join_mask where it begins */
};

struct joining {
    struct spi_ps_joined *joined;
    struct pixel_variant *variant;
    struct spi_ps_step *steps; /* by segment */
    const struct cb_state *cb;
    struct sq_wave *wave;
    struct sq_jit_builder *builder;
    struct jit_frame frame;
    /* Of the vector part so far; what it reads before it writes it, which waves have from before; and what depends on
     * exec, which is not the same for all waves. */
    struct sq_registers read, written, kept, of_exec;
    struct sq_registers uniform; /* lane masks that are the same in all lanes */
    struct sq_rows
        uniform_rows; /* VGPRs that have one value, by instructions that have run before the vector part, too */
    struct sq_registers of_m0;  /* that have its value */
    struct sq_registers leaked; /* scalars that only waves that ran some region have */
    struct sq_registers narrow; /* scalars that only waves with a lane in exec as it is have, though all should */
    bool is_narrow;             /* exec has changed since the innermost open region began */
    bool overwrites;            /* what waves have from before */
    bool looks_at_lanes;        /* as spi_ps_joined has it */
    bool is_of_launched;        /* the same */
    bool wants_launched;        /* the program has instructions that depend on which pixels are drawn */
    bool has_stored;            /* scalar loads stay behind it */
    bool has_z;
    jit_value z[4];   /* JIT_NONE: not exported */
    bool is_scc_lost; /* an instruction of the vector part has written it */
    uint32_t scalar_count, guard_count, aside_count;
    struct sq_uop *asides; /* that bring what was loaded; NULL: none yet */
    uint32_t exports;      /* so far */
    uint32_t as_rows;      /* of those, the ones that leave as rows */
    jit_value rows[CB_TARGETS][4];
    jit_value valid;       /* lanes that are not killed; JIT_NONE: not said */
    bool kills;            /* it is not all of them */
    bool is_exported_here; /* in the segment at hand, which then is the last */
    bool is_joint;         /* two ways meet before the segment at hand, or part */
    uint32_t begun;        /* operations that the segment at hand began with */

    /* Lane masks (spi_ps_join_mask.c). */
    struct sq_whole_masks masks;
    uint8_t mask_kind[SQ_REGISTERS]; /* enum join_mask */
    uint8_t mask_slot[SQ_REGISTERS];
    uint32_t slot_count, region_count;
    struct join_region regions[SQ_WHOLE_REGIONS];
};

/* ---- spi_ps_join.c ---- */

/* Make code of the program as it is; `first` up to `end` are the micro-operations after it. */
bool amd_spi_join_end_segment(struct joining *j, const struct sq_uop *first, const struct sq_uop *end);

/* ---- spi_ps_join_export.c ---- */

/* An export: rows that are wanted when the program ends. */
bool amd_spi_join_export(struct joining *j, const struct sq_uop *uop);
/* The end: they become codes of the targets. */
bool amd_spi_join_end(struct joining *j);

/* ---- spi_ps_join_mask.c ---- */

void amd_spi_join_masks_init(struct joining *j);
/* Around a segment: what it finds in masks, and what it leaves there. `all`: masks that have all lanes or none, too. */
void amd_spi_join_masks_begin(struct joining *j);
void amd_spi_join_masks_end(struct joining *j, bool all);

/* exec now, and whether it has all lanes. */
jit_value amd_spi_join_exec(struct joining *j);
bool amd_spi_join_exec_is_full(struct joining *j);

/* Whether a scalar instruction is one on lane masks that the program has made. */
bool amd_spi_join_is_mask_op(const struct joining *j, const struct sq_uop *uop);
bool amd_spi_join_mask_op(struct joining *j, const struct sq_uop *uop, const struct sq_uop *end);

/* Scalars were written that are no masks of the program; registers whose mask nothing knows any more. */
void amd_spi_join_find_masks(struct joining *j, const struct sq_registers *writes);
void amd_spi_join_lose_masks(struct joining *j, const struct sq_registers *writes);
/* Marks registers whose active lanes hold their mask. */
void amd_spi_join_mask_of_active(struct joining *j, const struct sq_registers *writes);

/* Whether a register's mask is one of those. */
bool amd_spi_join_has_mask(const struct joining *j, unsigned number);

/* ---- spi_ps_join_scalar.c ---- */

/* In the vector part: what the instruction reads and writes is taken into account. False: not so. */
bool amd_spi_join_take_registers(struct joining *j, const struct isa_inst *inst);
bool amd_spi_join_names_exec(const struct joining *j, const struct isa_inst *inst);
/* Notes scalars that only waves that run the open regions find. */
void amd_spi_join_write_in_regions(struct joining *j, const struct sq_registers *writes);
bool amd_spi_join_is_scalar(const struct sq_uop *uop);
/* Registers of masks that are the same in all lanes. */
bool amd_spi_join_is_uniform(const struct joining *j, struct sq_registers registers);

/* m0, which is copied back before each interpolation, though it has not changed. */
bool amd_spi_join_is_m0_again(const struct joining *j, const struct isa_inst *inst);
void amd_spi_join_find_m0(struct joining *j, const struct isa_inst *inst);

/* Let it run before all of the vector part. False: it cannot, and nothing has changed. */
bool amd_spi_join_hoist(struct joining *j, const struct sq_uop *uop, const struct sq_uop *end);
/* A load that can run there but for what its registers still have: the micro-operation that brings what was loaded, in
 * its place. NULL: it cannot. */
const struct sq_uop *amd_spi_join_aside(struct joining *j, const struct sq_uop *uop, const struct sq_uop *end);
/* Whether scc says that a mask, equal in all lanes, has some of exec's lanes; also of a comparison that makes such a
 * mask. */
bool amd_spi_join_any_of_uniform(struct joining *j, const struct sq_uop *uop, const struct sq_uop *end);
bool amd_spi_join_uniform_compare(struct joining *j, const struct sq_uop *uop, const struct sq_uop *end);
/* Before a vector instruction is taken as any other: it runs there, too, if branches may ask for what it makes. */
void amd_spi_join_look_at_rows(struct joining *j, const struct sq_uop *uop, const struct sq_uop *end);

#endif
