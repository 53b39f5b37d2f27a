/* Random pixel programs of RDNA2 for model/exec/tests/random_code.h, on both ways from the quads to the targets: wave
 * by wave in the interpreter, and joined with what becomes of the colours (amd/model/spi/spi_ps_join.h).
 *
 * A program draws a triangle that covers all of a rectangle. Where scalars that are written in code that some waves
 * skip are read after it, what a pixel finds there is its wave's: then the rectangle is of whole waves, which are the
 * same on both ways; elsewhere its edges may cut quads and waves. s[4:7] is a buffer that is read alone; s12 to s19 are
 * scalars of all kinds, s24 to s27 those of one branch; s[20:21] are the pixels that are drawn; s[28:35] is an image,
 * s[36:39] a sampler; saved masks are from s40 on; s[60:63] is a buffer that is written, too, s[64:65] where the other
 * one is. v0 and v1 are the centre's weights, v2 and v3 the place; v4 to v15 are anything; v16 is an address, v17 one
 * that a pixel has for itself, v[18:21] are 64-bit numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "amd/hw/descriptors.h"
#include "amd/hw/regs_pa.h"
#include "amd/isa/asm.h"
#include "amd/model/ge/tests/ge_rig.h"
#include "amd/model/sq/sq_code.h"
#include "model/exec/tests/random_code.h"
#include "util/bits.h"

#define WAYS 2
#define TARGETS 4 /* of four registers each */
#define TARGET_B (SIZE * SIZE * 16u)
#define DATA_VA (BASE_VA + (10u << 20))
#define DATA_B 4096u
#define OWN_VA (BASE_VA + (11u << 20)) /* a word for each pixel, and some that all change */
#define OWN_B 0x20000u
#define SHARED_B 0x10000u /* where those are */
#define DRAWS 3           /* code is made of what has run */
#define CODE_B 0x8000u

static struct {
    struct ge_rig rigs[WAYS];       /* in the interpreter, joined */
    struct sq_code *codes[WAYS][2]; /* its worker's, and of what runs outside */
    struct exec_counts counts;
    uint32_t width, height;
    bool is_whole;    /* the rectangle is of whole waves */
    bool leaks;       /* scalars of code that waves skip are read after it */
    bool is_one_word; /* one target of bytes, which may blend, in place of the four */
    bool blends;
    bool is_integer;       /* the target of bytes */
    uint32_t samples_log2; /* of the target of bytes and the depths */
    bool covers;           /* by the alpha of that target */
    bool kills;
    bool has_images;
    bool stores;        /* and what else runs for some lanes alone, between the pieces of joined programs */
    bool is_exact;      /* exec begins with the pixels that are drawn alone */
    bool exports_masks; /* of what is drawn */
    bool exports_depths;
    uint32_t compare; /* of these */
} rig;

/* ---- both draws ---- */

static void set_up(struct ge_rig *rig)
{
    ge_rig_begin(rig, 1);
    ge_rig_set_depth(rig);
    SET(SPI_PS_INPUT_ENA, .PERSP_CENTER_ENA = true, .POS_X_FLOAT_ENA = true, .POS_Y_FLOAT_ENA = true);
    SET(SPI_PS_INPUT_ADDR, .PERSP_CENTER_ENA = true, .POS_X_FLOAT_ENA = true, .POS_Y_FLOAT_ENA = true);
    SET(SPI_SHADER_PGM_RSRC1_PS, .VGPRS = 7, .FLOAT_MODE = 0xf0);
    uint32_t *data = ge_rig_at(rig, DATA_VA);
    for (uint32_t i = 0; i < DATA_B / 4; i++)
        data[i] = i * 2654435761u;
}

static void keep_codes(unsigned way)
{
    const struct ge_rig *one = &rig.rigs[way];
    for (unsigned worker = 0; worker < ARRAY_SIZE(rig.codes[way]); worker++) {
        struct sq_code *code = rig.codes[way][worker] = amd_spi_enter(one->spi, worker, &one->space);
        if (way == 0) {
            jit_destroy(amd_sq_code_exec(code)->jit);
            amd_sq_code_exec(code)->jit = NULL;
        }
        amd_spi_leave(one->spi, worker, code);
    }
}

