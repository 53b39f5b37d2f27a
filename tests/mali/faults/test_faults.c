/* Broken work, submitted by hand to the kernel model with the whole GPU behind it: every kind of access that goes wrong
 * loses its group, with a report that decodes where it was; groups of the same program and of another one go on. */
#include <stdio.h>

#include "mali/model/kernel/tests/rig.h"
#include "work.h"

#define WORK_VA 0x40000000ull
#define WILD 0x123456789000ull /* where nothing is mapped */
#define TARGET_AT (WORK_FBD + 192)

/* ---- two programs ---- */

struct program {
    struct rig rig;
    struct work work;
    uint32_t heap; /* a handle */
};
static struct program culprit, other;

static struct program open_program(void)
{
    struct program p = {.rig = rig_open()};
    const uint32_t bo = rig_bo(&p.rig, WORK_B, 0, 0);
    p.work.map = rig_map(&p.rig, bo, WORK_B);
    p.work.va = WORK_VA;
    assert_int_equal(
        rig_bind(&p.rig, p.rig.vm, (struct drm_panthor_vm_bind_op){.bo_handle = bo, .va = WORK_VA, .size = WORK_B}), 0);
    return p;
}

/* A lost group's chunks come back with their heap alone: each stream has a new one. */
static void fill_chunks(struct program *p)
{
    struct drm_panthor_tiler_heap_create heap = {.vm_id = p->rig.vm,
                                                 .initial_chunk_count = 1,
                                                 .chunk_size = 256 << 10,
                                                 .max_chunks = 2,
                                                 .target_in_flight = 65535};
    struct drm_panthor_tiler_heap_destroy destroy = {.handle = p->heap};
    if (p->heap)
        assert_int_equal(rig_ioctl(&p->rig, DRM_IOCTL_PANTHOR_TILER_HEAP_DESTROY, &destroy), 0);
    assert_int_equal(rig_ioctl(&p->rig, DRM_IOCTL_PANTHOR_TILER_HEAP_CREATE, &heap), 0);
    p->heap = heap.handle;
    p->work.heap_va = heap.tiler_heap_ctx_gpu_va;
    p->work.chunk_va = heap.first_heap_chunk_gpu_va;
    p->work.chunk_B = heap.chunk_size;
    work_fill(&p->work);
}

static int setup(void **state)
{
    setenv("TUFF_JOB_TIMEOUT_MS", "3000", 1); /* good work may stand still for a while on a loaded host */
    int error = rig_setup(state);
    if (!error) {
        culprit = open_program();
        other = open_program();
    }
    return error;
}

static int teardown(void **state)
{
    rig_unmap(culprit.work.map, WORK_B);
    rig_unmap(other.work.map, WORK_B);
    rig_close(&culprit.rig);
    rig_close(&other.rig);
    return rig_teardown(state);
}

/* ---- runs ---- */

static struct drm_panthor_queue_submit submit_of(const struct work *work)
{
    return (struct drm_panthor_queue_submit){.stream_addr = work->va + WORK_STREAM, .stream_size = 8 * work->count};
}

/* A new group of the program runs its stream; the group's state. */
static struct drm_panthor_group_get_state run_program(struct program *p)
{
    const uint32_t group = rig_group(&p->rig, p->rig.vm, 3);
    rig_run(&p->rig, group, submit_of(&p->work));
    const struct drm_panthor_group_get_state state = rig_state(&p->rig, group);
    struct drm_panthor_group_destroy destroy = {.group_handle = group};
    assert_int_equal(rig_ioctl(&p->rig, DRM_IOCTL_PANTHOR_GROUP_DESTROY, &destroy), 0);
    return state;
}

static void check_good(struct program *p)
{
    fill_chunks(p);
    work_put_dispatch(&p->work);
    work_put_draw(&p->work);
    assert_int_equal(run_program(p).state, 0);
    assert_int_equal(work_dw(&p->work, WORK_DATA)[1], 42);
    assert_int_equal(*work_dw(&p->work, WORK_TARGET + 4 * (WORK_SIDE * 5 + 5)), 0xffffffff);
    assert_int_equal(*work_dw(&p->work, WORK_TARGET + 4 * (WORK_SIDE * 60 + 60)), 0);
    assert_int_not_equal(*work_dw(&p->work, WORK_TARGET_DEPTH + 4 * (WORK_SIDE * 5 + 5)), 0);
}

