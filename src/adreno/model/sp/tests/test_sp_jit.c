/* Host code beside micro-operations: random programs, each run by a worker without host code and by one that compiles
 * every run when it is first reached, on the same registers and memory. Waves of both sizes, with all lanes and with
 * some, straight code and loops that lanes leave one by one; as a stage whose registers are outputs, and as a compute
 * shader, of which only memory is left.
 *
 * Which NaN an operation makes is the host's: floats are in registers of their own, which nothing reads as integers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "adreno/hw/chip.h"
#include "adreno/hw/descriptors.h"
#include "adreno/isa/isa.h"
#include "adreno/model/hlsq/hlsq.h"
#include "adreno/model/sp/code.h"
#include "adreno/model/sp/sp.h"
#include "util/tests/host_level_test.h"

#define BASE_VA 0x100000000ull
#define SIZE_B 0x10000u
#define DATA_B 0x8000u /* where the buffer begins */
#define ELEMENTS 200u
#define LOCAL_B 0xc000u
#define OWN_B 0x1000u /* lanes store from here on, 256 bytes each */
#define PROGRAMS 1200u

/* Components: integers, among them halves; floats; halves of floats. */
enum {
    INTEGERS = 0,
    INTEGER_COUNT = 12,
    ADDRESS = 13, /* r3.y: for loads */
    OWN = 14,     /* r3.z: the lane's own bytes */
    ROUND = 15,   /* r3.w: of a loop */
    FLOATS = 16,
    FLOAT_COUNT = 12,
    HALVES = 32, /* r8 and r9: hr16.x ... */
    HALF_COUNT = 8,
    COMPONENTS = 40,
};

struct worker {
    struct adreno_sp *sp;
    struct adreno_stage_state state;
    uint8_t local[LOCAL_B];
    struct adreno_wave *wave;
};

struct rig {
    struct gpu_space space;
    uint8_t *memory;
    int fd;
    uint32_t ibos[ADRENO_MAX_IBOS][ADRENO_DESCRIPTOR_DW];
    uint32_t constants[ADRENO_WAVE_CONSTANTS_DW];
    struct worker plain, host;
};

static struct rig rig;
static char source[65536];
static size_t length;
static uint32_t seed, compiled_B;

static uint32_t random32(void)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 16 | seed << 16) ^ seed >> 7;
}

static uint32_t interesting(void)
{
    static const uint32_t some[] = {0,          1,          2,          31,         32,         0xffff,     0x10000,
                                    0x7fffffff, 0x80000000, 0xffffffff, 0x00800000, 0x007fffff, 0x3f800000, 0xbf800000,
                                    0x40490fdb, 0x4f000000, 0xcf000000, 0x4f800000, 0x7f800000, 0x33800000, 0x477fe000};
    return random32() % 3 ? random32() : some[random32() % (sizeof(some) / sizeof(some[0]))];
}

static void worker_begin(struct worker *worker, bool has_host_code)
{
    worker->sp = adreno_sp_create(&rig.space, NULL);
    assert_non_null(worker->sp);
    struct exec_code *code = adreno_sp_code_exec(worker->sp->code);
    if (!has_host_code) {
        jit_destroy(code->jit);
        code->jit = NULL;
    }
    worker->sp->tpl1_state.chip = adreno_chip_find("adreno-635");
    worker->sp->tpl1_state.space = &rig.space;
    worker->state.ibos = (const uint32_t(*)[ADRENO_DESCRIPTOR_DW])rig.ibos;
    memcpy(worker->state.textures[1], rig.ibos[2], sizeof(rig.ibos[2]));
}