static bool setup(void)
{
    for (unsigned way = 0; way < WAYS; way++) {
        set_up(&rig.rigs[way]);
        keep_codes(way);
    }
    return true;
}

static void teardown(void)
{
    for (unsigned way = 0; way < WAYS; way++)
        ge_rig_end(&rig.rigs[way]);
}

/* Depths, too. */
static void set_samples(struct ge_rig *rig, uint32_t samples_log2)
{
    SET(PA_SC_AA_CONFIG, .MSAA_NUM_SAMPLES = samples_log2);
    SET(DB_Z_INFO, .FORMAT = AMD_Z_FORMAT_32_FLOAT, .SW_MODE = AMD_SW_MODE_64KB_Z_X, .NUM_SAMPLES = samples_log2);
    SET(CB_COLOR_ATTRIB, .NUM_SAMPLES = samples_log2, .NUM_FRAGMENTS = samples_log2);
    if (samples_log2)
        SET(CB_COLOR_ATTRIB3, .COLOR_SW_MODE = AMD_SW_MODE_64KB_R_X, .RESOURCE_TYPE = AMD_RESOURCE_TYPE_2D);
}

static void set_coverage(struct ge_rig *rig, bool covers, uint32_t samples_log2)
{
    SET(DB_ALPHA_TO_MASK, .ALPHA_TO_MASK_ENABLE = covers, .ALPHA_TO_MASK_OFFSET0 = 3, .ALPHA_TO_MASK_OFFSET1 = 1,
        .ALPHA_TO_MASK_OFFSET2 = 0, .ALPHA_TO_MASK_OFFSET3 = 2);
    SET(DB_EQAA, .ALPHA_TO_MASK_NUM_SAMPLES = samples_log2);
}

static void set_target(struct ge_rig *rig, uint32_t i, uint32_t info)
{
    const uint32_t at = i * AMD_REG_CB_COLOR_BASE_STRIDE;
    cp_reg_set(&rig->registers, AMD_REG_CB_COLOR_BASE_GFX10_3 + at, (uint32_t)((TARGET_VA + i * TARGET_B) >> 8));
    cp_reg_set(&rig->registers, AMD_REG_CB_COLOR_INFO_GFX10_3 + at, info);
    cp_reg_set(&rig->registers, AMD_REG_CB_COLOR_ATTRIB2_GFX10_3 + i * AMD_REG_CB_COLOR_ATTRIB2_STRIDE,
               AMD_PACK(AMD_GFX10_3, CB_COLOR_ATTRIB2, .MIP0_WIDTH = SIZE - 1, .MIP0_HEIGHT = SIZE - 1));
    cp_reg_set(&rig->registers, AMD_REG_CB_COLOR_ATTRIB3_GFX10_3 + i * AMD_REG_CB_COLOR_ATTRIB3_STRIDE,
               AMD_PACK(AMD_GFX10_3, CB_COLOR_ATTRIB3, .COLOR_SW_MODE = AMD_SW_MODE_LINEAR,
                        .RESOURCE_TYPE = AMD_RESOURCE_TYPE_2D));
}

static void set_words(struct ge_rig *rig)
{
    for (uint32_t i = 0; i < TARGETS; i++)
        set_target(rig, i,
                   AMD_PACK(AMD_GFX10_3, CB_COLOR_INFO, .FORMAT = AMD_COLOR_FORMAT_32_32_32_32,
                            .NUMBER_TYPE = AMD_NUMBER_TYPE_UINT));
    SET(SPI_SHADER_COL_FORMAT, .COL0_EXPORT_FORMAT = AMD_EXPORT_FORMAT_32_ABGR,
        .COL1_EXPORT_FORMAT = AMD_EXPORT_FORMAT_32_ABGR, .COL2_EXPORT_FORMAT = AMD_EXPORT_FORMAT_32_ABGR,
        .COL3_EXPORT_FORMAT = AMD_EXPORT_FORMAT_32_ABGR);
    SET(CB_TARGET_MASK, .TARGET0_ENABLE = 15, .TARGET1_ENABLE = 15, .TARGET2_ENABLE = 15, .TARGET3_ENABLE = 15);
    SET(CB_SHADER_MASK, .OUTPUT0_ENABLE = 15, .OUTPUT1_ENABLE = 15, .OUTPUT2_ENABLE = 15, .OUTPUT3_ENABLE = 15);
    SET(CB_BLEND_CONTROL, .ENABLE = false);
}

