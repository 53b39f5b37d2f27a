/* See uniforms.h. A launch splats its uniforms once on each worker that runs it, and only those that the launch before
 * had other values of; so instructions read them as they read registers. */
#include "mali/model/sc/uniforms.h"

#include <stddef.h>

enum {
    ROWS_PAGE_0 = MALI_FAU_WORDS,
    ROWS_PAGE_1 = ROWS_PAGE_0 + SC_SPECIAL_WORDS,
    ROWS_PAGE_3 = ROWS_PAGE_1 + SC_SPECIAL_WORDS,
};

void mali_sc_uniforms_init(struct sc_uniforms *uniforms)
{
    uint32_t *lane_id = uniforms->rows + (size_t)(ROWS_PAGE_3 + MALI_ISA_SPECIAL_LANE_ID) * MALI_ROW_LANES;
    for (unsigned i = 0; i < MALI_ROW_LANES; i++)
        lane_id[i] = i % MALI_WARP_LANES;
}

static void put_word(struct sc_uniforms *uniforms, unsigned row, uint32_t word)
{
    if (uniforms->words[row] == word)
        return;
    uniforms->words[row] = word;
    lanes_splat(uniforms->rows + (size_t)row * MALI_ROW_LANES, word, MALI_ROW_LANES);
}

static void put64(struct sc_uniforms *uniforms, unsigned row, uint64_t value)
{
    put_word(uniforms, row, (uint32_t)value);
    put_word(uniforms, row + 1, (uint32_t)(value >> 32));
}

void mali_sc_uniforms_enter(struct sc_uniforms *uniforms, const struct mali_launch *launch, unsigned core)
{
    if (uniforms->serial == launch->serial)
        return;
    uniforms->serial = launch->serial;
    for (unsigned i = 0; i < launch->fau_count; i++)
        put_word(uniforms, i, launch->fau[i]);
    put64(uniforms, ROWS_PAGE_0 + MALI_ISA_SPECIAL_FRAMEBUFFER_SIZE, launch->framebuffer_size);
    put64(uniforms, ROWS_PAGE_0 + MALI_ISA_SPECIAL_ATEST_DATUM, launch->atest_datum);
    put64(uniforms, ROWS_PAGE_0 + MALI_ISA_SPECIAL_SAMPLE, launch->sample_positions_va);
    for (unsigned i = 0; i < 8; i++)
        put64(uniforms, ROWS_PAGE_0 + MALI_ISA_SPECIAL_BLEND_DESCRIPTOR_0 + 2 * i, launch->blend[i]);
    put64(uniforms, ROWS_PAGE_1 + MALI_ISA_SPECIAL_RESOURCE_TABLE_POINTER,
          launch->resources_va | launch->resource_count);
    put_word(uniforms, ROWS_PAGE_3 + MALI_ISA_SPECIAL_CORE_ID, core);
}

unsigned mali_sc_lane_id_row(void)
{
    return ROWS_PAGE_3 + MALI_ISA_SPECIAL_LANE_ID;
}

sc_place mali_sc_uniform_place(unsigned number)
{
    return number * SC_ROW_B | SC_BASE_UNIFORMS;
}

sc_place mali_sc_special_place(struct sc_builder *builder, unsigned page, unsigned value)
{
    const unsigned which = value & ~1u, word = value & 1;
    if (page == 1 && which == MALI_ISA_SPECIAL_THREAD_LOCAL_POINTER)
        return (sc_place)offsetof(struct mali_warp, tls) + word * SC_ROW_B;
    if (page == 1 && which == MALI_ISA_SPECIAL_WORKGROUP_LOCAL_POINTER)
        return (sc_place)offsetof(struct mali_warp, wls) + word * SC_ROW_B;
    if (page == 3 && which == MALI_ISA_SPECIAL_PROGRAM_COUNTER) { /* of the next instruction */
        const uint64_t next = builder->pc + 8;
        return mali_sc_constant_place(builder, word ? next >> 32 : next, word ? 1 : 2);
    }
    if (page == 0 && which == MALI_ISA_SPECIAL_WARP_ID)
        return (sc_place)offsetof(struct mali_warp, warp_id) + word * SC_ROW_B;
    return mali_sc_uniform_place((page == 3 ? ROWS_PAGE_3 : page == 1 ? ROWS_PAGE_1 : ROWS_PAGE_0) + value);
}