static int setup(void **state)
{
    (void)state;
    memset(&rig, 0, sizeof(rig));
    rig.fd = memfd_create("sp", 0);
    if (rig.fd < 0 || ftruncate(rig.fd, SIZE_B) != 0)
        return -1;
    rig.memory = mmap(NULL, SIZE_B, PROT_READ | PROT_WRITE, MAP_SHARED, rig.fd, 0);
    const struct gpu_extent extent = {BASE_VA, 1 << 20};
    if (gpu_space_init(&rig.space, &extent, 1) != 0 ||
        gpu_space_map_file(&rig.space, BASE_VA, SIZE_B, rig.fd, 0, GPU_PERM_RWX) != 0)
        return -1;
    struct adreno_desc_BUFFER desc = {.FMT = 75 /* 32_UINT */,
                                      .SWIZ_X = ADRENO_TEX_SWIZ_X,
                                      .SWIZ_W = ADRENO_TEX_SWIZ_ONE,
                                      .NUM_ELEMENTS = ELEMENTS,
                                      .STRUCTSIZETEXELS = 1,
                                      .TYPE = ADRENO_TEX_TYPE_BUFFER,
                                      .BASE = BASE_VA + DATA_B};
    adreno_pack_desc_BUFFER(rig.ibos[2], &desc);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    gpu_space_finish(&rig.space);
    munmap(rig.memory, SIZE_B);
    close(rig.fd);
    return 0;
}

/* ---- programs ---- */

static void line(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    length += (size_t)vsnprintf(source + length, sizeof(source) - length, format, args);
    va_end(args);
    length += (size_t)snprintf(source + length, sizeof(source) - length, "\n");
}

/* Texts of operands, in turn: each lasts for a line. */
static const char *text(const char *format, ...)
{
    static char texts[8][32];
    static unsigned turn;
    char *to = texts[turn++ % 8];
    va_list args;
    va_start(args, format);
    vsnprintf(to, 32, format, args);
    va_end(args);
    return to;
}

static const char *reg(unsigned first, unsigned count)
{
    unsigned component = first + random32() % count;
    return text("r%u.%c", component / 4, "xyzw"[component % 4]);
}

/* A half of one of these rows. */
static const char *half(unsigned first, unsigned count)
{
    unsigned component = first * 2 + random32() % (count * 2);
    return text("hr%u.%c", component / 4, "xyzw"[component % 4]);
}

static const char *integer(void)
{
    return reg(INTEGERS, INTEGER_COUNT);
}

static const char *some_integer(void)
{
    return random32() % 4 == 0 ? text("c%u.%c", random32() % 4, "xyzw"[random32() % 4]) : integer();
}

/* With a sign; what (neg) means is the instruction's. */
static const char *signed_float(bool is_half)
{
    static const char *const signs[] = {"", "", "(neg)", "(abs)", "(absneg)"};
    const char *sign = signs[random32() % 5];
    return text("%s%s", sign, is_half ? half(HALVES, HALF_COUNT) : reg(FLOATS, FLOAT_COUNT));
}

#define ONE_OF(table) (table[random32() % (sizeof(table) / sizeof(table[0]))])

static void add_integer(void)
{
    static const char *const two[] = {"add.u",     "add.s",     "sub.u",   "sub.s",   "min.u",   "max.u",
                                      "min.s",     "max.s",     "and.b",   "or.b",    "xor.b",   "shl.b",
                                      "shr.b",     "ashr.b",    "mull.u",  "mul.u24", "mul.s24", "cmps.u.lt",
                                      "cmps.s.ge", "cmps.u.eq", "getbit.b"};
    static const char *const one[] = {"not.b", "bfrev.b", "clz.b", "clz.s", "cbits.b", "absneg.s"};
    static const char *const three[] = {"mad.u24", "mad.s24", "madsh.m16", "sel.b32", "sad.s32"};
    switch (random32() % 8) {
    case 0:
        line("%s %s, %s", ONE_OF(one), integer(), integer());
        break;
    case 1:
    case 2:
        line("%s %s, %s, %s, %s", ONE_OF(three), integer(), some_integer(), integer(), integer());
        break;
    case 3:
        line("%s %s, %s, %u", ONE_OF(two), integer(), integer(), random32() % 1024);
        break;
    case 4: /* how a product of 32 bits is made */
    {
        const char *a = integer(), *c = random32() % 2 ? "c1.x" : integer(), *d = integer(), *t = "r2.w";
        line("mull.u %s, %s, %s", t, a, c);
        line("madsh.m16 %s, %s, %s, %s", t, a, random32() % 2 && c[0] == 'r' ? c : d, t);
        line("madsh.m16 %s, %s, %s, %s", integer(), c, a, t);
        break;
    }
    default:
        line("%s %s, %s, %s", ONE_OF(two), integer(), some_integer(), integer());
    }
}

