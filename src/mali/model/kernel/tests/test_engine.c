/* A test double for the GPU: enough of the command stream to see order, memory, faults and hangs, and what the kernel
 * puts around a stream. Each queue of each slot has a thread; registers belong to the context. rig.h has its own
 * opcodes. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "mali/hw/enums.h"
#include "mali/hw/instructions.h"
#include "mali/hw/pack.h"
#include "mali/model/engine.h"
#include "mali/model/kernel/tests/rig.h"
#include "model/drm/drm_ring.h"
#include "util/bits.h"
#include "util/strbuf.h"

struct ring {
    struct drm_ring base;
    struct drm_engine *engine;
    struct strbuf report;
};

struct drm_engine {
    const struct drm_engine_host *host;
    _Atomic uint64_t progress;
    struct ring rings[MALI_RING_COUNT];
};

struct drm_engine_context {
    _Atomic uint64_t progress;
    uint32_t regs[MALI_QUEUE_COUNT][96];
};

struct toy {
    struct ring *ring;
    struct drm_engine_job *job;
    uint32_t *regs;
};

static void move_on(const struct toy *toy)
{
    atomic_fetch_add(&toy->ring->engine->progress, 1);
    atomic_fetch_add(&toy->job->context->progress, 1);
}

static uint64_t pair(const struct toy *toy, unsigned reg)
{
    return toy->regs[reg] | (uint64_t)toy->regs[reg + 1] << 32;
}

static void set_pair(const struct toy *toy, unsigned reg, uint64_t value)
{
    toy->regs[reg] = (uint32_t)value;
    toy->regs[reg + 1] = (uint32_t)(value >> 32);
}

static int fault(struct toy *toy, uint64_t va)
{
    strbuf_printf(&toy->ring->report, "no access to 0x%llx\n", (unsigned long long)va);
    toy->ring->engine->host->describe_address(toy->job->space, va, &toy->ring->report);
    return -EFAULT;
}

static int run_stream(struct toy *toy, uint64_t va, uint64_t size_B);

static int store_word(struct toy *toy, uint64_t word)
{
    struct mali_cs_STORE_MULTIPLE args = mali_unpack_cs_STORE_MULTIPLE(word);
    uint64_t va = pair(toy, args.ADDRESS) + (uint64_t)(int64_t)args.OFFSET;
    return gpu_mem_write32(toy->job->space, va, toy->regs[args.BASE_REGISTER]) ? 0 : fault(toy, va);
}

static int add64(struct toy *toy, uint64_t word)
{
    struct mali_cs_SYNC_ADD64 args = mali_unpack_cs_SYNC_ADD64(word);
    uint64_t va = pair(toy, args.ADDRESS), value;
    if (!gpu_mem_read64(toy->job->space, va, &value) ||
        !gpu_mem_write64(toy->job->space, va, value + pair(toy, args.DATA)))
        return fault(toy, va);
    return 0;
}

/* Until the word is greater than the register's. */
static int wait32(struct toy *toy, uint64_t word)
{
    struct mali_cs_SYNC_WAIT32 args = mali_unpack_cs_SYNC_WAIT32(word);
    uint64_t va = pair(toy, args.ADDRESS);
    uint32_t value = 0;
    while (!toy->job->killed && value <= toy->regs[args.DATA]) {
        if (!gpu_mem_read32(toy->job->space, va, &value))
            return fault(toy, va);
        drm_ring_pause(&toy->ring->base, toy->job, 100);
        move_on(toy); /* a wait is no hang */
    }
    return toy->job->killed ? -ETIME : 0;
}

static int flush_caches(struct toy *toy)
{
    const struct mali_work *work = toy->job->work;
    atomic_fetch_add(work->flush_id, 1);
    return 0;
}

static int run_deaf(struct toy *toy, uint64_t va)
{
    uint32_t value = 0;
    while (!value) {
        if (!gpu_mem_read32(toy->job->space, va, &value))
            return fault(toy, va);
        usleep(1000);
    }
    return toy->job->killed ? -ETIME : 0;
}

static int run_toy(struct toy *toy, uint64_t word)
{
    const struct mali_work *work = toy->job->work;
    unsigned reg = (unsigned)(word >> 8 & 0xff);
    uint64_t link = 0;
    switch (MALI_CS_OPCODE(word)) {
    case TOY_SPIN:
        while (!toy->job->killed)
            drm_ring_pause(&toy->ring->base, toy->job, 1000);
        return -ETIME;
    case TOY_DEAF:
        return run_deaf(toy, pair(toy, reg));
    case TOY_GROW:
        link = (uint64_t)(int64_t)work->grow_heap(toy->job, pair(toy, reg), 1, 0, &link) ?: link;
        set_pair(toy, reg, link);
        return 0;
    default:
        strbuf_append(&toy->ring->report, "told to stop\n");
        return -ENOSYS;
    }
}