static void set_bytes(struct ge_rig *rig, bool blends)
{
    set_target(
        rig, 0,
        AMD_PACK(AMD_GFX10_3, CB_COLOR_INFO, .FORMAT = AMD_COLOR_FORMAT_8_8_8_8, .NUMBER_TYPE = AMD_NUMBER_TYPE_UNORM));
    SET(SPI_SHADER_COL_FORMAT, .COL0_EXPORT_FORMAT = AMD_EXPORT_FORMAT_FP16_ABGR);
    SET(CB_TARGET_MASK, .TARGET0_ENABLE = 15);
    SET(CB_SHADER_MASK, .OUTPUT0_ENABLE = 15);
    SET(CB_BLEND_CONTROL, .ENABLE = blends, .COLOR_SRCBLEND = AMD_BLEND_FACTOR_SRC_ALPHA,
        .COLOR_DESTBLEND = AMD_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA);
}

/* Integers that are clamped to bytes. */
static void set_integers(struct ge_rig *rig, bool are_signed)
{
    set_target(rig, 0,
               AMD_PACK(AMD_GFX10_3, CB_COLOR_INFO, .FORMAT = AMD_COLOR_FORMAT_8_8_8_8,
                        .NUMBER_TYPE = are_signed ? AMD_NUMBER_TYPE_SINT : AMD_NUMBER_TYPE_UINT));
    SET(SPI_SHADER_COL_FORMAT,
        .COL0_EXPORT_FORMAT = are_signed ? AMD_EXPORT_FORMAT_SINT16_ABGR : AMD_EXPORT_FORMAT_UINT16_ABGR);
    SET(CB_TARGET_MASK, .TARGET0_ENABLE = 15);
    SET(CB_SHADER_MASK, .OUTPUT0_ENABLE = 15);
    SET(CB_BLEND_CONTROL, .ENABLE = false);
}

/* ---- programs ---- */

static unsigned vector(void)
{
    return 4 + random_below(12);
}

static unsigned ifs, ways; /* that are open; of branches by scalars */

/* Some lane may not be active that others of its quad or wave would look at. */
static bool is_divided(void)
{
    return ifs || rig.is_exact;
}

static unsigned scalar(void)
{
    return 12 + random_below(8);
}

/* One that may change here: where waves skip code, as compilers do it, one that is for this code alone. */
static unsigned own_scalar(void)
{
    return ifs && !rig.leaks ? 24 + random_below(4) : scalar();
}

#define ONE_OF(table) (table[random_below(ARRAY_SIZE(table))])

static void say_words(unsigned first, const uint32_t *words, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        random_say("s_mov_b32 s%u, 0x%x\n", first + i, words[i]);
}

/* The buffer's bytes as texels. */
static void say_image(void)
{
    const struct amd_desc_IMAGE image = {.BASE_ADDRESS = DATA_VA >> 8,
                                         .FORMAT = 56 /* 8_8_8_8_UNORM */,
                                         .WIDTH = 63,
                                         .HEIGHT = DATA_B / 256 - 1,
                                         .RESOURCE_LEVEL = true,
                                         .DST_SEL_X = AMD_DST_SEL_X,
                                         .DST_SEL_Y = AMD_DST_SEL_Y,
                                         .DST_SEL_Z = AMD_DST_SEL_Z,
                                         .DST_SEL_W = AMD_DST_SEL_W,
                                         .TYPE = AMD_IMG_TYPE_2D};
    const struct amd_desc_SAMPLER sampler = {
        .CLAMP_Y = AMD_TEX_CLAMP_CLAMP_LAST_TEXEL, .MAX_LOD = 0xfff, .XY_MAG_FILTER = AMD_TEX_FILTER_BILINEAR};
    uint32_t words[12];
    amd_pack_desc_IMAGE(AMD_GFX10_3, words, &image);
    amd_pack_desc_SAMPLER(AMD_GFX10_3, words + 8, &sampler);
    say_words(28, words, 12);
}

