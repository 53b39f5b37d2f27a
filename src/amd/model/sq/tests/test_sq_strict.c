/* Strict mode, one rule at a time: short programs that keep it, and the same programs without the wait, the nop or the
 * initialisation that they need.
 *
 * Every wave finds v0 = its thread in the workgroup, s[0:1] = memory, s[4:7] = a buffer over it, s8 = the wave's
 * number. */
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
#include "amd/model/sq/sq_workgroup.h"
#include "util/bits.h"

#define CODE_VA 0x100000000ull
#define DATA_VA 0x100100000ull
#define SIZE_B (4u << 20)
#define LANES 32

/* Programs begin with byte addresses in v1 and the same as a 64-bit address in v[2:3]. */
#define HEAD                                                                                                           \
    "v_lshlrev_b32_e32 v1, 2, v0\n"                                                                                    \
    "v_add_co_u32 v2, vcc_lo, s0, v1\n"                                                                                \
    "v_mov_b32_e32 v3, s1\n"                                                                                           \
    "v_add_co_ci_u32_e32 v3, vcc_lo, 0, v3, vcc_lo\n"
#define STORE(reg) "global_store_dword v[2:3], " reg ", off\n"
#define END "s_endpgm\n"

/* A buffer of private memory in s[20:23], as compilers make it: swizzled, with the lane in the address. */
#define PRIVATE                                                                                                        \
    "s_mov_b32 s20, s0\n"                                                                                              \
    "s_bitset1_b32 s1, 31\n"                                                                                           \
    "s_mov_b32 s21, s1\n"                                                                                              \
    "s_mov_b32 s22, -1\n"                                                                                              \
    "s_mov_b32 s23, 0x20c00000\n"

/* The flat address of LDS in v[10:11]. */
#define FLAT_LDS                                                                                                       \
    "v_mov_b32_e32 v10, v1\n"                                                                                          \
    "v_mov_b32_e32 v11, 0x20000\n"

struct rule {
    const char *name;
    const char *program;
    const char *why; /* a part of the report; NULL: it runs clean */
    unsigned waves;  /* 0: one */
    bool is_wgp_mode;
};

