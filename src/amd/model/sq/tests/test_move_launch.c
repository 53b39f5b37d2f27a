/* Launches of moves (sq_move_launch.h) beside the same workgroups as waves: programs whose workgroups differ by
 * numbers, programs that look like it and are none, and workgroups whose memory is not there. */
#include "amd/model/texture/tests/ta_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "amd/isa/asm.h"
#include "amd/model/sq/sq_mode.h"
#include "amd/model/sq/sq_move_launch.h"
#include "util/bits.h"
#include "util/tests/host_level_test.h"

enum {
    LANES = 64,
    PIECE_B = 16,
    ROW_B = 1088,      /* no power of two */
    GROUPS_X = 4,      /* of 256 bytes */
    GROUPS_Y = 4,      /* of 16 rows */
    TILE_B = 4096,     /* of a workgroup */
    ROWS_B = 96 << 10, /* all of them, and more */
    TILES_B = 64 << 10,
    TEXT_B = 4096,
    ID_X = 8, /* registers */
    ID_Y = 9,
};

/* s[0:1] rows, s[2:3] tiles, s4 a row's bytes, s5 a tile's, s6 the tiles of a row of workgroups; s8 and s9 are numbers
 * of the workgroup. To s[10:11] and s[12:13], the rows of a workgroup, s[14:15], its tile, and s20 to s23, changes of
 * it. */
#define PLACES                                                                                                         \
    "s_lshl_b32 s16, s8, 8\n"                                                                                          \
    "s_lshl_b32 s17, s9, 4\n"                                                                                          \
    "s_mul_i32 s17, s17, s4\n"                                                                                         \
    "s_add_u32 s16, s16, s17\n"                                                                                        \
    "s_add_u32 s10, s0, s16\n"                                                                                         \
    "s_addc_u32 s11, s1, 0\n"                                                                                          \
    "s_lshl_b32 s18, s4, 3\n"                                                                                          \
    "s_add_u32 s12, s10, s18\n"                                                                                        \
    "s_addc_u32 s13, s11, 0\n"                                                                                         \
    "s_mul_i32 s17, s9, s6\n"                                                                                          \
    "s_add_u32 s17, s17, s8\n"                                                                                         \
    "s_mul_i32 s17, s17, s5\n"                                                                                         \
    "s_add_u32 s14, s2, s17\n"                                                                                         \
    "s_addc_u32 s15, s3, 0\n"                                                                                          \
    "s_and_b32 s20, s8, 1\n"                                                                                           \
    "s_lshl_b32 s20, s20, 11\n"                                                                                        \
    "s_and_b32 s21, s9, 1\n"                                                                                           \
    "s_lshl_b32 s21, s21, 8\n"                                                                                         \
    "s_xor_b32 s20, s20, s21\n"                                                                                        \
    "s_movk_i32 s7, 0x800\n"                                                                                           \
    "s_xor_b32 s21, s20, 0x400\n"                                                                                      \
    "s_xor_b32 s22, s20, s7\n"                                                                                         \
    "s_xor_b32 s23, s21, s7\n"
/* A 64-bit sum of which the carry is not the same for all. */
#define BACK_AND_FORTH                                                                                                 \
    "s_add_u32 s10, s10, 0xfffff000\n"                                                                                 \
    "s_addc_u32 s11, s11, -1\n"                                                                                        \
    "s_add_u32 s10, s10, 0x1000\n"                                                                                     \
    "s_addc_u32 s11, s11, 0\n"
#define CHANGES                                                                                                        \
    "v_xor_b32 v4, s20, v1\n"                                                                                          \
    "v_xor_b32 v5, s21, v1\n"                                                                                          \
    "v_xor_b32 v6, s22, v1\n"                                                                                          \
    "v_xor_b32 v7, s23, v1\n"
#define TO_TILES                                                                                                       \
    CHANGES "global_load_dwordx4 v[10:13], v0, s[10:11]\n"                                                             \
            "global_load_dwordx4 v[14:17], v0, s[10:11] offset:128\n"                                                  \
            "global_load_dwordx4 v[18:21], v0, s[12:13]\n"                                                             \
            "global_load_dwordx4 v[22:25], v0, s[12:13] offset:128\n"                                                  \
            "global_store_dwordx4 v4, v[10:13], s[14:15]\n"                                                            \
            "global_store_dwordx4 v5, v[14:17], s[14:15]\n"                                                            \
            "global_store_dwordx4 v6, v[18:21], s[14:15]\n"                                                            \
            "global_store_dwordx4 v7, v[22:25], s[14:15]\n"
#define FROM_TILES                                                                                                     \
    CHANGES "global_load_dwordx4 v[10:13], v4, s[14:15]\n"                                                             \
            "global_load_dwordx4 v[14:17], v5, s[14:15]\n"                                                             \
            "global_load_dwordx4 v[18:21], v6, s[14:15]\n"                                                             \
            "global_load_dwordx4 v[22:25], v7, s[14:15]\n"                                                             \
            "global_store_dwordx4 v0, v[10:13], s[10:11]\n"                                                            \
            "global_store_dwordx4 v0, v[14:17], s[10:11] offset:128\n"                                                 \
            "global_store_dwordx4 v0, v[18:21], s[12:13]\n"                                                            \
            "global_store_dwordx4 v0, v[22:25], s[12:13] offset:128\n"

