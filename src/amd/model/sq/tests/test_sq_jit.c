/* Runs that are more than arithmetic, with loads and interpolation: a program's first rounds go by micro-operations,
 * those after the 48th as host code, and all rounds must leave the same registers behind. Not for: the instructions
 * one by one (test_sq_alu.c).
 *
 * s[4:7] is a buffer over the data, s8 a scalar offset, s9 anything; v0 is the lane, v1 to v3 are offsets, all of them
 * small, mostly dwords, or of any kind. */
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
#include "amd/model/sq/sq_jit.h"
#include "amd/model/sq/sq_workgroup.h"
#include "util/bits.h"
#include "util/half.h"
#include "util/tests/host_level_test.h"

#define CODE_VA 0x100000000ull
#define DATA_VA 0x100100000ull
#define SPACE_B (4u << 20)
#define DATA_B 0x10000u
#define PAGE_B 4096u
#define LDS_B 2048
#define VGPRS 32
#define ROUNDS 60 /* the last dozen of them as host code */

#define RAW 0x31016facu

struct program {
    const char *name;
    const char *text;
    bool is_wave32; /* only */
};

static const struct program programs[] = {
    {"dwords of a buffer", "buffer_load_dword v8, v1, s[4:7], 0 offen\n"
                           "buffer_load_dword v9, v2, s[4:7], 0 offen offset:12\n"
                           "buffer_load_dword v10, v3, s[4:7], 0 offen\n"
                           "v_add_nc_u32_e32 v11, v8, v9\nv_xor_b32_e32 v12, v10, v11\n"},
    {"wider ones, over their address", "buffer_load_dwordx4 v[3:6], v3, s[4:7], 0 offen\n"
                                       "buffer_load_dwordx3 v[2:4], v2, s[4:7], 0 offen offset:4\n"
                                       "buffer_load_dwordx2 v[0:1], v1, s[4:7], 0 offen\n"
                                       "v_add_nc_u32_e32 v11, v0, v4\n"},
    {"scalar offsets", "buffer_load_dword v8, v1, s[4:7], s8 offen\n"
                       "buffer_load_dword v9, v2, s[4:7], 64 offen offset:4\n"
                       "buffer_load_dwordx2 v[10:11], v1, s[4:7], s9 offen\n"
                       "buffer_load_dword v12, off, s[4:7], s8 offset:20\n"},
    {"the workgroup's memory", "ds_read_b32 v8, v1\nds_read_b64 v[9:10], v2 offset:8\nds_read_b128 v[12:15], v3\n"
                               "ds_read2_b32 v[16:17], v1 offset0:3 offset1:200\n"
                               "ds_read2st64_b32 v[18:19], v2 offset1:3\nds_read2_b64 v[1:4], v1 offset1:9\n"
                               "v_add_f32_e32 v20, v8, v9\n"},
    {"addresses that were loaded", "ds_read_b32 v8, v1\nv_and_b32_e32 v8, 0xfff, v8\n"
                                   "buffer_load_dword v9, v8, s[4:7], 0 offen\nv_and_b32_e32 v9, 0x7fc, v9\n"
                                   "ds_read2_b32 v[9:10], v9 offset1:1\n"},
    {"a descriptor that the run changes",
     "v_mov_b32_e32 v8, 7\nv_add_nc_u32_e32 v9, v8, v0\n"
     "v_cmp_gt_u32_e64 s4, 0, v0\n"
     "buffer_load_dword v10, v1, s[4:7], 0 offen\n"
     "v_add_nc_u32_e32 v11, v10, v9\nv_add_nc_u32_e32 v12, v10, v11\n",
     true},
    {"a scalar offset that the run changes",
     "v_mov_b32_e32 v8, 7\nv_add_nc_u32_e32 v9, v8, v0\n"
     "v_cmp_gt_u32_e64 s8, 5, v0\n"
     "buffer_load_dword v10, v1, s[4:7], s8 offen\n"
     "v_add_nc_u32_e32 v11, v10, v9\nv_add_nc_u32_e32 v12, v10, v11\n",
     true},
    {"more sizes and buffers than a run has", "buffer_load_dword v8, v1, s[4:7], 0 offen\n"
                                              "buffer_load_dword v9, v1, s[4:7], 4 offen\n"
                                              "buffer_load_dword v10, v1, s[4:7], 8 offen\n"
                                              "buffer_load_dword v11, v1, s[4:7], 12 offen\n"
                                              "buffer_load_dword v12, v1, s[4:7], 16 offen\n"
                                              "buffer_load_dword v13, v1, s[4:7], 20 offen\n"
                                              "buffer_load_dword v14, v1, s[4:7], s8 offen\n"
                                              "buffer_load_dwordx2 v[15:16], v1, s[4:7], 0 offen\n"
                                              "buffer_load_dwordx2 v[17:18], v1, s[4:7], 4 offen\n"
                                              "ds_read_b32 v19, v1\nds_read_b64 v[20:21], v1\n"},
};