static void begin_case(uint64_t number)
{
    (void)number;
    rig.is_whole = random_below(2);
    rig.leaks = rig.is_whole && random_below(4) == 0;
    rig.width = rig.is_whole ? 32 : 11 + random_below(20);
    rig.height = rig.is_whole ? 16 : 7 + random_below(10);
    rig.is_one_word = random_below(3) == 0;
    rig.is_integer = random_below(4) == 0;
    rig.blends = random_below(2);
    rig.samples_log2 = rig.is_one_word ? random_below(2) * 2 : 0;
    rig.covers = rig.is_one_word && !rig.is_integer && random_below(3) == 0;
    rig.kills = random_below(4) == 0;
    rig.has_images = random_below(3) == 0;
    rig.stores = random_below(3) == 0;
    rig.is_exact = rig.stores && random_below(2);
    rig.exports_masks = random_below(8) == 0;
    rig.exports_depths = !rig.exports_masks && random_below(3) == 0;
    rig.compare = random_below(8);
    ifs = ways = 0;
    random_say("s_mov_b32 m0, s0\ns_mov_b64 s[20:21], exec\n%s"
               "s_mov_b32 s4, 0x%x\ns_mov_b32 s5, 0x%x\ns_mov_b32 s6, %u\ns_mov_b32 s7, 0x31016fac\n",
               rig.is_exact ? "" : "s_wqm_b64 exec, exec\n", (uint32_t)DATA_VA, (uint32_t)(DATA_VA >> 32), DATA_B);
    for (unsigned s = 12; s < 20; s++)
        random_say("s_mov_b32 s%u, 0x%x\n", s, random_interesting());
    if (rig.has_images)
        say_image();
    if (rig.stores)
        random_say("s_mov_b32 s60, 0x%x\ns_mov_b32 s61, 0x%x\ns_mov_b32 s62, %u\ns_mov_b32 s63, 0x31016fac\n"
                   "s_mov_b64 s[64:65], s[4:5]\n",
                   (uint32_t)OWN_VA, (uint32_t)(OWN_VA >> 32), OWN_B);
    random_say("v_interp_p1_f32 v4, v0, attr0.x\nv_interp_p2_f32 v4, v1, attr0.x\n"
               "v_interp_p1_f32 v5, v0, attr0.y\nv_interp_p2_f32 v5, v1, attr0.y\n"
               "v_cvt_u32_f32 v6, v2\nv_cvt_u32_f32 v7, v3\nv_lshl_add_u32 v8, v6, 7, v7\n");
    for (unsigned v = 9; v < 16; v++)
        random_say("v_mul_lo_u32 v%u, 0x%x, v%u\n", v, random_32() | 1, 6 + random_below(v - 6));
    random_say("v_mov_b32 v16, 0\nv_lshlrev_b32 v17, 2, v8\n");
}

/* The picture: the pixels that the program has not killed. */
static void end_case(void)
{
    if (rig.leaks)
        random_say("v_cndmask_b32 v4, v4, v5, vcc\n");
    for (unsigned i = 0; i < 4; i++)
        random_say("v_add_nc_u32 v%u, s%u, v%u\n", 4 + i, 12 + 2 * i, 4 + i);
    if (rig.kills)
        random_say("v_cmp_lt_u32 vcc, v%u, v%u\ns_andn2_b64 s[20:21], s[20:21], vcc\n", vector(), vector());
    random_say("s_and_b64 exec, exec, s[20:21]\n");
    if (rig.exports_masks)
        random_say("exp mrtz off, off, v%u, off\n", vector());
    if (rig.exports_depths)
        random_say("v_cvt_f32_ubyte0 v16, v%u\nv_mul_f32 v16, 0x3b800000, v16\nexp mrtz v16, off, off, off\n",
                   vector());
    if (rig.is_one_word) {
        random_say("v_cvt_pkrtz_f16_f32 v4, v4, v5\nv_cvt_pkrtz_f16_f32 v5, v6, v7\n"
                   "exp mrt0 v4, v4, v5, v5 done compr vm\ns_endpgm\n");
        return;
    }
    for (unsigned i = 0; i < TARGETS; i++)
        random_say("exp mrt%u v%u, v%u, v%u, v%u%s vm\n", i, i * 4, i * 4 + 1, i * 4 + 2, i * 4 + 3,
                   i == TARGETS - 1 ? " done" : "");
    random_say("s_endpgm\n");
}

