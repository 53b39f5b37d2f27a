/* TUFF_DEBUG=crash: what is left of a lost job, as the text that the kernel's devcoredump has of an A6xx, which public
 * decoders read: who it was, the fault, the ring with its calls, buffers and registers. The ring is made up: the
 * model's ring has no memory, and calls the job's buffers one by one. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "adreno/hw/packets.h"
#include "adreno/hw/regs_cp.h"
#include "adreno/hw/table.h"
#include "adreno/model/gpu.h"
#include "adreno/model/kernel/kernel_types.h"
#include "util/bits.h"
#include "util/log.h"

#define RING_VA 0x1000000ull /* below all that user space maps */
#define RING_B 32768u
#define CALL_DW 4u
#define CALLS_MAX (RING_B / 4 / CALL_DW / 2)

/* ---- words as text ---- */

/* Ascii85 without its marks: five letters a word, "z" for zero; zeros at the end are left out. */
static void put_words(struct strbuf *text, const uint32_t *words, size_t count)
{
    while (count && words[count - 1] == 0)
        count--;
    if (!count)
        return;
    strbuf_append(text, "    data: !!ascii85 |\n     ");
    for (size_t i = 0; i < count; i++) {
        char letters[6] = {0};
        uint32_t word = words[i];
        for (unsigned at = 5; at-- > 0; word /= 85)
            letters[at] = (char)('!' + word % 85);
        strbuf_append(text, words[i] ? letters : "z");
    }
    strbuf_append(text, "\n");
}

/* ---- sections ---- */

static void put_identity(struct strbuf *text, const struct adreno_job *job)
{
    const struct adreno_context *context = (const struct adreno_context *)job->job.context;
    const struct adreno_chip *chip = ((const struct adreno_device *)context->context.device)->chip;
    struct utsname host = {0};
    struct timespec now = {0};
    uname(&host);
    clock_gettime(CLOCK_REALTIME, &now);
    strbuf_printf(text, "---\nkernel: %s\nmodule: msm\ntime: %lld.%09ld\n", host.release, (long long)now.tv_sec,
                  now.tv_nsec);
    strbuf_printf(text, "comm: %s\n", context->comm ? context->comm : "unknown");
    if (context->cmdline)
        strbuf_printf(text, "cmdline: %s\n", context->cmdline);
    strbuf_printf(text, "revision: %u (%u.%u.%u.%u)\n", chip->gpu_id, chip->chip_id >> 24, chip->chip_id >> 16 & 0xff,
                  chip->chip_id >> 8 & 0xff, chip->chip_id & 0xff);
}

/* The model's own report, which a kernel could not give. */
static void put_report(struct strbuf *text, const char *report)
{
    strbuf_append(text, "report: |\n");
    while (*report) {
        size_t length = strcspn(report, "\n");
        strbuf_printf(text, "  %.*s\n", (int)length, report);
        report += length + (report[length] == '\n');
    }
}

static void put_fault(struct strbuf *text, const struct adreno_crash *crash)
{
    if (!crash->is_fault)
        return;
    strbuf_append(text, "fault-info:\n  - ttbr0=0000000000001000\n");
    strbuf_printf(text, "  - iova=%016" PRIx64 "\n  - dir=%s\n  - type=TRANSLATION\n  - source=UNKNOWN\n",
                  crash->fault_va, crash->is_write ? "WRITE" : "READ");
}

/* Of a long job the calls around the one that was lost. */
static void put_ring(struct strbuf *text, const struct adreno_job *job, const struct adreno_crash *crash)
{
    uint32_t first = crash->ib > CALLS_MAX ? crash->ib - CALLS_MAX : 0;
    uint32_t count = MIN2(job->ibs.count - first, 2 * CALLS_MAX - 1);
    uint32_t *words = calloc(RING_B / 4, sizeof(*words));
    if (!words)
        return;
    for (uint32_t i = 0; i < count; i++) {
        const struct adreno_ib *ib = &job->ibs.data[first + i];
        uint32_t *call = words + (size_t)i * CALL_DW;
        call[0] = adreno_pkt7_header(ADRENO_PKT_CP_INDIRECT_BUFFER, CALL_DW);
        call[1] = (uint32_t)ib->va;
        call[2] = (uint32_t)(ib->va >> 32);
        call[3] = ib->size_dw;
    }
    strbuf_printf(text, "rbbm-status: 0x%08x\nringbuffer:\n  - id: 0\n    iova: 0x%016llx\n", 1u,
                  (unsigned long long)RING_VA);
    strbuf_printf(text, "    last-fence: %" PRIu64 "\n    retired-fence: %" PRIu64 "\n", job->job.seq,
                  job->job.seq - 1);
    strbuf_printf(text, "    rptr: %u\n    wptr: %u\n    size: %u\n", (crash->ib - first + 1) * CALL_DW,
                  count * CALL_DW, RING_B);
    put_words(text, words, RING_B / 4);
    free(words);
}

