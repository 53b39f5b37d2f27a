/* Random programs of Valhall for model/exec/tests/random_code.h. r0 is the lane; r2 and r4 are addresses of two regions
 * of memory that are far from each other, r6 that of the lane's own bytes; r8 to r19 are integers, r24 to r29 floats,
 * r32 to r35 halves of floats; r38 to r43 are of shuffles; r44 and r46 count rounds, r48 and r50 say how many; r52
 * decides; r54 and r56 are addresses.
 *
 * Programs without loops run as a whole, too (whole.h): r6 comes from r60 or r55 there, and some do nothing but move
 * memory, for several rows of lanes.
 *
 * Which NaN an operation makes is the host's: nothing reads floats as integers. */
#include <stdio.h>
#include <string.h>

#include "mali/model/sc/code.h"
#include "mali/model/sc/tests/random_join.h"
#include "mali/model/sc/tests/rig.h"
#include "mali/model/sc/whole.h"
#include "model/exec/tests/random_code.h"

#define FAR_VA (RIG_VA + 0x40000) /* another view of the data */
#define DATA_B 0x4000u            /* that is read alone */
#define OWN_B 0x8000u             /* where lanes have 64 bytes each */
#define OWN_SIZE_B 0x2400u        /* that is stored to: those, and what moves reach */
#define MOVE_ROWS 3               /* of programs that move memory */
#define TABLE_B 0x6000u           /* of descriptors */

static struct mali_warp *warps[2];      /* by micro-operations, with host code */
static uint32_t own[5][OWN_SIZE_B / 4]; /* also as a whole, moved, and joined */
static uint64_t lanes;
static uint32_t from;
static bool is_whole, is_move, has_stored, has_quads;

#define ONE_OF(table) (table[random_below(sizeof(table) / sizeof(table[0]))])

static void memory(void);

static bool setup(void)
{
    if (mali_rig_setup(NULL) != 0 ||
        gpu_space_map_file(&mali_rig.space, FAR_VA, 0x10000, mali_rig.fd, RIG_DATA_VA - RIG_VA, GPU_PERM_RWX) != 0)
        return false;
    struct exec_code *plain = mali_sc_code_exec(mali_sc_core(mali_rig.queue, 1)->code);
    jit_destroy(plain->jit);
    plain->jit = NULL;
    return true;
}

static void teardown(void)
{
    mali_rig_teardown(NULL);
}

/* A copy, or a fill, of lanes up to some limit, each of which has 4, 8 or 16 bytes, or of words apart. */
static void add_move(void)
{
    static const char *const data[] = {"i32%s @r8", "i64%s @r8:r9", "i128%s @r8:r9:r10:r11"};
    const unsigned size = random_below(3), limit = random_below(256), gap = random_below(8) == 0;
    char load[64], store[64];
    snprintf(load, sizeof(load), data[size], ".unsigned.slot0");
    snprintf(store, sizeof(store), data[size], ".slot0");
    random_say("IADD_IMM.i32 r18, r60, #0x%x\n", random_below(4) ? 0 : random_below(64));
    random_say("IADD_IMM.i32 r19, 0x0, #0x0\nIADD_IMM.i32 r16, 0x0, #0x%x\n", limit);
    random_say("ICMP_OR.u32.%s.m1 r52, r18, r16, 0x0\n", random_below(4) ? "lt" : "ge");
    if (random_below(3))
        random_say("BRANCHZ.eq.reconverge r52, offset:done\n");
    random_say("SHADDX.s64 r14, u14, r18, shift:0x%x\nSHADDX.s64 r12, r2, r18, shift:0x%x\n", 2 + size + gap,
               random_below(8) ? 2 + size : 0);
    for (unsigned i = 0; i < 4; i++)
        random_say("IADD_IMM.i32 r%u, 0x0, #0x%x\n", 8 + i, random_interesting());
    if (random_below(3))
        random_say("LOAD.%s, %s, offset:%u\n", load, random_below(16) ? "r12" : "r14", random_below(16) * 4);
    random_say("STORE.%s, r14, offset:%u\n", store, random_below(8) * 4);
    random_say("NOP.reconverge\ndone: NOP\n");
}

