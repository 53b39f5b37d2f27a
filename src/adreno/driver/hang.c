/* A report of a hang or fault that needs nothing but the kernel's interface: which queue, how far the command processor
 * came, the streams with a mark there, the shaders that were bound around it, and every buffer with its address.
 * Submissions are waited for one by one in this mode, so the culprit is the last. */
#include "adreno/driver/hang.h"

#include <stdio.h>
#include <stdlib.h>

#include "adreno/hw/decode.h"
#include "util/strbuf.h"
#include "vulkan/runtime/device/vk_lost_report.h"

enum {
    MARK_MAGIC = 0x7475666d,
    MARK_DW = 3, /* a NOP with the magic number and the mark */
};

void adreno_emit_mark(struct adreno_cmd_buffer *cmd, struct adreno_cs *cs)
{
    const uint32_t number = atomic_fetch_add(&cmd->device->next_mark, 1) + 1;
    adreno_cs_reserve(cs, 16);
    ADRENO_PACKET(cs, CP_MEM_WRITE, .ADDR = adreno_word_va(cmd->device, ADRENO_WORD_MARK), .tail_dw = 1);
    adreno_emit(cs, number);
    ADRENO_PACKET(cs, CP_WAIT_MEM_WRITES);
    ADRENO_PACKET(cs, CP_NOP, .tail_dw = MARK_DW - 1);
    adreno_emit(cs, MARK_MAGIC);
    adreno_emit(cs, number);
}

/* ---- the report ---- */

struct report {
    struct adreno_queue *queue;
    const struct vk_work *work;
    VkResult result;
};

/* Where after mark `number` the stream goes on; count_dw where it is not in these words. */
static uint32_t find_mark(const uint32_t *words, uint32_t count_dw, uint32_t number)
{
    for (uint32_t i = 1; i + 1 < count_dw; i++) {
        if (words[i] == MARK_MAGIC && words[i + 1] == number && ADRENO_PKT7_OPCODE(words[i - 1]) == ADRENO_PKT_CP_NOP)
            return i + MARK_DW - 1;
    }
    return count_dw;
}

static void write_stream(FILE *file, const struct adreno_cs *cs, uint32_t reached)
{
    const struct hw_decode_options options = {0};
    struct strbuf text = {0};
    for (uint32_t i = 0; i < cs->pieces.count; i++) {
        const struct adreno_piece *piece = &cs->pieces.data[i];
        const uint32_t *words = (const uint32_t *)((const uint8_t *)piece->bo->vk.map + piece->offset_B);
        const uint32_t at = find_mark(words, piece->size_dw, reached);
        strbuf_printf(&text, "piece at 0x%llx, %u dwords\n", (unsigned long long)(piece->bo->vk.va + piece->offset_B),
                      piece->size_dw);
        adreno_decode_stream(&text, &options, words, at);
        if (at < piece->size_dw) {
            strbuf_printf(&text, "----> mark %u was reached; offsets below count from here (byte 0x%x)\n", reached,
                          4 * at);
            adreno_decode_stream(&text, &options, words + at, piece->size_dw - at);
        }
    }
    fputs(text.text ? text.text : "", file);
    strbuf_finish(&text);
}

static int by_address(const void *a, const void *b)
{
    const struct adreno_bo *const *x = a, *const *y = b;
    return (*x)->vk.va < (*y)->vk.va ? -1 : (*x)->vk.va > (*y)->vk.va;
}

static void write_buffers(FILE *file, struct adreno_kernel *kernel)
{
    pthread_mutex_lock(&kernel->gems.lock);
    const uint32_t count = kernel->named_bos.count;
    struct adreno_bo **sorted = malloc((count + 1) * sizeof(*sorted));
    if (sorted && count)
        memcpy(sorted, kernel->named_bos.data, count * sizeof(*sorted));
    if (sorted && count)
        qsort(sorted, count, sizeof(*sorted), by_address);
    for (uint32_t i = 0; sorted && i < count; i++)
        fprintf(file, "  0x%012llx – 0x%012llx%s\n", (unsigned long long)sorted[i]->vk.va,
                (unsigned long long)(sorted[i]->vk.va + sorted[i]->vk.size_B),
                sorted[i]->gem.is_shared ? ", shared" : "");
    free(sorted);
    pthread_mutex_unlock(&kernel->gems.lock);
}

static void write_report(FILE *file, const void *data)
{
    const struct report *report = data;
    struct adreno_queue *queue = report->queue;
    struct adreno_device *device = adreno_device_of(queue->vk.base.device);
    const uint32_t reached = *(const volatile uint32_t *)((uint8_t *)device->words->vk.map + ADRENO_WORD_MARK);
    uint64_t faults = 0;
    adreno_submitqueue_faults(device->kernel, queue->id, &faults);
    fprintf(file, "%s was lost: VkResult %d\n", device->physical->vk.identity.name, report->result);
    fprintf(file, "queue %u, submit queue %u of the kernel, submission %u, %llu faults\n", queue->vk.index, queue->id,
            queue->last_fence, (unsigned long long)faults);
    fprintf(file, "the last mark that the command processor passed: %u of %u\n", reached,
            atomic_load(&device->next_mark));
    for (uint32_t i = 0; i < report->work->command_buffer_count; i++) {
        const struct adreno_cmd_buffer *cmd = adreno_cmd_of(report->work->command_buffers[i]);
        fprintf(file, "\ncommand buffer %u\n", i);
        write_stream(file, &cmd->cs, reached);
        if (cmd->compute_shader && cmd->compute_shader->binary.disassembly)
            fprintf(file, "\ncompute shader at 0x%llx\n%s\n", (unsigned long long)cmd->compute_shader->va,
                    cmd->compute_shader->binary.disassembly);
    }
    fprintf(file, "\nbuffers\n");
    write_buffers(file, device->kernel);
}

void adreno_hang_report(struct adreno_queue *queue, const struct vk_work *work, VkResult result)
{
    vk_lost_report("adreno", write_report, &(const struct report){queue, work, result});
}
