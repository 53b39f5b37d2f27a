/* A report of a hang or fault that needs nothing but the kernel's interface: which queue, how far the command processor
 * came, the streams with a mark there, the shaders that were bound around it, registers that the kernel lets us read,
 * and every buffer with its address. Submissions are waited for one by one in this mode, so the culprit is the last. */
#include "amd/driver/radeon_hang.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "amd/hw/decode.h"
#include "util/bits.h"
#include "util/debug.h"
#include "vulkan/runtime/device/vk_lost_report.h"

enum {
    MARK_MAGIC = 0x7475666d,
    MARK_DW = 3, /* a NOP with the magic number and the mark */
};

VkResult radeon_hang_init(struct radeon_device *device)
{
    if (!debug_enabled(DEBUG_HANG))
        return VK_SUCCESS;
    void *map;
    int error = amd_ws_bo_create(device->ws, 4096, 4096, AMDGPU_GEM_DOMAIN_GTT, WS_BO_CPU_ACCESS | WS_BO_ZEROED, 0,
                                 &device->marks);
    if (!error)
        error = amd_ws_bo_map(device->marks, &map);
    return vk_kernel_result(error);
}

void radeon_hang_finish(struct radeon_device *device)
{
    amd_ws_bo_unref(device->marks);
}

void radeon_emit_mark(struct radeon_cmd_buffer *cmd)
{
    uint32_t number = atomic_fetch_add(&cmd->device->next_mark, 1) + 1;
    radeon_cs_reserve(&cmd->cs, 16);
    RADEON_PACKET(&cmd->cs, WRITE_DATA, .DST_SEL = AMD_WRITE_DST_MEM, .WR_CONFIRM = true, .ENGINE = AMD_CP_ENGINE_ME,
                  .ADDR = cmd->device->marks->vk.va, .tail_dw = 1);
    radeon_emit(&cmd->cs, number);
    RADEON_PACKET(&cmd->cs, NOP, .tail_dw = 2);
    radeon_emit(&cmd->cs, MARK_MAGIC);
    radeon_emit(&cmd->cs, number);
}

/* ---- the report ---- */

/* Where after mark `number` the stream goes on; count_dw where it is not in these words. */
static uint32_t find_mark(const uint32_t *words, uint32_t count_dw, uint32_t number)
{
    for (uint32_t i = 1; i + 1 < count_dw; i++) {
        if (words[i] == MARK_MAGIC && words[i + 1] == number && AMD_PKT3_OPCODE(words[i - 1]) == AMD_PKT_NOP)
            return i + MARK_DW - 1;
    }
    return count_dw;
}

static void write_stream(FILE *file, const struct radeon_cs *cs, uint32_t reached)
{
    const struct hw_decode_options options = {.generation = RADEON_GFX,
                                              .stream = cs->is_dma ? AMD_STREAM_SDMA : AMD_STREAM_PM4};
    struct strbuf text = {0};
    for (struct radeon_piece piece = radeon_cs_first(cs); piece.chunk; piece = radeon_cs_next(cs, &piece)) {
        uint32_t at = find_mark(piece.words, piece.count_dw, reached);
        strbuf_printf(&text, "chunk at 0x%llx, %u dwords\n", (unsigned long long)piece.va, piece.count_dw);
        amd_decode_stream(&text, &options, piece.words, at);
        if (at < piece.count_dw) {
            strbuf_printf(&text, "----> mark %u was reached; offsets below count from here (byte 0x%x)\n", reached,
                          4 * at);
            amd_decode_stream(&text, &options, piece.words + at, piece.count_dw - at);
        }
    }
    fputs(text.text ? text.text : "", file);
    strbuf_finish(&text);
}

/* The kernel's list of readable registers, as far as it has the engines' state. */
static void write_registers(FILE *file, struct ws_device *ws)
{
    static const struct {
        const char *name;
        uint32_t offset_B;
    } registers[] = {{"GRBM_STATUS", 0x8010},      {"GRBM_STATUS2", 0x8008},     {"GRBM_STATUS_SE0", 0x8014},
                     {"GRBM_STATUS_SE1", 0x8018},  {"CP_CPC_STATUS", 0x8210},    {"CP_CPF_STATUS", 0x821c},
                     {"CP_STALLED_STAT1", 0x8674}, {"CP_STALLED_STAT2", 0x8678}, {"CP_STAT", 0x8680}};
    for (size_t i = 0; i < ARRAY_SIZE(registers); i++) {
        uint32_t value;
        if (amd_ws_device_read_register(ws, registers[i].offset_B, &value) == 0)
            fprintf(file, "  %-18s 0x%08x\n", registers[i].name, value);
    }
}

