/* Waves of small programs, assembled here: arithmetic, halves, repeats, relative registers, branches that divide a wave
 * and join again, shared registers, memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "adreno/isa/isa.h"
#include "adreno/model/hlsq/hlsq.h"
#include "adreno/model/sp/sp.h"

#define BASE_VA 0x100000000ull
#define SIZE_B 0x10000u
#define DATA_VA (BASE_VA + 0x8000)

struct rig {
    struct gpu_space space;
    uint8_t *memory;
    int fd;
    struct adreno_sp *sp;
    struct adreno_stage_state state;
    struct adreno_launch launch;
    uint32_t constants[ADRENO_WAVE_CONSTANTS_DW];
    uint8_t local[4096];
    struct adreno_wave *wave;
};

static struct rig rig;

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
    rig.sp = adreno_sp_create(&rig.space, NULL);
    return rig.sp ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    adreno_sp_destroy(rig.sp);
    gpu_space_finish(&rig.space);
    munmap(rig.memory, SIZE_B);
    close(rig.fd);
    return 0;
}

/* Of a compute shader no register is looked at after the end, and host code leaves none there. */
static enum adreno_stage stage = ADRENO_STAGE_CS;

/* A wave of the program, not yet run; r0.x is the lane's number. */
static struct adreno_wave *begin_wave(const char *source, uint32_t lanes)
{
    static uint64_t serial;
    unsigned line;
    uint64_t *words = (uint64_t *)rig.memory;
    int count = adreno_isa_assemble(source, words, 0x1000, &line);
    if (count < 0)
        fail_msg("line %u is not read", line);
    rig.launch = (struct adreno_launch){.stage = stage,
                                        .lanes = lanes,
                                        .program_va = BASE_VA,
                                        .constants = rig.constants,
                                        .constants_dw = ADRENO_WAVE_CONSTANTS_DW,
                                        .local_size_B = sizeof(rig.local),
                                        .private_size_B = 64,
                                        .state = &rig.state,
                                        .serial = ++serial};
    adreno_sp_destroy(rig.sp);
    rig.sp = adreno_sp_create(&rig.space, NULL);
    struct adreno_wave *wave = adreno_sp_begin(rig.sp, &rig.launch);
    assert_non_null(wave);
    wave->local = rig.local;
    for (unsigned i = 0; i < lanes; i++)
        adreno_wave_row(wave, 0)[i] = i;
    return wave;
}

static struct adreno_wave *run_program(const char *source, uint32_t lanes)
{
    struct adreno_wave *wave = begin_wave(source, lanes);
    if (!adreno_sp_run(wave))
        fail_msg("%s", wave->fault.why);
    return wave;
}

static uint32_t lane(struct adreno_wave *wave, unsigned component, unsigned i)
{
    return adreno_wave_row(wave, component)[i];
}

static uint32_t bits(float number)
{
    uint32_t word;
    memcpy(&word, &number, sizeof(word));
    return word;
}

#define R(n, c) ((n)*4 + (c))

static void arithmetic(void **state)
{
    (void)state;
    rig.constants[5] = bits(2.5f);
    struct adreno_wave *wave = run_program("cov.u32f32 r1.x, r0.x\n"
                                           "mad.f32 r1.y, c1.y, r1.x, r1.x\n"
                                           "add.f r1.z, (neg)r1.x, (0.5)\n"
                                           "(sat)mul.f r1.w, r1.x, (0.5)\n"
                                           "sub.u r2.x, r0.x, 3\n"
                                           "(sat)sub.u r2.y, r0.x, 3\n"
                                           "cmps.s.lt r2.z, r2.x, 0\n"
                                           "sel.b32 r2.w, r0.x, r2.z, r2.x\n"
                                           "and.b r3.x, r0.x, (neg)r2.z\n"
                                           "absneg.s r3.y, (neg)r0.x\n"
                                           "clz.b r3.z, r0.x\n"
                                           "add.u (ei)r3.w, r0.x, 5\n"
                                           "end",
                                           64);
    for (unsigned i = 0; i < 64; i++) {
        assert_int_equal(lane(wave, R(1, 1), i), bits(2.5f * (float)i + (float)i));
        assert_int_equal(lane(wave, R(1, 2), i), bits(0.5f - (float)i));
        assert_int_equal(lane(wave, R(1, 3), i), bits(i < 2 ? (float)i / 2 : 1));
        assert_int_equal(lane(wave, R(2, 0), i), i - 3);
        assert_int_equal(lane(wave, R(2, 1), i), i < 3 ? 0 : i - 3);
        assert_int_equal(lane(wave, R(2, 3), i), i < 3 ? i : i - 3);
        assert_int_equal(lane(wave, R(3, 0), i), i & ~(i < 3 ? 1u : 0u));
        assert_int_equal(lane(wave, R(3, 1), i), 0u - i);
        assert_int_equal(lane(wave, R(3, 2), i), i ? (uint32_t)__builtin_clz(i) : UINT32_MAX);
        assert_int_equal(lane(wave, R(3, 3), i), (i + 5) / 2);
    }
}

