/* The registers of pixel shaders, unpacked once per draw. */
#include "amd/model/spi/spi_ps.h"

#include <string.h>

#include "amd/model/register_fields.h"
#include "util/bits.h"

_Static_assert(AMD_REG_SPI_SHADER_USER_DATA_PS_GFX10_3 % 256 == 0x30 &&
                   AMD_REG_SPI_SHADER_USER_DATA_VS_GFX10_3 % 256 == 0x30 &&
                   AMD_REG_SPI_SHADER_USER_DATA_GS_GFX10_3 % 256 == 0x30 && SPI_MAX_USER_DATA * 4 == 0x80,
               "what cp_reg_is_user_data says");

void amd_spi_stage_read_user_data(struct spi_stage *stage, const struct cp_registers *registers)
{
    for (uint32_t i = 0; i < stage->user_count; i++) /* what the program does not read need not be there */
        stage->user_data[i] = cp_reg_if_written(registers, stage->user_data_B + i * 4);
}

bool amd_spi_stage_has_user_data(const struct spi_stage *stage, const struct cp_registers *registers)
{
    for (uint32_t i = 0; i < stage->user_count; i++) {
        if (stage->user_data[i] != cp_reg_if_written(registers, stage->user_data_B + i * 4))
            return false;
    }
    return true;
}

void amd_spi_stage_init(struct spi_stage *stage, const struct cp_registers *registers, uint32_t program_lo,
                        uint32_t program_hi, uint32_t rsrc1, uint32_t rsrc2, uint32_t user_data_B, bool wave32)
{
    stage->program_va = cb_surface_va(program_lo, program_hi);
    stage->lanes = wave32 ? 32 : 64;
    stage->vgpr_count = MIN2(((rsrc1 & 63) + 1) * (wave32 ? 8u : 4u), 256u);
    stage->shared_vgprs = (rsrc2 >> 28) * 8;
    stage->mode = (rsrc1 >> 12 & 0xff) | (rsrc1 >> 21 & 1) << 8 | (rsrc1 >> 23 & 1) << 9;
    stage->user_count = MIN2((rsrc2 >> 1 & 31) | (rsrc2 >> 27 & 1) << 5, (uint32_t)SPI_MAX_USER_DATA);
    stage->user_data_B = user_data_B;
    amd_spi_stage_read_user_data(stage, registers);
    stage->scratch_wave_B = rsrc2 & 1 ? (GET_WORD(SPI_TMPRING_SIZE) >> 12 & 0x1fff) * 1024 : 0;
}

/* Attributes of vertices come first, those of primitives after them. ROTATE_PC_PTR asks for the vertices in their own
 * order where flat shading has rotated the provoking one to the front: the model never rotates them. */
static void read_inputs(struct spi_ps_state *state, enum amd_gfx gfx, const struct cp_registers *registers,
                        unsigned of_vertices, unsigned of_primitives)
{
    unsigned count = MIN2(of_vertices + of_primitives, (unsigned)SPI_MAX_INPUTS);
    struct amd_SPI_INTERP_CONTROL_0 control = GET(SPI_INTERP_CONTROL_0);
    state->sprite[0] = control.PNT_SPRITE_OVRD_X;
    state->sprite[1] = control.PNT_SPRITE_OVRD_Y;
    state->sprite[2] = control.PNT_SPRITE_OVRD_Z;
    state->sprite[3] = control.PNT_SPRITE_OVRD_W;
    state->sprite_from_below = control.PNT_SPRITE_TOP_1;
    for (unsigned i = 0; i < count; i++) {
        struct amd_SPI_PS_INPUT_CNTL cntl = GET_AT(SPI_PS_INPUT_CNTL, i);
        struct spi_input *input = &state->inputs[i];
        input->slot = cntl.OFFSET & 31;
        /* The highest bit of the offset stands for a constant; with flat shading, for the vertices' own values. */
        input->is_flat = cntl.FLAT_SHADE && control.FLAT_SHADE_ENA;
        input->is_explicit = input->is_flat && cntl.OFFSET >> 5;
        input->is_constant = !input->is_flat && cntl.OFFSET >> 5;
        input->is_half = cntl.FP16_INTERP_MODE;
        input->is_sprite = cntl.PT_SPRITE_TEX && control.PNT_SPRITE_ENA;
        input->is_primitive = i >= of_vertices && !input->is_constant;
        input->is_smooth =
            !input->is_constant && !input->is_flat && !input->is_half && !input->is_sprite && !input->is_primitive;
        input->is_only_flat = input->is_flat && !input->is_explicit && !input->is_sprite && !input->is_primitive;
        float rgb = cntl.DEFAULT_VAL >= 2 ? 1 : 0, alpha = cntl.DEFAULT_VAL & 1 ? 1 : 0;
        for (unsigned c = 0; c < 4; c++)
            input->constant[c] = c == 3 ? alpha : rgb;
    }
}

static uint64_t hash_of(const struct spi_ps_key *key)
{
    const size_t size_B = spi_ps_key_size_B(key);
    uint64_t hash = 0;
    for (size_t at_B = sizeof(key->hash); at_B < size_B; at_B += sizeof(uint32_t)) {
        uint32_t word;
        memcpy(&word, (const char *)key + at_B, sizeof(word));
        hash = (hash ^ word) * 0x9e3779b97f4a7c15ull;
        hash ^= hash >> 29;
    }
    return hash ? hash : 1;
}

/* Field by field: there are bytes between, which stay zero. */
static void copy_terms(struct pixel_term *to, const struct pixel_term *from)
{
    for (unsigned c = 0; c < 4; c++) {
        to[c].base = from[c].base;
        to[c].scale = from[c].scale;
        to[c].operand = from[c].operand;
    }
}

