/* The executor's kernels against the plain wrappers around the same lane expressions (amd/isa), which compilers make no
 * vectors of: every vector instruction, at every level of host instructions that this CPU offers, in several modes,
 * both wave sizes, with all lanes active and with some. So nothing that stands between an expression and a row of lanes
 * changes a bit: loops, blending, host instructions (sq_alu_host.h), the level. The same for host code that is made of
 * the instruction (sq_jit.h). Not for: what the expressions mean (amd/isa/tests). */
#include "amd/isa/tests/lane_test.h"
#include "amd/model/sq/sq_jit_build.h"
#include "amd/model/sq/sq_mode.h"
#include "util/tests/host_level_test.h"

#define ROWS 64u
#define RUNS 24u /* of an instruction in a mode */
#define D_ROW 0u
#define S_ROW(n) (8u + 8u * (n))

static const uint32_t modes[] = {MODE_FLUSH_F32,
                                 MODE_KEEP,
                                 MODE_NOT_IEEE,
                                 0x300,
                                 MODE_KEEP | ROUND_F32_UP | ROUND_F16_UP,
                                 MODE_KEEP | ROUND_F32_ZERO | ROUND_F16_ZERO};

static uint64_t seed;

static uint32_t random32(void)
{
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(seed >> 32);
}

/* ---- operands ---- */

static uint32_t random_f32(void)
{
    static const uint32_t edges[] = {0,          0x80000000, 1,          0x80000001, 0x007fffff, 0x00800000,
                                     0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00001, 0x7f800001,
                                     0xffc12345, 0x7f7fffff, 0xff7fffff, 0x4f000000, 0xcf000000, 0x4f800000,
                                     0x3f000000, 0x3fc00000, 0x40200000, 0x437f0000, 0x38800000, 0x387fffff,
                                     0x33800000, 0x33000000, 0x33000001, 0x477fe000, 0x477fefff, 0x477ff000};
    switch (random32() % 4) {
    case 0:
        return edges[random32() % (sizeof(edges) / sizeof(edges[0]))];
    case 1:
        return lane_bits_f32((float)((int32_t)random32() % 100000) / 256.0f);
    case 2:
        return (random32() & 0x807fffff) | (100 + random32() % 50) << 23;
    default:
        return random32();
    }
}

static uint32_t random_f16(void)
{
    static const uint16_t edges[] = {0,      0x8000, 1,      0x8001, 0x3ff,  0x400,  0x3c00,
                                     0xbc00, 0x7c00, 0xfc00, 0x7e01, 0x7c01, 0xfe12, 0x7bff,
                                     0xfbff, 0x3800, 0x3e00, 0x4100, 0x5bf8, 0x7fff, 0xffff};
    return random32() % 3 ? random32() & 0xffff : edges[random32() % (sizeof(edges) / sizeof(edges[0]))];
}

static void random_value(unsigned type, uint32_t words[4])
{
    for (unsigned n = 0; n < 4; n++)
        words[n] = random32() % 4 ? random32() >> random32() % 32 : random_f32();
    if (type == ISA_TYPE_F64) {
        double value = (double)lane_as_f32_u32(random_f32());
        uint64_t bits = random32() % 3 ? lane_bits_f64(value) : (uint64_t)random32() << 32 | random32();
        words[0] = (uint32_t)bits;
        words[1] = (uint32_t)(bits >> 32);
    } else if (type == ISA_TYPE_F32) {
        words[0] = random_f32();
    } else if (type == ISA_TYPE_F16 || type == ISA_TYPE_F16X2) {
        words[0] = random_f16() | random_f16() << 16;
    }
}

static void fill_rows(struct sq_wave *wave, unsigned first, unsigned type)
{
    for (unsigned lane = 0; lane < wave->lanes; lane++) {
        uint32_t words[4];
        random_value(type, words);
        for (unsigned n = 0; n < 4; n++)
            wave->vgpr[(first + n) * wave->lanes + lane] = words[n];
    }
}

/* ---- running both ---- */

struct run {
    struct sq_wave *wave;
    struct jit *jit;
    const struct isa_op_info *info;
    struct isa_inst inst;
    struct sq_uop uop;
    int function; /* of the wrapper */
    uint64_t mask_in;
    uint32_t before[ROWS * LANES_MAX], expected[ROWS * LANES_MAX];
    uint64_t mask_out, exec_out;
};

