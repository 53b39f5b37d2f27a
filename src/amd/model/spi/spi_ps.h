/* Pixel shaders: waves of quads. Initial registers, interpolated attributes, what the shader exports, and the tests and
 * writes that come after it.
 *
 * Quads of several primitives share a wave. They stay in primitive order: late tests and colour writes go through a
 * wave's quads from the first to the last. */
#ifndef AMD_MODEL_SPI_PS_H
#define AMD_MODEL_SPI_PS_H

#include <stdbool.h>
#include <stdint.h>

#include "amd/hw/regs_spi.h"
#include "amd/model/cb/cb.h"
#include "amd/model/db/db.h"
#include "amd/model/sc/sc.h"
#include "amd/model/spi/spi_ps_join.h"
#include "amd/model/sq/sq_workgroup.h"
#include "isa/lane_env.h"

#define SPI_MAX_INPUTS 32
#define SPI_MAX_USER_DATA 32

/* A shader stage as its registers describe it. */
struct spi_stage {
    uint64_t program_va;
    uint32_t lanes;
    uint32_t vgpr_count;
    bool is_wgp_mode;      /* NGG: the subgroup stands on both CUs of a WGP */
    uint32_t shared_vgprs; /* after those: both halves of a wave64 have them in common */
    uint32_t mode;
    uint32_t user_data_B; /* the register of its first word */
    uint32_t user_count;
    uint32_t user_data[SPI_MAX_USER_DATA];
    uint32_t scratch_wave_B; /* 0: no private memory */
};

/* One attribute that the shader interpolates. */
struct spi_input {
    uint8_t slot;     /* of the parameters that the vertex shader exported */
    bool is_constant; /* in place of a parameter: `constant` */
    bool is_flat;
    bool is_explicit;  /* the values of all three vertices, as they are */
    bool is_half;      /* two values of 16 bits in a channel */
    bool is_sprite;    /* the sprite's coordinates, if the primitive is a point */
    bool is_primitive; /* exported by the primitive's own lane, not by those of its vertices */
    bool is_smooth;    /* none of these */
    bool is_only_flat; /* that, and nothing else but perhaps halves, which are as they are then */
    float constant[4];
};

struct spi_ps_state {
    struct spi_stage stage;
    bool needed;        /* the shader has an effect: a draw that needs no colour starts none */
    uint32_t ena, addr; /* SPI_PS_INPUT_ENA, SPI_PS_INPUT_ADDR */
    bool position_at_sample, position_at_corner, front_all_bits;
    uint8_t z_format;  /* enum amd_EXPORT_FORMAT of the depth export */
    uint8_t sprite[4]; /* enum amd_POINT_SPRITE_SEL */
    bool sprite_from_below;
    struct spi_input inputs[SPI_MAX_INPUTS];
    bool is_coarse; /* pixels may be shaded together */
    bool alpha_to_mask;
    bool is_ordered;            /* no wave has a pixel twice; in the model waves of one pixel always run in order */
    bool loads_collision;       /* an SGPR says which earlier waves may be on the same pixels */
    bool loads_provoking;       /* an SGPR says how the vertices of each quad's primitive are rotated */
    bool coverage_behind_depth; /* the mask that the shader reads is what early tests have left */
    unsigned alpha_samples;     /* that alpha is turned into a mask of */
    uint8_t alpha_offset[4];    /* quarters, by pixel of a quad */
    struct spi_ps_key key;
};

const char *amd_spi_ps_state_init(struct spi_ps_state *state, enum amd_gfx gfx, const struct cp_registers *registers,
                                  const struct cb_state *cb, const struct db_state *db);

/* Pixels may be shaded together. NULL, or what is not implemented then. */
const char *amd_spi_ps_set_coarse(struct spi_ps_state *state);

/* A stage's common registers: RSRC1 and RSRC2 have their fields at the same places in all of them. */
void amd_spi_stage_init(struct spi_stage *stage, const struct cp_registers *registers, uint32_t program_lo,
                        uint32_t program_hi, uint32_t rsrc1, uint32_t rsrc2, uint32_t user_data_B, bool wave32);

/* The user data, which alone may change while the registers' generation stays. */
void amd_spi_stage_read_user_data(struct spi_stage *stage, const struct cp_registers *registers);
bool amd_spi_stage_has_user_data(const struct spi_stage *stage, const struct cp_registers *registers);

#define SPI_PS_QUADS (LANES_MAX / 4)
#define SPI_NO_ATTRIBUTE UINT32_MAX
#define SPI_PS_PARTS 4 /* quads of pixels that a coarse quad may have */

/* One worker's pixel shader waves. */
struct spi_ps {
    const struct spi_ps_state *state;
    const struct raster_coverage *sc;
    struct db db;
    struct cb cb;
    struct sq_workgroup *group;
    uint64_t invocations;

    /* the wave in hand */
    bool running;
    uint32_t quad_count;
    struct raster_quad *quads;      /* the caller's, until the wave has ended */
    const struct raster_prim *prim; /* of all quads; NULL: of several */
    bool is_block;                  /* the quads are those of 8 by 8 aligned pixels of one primitive, in order */
    uint64_t launched;              /* lanes */
    uint32_t common;                /* what all quads' masks have in common */
    /* An attribute of a wave of several primitives: all that its interpolations read, gathered at the first of them.
     * Runs of quads have a primitive each. */
    uint32_t attribute; /* SPI_NO_ATTRIBUTE: none yet */
    struct {
        uint32_t value[3][4]; /* P0, P1 - P0 and P2 - P0, by channel */
    } runs[LANES_MAX / 4];
    uint32_t values[3][4][LANES_MAX / 4]; /* those of each quad's run, by channel */
    bool has_valid;
    uint64_t valid; /* lanes that the shader has not killed */
    /* Of a coarse wave: the quads of pixels behind its own, and of which of those each is a part. */
    struct raster_quad coarse[SPI_PS_QUADS];
    struct raster_quad *parts;
    uint32_t part_count;
    uint8_t whole_of[SPI_PS_QUADS * SPI_PS_PARTS];
    bool has_z;
    uint32_t z_rows[4][LANES_MAX];
    uint32_t scratch_slot; /* of joined waves */
    struct cb_exports exports;