static void begin_case(uint64_t number)
{
    is_whole = number % 3 == 0;
    is_move = is_whole && random_below(4) == 0;
    has_stored = false;
    lanes = is_whole || random_below(3) ? UINT64_MAX : ((uint64_t)random_32() << 32 | random_32() | 1);
    has_quads = !is_whole && random_below(2);
    for (unsigned i = 0; i < 64 && has_quads; i += 4) /* whole ones, as rasterisers make them */
        lanes = (lanes & ~(15ull << i)) | (lanes >> i & 1 ? 15ull << i : 0);
    from = random_32();
    if (is_move)
        add_move();
    else if (is_whole && random_below(2))
        random_say("SHADDX.s64 r6, u14, r60, shift:0x6\n");
    else if (is_whole)
        random_say("U16_TO_U32 r6, r55.h00\nIADD_IMM.i32 r7, 0x0, #0x0\nSHADDX.s64 r6, u14, r6, shift:0x6\n");
}

static void end_case(void)
{
    random_say("NOP.end\n");
}

static unsigned integer(void)
{
    return 8 + random_below(12);
}

static unsigned number(void)
{
    return 24 + random_below(6);
}

static unsigned halves(void)
{
    return 32 + random_below(4);
}

static void add_integer(void)
{
    static const char *const two[] = {"IADD.u32", "ISUB.u32", "IMUL.i32", "IADD.v2u16", "ISUB.v2s16"};
    static const char *const shift[] = {"LSHIFT_OR.i32",  "LSHIFT_XOR.i32", "LSHIFT_AND.i32",
                                        "RSHIFT_XOR.i32", "RSHIFT_OR.i32",  "RSHIFT_AND.i32"};
    static const char *const select[] = {"CSEL.u32.gt", "CSEL.s32.lt", "CSEL.u32.eq"};
    static const char *const one[] = {"CLZ.u32", "POPCOUNT.i32", "BITREV.i32", "IABS.s32"};
    static const char *const compare[] = {"ICMP_OR.u32.lt.m1", "ICMP_OR.s32.ge.i1", "ICMP_OR.u32.ne.i1"};
    static const char *const part[] = {"", ".h0", ".h1", ".b0", ".b3"};
    /* Values that each lane has of its own leave a program to warps. */
    static const char *const special[] = {"workgroup_local_pointer.w0", "workgroup_local_pointer.w1",
                                          "thread_local_pointer.w0", "thread_local_pointer.w1", "warp_id.w0"};
    switch (random_below(9)) {
    case 0:
        random_say("%s r%u, r%u, r%u.b%s, r%u\n", ONE_OF(shift), integer(), integer(), integer(),
                   random_below(2) ? "00" : "22", integer());
        break;
    case 1:
        random_say("%s r%u, r%u, r%u, r%u, r%u\n", ONE_OF(select), integer(), integer(), integer(), integer(),
                   integer());
        break;
    case 2:
        random_say("%s r%u, r%u\n", ONE_OF(one), integer(), integer());
        break;
    case 3:
        random_say("%s r%u, r%u, r%u, 0x0\n", ONE_OF(compare), integer(), integer(), integer());
        break;
    case 4:
        random_say("IADD_IMM.i32 r%u, r%u, #0x%x\n", integer(), integer(), random_interesting());
        break;
    case 5:
        random_say("IADD.u32 r%u, r%u%s, r%u%s\n", integer(), integer(), ONE_OF(part), integer(), ONE_OF(part));
        break;
    case 6:
        random_say("IADD.u32 r%u, r%u, u%u\n", integer(), integer(), random_below(8));
        break;
    case 7:
        random_say("IADD.u32 r%u, %s, r%u\n", integer(),
                   is_whole && random_below(16) ? special[random_below(2)] : ONE_OF(special), integer());
        break;
    default:
        random_say("%s r%u, r%u, r%u\n", ONE_OF(two), integer(), integer(), integer());
    }
}

/* All parts of a logarithm, as compilers write it, of a number that may have been clamped, and the power that is made
 * of it. */