static sq_place row_place(const struct sq_wave *wave, unsigned index)
{
    return (sq_place)(offsetof(struct sq_wave, vgpr) + index * wave->lanes * 4);
}

static sq_place sgpr_place(unsigned index)
{
    return (sq_place)(offsetof(struct sq_wave, sgpr) + index * 4);
}

enum {
    MASK_IN = 8,
    MASK_OUT = 20
}; /* SGPRs */

static void prepare_run(struct run *r, uint32_t mode, unsigned number)
{
    struct sq_wave *wave = r->wave;
    wave->lanes = number & 1 ? 64 : 32;
    for (unsigned i = 0; i < ROWS * wave->lanes; i++)
        wave->vgpr[i] = random32();
    for (unsigned i = 0; i < 3 * wave->lanes; i++)
        sq_interpolant(wave, SQ_P0)[i] = random_f32();
    r->mask_in = (uint64_t)random32() << 32 | random32();
    sq_write64(&wave->sgpr[MASK_IN], r->mask_in);
    sq_write64(&wave->sgpr[MASK_OUT], 0);
    sq_write64(&wave->sgpr[SQ_VCC], (uint64_t)random32() << 32 | random32());
    sq_write64(&wave->sgpr[SQ_EXEC], number % 4 < 2 ? UINT64_MAX : (uint64_t)random32() << 32 | random32());
    sq_exec_changed(wave);
    r->inst.alu.clamp = number >> 2 & 1;
    r->uop = (struct sq_uop){.inst = &r->inst,
                             .d = row_place(wave, D_ROW),
                             .sd = sgpr_place(MASK_OUT),
                             .s = {row_place(wave, S_ROW(0)), row_place(wave, S_ROW(1)), row_place(wave, S_ROW(2))},
                             .imm = random32() % 3};
    for (unsigned i = 0; i < r->info->operand_count; i++) {
        const struct isa_operand_info *about = &r->info->operands[i];
        bool is_mask = about->type == ISA_TYPE_MASK;
        unsigned source = about->name == ISA_NAME_S2 ? 2 : about->name == ISA_NAME_S1 ? 1 : 0;
        if (about->name == ISA_NAME_D) {
            if (is_mask)
                r->uop.d = sgpr_place(MASK_OUT);
            else
                fill_rows(wave, D_ROW, about->type);
        } else if (about->name == ISA_NAME_S0 || about->name == ISA_NAME_S1 || about->name == ISA_NAME_S2) {
            if (is_mask)
                r->uop.s[source] = sgpr_place(MASK_IN);
            else
                fill_rows(wave, S_ROW(source), about->type);
        }
    }
    amd_sq_set_mode(wave, mode);
    wave->state = SQ_RUNNING;
    memcpy(r->before, wave->vgpr, sizeof(r->before[0]) * ROWS * wave->lanes);
}

/* Half by half, as the hardware does a wave64. */
static void run_wrapper(struct run *r)
{
    struct sq_wave *wave = r->wave;
    uint32_t lanes = wave->lanes;
    uint64_t exec = sq_exec(wave), vcc = sq_read_mask(wave, &wave->sgpr[SQ_VCC]);
    memcpy(r->expected, r->before, sizeof(r->before[0]) * ROWS * lanes);
    r->mask_out = r->exec_out = 0;
    for (uint32_t first = 0; first < lanes; first += 32) {
        struct lane_vector a = {.d = r->expected + D_ROW * lanes + first,
                                .s0 = r->expected + S_ROW(0) * lanes + first,
                                .s1 = r->expected + S_ROW(1) * lanes + first,
                                .s2 = r->expected + S_ROW(2) * lanes + first,
                                .row = lanes,
                                .exec = (uint32_t)(exec >> first),
                                .vcc = (uint32_t)(vcc >> first),
                                .mask = (uint32_t)(r->mask_in >> first),
                                .k = r->uop.imm,
                                .p = r->uop.imm,
                                .p0 = sq_interpolant(wave, SQ_P0) + first,
                                .p10 = sq_interpolant(wave, SQ_P10) + first,
                                .p20 = sq_interpolant(wave, SQ_P20) + first,
                                .first_lane = first,
                                .clamp = r->inst.alu.clamp,
                                .mode = &wave->lane_mode};
        ((lane_vector_fn *)functions[r->function].fn)(&a);
        r->mask_out |= (uint64_t)a.mask_out << first;
        r->exec_out |= (uint64_t)a.exec_out << first;
    }
}

