/* Instructions that compilers seldom write, and modes that they seldom set: short programs, and what they leave behind.
 *
 * Every wave finds v0 = its lane, v1 = four times its thread in the workgroup, s[0:1] = memory, s[4:7] = a buffer over
 * it, s8 = the wave's number. What it has in v4 at the end is looked at. Memory begins with dwords that are their own
 * number, three times. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "amd/isa/asm.h"
#include "amd/model/sq/sq_code.h"
#include "amd/model/sq/sq_gds.h"
#include "amd/model/sq/sq_workgroup.h"
#include "util/bits.h"

#define CODE_VA 0x100000000ull
#define DATA_VA 0x100100000ull
#define SIZE_B (4u << 20)
#define LANES 32
#define LDS_B 1024
#define GDS_B 256

#define END "s_waitcnt vmcnt(0) lgkmcnt(0)\ns_endpgm\n"

struct program {
    const char *name;
    const char *text;
    uint32_t (*expected)(unsigned wave, unsigned lane); /* v4 */
    unsigned waves;                                     /* 0: one */
    uint32_t mode; /* IEEE [9], DX10_CLAMP [8], denormals [7:4], rounding [3:0]; 0: 0x1f0 */
    uint32_t gds;  /* the dword at 8 at the end, if any wave had GDS */
};

static uint32_t thread(unsigned wave, unsigned lane)
{
    return wave * LANES + lane;
}

static uint32_t old_and_new(unsigned wave, unsigned lane)
{
    return lane * 3 + (lane + 100) * 5 + lane * 7 + (lane + 200) * 11;
}

static uint32_t first_of_two(unsigned wave, unsigned lane)
{
    return lane + 1;
}

static uint32_t appended(unsigned wave, unsigned lane)
{
    return lane < 20 ? 20 * wave + 1000 * (40 - 20 * wave) : lane;
}

static uint32_t reversed(unsigned wave, unsigned lane)
{
    return 31 - lane;
}

static uint32_t times_three(unsigned wave, unsigned lane)
{
    return (lane + 8) * 3;
}

static uint32_t pairs(unsigned wave, unsigned lane)
{
    return 2 * lane * 3 + (2 * lane + 1) * 3;
}

static uint32_t gds_sum(unsigned wave, unsigned lane)
{
    return wave == 1 ? 2 * (31 * 32 / 2) : 0;
}

static uint32_t zero(unsigned wave, unsigned lane)
{
    return 0;
}

static uint32_t handed_over(unsigned wave, unsigned lane)
{
    return wave == 0 ? 77 : 0;
}

static uint32_t all_there(unsigned wave, unsigned lane)
{
    return 4;
}

static uint32_t direct_dword(unsigned wave, unsigned lane)
{
    return 0x81828384u + lane;
}

static uint32_t direct_byte(unsigned wave, unsigned lane)
{
    return 0xffffff83u;
}

static uint32_t direct_word(unsigned wave, unsigned lane)
{
    return 0x8182;
}

static uint32_t nan_kept(unsigned wave, unsigned lane)
{
    return 0x7fc00000;
}

static uint32_t one(unsigned wave, unsigned lane)
{
    return 0x3f800000;
}

static uint32_t two(unsigned wave, unsigned lane)
{
    return 0x40000000;
}

static uint32_t half_down(unsigned wave, unsigned lane)
{
    return 0x0601; /* 0x0a01 / 2 */
}

static uint32_t denormal_rounded_up(unsigned wave, unsigned lane)
{
    return 0x3c01;
}

static uint32_t three_and_nine(unsigned wave, unsigned lane)
{
    return 0x48804200;
}

static uint32_t zero_and_255(unsigned wave, unsigned lane)
{
    return 0xff00;
}

static uint32_t slot(unsigned wave, unsigned lane)
{
    return (wave >> 2) | (wave & 3) << 8;
}

static uint32_t sums_in_lds(unsigned wave, unsigned lane)
{
    uint32_t before = 0, all = 0;
    for (uint32_t i = lane % 4; i < LANES; i += 4) {
        before += i < lane ? i : 0;
        all += i;
    }
    return before + 2 * all;
}

static uint32_t first_takes_it(unsigned wave, unsigned lane)
{
    return lane == 0 ? 7 : 2000;
}

static uint32_t row_left(unsigned wave, unsigned lane)
{
    return lane % 16 + 3 < 16 ? lane + 3 : 100;
}

