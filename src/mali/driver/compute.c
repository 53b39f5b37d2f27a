/* Dispatches: registers of the shader, its uniforms and resource tables, and the instructions that start it. */
#include <string.h>

#include "mali/driver/descriptor.h"
#include "mali/driver/entrypoints.h"
#include "mali/driver/uniforms.h"
#include "mali/hw/regs_compute.h"
#include "util/bits.h"
#include "vulkan/runtime/memory/vk_buffer.h"

void mali_bind_compute_shader(struct mali_cmd_buffer *cmd, const struct mali_shader *shader)
{
    if (cmd->compute_shader == shader)
        return;
    cmd->compute_shader = shader;
    cmd->compute_dirty = true;
}

/* ---- resources ---- */

static void update_tables(struct mali_cmd_buffer *cmd)
{
    struct vk_bindings *bindings = &cmd->vk.rec->bindings[VK_BIND_COMPUTE];
    if (!cmd->compute_dirty && !bindings->dirty && !bindings->dynamic_dirty && !bindings->push_dirty)
        return;
    const struct mali_shader_config *config = &cmd->compute_shader->binary.config;
    const struct mali_own_table own =
        mali_upload_own_table(cmd, VK_BIND_COMPUTE, config, &(const struct mali_own_entries){0});
    cmd->compute_tables = mali_upload_tables(cmd, VK_BIND_COMPUTE, config, own);
    bindings->dirty = 0;
    bindings->dynamic_dirty = false;
}

/* ---- tasks ---- */

struct tasks {
    enum mali_TASK_AXIS axis;
    uint32_t increment;
};

/* A core is given workgroups in tasks: some of them along one axis, with all of the axes before it. As many as a core
 * can run at once are one, unless there are too few for all cores. */
static uint32_t threads_of_core(const struct mali_cmd_buffer *cmd)
{
    return cmd->device->chip->max_threads / (cmd->compute_shader->binary.config.main.registers > 32 ? 2 : 1);
}

static struct tasks choose_tasks(const struct mali_cmd_buffer *cmd, uint32_t threads, const uint32_t counts[3])
{
    enum {
        MAX_INCREMENT = (1 << 14) - 1
    };
    const uint64_t total = (uint64_t)counts[0] * counts[1] * counts[2],
                   of_core = div_round_up(total, mali_chip_core_count(cmd->device->chip)) * threads;
    const uint64_t room = MIN2((uint64_t)threads_of_core(cmd), of_core);
    uint64_t of_step = threads; /* threads of one step along the axis */
    int axis = MALI_TASK_AXIS_X;
    while (axis < MALI_TASK_AXIS_Z && of_step * counts[axis] < room)
        of_step *= counts[axis++];
    const uint64_t increment = MIN2(room / MIN2(of_step, room), (uint64_t)counts[axis]);
    return (struct tasks){(enum mali_TASK_AXIS)axis, (uint32_t)MIN2(increment, (uint64_t)MAX_INCREMENT)};
}

/* ---- dispatches ---- */

static uint32_t workgroup_threads(const struct mali_shader_config *config)
{
    const uint16_t *size = config->cs.workgroup_size;
    return (uint32_t)size[0] * size[1] * size[2];
}

/* Workgroups of two dispatches would have the same memory. */
static void wait_for_groups(struct mali_cmd_buffer *cmd)
{
    const bool has_storage = cmd->compute_shader->binary.config.local_size_B;
    if (has_storage && cmd->has_busy_groups)
        mali_cmd_wait_work(cmd, MALI_COMPUTE);
    cmd->has_busy_groups |= has_storage;
}

/* Everything but the counts. */
static struct mali_stream *before_dispatch(struct mali_cmd_buffer *cmd, struct mali_sysvals *sysvals,
                                           struct mali_uniforms *uniforms_out)
{
    const struct mali_shader *shader = cmd->compute_shader;
    const struct mali_shader_config *config = &shader->binary.config;
    mali_settle_new_images(cmd);
    update_tables(cmd);
    *uniforms_out = mali_cmd_uniforms(cmd, shader, sysvals);
    wait_for_groups(cmd);
    struct mali_stream *s = mali_cmd_begin_work(cmd, MALI_COMPUTE);
    mali_set64(s, mali_d(MALI_SR(COMPUTE_SRT)), cmd->compute_tables);
    mali_set64(s, mali_d(MALI_SR(COMPUTE_FAU)), uniforms_out->value);
    mali_set64(s, mali_d(MALI_SR(COMPUTE_SPD)), shader->main_va);
    mali_set64(s, mali_d(MALI_SR(COMPUTE_TSD)), shader->storage_va);
    mali_set32(s, mali_r(MALI_SR(COMPUTE_ATTRIBUTE_OFFSET)), 0);
    mali_set32(s, mali_r(MALI_SR(COMPUTE_WORKGROUP_SIZE)),
               mali_pack_COMPUTE_WORKGROUP_SIZE(&(const struct mali_COMPUTE_WORKGROUP_SIZE){
                   .X = config->cs.workgroup_size[0],
                   .Y = config->cs.workgroup_size[1],
                   .Z = config->cs.workgroup_size[2],
                   .ALLOW_MERGING_WORKGROUPS = config->cs.may_merge,
               }));
    cmd->compute_dirty = false;
    cmd->push_dirty &= ~(VkShaderStageFlags)VK_SHADER_STAGE_COMPUTE_BIT;
    return s;
}