/* Reports go to the error stream. */
static char *take_report(int saved, FILE *file)
{
    static char text[65536];
    fflush(stderr);
    dup2(saved, STDERR_FILENO);
    close(saved);
    rewind(file);
    text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
    fclose(file);
    return text;
}

/* ---- what goes wrong ---- */

struct fault {
    const char *name;
    void (*break_it)(struct work *work);
    const char *says, *points_at; /* in the report; "": it has nothing to point at */
    bool hangs;
};

static void put_address(struct work *work, uint32_t at_B, uint64_t keep)
{
    uint64_t word;
    memcpy(&word, work->map + at_B, 8);
    word = (word & keep) | WILD;
    memcpy(work->map + at_B, &word, 8);
}

#define PUT(name, ...) work_put(work, MALI_CS(name, __VA_ARGS__))

static void cs_load(struct work *work)
{
    work_set(work, 4, WILD);
    PUT(LOAD_MULTIPLE, .BASE_REGISTER = 8, .MASK = 3, .ADDRESS = 4);
    PUT(WAIT, .WAIT_MASK = 1);
}

static void cs_store(struct work *work)
{
    work_set(work, 4, WILD);
    PUT(STORE_MULTIPLE, .BASE_REGISTER = 8, .MASK = 3, .ADDRESS = 4);
    PUT(WAIT, .WAIT_MASK = 1);
}

static void cs_call(struct work *work)
{
    work_set(work, 4, WILD);
    work_set(work, 6, 64);
    PUT(CALL, .ADDRESS = 4, .LENGTH = 6);
}

static void cs_add(struct work *work)
{
    work_set(work, 4, WILD);
    PUT(SYNC_ADD64, .ADDRESS = 4, .DATA = 8);
    PUT(WAIT, .WAIT_MASK = 0xff);
}

static void cs_wait(struct work *work)
{
    work_set(work, 4, work->va + WORK_DATA);
    work_set(work, 6, 1000);
    PUT(SYNC_WAIT64, .ADDRESS = 4, .DATA = 6, .CONDITION = MALI_CS_CONDITION_GREATER);
}

static void cs_wild_wait(struct work *work)
{
    work_set(work, 4, WILD);
    PUT(SYNC_WAIT64, .ADDRESS = 4, .DATA = 6, .CONDITION = MALI_CS_CONDITION_GREATER);
}

static void cs_loop(struct work *work)
{
    PUT(BRANCH, .CONDITION = MALI_CS_CONDITION_ALWAYS, .OFFSET = -1);
}

static void cs_opcode(struct work *work)
{
    work_put(work, 0xeeull << 56);
}

static void shader_descriptor(struct work *work)
{
    work_put_dispatch(work);
    work->count -= 2;
    work_set(work, 16, WILD);
    PUT(RUN_COMPUTE, .TASK_INCREMENT = 1);
    PUT(WAIT, .WAIT_MASK = 0xff);
}

static void shader_code(struct work *work)
{
    put_address(work, WORK_SHADERS + 8, 0);
    work_put_dispatch(work);
}

static void shader_uniforms(struct work *work)
{
    work_put_dispatch(work);
    work->count -= 2;
    work_set(work, 8, WILD | 2ull << 56);
    PUT(RUN_COMPUTE, .TASK_INCREMENT = 1);
    PUT(WAIT, .WAIT_MASK = 0xff);
}

static void shader_load(struct work *work)
{
    put_address(work, WORK_FAU, 0);
    work_put_dispatch(work);
}

static void shader_endless(struct work *work)
{
    work_program(work, WORK_COMPUTE, "again:\nIADD.u32 r1, r1, r0\nBRANCHZ.eq.reconverge 0x0, offset:again\nNOP.end\n");
    work_put_dispatch(work);
}

static void shader_nonsense(struct work *work)
{
    memset(work->map + WORK_PROGRAMS, 0xff, 64);
    work_put_dispatch(work);
}

static void vertex_endless(struct work *work)
{
    work_program(work, WORK_POSITION,
                 "again:\nIADD.u32 r1, r1, r0\nBRANCHZ.eq.reconverge 0x0, offset:again\nNOP.end\n");
    work_put_draw(work);
}

static void fragment_endless(struct work *work)
{
    work_program(work, WORK_FRAGMENT,
                 "again:\nIADD.u32 r1, r1, r0\nBRANCHZ.eq.reconverge 0x0, offset:again\nNOP.end\n");
    work_put_draw(work);
}