static void add_half_integer(void)
{
    static const char *const two[] = {"add.u", "sub.s", "min.u",  "max.s",     "and.b",  "xor.b",
                                      "shl.b", "shr.b", "ashr.b", "cmps.s.lt", "mul.u24"};
    if (random32() % 4 == 0)
        line("%s %s, %s, %s", ONE_OF(two), integer(), half(INTEGERS, INTEGER_COUNT), half(INTEGERS, INTEGER_COUNT));
    else
        line("%s %s, %s, %s", ONE_OF(two), half(INTEGERS, INTEGER_COUNT), half(INTEGERS, INTEGER_COUNT),
             half(INTEGERS, INTEGER_COUNT));
}

static void add_float(bool is_half)
{
    static const char *const two[] = {"add.f", "mul.f", "min.f", "max.f"};
    static const char *const one[] = {"floor.f", "ceil.f", "rndne.f", "trunc.f", "absneg.f", "sign.f"};
    const char *d = is_half ? half(HALVES, HALF_COUNT) : reg(FLOATS, FLOAT_COUNT);
    const char *saturate = random32() % 6 ? "" : "(sat)";
    switch (random32() % 6) {
    case 0:
        line("%s %s, %s", ONE_OF(one), d, signed_float(is_half));
        break;
    case 1:
        line("%s%s %s, %s, %s, %s", saturate, is_half ? "mad.f16" : "mad.f32", d,
             is_half ? half(HALVES, HALF_COUNT) : reg(FLOATS, FLOAT_COUNT),
             is_half ? half(HALVES, HALF_COUNT) : reg(FLOATS, FLOAT_COUNT),
             is_half ? half(HALVES, HALF_COUNT) : reg(FLOATS, FLOAT_COUNT));
        break;
    case 2:
        line("cmps.f.%s %s, %s, %s", random32() % 2 ? "lt" : "ge", integer(), signed_float(is_half),
             signed_float(is_half));
        break;
    case 3:
        if (!is_half)
            line("%s %s, %s", random32() % 2 ? "rcp" : "sqrt", d, reg(FLOATS, FLOAT_COUNT));
        break;
    default:
        line("%s%s %s, %s, %s", saturate, ONE_OF(two), d, signed_float(is_half), signed_float(is_half));
    }
}

static void add_conversion(void)
{
    switch (random32() % 8) {
    case 0:
        line("cov.u32f32 %s, %s", reg(FLOATS, FLOAT_COUNT), integer());
        break;
    case 1:
        line("cov.s32f32 %s, %s", reg(FLOATS, FLOAT_COUNT), integer());
        break;
    case 2:
        line("cov.f32u32 %s, %s", integer(), reg(FLOATS, FLOAT_COUNT));
        break;
    case 3:
        line("cov.f32s32 %s, %s", integer(), reg(FLOATS, FLOAT_COUNT));
        break;
    case 4:
        line("cov.f16f32 %s, %s", reg(FLOATS, FLOAT_COUNT), half(HALVES, HALF_COUNT));
        break;
    case 5:
        line("cov.f32f16 %s%s", random32() % 2 ? "(even)" : "",
             text("%s, %s", half(HALVES, HALF_COUNT), reg(FLOATS, FLOAT_COUNT)));
        break;
    case 6:
        line("cov.%s %s, %s", random32() % 2 ? "u16u32" : "s16s32", integer(), half(INTEGERS, INTEGER_COUNT));
        break;
    default:
        line("cov.u32u16 %s, %s", half(INTEGERS, INTEGER_COUNT), integer());
    }
}