/* A descriptor's fields. */
struct shape {
    const char *name;
    uint32_t offset_B, records, stride_word, last_word;
    bool has_hole; /* the last page is not there; the offsets stay before it */
};

static const struct shape shapes[] = {
    {"whole", 0, DATA_B, 0, RAW, false},
    {"not aligned", 6, DATA_B - 6, 0, RAW, false},
    {"short", 64, 1000, 0, RAW, false},
    {"shorter than a dword", 0, 3, 0, RAW, false},
    {"empty", 0, 0, 0, RAW, false},
    {"larger than what is mapped", 0, 2u << 20, 0, RAW, true},
    {"larger than host code reaches", 0, 0xfffffff0u, 0, RAW, true},
    {"with a hole", 0, DATA_B, 0, RAW, true},
    {"of records", 0, 16, 64u << 16, RAW & ~(3u << 28), false},
    {"by lanes", 0, DATA_B, 4u << 16, RAW | 1u << 23, false},
};

struct rig {
    struct gpu_space space;
    int fd;
    struct sq_workgroup *group;
    struct sq_code *code;
    uint32_t lanes;
    const struct shape *shape;
    uint64_t exec;
    bool is_one; /* attributes are the same in all lanes */
    bool has_tables;
    uint32_t one[3][4];
    uint32_t rows[2][VGPRS * LANES_MAX];
};

static uint32_t seed;

static uint32_t random32(void)
{
    seed = seed * 1664525 + 1013904223;
    return seed ^ seed >> 15;
}

static void fill_registers(struct rig *rig, struct sq_wave *wave)
{
    seed = 1;
    for (unsigned i = 0; i < LDS_B / 4; i++)
        ((uint32_t *)(void *)rig->group->lds)[i] = random32();
    for (unsigned i = 0; i < VGPRS * rig->lanes; i++)
        wave->vgpr[i] = random32();
    uint32_t reach_B = rig->shape->has_hole ? DATA_B - 2 * PAGE_B : UINT32_MAX;
    for (unsigned lane = 0; lane < rig->lanes; lane++) {
        wave->vgpr[lane] = lane;
        wave->vgpr[rig->lanes + lane] = lane * 4;
        wave->vgpr[2 * rig->lanes + lane] = random32() % 4096 & ~3u;
        uint32_t any = random32() >> random32() % 32;
        wave->vgpr[3 * rig->lanes + lane] = reach_B == UINT32_MAX ? any : any % reach_B;
    }
    uint64_t base_va = DATA_VA + rig->shape->offset_B;
    wave->sgpr[4] = (uint32_t)base_va;
    wave->sgpr[5] = (uint32_t)(base_va >> 32) | rig->shape->stride_word;
    wave->sgpr[6] = rig->shape->records;
    wave->sgpr[7] = rig->shape->last_word;
    wave->sgpr[8] = 0x40;
    wave->sgpr[9] = rig->shape->has_hole || rig->shape->stride_word ? 16 : 0x7fffff00;
    sq_write_mask(wave, &wave->sgpr[SQ_EXEC], rig->exec & lanes_full_mask(rig->lanes));
    sq_exec_changed(wave);
}

/* Plain numbers of an attribute's channel, in quad q or in all of them. */
static uint32_t attribute_value(const struct rig *rig, unsigned attribute, unsigned channel, unsigned which, unsigned q)
{
    return float_bits((float)(attribute * 64 + channel * 16 + which * 4 + (rig->is_one ? 0 : q % 3)) / 8);
}

