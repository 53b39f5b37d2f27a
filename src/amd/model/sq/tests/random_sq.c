/* Random programs of RDNA2 for model/exec/tests/random_code.h: waves of both sizes, with all lanes and with some.
 *
 * s[4:7] is a buffer that is read alone, s[20:23] one of lanes' own bytes, s[36:39] a part of it, s[24:27] where a
 * program leaves its registers; s12 to s19 are scalars of all kinds; s30 and s31 count rounds, s32 and s33 say how
 * many; saved masks are from s40 and, of lanes' own loops, from s60 on. v0 is the lane, v1 four times that, v2 the
 * place of its own bytes; v3 to v15 are anything; v16 is an address, v18 and v19 count rounds, v20 and v21 say how
 * many. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "amd/isa/asm.h"
#include "amd/model/sq/sq_code.h"
#include "amd/model/sq/sq_mode.h"
#include "amd/model/sq/sq_whole.h"
#include "amd/model/sq/sq_workgroup.h"
#include "model/exec/tests/random_code.h"
#include "util/bits.h"

#define CODE_VA 0x100000000ull
#define DATA_VA 0x100100000ull
#define OWN_VA 0x100200000ull
#define SPACE_B (4u << 20)
#define LEFT_VA 0x100300000ull
#define PART_B 0x8000u /* of the file: code, data, lanes' own bytes, registers */
#define PARTS 4
#define READ_B 3000u
#define LANE_B 64u
#define LDS_B 2048u
#define VGPRS 24
#define KEPT_VGPRS 16
#define KEPT_SGPRS 20

static struct {
    struct gpu_space space;
    int fd;
    struct sq_workgroup *group;
    struct sq_wave *spare;    /* registers that nothing looks at */
    struct sq_code *codes[2]; /* of micro-operations alone, with host code */
    uint32_t lanes, from;
    uint32_t shift_B; /* between the two descriptors of lanes' own bytes */
    uint64_t exec;
    _Atomic bool killed;

    uint32_t rows[2][KEPT_VGPRS * LANES_MAX], scalars[2][KEPT_SGPRS + 5], lds[2][LDS_B / 4],
        own[2][LANES_MAX * LANE_B / 4], left[2][KEPT_VGPRS * LANES_MAX];
} rig;

static bool setup(void)
{
    rig.fd = memfd_create("sq", 0);
    if (rig.fd < 0 || ftruncate(rig.fd, PARTS * PART_B) != 0 ||
        gpu_space_init(&rig.space, &(struct gpu_extent){CODE_VA, SPACE_B}, 1) != 0 ||
        gpu_space_map_file(&rig.space, CODE_VA, PART_B, rig.fd, 0, GPU_PERM_RWX) != 0 ||
        gpu_space_map_file(&rig.space, DATA_VA, PART_B, rig.fd, PART_B, GPU_PERM_READ) != 0 ||
        gpu_space_map_file(&rig.space, OWN_VA, PART_B, rig.fd, 2 * PART_B, GPU_PERM_RWX) != 0 ||
        gpu_space_map_file(&rig.space, LEFT_VA, PART_B, rig.fd, 3 * PART_B, GPU_PERM_RWX) != 0)
        return false;
    uint32_t *data = gpu_space_pointer(&rig.space, DATA_VA, 4, GPU_PERM_READ);
    for (uint32_t i = 0; i < PART_B / 4; i++)
        data[i] = i * 2654435761u;
    rig.group = amd_sq_workgroup_create(0);
    rig.codes[0] = amd_sq_code_create(&rig.space);
    rig.codes[1] = amd_sq_code_create(&rig.space);
    rig.spare = aligned_alloc(64, (sizeof(struct sq_wave) + (size_t)VGPRS * LANES_MAX * 4 + 63) & ~(size_t)63);
    if (!rig.group || !rig.codes[0] || !rig.codes[1] || !rig.spare)
        return false;
    struct exec_code *plain = amd_sq_code_exec(rig.codes[0]);
    jit_destroy(plain->jit);
    plain->jit = NULL;
    return true;
}

static void teardown(void)
{
    amd_sq_code_destroy(rig.codes[0]);
    amd_sq_code_destroy(rig.codes[1]);
    amd_sq_workgroup_destroy(rig.group);
    free(rig.spare);
    gpu_space_finish(&rig.space);
    close(rig.fd);
}

/* ---- programs ---- */

static bool is_wide(void)
{
    return rig.lanes == 64;
}

static const char *vcc(void)
{
    return is_wide() ? "vcc" : "vcc_lo";
}

static const char *exec(void)
{
    return is_wide() ? "exec" : "exec_lo";
}