static void halves_are_parts_of_full_registers(void **state)
{
    (void)state;
    struct adreno_wave *wave = run_program("cov.u32u16 hr4.x, r0.x\n"
                                           "add.u hr4.y, hr4.x, h(1)\n"
                                           "cov.u32f32 r3.x, r0.x\n"
                                           "cov.f32f16 (even)hr8.y, r3.x\n"
                                           "add.f r3.y, hr8.y, h(1.0)\n"
                                           "mul.f hr8.z, r3.x, (2.0)\n"
                                           "end",
                                           128);
    for (unsigned i = 0; i < 128; i++) {
        assert_int_equal(lane(wave, R(2, 0), i), i | (i + 1) << 16);
        assert_int_equal(lane(wave, R(3, 1), i), bits((float)i + 1));
    }
    assert_int_equal(lane(wave, R(4, 1), 3) & 0xffff, 0x4600); /* 6 */
}

static void repeats_and_relative_registers(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 4; i++)
        rig.constants[8 + i] = 100 + i;
    struct adreno_wave *wave = run_program("(rpt3)mov.u32u32 r4.x, (r)c2.x\n"
                                           "(rpt1)add.u r5.x, (r)r4.z, r0.x\n"
                                           "and.b r1.x, r0.x, 3\n"
                                           "cov.u32s16 hr2.z, r1.x\n"
                                           "mova a0.x, hr2.z\n"
                                           "mov.u32u32 r6.x, r<a0.x + 16>\n"
                                           "mov.u32u32 r6.y, c<a0.x + 8>\n"
                                           "mov.u32u32 r<a0.x + 32>, r0.x\n"
                                           "swz.u32u32 r4.x, r4.y, r4.y, r4.x\n"
                                           "end",
                                           64);
    for (unsigned i = 0; i < 64; i++) {
        assert_int_equal(lane(wave, R(5, 0), i), 102 + i);
        assert_int_equal(lane(wave, R(5, 1), i), 103 + i);
        assert_int_equal(lane(wave, R(6, 0), i), 100 + i % 4);
        assert_int_equal(lane(wave, R(6, 1), i), 100 + i % 4);
        assert_int_equal(lane(wave, R(8, i % 4), i), i);
        assert_int_equal(lane(wave, R(4, 0), i), 101);
        assert_int_equal(lane(wave, R(4, 1), i), 100);
    }
}

/* A loop that each lane leaves after another number of rounds, with a branch in it that divides, too. */
static void divergent_loops_join(void **state)
{
    (void)state;
    struct adreno_wave *wave = run_program("mov.u32u32 r1.x, 0\n"
                                           "mov.u32u32 r1.y, 0\n"
                                           "again:\n"
                                           "(jp)cmps.u.ge p0.x, r1.x, r0.x\n"
                                           "br p0.x, #out\n"
                                           "and.b r2.x, r1.x, 1\n"
                                           "cmps.s.ne p0.y, r2.x, 0\n"
                                           "br p0.y, #odd\n"
                                           "add.u r1.y, r1.y, 10\n"
                                           "jump #next\n"
                                           "odd:\n"
                                           "(jp)add.u r1.y, r1.y, 1\n"
                                           "next:\n"
                                           "(jp)add.u r1.x, r1.x, 1\n"
                                           "jump #again\n"
                                           "out:\n"
                                           "(jp)movmsk.w64 r3.x\n"
                                           "end",
                                           64);
    for (unsigned i = 0; i < 64; i++) {
        assert_int_equal(lane(wave, R(1, 0), i), i);
        assert_int_equal(lane(wave, R(1, 1), i), (i + 1) / 2 * 10 + i / 2);
        assert_int_equal(lane(wave, R(3, 0), i), UINT32_MAX); /* all are here again */
        assert_int_equal(lane(wave, R(3, 1), i), UINT32_MAX);
    }
}