static const struct rule rules[] = {
    /* ---- results on their way ---- */
    {"a load is waited for", HEAD "global_load_dword v4, v[2:3], off\ns_waitcnt vmcnt(0)\nv_mov_b32_e32 v5, v4\n" END,
     NULL},
    {"a load is not waited for", HEAD "global_load_dword v4, v[2:3], off\nv_mov_b32_e32 v5, v4\n" END,
     "v4 is read before"},
    {"the wait is for another counter",
     HEAD "global_load_dword v4, v[2:3], off\ns_waitcnt lgkmcnt(0)\nv_mov_b32_e32 v5, v4\n" END, "vmcnt"},
    {"a loaded register is overwritten", HEAD "global_load_dword v4, v[2:3], off\nv_mov_b32_e32 v4, 0\n" END,
     "v4 is overwritten before"},
    {"loads return in order",
     HEAD "global_load_dword v4, v[2:3], off\nglobal_load_dword v5, v[2:3], off\ns_waitcnt vmcnt(1)\nv_mov_b32_e32 v6, "
          "v4\n" END,
     NULL},
    {"the last of two loads is not there yet",
     HEAD "global_load_dword v4, v[2:3], off\nglobal_load_dword v5, v[2:3], off\ns_waitcnt vmcnt(1)\nv_mov_b32_e32 v6, "
          "v5\n" END,
     "v5 is read"},
    {"a later load into the same register",
     HEAD "global_load_dword v4, v[2:3], off\nglobal_load_dword v4, v[2:3], off\ns_waitcnt vmcnt(0)\n" END, NULL},
    {"a load from LDS into the register of one from memory",
     HEAD
     "ds_write_b32 v1, v0\nglobal_load_dword v4, v[2:3], off\nds_read_b32 v4, v1\ns_waitcnt vmcnt(0) lgkmcnt(0)\n" END,
     "v4 is overwritten"},
    {"stores do not raise vmcnt",
     HEAD "global_load_dword v4, v[2:3], off\n" STORE("v0") "s_waitcnt vmcnt(1)\nv_mov_b32_e32 v6, v4\n" END,
     "v4 is read"},
    {"stored data can be overwritten at once", HEAD STORE("v1") "v_mov_b32_e32 v1, 0\n" END, NULL},
    {"an atomic returns something", HEAD "global_atomic_add v4, v[2:3], v0, off glc\nv_mov_b32_e32 v6, v4\n" END,
     "v4 is read"},
    {"a buffer's atomic returns something in its data",
     HEAD "v_mov_b32_e32 v4, 1\nbuffer_atomic_add v4, v1, s[4:7], 0 offen glc\nv_mov_b32_e32 v6, v4\n" END,
     "v4 is read"},
    {"an atomic returns nothing",
     HEAD "v_mov_b32_e32 v4, 1\nbuffer_atomic_add v4, v1, s[4:7], 0 offen\nv_mov_b32_e32 v6, v4\n" END, NULL},
    {"a scalar load is not waited for", "s_load_dword s12, s[0:1], 0x0\ns_add_u32 s13, s12, 1\n" END, "lgkmcnt"},
    {"scalar loads have no order",
     "s_load_dword s12, s[0:1], 0x0\ns_load_dword s14, s[0:1], 0x0\ns_waitcnt lgkmcnt(1)\ns_add_u32 s13, s12, 1\n" END,
     "s12 is read"},
    {"LDS has an order",
     HEAD
     "ds_write_b32 v1, v0\nds_read_b32 v4, v1\nds_read_b32 v5, v1\ns_waitcnt lgkmcnt(1)\nv_mov_b32_e32 v6, v4\n" END,
     NULL},
    {"LDS has none with scalar loads",
     HEAD "ds_write_b32 v1, v0\nds_read_b32 v4, v1\ns_load_dword s12, s[0:1], 0x0\ns_waitcnt lgkmcnt(1)\nv_mov_b32_e32 "
          "v6, v4\n" END,
     "v4 is read"},
    {"but with two LDS instructions after it, one left is another",
     HEAD "ds_write_b32 v1, v0\nds_read_b32 v4, v1\ns_load_dword s12, s[0:1], 0x0\nds_read_b32 v5, v1\ns_waitcnt "
          "lgkmcnt(1)\nv_mov_b32_e32 v6, v4\n" END,
     NULL},
    {"lanes that were not loaded are free",
     HEAD "s_mov_b32 exec_lo, 1\nglobal_load_dword v4, v[2:3], off\ns_mov_b32 exec_lo, 2\nv_mov_b32_e32 v4, 0\n" END,
     NULL},
    {"a lane that was loaded is not",
     HEAD "s_mov_b32 exec_lo, 1\nglobal_load_dword v4, v[2:3], off\ns_mov_b32 exec_lo, 3\nv_mov_b32_e32 v4, 0\n" END,
     "v4 is overwritten"},
    {"readfirstlane reads one lane",
     HEAD "s_mov_b32 exec_lo, 2\nv_mov_b32_e32 v4, 0\ns_mov_b32 exec_lo, 1\nglobal_load_dword v4, v[2:3], "
          "off\ns_mov_b32 exec_lo, 6\n"
          "v_readfirstlane_b32 s12, v4\n" END,
     NULL},
    {"a flat load of memory is known by vmcnt",
     HEAD "flat_load_dword v4, v[2:3]\ns_waitcnt vmcnt(0)\nv_mov_b32_e32 v6, v4\n" END, NULL},
    {"a flat load of memory is not known by lgkmcnt",
     HEAD "flat_load_dword v4, v[2:3]\ns_waitcnt lgkmcnt(0)\nv_mov_b32_e32 v6, v4\n" END, "vmcnt"},
    {"an export's source is overwritten", "exp mrt0 v0, v0, v0, v0 done vm\nv_mov_b32_e32 v0, 0\n" END, "expcnt"},
    {"an export's source is read", "exp mrt0 v0, v0, v0, v0 done vm\nv_mov_b32_e32 v4, v0\n" END, NULL},
    {"an export is waited for", "exp mrt0 v0, v0, v0, v0 done vm\ns_waitcnt expcnt(0)\nv_mov_b32_e32 v0, 0\n" END,
     NULL},
    {"exec changes under an export", "exp mrt0 v0, v0, v0, v0 done vm\ns_mov_b32 exec_lo, 0\n" END,
     "exec_lo is overwritten"},
    {"vcc is a scalar load's result", "s_load_dword vcc_lo, s[0:1], 0x0\ns_cbranch_vccz 0\n" END, "vcc_lo is read"},

    /* ---- hazards ---- */
    {"s_denorm_mode three states after an atomic on floats",
     HEAD "v_mov_b32_e32 v4, 0\nbuffer_atomic_fmin v4, v1, s[4:7], 0 offen\ns_nop 2\ns_denorm_mode 15\n" END, NULL},
    {"s_denorm_mode two states after it",
     HEAD "v_mov_b32_e32 v4, 0\nbuffer_atomic_fmin v4, v1, s[4:7], 0 offen\ns_nop 1\ns_denorm_mode 15\n" END,
     "2 wait states after"},
    {"s_denorm_mode directly after it",
     HEAD "v_mov_b32_e32 v4, 0\nbuffer_atomic_fmin v4, v1, s[4:7], 0 offen\ns_denorm_mode 15\n" END,
     "0 wait states after"},
    {"a vector instruction between",
     HEAD
     "v_mov_b32_e32 v4, 0\nbuffer_atomic_fmin v4, v1, s[4:7], 0 offen\nv_mov_b32_e32 v5, 0\ns_denorm_mode 15\n" END,
     NULL},
    {"a wait between",
     HEAD "v_mov_b32_e32 v4, 0\nbuffer_atomic_fmin v4, v1, s[4:7], 0 offen\ns_waitcnt vmcnt(0)\ns_denorm_mode 15\n" END,
     NULL},
    {"exec rises directly before a long image instruction",
     HEAD "v_mov_b32_e32 v6, 0\ns_mov_b32 exec_lo, 0\ns_mov_b32 exec_lo, 1\n"
          "image_sample_d v4, [v0, v1, v6, v6, v1, v0], s[16:23], s[24:27] dmask:0x1 dim:SQ_RSRC_IMG_2D\n" END,
     "made exec not zero"},

    /* ---- what nothing has written ---- */
    {"garbage is stored", HEAD "v_add_nc_u32_e32 v4, v0, v9\n" STORE("v4") END, "v9, which nothing has written"},
    {"garbage goes nowhere", HEAD "v_add_nc_u32_e32 v4, v0, v9\n" STORE("v0") END, NULL},
    {"garbage is masked out", HEAD "v_and_b32_e32 v4, 0, v9\n" STORE("v4") END, NULL},
    {"garbage is not chosen",
     HEAD "v_cmp_eq_u32_e32 vcc_lo, v0, v0\nv_cndmask_b32_e32 v4, v9, v0, vcc_lo\n" STORE("v4") END, NULL},
    {"garbage is in lanes that are off", HEAD "s_mov_b32 exec_lo, 1\nv_mov_b32_e32 v4, 0\n" STORE("v4") END, NULL},
    {"garbage is in a lane that is on again",
     HEAD "s_mov_b32 exec_lo, 1\nv_mov_b32_e32 v4, 0\ns_mov_b32 exec_lo, 3\n" STORE("v4") END, "v4 (lane 1)"},
    {"the upper half is garbage and not stored",
     HEAD "v_add_nc_u16 v4, v0, v0\nglobal_store_short v[2:3], v4, off\n" END, NULL},
    {"the upper half is garbage and stored", HEAD "v_add_nc_u16 v4, v0, v0\n" STORE("v4") END, "as data for memory"},
    {"an address is garbage", HEAD "v_mov_b32_e32 v10, v9\nglobal_load_dword v4, v[10:11], off\n" END, "in an address"},
    {"a scalar address is garbage", "s_load_dword s12, s[40:41], 0x0\n" END, "s41, which nothing"},
    {"a descriptor is garbage", HEAD "buffer_load_dword v4, v1, s[40:43], 0 offen\n" END, "in a descriptor"},
    {"a branch depends on garbage", "s_cmp_eq_u32 s40, 0\ns_cbranch_scc1 0\n" END, "scc in a branch"},
    {"a branch depends on a bit of garbage", "s_bitcmp1_b32 s40, 7\ns_cbranch_scc1 0\n" END, "scc in a branch"},
    {"exec is garbage", "s_mov_b32 exec_lo, s40\n" END, "exec as it is now"},
    {"an export is garbage", "exp mrt0 v9, off, off, off done vm\n" END, "as an export"},
    {"a switched-off channel is garbage", "exp mrt0 v0, off, off, off done vm\n" END, NULL},
    {"a word of LDS is garbage", HEAD "ds_read_b32 v4, v1\ns_waitcnt lgkmcnt(0)\n" STORE("v4") END, "an LDS word"},
    {"a word of LDS was written",
     HEAD "ds_write_b32 v1, v0\nds_read_b32 v4, v1\ns_waitcnt lgkmcnt(0)\n" STORE("v4") END, NULL},
    {"garbage goes through LDS", HEAD "ds_write_b32 v1, v9\nds_read_b32 v4, v1\ns_waitcnt lgkmcnt(0)\n" STORE("v4") END,
     "v9, which nothing"},
    {"garbage is spilled", HEAD PRIVATE "buffer_store_dword v9, off, s[20:23], 0 offset:4\n" END, NULL},
    {"garbage goes through private memory",
     HEAD PRIVATE "buffer_store_dword v9, off, s[20:23], 0 offset:4\nbuffer_load_dword v4, off, s[20:23], 0 offset:4\n"
                  "s_waitcnt vmcnt(0)\n" STORE("v4") END,
     "v9, which nothing"},
    {"garbage in private memory is overwritten",
     HEAD PRIVATE "buffer_store_dword v9, off, s[20:23], 0 offset:4\nbuffer_store_dword v0, off, s[20:23], 0 offset:4\n"
                  "buffer_load_dword v4, off, s[20:23], 0 offset:4\ns_waitcnt vmcnt(0)\n" STORE("v4") END,
     NULL},
    {"one byte of private memory is garbage",
     HEAD PRIVATE "buffer_store_dword v0, off, s[20:23], 0 offset:4\nbuffer_store_byte v9, off, s[20:23], 0 offset:6\n"
                  "buffer_load_ubyte v4, off, s[20:23], 0 offset:5\nbuffer_load_ubyte v5, off, s[20:23], 0 offset:6\n"
                  "s_waitcnt vmcnt(0)\n" STORE("v4") STORE("v5") END,
     "v5 (lane 0)"},
    {"a word of LDS was written through a flat address",
     HEAD FLAT_LDS
     "flat_store_dword v[10:11], v0\nflat_load_dword v4, v[10:11]\ns_waitcnt vmcnt(0) lgkmcnt(0)\n" STORE("v4") END,
     NULL},
    {"garbage goes through LDS by a flat address",
     HEAD FLAT_LDS
     "flat_store_dword v[10:11], v9\nflat_load_dword v4, v[10:11]\ns_waitcnt vmcnt(0) lgkmcnt(0)\n" STORE("v4") END,
     "v9, which nothing"},
    {"a flat load of LDS is not known by vmcnt",
     HEAD FLAT_LDS "flat_store_dword v[10:11], v0\nflat_load_dword v4, v[10:11]\ns_waitcnt vmcnt(0)\n" STORE("v4") END,
     "lgkmcnt"},
    {"a permutation whose lanes are all active keeps nothing of its destination",
     HEAD "v_permlanex16_b32 v4, v1, 0, 0\n" STORE("v4") END, NULL},
    {"one that reads inactive lanes keeps nothing, either",
     HEAD "s_mov_b32 exec_lo, 15\nv_permlanex16_b32 v4, v1, 0, 0 op_sel:[1,0]\n" STORE("v4") END, NULL},
    {"one that takes inactive lanes for 0 keeps nothing, either",
     HEAD "s_mov_b32 exec_lo, 15\nv_permlanex16_b32 v4, v1, 0, 0 op_sel:[0,1]\n" STORE("v4") END, NULL},
    {"one that skips inactive lanes keeps its destination",
     HEAD "s_mov_b32 exec_lo, 15\nv_permlanex16_b32 v4, v1, 0, 0\n" STORE("v4") END, "v4, which nothing"},
    {"garbage is another lane's",
     HEAD "v_mov_b32_dpp v4, v9 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf\n" STORE("v4") END, "v9, which nothing"},
    {"a register that the wave has not", "v_mov_b32_e32 v40, 0\n" END, "v40 is beyond the 16 VGPRs"},

    /* ---- between waves ---- */
    {"a word of LDS is handed over",
     HEAD "ds_write_b32 v1, v0\ns_waitcnt lgkmcnt(0)\ns_barrier\nv_xor_b32_e32 v1, 0x80, v1\nds_read_b32 v4, "
          "v1\ns_waitcnt lgkmcnt(0)\n" STORE("v4") END,
     NULL, 2},
    {"a word of LDS is handed over too early",
     HEAD
     "ds_write_b32 v1, v0\ns_barrier\nv_xor_b32_e32 v1, 0x80, v1\nds_read_b32 v4, v1\ns_waitcnt lgkmcnt(0)\n" STORE(
         "v4") END,
     "had not waited for it (lgkmcnt)", 2},
    {"in one CU it is enough that the write was sent",
     HEAD "ds_write_b32 v1, v0\ns_waitcnt_depctr 0xffe3\ns_barrier\nv_xor_b32_e32 v1, 0x80, v1\nds_read_b32 v4, "
          "v1\ns_waitcnt lgkmcnt(0)\n" STORE("v4") END,
     NULL, 2},
    {"in two CUs it is not",
     HEAD "ds_write_b32 v1, v0\ns_waitcnt_depctr 0xffe3\ns_barrier\nv_xor_b32_e32 v1, 0x80, v1\nds_read_b32 v4, "
          "v1\ns_waitcnt lgkmcnt(0)\n" STORE("v4") END,
     "had not waited for it (lgkmcnt)", 2, true},
    {"nor is it before the write",
     HEAD "s_waitcnt_depctr 0xffe3\nds_write_b32 v1, v0\ns_barrier\nv_xor_b32_e32 v1, 0x80, v1\nds_read_b32 v4, "
          "v1\ns_waitcnt lgkmcnt(0)\n" STORE("v4") END,
     "had not waited for it (lgkmcnt)", 2},
    {"nor is another part of the same wait",
     HEAD "ds_write_b32 v1, v0\ns_waitcnt_depctr 0xff9f\ns_barrier\nv_xor_b32_e32 v1, 0x80, v1\nds_read_b32 v4, "
          "v1\ns_waitcnt lgkmcnt(0)\n" STORE("v4") END,
     "had not waited for it (lgkmcnt)", 2},
    {"the wait comes after the barrier",
     HEAD "ds_write_b32 v1, v0\ns_barrier\ns_waitcnt lgkmcnt(0)\nv_xor_b32_e32 v1, 0x80, v1\nds_read_b32 v4, "
          "v1\ns_waitcnt lgkmcnt(0)\n" STORE("v4") END,
     "had not waited for it (lgkmcnt)", 2},
};