static void give_attribute(struct sq_wave *wave, const struct sq_uop *uop, unsigned attribute, unsigned channel,
                           uint32_t *p0, uint32_t *p10, uint32_t *p20)
{
    uint32_t *rows[3] = {p0, p10, p20};
    for (unsigned i = 0; i < 3 * wave->lanes; i++)
        rows[i % 3][i / 3] = attribute_value(wave->owner, attribute, channel, i % 3, i / 12);
}

static const uint32_t (*give_one_attribute(struct sq_wave *wave, unsigned attribute))[4]
{
    struct rig *rig = wave->owner;
    for (unsigned i = 0; i < 12; i++)
        rig->one[i / 4][i % 4] = attribute_value(rig, attribute, i % 4, i / 4, 0);
    return rig->is_one ? rig->one : NULL;
}

static void give_tables(struct sq_wave *wave, const uint8_t *attributes, uint32_t count, uint32_t *entry_of_lane,
                        uint32_t (*tables)[3][4][SQ_TABLE])
{
    for (unsigned lane = 0; lane < wave->lanes; lane++)
        entry_of_lane[lane] = lane / 4 % 3 * 6 + 1; /* of 16, near their ends */
    for (unsigned i = 0; i < count * 12 * SQ_TABLE; i++)
        tables[i / (12 * SQ_TABLE)][i / (4 * SQ_TABLE) % 3][i / SQ_TABLE % 4][i % SQ_TABLE] = attribute_value(
            wave->owner, attributes[i / (12 * SQ_TABLE)], i / SQ_TABLE % 4, i / (4 * SQ_TABLE) % 3, (i % SQ_TABLE) / 6);
}

static const struct sq_hooks hooks[] = {
    {.attribute = give_attribute, .one_attribute = give_one_attribute},
    {.attribute = give_attribute, .one_attribute = give_one_attribute, .tables = give_tables}};

static enum sq_turn run_program(struct rig *rig, struct sq_fault *fault)
{
    _Atomic bool killed = false;
    struct sq_launch launch = {.program_va = CODE_VA,
                               .lanes = rig->lanes,
                               .vgpr_count = VGPRS,
                               .mode = 0x1f0,
                               .lds_size_B = LDS_B,
                               .memory = &rig->space,
                               .killed = &killed,
                               .hooks = &hooks[rig->has_tables],
                               .owner = rig};
    assert_true(amd_sq_workgroup_begin(rig->group, &launch, rig->code, 1));
    fill_registers(rig, rig->group->waves[0]);
    return amd_sq_workgroup_run(rig->group, fault);
}

static void assemble_program(struct rig *rig, const char *text)
{
    char whole[4096];
    struct isa_asm_result result;
    snprintf(whole, sizeof(whole), "%ss_endpgm\n", text);
    if (!amd_isa_assemble(ISA_GFX10_3, rig->lanes, whole, strlen(whole), &result))
        fail_msg("line %u: %s", result.errors[0].line, result.errors[0].message);
    memcpy(gpu_space_pointer(&rig->space, CODE_VA, PAGE_B, GPU_PERM_READ), result.words, result.count_dw * 4);
    amd_isa_asm_finish(&result);
}

static void begin_case(struct rig *rig, const struct program *program, const struct shape *shape, uint32_t lanes,
                       uint64_t exec)
{
    rig->fd = memfd_create("data", 0);
    rig->lanes = lanes;
    rig->shape = shape;
    rig->exec = exec;
    assert_true(rig->fd >= 0 && ftruncate(rig->fd, SPACE_B) == 0);
    assert_int_equal(gpu_space_init(&rig->space, &(struct gpu_extent){CODE_VA, SPACE_B}, 1), 0);
    assert_int_equal(gpu_space_map_file(&rig->space, CODE_VA, PAGE_B, rig->fd, 0, GPU_PERM_RWX), 0);
    uint32_t size_B = shape->has_hole ? DATA_B - PAGE_B : DATA_B;
    assert_int_equal(gpu_space_map_file(&rig->space, DATA_VA, size_B, rig->fd, PAGE_B, GPU_PERM_READ), 0);
    uint32_t *data = gpu_space_pointer(&rig->space, DATA_VA, 4, GPU_PERM_READ);
    for (uint32_t i = 0; i < size_B / 4; i++)
        data[i] = random32();
    rig->group = amd_sq_workgroup_create(0);
    rig->code = amd_sq_code_create(&rig->space);
    assert_true(rig->group && rig->code);
    assemble_program(rig, program->text);
}