static void add_whole_power(void)
{
    static const char *const clamps[] = {"", ".clamp_0_1", ".clamp_0_1", ".clamp_0_inf", ".clamp_m1_1"};
    const unsigned x = number(), exponent = integer(), fraction = number(), slope = number(), power = number();
    random_say("FADD.f32%s r%u, r%u, r%u\n", ONE_OF(clamps), x, number(), number());
    random_say("FREXPE.f32.log r%u, r%u\n", exponent, x);
    random_say("FADD_LSCALE.f32 r%u, 0x3F800000.neg, r%u\n", fraction, x);
    random_say("FLOGD.f32 r%u, r%u\n", slope, x);
    random_say("FMA_RSCALE.f32 r%u, r%u, r%u, 0x0.neg, r%u\n", power, slope, fraction, exponent);
    random_say("F32_TO_S32 r%u, r%u\n", exponent, power);
    random_say("FEXP.f32 r%u, r%u, r%u\n", power, exponent, power);
}

/* Parts of logarithms, powers and roots. */
static void add_power(void)
{
    static const char *const one[] = {"FREXPM.f32", "FREXPM.f32.log", "FREXPM.f32.sqrt",
                                      "FLOGD.f32",  "FRCP.f32",       "FRSQ.f32"};
    static const char *const exponent[] = {"FREXPE.f32", "FREXPE.f32.log", "FREXPE.f32.sqrt"};
    switch (random_below(7)) {
    case 0:
        random_say("%s r%u, r%u\n", ONE_OF(exponent), integer(), number());
        break;
    case 1:
        random_say("FADD_LSCALE.f32 r%u, r%u, r%u\n", number(), number(), number());
        break;
    case 2:
        random_say("FEXP.f32 r%u, r%u, r%u\n", number(), integer(), number());
        break;
    case 3:
        random_say("LDEXP.f32 r%u, r%u, r%u\n", number(), number(), integer());
        break;
    case 5:
        add_whole_power();
        break;
    case 4:
        random_say("FMA_RSCALE.f32 r%u, r%u, r%u, r%u, r%u\n", number(), number(), number(), number(), integer());
        break;
    default:
        random_say("%s r%u, r%u\n", ONE_OF(one), number(), number());
    }
}

static void add_float(void)
{
    static const char *const two[] = {"FADD.f32", "FMIN.f32", "FMAX.f32"};
    static const char *const sign[] = {"", ".neg", ".abs"};
    switch (random_below(8)) {
    case 0:
        random_say("FMA.f32 r%u, r%u, r%u, r%u%s\n", number(), number(), number(), number(), ONE_OF(sign));
        break;
    case 1:
        random_say("FADD.v2f16 r%u, r%u, r%u\n", halves(), halves(), halves());
        break;
    case 2:
        random_say("FMA.v2f16 r%u, r%u, r%u, r%u\n", halves(), halves(), halves(), halves());
        break;
    case 3:
        random_say("U32_TO_F32 r%u, r%u\n", number(), integer());
        break;
    case 4:
        random_say("F32_TO_S32 r%u, r%u\n", integer(), number());
        break;
    case 5:
    case 6:
        add_power();
        break;
    default:
        random_say("%s r%u, r%u%s, r%u\n", ONE_OF(two), number(), number(), ONE_OF(sign), number());
    }
}

/* Of what nothing stores to: by the address of either region, or of the one that the lane chooses; of a buffer. */
static void add_load(void)
{
    static const char *const sizes[] = {"i32.unsigned.slot0 @r%u", "i64.unsigned.slot0 @r%u:r%u",
                                        "i128.unsigned.slot0 @r%u:r%u:r%u:r%u"};
    const unsigned d = 8 + 4 * random_below(3), size = random_below(3);
    char data[64];
    snprintf(data, sizeof(data), sizes[size], d, d + 1, d + 2, d + 3);
    if (is_whole || random_below(3) == 0) { /* beside stores nothing is known of other addresses */
        random_say("LSHIFT_AND.i32 r54, r%u, 0x0.b00, u8\n", integer());
        random_say("LD_BUFFER.%s, r54, %s\n", data, random_below(2) ? "u9" : "0x0");
        return;
    }
    random_say("LSHIFT_AND.i32 r54, r%u, 0x0.b00, u8\n", integer()); /* a multiple of 4 in the region */
    const unsigned base = random_below(2) ? 2 : 4;
    if (random_below(8) == 0) {
        random_say("CSEL.u32.gt r56, r%u, r%u, r2, r4\nCSEL.u32.eq r57, 0x0, 0x0, r3, r5\n", integer(), integer());
        random_say("IADD.u64 r56, r56, r54.w0\n");
    } else {
        random_say("IADD.u64 r56, r%u, r54.w0\n", base);
    }
    random_say("LOAD.%s, r56, offset:%u\n", data, random_below(16) * 4);
}