static uint32_t row_right(unsigned lane, uint32_t other)
{
    const uint32_t active = 0xff00ff0;
    if (!(active >> lane & 1))
        return 100;
    return lane % 16 >= 5 && (active >> (lane - 5) & 1) ? lane - 5 : other;
}

static uint32_t row_right_or_zero(unsigned wave, unsigned lane)
{
    return row_right(lane, 0);
}

static uint32_t row_right_or_nothing(unsigned wave, unsigned lane)
{
    return row_right(lane, 100);
}

static uint32_t row_around(unsigned wave, unsigned lane)
{
    return lane >= 16 && lane / 4 % 2 == 0 ? 16 + (lane + 12) % 16 : 100;
}

static uint32_t five_lanes(unsigned wave, unsigned lane)
{
    static const uint32_t quad[] = {3, 0, 0, 1};
    return (lane ^ 15) | (lane ^ 7) << 5 | ((lane & 16) + 9) << 10 | (lane ^ 6) << 15 |
           ((lane & ~3u) + quad[lane & 3]) << 20;
}

static uint32_t permuted(unsigned wave, unsigned lane)
{
    const uint32_t from = (uint32_t)(0x1357024689abcdefull >> lane % 16 * 4 & 15);
    return ((lane & 16) | from) | ((~lane & 16) | from) << 8;
}