static void end_case(struct rig *rig)
{
    amd_sq_code_destroy(rig->code);
    amd_sq_workgroup_destroy(rig->group);
    gpu_space_finish(&rig->space);
    close(rig->fd);
}

static void compare_rounds(struct rig *rig, const struct program *program)
{
    struct sq_fault fault = {0};
    const size_t size_B = VGPRS * rig->lanes * 4;
    for (unsigned round = 0; round < ROUNDS; round++) {
        if (run_program(rig, &fault) != SQ_TURN_DONE)
            fail_msg("%s, %s: %s", program->name, rig->shape->name, fault.why);
        memcpy(rig->rows[round > 0], rig->group->waves[0]->vgpr, size_B);
        for (unsigned i = 0; i < size_B / 4 && round; i++) {
            if (rig->rows[0][i] != rig->rows[1][i])
                fail_msg("%s, buffer %s, %u lanes, exec %#llx, round %u: v%u of lane %u is %08x and should be %08x",
                         program->name, rig->shape->name, rig->lanes, (unsigned long long)rig->exec, round,
                         i / rig->lanes, i % rig->lanes, rig->rows[1][i], rig->rows[0][i]);
        }
    }
}

static void loads_are_the_same(void **state)
{
    const struct program *program = *state;
    static struct rig rig;
    static const uint64_t execs[] = {UINT64_MAX, 0x0123456789abcdefull, 0};
    for (unsigned i = 0; i < 2 * ARRAY_SIZE(execs) * ARRAY_SIZE(shapes); i++) {
        const struct shape *shape = &shapes[i / 6];
        /* An offset that the program makes would meet the hole. */
        if (shape->has_hole && (strstr(program->name, "loaded") || program->is_wave32))
            continue;
        if (program->is_wave32 && i & 1)
            continue;
        begin_case(&rig, program, shape, i & 1 ? 64 : 32, execs[i / 2 % 3]);
        compare_rounds(&rig, program);
        const struct jit *jit = amd_sq_code_exec(rig.code)->jit;
        assert_true(!jit || jit_size_B(jit));
        end_case(&rig);
    }
}

static const struct program interpolating = {
    "attributes",
    "v_interp_p1_f32_e32 v8, v1, attr0.x\nv_interp_p1_f32_e32 v9, v1, attr1.y\nv_interp_p2_f32_e32 v8, v2, attr0.x\n"
    "v_interp_p2_f32_e32 v9, v2, attr1.y\nv_interp_mov_f32_e32 v10, p0, attr2.z\n"
    "v_interp_mov_f32_e32 v11, p10, attr2.w\nv_interp_mov_f32_e32 v12, p20, attr31.x\n"
    "v_mul_f32_e32 v13, v8, v9\nv_interp_p1_f32_e32 v14, v1, attr0.x\nv_interp_p2_f32_e32 v14, v13, attr0.y\n"
    "v_interp_p1_f32_e32 v15, v1, attr3.x\nv_interp_p1_f32_e32 v16, v1, attr3.y\n"
    "v_interp_p1_f32_e32 v17, v1, attr3.z\nv_interp_p1_f32_e32 v18, v1, attr3.w\n"
    "v_interp_p1_f32_e32 v19, v1, attr4.x\nv_interp_p1_f32_e32 v20, v1, attr4.y\n"
    "v_interp_p1_f32_e32 v21, v1, attr4.z\nv_interp_p1_f32_e32 v22, v1, attr4.w\n"
    "v_interp_p1_f32_e32 v23, v1, attr5.x\nv_interp_p1_f32_e32 v24, v1, attr5.y\n"
    "v_cvt_pkrtz_f16_f32_e32 v25, v8, v9\nds_read_b32 v26, v1\nv_add_f32_e32 v27, v24, v23\n"};