/* A sum over the wave by a shared register, one fiber at a time, as compilers write it. */
static void fibers_take_turns(void **state)
{
    (void)state;
    stage = ADRENO_STAGE_VS;
    struct adreno_wave *wave = run_program("mov.u32u32 r48.x, 0\n"
                                           "next:\n"
                                           "(jp)getone #others\n"
                                           "mov.u32u32 r1.x, r48.x\n"
                                           "add.u r1.y, r1.x, r0.x\n"
                                           "mov.u32u32 r48.x, r1.y\n"
                                           "jump #out\n"
                                           "others:\n"
                                           "(jp)jump #next\n"
                                           "out:\n"
                                           "(jp)mov.u32u32 r1.z, r48.x\n"
                                           "end",
                                           128);
    for (unsigned i = 0; i < 128; i++) {
        assert_int_equal(lane(wave, R(1, 0), i), i * (i - 1) / 2);
        assert_int_equal(lane(wave, R(1, 2), i), 127 * 128 / 2);
    }
    stage = ADRENO_STAGE_CS;
}

/* movs: any fiber's value to a shared register, whether the fiber runs or not. */
static void one_fibers_value_is_shared(void **state)
{
    (void)state;
    struct adreno_wave *wave = run_program("mul.u24 r1.x, r0.x, 3\n"
                                           "mov.u32u32 r1.y, 0\n"
                                           "cov.u32u16 hr9.y, r0.x\n"
                                           "movs.u32u32 r48.x, r1.x, 37\n"
                                           "mov.u32u32 r2.x, r48.x\n"
                                           "mov.s16s16 hr10.x, 11\n"
                                           "mova a0.x, hr10.x\n"
                                           "movs.u32u32 r48.y, r1.x, a0.x\n"
                                           "mov.u32u32 r2.y, r48.y\n"
                                           "movs.u16u32 r48.z, hr9.y, 5\n"
                                           "mov.u32u32 r2.z, r48.z\n"
                                           "movs.u32u32 r2.w, r1.x, 7\n"
                                           "cmps.u.lt p0.x, r0.x, 20\n"
                                           "br p0.x, #out\n"
                                           "movs.u32f32 r49.x, r1.x, 4\n"
                                           "mov.u32u32 r1.y, r49.x\n"
                                           "out:\n"
                                           "(jp)(rpt1)movs.u32u32 r50.x, (r)r0.x, 9\n"
                                           "mov.u32u32 r3.x, r50.x\n"
                                           "mov.u32u32 r3.y, r50.y\n"
                                           "end",
                                           64);
    for (unsigned i = 0; i < 64; i++) {
        assert_int_equal(lane(wave, R(2, 0), i), 111);
        assert_int_equal(lane(wave, R(2, 1), i), 33);
        assert_int_equal(lane(wave, R(2, 2), i), 5);
        assert_int_equal(lane(wave, R(2, 3), i), 3 * i); /* not shared: a mov */
        assert_int_equal(lane(wave, R(1, 1), i), i < 20 ? 0 : bits(12));
        assert_int_equal(lane(wave, R(3, 0), i), 9);
        assert_int_equal(lane(wave, R(3, 1), i), lane(wave, R(0, 1), 9));
    }
}

