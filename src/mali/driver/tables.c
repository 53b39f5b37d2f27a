/* Resource tables of a draw or dispatch: an array that names the driver's own table and the sets. */
#include <string.h>

#include "mali/driver/cmd.h"
#include "mali/driver/descriptor.h"
#include "mali/hw/descriptors.h"
#include "util/bits.h"

#define TABLE_ALIGN_B 64u

/* Whatever a set holds; what is not there was never written by the application. */
#define SET_TABLE_B MALI_MAX_SET_B

static void pack_table(uint32_t *out, uint64_t va, uint64_t size_B)
{
    mali_pack_desc_RESOURCE(out, &(const struct mali_desc_RESOURCE){
                                     .ADDRESS = va, .CONTAINS_DESCRIPTORS = va != 0, .SIZE = va ? size_B : 0});
}

/* Nearest, by texels: texelFetch and what else has no sampler of its own. */
static void pack_fetch_sampler(uint32_t out[MALI_DESCRIPTOR_DW])
{
    mali_pack_desc_SAMPLER(out, &(const struct mali_desc_SAMPLER){
                                    .TYPE = MALI_DESCRIPTOR_TYPE_SAMPLER,
                                    .WRAP_MODE_R = MALI_WRAP_MODE_CLAMP_TO_EDGE,
                                    .WRAP_MODE_T = MALI_WRAP_MODE_CLAMP_TO_EDGE,
                                    .WRAP_MODE_S = MALI_WRAP_MODE_CLAMP_TO_EDGE,
                                    .CLAMP_INTEGER_COORDINATES = false,
                                    .MINIFY_NEAREST = true,
                                    .MAGNIFY_NEAREST = true,
                                    .MAXIMUM_ANISOTROPY = 1,
                                });
}

static struct mali_own_table upload_own(struct mali_cmd_buffer *cmd, const struct vk_bindings *bindings,
                                        const struct mali_shader_config *config, const struct mali_own_entries *entries)
{
    const uint32_t first_count = entries->first_count, last = MALI_DRIVER_FREE + bindings->num_dynamic;
    const uint32_t count = bindings->num_dynamic || entries->last_count ? last + entries->last_count
                           : config->uses_driver_sampler                ? MALI_DRIVER_FREE
                                                                        : first_count;
    uint64_t va = 0;
    if (!count || !(config->tables_used & 1u << MALI_DRIVER_TABLE))
        return (struct mali_own_table){0};
    uint32_t *own = mali_cmd_upload(cmd, count * MALI_DESCRIPTOR_B, TABLE_ALIGN_B, &va);
    if (!own)
        return (struct mali_own_table){0};
    if (first_count)
        memcpy(own, entries->first, first_count * MALI_DESCRIPTOR_B);
    memset(own + first_count * MALI_DESCRIPTOR_DW, 0, (count - first_count) * MALI_DESCRIPTOR_B);
    if (count > MALI_DRIVER_SAMPLER)
        pack_fetch_sampler(own + MALI_DRIVER_SAMPLER * MALI_DESCRIPTOR_DW);
    if (bindings->num_dynamic)
        memcpy(own + MALI_DRIVER_FREE * MALI_DESCRIPTOR_DW, bindings->dynamic,
               bindings->num_dynamic * MALI_DESCRIPTOR_B);
    if (entries->last_count)
        memcpy(own + last * MALI_DESCRIPTOR_DW, entries->last, entries->last_count * MALI_DESCRIPTOR_B);
    return (struct mali_own_table){va, count * MALI_DESCRIPTOR_B};
}

struct mali_own_table mali_upload_own_table(struct mali_cmd_buffer *cmd, enum vk_bind_point point,
                                            const struct mali_shader_config *config,
                                            const struct mali_own_entries *entries)
{
    return upload_own(cmd, &cmd->vk.rec->bindings[point], config, entries);
}

static uint64_t upload_tables(struct mali_cmd_buffer *cmd, const struct vk_bindings *bindings,
                              const struct mali_shader_config *config, struct mali_own_table own)
{
    const uint32_t count = config->tables_used ? 32u - (uint32_t)__builtin_clz(config->tables_used) : 0;
    uint64_t va = 0;
    if (!count)
        return 0;
    uint32_t *tables = mali_cmd_upload(cmd, count * 16, TABLE_ALIGN_B, &va);
    if (!tables)
        return 0;
    pack_table(tables, own.va, own.size_B);
    for (uint32_t i = MALI_FIRST_SET_TABLE; i < count; i++)
        pack_table(tables + i * 4, bindings->set_va[i - MALI_FIRST_SET_TABLE], SET_TABLE_B);
    return va | count;
}

uint64_t mali_upload_tables(struct mali_cmd_buffer *cmd, enum vk_bind_point point,
                            const struct mali_shader_config *config, struct mali_own_table own)
{
    struct vk_bindings *bindings = &cmd->vk.rec->bindings[point];
    vk_bindings_flush_push(&cmd->vk, bindings, &cmd->upload);
    return upload_tables(cmd, bindings, config, own);
}

uint64_t mali_upload_own_tables(struct mali_cmd_buffer *cmd, const struct mali_shader_config *config, uint64_t set_va)
{
    const struct vk_bindings own = {.set_va = {set_va}};
    return upload_tables(cmd, &own, config, upload_own(cmd, &own, config, &(const struct mali_own_entries){0}));
}