static void add_scalar(void)
{
    static const char *const two[] = {
        "s_add_u32",  "s_sub_u32", "s_mul_i32", "s_and_b32", "s_or_b32",  "s_xor_b32",     "s_lshl_b32",  "s_lshr_b32",
        "s_ashr_i32", "s_min_u32", "s_max_i32", "s_bfe_u32", "s_bfm_b32", "s_absdiff_i32", "s_andn2_b32", "s_add_i32"};
    static const char *const compare[] = {"s_cmp_lt_u32", "s_cmp_ge_i32", "s_cmp_eq_u32", "s_cmp_lg_i32"};
    switch (random_below(8)) {
    case 0:
        random_say("%s s%u, s%u\ns_cselect_b32 s%u, s%u, s%u\n", ONE_OF(compare), scalar(), scalar(), own_scalar(),
                   scalar(), scalar());
        break;
    case 1:
        random_say("s_movk_i32 s%u, %d\n", own_scalar(), (int)random_below(60000) - 30000);
        break;
    case 2:
        random_say("s_buffer_load_dword s%u, s[4:7], 0x%x\n", own_scalar(), random_below(DATA_B / 4) * 4);
        break;
    default:
        random_say("%s s%u, s%u, s%u\n", ONE_OF(two), own_scalar(), scalar(), scalar());
    }
}

/* The payload of a NaN is the host's: no number is made of one. */
static void drop_nan(unsigned v)
{
    random_say("v_cmp_u_f32 s[22:23], v%u, v%u\nv_cndmask_b32 v%u, v%u, 1.0, s[22:23]\n", v, v, v, v);
}

static void add_float(void)
{
    static const char *const two[] = {"v_add_f32", "v_mul_f32", "v_max_f32", "v_sub_f32", "v_min_f32", "v_fmac_f32"};
    static const char *const three[] = {"v_fma_f32", "v_med3_f32"};
    static const char *const one[] = {"v_fract_f32", "v_rcp_f32", "v_sqrt_f32", "v_floor_f32", "v_exp_f32"};
    const unsigned v = vector(), x = vector(), y = vector();
    switch (random_below(8)) {
    case 0:
        random_say("v_cmp_%s_f32 vcc, v%u, v%u\n", random_below(2) ? "ge" : "u", x, y);
        return;
    case 1:
        random_say("v_interp_p1_f32 v%u, v0, attr0.%c\n", v, "xyzw"[random_below(4)]);
        break;
    case 2:
        random_say("v_mul_f32 v%u, s%u, v%u\n", v, scalar(), y);
        break;
    case 3:
        random_say("%s v%u, v%u, v%u, v%u\n", ONE_OF(three), v, x, y, vector());
        break;
    case 4:
        random_say("%s v%u, v%u\n", ONE_OF(one), v, x);
        break;
    default:
        random_say("%s v%u, v%u, v%u\n", ONE_OF(two), v, x, y);
    }
    drop_nan(v);
}

/* Samples at places between texels, by the quads' own derivatives where all lanes run; texels by their numbers. */
static void add_image(void)
{
    const unsigned count = 1 + random_below(2), to = 4 + random_below(13 - count), at = 4 + random_below(11);
    const char *const sample = is_divided() ? "image_sample_lz" : "image_sample";
    if (random_below(2)) {
        random_say("%s v[%u:%u], v[%u:%u], s[28:35], s[36:39] dmask:0x%x dim:SQ_RSRC_IMG_2D\n", sample, to,
                   to + count - 1, at, at + 1, count * 2 - 1);
        return;
    }
    random_say("v_and_b32 v%u, 0x%x, v%u\nv_and_b32 v%u, 31, v%u\n", at, random_below(2) ? 63 : 127, vector(), at + 1,
               vector());
    random_say("image_load v[%u:%u], v[%u:%u], s[28:35] dmask:0x%x dim:SQ_RSRC_IMG_2D unorm\n", to, to + count - 1, at,
               at + 1, count * 2 - 1);
}