/* As rows or tables and as one value each, in turns: a wave of one primitive after one of several. */
static void attributes_are_the_same(void **state)
{
    static struct rig rig;
    for (unsigned i = 0; i < 16; i++) {
        rig.has_tables = i & 8;
        begin_case(&rig, &interpolating, &shapes[0], i & 1 ? 64 : 32, i & 2 ? UINT64_MAX : 0xfedcba9876543210ull);
        for (unsigned turn = 0; turn < 4; turn++) {
            rig.is_one = (turn ^ i >> 2) & 1;
            compare_rounds(&rig, &interpolating);
        }
        end_case(&rig);
    }
}

/* Findings about a buffer do not outlive its pages. */
static void mappings_change(void **state)
{
    static struct rig rig;
    struct sq_fault fault = {0};
    begin_case(&rig, &programs[0], &shapes[0], 64, UINT64_MAX);
    compare_rounds(&rig, &programs[0]);

    uint32_t *data = gpu_space_pointer(&rig.space, DATA_VA, 4, GPU_PERM_READ);
    uint32_t before = data[5];
    assert_int_equal(gpu_space_map_file(&rig.space, DATA_VA, PAGE_B, rig.fd, 3u << 20, GPU_PERM_READ), 0);
    data[5] = ~before;
    assert_int_equal(run_program(&rig, &fault), SQ_TURN_DONE);
    assert_int_equal(rig.group->waves[0]->vgpr[8 * 64 + 5], ~before);

    assert_int_equal(gpu_space_map_resident(&rig.space, DATA_VA, PAGE_B), 0);
    assert_int_equal(run_program(&rig, &fault), SQ_TURN_DONE);
    assert_int_equal(rig.group->waves[0]->vgpr[8 * 64 + 5], 0);

    assert_int_equal(gpu_space_unmap(&rig.space, DATA_VA, PAGE_B, true), 0);
    assert_int_equal(run_program(&rig, &fault), SQ_TURN_FAULT);
    assert_int_equal(fault.kind, SQ_FAULT_MEMORY);
    assert_int_equal(fault.va, DATA_VA);
    end_case(&rig);
}

/* Each dword of an untyped access is in range or not: loads give zero for those behind the end, and they alone; stores
 * leave what lies there. Of a typed element and of an atomic all is, or nothing. */
#define LOADS                                                                                                          \
    "buffer_load_dwordx4 v[8:11], v1, s[4:7], 0 offen\n"                                                               \
    "buffer_load_dwordx3 v[12:14], v1, s[4:7], 0 offen\n"                                                              \
    "buffer_load_dwordx2 v[15:16], v1, s[4:7], 0 offen\n"                                                              \
    "buffer_load_dwordx2 v[1:2], v1, s[4:7], 0 offen\n"

static void check_loads(const struct rig *rig, uint32_t first_B, uint32_t stride_B)
{
    static const uint8_t first[] = {8, 12, 15, 1}, widths[] = {4, 3, 2, 2};
    const uint8_t *data = gpu_space_pointer(&rig->space, DATA_VA, 4, GPU_PERM_READ);
    for (unsigned i = 0; i < 16 * rig->lanes; i++) {
        const unsigned load = i % 4, dword = i / 4 % 4, lane = i / 16;
        const uint32_t from_B = first_B + lane * stride_B + dword * 4;
        uint32_t expected = 0;
        if (dword >= widths[load])
            continue;
        if (from_B + 4 <= rig->shape->records)
            memcpy(&expected, data + rig->shape->offset_B + from_B, 4);
        assert_int_equal(rig->rows[1][(first[load] + dword) * rig->lanes + lane], expected);
    }
}

static void dwords_at_the_end(void **state)
{
    static const struct shape ends[] = {{"ends after 26 bytes", 0, 26, 0, RAW, false},
                                        {"ends after three dwords", 64, 12, 0, RAW, false},
                                        {"ends after a page", 0, PAGE_B, 0, RAW, false},
                                        {"ends after all that is mapped", 0, DATA_B, 0, RAW, false}};
    static const struct program loads = {
        "loads", "s_sub_i32 s10, s6, 0x40\ns_max_i32 s10, s10, 0\nv_add_nc_u32_e32 v1, s10, v1\n" LOADS};
    static struct rig rig;
    for (unsigned n = 0; n < 2 * ARRAY_SIZE(ends); n++) {
        const struct shape *shape = &ends[n / 2];
        begin_case(&rig, &loads, shape, n & 1 ? 64 : 32, UINT64_MAX);
        compare_rounds(&rig, &loads);
        check_loads(&rig, shape->records > 64 ? shape->records - 64 : 0, 4);
        end_case(&rig);
    }
}

