/* The outputs of the last stage before the rasteriser: where VPC puts them, what the hardware takes of them, and what
 * transform feedback captures. Which stage that is, is the pipeline's: each has registers of its own. */
#include "adreno/driver/cmd.h"
#include "adreno/driver/graphics.h"
#include "adreno/hw/regs_gras.h"
#include "adreno/hw/regs_pc.h"
#include "adreno/hw/regs_sp.h"
#include "adreno/hw/regs_vpc.h"
#include "util/bits.h"

#define NO_RATE_LOC 0xff0000u /* of VPC_*_SIV_CNTL: the primitive has no shading rate */

/* The fields are the same, but for what a geometry shader's OUTPUT_CNTL has besides. */
static const struct output_regs {
    uint32_t output, dest, output_cntl, vpc_cntl, clip_cull, clip_cull_v2, gras_clip_cull, pc_cntl, siv, siv_v2,
        gras_siv;
} regs_of[ADRENO_STAGES] = {
#define OUTPUT_REGS(s)                                                                                                 \
    {                                                                                                                  \
        ADRENO_REG_SP_##s##_OUTPUT, ADRENO_REG_SP_##s##_VPC_DEST, ADRENO_REG_SP_##s##_OUTPUT_CNTL,                     \
            ADRENO_REG_VPC_##s##_CNTL, ADRENO_REG_VPC_##s##_CLIP_CULL_CNTL, ADRENO_REG_VPC_##s##_CLIP_CULL_CNTL_V2,    \
            ADRENO_REG_GRAS_CL_##s##_CLIP_CULL_DISTANCE, ADRENO_REG_PC_##s##_CNTL, ADRENO_REG_VPC_##s##_SIV_CNTL,      \
            ADRENO_REG_VPC_##s##_SIV_CNTL_V2, ADRENO_REG_GRAS_SU_##s##_SIV_CNTL                                        \
    }
    [ADRENO_STAGE_VERTEX] = OUTPUT_REGS(VS),
    [ADRENO_STAGE_EVALUATION] = OUTPUT_REGS(DS),
    [ADRENO_STAGE_GEOMETRY] = OUTPUT_REGS(GS),
};

/* ---- locations ---- */

static void emit_outputs(struct adreno_cs *cs, const struct output_regs *regs, const struct adreno_link *link)
{
    const unsigned pairs = (link->num_outputs + 1u) / 2, quads = (link->num_outputs + 3u) / 4;
    if (pairs)
        adreno_set_regs(cs, regs->output, pairs);
    for (unsigned i = 0; i < pairs; i++) {
        const bool has_second = 2 * i + 1 < link->num_outputs;
        adreno_emit(cs, ADRENO_PACK(SP_VS_OUTPUT, .A_REGID = link->outputs[2 * i].reg,
                                    .A_COMPMASK = link->outputs[2 * i].mask,
                                    .B_REGID = has_second ? link->outputs[2 * i + 1].reg : 0,
                                    .B_COMPMASK = has_second ? link->outputs[2 * i + 1].mask : 0));
    }
    if (quads)
        adreno_set_regs(cs, regs->dest, quads);
    for (unsigned i = 0; i < quads; i++) {
        uint32_t word = 0;
        for (unsigned j = 0; j < 4 && 4 * i + j < link->num_outputs; j++)
            word |= (uint32_t)link->outputs[4 * i + j].loc << 8 * j;
        adreno_emit(cs, word);
    }
}

static bool is_used(uint8_t loc)
{
    return loc != ADRENO_LOCATION_UNUSED;
}