#define BREAK(name, at_B)                                                                                              \
    static void name(struct work *work)                                                                                \
    {                                                                                                                  \
        put_address(work, at_B, 0);                                                                                    \
        work_put_draw(work);                                                                                           \
    }
BREAK(resource_table, WORK_TABLES)
BREAK(texture_surfaces, WORK_ENTRIES + 16)
BREAK(texture_memory, WORK_PLANE + 8)
BREAK(vertices, WORK_FAU + 8)
BREAK(heap_descriptor, WORK_TILER + 24)
BREAK(target_memory, TARGET_AT + 32)
BREAK(depth_memory, WORK_FBD + 128 + 32)
BREAK(checksums, WORK_FBD + 128 + 16)

/* The last words before RUN_IDVS and RUN_FRAGMENT are put again. */
static void break_register(struct work *work, unsigned reg, uint64_t value, unsigned opcode)
{
    work_put_draw(work);
    uint64_t *words = (uint64_t *)(work->map + WORK_STREAM);
    unsigned at = 0;
    while (words[at] >> 56 != opcode)
        at++;
    memmove(&words[at + 2], &words[at], 8 * (work->count - at));
    words[at] = MALI_CS(MOVE32, .DESTINATION = reg, .IMMEDIATE = (uint32_t)value);
    words[at + 1] = MALI_CS(MOVE32, .DESTINATION = reg + 1, .IMMEDIATE = (uint32_t)(value >> 32));
    work->count += 2;
}

static void indices(struct work *work)
{
    break_register(work, 54, WILD, MALI_CS_RUN_IDVS);
}

static void tiler_context(struct work *work)
{
    break_register(work, 40, WILD, MALI_CS_RUN_IDVS);
}

static void framebuffer(struct work *work)
{
    break_register(work, 40, WILD | 3, MALI_CS_RUN_FRAGMENT);
}

static void blend_descriptor(struct work *work)
{
    break_register(work, 50, WILD | 1, MALI_CS_RUN_IDVS);
}

static void depth_descriptor(struct work *work)
{
    break_register(work, 52, WILD, MALI_CS_RUN_IDVS);
}

static void frame_draws(struct work *work)
{
    *work_dw(work, WORK_FBD) |= MALI_FRAME_SHADER_MODE_ALWAYS;
    put_address(work, WORK_FBD + 24, 0);
    work_put_draw(work);
}

/* Thousands of copies of the draw's primitives, and no handler. */
static void heap_exhausted(struct work *work)
{
    work_put_draw(work);
    uint64_t *words = (uint64_t *)(work->map + WORK_STREAM);
    for (unsigned i = 0; i < work->count; i++) {
        if (words[i] >> 32 == (MALI_CS(MOVE32, .DESTINATION = 34) >> 32))
            words[i] = MALI_CS(MOVE32, .DESTINATION = 34, .IMMEDIATE = 20000);
    }
}

static const struct fault faults[] = {
    {"CS load", cs_load, "0x123456789000", "LOAD_MULTIPLE", false},
    {"CS store", cs_store, "0x123456789000", "STORE_MULTIPLE", false},
    {"CS call", cs_call, "0x123456789000", "", false},
    {"CS signal", cs_add, "0x123456789000", "SYNC_ADD64", false},
    {"CS wait for what never comes", cs_wait, "killed", "SYNC_WAIT64", true},
    {"CS wait for memory that is not there", cs_wild_wait, "0x123456789000", "SYNC_WAIT64", false},
    {"CS stream without end", cs_loop, "killed", "BRANCH", true},
    {"no such instruction", cs_opcode, "", "ee00000000000000", false},
    {"shader descriptor", shader_descriptor, "0x123456789000", "RUN_COMPUTE", false},
    {"shader code", shader_code, "0x123456789000", "RUN_COMPUTE", false},
    {"uniforms", shader_uniforms, "0x123456789000", "RUN_COMPUTE", false},
    {"load of a shader", shader_load, "a read of 0x123456789000", "LOAD.i32", false},
    {"compute shader without end", shader_endless, "killed", "BRANCHZ", true},
    {"vertex shader without end", vertex_endless, "killed", "BRANCHZ", true},
    {"fragment shader without end", fragment_endless, "killed", "BRANCHZ", true},
    {"no such shader instruction", shader_nonsense, "compute shader", "RUN_COMPUTE", false},
    {"resource table", resource_table, "0x123456789000", "TEX_FETCH", false},
    {"texture's planes", texture_surfaces, "0x123456789000", "TEX_FETCH", false},
    {"texture", texture_memory, "0x123456789000", "TEX_FETCH", false},
    {"vertices", vertices, "0x123456789", "LOAD.i128", false},
    {"indices", indices, "0x123456789000", "RUN_IDVS", false},
    {"tiler context", tiler_context, "0x123456789000", "RUN_IDVS", false},
    {"heap descriptor", heap_descriptor, "0x123456789000", "RUN_IDVS", false},
    {"exhausted heap without a handler", heap_exhausted, "no exception handler", "RUN_IDVS", true},
    {"framebuffer", framebuffer, "0x123456789000", "RUN_FRAGMENT", false},
    {"draws of the frame", frame_draws, "0x123456789000", "RUN_FRAGMENT", false},
    {"blend descriptor", blend_descriptor, "0x123456789000", "RUN_FRAGMENT", false},
    {"depth descriptor", depth_descriptor, "0x123456789000", "RUN_", false},
    {"writeback of a tile", target_memory, "render target: a write", "RUN_FRAGMENT", false},
    {"writeback of depth", depth_memory, "depth: a write", "RUN_FRAGMENT", false},
    {"checksum of a tile", checksums, "checksum of a tile: a write", "RUN_FRAGMENT", false},
};

