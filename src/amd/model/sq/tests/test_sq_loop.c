/* Loops as host code: random ones, with scalar and vector arithmetic, lane masks, loads and several ways out, that run
 * by micro-operations first and as host code after they have gone round often enough. Every run must leave the same
 * registers behind. A loop without end is stopped, and a program that changes after its loop was compiled is seen.
 *
 * s10 counts rounds up to s11; s12 to s19 are scalars of all kinds; s[4:7] is a buffer over the data; v0 is the lane,
 * v1 an offset, v2 to v15 anything. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "amd/isa/asm.h"
#include "amd/model/sq/sq_code.h"
#include "amd/model/sq/sq_workgroup.h"
#include "util/bits.h"
#include "util/tests/host_level_test.h"

#define CODE_VA 0x100000000ull
#define DATA_VA 0x100100000ull
#define SPACE_B (4u << 20)
#define DATA_B 0x4000u
#define CODE_B 0x4000u
#define LDS_B 2048
#define VGPRS 16
#define RUNS 40
#define SGPRS 20

struct rig {
    struct gpu_space space;
    int fd;
    struct sq_workgroup *group;
    struct sq_code *code;
    uint32_t lanes, rounds;
    uint64_t exec;
    _Atomic bool killed;
};

static uint64_t seed;

static uint32_t random32(void)
{
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(seed >> 32);
}

static uint32_t below(uint32_t limit)
{
    return random32() % limit;
}

/* ---- programs ---- */

struct text {
    char data[16384];
    size_t length;
};

__attribute__((format(printf, 2, 3))) static void say(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    text->length += (size_t)vsnprintf(text->data + text->length, sizeof(text->data) - text->length, format, arguments);
    va_end(arguments);
    assert_true(text->length < sizeof(text->data));
}

static void say_scalar(struct text *text)
{
    static const char *const two[] = {"s_add_u32",     "s_sub_u32",  "s_mul_i32",  "s_and_b32",     "s_or_b32",
                                      "s_xor_b32",     "s_lshl_b32", "s_lshr_b32", "s_ashr_i32",    "s_min_u32",
                                      "s_max_i32",     "s_bfe_u32",  "s_bfm_b32",  "s_cselect_b32", "s_andn2_b32",
                                      "s_absdiff_i32", "s_add_i32"};
    static const char *const compare[] = {"s_cmp_lt_u32", "s_cmp_ge_i32", "s_cmp_eq_u32", "s_cmp_lg_i32"};
    const unsigned d = 12 + below(8), a = 10 + below(10), b = 10 + below(10);
    switch (below(7)) {
    case 6: /* a lane of a row that the loop leaves alone, or does not */
        if (below(2))
            say(text, "v_readlane_b32 s%u, v%u, s%u\n", d, below(16), a);
        else
            say(text, "v_readlane_b32 s%u, v%u, %u\n", d, below(2), below(64));
        break;
    case 0:
        say(text, "%s s%u, s%u\n", compare[below(ARRAY_SIZE(compare))], a, b);
        break;
    case 1:
        say(text, "s_movk_i32 s%u, %d\n", d, (int)below(60000) - 30000);
        break;
    case 2:
        say(text, "s_addk_i32 s%u, %d\n", d, (int)below(60000) - 30000);
        break;
    default:
        say(text, "%s s%u, s%u, s%u\n", two[below(ARRAY_SIZE(two))], d, a, b);
    }
}

static const char *mask; /* vcc's name, which in wave32 is one register */

static void say_vector(struct text *text)
{
    static const char *const two[] = {"v_add_nc_u32_e32", "v_xor_b32_e32", "v_lshrrev_b32_e32", "v_max_u32_e32",
                                      "v_min_i32_e32",    "v_and_b32_e32", "v_sub_nc_u32_e32"};
    static const char *const three[] = {"v_add3_u32", "v_xad_u32", "v_bfi_b32", "v_lshl_add_u32", "v_mad_u32_u24"};
    const unsigned d = 2 + below(14), a = below(16), b = below(16), c = below(16);
    switch (below(9)) {
    case 0:
        say(text, "v_cmp_lt_u32_e32 %s, v%u, v%u\n", mask, a, b);
        break;
    case 1:
        say(text, "v_cndmask_b32_e32 v%u, v%u, v%u, %s\n", d, a, b, mask);
        break;
    case 2:
        say(text, "v_add_nc_u32_e32 v%u, s%u, v%u\n", d, 10 + below(10), b);
        break;
    case 3:
        say(text, "v_and_b32_e32 v%u, 0xffc, v%u\nbuffer_load_dword v%u, v%u, s[4:7], 0 offen offset:%u\n", d, a, d, d,
            below(64) * 4);
        break;
    case 4:
        say(text, "ds_read_b32 v%u, v1 offset:%u\n", d, below(64) * 4);
        break;
    case 5:
        say(text, "%s v%u, v%u, v%u, v%u\n", three[below(ARRAY_SIZE(three))], d, a, b, c);
        break;
    default:
        say(text, "%s v%u, v%u, v%u\n", two[below(ARRAY_SIZE(two))], d, a, b);
    }
}