static void add_double(void)
{
    static const char *const two[] = {"v_add_f64", "v_mul_f64", "v_max_f64"};
    random_say("v_cvt_f64_u32 v[18:19], v%u\nv_cvt_f64_i32 v[20:21], v%u\n%s v[18:19], v[18:19], v[20:21]\n", vector(),
               vector(), ONE_OF(two));
    if (random_below(2))
        random_say("v_cmp_lt_f64 vcc, v[18:19], v[20:21]\n");
    random_say("v_cvt_u32_f64 v%u, v[18:19]\n", vector());
}

/* Instructions that read other lanes: where the waves are the same on both ways. */
static void add_lanes(void)
{
    if (!rig.is_whole)
        return;
    switch (random_below(3)) {
    case 0:
        random_say("ds_swizzle_b32 v%u, v%u offset:0x%x\n", vector(), vector(), 0x401f + (random_below(32) << 10));
        break;
    case 1:
        if (!is_divided())
            random_say("v_mov_b32_dpp v%u, v%u row_ror:%u row_mask:0xf bank_mask:0xf\n", vector(), vector(),
                       1 + random_below(15));
        break;
    default:
        if (!is_divided())
            random_say("v_readlane_b32 s25, v%u, %u\nv_xor_b32 v%u, s25, v%u\n", vector(), random_below(64), vector(),
                       vector());
    }
}

/* Stores and atomics: to words that a pixel has for itself, or such whose order does not matter; loads of them. */
static void add_own(void)
{
    switch (random_below(8)) {
    case 0:
        random_say("buffer_atomic_add v%u, v17, s[60:63], 0 offen glc\n", vector());
        break;
    case 1:
        random_say("v_and_b32 v16, 0xfc, v%u\nv_or_b32 v16, 0x%x, v16\nbuffer_atomic_xor v%u, v16, s[60:63], 0 offen\n",
                   vector(), SHARED_B, vector());
        break;
    case 2:
        random_say("buffer_load_dword v%u, v17, s[60:63], 0 offen\n", vector());
        break;
    case 3:
        random_say("v_and_b32 v16, 0xffc, v%u\nglobal_load_dword v%u, v16, s[64:65]\n", vector(), vector());
        break;
    case 4:
        add_double();
        break;
    case 5:
        add_lanes();
        break;
    default:
        random_say("buffer_store_dword v%u, v17, s[60:63], 0 offen\n", vector());
    }
}

static void add_vector(void)
{
    static const char *const two[] = {"v_add_nc_u32", "v_xor_b32", "v_lshrrev_b32", "v_max_u32",
                                      "v_min_i32",    "v_and_b32", "v_sub_nc_u32",  "v_mul_lo_u32"};
    static const char *const three[] = {"v_add3_u32", "v_xad_u32", "v_bfi_b32", "v_lshl_add_u32"};
    static const char *const one[] = {"v_cvt_f32_u32", "v_cvt_f32_ubyte1", "v_bfrev_b32", "v_mov_b32", "v_not_b32"};
    static const char *const quads[] = {"1,0,3,2", "2,3,0,1", "0,0,2,2", "0,0,0,0"};
    if (rig.has_images && random_below(12) == 0) {
        add_image();
        return;
    }
    if (rig.stores && random_below(12) == 0) {
        add_own();
        return;
    }
    switch (random_below(14)) {
    case 0:
        random_say("v_cmp_lt_u32 vcc, v%u, v%u\n", vector(), vector());
        break;
    case 1:
        random_say("v_cmp_gt_i32 vcc, v%u, v%u\nv_cndmask_b32 v%u, v%u, v%u, vcc\n", vector(), vector(), vector(),
                   vector(), vector());
        break;
    case 2:
        if (ifs)
            random_say("s_movk_i32 s24, %u\nv_add_nc_u32 v%u, s24, v%u\n", random_below(100), vector(), vector());
        else
            random_say("v_add_nc_u32 v%u, s%u, v%u\n", vector(), scalar(), vector());
        break;
    case 3:
        random_say("v_and_b32 v16, 0xffc, v%u\nbuffer_load_dword v%u, v16, s[4:7], 0 offen\n", vector(), vector());
        break;
    case 4: /* of lanes that are active, too */
        if (!is_divided())
            random_say("v_mov_b32_dpp v%u, v%u quad_perm:[%s] row_mask:0xf bank_mask:0xf\n", vector(), vector(),
                       ONE_OF(quads));
        break;
    case 5:
        random_say("%s v%u, v%u, v%u, v%u\n", ONE_OF(three), vector(), vector(), vector(), vector());
        break;
    case 6:
        random_say("%s v%u, v%u\n", ONE_OF(one), vector(), vector());
        break;
    case 7:
    case 8:
    case 9:
        add_float();
        break;
    default:
        random_say("%s v%u, v%u, v%u\n", ONE_OF(two), vector(), vector(), vector());
    }
}