static int run_word(struct toy *toy, uint64_t word)
{
    switch (MALI_CS_OPCODE(word)) {
    case MALI_CS_NOP:
    case MALI_CS_WAIT:
    case MALI_CS_ERROR_BARRIER:
        return 0;
    case MALI_CS_MOVE:
        set_pair(toy, mali_unpack_cs_MOVE(word).DESTINATION, mali_unpack_cs_MOVE(word).IMMEDIATE);
        return 0;
    case MALI_CS_MOVE32:
        toy->regs[mali_unpack_cs_MOVE32(word).DESTINATION] = mali_unpack_cs_MOVE32(word).IMMEDIATE;
        return 0;
    case MALI_CS_STORE_MULTIPLE:
        return store_word(toy, word);
    case MALI_CS_CALL:
        return run_stream(toy, pair(toy, mali_unpack_cs_CALL(word).ADDRESS),
                          toy->regs[mali_unpack_cs_CALL(word).LENGTH]);
    case MALI_CS_SYNC_ADD64:
        return add64(toy, word);
    case MALI_CS_SYNC_WAIT32:
        return wait32(toy, word);
    case MALI_CS_FLUSH_CACHE2:
        return flush_caches(toy);
    default:
        return run_toy(toy, word);
    }
}

static int run_stream(struct toy *toy, uint64_t va, uint64_t size_B)
{
    int error = 0;
    for (uint64_t end = va + size_B; va < end && !error; va += 8) {
        uint64_t word;
        if (!gpu_mem_read64(toy->job->space, va, &word))
            return fault(toy, va);
        error = toy->job->killed ? -ETIME : run_word(toy, word);
        move_on(toy);
    }
    return error;
}

static struct drm_engine_result ring_run(struct drm_ring *base, struct drm_engine_job *job)
{
    struct ring *ring = container_of(base, struct ring, base);
    const struct mali_work *work = job->work;
    struct toy toy = {ring, job, job->context->regs[mali_ring_queue(job->ring)]};
    strbuf_clear(&ring->report);
    int error = job->killed ? -ETIME : run_stream(&toy, work->ring_va, work->ring_B);
    return (struct drm_engine_result){.error = error, .report = ring->report.text};
}

static bool ring_start(struct drm_ring *ring)
{
    return true;
}

static int create_engine(const void *chip, const struct drm_engine_host *host, struct drm_engine **engine_out)
{
    static const struct drm_ring_ops ring_ops = {.start = ring_start, .run = ring_run};
    struct drm_engine *engine = calloc(1, sizeof(*engine));
    if (!engine)
        return -ENOMEM;
    engine->host = host;
    for (unsigned i = 0; i < MALI_RING_COUNT; i++) {
        drm_ring_init(&engine->rings[i].base, &ring_ops);
        engine->rings[i].engine = engine;
    }
    *engine_out = engine;
    return 0;
}

static void destroy_engine(struct drm_engine *engine)
{
    for (unsigned i = 0; i < MALI_RING_COUNT; i++) {
        drm_ring_finish(&engine->rings[i].base);
        strbuf_finish(&engine->rings[i].report);
    }
    free(engine);
}

static int context_create(struct drm_engine *engine, const struct gpu_space *space,
                          struct drm_engine_context **context_out)
{
    *context_out = calloc(1, sizeof(**context_out));
    return *context_out ? 0 : -ENOMEM;
}

static void context_destroy(struct drm_engine *engine, struct drm_engine_context *context)
{
    free(context);
}

static void submit_job(struct drm_engine *engine, struct drm_engine_job *job)
{
    if (job->ring >= MALI_RING_COUNT || drm_ring_submit(&engine->rings[job->ring].base, job))
        abort();
}

static void kill_job(struct drm_engine *engine, struct drm_engine_job *job)
{
    drm_ring_wake(&engine->rings[job->ring].base);
}

static uint64_t engine_progress(struct drm_engine *engine)
{
    return atomic_load(&engine->progress);
}

static uint64_t job_progress(struct drm_engine *engine, const struct drm_engine_job *job)
{
    return atomic_load(&job->context->progress);
}

static uint64_t timestamp(struct drm_engine *engine)
{
    return MALI_TICKS_PER_SECOND;
}

const struct drm_engine_ops mali_engine_ops = {
    .name = "test",
    .create = create_engine,
    .destroy = destroy_engine,
    .context_create = context_create,
    .context_destroy = context_destroy,
    .submit = submit_job,
    .kill = kill_job,
    .progress = engine_progress,
    .job_progress = job_progress,
    .timestamp = timestamp,
};