/* Some fibers call, from two places, and one function calls another. */
static void some_fibers_call(void **state)
{
    (void)state;
    struct adreno_wave *wave = run_program("mov.u32u32 r1.x, 0\n"
                                           "cmps.u.lt p0.x, r0.x, 20\n"
                                           "br p0.x, #few\n"
                                           "call #one\n"
                                           "add.u r1.x, r1.x, 100\n"
                                           "jump #out\n"
                                           "few:\n"
                                           "(jp)cmps.u.lt p0.x, r0.x, 5\n"
                                           "br p0.x, #out\n"
                                           "call #two\n"
                                           "out:\n"
                                           "(jp)nop\n"
                                           "end\n"
                                           "one:\n"
                                           "add.u r1.x, r1.x, 1\n"
                                           "call #two\n"
                                           "ret\n"
                                           "two:\n"
                                           "add.u r1.x, r1.x, 10\n"
                                           "ret",
                                           64);
    for (unsigned i = 0; i < 64; i++)
        assert_int_equal(lane(wave, R(1, 0), i), i < 5 ? 0 : i < 20 ? 10 : 111);
}

static void predicated_code_runs_in_some_lanes(void **state)
{
    (void)state;
    struct adreno_wave *wave = run_program("mov.u32u32 r1.x, 0\n"
                                           "cmps.u.lt p0.x, r0.x, 20\n"
                                           "predt\n"
                                           "add.u r1.x, r1.x, 1\n"
                                           "predf\n"
                                           "add.u r1.x, r1.x, 2\n"
                                           "prede\n"
                                           "add.u r1.x, r1.x, 4\n"
                                           "end",
                                           64);
    for (unsigned i = 0; i < 64; i++)
        assert_int_equal(lane(wave, R(1, 0), i), i < 20 ? 5 : 6);
}

/* A way with a barrier that some fibers passed by and predication takes from the others: the wave waits for nothing. */
static void barriers_that_no_fiber_comes_to(void **state)
{
    (void)state;
    struct adreno_wave *wave = run_program("mov.u32u32 r1.x, 0\n"
                                           "cmps.u.lt p0.y, r0.x, 20\n"
                                           "cmps.u.ge p0.x, r0.x, 20\n"
                                           "br p0.y, #past\n"
                                           "predt\n"
                                           "mov.u32u32 r1.x, 3\n"
                                           "predf\n"
                                           "bar.g\n"
                                           "prede\n"
                                           "past:\n"
                                           "(jp)add.u r1.x, r1.x, 1\n"
                                           "end",
                                           64);
    for (unsigned i = 0; i < 64; i++)
        assert_int_equal(lane(wave, R(1, 0), i), i < 20 ? 1 : 4);
    wave = begin_wave("bar.g\nend", 64);
    assert_false(adreno_sp_run(wave));
    assert_int_equal(wave->state, ADRENO_WAVE_BARRIER);
}

static void memory_of_all_kinds(void **state)
{
    (void)state;
    rig.constants[0] = (uint32_t)DATA_VA;
    rig.constants[1] = (uint32_t)(DATA_VA >> 32);
    struct adreno_wave *wave = run_program("mov.u32u32 r2.x, c0.x\n"
                                           "mov.u32u32 r2.y, c0.y\n"
                                           "stg.a.u32 g[r2.x+(r0.x)<<2], r0.x, 1\n"
                                           "ldg.u32 r3.x, g[r2.x+16], 4\n"
                                           "shl.b r1.x, r0.x, 2\n"
                                           "stl.u32 l[r1.x], r0.x, 1\n"
                                           "mov.u32u32 r1.y, 8\n"
                                           "ldl.u32 r4.x, l[r1.y+4], 1\n"
                                           "stp.u32 p[r1.y], r0.x, 1\n"
                                           "ldp.u32 r4.y, p[r1.y], 1\n"
                                           "mov.u32u32 r1.z, 0\n"
                                           "atomic.add.untyped.1d.u32.1.l r5.x, l[r1.z], r0.x\n"
                                           "ldl.u32 r5.y, l[r1.z], 1\n"
                                           "end",
                                           64);
    for (unsigned i = 0; i < 64; i++) {
        assert_int_equal(lane(wave, R(3, 0), i), 4);
        assert_int_equal(lane(wave, R(3, 3), i), 7);
        assert_int_equal(lane(wave, R(4, 0), i), 3);
        assert_int_equal(lane(wave, R(4, 1), i), i);
        assert_int_equal(lane(wave, R(5, 0), i), i * (i - 1) / 2);
        assert_int_equal(lane(wave, R(5, 1), i), 63 * 64 / 2);
    }
}