static bool points_at(const char *report, const char *instruction)
{
    if (!instruction[0])
        return true;
    for (const char *at = report; (at = strstr(at, "-> ")); at++) {
        const char *end = strchr(at, '\n'), *found = strstr(at, instruction);
        if (found && (!end || found < end))
            return true;
    }
    return false;
}

static void test_faults_lose_one_group(void **state)
{
    unsigned wrong = 0;
    for (unsigned i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
        const struct fault *fault = &faults[i];
        fill_chunks(&culprit);
        fault->break_it(&culprit.work);
        FILE *file = tmpfile();
        assert_non_null(file);
        const int saved = dup(STDERR_FILENO);
        dup2(fileno(file), STDERR_FILENO);
        const struct drm_panthor_group_get_state lost = run_program(&culprit);
        const char *report = take_report(saved, file);
        const uint32_t wanted = fault->hangs ? DRM_PANTHOR_GROUP_STATE_TIMEDOUT : DRM_PANTHOR_GROUP_STATE_FATAL_FAULT;
        if (lost.state != wanted || !strstr(report, fault->says) || !points_at(report, fault->points_at)) {
            print_error("%s: state %u instead of %u, or no \"%s\" at \"%s\":\n%s", fault->name, lost.state, wanted,
                        fault->says, fault->points_at, report);
            wrong++;
        }
        check_good(&culprit);
        check_good(&other);
    }
    assert_int_equal(wrong, 0);
}

/* While one group hangs another one, and one of another program, do their work. */
static void test_others_work_meanwhile(void **state)
{
    fill_chunks(&culprit);
    shader_endless(&culprit.work);
    const uint32_t group = rig_group(&culprit.rig, culprit.rig.vm, 1), done = rig_syncobj(&culprit.rig, false);
    struct drm_panthor_queue_submit submit = submit_of(&culprit.work);
    struct drm_panthor_sync_op op = rig_sync_signal(done, 0);
    submit.syncs = (struct drm_panthor_obj_array)RIG_ARRAY(&op, 1);
    assert_int_equal(rig_submit(&culprit.rig, group, &submit, 1), 0);
    for (unsigned i = 0; i < 3; i++)
        check_good(&other);
    culprit.rig.used_words = 0;
    const uint64_t stream = rig_begin(&culprit.rig);
    rig_store(&culprit.rig, PLACE + PAGE, 5 + (uint32_t)group);
    rig_run(&culprit.rig, culprit.rig.group, rig_stream(&culprit.rig, 0, stream));
    assert_int_equal(((volatile uint32_t *)culprit.rig.memory)[PAGE / 4], 5 + group);
    assert_int_equal(rig_state(&culprit.rig, culprit.rig.group).state, 0);
    assert_int_equal(rig_wait(&culprit.rig, done, 0, MINUTE_NS), 0);
    assert_int_equal(rig_state(&culprit.rig, group).state, DRM_PANTHOR_GROUP_STATE_TIMEDOUT);
}

static void test_good_work_is_done(void **state)
{
    check_good(&culprit);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good_work_is_done),
        cmocka_unit_test(test_faults_lose_one_group),
        cmocka_unit_test(test_others_work_meanwhile),
    };
    return cmocka_run_group_tests_name("mali faults", tests, setup, teardown);
}
