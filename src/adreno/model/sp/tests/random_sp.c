/* Random programs of Adreno's for model/exec/tests/random_code.h: waves of both sizes, with all lanes and with some; as
 * a stage whose registers are outputs, and as a compute shader, of which only memory is left. Programs without loops
 * run as a whole, too (random_sp_whole.c).
 *
 * Which NaN an operation makes is the host's: floats are in registers of their own, which nothing reads as integers. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "adreno/hw/chip.h"
#include "adreno/isa/isa.h"
#include "adreno/model/sp/tests/random_sp.h"

struct random_rig random_rig;

static bool worker_begin(struct worker *worker, bool has_host_code)
{
    worker->sp = adreno_sp_create(&rig.space, NULL);
    if (!worker->sp)
        return false;
    struct exec_code *code = adreno_sp_code_exec(worker->sp->code);
    if (!has_host_code) {
        jit_destroy(code->jit);
        code->jit = NULL;
    }
    worker->sp->tpl1_state.chip = adreno_chip_find("adreno-635");
    worker->sp->tpl1_state.space = &rig.space;
    worker->state.ibos = (const uint32_t(*)[ADRENO_DESCRIPTOR_DW])rig.ibos;
    memcpy(worker->state.textures[1], rig.ibos[2], sizeof(rig.ibos[2]));
    return true;
}

static bool setup(void)
{
    rig.fd = memfd_create("sp", 0);
    if (rig.fd < 0 || ftruncate(rig.fd, SIZE_B) != 0)
        return false;
    rig.memory = mmap(NULL, SIZE_B, PROT_READ | PROT_WRITE, MAP_SHARED, rig.fd, 0);
    const struct gpu_extent extent = {BASE_VA, 1 << 20};
    if (rig.memory == MAP_FAILED || gpu_space_init(&rig.space, &extent, 1) != 0 ||
        gpu_space_map_file(&rig.space, BASE_VA, SIZE_B, rig.fd, 0, GPU_PERM_RWX) != 0)
        return false;
    random_ops_pack_buffer(rig.ibos[2], BASE_VA + DATA_B, ELEMENTS);
    return worker_begin(&rig.plain, false) && worker_begin(&rig.host, true);
}

static void teardown(void)
{
    adreno_sp_destroy(rig.plain.sp);
    adreno_sp_destroy(rig.host.sp);
    gpu_space_finish(&rig.space);
    munmap(rig.memory, SIZE_B);
    close(rig.fd);
}

/* ---- programs ---- */

static void add_load(void)
{
    const char *address = "r3.y";
    if (rig.is_whole || random_32() % 3 == 0) {
        if (random_below(3) == 0) /* r12.y is the lane's number: neighbours, some of them outside */
            say("add.u %s, r12.y, %s", address, random_below(2) ? "r10.x" : random_operand("%u", random_below(200)));
        else
            say("and.b %s, %s, %u", address, random_integer(), 255u);
        if (random_32() % 2)
            say("ldib.b.untyped.1d.u32.%u.imm r%u.x, %s, 2", 1 + random_32() % 4, random_32() % 2, address);
        else
            say("isam.v.1d (u32)(xy)r%u.x, %s, s#0, t#1", random_32() % 2, address);
        return;
    }
    say("and.b %s, %s, 508", address, random_integer());
    const unsigned back = random_below(4) ? 0 : 512; /* the register is negative, and the sum wraps */
    if (back)
        say("sub.u %s, %s, %u", address, address, back);
    for (unsigned i = 0; i < 1 + random_32() % 3; i++)
        say("ldl.u32 r%u.x, l[%s+%u], %u", random_32() % 2, address, back + 4 + random_32() % 64 * 4,
            1 + random_32() % 4);
}