static void add_load(void)
{
    const char *address = "r3.y";
    if (random32() % 3 == 0) {
        line("and.b %s, %s, %u", address, integer(), 255u);
        if (random32() % 2)
            line("ldib.b.untyped.1d.u32.%u.imm r%u.x, %s, 2", 1 + random32() % 4, random32() % 2, address);
        else
            line("isam.v.1d (u32)(xy)r%u.x, %s, s#0, t#1", random32() % 2, address);
        return;
    }
    line("and.b %s, %s, 508", address, integer());
    for (unsigned i = 0; i < 1 + random32() % 3; i++)
        line("ldl.u32 r%u.x, l[%s+%u], %u", random32() % 2, address, 4 + random32() % 64 * 4, 1 + random32() % 4);
}

static void add_random(void)
{
    switch (random32() % 12) {
    case 0:
    case 1:
        add_float(false);
        break;
    case 2:
        add_float(true);
        break;
    case 3:
        add_half_integer();
        break;
    case 4:
        add_conversion();
        break;
    case 5:
    case 6:
        add_load();
        break;
    case 7:
        line("mov.u32u32 %s, %s", integer(), some_integer());
        break;
    default:
        add_integer();
    }
}

static void add_some(unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        add_random();
}

/* Lanes leave it one by one, by a register that only counts, up to a number or to the lane's own; or at its end. */
static void add_loop(unsigned count)
{
    const bool is_tested_at_end = random32() % 3 == 0, has_own_limit = random32() % 2;
    char limit[16] = "r10.x";
    if (has_own_limit)
        line("and.b r10.x, %s, 7", integer());
    else
        snprintf(limit, sizeof(limit), "%u", 1 + (unsigned)random32() % 3);
    line("mov.u32u32 r3.w, 0");
    line("again:");
    if (is_tested_at_end) {
        line("(jp)nop");
        add_some(count);
        line("add.u r3.w, r3.w, 1");
        line("cmps.u.lt p0.x, r3.w, %s", limit);
        line("br p0.x, #again");
        return;
    }
    line("(jp)cmps.u.ge p0.x, r3.w, %s", limit);
    line("br p0.x, #out");
    if (random32() % 2) {
        line("cmps.u.lt p0.y, %s, %s", integer(), integer());
        line("br p0.y, #over");
        add_some(count / 2);
        line("over:");
        line("(jp)nop");
    }
    add_some(count);
    line("add.u r3.w, r3.w, 1");
    line("jump #again");
    line("out:");
    line("(jp)nop");
}

static void make_program(void)
{
    length = 0;
    add_some(3 + random32() % 12);
    if (random32() % 2)
        add_loop(2 + random32() % 10);
    add_some(3 + random32() % 12);
    for (unsigned i = 0; i < 6; i++)
        line("stl.u32 l[r3.z+%u], %s, 1", i * 4 + 4, random32() % 2 ? integer() : reg(FLOATS, FLOAT_COUNT));
    line("end");
}

/* ---- both ways ---- */

static void fill(struct worker *worker, const struct adreno_launch *launch, struct lane_mask lanes, uint32_t from)
{
    const uint32_t kept = seed;
    seed = from;
    worker->wave = adreno_sp_begin(worker->sp, launch);
    assert_non_null(worker->wave);
    worker->wave->launched = worker->wave->covered = lanes;
    worker->wave->local = worker->local;
    for (unsigned c = 0; c < COMPONENTS; c++) {
        for (unsigned i = 0; i < launch->lanes; i++)
            adreno_wave_row(worker->wave, c)[i] = c == OWN ? OWN_B + i * 256 : interesting();
    }
    for (unsigned i = 0; i < LOCAL_B / 4; i++)
        ((uint32_t *)worker->local)[i] = random32();
    seed = kept;
}