/* The loop that compilers make of a shuffle by numbers that differ (sc/shuffle.c). r42 and r43 stay as they are. */
static void add_shuffle(void)
{
    const unsigned wanted = random_below(4) ? 41 : 43, read = random_below(2) ? 42 : integer(), result = integer();
    const unsigned t = 38, u = 39, v = 40;
    /* Lanes that leave may overwrite what only they look at. */
    const unsigned last = random_below(2) ? result : integer(), is_more = wanted == 41 && random_below(2) ? 41 : u;
    if (wanted == 41)
        random_say("LSHIFT_AND.i32 r41, r%u, 0x0.b00, u13\n", integer());
    random_say("NOP.reconverge\nWMASK r%u, 0xFFFFFFFF\nISUB.s32 r%u, 0x0, r%u\n", t, u, t);
    random_say("LSHIFT_AND.i32 r%u, r%u, 0x0.b00, r%u\nCLZ.u32 r%u, r%u\n", t, t, u, t, t);
    random_say("ISUB.u32 r%u, 0x1F1E1D1C.b3, r%u\nCLPER.i32 r%u, lane_id.w0, r%u.b00\n", t, t, u, t);
    random_say("ICMP_OR.u32.eq.m1 r%u, r%u, r%u, 0x0\nCLPER.i32 r%u, r%u, r%u.b00\n", u, wanted, u, v, read, t);
    random_say("CSEL.u32.eq r%u, r%u, 0x0, r%u, r%u\n", result, u, result, v);
    random_say("ICMP_OR.u32.eq.m1 r%u, lane_id.w0, r%u, 0x0\n", u, t);
    random_say("CLPER.i32 r%u, r%u, r%u.b00\nCLPER.i32 r%u, r%u, r%u.b00\n", t, wanted, t, t, read, t);
    random_say("BRANCHZ.eq.reconverge r%u.h0, offset:3\nICMP_OR.u32.lt.m1 r%u, lane_id.w0, r%u, 0x0\n", u, is_more,
               wanted);
    random_say("CSEL.u32.eq r%u, r%u, 0x0, r%u, r%u\n", last, is_more, result, t);
    random_say("BRANCHZ.eq 0x0, offset:1\nBRANCHZ.eq.reconverge 0x0, offset:-17\n");
}

/* Another lane's value in the quad, by a number that all have. */
static void add_quad(void)
{
    static const char *const kinds[] = {".subgroup4.xor", ".subgroup4", ".subgroup2.xor", ".subgroup2"};
    random_say("CLPER.i32%s r%u, r%u, 0x3020100.b%s\n", ONE_OF(kinds), integer(), integer(),
               random_below(2) ? "11" : "22");
}

/* A register whose last reader says so, which is then loaded, and read again. */
static void add_last_use(void)
{
    const unsigned t = 36 + random_below(2);
    random_say("IADD.u32 r%u, r%u, r%u\nLSHIFT_XOR.i32 r%u, r%u, 0x0.b00, ^r%u\n", t, integer(), integer(), integer(),
               integer(), t);
    if (is_whole || random_below(2))
        random_say("LSHIFT_AND.i32 r54, r%u, 0x0.b00, u8\nLD_BUFFER.i32.unsigned.slot0 @r%u, ^r54, u9\n", integer(), t);
    else
        random_say("LOAD.i32.unsigned.slot0 @r%u, r2, offset:%u\n", t, random_below(64) * 4);
    random_say("IADD.u32 r%u, r%u, r%u\n", integer(), integer(), t);
    if (random_below(2))
        memory();
    random_say("IADD.u32 r%u, r%u, ^r%u\n", integer(), integer(), t);
}

