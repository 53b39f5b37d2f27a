/* Programs without loops, of all lanes, that store to buffers: as a whole (whole.h) beside wave by wave. Buffers end
 * where the last lanes' bytes are, and one lies over another: there lanes miss. */
#include <string.h>

#include "adreno/model/sp/tests/random_sp.h"
#include "adreno/model/sp/whole.h"

/* Descriptors: 3 is the lanes' own; 4 the same, from some bytes further on; 5 apart from both; 6 has a few dwords. */
void random_whole_begin(void)
{
    const uint32_t all = rig.launch.lanes * 16;
    random_ops_pack_buffer(rig.ibos[3], BASE_VA + WHOLE_B, all - random_below(2) * random_below(70));
    random_ops_pack_buffer(rig.ibos[4], BASE_VA + WHOLE_B + random_below(2) * random_below(4) * 64, all);
    random_ops_pack_buffer(rig.ibos[5], BASE_VA + DATA_B, ELEMENTS);
    random_ops_pack_buffer(rig.ibos[6], BASE_VA + DATA_B, 1 + random_below(6));
}

void random_whole_fill_memory(void)
{
    for (unsigned i = 0; i < WHOLE_SIZE_B / 4; i++)
        ((uint32_t *)(void *)(rig.memory + WHOLE_B))[i] = i * 0x9e3779b1u;
}

/* The element where a lane's own bytes begin, by the numbers that a dispatch gives. */
void random_whole_open(void)
{
    say("shl.b r3.z, r13.%c, 4", "xw"[random_below(2)]);
    if (random_below(2))
        say("add.u r3.z, r3.z, r49.x");
}

static unsigned choose_buffer(void)
{
    return random_below(8) == 0 ? 4 : 3;
}

/* Of the own dwords; seldom one that is the next lane's. */
static void address(void)
{
    say("add.u r3.y, r3.z, %u", random_below(20) == 0 ? 16 + random_below(4) : random_below(13));
}

void random_whole_memory(void)
{
    const unsigned count = random_below(3) ? 1 : 1 + random_below(4);
    switch (random_below(8)) {
    case 0: /* of any lane's, or of a small buffer */
        say("and.b r3.y, %s, 255", random_integer());
        say("isam.v.1d (u32)(x%s)r%u.x, r3.y, s#0, t#1", random_below(2) ? "y" : "", random_below(2));
        break;
    case 1:
        say("and.b r3.y, %s, %u", random_integer(), random_below(2) ? 255 : 7);
        say("ldib.b.untyped.1d.u32.%u.imm r%u.x, r3.y, %u", count, random_below(2), 5 + random_below(2));
        break;
    case 2: /* numbers that wrap */
        say("sub.u r3.y, r13.w, %u", random_below(140));
        say("ldib.b.untyped.1d.u32.%u.imm r%u.x, r3.y, %u", count, random_below(2), 5 + random_below(2));
        break;
    case 3: /* what may be a float */
        address();
        say("ldib.b.untyped.1d.u32.%u.imm r%u.x, r3.y, %u", count, 4 + random_below(2), choose_buffer());
        break;
    default:
        address();
        say("stib.b.untyped.1d.u32.%u.imm %s, r3.y, %u", count,
            random_operand("r%u.x", random_below(2) ? random_below(2) : 4 + random_below(2)), choose_buffer());
    }
}

void random_whole_predicated(void (*straight)(unsigned count))
{
    say("cmps.u.lt p0.x, %s, %s", random_integer(), random_integer());
    say("predt");
    straight(3);
    random_whole_memory();
    if (random_below(2)) {
        say("predf");
        straight(3);
        random_whole_memory();
    }
    say("prede");
}

/* ---- running ---- */

static const struct adreno_group_regs regs = {.group_id = GROUP_ID,
                                              .group_size = ADRENO_NO_REG,
                                              .group_offset = ADRENO_NO_REG,
                                              .local_id = LOCAL_ID,
                                              .linear_id = LINEAR_ID};

static bool run_rest(const struct exec_whole_work *work, uint64_t group, uint32_t row, uint32_t first)
{
    (void)work;
    (void)group;
    (void)row;
    struct adreno_wave *wave = adreno_sp_begin(rig.host.sp, &rig.launch);
    if (!wave)
        return random_differs("no wave");
    wave->launched = wave->covered = lane_mask_and_not(lane_mask_first(rig.launch.lanes), lane_mask_first(first));
    random_fill(wave);
    return adreno_sp_run(wave) || random_differs("as a whole: %s", wave->fault.why);
}

bool random_whole_run(void)
{
    uint32_t local[ADRENO_WAVE_LANES_MAX];
    static const uint32_t zeros[ADRENO_WAVE_LANES_MAX];
    const uint32_t lanes = rig.launch.lanes;
    for (uint32_t i = 0; i < lanes; i++)
        local[i] = i;
    const struct exec_grid grid = {.size = {lanes, 1, 1},
                                   .count = {1, 1, 1},
                                   .threads = lanes,
                                   .rows = 1,
                                   .lanes = lanes,
                                   .local = {local, zeros, zeros}};
    struct exec_shape shape;
    if (!exec_shape_find(grid.size, lanes, &shape))
        return random_differs("no shape");
    struct sp_whole *whole = adreno_sp_whole_find(rig.host.sp, &rig.launch, &regs, shape, UINT32_MAX);
    random_whole_fill_memory();
    struct adreno_wave *wave = whole ? adreno_sp_whole_bring(rig.host.sp, whole, &rig.launch, &grid) : NULL;
    struct exec_whole_work work = {.whole = whole ? &whole->exec : NULL,
                                   .grid = &grid,
                                   .frame = wave,
                                   .values = wave ? wave->values : NULL,
                                   .env = wave ? wave->env : 0,
                                   .counts = &adreno_sp_code_exec(rig.host.sp->code)->counts,
                                   .rest = run_rest};
    if (wave)
        random_fill(wave);
    if (!(wave ? exec_whole_run(&work, 0, 1) : run_rest(&work, 0, 0, 0)))
        return false;
    memcpy(rig.whole_memory[2], rig.memory + WHOLE_B, WHOLE_SIZE_B);
    return true;
}