/* ---- comparing ---- */

static bool both_nan16(uint32_t a, uint32_t b)
{
    return (a & 0x7fff) > 0x7c00 && (b & 0x7fff) > 0x7c00;
}

/* Which of two NaNs an operation hands on is the host's choice, and so are the bits of a new one. */
static bool same_float(unsigned type, const uint32_t *a, const uint32_t *b, size_t row)
{
    switch (type) {
    case ISA_TYPE_F32:
        return lane_is_nan_f32(lane_as_f32_u32(a[0])) && lane_is_nan_f32(lane_as_f32_u32(b[0]));
    case ISA_TYPE_F64:
        return lane_is_nan_f64(lane_as_f64_u64(lane_pair(a[0], a[row]))) &&
               lane_is_nan_f64(lane_as_f64_u64(lane_pair(b[0], b[row])));
    case ISA_TYPE_F16:
        return a[0] >> 16 == b[0] >> 16 && both_nan16(a[0], b[0]);
    case ISA_TYPE_F16X2:
        return (both_nan16(a[0], b[0]) || (uint16_t)a[0] == (uint16_t)b[0]) &&
               (both_nan16(a[0] >> 16, b[0] >> 16) || a[0] >> 16 == b[0] >> 16);
    default:
        return false;
    }
}

static void compare_results(const struct run *r, const char *level, uint32_t mode)
{
    const struct sq_wave *wave = r->wave;
    const char *name = functions[r->function].name;
    size_t lanes = wave->lanes;
    bool is_mix = r->info->properties & ISA_PROP_MIX; /* their rows say b32 where a half stands in one half of it */
    unsigned d_type = r->info->dst_count ? r->info->operands[0].type : ISA_TYPE_NONE;
    if (is_mix && d_type != ISA_TYPE_F32)
        d_type = ISA_TYPE_F16X2;
    for (size_t at = 0; at < ROWS * lanes; at++) {
        size_t row = at / lanes, lane = at % lanes, in_d = D_ROW * lanes + lane;
        if (wave->vgpr[at] != r->expected[at] &&
            !(row < 2 && same_float(d_type, wave->vgpr + in_d, r->expected + in_d, lanes)))
            fail_msg("%s by %s, mode 0x%x, wave%zu: v%zu[%zu] is 0x%08x, the wrapper's 0x%08x; sources 0x%08x "
                     "0x%08x 0x%08x",
                     name, level, mode, lanes, row, lane, wave->vgpr[at], r->expected[at],
                     r->before[S_ROW(0) * lanes + lane], r->before[S_ROW(1) * lanes + lane],
                     r->before[S_ROW(2) * lanes + lane]);
    }
    bool writes_exec = r->info->writes & ISA_STATE_EXEC, writes_vcc = r->info->writes & ISA_STATE_VCC;
    uint64_t mask = sq_read_mask(wave, &wave->sgpr[writes_vcc ? SQ_VCC : MASK_OUT]);
    if (mask != r->mask_out && !writes_vcc)
        fail_msg("%s by %s, mode 0x%x, wave%zu: mask 0x%llx, the wrapper's 0x%llx", name, level, mode, lanes,
                 (unsigned long long)mask, (unsigned long long)r->mask_out);
    if (writes_exec && sq_exec(wave) != r->exec_out)
        fail_msg("%s by %s, mode 0x%x, wave%zu: exec 0x%llx, the wrapper's 0x%llx", name, level, mode, lanes,
                 (unsigned long long)sq_exec(wave), (unsigned long long)r->exec_out);
}

/* How an instruction is run. False: not by this way. */
typedef bool (*way_fn)(struct run *r);

static bool run_kernel(struct run *r)
{
    amd_sq_alu_kernels[r->inst.op](r->wave, &r->uop);
    return true;
}

