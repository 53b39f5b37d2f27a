/* Draws with task shaders. Two rings work together: a compute ring runs the task shaders, by a stream of its own that
 * every command buffer has beside its first one (`tasks`), the graphics ring draws what they ask for. Between them is
 * the queue's ring of entries (amd/compiler/task.c), which both command processors know.
 *
 * The stream of tasks waits until the other one has come to the draw, so that it sees what barriers before the draw let
 * it see, and the draw is over when the tasks are, so that barriers after it are about both. The words by which they
 * wait for each other are zero again afterwards: command buffers run as often as they like. */
#include "amd/driver/radeon_task.h"

#include "amd/driver/radeon_memory.h"
#include "amd/hw/regs_compute.h"
#include "util/bits.h"

#define TASKS_DW 96

enum {
    WORD_BEGIN, /* the graphics ring is at the draw */
    WORD_END,   /* the tasks are done */
    WORD_DRAW,  /* what conditional rendering decided */
    WORDS,
};

static void write_word(struct radeon_cs *cs, uint64_t va, uint32_t value, bool is_predicated)
{
    RADEON_PACKET(cs, WRITE_DATA, .flags.predicate = is_predicated, .DST_SEL = AMD_WRITE_DST_MEM, .WR_CONFIRM = true,
                  .ENGINE = AMD_CP_ENGINE_ME, .ADDR = va, .tail_dw = 1);
    radeon_emit(cs, value);
}

/* Waits for 1 and leaves 0. */
static void take_word(struct radeon_cs *cs, uint64_t va)
{
    RADEON_PACKET(cs, WAIT_REG_MEM, .FUNCTION = AMD_CP_FUNCTION_EQUAL, .MEM_SPACE = AMD_WAIT_SPACE_MEM,
                  .ENGINE = AMD_CP_ENGINE_ME, .ADDR = va, .REFERENCE = 1, .MASK = ~0u, .POLL_INTERVAL = 4);
    write_word(cs, va, 0, false);
}

static uint32_t place_of(const struct radeon_shader *shader, uint32_t sgpr0_reg, enum amd_user_data which)
{
    const struct amd_sgpr_place place = shader->binary.config.user[which];
    return place.count ? (sgpr0_reg + place.first * 4u - RADEON_SH_BASE) / 4 : 0;
}

/* ---- the stream of tasks ---- */

static void set_user(struct radeon_cs *cs, const struct radeon_shader *task, enum amd_user_data which,
                     const uint32_t *words, uint32_t count)
{
    const struct amd_sgpr_place place = task->binary.config.user[which];
    if (!place.count)
        return;
    radeon_set_sh_reg_seq(cs, AMD_REG_COMPUTE_USER_DATA + 4u * place.first, count);
    radeon_emit_array(cs, words, count);
}

/* All of the shader's state each time: nobody keeps what this stream knows. */
static void begin_tasks(struct radeon_cmd_buffer *cmd, const struct radeon_tasks *tasks, uint64_t words_va)
{
    struct radeon_cs *cs = &cmd->tasks;
    const struct radeon_shader *task = cmd->graphics->baked->task;
    const uint32_t none = 0, counts = radeon_counts_pointer(cmd);
    radeon_cs_reserve(cs, 32);
    take_word(cs, words_va + 4 * WORD_BEGIN);
    radeon_emit_order(cs, true, RADEON_FRESH_CODE | RADEON_FRESH_SCALAR | RADEON_FRESH_VECTOR | RADEON_FRESH_METADATA);
    radeon_emit_compute_shader(cs, task);
    radeon_emit_user_data(cmd, cs, VK_BIND_GRAPHICS, task, AMD_REG_COMPUTE_USER_DATA, ~0u, true);
    radeon_cs_reserve(cs, TASKS_DW);
    set_user(cs, task, AMD_USER_view_index, &tasks->view, 1);
    set_user(cs, task, AMD_USER_draw_index, &none, 1);
    set_user(cs, task, AMD_USER_counters, &counts, 1);
}

static void skip_unless_drawn(struct radeon_cmd_buffer *cmd, uint64_t words_va, uint32_t count_dw)
{
    if (radeon_is_predicated(cmd))
        RADEON_PACKET(&cmd->tasks, COND_EXEC, .ADDR = words_va + 4 * WORD_DRAW, .EXEC_COUNT = count_dw);
}