struct rig {
    struct gpu_space space;
    int fd;
};

static void take_export(struct sq_wave *wave, const struct sq_uop *uop, const struct isa_export *exp,
                        const uint32_t *const rows[4])
{
}

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
    for (unsigned lane = 0; lane < LANES; lane++)
        wave->vgpr[lane] = wave->wave_in_group * LANES + lane;
    sq_write64(&wave->sgpr[0], DATA_VA);
    memcpy(&wave->sgpr[4], buffer, sizeof(buffer));
    wave->sgpr[8] = wave->wave_in_group;
    wave->sgpr[SQ_SHARED_BASE + 1] = 0x00020000;
    wave->sgpr[SQ_PRIVATE_BASE + 1] = 0x00010000;
    for (unsigned i = 16; i < 28; i++)
        wave->sgpr[i] = 0;
}

static bool run_program(struct rig *rig, const struct rule *rule, struct sq_fault *fault_out)
{
    static const struct sq_hooks hooks = {.export = take_export};
    _Atomic bool killed = false;
    unsigned waves = MAX2(rule->waves, 1u);
    struct sq_launch launch = {.program_va = CODE_VA,
                               .lanes = LANES,
                               .vgpr_count = 16,
                               .mode = 0xf0,
                               .is_wgp_mode = rule->is_wgp_mode,
                               .lds_size_B = 512,
                               .memory = &rig->space,
                               .killed = &killed,
                               .hooks = &hooks};
    assemble_program(rig, rule->program);
    struct sq_code *code = amd_sq_code_create(&rig->space);
    struct sq_workgroup *group = amd_sq_workgroup_create(0);
    assert_true(code && group && amd_sq_workgroup_begin(group, &launch, code, waves));
    for (unsigned i = 0; i < waves; i++)
        load_registers(group->waves[i]);
    bool ok = amd_sq_workgroup_run(group, fault_out) == SQ_TURN_DONE;
    amd_sq_workgroup_destroy(group);
    amd_sq_code_destroy(code);
    return ok;
}