/* Bases are the shader's to add: gl_WorkGroupID counts them, and so do sizes of the work. */
static void set_offsets(struct mali_stream *s)
{
    for (unsigned i = 0; i < 3; i++)
        mali_set32(s, mali_r(MALI_SR(COMPUTE_JOB_OFFSET_X) + i), 0);
}

static void run_tasks(struct mali_cmd_buffer *cmd, struct mali_stream *s, struct tasks tasks)
{
    struct mali_block condition;
    mali_predicate_begin(cmd, s, &condition);
    mali_put_resources(s, (struct mali_resources){.has_compute = true});
    mali_put_run_compute(s, (struct mali_cs_RUN_COMPUTE){.TASK_INCREMENT = tasks.increment, .TASK_AXIS = tasks.axis});
    mali_put_resources(s, (struct mali_resources){0});
    mali_predicate_end(cmd, s, &condition);
}

void mali_dispatch(struct mali_cmd_buffer *cmd, const uint32_t base[3], const uint32_t counts[3])
{
    struct mali_sysvals sysvals;
    struct mali_uniforms uniforms;
    memcpy(sysvals.words[MALI_SYSVAL_WORKGROUPS], counts, 3 * sizeof(*counts));
    memcpy(sysvals.words[MALI_SYSVAL_WORKGROUP_BASE], base, 3 * sizeof(*base));
    struct mali_stream *s = before_dispatch(cmd, &sysvals, &uniforms);
    set_offsets(s);
    for (unsigned i = 0; i < 3; i++)
        mali_set32(s, mali_r(MALI_SR(COMPUTE_JOB_SIZE_X) + i), counts[i]);
    run_tasks(cmd, s, choose_tasks(cmd, workgroup_threads(&cmd->compute_shader->binary.config), counts));
}

VKAPI_ATTR void VKAPI_CALL mali_CmdDispatchBase(VkCommandBuffer handle, uint32_t base_x, uint32_t base_y,
                                                uint32_t base_z, uint32_t x, uint32_t y, uint32_t z)
{
    if (x && y && z)
        mali_dispatch(mali_cmd_buffer_from_handle(handle), (const uint32_t[3]){base_x, base_y, base_z},
                      (const uint32_t[3]){x, y, z});
}

/* The stream loads the counts into the registers of the job's size; a shader that reads them has them in its uniforms,
 * too. */
VKAPI_ATTR void VKAPI_CALL mali_CmdDispatchIndirect(VkCommandBuffer handle, VkBuffer buffer, VkDeviceSize offset_B)
{
    struct mali_cmd_buffer *cmd = mali_cmd_buffer_from_handle(handle);
    struct mali_sysvals sysvals = {0};
    struct mali_uniforms uniforms;
    struct mali_stream *s = before_dispatch(cmd, &sysvals, &uniforms);
    const struct mali_shader_config *config = &cmd->compute_shader->binary.config;
    const struct mali_r sizes = mali_r(MALI_SR(COMPUTE_JOB_SIZE_X));
    const struct mali_d address = mali_scratch_pair(0);
    struct mali_block condition;
    set_offsets(s);
    mali_set64(s, address, vk_buffer_from_handle(buffer)->va + offset_B);
    mali_put_load(s, sizes, 7, address, 0);
    if (uniforms.value && config->fau.sysval[MALI_SYSVAL_WORKGROUPS] != MALI_FAU_UNUSED) {
        mali_set64(s, address, uniforms.va + 4u * config->fau.sysval[MALI_SYSVAL_WORKGROUPS]);
        mali_put_store(s, sizes, 7, address, 0);
    }
    mali_stream_settle(s);
    mali_predicate_begin(cmd, s, &condition);
    mali_put_resources(s, (struct mali_resources){.has_compute = true});
    mali_put_run_compute_indirect(
        s, (struct mali_cs_RUN_COMPUTE_INDIRECT){.WORKGROUPS_PER_TASK =
                                                     MAX2(threads_of_core(cmd) / workgroup_threads(config), 1u)});
    mali_put_resources(s, (struct mali_resources){0});
    mali_predicate_end(cmd, s, &condition);
}