static void say_body(struct text *text, unsigned length)
{
    for (unsigned i = 0; i < length; i++) {
        if (below(3))
            say_vector(text);
        else
            say_scalar(text);
    }
}

/* A loop with ways out at its top, its end or between, each to code of its own. */
static void make_loop(struct text *text, uint32_t lanes, bool is_tested_at_end)
{
    const unsigned ways = 1 + below(3);
    mask = lanes == 64 ? "vcc" : "vcc_lo";
    text->length = 0;
    say(text, "v_cmp_gt_u32_e32 %s, 9, v0\ns_mov_b32 s10, 0\n", mask);
    say(text, "L_loop:\n");
    for (unsigned way = 0; way + is_tested_at_end < ways; way++) {
        say_body(text, below(8));
        const bool is_ge = below(2);
        say(text, "s_cmp_%s_u32 s10, s11\ns_cbranch_scc%u L_way%u\n", is_ge ? "ge" : "lt", is_ge, way);
    }
    say_body(text, 1 + below(12));
    say(text, "s_add_u32 s10, s10, 1\n");
    if (is_tested_at_end)
        say(text, "s_cmp_le_u32 s10, s11\ns_cbranch_scc1 L_loop\n");
    else
        say(text, "s_branch L_loop\n");
    for (unsigned way = 0; way + is_tested_at_end < ways; way++)
        say(text, "s_branch L_end\nL_way%u:\ns_addk_i32 s12, %u\n", way, way + 1);
    say(text, "L_end:\ns_cselect_b32 s13, s13, s14\nv_cndmask_b32_e32 v2, v3, v2, %s\n", mask);
    for (unsigned v = 0; v < VGPRS; v++) /* registers that nothing names need not be kept */
        say(text, "v_mov_b32_e32 v%u, v%u\n", v, v);
    say(text, "s_endpgm\n");
}

/* ---- runs ---- */

static bool assemble_program(struct rig *rig, const struct text *text)
{
    struct isa_asm_result result;
    const bool is_good = amd_isa_assemble(ISA_GFX10_3, rig->lanes, text->data, text->length, &result);
    if (!is_good)
        fail_msg("line %u: %s\n%s", result.errors[0].line, result.errors[0].message, text->data);
    assert_true(result.count_dw * 4 <= CODE_B);
    memcpy(gpu_space_pointer(&rig->space, CODE_VA, 4, GPU_PERM_READ), result.words, result.count_dw * 4);
    amd_isa_asm_finish(&result);
    amd_sq_code_validate(rig->code);
    return is_good;
}

static void fill_registers(const struct rig *rig, struct sq_wave *wave)
{
    const uint64_t kept = seed;
    seed = 77;
    for (unsigned i = 0; i < LDS_B / 4; i++)
        ((uint32_t *)(void *)rig->group->lds)[i] = random32();
    for (unsigned i = 0; i < VGPRS * rig->lanes; i++)
        wave->vgpr[i] = random32() >> random32() % 32;
    for (unsigned lane = 0; lane < rig->lanes; lane++) {
        wave->vgpr[lane] = lane;
        wave->vgpr[rig->lanes + lane] = lane * 4;
    }
    wave->sgpr[4] = (uint32_t)DATA_VA;
    wave->sgpr[5] = (uint32_t)(DATA_VA >> 32);
    wave->sgpr[6] = 3000;
    wave->sgpr[7] = 0x31016fac;
    for (unsigned i = 12; i < SGPRS; i++)
        wave->sgpr[i] = random32() >> random32() % 32;
    wave->sgpr[11] = rig->rounds;
    sq_write_mask(wave, &wave->sgpr[SQ_EXEC], rig->exec & lanes_full_mask(rig->lanes));
    sq_exec_changed(wave);
    seed = kept;
}

static enum sq_turn run_program(struct rig *rig, struct sq_fault *fault)
{
    const struct sq_launch launch = {.program_va = CODE_VA,
                                     .lanes = rig->lanes,
                                     .vgpr_count = VGPRS,
                                     .mode = 0x1f0,
                                     .lds_size_B = LDS_B,
                                     .memory = &rig->space,
                                     .killed = &rig->killed};
    assert_true(amd_sq_workgroup_begin(rig->group, &launch, rig->code, 1));
    fill_registers(rig, rig->group->waves[0]);
    enum sq_turn turn = amd_sq_workgroup_run(rig->group, fault);
    while (turn == SQ_TURN_GIVE_UP)
        turn = amd_sq_workgroup_run(rig->group, fault);
    return turn;
}

