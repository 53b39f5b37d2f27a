/* Random programs of Adreno's for model/exec/tests/random_code.h: waves of both sizes, with all lanes and with some; as a
 * stage whose registers are outputs, and as a compute shader, of which only memory is left. Programs without loops run as a
 * whole, too (random_sp_whole.c).
 *
 * Which NaN an operation makes is the host's: floats are in registers of their own, which nothing reads as integers. */
#include <stdarg.h>
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
    random_set_buffer(2, BASE_VA + DATA_B, ELEMENTS);
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

#define say(...) (random_say(__VA_ARGS__), random_say("\n"))

const char *random_operand(const char *format, ...)
{
    static char texts[8][32];
    static unsigned turn;
    char *to = texts[turn++ % 8];
    va_list args;
    va_start(args, format);
    vsnprintf(to, 32, format, args);
    va_end(args);
    return to;
}

static const char *reg(unsigned first, unsigned count)
{
    unsigned component = first + random_32() % count;
    return random_operand("r%u.%c", component / 4, "xyzw"[component % 4]);
}

/* A half of one of these rows. */
static const char *half(unsigned first, unsigned count)
{
    unsigned component = first * 2 + random_32() % (count * 2);
    return random_operand("hr%u.%c", component / 4, "xyzw"[component % 4]);
}

static const char *integer(void)
{
    return reg(INTEGERS, INTEGER_COUNT);
}

const char *random_integer(void)
{
    return integer();
}

const char *random_float(void)
{
    return reg(FLOATS, FLOAT_COUNT);
}

static const char *some_integer(void)
{
    return random_32() % 4 == 0 ? random_operand("c%u.%c", random_32() % 4, "xyzw"[random_32() % 4]) : integer();
}

/* With a sign; what (neg) means is the instruction's. */
static const char *signed_float(bool is_half)
{
    static const char *const signs[] = {"", "", "(neg)", "(abs)", "(absneg)"};
    const char *sign = signs[random_32() % 5];
    return random_operand("%s%s", sign, is_half ? half(HALVES, HALF_COUNT) : reg(FLOATS, FLOAT_COUNT));
}

#define ONE_OF(table) (table[random_32() % (sizeof(table) / sizeof(table[0]))])

static void add_integer(void)
{
    static const char *const two[] = {"add.u",     "add.s",     "sub.u",   "sub.s",   "min.u",   "max.u",
                                      "min.s",     "max.s",     "and.b",   "or.b",    "xor.b",   "shl.b",
                                      "shr.b",     "ashr.b",    "mull.u",  "mul.u24", "mul.s24", "cmps.u.lt",
                                      "cmps.s.ge", "cmps.u.eq", "getbit.b"};
    static const char *const one[] = {"not.b", "bfrev.b", "clz.b", "clz.s", "cbits.b", "absneg.s"};
    static const char *const three[] = {"mad.u24", "mad.s24", "madsh.m16", "sel.b32", "sad.s32"};
    switch (random_32() % 8) {
    case 0:
        say("%s %s, %s", ONE_OF(one), integer(), integer());
        break;
    case 1:
    case 2:
        say("%s %s, %s, %s, %s", ONE_OF(three), integer(), some_integer(), integer(), integer());
        break;
    case 3:
        say("%s %s, %s, %u", ONE_OF(two), integer(), integer(), random_32() % 1024);
        break;
    case 4: /* how a product of 32 bits is made */
    {
        const char *a = integer(), *c = random_32() % 2 ? "c1.x" : integer(), *d = integer(), *t = "r2.w";
        say("mull.u %s, %s, %s", t, a, c);
        say("madsh.m16 %s, %s, %s, %s", t, a, random_32() % 2 && c[0] == 'r' ? c : d, t);
        say("madsh.m16 %s, %s, %s, %s", integer(), c, a, t);
        break;
    }
    default:
        say("%s %s, %s, %s", ONE_OF(two), integer(), some_integer(), integer());
    }
}

/* A constant by a number that the fiber computes; some are outside. */
static void add_relative_constant(void)
{
    say("and.b hr27.x, %s, h(%u)", half(INTEGERS, INTEGER_COUNT), random_32() % 2 ? 3u : 15u);
    say("mova a0.x, hr27.x");
    say("%s %s, c<a0.x + %u>, %s", random_32() % 2 ? "add.u" : "xor.b", integer(), 1 + random_32() % 5, integer());
}

static void add_half_integer(void)
{
    static const char *const two[] = {"add.u", "sub.s", "min.u",  "max.s",     "and.b",  "xor.b",
                                      "shl.b", "shr.b", "ashr.b", "cmps.s.lt", "mul.u24"};
    if (random_32() % 4 == 0)
        say("%s %s, %s, %s", ONE_OF(two), integer(), half(INTEGERS, INTEGER_COUNT), half(INTEGERS, INTEGER_COUNT));
    else
        say("%s %s, %s, %s", ONE_OF(two), half(INTEGERS, INTEGER_COUNT), half(INTEGERS, INTEGER_COUNT),
            half(INTEGERS, INTEGER_COUNT));
}