/* A register, or two, that holds a lane mask. */
static const char *mask(unsigned sgpr)
{
    static char texts[4][16];
    static unsigned turn;
    char *text = texts[turn++ % 4];
    snprintf(text, sizeof(texts[0]), is_wide() ? "s[%u:%u]" : "s%u", sgpr, sgpr + 1);
    return text;
}

static unsigned bits(void)
{
    return rig.lanes;
}

static unsigned vector(void)
{
    return 3 + random_below(13);
}

static unsigned scalar(void)
{
    return 12 + random_below(8);
}

#define ONE_OF(table) (table[random_below(ARRAY_SIZE(table))])

static void begin_case(uint64_t number)
{
    static const uint64_t some[] = {0x0123456789abcdefull, 1, 0x8000000000000001ull};
    (void)number;
    rig.lanes = random_below(2) ? 64 : 32;
    rig.exec = random_below(3) ? UINT64_MAX : ONE_OF(some);
    rig.from = random_32();
    rig.shift_B = random_below(2) ? 2048 : random_below(32) * 4;
}

static void end_case(void)
{
    random_say("s_cselect_b32 s13, s13, s14\nv_cndmask_b32_e32 v3, v4, v3, %s\n", vcc());
    for (unsigned v = 0; v < KEPT_VGPRS; v++) /* registers that nothing names need not be kept */
        random_say("buffer_store_dword v%u, v1, s[24:27], 0 offen offset:%u\n", v, v * LANES_MAX * 4);
    random_say("s_endpgm\n");
}

static void add_scalar(void)
{
    static const char *const two[] = {"s_add_u32",     "s_sub_u32",  "s_mul_i32",  "s_and_b32",     "s_or_b32",
                                      "s_xor_b32",     "s_lshl_b32", "s_lshr_b32", "s_ashr_i32",    "s_min_u32",
                                      "s_max_i32",     "s_bfe_u32",  "s_bfm_b32",  "s_cselect_b32", "s_andn2_b32",
                                      "s_absdiff_i32", "s_add_i32"};
    static const char *const compare[] = {"s_cmp_lt_u32", "s_cmp_ge_i32", "s_cmp_eq_u32", "s_cmp_lg_i32"};
    switch (random_below(14)) {
    case 12: /* a scalar of its own, where a mask is one register */
        if (!is_wide())
            random_say("%s vcc_hi, s%u, s%u\n", ONE_OF(two), scalar(), scalar());
        break;
    case 13:
        if (!is_wide())
            random_say("%s s%u, vcc_hi, s%u\n", ONE_OF(two), scalar(), scalar());
        break;
    case 11: /* a lane's, in a loop of a row that it may change */
        random_say("v_readlane_b32 s%u, v%u, s%u\n", scalar(), vector(), scalar());
        break;
    case 10:
        random_say("v_readlane_b32 s%u, v%u, %u\n", scalar(), random_below(3), random_below(64));
        break;
    case 0:
        random_say("%s s%u, s%u\n", ONE_OF(compare), scalar(), scalar());
        break;
    case 1:
        random_say("s_movk_i32 s%u, %d\n", scalar(), (int)random_below(60000) - 30000);
        break;
    default:
        random_say("%s s%u, s%u, s%u\n", ONE_OF(two), scalar(), scalar(), scalar());
    }
}

static void add_vector(void)
{
    static const char *const two[] = {"v_add_nc_u32_e32", "v_xor_b32_e32", "v_lshrrev_b32_e32", "v_max_u32_e32",
                                      "v_min_i32_e32",    "v_and_b32_e32", "v_sub_nc_u32_e32",  "v_mul_lo_u32"};
    static const char *const three[] = {"v_add3_u32", "v_xad_u32", "v_bfi_b32", "v_lshl_add_u32", "v_mad_u32_u24"};
    switch (random_below(10)) {
    case 9: /* neighbours' */
        random_say("v_lshl_add_u32 v16, v0, 2, %u\nbuffer_load_dword v%u, v16, s[4:7], 0 offen offset:%u\n",
                   random_below(65), vector(), random_below(800) * 4);
        break;
    case 0:
        random_say("v_cmp_lt_u32_e32 %s, v%u, v%u\n", vcc(), vector(), vector());
        break;
    case 1:
        random_say("v_cndmask_b32_e32 v%u, v%u, v%u, %s\n", vector(), vector(), vector(), vcc());
        break;
    case 2:
        random_say("v_add_nc_u32_e32 v%u, s%u, v%u\n", vector(), scalar(), vector());
        break;
    case 3:
        random_say("v_and_b32_e32 v16, 0xffc, v%u\nbuffer_load_dword v%u, v16, s[4:7], 0 offen offset:%u\n", vector(),
                   vector(), random_below(64) * 4);
        break;
    case 4: /* what another lane may have stored */
        random_say("v_and_b32_e32 v16, 0xfc, v%u\nds_read_b32 v%u, v16 offset:%u\n", vector(), vector(),
                   random_below(64) * 4);
        break;
    case 5:
        random_say("%s v%u, v%u, v%u, v%u\n", ONE_OF(three), vector(), vector(), vector(), vector());
        break;
    default:
        random_say("%s v%u, v%u, v%u\n", ONE_OF(two), vector(), vector(), vector());
    }
}