static void copy_words(struct spi_ps_target *to, const struct cb_target *target)
{
    to->export_format = target->export_format;
    memcpy(to->bits, target->bits, sizeof(to->bits));
    to->rop = target->rop;
    to->rop_code = target->rop ? target->rop_code : 0;
    to->blends = target->blend;
    if (!target->blend)
        return;
    to->color = target->blending.color;
    to->alpha = target->blending.alpha;
    to->clamp_min = target->blending.clamp_min;
    to->clamp_max = target->blending.clamp_max;
}

/* The key of a program joined with its targets. */
static void make_key(struct spi_ps_state *state, const struct cb_state *cb)
{
    struct spi_ps_key *key = &state->key;
    if (state->is_ordered)
        return;
    key->program_va = state->stage.program_va;
    key->mode = state->stage.mode;
    key->lanes = state->stage.lanes;
    key->shared_vgprs = state->stage.shared_vgprs;
    key->keeps_first = state->alpha_to_mask;
    bits_foreach (cb->used, t) {
        const struct cb_target *target = &cb->targets[t];
        struct spi_ps_target *to = &key->targets[key->target_count++];
        to->target = (uint8_t)t;
        to->export = target->export;
        to->output = target->output;
        to->is_dual = target->blending.is_dual;
        to->is_srgb = target->srgb;
        to->is_by_sample = cb_blends_by_sample(target);
        const bool are_words = target->output == CB_OUTPUT_WORDS || target->output == CB_OUTPUT_MIXED;
        to->format = target->output == CB_OUTPUT_CODES || are_words ? (uint32_t)target->format : 0;
        if (are_words)
            copy_words(to, target);
        if (target->output != CB_OUTPUT_ROWS)
            memcpy(to->from, target->from, sizeof(target->from));
        if (!cb_output_blends(target->output) || !target->blend)
            continue;
        to->is_alpha_one = target->blending.is_alpha_one;
        copy_terms(to->source, target->blending.source_term);
        copy_terms(to->destination, target->blending.destination_term);
    }
    key->hash = hash_of(key);
}

const char *amd_spi_ps_state_init(struct spi_ps_state *state, enum amd_gfx gfx, const struct cp_registers *registers,
                                  const struct cb_state *cb, const struct db_state *db)
{
    struct amd_SPI_PS_IN_CONTROL in = GET(SPI_PS_IN_CONTROL);
    struct amd_SPI_BARYC_CNTL baryc = GET(SPI_BARYC_CNTL);
    struct amd_DB_SHADER_CONTROL shader = GET(DB_SHADER_CONTROL);
    struct amd_DB_ALPHA_TO_MASK alpha = GET(DB_ALPHA_TO_MASK);
    amd_spi_stage_init(&state->stage, registers, GET_WORD(SPI_SHADER_PGM_LO_PS), GET_WORD(SPI_SHADER_PGM_HI_PS),
                       GET_WORD(SPI_SHADER_PGM_RSRC1_PS), GET_WORD(SPI_SHADER_PGM_RSRC2_PS),
                       AMD_REG_SPI_SHADER_USER_DATA_PS_GFX10_3, in.PS_W32_EN);
    state->ena = GET_WORD(SPI_PS_INPUT_ENA);
    state->addr = GET_WORD(SPI_PS_INPUT_ADDR);
    state->z_format = GET(SPI_SHADER_Z_FORMAT).Z_EXPORT_FORMAT;
    state->position_at_sample = baryc.POS_FLOAT_LOCATION == 2;
    state->position_at_corner = baryc.POS_FLOAT_ULC;
    state->front_all_bits = baryc.FRONT_FACE_ALL_BITS;
    state->alpha_to_mask = db->coverage_to_mask;
    state->is_ordered = shader.PRIMITIVE_ORDERED_PIXEL_SHADER;
    state->loads_collision = GET(SPI_SHADER_PGM_RSRC2_PS).LOAD_COLLISION_WAVEID;
    state->loads_provoking = GET(SPI_SHADER_PGM_RSRC1_PS).LOAD_PROVOKING_VTX;
    state->coverage_behind_depth = shader.PRE_SHADER_DEPTH_COVERAGE_ENABLE;
    state->alpha_samples = 1u << MIN2(GET(DB_EQAA).ALPHA_TO_MASK_NUM_SAMPLES, 3u);
    state->alpha_offset[0] = (uint8_t)alpha.ALPHA_TO_MASK_OFFSET0;
    state->alpha_offset[1] = (uint8_t)alpha.ALPHA_TO_MASK_OFFSET1;
    state->alpha_offset[2] = (uint8_t)alpha.ALPHA_TO_MASK_OFFSET2;
    state->alpha_offset[3] = (uint8_t)alpha.ALPHA_TO_MASK_OFFSET3;
    memset(&state->key, 0, sizeof(state->key));
    state->needed = !db->ps_off && !cb->expand && !cb->resolve &&
                    (cb->used || db->z_export || db->stencil_export || db->mask_export || db->kill ||
                     db->coverage_to_mask || shader.EXEC_ON_NOOP || shader.EXEC_ON_HIER_FAIL);
    if (!state->needed)
        return NULL;
    if (baryc.POS_FLOAT_LOCATION == 1 || baryc.PERSP_CENTER_CNTL || baryc.PERSP_CENTROID_CNTL ||
        baryc.LINEAR_CENTER_CNTL || baryc.LINEAR_CENTROID_CNTL)
        return "a place of interpolation other than the usual ones (SPI_BARYC_CNTL)";
    read_inputs(state, gfx, registers, in.NUM_INTERP, in.NUM_PRIM_INTERP);
    make_key(state, cb);
    return NULL;
}