/* The loop that compilers make of a shuffle by numbers that differ (sp/shuffle.c). */
static void add_shuffle(void)
{
    static const char *const modes[] = {"xor", "rup", "rdown", "rdown"};
    static const char *const fixed[] = {"r12.x", "r12.y"};
    static const unsigned masks[] = {3, 7, 15, 127};
    static unsigned id;
    const unsigned result = random_below(INTEGER_COUNT);
    const char *to = random_operand("r%u.%c", result / 4, "xyzw"[result % 4]);
    const char *from = random_below(2) ? ONE_OF(fixed) : random_integer();
    if (random_below(3) == 0)
        say("sub.u r11.x, %s, r12.y", random_below(2) ? "c1.x" : random_integer());
    else
        say("and.b r11.x, %s, %u", random_integer(), ONE_OF(masks));
    if (random_below(8) == 0)
        say("cmps.u.lt hr25.x, %s, %s", random_integer(), random_integer());
    else
        say("mov.u16u16 hr25.x, 0");
    say("round%u:", id);
    say("(rpt2)nop");
    say("sub.u hr25.y, h(1), hr25.x");
    say("cmps.s.ne p0.x, hr25.y, h(0)");
    say("br !p0.x, #2");
    say("mov.u32u32 r50.x, r11.x");
    say("(jp)cmps.s.eq hr25.z, r11.x, r50.x");
    say("cov.u16u32 r11.z, hr25.z");
    say("or.b p0.x, hr25.z, hr25.x");
    say("or.b hr25.x, hr25.z, hr25.x");
    say("shfl.%s.u32 r11.y, %s, r50.x", ONE_OF(modes), from);
    say("nop");
    say("sel.b32 %s, r11.y, r11.z, %s", to, to);
    say("ball p0.x, #2");
    say("jump #round%u", id++);
}

static void add_random(void)
{
    if (!rig.is_whole && random_below(40) == 0)
        random_ops_add_quad();
    else if (!rig.is_whole && random_below(100) == 0)
        add_shuffle();
    else if (random_below(6) == 0)
        add_load();
    else
        random_ops_add();
}

static void straight(unsigned count)
{
    for (unsigned i = 0; i < (rig.is_whole ? (count + 3) / 4 : count); i++) /* all of it is one lane program */
        add_random();
}

/* A lane's own bytes of local memory: stored to, loaded from. Integers have the even dwords, floats the odd ones. */
static void memory(void)
{
    const bool is_float = random_below(2);
    const unsigned offset = 4 + (random_below(30) * 2 + is_float) * 4;
    const char *const row = is_float ? random_float() : random_integer();
    if (rig.is_whole && random_below(6) == 0)
        random_whole_predicated(straight);
    else if (rig.is_whole)
        random_whole_memory();
    else if (random_below(4) == 0)
        say("ldl.u32 %s, l[r3.z+%u], 1", row, offset);
    else
        say("stl.u32 l[r3.z+%u], %s, 1", offset, row);
}

static void begin_case(uint64_t number)
{
    rig.is_whole = number % 3 == 0; /* random_code.c: it has no loops */
    rig.launch = (struct adreno_launch){.stage = rig.is_whole || random_below(2) ? ADRENO_STAGE_CS : ADRENO_STAGE_VS,
                                        .lanes = random_below(2) ? 64 : 128,
                                        .program_va = BASE_VA,
                                        .constants = rig.constants,
                                        .constants_dw = 16,
                                        .local_size_B = LOCAL_B,
                                        .serial = number + 1};
    rig.lanes = lane_mask_first(rig.launch.lanes);
    if (!rig.is_whole && random_below(3) == 0) {
        rig.lanes.bits[0] &= (uint64_t)random_32() << 32 | random_32() | 1;
        rig.lanes.bits[1] &= (uint64_t)random_32() << 32 | random_32();
    }
    for (unsigned i = 0; i < ELEMENTS; i++)
        ((uint32_t *)(void *)(rig.memory + DATA_B))[i] = random_interesting();
    for (unsigned i = 0; i < 16; i++)
        rig.constants[i] = random_interesting();
    rig.from = random_32();
    if (rig.is_whole) {
        random_whole_begin();
        random_whole_open();
    }
}

static void end_case(void)
{
    say("end");
}

/* ---- both ways ---- */

static uint32_t next_word(uint32_t *x)
{
    *x = *x * 1664525u + 1013904223u;
    return *x ^ *x >> 15;
}