static void straight(unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        if (random_below(3))
            add_vector();
        else
            add_scalar();
    }
}

/* Lanes side by side, which meet where their words overlap, by one of two descriptors of the same memory. */
static void add_neighbours(void)
{
    static const char *const widths[] = {"", "x2", "x3", "x4"};
    const bool is_store = random_below(3);
    const unsigned count = 1 + random_below(4), first = 3 + random_below(14 - count);
    random_say("v_lshl_add_u32 v16, v0, %u, %u\nbuffer_%s_dword%s v[%u:%u], v16, %s, 0 offen offset:%u\n",
               2 + random_below(3), random_below(16) * 4, is_store ? "store" : "load", widths[count - 1], first,
               first + count - 1, random_below(4) ? "s[20:23]" : "s[36:39]", random_below(8) * 4);
}

static void memory(void)
{
    const unsigned offset = random_below(LANE_B / 4) * 4;
    switch (random_below(9)) {
    case 6:
    case 7:
    case 8:
        add_neighbours();
        break;
    case 0:
        random_say("ds_write_b32 v1, v%u offset:%u\n", vector(), random_below(8) * 4);
        break;
    case 1:
        random_say("ds_add_u32 v1, v%u offset:%u\n", vector(), random_below(8) * 4);
        break;
    case 2:
        random_say("buffer_load_dword v%u, v2, s[20:23], 0 offen offset:%u\n", vector(), offset);
        break;
    case 3:
        random_say("buffer_atomic_add v%u, v2, s[20:23], 0 offen offset:%u\n", vector(), offset);
        break;
    default:
        random_say("buffer_store_dword v%u, v2, s[20:23], 0 offen offset:%u\n", vector(), offset);
    }
}

static void open_if(unsigned depth, unsigned id)
{
    random_say("v_cmp_lt_u32_e32 %s, v%u, v%u\ns_and_saveexec_b%u %s, %s\n", vcc(), vector(), vector(), bits(),
               mask(40 + 2 * depth), vcc());
    if (random_below(4))
        random_say("s_cbranch_execz L_other%u\n", id);
}

static void other(unsigned depth, unsigned id)
{
    random_say("L_other%u:\ns_andn2_b%u %s, %s, %s\ns_cbranch_execz L_end%u\n", id, bits(), exec(),
               mask(40 + 2 * depth), exec(), id);
}

static void close_if(unsigned depth, unsigned id, bool has_other)
{
    random_say("%s%u:\ns_mov_b%u %s, %s\n", has_other ? "L_end" : "L_other", id, bits(), exec(), mask(40 + 2 * depth));
}

static void open_loop(unsigned depth, unsigned id, bool is_own)
{
    if (is_own)
        random_say("s_mov_b%u %s, %s\nv_mov_b32_e32 v%u, 0\nv_and_b32_e32 v%u, 3, v%u\n", bits(), mask(60 + 2 * depth),
                   exec(), 18 + depth, 20 + depth, vector());
    else
        random_say("s_mov_b32 s%u, 0\ns_movk_i32 s%u, %u\n", 30 + depth, 32 + depth, random_below(6));
    random_say("L_again%u:\n", id);
}

static void leave_block(unsigned depth, unsigned id)
{
    random_say("s_cmp_eq_u32 s%u, %u\ns_cbranch_scc1 L_out%u\n", 30 + depth, random_below(4), id);
}

static void close_loop(unsigned depth, unsigned id, bool is_own)
{
    if (is_own)
        random_say("v_add_nc_u32_e32 v%u, 1, v%u\nv_cmp_lt_u32_e32 %s, v%u, v%u\ns_and_b%u %s, %s, %s\n"
                   "s_cbranch_execnz L_again%u\ns_mov_b%u %s, %s\n",
                   18 + depth, 18 + depth, vcc(), 18 + depth, 20 + depth, bits(), exec(), exec(), vcc(), id, bits(),
                   exec(), mask(60 + 2 * depth));
    else
        random_say("s_add_u32 s%u, s%u, 1\ns_cmp_le_u32 s%u, s%u\ns_cbranch_scc1 L_again%u\n", 30 + depth, 30 + depth,
                   30 + depth, 32 + depth, id);
    random_say("L_out%u:\n", id);
}