static void add_float(bool is_half)
{
    static const char *const two[] = {"add.f", "mul.f", "min.f", "max.f"};
    static const char *const one[] = {"floor.f", "ceil.f", "rndne.f", "trunc.f", "absneg.f", "sign.f"};
    const char *d = is_half ? half(HALVES, HALF_COUNT) : reg(FLOATS, FLOAT_COUNT);
    const char *saturate = random_32() % 6 ? "" : "(sat)";
    switch (random_32() % 6) {
    case 0:
        say("%s %s, %s", ONE_OF(one), d, signed_float(is_half));
        break;
    case 1:
        say("%s%s %s, %s, %s, %s", saturate, is_half ? "mad.f16" : "mad.f32", d,
            is_half ? half(HALVES, HALF_COUNT) : reg(FLOATS, FLOAT_COUNT),
            is_half ? half(HALVES, HALF_COUNT) : reg(FLOATS, FLOAT_COUNT),
            is_half ? half(HALVES, HALF_COUNT) : reg(FLOATS, FLOAT_COUNT));
        break;
    case 2:
        say("cmps.f.%s %s, %s, %s", random_32() % 2 ? "lt" : "ge", integer(), signed_float(is_half),
            signed_float(is_half));
        break;
    case 3:
        if (!is_half)
            say("%s %s, %s", random_32() % 2 ? "rcp" : "sqrt", d, reg(FLOATS, FLOAT_COUNT));
        break;
    default:
        say("%s%s %s, %s, %s", saturate, ONE_OF(two), d, signed_float(is_half), signed_float(is_half));
    }
}

static void add_conversion(void)
{
    switch (random_32() % 8) {
    case 0:
        say("cov.u32f32 %s, %s", reg(FLOATS, FLOAT_COUNT), integer());
        break;
    case 1:
        say("cov.s32f32 %s, %s", reg(FLOATS, FLOAT_COUNT), integer());
        break;
    case 2:
        say("cov.f32u32 %s, %s", integer(), reg(FLOATS, FLOAT_COUNT));
        break;
    case 3:
        say("cov.f32s32 %s, %s", integer(), reg(FLOATS, FLOAT_COUNT));
        break;
    case 4:
        say("cov.f16f32 %s, %s", reg(FLOATS, FLOAT_COUNT), half(HALVES, HALF_COUNT));
        break;
    case 5:
        say("cov.f32f16 %s%s", random_32() % 2 ? "(even)" : "",
            random_operand("%s, %s", half(HALVES, HALF_COUNT), reg(FLOATS, FLOAT_COUNT)));
        break;
    case 6:
        say("cov.%s %s, %s", random_32() % 2 ? "u16u32" : "s16s32", integer(), half(INTEGERS, INTEGER_COUNT));
        break;
    default:
        say("cov.u32u16 %s, %s", half(INTEGERS, INTEGER_COUNT), integer());
    }
}