static void straight(unsigned count)
{
    if (is_move)
        return;
    for (unsigned i = 0; i < (is_whole ? (count + 3) / 4 : count); i++) { /* all of it is one lane program */
        if (!is_whole && random_below(100) == 0)
            add_shuffle();
        if (has_quads && random_below(20) == 0)
            add_quad();
        switch (random_below(9)) {
        case 8:
            add_last_use();
            break;
        case 0:
        case 1:
            add_float();
            break;
        case 2:
            add_load();
            break;
        default:
            add_integer();
        }
    }
}

/* Stores of whole programs: of a word or several; of a buffer that ends in the last lanes' bytes. */
static void whole_memory(void)
{
    static const char *const sizes[] = {"i32.slot0 @r12", "i64.slot0 @r12:r13", "i128.slot0 @r12:r13:r14:r15"};
    if (is_move || random_below(2))
        return;
    if (!has_stored && random_below(2)) {
        random_say("LOAD.i32.unsigned.slot0 @r%u, r6, offset:%u\n", integer(), random_below(15) * 4);
        return;
    }
    has_stored = true;
    if (random_below(3) == 0) {
        random_say("LSHIFT_OR.i32 r54, r60, 0x7060504.b22, 0x0\nIADD_IMM.i32 r54, r54, #0x%x\n", random_below(12) * 4);
        random_say("%s\nSTORE.%s, r54, offset:0\n",
                   random_below(2) ? "LEA_BUFFER.slot2 @r54:r55, r54, u16"
                                   : "MOV.i32 r55, u16\nLEA_BUFFER.slot2 @r54:r55, ^r54, ^r55",
                   sizes[random_below(4) ? 0 : 1 + random_below(2)]);
        return;
    }
    random_say("STORE.%s, r6, offset:%u\n", sizes[random_below(4) ? 0 : 1 + random_below(2)], random_below(12) * 4);
}

static void memory(void)
{
    const unsigned offset = random_below(15) * 4;
    if (is_whole) {
        whole_memory();
        return;
    }
    switch (random_below(4)) {
    case 0:
        random_say("LOAD.i32.unsigned.slot0 @r%u, r6, offset:%u\n", integer(), offset);
        break;
    case 1:
        random_say("ATOM_RETURN.i32.slot0.aadd @r%u, @r%u, r6, offset:0x%x\n", integer(), integer(), offset);
        break;
    default:
        random_say("STORE.i32.slot0 @r%u, r6, offset:%u\n", integer(), offset);
    }
}

static void open_if(unsigned depth, unsigned id)
{
    (void)depth;
    random_say("ICMP_OR.u32.lt.m1 r52, r%u, r%u, 0x0\nBRANCHZ.eq.reconverge r52, offset:other%u\n", integer(),
               integer(), id);
}

static void other(unsigned depth, unsigned id)
{
    (void)depth;
    random_say("BRANCHZ.eq.reconverge 0x0, offset:end%u\nother%u: NOP\n", id, id);
}

static void close_if(unsigned depth, unsigned id, bool has_other)
{
    (void)depth;
    random_say("NOP.reconverge\n%s%u: NOP\n", has_other ? "end" : "other", id);
}

static void open_loop(unsigned depth, unsigned id, bool is_own)
{
    random_say("IADD_IMM.i32 r%u, 0x0, #0x0\n", 44 + 2 * depth);
    if (is_own)
        random_say("LSHIFT_AND.i32 r%u, r%u, 0x0.b00, u10\n", 48 + 2 * depth, integer());
    else
        random_say("IADD_IMM.i32 r%u, 0x0, #0x%x\n", 48 + 2 * depth, random_below(6));
    random_say("again%u: ICMP_OR.u32.ge.m1 r52, r%u, r%u, 0x0\nBRANCHZ.reconverge r52, offset:out%u\n", id,
               44 + 2 * depth, 48 + 2 * depth, id);
}

static void leave_block(unsigned depth, unsigned id)
{
    random_say("ICMP_OR.u32.eq.m1 r52, r%u, u%u, 0x0\nBRANCHZ.reconverge r52, offset:out%u\n", 44 + 2 * depth,
               11 + random_below(2), id);
}

static void close_loop(unsigned depth, unsigned id, bool is_own)
{
    (void)is_own;
    random_say("IADD_IMM.i32 r%u, r%u, #0x1\nBRANCHZ.eq.reconverge 0x0, offset:again%u\nout%u: NOP.reconverge\n",
               44 + 2 * depth, 44 + 2 * depth, id, id);
}