void random_fill(struct adreno_wave *wave)
{
    uint32_t x = rig.from;
    for (unsigned c = 0; c < COMPONENTS; c++) {
        for (unsigned i = 0; i < rig.launch.lanes; i++) {
            const uint32_t word = next_word(&x);
            adreno_wave_row(wave, c)[i] = c == OWN ? OWN_B + i * 256 : c == SHUFFLES + 5 ? i : word >> (word >> 27);
        }
    }
    /* A shuffle whose fibers are all done from the start reads what a wave before has left here. */
    lanes_splat(adreno_wave_row(wave, SHARED), next_word(&x) & 127, rig.launch.lanes);
    for (unsigned i = 0; i < rig.launch.lanes && rig.is_whole; i++) {
        adreno_wave_row(wave, LOCAL_ID)[i] = adreno_wave_row(wave, LINEAR_ID)[i] = i;
        for (unsigned n = 0; n < 3; n++)
            adreno_wave_row(wave, LOCAL_ID + 1)[i] = adreno_wave_row(wave, LOCAL_ID + 2)[i] =
                adreno_wave_row(wave, GROUP_ID + n)[i] = 0;
    }
}

static bool run_way(struct worker *worker, uint32_t *left_out)
{
    uint32_t x = ~rig.from;
    rig.launch.state = &worker->state;
    adreno_sp_code_validate(worker->sp->code);
    memset(&adreno_sp_code_exec(worker->sp->code)->counts, 0, sizeof(struct exec_counts));
    worker->wave = adreno_sp_begin(worker->sp, &rig.launch);
    if (!worker->wave)
        return random_differs("no wave");
    worker->wave->launched = worker->wave->covered = rig.lanes;
    worker->wave->local = worker->local;
    random_fill(worker->wave);
    random_whole_fill_memory();
    for (unsigned i = 0; i < LOCAL_B / 4; i++)
        ((uint32_t *)(void *)worker->local)[i] = next_word(&x);
    if (!adreno_sp_run(worker->wave))
        return random_differs("%s: %s", worker == &rig.host ? "host code" : "micro-operations",
                              worker->wave->fault.why);
    memcpy(left_out, rig.memory + WHOLE_B, WHOLE_SIZE_B);
    return true;
}

static bool is_left_same(unsigned way, const char *name)
{
    for (unsigned i = 0; i < WHOLE_SIZE_B / 4; i++) {
        const uint32_t a = rig.whole_memory[0][i], b = rig.whole_memory[way][i];
        if (a != b && !(random_is_nan(a) && random_is_nan(b)))
            return random_differs("dword %u of lane %u: %08x, %s %08x", i % 16, i / 16, a, name, b);
    }
    return true;
}

static bool run_program(void)
{
    unsigned wrong;
    if (adreno_isa_assemble(random_text(), (uint64_t *)(void *)rig.memory, DATA_B / 8, &wrong) < 0)
        return random_differs("line %u is not read", wrong);
    if (!run_way(&rig.plain, rig.whole_memory[0]) || !run_way(&rig.host, rig.whole_memory[1]) ||
        !is_left_same(1, "by host code"))
        return false;
    if (rig.is_whole && (!random_whole_run() || !is_left_same(2, "as a whole")))
        return false;
    for (unsigned c = 0; c < COMPONENTS && rig.launch.stage != ADRENO_STAGE_CS; c++) {
        lane_mask_foreach(rig.lanes, i)
        {
            const uint32_t a = adreno_wave_row(rig.plain.wave, c)[i], b = adreno_wave_row(rig.host.wave, c)[i];
            if (!random_is_same(c, a, b))
                return random_differs("r%u.%c of lane %u: %08x, by host code %08x", c / 4, "xyzw"[c % 4], i, a, b);
        }
    }
    for (unsigned i = 0; i < LOCAL_B / 4; i++) {
        const uint32_t a = ((uint32_t *)(void *)rig.plain.local)[i], b = ((uint32_t *)(void *)rig.host.local)[i];
        if (a != b && !(random_is_nan(a) && random_is_nan(b)))
            return random_differs("byte %u of local memory: %08x, by host code %08x", i * 4, a, b);
    }
    return true;
}

static const struct exec_counts *counts(void)
{
    return &adreno_sp_code_exec(rig.host.sp->code)->counts;
}

const struct random_isa random_isa = {
    .name = "sp",
    .setup = setup,
    .teardown = teardown,
    .begin = begin_case,
    .end = end_case,
    .straight = straight,
    .memory = memory,
    .open_if = random_ops_open_if,
    .other = random_ops_other,
    .close_if = random_ops_close_if,
    .open_loop = random_ops_open_loop,
    .leave = random_ops_leave,
    .close_loop = random_ops_close_loop,
    .run = run_program,
    .counts = counts,
    .has_misses = true,
    .has_shuffles = true,
    .has_wholes = true,
};