static void rule_holds(void **state)
{
    const struct rule *rule = *state;
    struct sq_fault fault = {0};
    struct rig rig;
    rig.fd = memfd_create("strict", 0);
    assert_true(rig.fd >= 0 && ftruncate(rig.fd, SIZE_B) == 0);
    assert_int_equal(gpu_space_init(&rig.space, &(struct gpu_extent){CODE_VA, SIZE_B}, 1), 0);
    assert_int_equal(gpu_space_map_file(&rig.space, CODE_VA, SIZE_B, rig.fd, 0, GPU_PERM_RWX), 0);
    bool ok = run_program(&rig, rule, &fault);
    gpu_space_finish(&rig.space);
    close(rig.fd);
    if (!rule->why) {
        if (!ok)
            fail_msg("a fault: %s", fault.why);
        return;
    }
    assert_false(ok);
    assert_int_equal(fault.kind, SQ_FAULT_STRICT);
    if (!strstr(fault.why, rule->why))
        fail_msg("\"%s\" does not say \"%s\"", fault.why, rule->why);
}

int main(void)
{
    setenv("TUFF_DEBUG", "strict", 1);
    struct CMUnitTest tests[ARRAY_SIZE(rules)];
    for (unsigned i = 0; i < ARRAY_SIZE(rules); i++)
        tests[i] =
            (struct CMUnitTest){.name = rules[i].name, .test_func = rule_holds, .initial_state = (void *)&rules[i]};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
