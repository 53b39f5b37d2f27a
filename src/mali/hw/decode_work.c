/* The inputs of a RUN_*: registers by the names that it has for them, and the descriptors that they point to. Each
 * line below an instruction begins with an address, or with the number of a register. */
#include "mali/hw/decode_internal.h"

#include <inttypes.h>
#include <string.h>

#include "mali/hw/descriptors.h"
#include "mali/hw/instructions.h"
#include "mali/hw/regs_compute.h"
#include "mali/hw/regs_fragment.h"
#include "mali/hw/regs_idvs.h"
#include "util/bits.h"

#define MAX_PLANES 64u /* of a texture that are printed */
#define MAX_TABLE 512u /* descriptors of a table */

/* ---- descriptors ---- */

/* The words at an address; NULL, with a report, when they are not there. */
static const uint32_t *read_words(struct mali_decoder *d, const char *what, uint64_t va, uint32_t count_dw)
{
    const uint32_t *dw = va ? d->t.options->read(d->t.options->data, va, count_dw) : NULL;
    if (!dw && va)
        hw_text_problem(&d->t, d->offset_B, "cannot read %s at 0x%" PRIx64, what, va);
    return dw;
}

static void begin_line(struct mali_decoder *d, uint64_t va)
{
    hw_text_line(&d->t);
    strbuf_printf(d->t.out, "            %012" PRIx64 " ", va);
}

/* One line; returns the words. */
static const uint32_t *print_descriptor(struct mali_decoder *d, const char *name, uint64_t va)
{
    const struct hw_descriptor *row = hw_descriptor_find(&mali_hw_tables, name);
    const uint32_t *dw = read_words(d, name, va, row->length_dw);
    if (!dw)
        return NULL;
    begin_line(d, va);
    strbuf_append(d->t.out, name);
    hw_text_fields(&d->t, hw_fields(row), 0, row->field_count, dw, row->length_dw, false);
    hw_text_end_line(&d->t);
    return dw;
}

static void print_texture(struct mali_decoder *d, uint64_t va)
{
    const uint32_t *dw = print_descriptor(d, "TEXTURE", va);
    if (!dw)
        return;
    struct mali_desc_TEXTURE texture = mali_unpack_desc_TEXTURE(dw);
    uint64_t planes =
        (uint64_t)texture.LEVELS * texture.ARRAY_SIZE * (texture.DIMENSION == MALI_TEXTURE_DIMENSION_CUBE ? 6 : 1);
    for (uint64_t i = 0; i < MIN2(planes, MAX_PLANES); i++)
        print_descriptor(d, "PLANE", texture.SURFACES + i * MALI_DESC_PLANE_DW * 4);
    if (planes > MAX_PLANES) {
        begin_line(d, texture.SURFACES + (uint64_t)MAX_PLANES * MALI_DESC_PLANE_DW * 4);
        strbuf_printf(d->t.out, "%" PRIu64 " planes more\n", planes - MAX_PLANES);
    }
}

static void print_resource(struct mali_decoder *d, uint64_t va, unsigned type)
{
    switch (type) {
    case MALI_DESCRIPTOR_TYPE_NULL:
        break;
    case MALI_DESCRIPTOR_TYPE_SAMPLER:
        print_descriptor(d, "SAMPLER", va);
        break;
    case MALI_DESCRIPTOR_TYPE_TEXTURE:
        print_texture(d, va);
        break;
    case MALI_DESCRIPTOR_TYPE_ATTRIBUTE:
        print_descriptor(d, "ATTRIBUTE", va);
        break;
    case MALI_DESCRIPTOR_TYPE_BUFFER:
        print_descriptor(d, "BUFFER", va);
        break;
    default:
        begin_line(d, va);
        strbuf_printf(d->t.out, "? a descriptor of type %u\n", type);
        break;
    }
}

static void print_resources(struct mali_decoder *d, uint64_t va, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        const uint32_t *dw = print_descriptor(d, "RESOURCE", va + i * MALI_DESC_RESOURCE_DW * 4);
        if (!dw)
            return;
        struct mali_desc_RESOURCE table = mali_unpack_desc_RESOURCE(dw);
        uint64_t entries = MIN2(table.SIZE / 32, MAX_TABLE);
        const uint32_t *words = NULL;
        if (table.CONTAINS_DESCRIPTORS && entries)
            words = read_words(d, "a resource table", table.ADDRESS, (uint32_t)entries * 8);
        for (uint64_t n = 0; words && n < entries; n++)
            print_resource(d, table.ADDRESS + 32 * n, words[8 * n] & 15);
    }
}

static void print_uniforms(struct mali_decoder *d, uint64_t va, unsigned count)
{
    const uint32_t *dw = count ? read_words(d, "FAU", va, 2 * count) : NULL;
    for (unsigned i = 0; dw && i < 2 * count; i += 8) {
        begin_line(d, va + 4 * i);
        strbuf_printf(d->t.out, "u%-4u", i);
        for (unsigned n = i; n < i + 8 && n < 2 * count; n++)
            hw_text_word(&d->t, "%08" PRIx32, dw[n]);
        hw_text_end_line(&d->t);
    }
}