static void emit_link(struct adreno_cs *cs, const struct adreno_graphics_pipeline *baked)
{
    const struct output_regs *regs = &regs_of[baked->last];
    const struct adreno_shader *fragment = baked->shaders[ADRENO_STAGE_FRAGMENT];
    const struct adreno_shader_config *last = adreno_last_config(baked);
    const struct adreno_link *link = &baked->link;
    const uint8_t distances = link->clip_mask | link->cull_mask;
    const uint32_t clip =
        ADRENO_PACK(VPC_VS_CLIP_CULL_CNTL, .CLIP_MASK = distances, .CLIP_DIST_03_LOC = link->distance_loc[0],
                    .CLIP_DIST_47_LOC = link->distance_loc[1]);
    const uint32_t siv =
        ADRENO_PACK(VPC_VS_SIV_CNTL, .LAYERLOC = link->layer_loc, .VIEWLOC = link->viewport_loc) | NO_RATE_LOC;
    emit_outputs(cs, regs, link);
    adreno_set_reg(cs, regs->output_cntl,
                   ADRENO_PACK(SP_GS_OUTPUT_CNTL, .OUT = link->num_outputs,
                               .FLAGS_REGID = baked->last == ADRENO_STAGE_GEOMETRY ? last->gs.flags_reg : 0));
    adreno_set_reg(cs, regs->vpc_cntl,
                   ADRENO_PACK(VPC_VS_CNTL, .STRIDE_IN_VPC = link->stride, .POSITIONLOC = link->position_loc,
                               .PSIZELOC = link->point_size_loc));
    adreno_set_reg(cs, regs->clip_cull, clip);
    adreno_set_reg(cs, regs->clip_cull_v2, clip);
    adreno_set_reg(
        cs, regs->gras_clip_cull,
        ADRENO_PACK(GRAS_CL_VS_CLIP_CULL_DISTANCE, .CLIP_MASK = link->clip_mask, .CULL_MASK = link->cull_mask));
    adreno_set_reg(cs, regs->pc_cntl,
                   ADRENO_PACK(PC_VS_CNTL, .STRIDE_IN_VPC = link->stride, .PSIZE = is_used(link->point_size_loc),
                               .LAYER = is_used(link->layer_loc), .VIEW = is_used(link->viewport_loc),
                               .CLIP_MASK = distances));
    adreno_set_reg(cs, regs->siv, siv);
    adreno_set_reg(cs, regs->siv_v2, siv);
    adreno_set_reg(cs, regs->gras_siv,
                   ADRENO_PACK(GRAS_SU_VS_SIV_CNTL, .WRITES_LAYER = is_used(link->layer_loc),
                               .WRITES_VIEW = is_used(link->viewport_loc)));
    adreno_set_regs(cs, ADRENO_REG_VPC_VARYING_INTERP_MODE_MODE, 8);
    adreno_emit_array(cs, link->interp_modes, 8);
    adreno_set_regs(cs, ADRENO_REG_VPC_VARYING_REPLACE_MODE_MODE, 8);
    adreno_emit_array(cs, link->replace_modes, 8);
    adreno_set_regs(cs, ADRENO_REG_VPC_VARYING_LM_TRANSFER_CNTL_DISABLE, 4);
    for (unsigned i = 0; i < 4; i++)
        adreno_emit(cs, ~link->varying_mask[i]);
    ADRENO_REG(cs, VPC_PS_CNTL, .NUMNONPOSVAR = link->num_varyings, .PRIMIDLOC = link->primitive_id_loc,
               .VARYING = fragment && fragment->binary.config.fs.has_varyings, .VIEWIDLOC = link->view_id_loc);
    ADRENO_REG(cs, PC_PS_CNTL, .PRIMITIVEIDEN = is_used(link->primitive_id_loc));
}

/* ---- transform feedback ---- */

#define XFB_STREAMS 4
#define XFB_WORDS 64 /* of a stream, for two locations each */

/* A component of a location goes to a buffer. */
static void add_capture(uint32_t *words, unsigned loc, unsigned buffer, unsigned offset_B)
{
    words[loc / 2] |= loc % 2 ? ADRENO_PACK(VPC_SO_MAPPING_PORT, .B_BUF = buffer, .B_OFF = offset_B, .B_EN = true)
                              : ADRENO_PACK(VPC_SO_MAPPING_PORT, .A_BUF = buffer, .A_OFF = offset_B, .A_EN = true);
}