/* Short: a joined program has room for so many scalars, and stops at the first instruction that does not fit. */
static void straight(unsigned count)
{
    for (unsigned i = 0; i < (count + 2) / 3; i++) {
        if (random_below(8))
            add_vector();
        else
            add_scalar();
    }
}

/* A branch by a scalar that all waves have in common: such programs have no memory that they write. */
static void memory(void)
{
    const unsigned id = ways++;
    random_say("s_cmp_lt_u32 s%u, s%u\ns_cbranch_scc%u L_way%u\n", scalar(), scalar(), random_below(2), id);
    for (unsigned i = 0; i < 3; i++)
        add_vector();
    random_say("L_way%u:\n", id);
}

static void open_if(unsigned depth, unsigned id)
{
    random_say("v_cmp_lt_u32 vcc, v%u, v%u\ns_and_saveexec_b64 s[%u:%u], vcc\n", random_below(2) ? vector() : 8,
               vector(), 40 + 2 * depth, 41 + 2 * depth);
    if (random_below(3))
        random_say("s_cbranch_execz L_other%u\n", id);
    ifs++;
}

static void other(unsigned depth, unsigned id)
{
    random_say("L_other%u:\ns_andn2_b64 exec, s[%u:%u], exec\n", id, 40 + 2 * depth, 41 + 2 * depth);
    if (random_below(3))
        random_say("s_cbranch_execz L_end%u\n", id);
}

static void close_if(unsigned depth, unsigned id, bool has_other)
{
    random_say("%s%u:\ns_mov_b64 exec, s[%u:%u]\n", has_other ? "L_end" : "L_other", id, 40 + 2 * depth,
               41 + 2 * depth);
    ifs--;
}

/* ---- both ways ---- */