/* ---- both ways ---- */

static void describe_buffer(uint32_t *words, uint64_t va, uint32_t size_B)
{
    words[0] = (uint32_t)va;
    words[1] = (uint32_t)(va >> 32);
    words[2] = size_B;
    words[3] = 0x31016fac;
}

static uint32_t *own_bytes(void)
{
    return gpu_space_pointer(&rig.space, OWN_VA, 4, GPU_PERM_READ);
}

static uint32_t *left_bytes(void)
{
    return gpu_space_pointer(&rig.space, LEFT_VA, 4, GPU_PERM_READ);
}

/* A wave's registers and all memory. */
static void fill_wave(struct sq_wave *wave)
{
    uint32_t x = rig.from;
    const uint32_t words = VGPRS * rig.lanes;
    for (unsigned i = 0; i < words + KEPT_SGPRS + LDS_B / 4; i++) {
        x = x * 1664525u + 1013904223u;
        const uint32_t word = (x ^ x >> 15) >> (x >> 27);
        if (i < words)
            wave->vgpr[i] = word;
        else if (i < words + KEPT_SGPRS)
            wave->sgpr[i - words] = word;
        else
            ((uint32_t *)(void *)rig.group->lds)[i - words - KEPT_SGPRS] = word;
    }
    for (unsigned lane = 0; lane < rig.lanes; lane++) {
        wave->vgpr[lane] = lane;
        wave->vgpr[rig.lanes + lane] = lane * 4;
        wave->vgpr[2 * rig.lanes + lane] = lane * LANE_B;
    }
    for (unsigned i = 0; i < LANES_MAX * LANE_B / 4; i++)
        own_bytes()[i] = i * 40503u;
    memset(left_bytes(), 0, sizeof(rig.left[0]));
    describe_buffer(&wave->sgpr[4], DATA_VA, READ_B);
    describe_buffer(&wave->sgpr[20], OWN_VA, LANES_MAX * LANE_B);
    describe_buffer(&wave->sgpr[24], LEFT_VA, sizeof(rig.left[0]));
    describe_buffer(&wave->sgpr[36], OWN_VA + rig.shift_B, 1000);
    wave->sgpr[SQ_VCC] = x;
    wave->sgpr[SQ_VCC + 1] = ~x;
    sq_write_mask(wave, &wave->sgpr[SQ_EXEC], rig.exec & lanes_full_mask(rig.lanes));
    sq_exec_changed(wave);
}

static struct sq_launch launch_program(void)
{
    return (struct sq_launch){.program_va = CODE_VA,
                              .lanes = rig.lanes,
                              .vgpr_count = VGPRS,
                              .mode = 0x1f0,
                              .lds_size_B = LDS_B,
                              .memory = &rig.space,
                              .killed = &rig.killed};
}

static void keep_memory(unsigned way)
{
    memcpy(rig.lds[way], rig.group->lds, LDS_B);
    memcpy(rig.own[way], own_bytes(), sizeof(rig.own[way]));
    memcpy(rig.left[way], left_bytes(), sizeof(rig.left[way]));
}

static bool is_memory_same(const char *how)
{
    for (unsigned i = 0; i < ARRAY_SIZE(rig.left[0]); i++) {
        if (rig.left[0][i] != rig.left[1][i])
            return random_differs("%s: v%u of lane %u at the end: %08x, by host code %08x", how, i / LANES_MAX,
                                  i % LANES_MAX, rig.left[0][i], rig.left[1][i]);
    }
    if (memcmp(rig.lds[0], rig.lds[1], LDS_B) != 0)
        return random_differs("%s: shared memory", how);
    if (memcmp(rig.own[0], rig.own[1], sizeof(rig.own[0])) != 0)
        return random_differs("%s: memory", how);
    return true;
}