static const struct program programs[] = {
    /* ---- LDS ---- */
    {"an exchange of two places",
     "v_mul_u32_u24_e32 v5, 3, v0\nv_add_nc_u32_e32 v6, 0x64, v0\nv_mul_u32_u24_e32 v6, 5, v6\n"
     "ds_write2_b32 v1, v5, v6 offset1:64\n"
     "v_mul_u32_u24_e32 v7, 7, v0\nv_add_nc_u32_e32 v8, 0xc8, v0\nv_mul_u32_u24_e32 v8, 11, v8\n"
     "ds_wrxchg2_rtn_b32 v[10:11], v1, v7, v8 offset1:64\n"
     "ds_read2_b32 v[12:13], v1 offset1:64\ns_waitcnt lgkmcnt(0)\n"
     "v_add3_u32 v4, v10, v11, v12\nv_add_nc_u32_e32 v4, v4, v13\n" END,
     old_and_new},
    {"an exchange of two places 64 elements apart",
     "v_mul_u32_u24_e32 v5, 3, v0\nv_add_nc_u32_e32 v6, 0x64, v0\nv_mul_u32_u24_e32 v6, 5, v6\n"
     "ds_write2st64_b32 v1, v5, v6 offset1:1\n"
     "v_mul_u32_u24_e32 v7, 7, v0\nv_add_nc_u32_e32 v8, 0xc8, v0\nv_mul_u32_u24_e32 v8, 11, v8\n"
     "ds_wrxchg2st64_rtn_b32 v[10:11], v1, v7, v8 offset1:1\n"
     "ds_read2st64_b32 v[12:13], v1 offset1:1\ns_waitcnt lgkmcnt(0)\n"
     "v_add3_u32 v4, v10, v11, v12\nv_add_nc_u32_e32 v4, v4, v13\n" END,
     old_and_new},
    {"an exchange of two pairs of dwords",
     "v_mov_b32_e32 v6, 0\nv_mov_b32_e32 v8, 0\nv_lshlrev_b32_e32 v2, 3, v0\n"
     "v_mul_u32_u24_e32 v5, 3, v0\nv_add_nc_u32_e32 v7, 0x64, v0\nv_mul_u32_u24_e32 v7, 5, v7\n"
     "ds_write2_b64 v2, v[5:6], v[7:8] offset1:32\n"
     "v_mul_u32_u24_e32 v5, 7, v0\nv_add_nc_u32_e32 v7, 0xc8, v0\nv_mul_u32_u24_e32 v7, 11, v7\n"
     "ds_wrxchg2_rtn_b64 v[10:13], v2, v[5:6], v[7:8] offset1:32\n"
     "ds_read2_b64 v[20:23], v2 offset1:32\ns_waitcnt lgkmcnt(0)\n"
     "v_add3_u32 v4, v10, v12, v20\nv_add_nc_u32_e32 v4, v4, v22\n" END,
     old_and_new},
    {"two stores to one place: the first is the one",
     "v_add_nc_u32_e32 v5, 1, v0\nv_add_nc_u32_e32 v6, 2, v0\nds_write2_b32 v1, v5, v6 offset0:3 offset1:3\n"
     "ds_read_b32 v4, v1 offset:12\n" END,
     first_of_two},
    {"append and consume count active lanes",
     "s_mov_b32 m0, 16\nv_mov_b32_e32 v4, v0\ns_mov_b32 exec_lo, 0xfffff\nds_append v5 offset:4\ns_waitcnt "
     "lgkmcnt(0)\ns_barrier\n"
     "ds_consume v6 offset:4\ns_waitcnt lgkmcnt(0)\nv_mul_u32_u24_e32 v6, 0x3e8, v6\nv_add_nc_u32_e32 v4, v5, v6\n" END,
     appended, 2},
    {"a dword a lane by m0",
     "s_mov_b32 m0, 32\nds_write_addtid_b32 v0 offset:64\nv_sub_nc_u32_e32 v5, 0x7c, v1\nds_read_b32 v6, v5 "
     "offset:96\ns_waitcnt lgkmcnt(0)\n"
     "ds_write_b32 v1, v6 offset:512\ns_mov_b32 m0, 0x200\nds_read_addtid_b32 v4\n" END,
     reversed},
    {"a direct read of a dword",
     "v_mov_b32_e32 v5, 0x81828384\nv_mov_b32_e32 v6, 20\nds_write_b32 v6, v5\ns_waitcnt lgkmcnt(0)\ns_mov_b32 m0, "
     "0x20014\n"
     "v_add_nc_u32_e32 v4, src_lds_direct, v0\n" END,
     direct_dword},
    {"a direct read of a signed byte",
     "v_mov_b32_e32 v5, 0x81828384\nv_mov_b32_e32 v6, 20\nds_write_b32 v6, v5\ns_waitcnt lgkmcnt(0)\ns_mov_b32 m0, "
     "0x40015\n"
     "v_mov_b32_e32 v4, src_lds_direct\n" END,
     direct_byte},
    {"a direct read of a word",
     "v_mov_b32_e32 v5, 0x81828384\nv_mov_b32_e32 v6, 20\nds_write_b32 v6, v5\ns_waitcnt lgkmcnt(0)\ns_mov_b32 m0, "
     "0x10016\n"
     "v_mov_b32_e32 v4, src_lds_direct\n" END,
     direct_word},
    {"a load into LDS",
     "s_mov_b32 m0, 64\nbuffer_load_dword v9, v1, s[4:7], 0 offen offset:32 lds\ns_waitcnt vmcnt(0)\nds_read_b32 v4, "
     "v1 offset:96\n" END,
     times_three},

    {"without an index there is no swizzle",
     "s_mov_b64 s[12:13], s[4:5]\ns_mov_b64 s[14:15], s[6:7]\ns_or_b32 s13, s13, 0xffff0000\nv_lshlrev_b32_e32 v5, 3, "
     "v0\n"
     "buffer_load_dwordx2 v[10:11], v5, s[12:15], 0 offen\ns_waitcnt vmcnt(0)\nv_add_nc_u32_e32 v4, v10, v11\n" END,
     pairs},

    {"a number comes before a NaN in memory",
     "v_mov_b32_e32 v5, 0x7fc00000\nds_write_b32 v1, v5\nv_mov_b32_e32 v6, 1.0\nds_max_f32 v1, v6\nds_read_b32 v4, "
     "v1\n" END,
     one},
    {"and before one that comes",
     "v_mov_b32_e32 v5, 1.0\nds_write_b32 v1, v5\nv_mov_b32_e32 v6, 0x7fc00000\nds_min_f32 v1, v6\nds_read_b32 v4, "
     "v1\n" END,
     one},

    {"sums in LDS, lane after lane",
     "v_and_b32_e32 v5, 3, v0\nv_lshlrev_b32_e32 v5, 2, v5\nv_mov_b32_e32 v6, 0\nds_write_b32 v5, v6\n"
     "ds_add_rtn_u32 v4, v5, v0\ns_waitcnt lgkmcnt(0)\nds_add_u32 v5, v0\nds_max_rtn_u32 v6, v5, v0\n"
     "s_waitcnt lgkmcnt(0)\nv_add_nc_u32_e32 v4, v4, v6\n" END,
     sums_in_lds},
    {"a comparison in LDS takes the first lane's value",
     "v_mov_b32_e32 v5, 0\nv_mov_b32_e32 v6, 7\nds_write_b32 v5, v6\nv_mov_b32_e32 v7, 2000\n"
     "ds_cmpst_rtn_b32 v4, v5, v6, v7\n" END,
     first_takes_it},

    /* ---- DPP ---- */
    {"row_shl", "v_mov_b32_e32 v4, 0x64\nv_mov_b32_dpp v4, v0 row_shl:3 row_mask:0xf bank_mask:0xf\n" END, row_left},
    {"row_shr of lanes that are active, or zero",
     "v_mov_b32_e32 v4, 0x64\ns_mov_b32 exec_lo, 0xff00ff0\n"
     "v_mov_b32_dpp v4, v0 row_shr:5 row_mask:0xf bank_mask:0xf bound_ctrl:0\ns_mov_b32 exec_lo, -1\n" END,
     row_right_or_zero},
    {"row_shr of lanes that are active, or nothing",
     "v_mov_b32_e32 v4, 0x64\ns_mov_b32 exec_lo, 0xff00ff0\n"
     "v_mov_b32_dpp v4, v0 row_shr:5 row_mask:0xf bank_mask:0xf\ns_mov_b32 exec_lo, -1\n" END,
     row_right_or_nothing},
    {"row_ror in some rows and banks",
     "v_mov_b32_e32 v4, 0x64\nv_mov_b32_dpp v4, v0 row_ror:4 row_mask:0x2 bank_mask:0x5\n" END, row_around},
    {"mirrors, shares and masks of rows",
     "v_mov_b32_dpp v4, v0 row_mirror row_mask:0xf bank_mask:0xf\n"
     "v_mov_b32_dpp v5, v0 row_half_mirror row_mask:0xf bank_mask:0xf\n"
     "v_mov_b32_dpp v6, v0 row_share:9 row_mask:0xf bank_mask:0xf\n"
     "v_mov_b32_dpp v7, v0 row_xmask:6 row_mask:0xf bank_mask:0xf\n"
     "v_mov_b32_dpp v8, v0 quad_perm:[3,0,0,1] row_mask:0xf bank_mask:0xf\n"
     "v_lshlrev_b32_e32 v5, 5, v5\nv_lshlrev_b32_e32 v6, 10, v6\nv_lshlrev_b32_e32 v7, 15, v7\n"
     "v_lshlrev_b32_e32 v8, 20, v8\n"
     "v_or_b32_e32 v4, v4, v5\nv_or_b32_e32 v4, v4, v6\nv_or_b32_e32 v4, v4, v7\nv_or_b32_e32 v4, v4, v8\n" END,
     five_lanes},
    {"lanes of a row and of the other one",
     "s_mov_b32 s9, 0x89abcdef\ns_mov_b32 s10, 0x13570246\nv_permlane16_b32 v4, v0, s9, s10\n"
     "v_permlanex16_b32 v5, v0, s9, s10\nv_lshlrev_b32_e32 v5, 8, v5\nv_or_b32_e32 v4, v4, v5\n" END,
     permuted},

    /* ---- GDS ---- */
    {"sums in GDS",
     "s_mov_b32 m0, 0x100\nv_mov_b32_e32 v5, 8\nds_add_u32 v5, v0 gds\ns_waitcnt lgkmcnt(0)\ns_barrier\nv_mov_b32_e32 "
     "v4, 0\n"
     "s_cmp_eq_u32 s8, 0\ns_cbranch_scc1 2\nds_read_b32 v4, v5 gds\n" END,
     gds_sum, 2, 0, 2 * (31 * 32 / 2)},
    {"a part of GDS by m0",
     "s_mov_b32 m0, 0x40010\nv_mov_b32_e32 v5, 4\nv_mov_b32_e32 v6, 1\nds_add_u32 v5, v6 gds\nv_mov_b32_e32 v5, "
     "16\nds_add_u32 v5, v6 gds\n"
     "ds_read_b32 v4, v5 gds\n" END,
     zero, 1, 0, 32},

    /* ---- global wave sync ---- */
    {"a semaphore",
     "s_mov_b32 m0, 0x10000\nv_mov_b32_e32 v4, 0\nv_mov_b32_e32 v5, 0\nv_mov_b32_e32 v6, 0x4d\ns_cmp_eq_u32 s8, "
     "0\ns_cbranch_scc0 6\n"
     "ds_gws_sema_p offset:1 gds\ns_waitcnt lgkmcnt(0)\nds_read_b32 v4, v5\ns_branch 5\n"
     "ds_write_b32 v5, v6\ns_waitcnt lgkmcnt(0)\nds_gws_sema_v offset:1 gds\n" END,
     handed_over, 2},
    {"a barrier, twice",
     "s_mov_b32 m0, 0\nv_mov_b32_e32 v5, 0\nv_mov_b32_e32 v6, 1\nv_mov_b32_e32 v7, 3\ns_cmp_eq_u32 s8, "
     "0\ns_cbranch_scc0 2\nds_gws_init v7 offset:2 gds\n"
     "s_waitcnt lgkmcnt(0)\ns_barrier\nds_gws_barrier v7 offset:2 gds\ns_waitcnt lgkmcnt(0)\ns_mov_b32 exec_lo, "
     "1\nds_add_u32 v5, v6\n"
     "s_waitcnt lgkmcnt(0)\ns_mov_b32 exec_lo, -1\nds_gws_barrier v7 offset:2 gds\ns_waitcnt lgkmcnt(0)\nds_read_b32 "
     "v4, v5\n" END,
     all_there, 4},

    /* ---- modes ---- */
    {"clamp turns a NaN into 0", "v_mov_b32_e32 v5, 0x7fc00000\nv_add_f32_e64 v4, v5, 1.0 clamp\n" END, zero, 1, 0x1f0},
    {"clamp keeps a NaN without DX10_CLAMP", "v_mov_b32_e32 v5, 0x7fc00000\nv_add_f32_e64 v4, v5, 1.0 clamp\n" END,
     nan_kept, 1, 0xf0},
    {"omod is left out where denormals come out", "v_mov_b32_e32 v5, 0\nv_add_f32_e64 v4, v5, 1.0 mul:2\n" END, one, 1,
     0x1f0},
    {"omod is left out with IEEE's rules", "v_mov_b32_e32 v5, 0\nv_add_f32_e64 v4, v5, 1.0 mul:2\n" END, one, 1, 0x300},
    {"omod else", "v_mov_b32_e32 v5, 0\nv_add_f32_e64 v4, v5, 1.0 mul:2\n" END, two, 1, 0x100},
    {"omod of halves", "v_mov_b32_e32 v4, 0\nv_mov_b32_e32 v5, 0xa01\nv_add_f16_e64 v4, v5, 0 div:2\n" END, half_down,
     1, 0x100},
    {"a sum of halves rounds up where MODE says so",
     "v_mov_b32_e32 v4, 0\nv_mov_b32_e32 v5, 0x0c00\nv_add_f16_e64 v4, v5, 1.0\n" END, denormal_rounded_up, 1, 0x1f4},
    {"an inline constant is as wide as its source of mixed precision",
     "v_mov_b32_e32 v5, 0.5\nv_fma_mix_f32 v4, v5, 1.0, 1.0 op_sel_hi:[0,0,1]\nv_fma_mix_f32 v4, v4, 1.0, 0.5 "
     "op_sel_hi:[0,1,0]\n" END,
     two, 1, 0x1f0},
    {"a packed multiplication of VOP2 reads both halves",
     "s_mov_b32 s9, 0x44004200\nv_mov_b32_e32 v4, 0x3c000000\nv_mov_b32_e32 v5, 0x40003c00\nv_pk_fmac_f16 v4, s9, "
     "v5\n" END,
     three_and_nine, 1, 0x1f0},
    {"a product of pairs of VOP2 reads both halves",
     "v_mov_b32_e32 v4, 0\nv_mov_b32_e32 v5, 0x38003c00\nv_mov_b32_e32 v6, 0x40003c00\nv_dot2c_f32_f16 v4, v5, "
     "v6\n" END,
     two, 1, 0x1f0},
    {"a saturation of pairs of VOP1 reads both halves",
     "v_mov_b32_e32 v5, 0x0107ffff\nv_sat_pk_u8_i16_e32 v4, v5\n" END, zero_and_255, 1},
    {"waves of a workgroup have places of their own", "s_getreg_b32 s9, hwreg(23, 0, 32)\nv_mov_b32_e32 v4, s9\n" END,
     slot, 6},
};