/* ---- both ways ---- */

static void fill_memory(void)
{
    uint32_t *data = mali_rig_data();
    for (unsigned i = 0; i < DATA_B / 4 + 64; i++)
        data[i] = i * 2654435761u;
    uint32_t *table = data + TABLE_B / 4;
    memset(table, 0, 1024);
    const uint64_t table_va = RIG_DATA_VA + TABLE_B + 256, buffer_va = RIG_DATA_VA + 64;
    for (unsigned i = 0; i < 3; i += 2) { /* the first and the third table, and entries of them */
        uint32_t *descriptor = table + 64 + i * 8;
        table[i * 4] = (uint32_t)table_va;
        table[i * 4 + 1] = (uint32_t)(table_va >> 32) | 1u << 24;
        table[i * 4 + 2] = 96;
        descriptor[0] = 9 | 1 << 4; /* a simple buffer */
        descriptor[1] = 0x3000;
        descriptor[2] = (uint32_t)buffer_va;
        descriptor[3] = (uint32_t)(buffer_va >> 32);
    }
    const uint64_t own_va = RIG_DATA_VA + OWN_B;
    const uint32_t words[] = {9 | 1 << 4, MALI_ROW_LANES * 64 - 168, (uint32_t)own_va, (uint32_t)(own_va >> 32)};
    memcpy(table + 64 + 8, words, sizeof(words));
}

static void fill_launch(void)
{
    mali_rig_launch(MALI_STAGE_COMPUTE);
    mali_rig.launch.resources_va = RIG_DATA_VA + TABLE_B;
    mali_rig.launch.resource_count = 3;
    const uint32_t constants[] = {0x3ffc, 0x2000002, 3, 2, 4, 31};
    mali_rig.launch.fau_count = 18;
    for (unsigned i = 0; i < 8; i++)
        mali_rig.launch.fau[i] = i * 0x9e3779b9u;
    memcpy(mali_rig.launch.fau + 8, constants, sizeof(constants));
    mali_rig.launch.fau[16] = 1; /* the handle of the own bytes */
    mali_rig.launch.fau[14] = (uint32_t)(RIG_DATA_VA + OWN_B);
    mali_rig.launch.fau[15] = (uint32_t)((RIG_DATA_VA + OWN_B) >> 32);
    mali_launch_changed(&mali_rig.launch);
}

static void write_pair(struct mali_warp *warp, unsigned reg, unsigned lane, uint64_t value)
{
    mali_warp_row(warp, reg)[lane] = (uint32_t)value;
    mali_warp_row(warp, reg + 1)[lane] = (uint32_t)(value >> 32);
}

static void fill_registers(struct mali_warp *warp, uint32_t row)
{
    uint32_t x = from;
    for (unsigned reg = 8; reg < 58; reg++) {
        for (unsigned i = 0; i < MALI_ROW_LANES; i++) {
            x = x * 1664525u + 1013904223u;
            mali_warp_row(warp, reg)[i] = (x ^ x >> 15) >> (x >> 27);
        }
    }
    for (unsigned i = 0; i < MALI_ROW_LANES; i++) {
        mali_warp_row(warp, 0)[i] = i;
        write_pair(warp, 2, i, RIG_DATA_VA);
        write_pair(warp, 4, i, FAR_VA);
        write_pair(warp, 6, i, RIG_DATA_VA + OWN_B + i * 64);
        for (unsigned reg = 55; reg < 63 && is_whole; reg++)
            mali_warp_row(warp, reg)[i] = 0;
        if (is_whole)
            mali_warp_row(warp, 60)[i] = mali_warp_row(warp, 55)[i] = row * MALI_ROW_LANES + i;
    }
    for (unsigned i = 0; i < 2 * MALI_ROW_LANES; i++) {
        warp->wls[i] = 0x12345678u << i / MALI_ROW_LANES;
        warp->tls[i] = from + i * 0x10001u;
        warp->warp_id[i] = i / MALI_WARP_LANES;
    }
    warp->launched &= lanes;
    warp->covered &= lanes;
}

static uint32_t row_count(void)
{
    return is_move ? MOVE_ROWS : 1;
}

