/* A report of a hang or fault that needs nothing but the kernel's interface: which subqueues are at fault, how far each
 * came, the streams with a mark there and all that they point to, the shader that was bound, and every buffer with its
 * address. Submissions are waited for one by one in this mode, so the culprit is the last. */
#include "mali/driver/hang.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "mali/hw/decode.h"
#include "util/strbuf.h"
#include "vulkan/runtime/device/vk_lost_report.h"

static const char *const names[MALI_SUBQUEUES] = {"vertices", "fragments", "compute"};

/* ---- marks ---- */

static uint64_t mark_word(uint32_t number)
{
    return MALI_CS(MOVE32, .DESTINATION = MALI_REG_MARK, .IMMEDIATE = number);
}

void mali_put_mark(struct mali_cmd_buffer *cmd, enum mali_subqueue subqueue)
{
    struct mali_stream *s = mali_cmd_stream(cmd, subqueue);
    const uint32_t number = atomic_fetch_add(&cmd->device->next_mark, 1) + 1;
    const int16_t offset_B = (int16_t)(offsetof(struct mali_context, marks) + subqueue * sizeof(uint32_t));
    mali_stream_writes(s, mali_regs_r(mali_r(MALI_REG_MARK)));
    mali_stream_word(s, mark_word(number));
    mali_put_store32(s, mali_r(MALI_REG_MARK), mali_context_reg(), offset_B);
    mali_stream_settle(s);
}

/* ---- memory ---- */

/* The lock is held. */
static const uint32_t *read_memory(void *data, uint64_t va, uint32_t count_dw)
{
    struct mali_kernel *kernel = data;
    list_foreach (&kernel->bos, struct mali_bo, bo, link) {
        if (bo->vk.map && va >= bo->vk.va && va - bo->vk.va + 4ull * count_dw <= bo->vk.size_B)
            return (const uint32_t *)((const uint8_t *)bo->vk.map + (va - bo->vk.va));
    }
    return NULL;
}

static int by_address(const void *a, const void *b)
{
    const struct mali_bo *const *x = a, *const *y = b;
    return (*x)->vk.va < (*y)->vk.va ? -1 : (*x)->vk.va > (*y)->vk.va;
}

static void write_buffers(FILE *file, struct mali_kernel *kernel)
{
    uint32_t count = 0, at = 0;
    list_foreach (&kernel->bos, struct mali_bo, bo, link)
        count++;
    struct mali_bo **sorted = malloc((count + 1) * sizeof(*sorted));
    if (!sorted)
        return;
    list_foreach (&kernel->bos, struct mali_bo, bo, link)
        sorted[at++] = bo;
    qsort(sorted, count, sizeof(*sorted), by_address);
    for (uint32_t i = 0; i < count; i++)
        fprintf(file, "  0x%012llx – 0x%012llx%s\n", (unsigned long long)sorted[i]->vk.va,
                (unsigned long long)(sorted[i]->vk.va + sorted[i]->vk.size_B),
                sorted[i]->gem.is_shared ? ", shared" : "");
    free(sorted);
}

/* ---- the report ---- */

struct report {
    struct mali_queue *queue;
    const struct vk_work *work;
    VkResult result;
};

/* The address of the instruction that writes the mark; 0 where it is not in this stream. */
static uint64_t find_mark(const struct mali_stream *s, uint32_t number)
{
    for (struct mali_piece piece = mali_stream_first(s); number && piece.chunk; piece = mali_stream_next(s, &piece)) {
        for (uint32_t i = 0; i < piece.size_B / 8; i++) {
            if (piece.words[i] == mark_word(number))
                return piece.va + 8ull * i;
        }
    }
    return 0;
}

static void write_stream(FILE *file, struct mali_queue *queue, const struct mali_stream *s, enum mali_subqueue subqueue)
{
    const struct mali_context *context = queue->context->vk.map;
    const struct mali_piece first = mali_stream_first(s);
    if (!first.chunk)
        return;
    const uint32_t reached = *(const volatile uint32_t *)&context->marks[subqueue];
    const uint64_t mark_va = find_mark(s, reached);
    struct strbuf text = {0};
    struct mali_decode_queue registers = {0};
    const struct hw_decode_options options = {.read = read_memory,
                                              .data = mali_device_of(queue->vk.base.device)->kernel};
    fprintf(file, "\n%s: stream at 0x%llx, %u bytes", names[subqueue], (unsigned long long)first.va, first.size_B);
    if (mark_va)
        fprintf(file, "; the last mark that was reached is %u, at 0x%llx: what came after it failed", reached,
                (unsigned long long)mark_va);
    mali_decode_submit(&text, &options, &registers, first.va, first.size_B);
    fprintf(file, "\n%s", text.text ? text.text : "");
    strbuf_finish(&text);
}

static void write_report(FILE *file, const void *data)
{
    const struct report *report = data;
    struct mali_queue *queue = report->queue;
    struct mali_device *device = mali_device_of(queue->vk.base.device);
    uint32_t state = 0, fatal = 0;
    mali_group_state(device->kernel, queue->group, &state, &fatal);
    fprintf(file, "%s was lost: VkResult %d\n", device->physical->vk.identity.name, report->result);
    fprintf(file, "queue %u, group %u of the kernel: state 0x%x%s%s%s, subqueues at fault 0x%x\n", queue->vk.index,
            queue->group, state, state & DRM_PANTHOR_GROUP_STATE_TIMEDOUT ? ", timed out" : "",
            state & DRM_PANTHOR_GROUP_STATE_FATAL_FAULT ? ", fault" : "",
            state & DRM_PANTHOR_GROUP_STATE_INNOCENT ? ", innocent" : "", fatal);
    pthread_mutex_lock(&device->kernel->gems.lock);
    for (uint32_t i = 0; i < report->work->command_buffer_count; i++) {
        const struct mali_cmd_buffer *cmd = mali_cmd_of(report->work->command_buffers[i]);
        fprintf(file, "\ncommand buffer %u\n", i);
        for (int subqueue = 0; subqueue < MALI_SUBQUEUES; subqueue++)
            write_stream(file, queue, &cmd->streams[subqueue].s, (enum mali_subqueue)subqueue);
        if (cmd->compute_shader && cmd->compute_shader->binary.disassembly)
            fprintf(file, "\ncompute shader at 0x%llx\n%s\n", (unsigned long long)cmd->compute_shader->va,
                    cmd->compute_shader->binary.disassembly);
    }
    fprintf(file, "\nbuffers\n");
    write_buffers(file, device->kernel);
    pthread_mutex_unlock(&device->kernel->gems.lock);
}

void mali_hang_report(struct mali_queue *queue, const struct vk_work *work, VkResult result)
{
    vk_lost_report("mali", write_report, &(const struct report){queue, work, result});
}