static void compare_runs(struct rig *rig, const struct text *text, const char *what)
{
    static uint32_t rows[VGPRS * LANES_MAX];
    uint32_t scalars[SGPRS + 2];
    struct sq_fault fault = {0};
    for (unsigned n = 0; n < RUNS; n++) {
        const struct sq_wave *wave = rig->group->waves[0];
        if (run_program(rig, &fault) != SQ_TURN_DONE)
            fail_msg("%s: %s", what, fault.why);
        wave = rig->group->waves[0];
        if (n == 0) {
            memcpy(rows, wave->vgpr, VGPRS * rig->lanes * 4);
            memcpy(scalars, wave->sgpr, SGPRS * 4);
            memcpy(scalars + SGPRS, &wave->sgpr[SQ_VCC], 8);
        }
        for (unsigned i = 0; i < VGPRS * rig->lanes; i++) {
            if (rows[i] != wave->vgpr[i])
                fail_msg("%s, %u lanes, run %u: v%u of lane %u is %08x and should be %08x\n%s", what, rig->lanes, n,
                         i / rig->lanes, i % rig->lanes, wave->vgpr[i], rows[i], text->data);
        }
        for (unsigned i = 0; i < SGPRS; i++) {
            if (scalars[i] != wave->sgpr[i])
                fail_msg("%s, run %u: s%u is %08x and should be %08x\n%s", what, n, i, wave->sgpr[i], scalars[i],
                         text->data);
        }
        assert_memory_equal(scalars + SGPRS, &wave->sgpr[SQ_VCC], rig->lanes / 8);
    }
}

static void random_loops(void **state)
{
    static const uint64_t execs[] = {UINT64_MAX, 0x0123456789abcdefull, 0, 0x8000000000000001ull};
    struct rig *rig = *state;
    static struct text text;
    unsigned compiled = 0;
    for (unsigned i = 0; i < 300; i++) {
        char what[32];
        seed = i + 1;
        rig->lanes = i & 1 ? 64 : 32;
        rig->exec = execs[i / 2 % ARRAY_SIZE(execs)];
        rig->rounds = 2 + below(5);
        make_loop(&text, rig->lanes, i % 3 == 0);
        snprintf(what, sizeof(what), "loop %u", i);
        const struct jit *jit = amd_sq_code_exec(rig->code)->jit;
        assemble_program(rig, &text);
        const uint32_t before_B = jit ? jit_size_B(jit) : 0;
        compare_runs(rig, &text, what);
        compiled += !jit || jit_size_B(jit) > before_B;
        rig->rounds = 0; /* out at once */
        compare_runs(rig, &text, what);
    }
    assert_true(compiled > 250);
}

static void *kill_later(void *rig)
{
    usleep(50000);
    ((struct rig *)rig)->killed = true;
    return NULL;
}

static void endless_loop(void **state)
{
    struct rig *rig = *state;
    static struct text text;
    struct sq_fault fault = {0};
    pthread_t thread;
    rig->lanes = 64;
    rig->exec = UINT64_MAX;
    text.length = 0;
    say(&text, "L_loop:\nv_add_nc_u32_e32 v2, v3, v2\ns_add_u32 s12, s12, 1\ns_cmp_eq_u32 s10, s10\n"
               "s_cbranch_scc1 L_loop\ns_endpgm\n");
    assemble_program(rig, &text);
    assert_int_equal(pthread_create(&thread, NULL, kill_later, rig), 0);
    assert_int_equal(run_program(rig, &fault), SQ_TURN_FAULT);
    pthread_join(thread, NULL);
    assert_int_equal(fault.kind, SQ_FAULT_KILLED);
    assert_int_equal(fault.pc, CODE_VA + 12);
}

static int setup(void **state)
{
    static struct rig rig;
    memset(&rig, 0, sizeof(rig));
    rig.fd = memfd_create("data", 0);
    rig.lanes = 64;
    if (rig.fd < 0 || ftruncate(rig.fd, SPACE_B) != 0 ||
        gpu_space_init(&rig.space, &(struct gpu_extent){CODE_VA, SPACE_B}, 1) != 0 ||
        gpu_space_map_file(&rig.space, CODE_VA, CODE_B, rig.fd, 0, GPU_PERM_RWX) != 0 ||
        gpu_space_map_file(&rig.space, DATA_VA, DATA_B, rig.fd, CODE_B, GPU_PERM_READ) != 0)
        return -1;
    uint32_t *data = gpu_space_pointer(&rig.space, DATA_VA, 4, GPU_PERM_READ);
    for (uint32_t i = 0; i < DATA_B / 4; i++)
        data[i] = random32();
    rig.group = amd_sq_workgroup_create(0);
    rig.code = amd_sq_code_create(&rig.space);
    *state = &rig;
    return rig.group && rig.code ? 0 : -1;
}

static int teardown(void **state)
{
    struct rig *rig = *state;
    amd_sq_code_destroy(rig->code);
    amd_sq_workgroup_destroy(rig->group);
    gpu_space_finish(&rig->space);
    close(rig->fd);
    return 0;
}

int main(void)
{
    if (!host_level_runs())
        return 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(random_loops, setup, teardown),
        cmocka_unit_test_setup_teardown(endless_loop, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