static uint32_t *fill_own(void)
{
    uint32_t *bytes = (uint32_t *)((uint8_t *)mali_rig_data() + OWN_B);
    for (unsigned i = 0; i < OWN_SIZE_B / 4; i++)
        bytes[i] = i * 40503u;
    return bytes;
}

/* Some lanes of a row, as warps. */
static bool run_row(struct mali_core *core, uint32_t row, uint64_t which, struct mali_warp **warp_out)
{
    struct mali_warp *warp = mali_sc_begin(core, &mali_rig.launch);
    fill_registers(warp, row);
    warp->launched &= which;
    warp->covered &= which;
    if (warp_out)
        *warp_out = warp;
    return mali_sc_run(warp);
}

static bool run_way(unsigned way)
{
    struct mali_core *core = mali_sc_core(mali_rig.queue, way ? 0 : 1);
    if (!core || !mali_sc_enter(core, &mali_rig.launch))
        return random_differs("no core");
    memset(&mali_sc_code_exec(core->code)->counts, 0, sizeof(struct exec_counts));
    const uint32_t *bytes = fill_own();
    for (uint32_t row = 0; row < row_count(); row++) {
        if (!run_row(core, row, UINT64_MAX, &warps[way]))
            return random_differs("%s: %s", way ? "host code" : "micro-operations",
                                  gpu_stop_text(&mali_rig.queue->stop));
    }
    memcpy(own[way], bytes, sizeof(own[way]));
    return true;
}

/* A warp that the whole program runs in; NULL: it is none. */
static struct mali_warp *begin_whole(struct mali_core *core, struct sc_whole **whole_out, uint32_t row)
{
    static const uint32_t size[3] = {MALI_ROW_LANES, 1, 1};
    struct exec_shape shape;
    if (!exec_shape_find(size, MALI_ROW_LANES, &shape) ||
        !(*whole_out = mali_sc_whole_find(core, &mali_rig.launch, shape, 1)))
        return NULL;
    struct mali_warp *warp = mali_sc_begin(core, &mali_rig.launch);
    if (!mali_sc_whole_bring(*whole_out, warp))
        return NULL;
    fill_registers(warp, row);
    memset(warp->values, 0, sizeof(warp->values));
    return warp;
}

/* Lanes that the code was not for; what has no registers of its own goes on afterwards. */
static bool run_rest(const struct exec_whole_work *work, uint64_t group, uint32_t row, uint32_t first)
{
    struct mali_core *core = work->user;
    struct sc_whole *whole;
    (void)row;
    if (!run_row(core, (uint32_t)group, ~0ull << first, NULL))
        return false;
    begin_whole(core, &whole, (uint32_t)group);
    return true;
}

/* Rows as workgroups. A program that reads no registers takes all at once, and moves memory if it does nothing else. */
static bool run_groups(struct mali_core *core, struct sc_whole *whole, struct mali_warp *warp, uint32_t first,
                       uint32_t count)
{
    uint32_t local[MALI_ROW_LANES];
    for (uint32_t i = 0; i < MALI_ROW_LANES; i++)
        local[i] = i;
    static const uint32_t zeros[MALI_ROW_LANES];
    const struct exec_grid grid = {.size = {MALI_ROW_LANES, 1, 1},
                                   .count = {row_count(), 1, 1},
                                   .threads = MALI_ROW_LANES,
                                   .rows = 1,
                                   .lanes = MALI_ROW_LANES,
                                   .local = {local, zeros, zeros}};
    const struct exec_whole_work work = {.whole = &whole->exec,
                                         .grid = &grid,
                                         .frame = warp,
                                         .values = warp->values,
                                         .env = warp->env,
                                         .counts = &mali_sc_code_exec(core->code)->counts,
                                         .user = core,
                                         .rest = run_rest,
                                         .missed = mali_sc_whole_missed};
    return exec_whole_run(&work, first, count);
}