static bool run_way(unsigned way)
{
    const struct sq_launch all = launch_program();
    struct sq_fault fault = {0};
    amd_sq_code_validate(rig.codes[way]);
    memset(&amd_sq_code_exec(rig.codes[way])->counts, 0, sizeof(struct exec_counts));
    if (!amd_sq_workgroup_begin(rig.group, &all, rig.codes[way], 1))
        return random_differs("no wave");
    struct sq_wave *wave = rig.group->waves[0];
    fill_wave(wave);
    enum sq_turn turn = SQ_TURN_GIVE_UP;
    while (turn == SQ_TURN_GIVE_UP)
        turn = amd_sq_workgroup_run(rig.group, &fault);
    if (turn != SQ_TURN_DONE)
        return random_differs("%s: %s", way ? "host code" : "micro-operations", fault.why);
    uint32_t *scalars = rig.scalars[way];
    memcpy(rig.rows[way], wave->vgpr, KEPT_VGPRS * rig.lanes * 4);
    memcpy(scalars, wave->sgpr, KEPT_SGPRS * 4);
    memcpy(scalars + KEPT_SGPRS, &wave->sgpr[SQ_VCC], rig.lanes / 8);
    memcpy(scalars + KEPT_SGPRS + 2, &wave->sgpr[SQ_EXEC], rig.lanes / 8);
    scalars[KEPT_SGPRS + 4] = wave->scc;
    keep_memory(way);
    return true;
}

/* As a whole, for a workgroup with other numbers first: nothing of that may be left. */
static bool run_whole(void)
{
    const struct sq_launch all = launch_program();
    struct sq_whole_key key;
    struct sq_fault fault = {0};
    if (rig.exec != UINT64_MAX)
        return true;
    memset(&key, 0, sizeof(key));
    key.program_va = CODE_VA;
    key.mode = all.mode;
    key.lanes = all.lanes;
    key.vgpr_count = all.vgpr_count;
    key.given = VGPRS;
    key.lines = random_below(2);
    sq_registers_add(&key.varying, 12, 2);
    struct sq_whole *whole = amd_sq_whole_of(rig.codes[1], &key);
    if (!whole)
        return true; /* no host code */
    if (!amd_sq_workgroup_begin(rig.group, &all, rig.codes[1], 1))
        return random_differs("no wave");
    struct sq_wave *wave = rig.group->waves[0];
    fill_wave(wave);
    const uint32_t numbers[2] = {wave->sgpr[12], wave->sgpr[13]}, others[2] = {~numbers[0], 7};
    if (!amd_sq_whole_is_worth_it(whole, 1) || !amd_sq_whole_begin(whole, rig.group))
        return true;
    for (unsigned time = 0; time < 2; time++) {
        const uint64_t host = lane_env_get();
        sq_mode_enter(wave);
        const bool is_done = amd_sq_whole_run(whole, rig.group, 0, time ? numbers : others, &fault);
        lane_env_set(host);
        if (!is_done)
            return random_differs("as a whole: %s", fault.why);
        if (time)
            break;
        rig.spare->lanes = rig.lanes;
        fill_wave(rig.spare); /* memory alone */
    }
    keep_memory(1);
    return is_memory_same("as a whole");
}

static bool run_program(void)
{
    struct isa_asm_result result;
    if (!amd_isa_assemble(ISA_GFX10_3, rig.lanes, random_text(), strlen(random_text()), &result))
        return random_differs("line %u: %s", result.errors[0].line, result.errors[0].message);
    const bool fits = result.count_dw * 4 <= PART_B;
    if (fits)
        memcpy(gpu_space_pointer(&rig.space, CODE_VA, 4, GPU_PERM_READ), result.words, result.count_dw * 4);
    amd_isa_asm_finish(&result);
    memset(rig.scalars, 0, sizeof(rig.scalars));
    if (!fits || !run_way(0) || !run_way(1))
        return fits ? false : random_differs("%u dwords", result.count_dw);
    for (unsigned i = 0; i < KEPT_VGPRS * rig.lanes; i++) {
        if (rig.rows[0][i] != rig.rows[1][i])
            return random_differs("v%u of lane %u: %08x, by host code %08x", i / rig.lanes, i % rig.lanes,
                                  rig.rows[0][i], rig.rows[1][i]);
    }
    for (unsigned i = 0; i < KEPT_SGPRS + 5; i++) {
        if (rig.scalars[0][i] != rig.scalars[1][i])
            return random_differs("s%u (from %u on vcc, exec, scc): %08x, by host code %08x", i, KEPT_SGPRS,
                                  rig.scalars[0][i], rig.scalars[1][i]);
    }
    return is_memory_same("host code") && run_whole();
}

static const struct exec_counts *counts(void)
{
    return &amd_sq_code_exec(rig.codes[1])->counts;
}

const struct random_isa random_isa = {
    .name = "sq",
    .setup = setup,
    .teardown = teardown,
    .begin = begin_case,
    .end = end_case,
    .straight = straight,
    .memory = memory,
    .open_if = open_if,
    .other = other,
    .close_if = close_if,
    .open_loop = open_loop,
    .leave = leave_block,
    .close_loop = close_loop,
    .run = run_program,
    .counts = counts,
    .has_wholes = true,
};