static bool is_nan(uint32_t bits)
{
    return (bits & 0x7fffffff) > 0x7f800000;
}

static bool is_half_nan(uint32_t bits)
{
    return (bits & 0x7fff) > 0x7c00;
}

static bool is_same(unsigned component, uint32_t a, uint32_t b)
{
    if (component >= HALVES) {
        for (unsigned shift = 0; shift < 32; shift += 16) {
            const uint32_t x = a >> shift & 0xffff, y = b >> shift & 0xffff;
            if (x != y && !(is_half_nan(x) && is_half_nan(y)))
                return false;
        }
        return true;
    }
    return a == b || (component >= FLOATS && is_nan(a) && is_nan(b));
}

static void compare(unsigned number, const struct adreno_launch *launch, struct lane_mask lanes)
{
    for (unsigned c = 0; c < COMPONENTS && launch->stage != ADRENO_STAGE_CS; c++) {
        lane_mask_foreach(lanes, i)
        {
            const uint32_t a = adreno_wave_row(rig.plain.wave, c)[i], b = adreno_wave_row(rig.host.wave, c)[i];
            if (!is_same(c, a, b))
                fail_msg("program %u, r%u.%c of lane %u: %08x and by host code %08x\n%s", number, c / 4, "xyzw"[c % 4],
                         i, a, b, source);
        }
    }
    for (unsigned i = 0; i < LOCAL_B / 4; i++) {
        const uint32_t a = ((uint32_t *)rig.plain.local)[i], b = ((uint32_t *)rig.host.local)[i];
        if (a != b && !(is_nan(a) && is_nan(b)))
            fail_msg("program %u, byte %u of local memory: %08x and by host code %08x\n%s", number, i * 4, a, b,
                     source);
    }
}

static void run_one(unsigned number)
{
    seed = number + 1;
    make_program();
    unsigned wrong;
    if (adreno_isa_assemble(source, (uint64_t *)rig.memory, DATA_B / 8, &wrong) < 0)
        fail_msg("line %u of\n%s", wrong, source);
    for (unsigned i = 0; i < ELEMENTS; i++)
        ((uint32_t *)(rig.memory + DATA_B))[i] = interesting();
    for (unsigned i = 0; i < 16; i++)
        rig.constants[i] = interesting();
    struct adreno_launch launch = {.stage = random32() % 2 ? ADRENO_STAGE_CS : ADRENO_STAGE_VS,
                                   .lanes = random32() % 2 ? 64 : 128,
                                   .program_va = BASE_VA,
                                   .constants = rig.constants,
                                   .constants_dw = 16,
                                   .local_size_B = LOCAL_B,
                                   .serial = number + 1};
    struct lane_mask lanes = lane_mask_first(launch.lanes);
    if (random32() % 2) {
        lanes.bits[0] &= (uint64_t)random32() << 32 | random32() | 1;
        lanes.bits[1] &= (uint64_t)random32() << 32 | random32();
    }
    worker_begin(&rig.plain, false);
    worker_begin(&rig.host, true);
    const uint32_t from = random32();
    for (struct worker *worker = &rig.plain; worker; worker = worker == &rig.plain ? &rig.host : NULL) {
        launch.state = &worker->state;
        fill(worker, &launch, lanes, from);
        if (!adreno_sp_run(worker->wave))
            fail_msg("program %u: %s\n%s", number, worker->wave->fault.why, source);
    }
    compare(number, &launch, lanes);
    const struct jit *jit = adreno_sp_code_exec(rig.host.sp->code)->jit;
    compiled_B += jit ? jit_size_B(jit) : 0;
    adreno_sp_destroy(rig.plain.sp);
    adreno_sp_destroy(rig.host.sp);
}