struct captures {
    uint32_t words[XFB_STREAMS][XFB_WORDS];
    uint32_t count[XFB_STREAMS]; /* words of a stream */
};

static void fill_captures(const struct adreno_graphics_pipeline *baked, struct captures *captures)
{
    const struct adreno_shader_config *last = adreno_last_config(baked);
    for (unsigned i = 0; i < last->vs.num_captures; i++) {
        const struct ir_capture *capture = &last->vs.captures[i];
        const unsigned stream = last->vs.buffer_stream[capture->buffer];
        for (unsigned c = 0; c < capture->num_comps * (capture->bits == 64 ? 2u : 1u); c++) {
            const unsigned at = capture->component + c;
            const uint8_t loc = adreno_link_find(&baked->link, capture->location + at / 4, at % 4);
            if (loc / 2 >= XFB_WORDS)
                continue; /* it is not written */
            add_capture(captures->words[stream], loc, capture->buffer, capture->offset_B + 4 * c);
            captures->count[stream] = MAX2(captures->count[stream], loc / 2u + 1);
        }
    }
}

/* Of a buffer: 0 where nothing is captured to it, else the stream plus one. */
static uint32_t stream_of(const struct adreno_shader_config *last, unsigned buffer)
{
    return last->vs.xfb_stride_B[buffer] ? last->vs.buffer_stream[buffer] + 1u : 0;
}

static void emit_mapping(struct adreno_cs *cs, const struct captures *captures)
{
    bool is_first = true;
    for (unsigned s = 0; s < XFB_STREAMS; s++) {
        if (!captures->count[s])
            continue;
        ADRENO_PACKET(cs, CP_CONTEXT_REG_BUNCH, .tail_dw = 2 * (1 + captures->count[s]));
        adreno_emit(cs, ADRENO_REG_VPC_SO_MAPPING_WPTR);
        adreno_emit(cs, ADRENO_PACK(VPC_SO_MAPPING_WPTR, .ADDR = s * XFB_WORDS, .RESET = is_first));
        for (uint32_t i = 0; i < captures->count[s]; i++) {
            adreno_emit(cs, ADRENO_REG_VPC_SO_MAPPING_PORT);
            adreno_emit(cs, captures->words[s][i]);
        }
        is_first = false;
    }
}

static void emit_captures(struct adreno_cs *cs, const struct adreno_graphics_pipeline *baked)
{
    const struct adreno_shader_config *last = adreno_last_config(baked);
    struct captures captures = {0};
    uint32_t streams = 0;
    fill_captures(baked, &captures);
    for (unsigned s = 0; s < XFB_STREAMS; s++)
        streams |= (uint32_t)(captures.count[s] != 0) << s;
    ADRENO_REG(cs, PC_DGEN_SO_CNTL, .STREAM_ENABLE = streams);
    ADRENO_REG(cs, VPC_SO_CNTL, .BUF0_STREAM = stream_of(last, 0), .BUF1_STREAM = stream_of(last, 1),
               .BUF2_STREAM = stream_of(last, 2), .BUF3_STREAM = stream_of(last, 3), .STREAM_ENABLE = streams);
    if (!streams)
        return;
    for (unsigned i = 0; i < IR_XFB_BUFFERS; i++)
        adreno_set_reg(cs, ADRENO_REG_VPC_SO_BUFFER_STRIDE + i * ADRENO_REG_VPC_SO_BUFFER_STRIDE_STRIDE,
                       ADRENO_PACK(VPC_SO_BUFFER_STRIDE, .VALUE = last->vs.xfb_stride_B[i]));
    emit_mapping(cs, &captures);
}

void adreno_emit_outputs(struct adreno_cs *cs, const struct adreno_graphics_pipeline *baked)
{
    emit_link(cs, baked);
    emit_captures(cs, baked);
}