/* As a whole; `moves`: as far as memory is moved. Several times, for windows that the first time found. */
static bool run_whole(unsigned way, bool moves)
{
    struct mali_core *core = mali_sc_core(mali_rig.queue, 0);
    const uint32_t *bytes = NULL;
    for (unsigned time = 0; time < 8; time++) {
        bytes = fill_own();
        for (uint32_t row = 0, step; row < row_count(); row += step) {
            struct sc_whole *whole;
            struct mali_warp *warp = begin_whole(core, &whole, row);
            struct exec_range *range = warp ? whole->exec.range : NULL;
            bool ok;
            step = range && moves ? row_count() : 1;
            if (warp && !moves)
                whole->exec.range = NULL;
            ok = warp ? run_groups(core, whole, warp, row, step) : run_row(core, row, UINT64_MAX, NULL);
            if (warp && !moves)
                whole->exec.range = range;
            if (!ok)
                return random_differs("as a whole: %s", gpu_stop_text(&mali_rig.queue->stop));
        }
    }
    memcpy(own[way], bytes, sizeof(own[way]));
    return true;
}

static bool is_own_same(unsigned way, const char *name)
{
    for (unsigned i = 0; i < OWN_SIZE_B / 4; i++) {
        if (own[0][i] != own[way][i])
            return random_differs("word %u of lane %u: 0x%08x, %s 0x%08x", i % 16, i / 16, own[0][i], name,
                                  own[way][i]);
    }
    return true;
}

static bool is_same(unsigned reg, uint32_t a, uint32_t b)
{
    if (reg >= 24 && reg < 30)
        return a == b || ((a & 0x7fffffff) > 0x7f800000 && (b & 0x7fffffff) > 0x7f800000);
    for (unsigned shift = 0; reg >= 32 && reg < 36 && shift < 32; shift += 16) {
        const uint32_t x = a >> shift & 0xffff, y = b >> shift & 0xffff;
        if (x != y && !((x & 0x7fff) > 0x7c00 && (y & 0x7fff) > 0x7c00))
            return false;
    }
    return a == b || (reg >= 32 && reg < 36);
}

static bool are_registers_same(struct mali_warp *warp, const char *name)
{
    for (unsigned reg = 8; reg < 52; reg++) {
        for (unsigned i = 0; i < MALI_ROW_LANES; i++) {
            const uint32_t a = mali_rig_lane(warps[0], reg, i), b = mali_rig_lane(warp, reg, i);
            if (lanes >> i & 1 && (reg < 36 || reg > 37) && !is_same(reg, a, b))
                return random_differs("r%u of lane %u: 0x%08x, %s 0x%08x", reg, i, a, name, b);
        }
    }
    return true;
}

static void fill_joined(struct mali_warp *warp)
{
    fill_registers(warp, 0);
}

static bool run_joined(void)
{
    struct mali_core *core = mali_sc_core(mali_rig.queue, 0);
    const uint32_t *bytes = fill_own();
    bool stopped;
    struct mali_warp *warp = random_join_run(core, &mali_rig.launch, fill_joined, lanes, &stopped);
    if (stopped)
        return random_differs("joined: %s", gpu_stop_text(&mali_rig.queue->stop));
    if (!warp)
        return true;
    memcpy(own[4], bytes, sizeof(own[4]));
    mali_sc_code_exec(core->code)->counts.joins++;
    return are_registers_same(warp, "joined") && is_own_same(4, "joined");
}

static bool run_program(void)
{
    fill_memory();
    fill_launch();
    unsigned line;
    if (mali_isa_assemble(random_text(), (uint64_t *)(void *)mali_rig.memory, (RIG_DATA_VA - RIG_VA) / 8, &line) < 0)
        return random_differs("line %u is not read", line);
    mali_sc_invalidate_code(mali_rig.gpu);
    if (!run_way(0) || !run_way(1))
        return false;
    if (!are_registers_same(warps[1], "by host code") || !is_own_same(1, "by host code"))
        return false;
    if (!is_move && !run_joined())
        return false;
    if (is_whole && (!run_whole(2, false) || !is_own_same(2, "as a whole")))
        return false;
    return !is_move || (run_whole(3, true) && is_own_same(3, "moved"));
}

static const struct exec_counts *counts(void)
{
    return &mali_sc_code_exec(mali_sc_core(mali_rig.queue, 0)->code)->counts;
}

const struct random_isa random_isa = {
    .name = "sc",
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
    .has_misses = true,
    .has_shuffles = true,
    .has_wholes = true,
    .has_joins = true,
};