static int by_address(const void *a, const void *b)
{
    const struct ws_bo *const *x = a, *const *y = b;
    return (*x)->vk.va < (*y)->vk.va ? -1 : (*x)->vk.va > (*y)->vk.va;
}

static void write_buffers(FILE *file, struct ws_device *ws)
{
    pthread_mutex_lock(&ws->gems.lock);
    uint32_t count = 0;
    for (struct map64_slot *slot = NULL; (slot = map64_next(&ws->gems.table, slot));)
        count++;
    struct ws_bo **sorted = malloc(count * sizeof(*sorted));
    if (sorted) {
        uint32_t at = 0;
        for (struct map64_slot *slot = NULL; (slot = map64_next(&ws->gems.table, slot));)
            sorted[at++] = (struct ws_bo *)(uintptr_t)slot->value;
        qsort(sorted, count, sizeof(*sorted), by_address);
        for (uint32_t i = 0; i < count; i++)
            fprintf(file, "  0x%012llx – 0x%012llx  %s%s%s\n", (unsigned long long)sorted[i]->vk.va,
                    (unsigned long long)(sorted[i]->vk.va + sorted[i]->vk.size_B),
                    sorted[i]->domain & AMDGPU_GEM_DOMAIN_VRAM ? "VRAM" : "system",
                    sorted[i]->gem.is_shared ? ", shared" : "",
                    sorted[i]->gem.is_user_memory ? ", of the application" : "");
    }
    free(sorted);
    pthread_mutex_unlock(&ws->gems.lock);
}

struct report {
    struct radeon_queue *queue;
    const struct vk_work *work;
    VkResult result;
};

static void write_report(FILE *file, const void *data)
{
    const struct report *report = data;
    struct radeon_queue *queue = report->queue;
    const struct vk_work *work = report->work;
    struct radeon_device *device = radeon_device_of(queue->vk.base.device);
    uint32_t reached = device->marks && device->marks->vk.map ? *(const volatile uint32_t *)device->marks->vk.map : 0;
    fprintf(file, "%s was lost: VkResult %d\n", device->physical->vk.identity.name, report->result);
    fprintf(file, "queue %u of family %u, ring %u, submission %llu of its context\n", queue->vk.index,
            queue->vk.family_index, queue->ring, (unsigned long long)queue->last_sequence);
    fprintf(file, "the last mark that the command processor passed: %u of %u\n\nregisters\n", reached,
            atomic_load(&device->next_mark));
    write_registers(file, device->ws);
    for (uint32_t i = 0; i < work->command_buffer_count; i++) {
        const struct radeon_cmd_buffer *cmd = radeon_cmd_of(work->command_buffers[i]);
        fprintf(file, "\ncommand buffer %u\n", i);
        write_stream(file, &cmd->cs, reached);
        if (cmd->compute_shader && cmd->compute_shader->binary.disassembly)
            fprintf(file, "\ncompute shader at 0x%llx\n%s\n", (unsigned long long)cmd->compute_shader->va,
                    cmd->compute_shader->binary.disassembly);
        const struct radeon_graphics_pipeline *baked = cmd->last_baked;
        for (int stage = 0; baked && stage < 4; stage++) {
            static const char *const names[] = {"vertex", "fragment", "copy", "hull"};
            const struct radeon_shader *const shaders[] = {baked->vertex, baked->fragment, baked->copy, baked->hull};
            const struct radeon_shader *shader = shaders[stage];
            if (shader && shader->binary.disassembly)
                fprintf(file, "\n%s shader at 0x%llx\n%s\n", names[stage], (unsigned long long)shader->va,
                        shader->binary.disassembly);
        }
    }
    fprintf(file, "\nbuffers\n");
    write_buffers(file, device->ws);
}

void radeon_hang_report(struct radeon_queue *queue, const struct vk_work *work, VkResult result)
{
    vk_lost_report("amd", write_report, &(const struct report){queue, work, result});
}