struct launch_rig {
    struct rig *rig;
    uint8_t *rows, *tiles, *expected;
    uint64_t rows_va, tiles_va, code_va;
    uint32_t *code;
};

static void begin_copy_launch(struct launch_rig *l, struct rig *rig)
{
    l->rig = rig;
    l->rows = rig_alloc(rig, ROWS_B, 4096, &l->rows_va);
    l->tiles = rig_alloc(rig, TILES_B, 4096, &l->tiles_va);
    l->code = rig_alloc(rig, TEXT_B, 4096, &l->code_va);
    l->expected = malloc(ROWS_B + TILES_B);
    assert_non_null(l->expected);
}

static void fill_images(struct launch_rig *l)
{
    for (unsigned i = 0; i < ROWS_B; i++)
        l->rows[i] = (uint8_t)rig_random(l->rig);
    for (unsigned i = 0; i < TILES_B; i++)
        l->tiles[i] = (uint8_t)rig_random(l->rig);
}

/* The registers of a workgroup: eight rows of eight pieces, in squares of which two bits of four are columns or one
 * is. */
static void put_group(struct launch_rig *l, uint32_t x, uint32_t y, unsigned columns)
{
    struct rig *rig = l->rig;
    rig_lanes(rig, LANES, UINT64_MAX);
    memset(rig->wave->sgpr, 0, 32 * sizeof(rig->wave->sgpr[0]));
    memcpy(rig->wave->sgpr, (const uint64_t[]){l->rows_va, l->tiles_va}, 16);
    rig->wave->sgpr[4] = ROW_B;
    rig->wave->sgpr[5] = TILE_B;
    rig->wave->sgpr[6] = GROUPS_X;
    rig->wave->sgpr[ID_X] = x;
    rig->wave->sgpr[ID_Y] = y;
    for (unsigned lane = 0; lane < LANES; lane++) {
        unsigned column = lane % 8, row = lane / 8, at = 0;
        rig_row(rig, 0)[lane] = column * PIECE_B + row * ROW_B;
        for (unsigned bit = 0; bit < 6; bit++) {
            const bool is_column = bit < 4 ? columns >> bit & 1 : bit < 7 - (unsigned)__builtin_popcount(columns);
            unsigned *const from = is_column ? &column : &row;
            at |= (*from & 1) << bit;
            *from >>= 1;
        }
        rig_row(rig, 1)[lane] = at * PIECE_B;
    }
}

/* The program's move, or NULL. */
static struct sq_move *load_program(struct launch_rig *l, const char *text)
{
    char all[TEXT_B];
    struct isa_asm_result result;
    snprintf(all, sizeof(all), "%ss_endpgm\n", text);
    if (!amd_isa_assemble(ISA_GFX10_3, LANES, all, strlen(all), &result))
        fail_msg("%s: %s", all, result.errors[0].message);
    assert_true(result.count_dw * 4 <= TEXT_B);
    memcpy(l->code, result.words, result.count_dw * 4);
    amd_isa_asm_finish(&result);
    amd_sq_code_validate(l->rig->code);
    put_group(l, 0, 0, 0x4);
    const struct sq_uop *uop = amd_sq_code_enter(l->rig->wave, l->code_va);
    assert_non_null(uop);
    while (uop->run != amd_sq_uop_move && !(uop->inst && uop->inst->op == ISA_OP_S_ENDPGM))
        uop++;
    return uop->run == amd_sq_uop_move ? (struct sq_move *)(uintptr_t)uop->target_va : NULL;
}

static void run_wave(struct launch_rig *l)
{
    struct sq_wave *wave = l->rig->wave;
    const uint64_t host = lane_env_get();
    wave->next = amd_sq_code_enter(wave, l->code_va);
    sq_mode_enter(wave);
    while (wave->state == SQ_RUNNING) {
        const struct sq_uop *uop = wave->next++;
        uop->run(wave, uop);
    }
    lane_env_set(host);
    assert_int_equal(wave->state, SQ_ENDED);
}

static struct sq_move_launch *begin_launch(struct launch_rig *l, struct sq_move *move, unsigned columns)
{
    const struct sq_registers varying = sq_registers_only(ID_X, 2);
    put_group(l, 1, 2, columns); /* any workgroup will do */
    return amd_sq_move_launch_begin(move, l->rig->wave, l->code_va, &varying);
}