/* Offsets that are seen to be aligned, where the end is, too; then it is not any more, and is again. */
static void aligned_dwords_at_the_end(void **state)
{
    static const uint32_t sizes_B[] = {400, 402, 408, 400, 404, 412};
    static const struct program loads = {"aligned loads", "v_lshlrev_b32_e32 v1, 4, v0\n" LOADS};
    static struct rig rig;
    for (unsigned first = 0; first < ARRAY_SIZE(sizes_B); first++) {
        struct shape shape = {"ends near 400 bytes", 64, sizes_B[first], 0, RAW, false};
        begin_case(&rig, &loads, &shape, 64, UINT64_MAX);
        for (unsigned n = 0; n < ARRAY_SIZE(sizes_B); n++) {
            shape.records = sizes_B[(first + n) % ARRAY_SIZE(sizes_B)];
            compare_rounds(&rig, &loads);
            check_loads(&rig, 0, 16);
        }
        end_case(&rig);
    }
}

static void stores_at_the_end(void **state)
{
    static const struct shape shape = {"ends after seven dwords", 0, 30, 0, RAW, false};
    static const struct {
        struct program program;
        unsigned width;
    } stores[] = {{{"x4", "v_lshlrev_b32_e32 v2, 4, v0\nbuffer_store_dwordx4 v[8:11], v2, s[4:7], 0 offen\n"}, 4},
                  {{"x3", "v_mul_u32_u24_e32 v2, 12, v0\nbuffer_store_dwordx3 v[8:10], v2, s[4:7], 0 offen\n"}, 3},
                  {{"x2", "v_lshlrev_b32_e32 v2, 3, v0\nbuffer_store_dwordx2 v[8:9], v2, s[4:7], 0 offen\n"}, 2}};
    static struct rig rig;
    struct sq_fault fault = {0};
    for (unsigned n = 0; n < ARRAY_SIZE(stores); n++) {
        begin_case(&rig, &stores[n].program, &shape, 64, UINT64_MAX);
        assert_int_equal(
            gpu_space_map_file(&rig.space, DATA_VA, PAGE_B, rig.fd, PAGE_B, GPU_PERM_READ | GPU_PERM_WRITE), 0);
        uint32_t *data = gpu_space_pointer(&rig.space, DATA_VA, 4, GPU_PERM_READ), before[16];
        memcpy(before, data, sizeof(before));
        assert_int_equal(run_program(&rig, &fault), SQ_TURN_DONE);
        for (unsigned i = 0; i < ARRAY_SIZE(before); i++) {
            const unsigned lane = i / stores[n].width, dword = i % stores[n].width;
            const uint32_t stored = rig.group->waves[0]->vgpr[(8 + dword) * 64 + lane];
            assert_int_equal(data[i], i < 7 ? stored : before[i]);
        }
        end_case(&rig);
    }
}

int main(void)
{
    if (!host_level_runs())
        return 0;
    struct CMUnitTest tests[ARRAY_SIZE(programs) + 5];
    for (unsigned i = 0; i < ARRAY_SIZE(programs); i++)
        tests[i] = (struct CMUnitTest){
            .name = programs[i].name, .test_func = loads_are_the_same, .initial_state = (void *)&programs[i]};
    tests[ARRAY_SIZE(programs)] = (struct CMUnitTest)cmocka_unit_test(mappings_change);
    tests[ARRAY_SIZE(programs) + 1] = (struct CMUnitTest)cmocka_unit_test(attributes_are_the_same);
    tests[ARRAY_SIZE(programs) + 2] = (struct CMUnitTest)cmocka_unit_test(dwords_at_the_end);
    tests[ARRAY_SIZE(programs) + 3] = (struct CMUnitTest)cmocka_unit_test(stores_at_the_end);
    tests[ARRAY_SIZE(programs) + 4] = (struct CMUnitTest)cmocka_unit_test(aligned_dwords_at_the_end);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