    /* Joined programs (spi_ps_join.h): the group of the one wave that they run on, and which it is ready for. */
    struct sq_workgroup *joined_group;
    struct spi_ps_joined *joined; /* NULL: none */
    uint64_t joined_serial;       /* of the launch that all this is for */
    const struct sq_code *joined_code;
    bool joined_is_begun;                  /* the scalar part has run */
    bool joined_finds[2];                  /* by variant: and all memory is there that its code reads */
    uint32_t joined_sgpr[SQ_EXEC];         /* after the scalar part */
    bool joined_takes_blocks;              /* nothing but the program may be against it */
    bool joined_blends;                    /* with what memory holds: a pixel must not be in a wave twice */
    const struct raster_prim *joined_prim; /* whose attributes are there; NULL: none's */
    bool has_env;                          /* the host's float environment is that of the joined wave; else it was: */
    uint64_t host_env;
};

extern const struct sq_hooks amd_spi_ps_hooks;

/* Start a wave with up to lanes / 4 quads. False: no memory. */
bool amd_spi_ps_begin(struct spi_ps *ps, const struct sq_launch *launch, struct sq_code *code,
                      struct raster_quad *quads, uint32_t count, uint32_t scratch_slot);

/* A whole wave by a joined program. False: there is none for it, and nothing was done. *turn_out is SQ_TURN_DONE or
 * SQ_TURN_FAULT. *count becomes less where the program blends and a pixel is there twice: the quads from there on are
 * for the next wave. ps->scratch_slot is the one of its waves. */
bool amd_spi_ps_run_joined(struct spi_ps *ps, const struct sq_launch *launch, struct sq_code *code,
                           struct raster_quad *quads, uint32_t *count, enum sq_turn *turn_out,
                           struct sq_fault *fault_out);

/* Whether the waves of a launch that is over were those of a program in which no lane looks at another one of another
 * quad: what else is in a wave does not matter then. */
bool amd_spi_ps_is_by_lane(const struct spi_ps *ps, const struct sq_launch *launch);

/* Blocks of 8 by 8 pixels that are wholly covered need no quads where the program in hand takes them so: straight from
 * a primitive's planes to memory. `blocks` are those of a tile, as struct raster_quads has them. amd_spi_ps_run_blocks
 * returns those that are left for quads, as there are none but where the program meets what it is not for. */
bool amd_spi_ps_takes_blocks(struct spi_ps *ps, const struct sq_launch *launch, struct sq_code *code);
uint64_t amd_spi_ps_run_blocks(struct spi_ps *ps, const struct raster_prim *prim, const struct raster_tile *tile,
                               uint64_t blocks, enum sq_turn *turn_out, struct sq_fault *fault_out);

/* Joined waves leave the host in their float environment, for switching costs as much as a few of them. To be called
 * before anything else that computes with floats. */
static inline void spi_ps_settle(struct spi_ps *ps)
{
    if (ps->has_env)
        lane_env_set(ps->host_env);
    ps->has_env = false;
}

/* The group of joined waves; amd_sq_workgroup_destroy. NULL: out of memory. */
struct sq_workgroup *amd_spi_ps_joined_create(uint32_t number);

/* Between the files of this block: the wave in hand, and its first registers. */
void amd_spi_ps_set_wave(struct spi_ps *ps, struct raster_quad *quads, uint32_t count);
void amd_spi_ps_fill_sgprs(const struct spi_ps *ps, struct sq_wave *wave, uint32_t scratch_slot);

/* The wave has ended: late tests and colour. */
void amd_spi_ps_end(struct spi_ps *ps);
/* Its parts: samples that the shader or an alpha leaves out, and tests with what it has exported. */
void amd_spi_ps_cut_masks(struct spi_ps *ps);
void amd_spi_ps_test_late(struct spi_ps *ps);

/* Coarse waves (spi_ps_coarse.c). Quads of a primitive in a tile that are shaded together come together; there must be
 * room for as many behind them. Then: how many quads of pixels make up to `max` coarse ones; the wave of those, with
 * its VGPRs; and what comes after the shader. */
void amd_spi_ps_put_together(struct spi_ps *ps, const struct sc_rates *rates, struct raster_quad *quads, uint32_t count,
                             const struct raster_tile *tile);
uint32_t amd_spi_ps_count_coarse(const struct raster_quad *quads, uint32_t count, uint32_t max);
void amd_spi_ps_set_coarse_wave(struct spi_ps *ps, struct raster_quad *quads, uint32_t count);
void amd_spi_ps_load_coarse(const struct spi_ps *ps, struct sq_wave *wave);
void amd_spi_ps_end_coarse(struct spi_ps *ps);

/* The samples that an alpha covers in a pixel of a quad. */
uint8_t amd_spi_ps_alpha_mask(const struct spi_ps *ps, float alpha, unsigned pixel);

/* VGPRs of a wave (spi_ps_input.c). */
void amd_spi_ps_load_inputs(const struct spi_ps *ps, struct sq_wave *wave);

/* Inputs of 8 by 8 pixels of ps->prim, where no other inputs are wanted than these can be. */
bool amd_spi_ps_has_block_inputs(const struct spi_ps_state *state);
void amd_spi_ps_load_block(const struct spi_ps *ps, struct sq_wave *wave, uint32_t x, uint32_t y);

#endif