/* A run of this one instruction. */
static bool run_host_code(struct run *r)
{
    static struct sq_jit_builder b;
    r->uop.run = amd_sq_alu_kernels[r->inst.op];
    if (!amd_sq_jit_knows(&r->uop))
        return false;
    b.exec.wave = r->wave;
    amd_sq_jit_begin(&b);
    b.uop = &r->uop;
    amd_sq_jit_lower_uop(&b);
    bool is_half = amd_sq_jit_rows[r->inst.op].is_half && r->wave->f16_rounds_apart;
    if (b.exec.program.failed != is_half)
        fail_msg("%s cannot be lowered", functions[r->function].name);
    if (b.exec.program.failed)
        return false;
    jit_reset(r->jit);
    const struct jit_frame frame = {b.lanes, offsetof(struct sq_wave, exec_lanes), UINT32_MAX};
    jit_code code = jit_compile(r->jit, b.exec.program.insts, b.exec.program.count, &frame, r->wave->exec_full);
    assert_non_null(code);
    lane_env_set(r->wave->env_f32); /* as it is while waves run */
    code(r->wave);
    return true;
}

static unsigned run_all(way_fn way, const char *name, struct run *r)
{
    unsigned compared = 0;
    for (size_t f = 0; f < sizeof(functions) / sizeof(functions[0]); f++) {
        enum isa_op op;
        if (functions[f].kind != KIND_vector ||
            !amd_isa_op_from_name(ISA_GFX10_3, functions[f].name, strlen(functions[f].name), &op) ||
            !amd_sq_alu_kernels[op])
            continue;
        r->function = (int)f;
        r->info = isa_info(op);
        r->inst = (struct isa_inst){.op = (uint16_t)op};
        bool was_run = false;
        for (unsigned m = 0; m < sizeof(modes) / sizeof(modes[0]); m++) {
            for (unsigned number = 0; number < RUNS; number++) {
                seed = f * 1000003 + m * 7919 + number;
                uint64_t host = lane_env_get();
                prepare_run(r, modes[m], number);
                lane_env_set(lane_env_of(&r->wave->lane_mode, functions[f].fp_class));
                run_wrapper(r);
                bool is_run = way(r);
                lane_env_set(host);
                if (is_run)
                    compare_results(r, name, modes[m]);
                was_run |= is_run;
            }
        }
        compared += was_run;
    }
    return compared;
}

static struct run *create_run(void)
{
    struct run *r = calloc(1, sizeof(*r));
    r->wave = aligned_alloc(64, (sizeof(struct sq_wave) + (size_t)ROWS * LANES_MAX * 4 + 63) & ~(size_t)63);
    memset(r->wave, 0, sizeof(struct sq_wave));
    r->wave->base[SQ_BASE_WAVE] = r->wave->base[SQ_BASE_CONSTANTS] = (const char *)r->wave;
    r->wave->vgpr_count = ROWS;
    r->jit = jit_create();
    return r;
}

static void destroy_run(struct run *r)
{
    jit_destroy(r->jit);
    free(r->wave);
    free(r);
}

static void kernels_are_the_expressions(void **unused)
{
    struct run *r = create_run();
    unsigned compared = run_all(run_kernel, "kernel", r);
    print_message("# %u instructions\n", compared);
    assert_true(compared > 300);
    destroy_run(r);
}

static void host_code_is_the_expressions(void **unused)
{
    struct run *r = create_run();
    unsigned compared = run_all(run_host_code, "host code", r);
    print_message("# host code: %u instructions\n", compared);
    assert_true(compared > 300);
    destroy_run(r);
}

static bool level_has_host_code(void)
{
    struct run *r = create_run();
    bool has = r->jit;
    destroy_run(r);
    return has;
}

int main(void)
{
    if (!host_level_runs())
        return 0;
    const struct CMUnitTest kernels[] = {cmocka_unit_test(kernels_are_the_expressions)};
    const struct CMUnitTest both[] = {cmocka_unit_test(kernels_are_the_expressions),
                                      cmocka_unit_test(host_code_is_the_expressions)};
    return level_has_host_code() ? cmocka_run_group_tests(both, NULL, NULL)
                                 : cmocka_run_group_tests(kernels, NULL, NULL);
}