static void add_load(void)
{
    const char *address = "r3.y";
    if (rig.is_whole || random_32() % 3 == 0) {
        if (random_below(3) == 0) /* r12.y is the lane's number: neighbours, some of them outside */
            say("add.u %s, r12.y, %s", address, random_below(2) ? "r10.x" : random_operand("%u", random_below(200)));
        else
            say("and.b %s, %s, %u", address, integer(), 255u);
        if (random_32() % 2)
            say("ldib.b.untyped.1d.u32.%u.imm r%u.x, %s, 2", 1 + random_32() % 4, random_32() % 2, address);
        else
            say("isam.v.1d (u32)(xy)r%u.x, %s, s#0, t#1", random_32() % 2, address);
        return;
    }
    say("and.b %s, %s, 508", address, integer());
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
    const char *from = random_below(2) ? ONE_OF(fixed) : integer();
    if (random_below(3) == 0)
        say("sub.u r11.x, %s, r12.y", random_below(2) ? "c1.x" : integer());
    else
        say("and.b r11.x, %s, %u", integer(), ONE_OF(masks));
    if (random_below(8) == 0)
        say("cmps.u.lt hr25.x, %s, %s", integer(), integer());
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

/* What another lane of the quad has, whether it runs or not. */
static void add_quad(void)
{
    static const char *const derivatives[] = {"dsx (f32)", "dsy (f32)", "dsxpp.1 ", "dsypp.1 "};
    static const char *const neighbours[] = {"horiz", "vert", "diag"};
    if (random_below(2))
        say("%s(x)%s, %s", ONE_OF(derivatives), reg(FLOATS, FLOAT_COUNT), reg(FLOATS, FLOAT_COUNT));
    else if (random_below(4))
        say("quad_shuffle.%s (u32)(x)%s, %s", ONE_OF(neighbours), integer(), integer());
    else
        say("quad_shuffle.brcst (u32)(x)%s, %s, %s", integer(), integer(), integer());
}

static void add_random(void)
{
    if (!rig.is_whole && random_below(40) == 0) {
        add_quad();
        return;
    }
    if (!rig.is_whole && random_below(100) == 0) {
        add_shuffle();
        return;
    }
    switch (random_32() % 12) {
    case 0:
    case 1:
        add_float(false);
        break;
    case 2:
        add_float(true);
        break;
    case 3:
        if (random_32() % 4 == 0)
            add_relative_constant();
        else
            add_half_integer();
        break;
    case 4:
        add_conversion();
        break;
    case 5:
    case 6:
        add_load();
        break;
    case 7:
        say("mov.u32u32 %s, %s", integer(), some_integer());
        break;
    default:
        add_integer();
    }
}

static void straight(unsigned count)
{
    for (unsigned i = 0; i < (rig.is_whole ? (count + 3) / 4 : count); i++) /* all of it is one lane program */
        add_random();
}

/* A lane's own bytes of local memory: stored to, loaded from. */
static void memory(void)
{
    const unsigned offset = 4 + random_below(60) * 4;
    if (rig.is_whole && random_below(6) == 0)
        random_whole_predicated(straight);
    else if (rig.is_whole)
        random_whole_memory();
    else if (random_below(4) == 0)
        say("ldl.u32 %s, l[r3.z+%u], 1", integer(), offset);
    else
        say("stl.u32 l[r3.z+%u], %s, 1", offset, random_below(2) ? integer() : reg(FLOATS, FLOAT_COUNT));
}

static void open_if(unsigned depth, unsigned id)
{
    (void)depth;
    say("cmps.u.ge p0.y, %s, %s", integer(), integer());
    say("br p0.y, #other%u", id);
}

static void other(unsigned depth, unsigned id)
{
    (void)depth;
    say("jump #end%u", id);
    say("other%u:", id);
    say("(jp)nop");
}

static void close_if(unsigned depth, unsigned id, bool has_other)
{
    (void)depth;
    say("%s%u:", has_other ? "end" : "other", id);
    say("(jp)nop");
}

/* r10.x and r10.y count, r10.z and r10.w say how often. */
static void open_loop(unsigned depth, unsigned id, bool is_own)
{
    if (is_own)
        say("and.b r10.%c, %s, 3", "zw"[depth], integer());
    else
        say("mov.u32u32 r10.%c, %u", "zw"[depth], random_below(6));
    say("mov.u32u32 r10.%c, 0", "xy"[depth]);
    say("again%u:", id);
    say("(jp)cmps.u.ge p0.x, r10.%c, r10.%c", "xy"[depth], "zw"[depth]);
    say("br p0.x, #out%u", id);
}

static void leave(unsigned depth, unsigned id)
{
    say("cmps.u.eq p0.x, r10.%c, %u", "xy"[depth], 1 + random_below(4));
    say("br p0.x, #out%u", id);
}

static void close_loop(unsigned depth, unsigned id, bool is_own)
{
    (void)is_own;
    say("add.u r10.%c, r10.%c, 1", "xy"[depth], "xy"[depth]);
    say("jump #again%u", id);
    say("out%u:", id);
    say("(jp)nop");
}

static void begin(uint64_t number)
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

static void end(void)
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

static bool is_nan(uint32_t bits)
{
    return (bits & 0x7fffffff) > 0x7f800000;
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
        if (a != b && !(is_nan(a) && is_nan(b)))
            return random_differs("dword %u of lane %u: %08x, %s %08x", i % 16, i / 16, a, name, b);
    }
    return true;
}

static bool is_half_nan(uint32_t bits)
{
    return (bits & 0x7fff) > 0x7c00;
}

static bool is_same(unsigned component, uint32_t a, uint32_t b)
{
    for (unsigned shift = 0; component >= HALVES && shift < 32; shift += 16) {
        const uint32_t x = a >> shift & 0xffff, y = b >> shift & 0xffff;
        if (x != y && !(is_half_nan(x) && is_half_nan(y)))
            return false;
    }
    return a == b || component >= HALVES || (component >= FLOATS && is_nan(a) && is_nan(b));
}

static bool run(void)
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
            if (!is_same(c, a, b))
                return random_differs("r%u.%c of lane %u: %08x, by host code %08x", c / 4, "xyzw"[c % 4], i, a, b);
        }
    }
    for (unsigned i = 0; i < LOCAL_B / 4; i++) {
        const uint32_t a = ((uint32_t *)(void *)rig.plain.local)[i], b = ((uint32_t *)(void *)rig.host.local)[i];
        if (a != b && !(is_nan(a) && is_nan(b)))
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
    .begin = begin,
    .end = end,
    .straight = straight,
    .memory = memory,
    .open_if = open_if,
    .other = other,
    .close_if = close_if,
    .open_loop = open_loop,
    .leave = leave,
    .close_loop = close_loop,
    .run = run,
    .counts = counts,
    .has_misses = true,
    .has_shuffles = true,
    .has_wholes = true,
};