static bool draw(unsigned way)
{
    struct ge_rig *one = &rig.rigs[way];
    struct ge_result result;
    struct isa_asm_result assembled;
    if (!amd_isa_assemble(ISA_GFX10_3, 64, random_text(), strlen(random_text()), &assembled))
        return random_differs("line %u: %s", assembled.errors[0].line, assembled.errors[0].message);
    const uint32_t count_dw = assembled.count_dw;
    if (count_dw * 4 <= CODE_B)
        memcpy(ge_rig_at(one, CODE_VA + 4096), assembled.words, count_dw * 4);
    amd_isa_asm_finish(&assembled);
    if (count_dw * 4 > CODE_B)
        return random_differs("%u dwords", count_dw);
    if (rig.is_one_word && rig.is_integer)
        set_integers(one, rig.blends /* signed */);
    else if (rig.is_one_word)
        set_bytes(one, rig.blends);
    else
        set_words(one);
    set_samples(one, rig.samples_log2);
    set_coverage(one, rig.covers, rig.samples_log2);
    cp_reg_set(&one->registers, AMD_REG_PA_SC_GENERIC_SCISSOR_BR_GFX10_3,
               AMD_PACK(AMD_GFX10_3, PA_SC_GENERIC_SCISSOR_BR, .BR_X = rig.width, .BR_Y = rig.height));
    cp_reg_set(&one->registers, AMD_REG_DB_SHADER_CONTROL_GFX10_3,
               AMD_PACK(AMD_GFX10_3, DB_SHADER_CONTROL,
                        .Z_ORDER = rig.exports_depths ? AMD_Z_ORDER_LATE_Z : AMD_Z_ORDER_EARLY_Z_THEN_LATE_Z,
                        .KILL_ENABLE = rig.kills, .MASK_EXPORT_ENABLE = rig.exports_masks,
                        .Z_EXPORT_ENABLE = rig.exports_depths));
    cp_reg_set(&one->registers, AMD_REG_SPI_SHADER_Z_FORMAT,
               AMD_PACK(AMD_GFX10_3, SPI_SHADER_Z_FORMAT,
                        .Z_EXPORT_FORMAT = rig.exports_masks || rig.exports_depths ? AMD_EXPORT_FORMAT_32_ABGR
                                                                                   : AMD_EXPORT_FORMAT_ZERO));
    cp_reg_set(&one->registers, AMD_REG_DB_DEPTH_CONTROL,
               AMD_PACK(AMD_GFX10_3, DB_DEPTH_CONTROL, .Z_ENABLE = rig.exports_depths,
                        .Z_WRITE_ENABLE = rig.exports_depths, .ZFUNC = rig.compare));
    memset(ge_rig_at(one, OWN_VA), 0, OWN_B);
    for (unsigned i = 0; i < ARRAY_SIZE(rig.codes[way]); i++) {
        amd_sq_code_validate(rig.codes[way][i]);
        memset(&amd_sq_code_exec(rig.codes[way][i])->counts, 0, sizeof(struct exec_counts));
    }
    for (unsigned i = 0; i < DRAWS; i++) {
        memset(ge_rig_at(one, TARGET_VA), 0x5a, TARGETS * TARGET_B);
        for (uint32_t word = 0; word < (uint32_t)(SIZE * SIZE) << rig.samples_log2; word++)
            ((float *)ge_rig_at(one, DEPTH_VA))[word] = (float)(word * 37 % 256) / 256;
        if (!ge_rig_draw(one, 3, 1, false, &result))
            return random_differs("%s: %s", way ? "joined" : "in the interpreter", result.why);
    }
    return true;
}

static bool run_program(void)
{
    for (unsigned way = 0; way < WAYS; way++) {
        if (!draw(way))
            return false;
    }
    const uint32_t *targets[WAYS] = {ge_rig_at(&rig.rigs[0], TARGET_VA), ge_rig_at(&rig.rigs[1], TARGET_VA)};
    const uint32_t words = rig.is_one_word ? 1 : 4;
    for (uint32_t i = 0; i < TARGETS * TARGET_B / 4; i++) {
        const uint32_t pixel = i % (TARGET_B / 4) / words;
        if (targets[0][i] != targets[1][i])
            return random_differs("target %u, pixel %u %u, word %u: %08x, joined %08x", i / (TARGET_B / 4),
                                  pixel % SIZE, pixel / SIZE, i % words, targets[0][i], targets[1][i]);
    }
    if (memcmp(ge_rig_at(&rig.rigs[0], DEPTH_VA), ge_rig_at(&rig.rigs[1], DEPTH_VA),
               (SIZE * SIZE * 4) << rig.samples_log2) != 0)
        return random_differs("depths");
    const uint32_t *own[WAYS] = {ge_rig_at(&rig.rigs[0], OWN_VA), ge_rig_at(&rig.rigs[1], OWN_VA)};
    for (uint32_t i = 0; i < OWN_B / 4; i++) {
        if (own[0][i] != own[1][i])
            return random_differs("word %u of the buffer: %08x, joined %08x", i, own[0][i], own[1][i]);
    }
    return true;
}

static const struct exec_counts *counts(void)
{
    memset(&rig.counts, 0, sizeof(rig.counts));
    for (unsigned i = 0; i < ARRAY_SIZE(rig.codes[1]); i++) {
        const struct exec_counts *own = &amd_sq_code_exec(rig.codes[1][i])->counts;
        rig.counts.runs += own->runs + own->wholes;
        rig.counts.wholes += own->wholes;
    }
    return &rig.counts;
}

const struct random_isa random_isa = {
    .name = "ps",
    .setup = setup,
    .teardown = teardown,
    .begin = begin_case,
    .end = end_case,
    .straight = straight,
    .memory = memory,
    .open_if = open_if,
    .other = other,
    .close_if = close_if,
    .run = run_program,
    .counts = counts,
    .has_wholes = true,
    .has_no_loops = true,
};