/* The four pointers of a stage. */
static void print_environment(struct mali_decoder *d, const char *stage, uint64_t srt, uint64_t fau, uint64_t spd,
                              uint64_t tsd)
{
    strbuf_printf(d->t.out, "            %s\n", stage);
    if (spd)
        print_descriptor(d, "SHADER_PROGRAM", spd);
    if (tsd)
        print_descriptor(d, "LOCAL_STORAGE", tsd);
    if (fau)
        print_uniforms(d, fau & ((1ull << 48) - 1), (unsigned)(fau >> 56));
    if (srt)
        print_resources(d, srt & ~63ull, (unsigned)(srt & 63));
}

static void print_array(struct mali_decoder *d, const char *name, uint64_t va, unsigned count, unsigned stride_dw)
{
    for (unsigned i = 0; i < count; i++)
        print_descriptor(d, name, va + 4ull * i * stride_dw);
}

static void print_tiler(struct mali_decoder *d, uint64_t va)
{
    const uint32_t *dw = va ? print_descriptor(d, "TILER_CONTEXT", va) : NULL;
    uint64_t heap = dw ? mali_unpack_desc_TILER_CONTEXT(dw).HEAP : 0;
    if (heap)
        print_descriptor(d, "TILER_HEAP", heap);
}

static void print_draw(struct mali_decoder *d, const char *stage, uint64_t va)
{
    const uint32_t *dw = print_descriptor(d, "DRAW", va);
    if (!dw)
        return;
    struct mali_desc_DRAW draw = mali_unpack_desc_DRAW(dw);
    if (draw.DEPTH_STENCIL)
        print_descriptor(d, "DEPTH_STENCIL", draw.DEPTH_STENCIL);
    print_array(d, "BLEND", draw.BLEND, draw.BLEND_COUNT, MALI_DESC_BLEND_DW);
    print_environment(d, stage, draw.RESOURCES | draw.RESOURCE_COUNT, draw.FAU | (uint64_t)draw.FAU_COUNT << 56,
                      draw.SHADER, draw.THREAD_STORAGE);
}

static void print_framebuffer(struct mali_decoder *d, uint64_t pointer)
{
    static const char *const stages[] = {"pre-frame 0", "pre-frame 1", "post-frame"};
    struct mali_FRAGMENT_FBD fbd = mali_unpack_FRAGMENT_FBD(pointer);
    const uint32_t *dw = print_descriptor(d, "FRAMEBUFFER", fbd.ADDR);
    if (!dw)
        return;
    struct mali_desc_FRAMEBUFFER fb = mali_unpack_desc_FRAMEBUFFER(dw);
    uint64_t va = fbd.ADDR + MALI_DESC_FRAMEBUFFER_DW * 4;
    if (fbd.ZS_CRC_EXTENSION_PRESENT) {
        print_descriptor(d, "ZS_CRC_EXTENSION", va);
        va += MALI_DESC_ZS_CRC_EXTENSION_DW * 4;
    }
    print_array(d, "RENDER_TARGET", va, fbd.RENDER_TARGET_COUNT, MALI_DESC_RENDER_TARGET_DW);
    const unsigned modes[] = {fb.PRE_FRAME_0, fb.PRE_FRAME_1, fb.POST_FRAME};
    for (unsigned i = 0; i < 3; i++) {
        if (modes[i] != MALI_FRAME_SHADER_MODE_NEVER)
            print_draw(d, stages[i], fb.FRAME_SHADER_DCDS + i * MALI_DESC_DRAW_DW * 4ull);
    }
    print_tiler(d, fb.TILER);
}

/* ---- registers ---- */

/* Registers of a space that are known; of an array of pairs, the one that the instruction selects. */
static void print_registers(struct mali_decoder *d, enum mali_space space, const unsigned selected[4])
{
    static const uint16_t arrays[4] = {MALI_REG_COMPUTE_SRT, MALI_REG_COMPUTE_FAU, MALI_REG_COMPUTE_SPD,
                                       MALI_REG_COMPUTE_TSD};
    for (unsigned i = 0; i < mali_reg_count; i++) {
        const struct hw_reg *row = &mali_regs[i];
        unsigned index = 0, reg = row->offset[MALI_V10] & 0xff;
        if (row->space != space)
            continue;
        for (unsigned n = 0; n < 4 && row->count > 1; n++) {
            if (row->offset[MALI_V10] == arrays[n])
                index = selected[n];
        }
        reg += index * row->stride;
        if (!mali_decode_known(d, reg, row->is_wide ? 2 : 1))
            continue;
        hw_text_line(&d->t);
        strbuf_printf(d->t.out, "            %c%-3u ", row->is_wide ? 'd' : 'r', reg);
        hw_text_register(&d->t, row, index, row->is_wide ? mali_decode_reg64(d, reg) : d->queue->regs[reg]);
        hw_text_end_line(&d->t);
    }
}

/* A pair's value; 0 where it is not known, or where no memory can be read. */
static uint64_t pair(const struct mali_decoder *d, unsigned reg)
{
    return d->t.options->read && mali_decode_known(d, reg, 2) ? mali_decode_reg64(d, reg) : 0;
}