struct rig {
    struct gpu_space space;
    int fd;
    uint8_t gds[GDS_B] __attribute__((aligned(8)));
    sq_gws gws[4];
};

static void assemble_program(struct rig *rig, const char *text)
{
    struct isa_asm_result result;
    bool ok = amd_isa_assemble(ISA_GFX10_3, LANES, text, strlen(text), &result);
    if (!ok)
        fail_msg("line %u: %s", result.errors[0].line, result.errors[0].message);
    memcpy(gpu_space_pointer(&rig->space, CODE_VA, SIZE_B, GPU_PERM_READ), result.words, result.count_dw * 4);
    amd_isa_asm_finish(&result);
}

static void load_registers(struct sq_wave *wave)
{
    static const uint32_t buffer[] = {(uint32_t)DATA_VA, DATA_VA >> 32, 0x10000, 0x31016fac};
    for (unsigned lane = 0; lane < LANES; lane++) {
        wave->vgpr[lane] = lane;
        wave->vgpr[LANES + lane] = thread(wave->wave_in_group, lane) * 4;
    }
    sq_write64(&wave->sgpr[0], DATA_VA);
    memcpy(&wave->sgpr[4], buffer, sizeof(buffer));
    wave->sgpr[8] = wave->wave_in_group;
}

static void run_program(struct rig *rig, const struct program *program, struct sq_workgroup *group)
{
    _Atomic bool killed = false;
    unsigned waves = MAX2(program->waves, 1u);
    struct sq_gds gds = {.data = rig->gds, .size_B = GDS_B, .gws = rig->gws, .gws_count = 4};
    struct sq_launch launch = {.program_va = CODE_VA,
                               .lanes = LANES,
                               .vgpr_count = 32,
                               .mode = program->mode ? program->mode : 0x1f0,
                               .lds_size_B = LDS_B,
                               .memory = &rig->space,
                               .killed = &killed,
                               .gds = &gds};
    assemble_program(rig, program->text);
    struct sq_code *code = amd_sq_code_create(&rig->space);
    assert_true(code && amd_sq_workgroup_begin(group, &launch, code, waves));
    for (unsigned i = 0; i < waves; i++)
        load_registers(group->waves[i]);
    struct sq_fault fault = {0};
    enum sq_turn turn;
    unsigned turns = 0;
    while ((turn = amd_sq_workgroup_run(group, &fault)) == SQ_TURN_GIVE_UP && ++turns < 100)
        ;
    if (turn != SQ_TURN_DONE)
        fail_msg("%s", turn == SQ_TURN_FAULT ? fault.why : "it does not end");
    amd_sq_code_destroy(code);
}