static void put_buffers(struct strbuf *text, const struct adreno_job *job)
{
    struct adreno_dump dump;
    if (!adreno_dump_collect(&dump, job))
        text->failed = true;
    if (dump.buffers.count)
        strbuf_append(text, "bos:\n");
    array_foreach (&dump.buffers, buffer) {
        strbuf_printf(text, "  - iova: 0x%016" PRIx64 "\n    size: %" PRIu64 "\n    flags: 0x%x\n    name: %-32s\n",
                      buffer->va, buffer->size_B, buffer->flags, buffer->name);
        uint32_t *words = buffer->is_whole ? adreno_dump_read(job, buffer) : NULL;
        if (words)
            put_words(text, words, buffer->size_B / 4);
        free(words);
    }
    adreno_dump_finish(&dump);
}

/* Where the command processor is: registers of its own, which streams cannot write. */
static uint32_t value_of(const struct adreno_crash *crash, uint32_t reg)
{
    const struct adreno_crash_place *places = crash->places;
    switch (reg) {
    case ADRENO_REG_CP_RB_BASE:
        return (uint32_t)RING_VA;
    case ADRENO_REG_CP_IB1_BASE:
        return (uint32_t)places[0].va;
    case ADRENO_REG_CP_IB1_BASE + 1:
        return (uint32_t)(places[0].va >> 32);
    case ADRENO_REG_CP_IB1_REM_SIZE:
        return places[0].size_dw - places[0].at_dw;
    case ADRENO_REG_CP_IB2_BASE:
        return (uint32_t)places[1].va;
    case ADRENO_REG_CP_IB2_BASE + 1:
        return (uint32_t)(places[1].va >> 32);
    case ADRENO_REG_CP_IB2_REM_SIZE:
        return places[1].size_dw - places[1].at_dw;
    default:
        return crash->regs[reg];
    }
}

static void put_register(struct strbuf *text, uint32_t reg, uint32_t value)
{
    strbuf_printf(text, "  - { offset: 0x%04x, value: 0x%08x }\n", reg << 2, value);
}

static void put_registers(struct strbuf *text, const struct adreno_crash *crash)
{
    strbuf_append(text, "registers:\n");
    for (uint32_t reg = 0; reg < ADRENO_REG_COUNT; reg++) {
        unsigned index;
        const struct hw_reg *row = adreno_reg_find(reg, &index);
        if (row && row->is_wide && reg + 1 < ADRENO_REG_COUNT) {
            uint32_t low = value_of(crash, reg), high = value_of(crash, reg + 1);
            if (low || high) { /* decoders want both halves, one after the other */
                put_register(text, reg, low);
                put_register(text, reg + 1, high);
            }
            reg++;
        } else if (value_of(crash, reg)) {
            put_register(text, reg, value_of(crash, reg));
        }
    }
}

void adreno_crash_dump(const struct drm_engine_job *base, const struct adreno_crash *crash)
{
    static _Atomic unsigned dump_count;
    const struct adreno_job *job = container_of(base, struct adreno_job, job.base);
    char name[64];
    struct strbuf text = {0};
    snprintf(name, sizeof(name), "tuff-crash-%d-%u.txt", (int)getpid(), atomic_fetch_add(&dump_count, 1));
    put_identity(&text, job);
    put_report(&text, crash->report ? crash->report : "");
    put_fault(&text, crash);
    put_ring(&text, job, crash);
    put_buffers(&text, job);
    put_registers(&text, crash);
    strbuf_append(&text, "indexed-registers:\n"); /* none; decoders walk the streams when the registers end */
    int fd = text.failed ? -1 : adreno_dump_open(name, O_TRUNC);
    if (fd >= 0 && write(fd, text.text, text.length) != (ssize_t)text.length)
        LOG_ERROR("adreno/model", "the dump %s is not whole", name);
    if (fd >= 0)
        close(fd);
    strbuf_finish(&text);
}