/* Uniform buffers by number, outside of which zero is read; a preamble, which runs once for a launch. */
static void uniform_buffers_and_preamble(void **state)
{
    (void)state;
    uint32_t *data = (uint32_t *)(rig.memory + (DATA_VA - BASE_VA));
    for (unsigned i = 0; i < 16; i++)
        data[i] = 1000 + i;
    rig.state.ubos[3][0] = (uint32_t)DATA_VA;
    rig.state.ubos[3][1] = (uint32_t)(DATA_VA >> 32) | 2u << 17; /* 32 bytes */
    const char source[] = "shps #main\n"
                          "getone #main\n"
                          "mov.u32u32 r48.x, 77\n"
                          "stc.u32 c[40], r48.x, 1\n"
                          "shpe\n"
                          "main:\n"
                          "(jp)ldc.offset1.2.imm r1.x, 0, 3\n"
                          "ldc.offset0.1.imm r1.z, 2, 3\n"
                          "mov.u32u32 r1.w, c10.x\n"
                          "end";
    struct adreno_wave *wave = run_program(source, 64);
    assert_int_equal(lane(wave, R(1, 0), 9), 1001);
    assert_int_equal(lane(wave, R(1, 1), 9), 1002);
    assert_int_equal(lane(wave, R(1, 2), 9), 0);
    assert_int_equal(lane(wave, R(1, 3), 63), 77);
    rig.sp->stages[ADRENO_STAGE_CS].constants[40] = 78;
    wave = adreno_sp_begin(rig.sp, &rig.launch);
    assert_true(adreno_sp_run(wave));
    assert_int_equal(lane(wave, R(1, 3), 0), 78);
}

static void quads_exchange_values(void **state)
{
    (void)state;
    struct adreno_wave *wave = run_program("cov.u32f32 r1.x, r0.x\n"
                                           "mul.f r1.x, r1.x, r1.x\n"
                                           "dsx (f32)(x)r2.x, r1.x\n"
                                           "dsypp.1 (x)r2.y, r1.x\n"
                                           "quad_shuffle.horiz (u32)(x)r2.z, r0.x\n"
                                           "mov.u32u32 r2.w, 0\n"
                                           "brcst.active.w4 (u32)(x)r2.w, r0.x\n"
                                           "end",
                                           64);
    for (unsigned i = 0; i < 64; i++) {
        float quad = (float)(i & ~3u), column = (float)(i & ~2u);
        assert_int_equal(lane(wave, R(2, 0), i), bits((quad + 1) * (quad + 1) - quad * quad));
        assert_int_equal(lane(wave, R(2, 1), i), bits((column + 2) * (column + 2) - column * column));
        assert_int_equal(lane(wave, R(2, 2), i), i ^ 1);
        assert_int_equal(lane(wave, R(2, 3), i), i & 2 ? (i & ~3u) + 1 : 0);
    }
}

/* The two instructions of a fine derivative write the register that both read: no pixel's is taken of a result. */
static void fine_derivatives_are_made_in_place(void **state)
{
    (void)state;
    struct adreno_wave *wave = run_program("cov.u32f32 r1.x, r0.x\n"
                                           "mul.f r1.x, r1.x, r1.x\n"
                                           "mul.f r1.y, r1.x, r1.x\n"
                                           "dsxpp.1 (x)r1.x, r1.x\n"
                                           "dsxpp.1.p (x)r1.x, r1.x\n"
                                           "dsypp.1 (x)r1.y, r1.y\n"
                                           "dsypp.1.p (x)r1.y, r1.y\n"
                                           "end",
                                           64);
    for (unsigned i = 0; i < 64; i++) {
        const float left = (float)(i & ~1u), right = left + 1, top = (float)(i & ~2u), bottom = top + 2;
        assert_int_equal(lane(wave, R(1, 0), i), bits(right * right - left * left));
        assert_int_equal(lane(wave, R(1, 1), i), bits(bottom * bottom * (bottom * bottom) - top * top * (top * top)));
    }
}