static void program_does(void **state)
{
    const struct program *program = *state;
    struct rig rig = {.fd = memfd_create("data", 0)};
    assert_true(rig.fd >= 0 && ftruncate(rig.fd, SIZE_B) == 0);
    assert_int_equal(gpu_space_init(&rig.space, &(struct gpu_extent){CODE_VA, SIZE_B}, 1), 0);
    assert_int_equal(gpu_space_map_file(&rig.space, CODE_VA, SIZE_B, rig.fd, 0, GPU_PERM_RWX), 0);
    uint32_t *data = gpu_space_pointer(&rig.space, DATA_VA, 0x1000, GPU_PERM_WRITE);
    for (uint32_t i = 0; i < 0x400; i++)
        data[i] = i * 3;
    struct sq_workgroup *group = amd_sq_workgroup_create(0);
    assert_non_null(group);
    run_program(&rig, program, group);
    for (unsigned wave = 0; wave < MAX2(program->waves, 1u); wave++) {
        for (unsigned lane = 0; lane < LANES; lane++) {
            uint32_t got = group->waves[wave]->vgpr[4 * LANES + lane], expected = program->expected(wave, lane);
            if (got != expected)
                fail_msg("wave %u, lane %u: 0x%08x, not 0x%08x", wave, lane, got, expected);
        }
    }
    uint32_t word;
    memcpy(&word, rig.gds + 8, sizeof(word));
    assert_int_equal(word, program->gds);
    amd_sq_workgroup_destroy(group);
    gpu_space_finish(&rig.space);
    close(rig.fd);
}

int main(void)
{
    struct CMUnitTest tests[ARRAY_SIZE(programs)];
    for (unsigned i = 0; i < ARRAY_SIZE(programs); i++)
        tests[i] = (struct CMUnitTest){
            .name = programs[i].name, .test_func = program_does, .initial_state = (void *)&programs[i]};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