/* ---- instructions ---- */

static void run_compute(struct mali_decoder *d, uint64_t word)
{
    struct mali_cs_RUN_COMPUTE f = mali_unpack_cs_RUN_COMPUTE(word);
    const unsigned selected[4] = {f.SRT_SELECT, f.FAU_SELECT, f.SPD_SELECT, f.TSD_SELECT};
    print_registers(d, MALI_SPACE_COMPUTE, selected);
    if (d->t.options->read)
        print_environment(d, "compute", pair(d, MALI_SR(COMPUTE_SRT) + 2 * f.SRT_SELECT),
                          pair(d, MALI_SR(COMPUTE_FAU) + 2 * f.FAU_SELECT),
                          pair(d, MALI_SR(COMPUTE_SPD) + 2 * f.SPD_SELECT),
                          pair(d, MALI_SR(COMPUTE_TSD) + 2 * f.TSD_SELECT));
}

static void run_idvs(struct mali_decoder *d, uint64_t word)
{
    static const unsigned none[4];
    struct mali_cs_RUN_IDVS f = mali_unpack_cs_RUN_IDVS(word);
    print_registers(d, MALI_SPACE_IDVS, none);
    if (!d->t.options->read)
        return;
    uint64_t srt = pair(d, MALI_SR(IDVS_VERTEX_SRT)), fau = pair(d, MALI_SR(IDVS_VERTEX_FAU)),
             tsd = pair(d, MALI_SR(IDVS_VERTEX_TSD));
    unsigned flags_reg = MALI_SR(IDVS_PRIMITIVE_FLAGS);
    uint32_t flags = (mali_decode_known(d, flags_reg, 1) ? d->queue->regs[flags_reg] : 0) | f.FLAGS_OVERRIDE;
    print_environment(d, "position", srt, fau, pair(d, MALI_SR(IDVS_POSITION_SPD)), tsd);
    if (MALI_GET(IDVS_PRIMITIVE_FLAGS, SECONDARY_SHADER, flags))
        print_environment(d, "varying", f.VARYING_SRT_SELECT ? pair(d, MALI_SR(IDVS_VARYING_SRT)) : srt,
                          f.VARYING_FAU_SELECT ? pair(d, MALI_SR(IDVS_VARYING_FAU)) : fau,
                          pair(d, MALI_SR(IDVS_VARYING_SPD)),
                          f.VARYING_TSD_SELECT ? pair(d, MALI_SR(IDVS_VARYING_TSD)) : tsd);
    if (pair(d, MALI_SR(IDVS_FRAGMENT_SPD)))
        print_environment(d, "fragment", f.FRAGMENT_SRT_SELECT ? pair(d, MALI_SR(IDVS_FRAGMENT_SRT)) : srt,
                          pair(d, MALI_SR(IDVS_FRAGMENT_FAU)), pair(d, MALI_SR(IDVS_FRAGMENT_SPD)),
                          f.FRAGMENT_TSD_SELECT ? pair(d, MALI_SR(IDVS_FRAGMENT_TSD)) : tsd);
    struct mali_IDVS_BLEND blend = mali_unpack_IDVS_BLEND(pair(d, MALI_SR(IDVS_BLEND)));
    print_array(d, "BLEND", blend.ADDR, blend.COUNT, MALI_DESC_BLEND_DW);
    if (pair(d, MALI_SR(IDVS_DEPTH_STENCIL)))
        print_descriptor(d, "DEPTH_STENCIL", pair(d, MALI_SR(IDVS_DEPTH_STENCIL)));
    print_tiler(d, pair(d, MALI_SR(IDVS_TILER_CONTEXT)));
}

void mali_decode_work(struct mali_decoder *d, uint64_t word)
{
    static const unsigned none[4];
    switch (MALI_CS_OPCODE(word)) {
    case MALI_CS_RUN_COMPUTE:
    case MALI_CS_RUN_COMPUTE_INDIRECT: /* the selections are in the same bits */
        run_compute(d, word);
        break;
    case MALI_CS_RUN_IDVS:
        run_idvs(d, word);
        break;
    case MALI_CS_RUN_FRAGMENT:
        print_registers(d, MALI_SPACE_FRAGMENT, none);
        if (pair(d, MALI_SR(FRAGMENT_FBD)))
            print_framebuffer(d, pair(d, MALI_SR(FRAGMENT_FBD)));
        break;
    case MALI_CS_RUN_TILING:
        print_registers(d, MALI_SPACE_IDVS, none);
        print_tiler(d, pair(d, MALI_SR(IDVS_TILER_CONTEXT)));
        break;
    case MALI_CS_RUN_FULLSCREEN:
        if (pair(d, mali_unpack_cs_RUN_FULLSCREEN(word).DCD))
            print_draw(d, "fullscreen", pair(d, mali_unpack_cs_RUN_FULLSCREEN(word).DCD));
        print_tiler(d, pair(d, MALI_SR(IDVS_TILER_CONTEXT)));
        break;
    default:
        break;
    }
}