/* A vector that begins with the last register ends in nothing. */
static void vectors_beyond_the_last_register(void **state)
{
    (void)state;
    struct adreno_wave *wave = begin_wave("ldg.u32 r1.x, g[r63.w], 1\nend", 128);
    assert_false(adreno_sp_run(wave));
    assert_int_equal(wave->fault.kind, ADRENO_FAULT_MEMORY);
    wave = run_program("dsx (f32)(xyzw)r63.w, r0.x\nend", 128);
    assert_int_equal(wave->state, ADRENO_WAVE_ENDED);
}

static void what_is_wrong_stops_with_a_reason(void **state)
{
    static const struct {
        const char *source;
        enum adreno_wave_fault_kind kind;
        uint64_t instruction;
    } rows[] = {
        {"nop\nmov.u32u32 r2.x, 16\nmov.u32u32 r2.y, 0\nldg.u32 r1.x, g[r2.x], 1\nend", ADRENO_FAULT_MEMORY, 3},
        {"mov.u32u32 r2.x, 0x4000\nldl.u32 r1.x, l[r2.x], 1\nend", ADRENO_FAULT_MEMORY, 1},
        {"mgen.b r1.x, r0.x, r0.x\nend", ADRENO_FAULT_INSTRUCTION, 0},
        {"bary.f r1.x, 0, r0.x\nend", ADRENO_FAULT_INSTRUCTION, 0},
        {"ret\nend", ADRENO_FAULT_INSTRUCTION, 0},
        {"cmps.u.lt p0.x, r0.x, 20\nbr p0.x, #past\nbar.g\npast:\n(jp)end", ADRENO_FAULT_INSTRUCTION, 2},
    };
    (void)state;
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct adreno_wave *wave = begin_wave(rows[i].source, 64);
        assert_false(adreno_sp_run(wave));
        assert_int_equal(wave->fault.kind, rows[i].kind);
        assert_int_equal(wave->fault.pc, BASE_VA + rows[i].instruction * 8);
        assert_true(wave->fault.why[0]);
    }
}

/* Lanes that were not launched write nothing. */
static void partial_waves(void **state)
{
    (void)state;
    struct adreno_wave *wave = begin_wave("mov.u32u32 r1.x, 5\nend", 128);
    memset(adreno_wave_row(wave, R(1, 0)), 0, 128 * 4);
    wave->launched = lane_mask_first(70);
    assert_true(adreno_sp_run(wave));
    for (unsigned i = 0; i < 128; i++)
        assert_int_equal(lane(wave, R(1, 0), i), i < 70 ? 5 : 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(arithmetic, setup, teardown),
        cmocka_unit_test_setup_teardown(halves_are_parts_of_full_registers, setup, teardown),
        cmocka_unit_test_setup_teardown(repeats_and_relative_registers, setup, teardown),
        cmocka_unit_test_setup_teardown(divergent_loops_join, setup, teardown),
        cmocka_unit_test_setup_teardown(fibers_take_turns, setup, teardown),
        cmocka_unit_test_setup_teardown(one_fibers_value_is_shared, setup, teardown),
        cmocka_unit_test_setup_teardown(some_fibers_call, setup, teardown),
        cmocka_unit_test_setup_teardown(predicated_code_runs_in_some_lanes, setup, teardown),
        cmocka_unit_test_setup_teardown(barriers_that_no_fiber_comes_to, setup, teardown),
        cmocka_unit_test_setup_teardown(memory_of_all_kinds, setup, teardown),
        cmocka_unit_test_setup_teardown(uniform_buffers_and_preamble, setup, teardown),
        cmocka_unit_test_setup_teardown(quads_exchange_values, setup, teardown),
        cmocka_unit_test_setup_teardown(fine_derivatives_are_made_in_place, setup, teardown),
        cmocka_unit_test_setup_teardown(vectors_beyond_the_last_register, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_wrong_stops_with_a_reason, setup, teardown),
        cmocka_unit_test_setup_teardown(partial_waves, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