/* Every workgroup as a wave, then as a launch's. */
static void check_program(struct launch_rig *l, const char *text, unsigned columns)
{
    struct sq_move *move = load_program(l, text);
    assert_non_null(move);
    fill_images(l);
    uint8_t *before = malloc(ROWS_B + TILES_B);
    assert_non_null(before);
    memcpy(before, l->rows, ROWS_B);
    memcpy(before + ROWS_B, l->tiles, TILES_B);
    for (uint32_t i = 0; i < GROUPS_X * GROUPS_Y; i++) {
        put_group(l, i % GROUPS_X, i / GROUPS_X, columns);
        run_wave(l);
    }
    memcpy(l->expected, l->rows, ROWS_B);
    memcpy(l->expected + ROWS_B, l->tiles, TILES_B);
    assert_memory_not_equal(l->expected, before, ROWS_B + TILES_B);
    memcpy(l->rows, before, ROWS_B);
    memcpy(l->tiles, before + ROWS_B, TILES_B);
    struct sq_move_launch *launch = begin_launch(l, move, columns);
    assert_non_null(launch);
    for (uint32_t i = 0; i < GROUPS_X * GROUPS_Y; i++) {
        assert_true(amd_sq_move_launch_add(launch, (const uint32_t[]){i % GROUPS_X, i / GROUPS_X}));
        if (i % 5 == 4)
            amd_sq_move_launch_do(launch);
    }
    amd_sq_move_launch_do(launch);
    assert_memory_equal(l->rows, l->expected, ROWS_B);
    assert_memory_equal(l->tiles, l->expected + ROWS_B, TILES_B);
    free(before);
}

static void workgroups_by_numbers(void **state)
{
    struct launch_rig l;
    begin_copy_launch(&l, *state);
    static const unsigned all_columns[] = {0x4, 0x8, 0xc};
    for (unsigned i = 0; i < ARRAY_SIZE(all_columns); i++) {
        check_program(&l, PLACES TO_TILES, all_columns[i]);
        check_program(&l, PLACES FROM_TILES, all_columns[i]);
        check_program(&l, PLACES BACK_AND_FORTH TO_TILES, all_columns[i]);
        check_program(&l, PLACES BACK_AND_FORTH FROM_TILES, all_columns[i]);
    }
    free(l.expected);
}

/* Programs that look like it, and would go wrong. */
static void other_programs(void **state)
{
    static const struct {
        const char *why, *text;
    } others[] = {
        {"lanes' offsets by the number", "v_lshl_add_u32 v0, s8, 4, v0\n" PLACES TO_TILES},
        {"one copy by another number", PLACES "s_add_u32 s12, s12, s16\ns_addc_u32 s13, s13, 0\n" TO_TILES},
        {"no carry", PLACES "s_add_u32 s12, s10, s18\ns_add_u32 s13, s11, 0\n" TO_TILES},
        {"another's carry",
         PLACES "s_add_u32 s12, s10, s18\ns_add_u32 s19, s20, s18\ns_addc_u32 s13, s11, 0\n" TO_TILES},
        {"another's upper half", PLACES "s_add_u32 s12, s10, s18\ns_addc_u32 s13, s15, 0\n" TO_TILES},
        {"not all changed by the number", PLACES "s_movk_i32 s23, 0xc00\n" TO_TILES},
        {"changed twice", PLACES "s_xor_b32 s23, s23, s8\n" TO_TILES},
        {"rows that are changed", PLACES "v_xor_b32 v0, s20, v0\n" TO_TILES},
        {"two stores to one square", PLACES "s_mov_b32 s23, s22\n" TO_TILES},
    };
    struct launch_rig l;
    begin_copy_launch(&l, *state);
    for (unsigned i = 0; i < ARRAY_SIZE(others); i++) {
        struct sq_move *move = load_program(&l, others[i].text);
        fill_images(&l);
        if (move && begin_launch(&l, move, 0x4))
            fail_msg("%s: taken for a launch", others[i].why);
    }
    free(l.expected);
}

/* A workgroup beyond its memory is left to its wave, which tells of it; the others are done. */
static void memory_that_is_not_there(void **state)
{
    struct launch_rig l;
    begin_copy_launch(&l, *state);
    struct sq_move *move = load_program(&l, PLACES TO_TILES);
    fill_images(&l);
    struct sq_move_launch *launch = begin_launch(&l, move, 0x4);
    assert_non_null(launch);
    memset(l.tiles, 0, TILES_B);
    assert_true(amd_sq_move_launch_add(launch, (const uint32_t[]){0, 0}));
    assert_false(amd_sq_move_launch_add(launch, (const uint32_t[]){0, 100000}));
    assert_false(amd_sq_move_launch_add(launch, (const uint32_t[]){UINT32_MAX, 0}));
    assert_true(amd_sq_move_launch_add(launch, (const uint32_t[]){1, 0}));
    amd_sq_move_launch_do(launch);
    for (unsigned i = 0; i < TILES_B / TILE_B; i++) {
        bool is_empty = true;
        for (unsigned n = 0; n < TILE_B; n++)
            is_empty &= !l.tiles[i * TILE_B + n];
        assert_int_equal(is_empty, i >= 2);
    }
    /* A word that the program reads when the launch begins. */
    move = load_program(&l, "s_load_dword s6, s[30:31], 0x0\n" PLACES TO_TILES);
    assert_non_null(move);
    assert_null(begin_launch(&l, move, 0x4));
    free(l.expected);
}

int main(void)
{
    if (!host_level_runs())
        return 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(workgroups_by_numbers, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(other_programs, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(memory_that_is_not_there, rig_setup, rig_teardown),
    };
    return cmocka_run_group_tests_name("launches of moves", tests, NULL, NULL);
}