static void random_programs(void **state)
{
    (void)state;
    for (unsigned i = 0; i < PROGRAMS; i++)
        run_one(i);
    printf("# %u bytes of host code\n", compiled_B);
    assert_true(!JIT_HOST || compiled_B / PROGRAMS > 1000);
}

/* A lane that leaves local memory stops the wave, as it does without host code. */
static void local_memory_is_left(void **state)
{
    (void)state;
    unsigned wrong;
    struct adreno_launch launch = {.stage = ADRENO_STAGE_CS,
                                   .lanes = 128,
                                   .program_va = BASE_VA,
                                   .constants = rig.constants,
                                   .local_size_B = 1024,
                                   .serial = 1};
    assert_true(adreno_isa_assemble("shl.b r1.x, r0.x, 4\nldl.u32 r1.y, l[r1.x+4], 2\nadd.u r1.y, r1.y, r1.z\nend",
                                    (uint64_t *)rig.memory, DATA_B / 8, &wrong) > 0);
    worker_begin(&rig.host, true);
    launch.state = &rig.host.state;
    for (unsigned lanes = 63; lanes <= 65; lanes++) { /* lane 63 reads up to byte 1020, lane 64 beyond the end */
        fill(&rig.host, &launch, lane_mask_first(lanes), 1);
        for (unsigned i = 0; i < 128; i++)
            adreno_wave_row(rig.host.wave, 0)[i] = i;
        assert_int_equal(adreno_sp_run(rig.host.wave), lanes <= 64);
        if (lanes > 64)
            assert_int_equal(rig.host.wave->fault.kind, ADRENO_FAULT_MEMORY);
    }
    adreno_sp_destroy(rig.host.sp);
}

/* movs looks at a register of a fiber that waits elsewhere, and that makes no use of it itself. */
static void another_fibers_register_is_kept(void **state)
{
    (void)state;
    unsigned wrong;
    struct adreno_launch launch = {.stage = ADRENO_STAGE_CS,
                                   .lanes = 64,
                                   .program_va = BASE_VA,
                                   .constants = rig.constants,
                                   .local_size_B = LOCAL_B,
                                   .serial = 1};
    assert_true(adreno_isa_assemble("cmps.u.lt p0.x, r0.x, 20\n"
                                    "br p0.x, #few\n"
                                    "add.u r1.y, r0.x, 3\n" /* fibers 20 to 63, which run first */
                                    "mul.u24 r1.x, r1.y, 2\n"
                                    "jump #out\n"
                                    "few:\n"
                                    "(jp)movs.u32u32 r48.x, r1.x, 37\n"
                                    "mov.u32u32 r1.x, r48.x\n"
                                    "stl.u32 l[r3.z], r1.x, 1\n"
                                    "out:\n"
                                    "(jp)end",
                                    (uint64_t *)rig.memory, DATA_B / 8, &wrong) > 0);
    for (unsigned has_host_code = 0; has_host_code < 2; has_host_code++) {
        worker_begin(&rig.host, has_host_code);
        launch.state = &rig.host.state;
        fill(&rig.host, &launch, lane_mask_first(64), 1);
        for (unsigned i = 0; i < 64; i++)
            adreno_wave_row(rig.host.wave, 0)[i] = i;
        assert_true(adreno_sp_run(rig.host.wave));
        for (unsigned i = 0; i < 20; i++)
            assert_int_equal(*(const uint32_t *)(rig.host.local + OWN_B + i * 256), 80);
        const struct jit *jit = adreno_sp_code_exec(rig.host.sp->code)->jit;
        assert_true(!has_host_code || !jit || jit_size_B(jit));
        adreno_sp_destroy(rig.host.sp);
    }
}

int main(void)
{
    if (!host_level_runs())
        return 0;
    setenv("TUFF_DEBUG", "jitnow", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(random_programs, setup, teardown),
        cmocka_unit_test_setup_teardown(local_memory_is_left, setup, teardown),
        cmocka_unit_test_setup_teardown(another_fibers_register_is_kept, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