static void dispatch(struct radeon_cmd_buffer *cmd, const struct radeon_tasks *tasks, uint64_t words_va)
{
    struct radeon_cs *cs = &cmd->tasks;
    const struct radeon_shader *task = cmd->graphics->baked->task;
    const bool is_wave32 = task->binary.config.wave_size == 32;
    const uint32_t entry = place_of(task, AMD_REG_COMPUTE_USER_DATA, AMD_USER_task_entry),
                   draw = place_of(task, AMD_REG_COMPUTE_USER_DATA, AMD_USER_draw_index),
                   sizes = place_of(task, AMD_REG_COMPUTE_USER_DATA, AMD_USER_num_workgroups);
    if (!tasks->va) {
        set_user(cs, task, AMD_USER_num_workgroups, tasks->groups, 3);
        skip_unless_drawn(cmd, words_va, AMD_PKT_DISPATCH_TASKMESH_DIRECT_ACE_DW);
        RADEON_PACKET(cs, DISPATCH_TASKMESH_DIRECT_ACE, .flags.compute = true, .DIM_X = tasks->groups[0],
                      .DIM_Y = tasks->groups[1], .DIM_Z = tasks->groups[2], .COMPUTE_SHADER_EN = true,
                      .FORCE_START_AT_000 = true, .ORDER_MODE = true, .CS_W32_EN = is_wave32, .RING_ENTRY_LOC = entry);
        return;
    }
    skip_unless_drawn(cmd, words_va, AMD_PKT_DISPATCH_TASKMESH_INDIRECT_MULTI_ACE_DW);
    RADEON_PACKET(cs, DISPATCH_TASKMESH_INDIRECT_MULTI_ACE, .flags.compute = true, .DATA_ADDR = tasks->va,
                  .RING_ENTRY_LOC = entry, .COUNT_INDIRECT_ENABLE = tasks->count_va != 0,
                  .DRAW_INDEX_ENABLE = draw != 0, .XYZ_DIM_ENABLE = sizes != 0, .DRAW_INDEX_LOC = draw,
                  .XYZ_DIM_LOC = sizes, .COUNT = tasks->count, .COUNT_ADDR = tasks->count_va, .STRIDE = tasks->stride_B,
                  .COMPUTE_SHADER_EN = true, .FORCE_START_AT_000 = true, .ORDER_MODE = true, .CS_W32_EN = is_wave32);
}

static void end_tasks(struct radeon_cmd_buffer *cmd, uint64_t words_va)
{
    radeon_emit_order(&cmd->tasks, true, RADEON_AFTER_COMPUTE);
    radeon_cs_reserve(&cmd->tasks, 8);
    write_word(&cmd->tasks, words_va + 4 * WORD_END, 1, false);
}

/* ---- the draw ---- */

void radeon_draw_tasks(struct radeon_cmd_buffer *cmd, const struct radeon_tasks *tasks)
{
    const struct radeon_graphics_pipeline *baked = cmd->graphics->baked;
    struct radeon_cs *cs = &cmd->cs;
    uint64_t words_va;
    uint32_t *words = radeon_cmd_upload(cmd, 4 * WORDS, 4, &words_va);
    if (!words)
        return;
    memset(words, 0, 4 * WORDS);
    cmd->tasks_scratch_B_per_wave = MAX2(cmd->tasks_scratch_B_per_wave, baked->task->scratch_B_per_wave);
    begin_tasks(cmd, tasks, words_va);
    dispatch(cmd, tasks, words_va);
    end_tasks(cmd, words_va);

    radeon_cs_reserve(cs, 64);
    if (radeon_is_predicated(cmd)) {
        write_word(cs, words_va + 4 * WORD_DRAW, 0, false);
        write_word(cs, words_va + 4 * WORD_DRAW, 1, true);
    }
    write_word(cs, words_va + 4 * WORD_BEGIN, 1, false);
    RADEON_PACKET(cs, DISPATCH_TASKMESH_GFX, .flags.predicate = radeon_is_predicated(cmd),
                  .XYZ_DIM_LOC = place_of(baked->vertex, baked->vertex_user_reg, AMD_USER_num_workgroups),
                  .RING_ENTRY_LOC = place_of(baked->vertex, baked->vertex_user_reg, AMD_USER_task_entry),
                  .SOURCE_SELECT = AMD_DRAW_SOURCE_AUTO_INDEX);
    take_word(cs, words_va + 4 * WORD_END);
    cmd->graphics->last.is_odd = true;
    cmd->graphics->last.num_instances = 0;
}
