/* See random_ops.h. */
#include "adreno/model/sp/tests/random_ops.h"

#include <stdarg.h>
#include <stdio.h>

#include "adreno/hw/descriptors.h"

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

const char *random_integer(void)
{
    return reg(INTEGERS, INTEGER_COUNT);
}

const char *random_float(void)
{
    return reg(FLOATS, FLOAT_COUNT);
}

static const char *some_integer(void)
{
    return random_32() % 4 == 0 ? random_operand("c%u.%c", random_32() % 4, "xyzw"[random_32() % 4]) : random_integer();
}

/* With a sign; what (neg) means is the instruction's. */
static const char *signed_float(bool is_half)
{
    static const char *const signs[] = {"", "", "(neg)", "(abs)", "(absneg)"};
    const char *sign = signs[random_32() % 5];
    return random_operand("%s%s", sign, is_half ? half(HALVES, HALF_COUNT) : random_float());
}

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
        say("%s %s, %s", ONE_OF(one), random_integer(), random_integer());
        break;
    case 1:
    case 2:
        say("%s %s, %s, %s, %s", ONE_OF(three), random_integer(), some_integer(), random_integer(), random_integer());
        break;
    case 3:
        say("%s %s, %s, %u", ONE_OF(two), random_integer(), random_integer(), random_32() % 1024);
        break;
    case 4: /* how a product of 32 bits is made */
    {
        const char *a = random_integer(), *c = random_32() % 2 ? "c1.x" : random_integer(), *d = random_integer(),
                   *t = "r2.w";
        say("mull.u %s, %s, %s", t, a, c);
        say("madsh.m16 %s, %s, %s, %s", t, a, random_32() % 2 && c[0] == 'r' ? c : d, t);
        say("madsh.m16 %s, %s, %s, %s", random_integer(), c, a, t);
        break;
    }
    default:
        say("%s %s, %s, %s", ONE_OF(two), random_integer(), some_integer(), random_integer());
    }
}

/* A constant by a number that the fiber computes; some are outside. */
static void add_relative_constant(void)
{
    say("and.b hr27.x, %s, h(%u)", half(INTEGERS, INTEGER_COUNT), random_32() % 2 ? 3u : 15u);
    say("mova a0.x, hr27.x");
    say("%s %s, c<a0.x + %u>, %s", random_32() % 2 ? "add.u" : "xor.b", random_integer(), 1 + random_32() % 5,
        random_integer());
}

static void add_half_integer(void)
{
    static const char *const two[] = {"add.u", "sub.s", "min.u",  "max.s",     "and.b",  "xor.b",
                                      "shl.b", "shr.b", "ashr.b", "cmps.s.lt", "mul.u24"};
    if (random_32() % 4 == 0)
        say("%s %s, %s, %s", ONE_OF(two), random_integer(), half(INTEGERS, INTEGER_COUNT),
            half(INTEGERS, INTEGER_COUNT));
    else
        say("%s %s, %s, %s", ONE_OF(two), half(INTEGERS, INTEGER_COUNT), half(INTEGERS, INTEGER_COUNT),
            half(INTEGERS, INTEGER_COUNT));
}

static void add_float(bool is_half)
{
    static const char *const two[] = {"add.f", "mul.f", "min.f", "max.f"};
    static const char *const one[] = {"floor.f", "ceil.f", "rndne.f", "trunc.f", "absneg.f", "sign.f"};
    const char *d = is_half ? half(HALVES, HALF_COUNT) : random_float();
    const char *saturate = random_32() % 6 ? "" : "(sat)";
    switch (random_32() % 6) {
    case 0:
        say("%s %s, %s", ONE_OF(one), d, signed_float(is_half));
        break;
    case 1:
        say("%s%s %s, %s, %s, %s", saturate, is_half ? "mad.f16" : "mad.f32", d,
            is_half ? half(HALVES, HALF_COUNT) : random_float(), is_half ? half(HALVES, HALF_COUNT) : random_float(),
            is_half ? half(HALVES, HALF_COUNT) : random_float());
        break;
    case 2:
        say("cmps.f.%s %s, %s, %s", random_32() % 2 ? "lt" : "ge", random_integer(), signed_float(is_half),
            signed_float(is_half));
        break;
    case 3:
        if (!is_half)
            say("%s %s, %s", random_32() % 2 ? "rcp" : "sqrt", d, random_float());
        break;
    default:
        say("%s%s %s, %s, %s", saturate, ONE_OF(two), d, signed_float(is_half), signed_float(is_half));
    }
}

static void add_conversion(void)
{
    switch (random_32() % 8) {
    case 0:
        say("cov.u32f32 %s, %s", random_float(), random_integer());
        break;
    case 1:
        say("cov.s32f32 %s, %s", random_float(), random_integer());
        break;
    case 2:
        say("cov.f32u32 %s, %s", random_integer(), random_float());
        break;
    case 3:
        say("cov.f32s32 %s, %s", random_integer(), random_float());
        break;
    case 4:
        say("cov.f16f32 %s, %s", random_float(), half(HALVES, HALF_COUNT));
        break;
    case 5:
        say("cov.f32f16 %s%s", random_32() % 2 ? "(even)" : "",
            random_operand("%s, %s", half(HALVES, HALF_COUNT), random_float()));
        break;
    case 6:
        say("cov.%s %s, %s", random_32() % 2 ? "u16u32" : "s16s32", random_integer(), half(INTEGERS, INTEGER_COUNT));
        break;
    default:
        say("cov.u32u16 %s, %s", half(INTEGERS, INTEGER_COUNT), random_integer());
    }
}

void random_ops_add(void)
{
    switch (random_below(10)) {
    case 0:
    case 1:
        add_float(false);
        break;
    case 2:
        add_float(true);
        break;
    case 3:
        if (random_below(4) == 0)
            add_relative_constant();
        else
            add_half_integer();
        break;
    case 4:
        add_conversion();
        break;
    case 5:
        say("mov.u32u32 %s, %s", random_integer(), some_integer());
        break;
    default:
        add_integer();
    }
}

void random_ops_add_quad(void)
{
    static const char *const derivatives[] = {"dsx (f32)", "dsy (f32)", "dsxpp.1 ", "dsypp.1 "};
    static const char *const neighbours[] = {"horiz", "vert", "diag"};
    if (random_below(2))
        say("%s(x)%s, %s", ONE_OF(derivatives), random_float(), random_float());
    else if (random_below(4))
        say("quad_shuffle.%s (u32)(x)%s, %s", ONE_OF(neighbours), random_integer(), random_integer());
    else
        say("quad_shuffle.brcst (u32)(x)%s, %s, %s", random_integer(), random_integer(), random_integer());
}

/* ---- ways through a program ---- */

void random_ops_open_if(unsigned depth, unsigned id)
{
    (void)depth;
    say("cmps.u.ge p0.y, %s, %s", random_integer(), random_integer());
    say("br p0.y, #other%u", id);
}

void random_ops_other(unsigned depth, unsigned id)
{
    (void)depth;
    say("jump #end%u", id);
    say("other%u:", id);
    say("(jp)nop");
}

void random_ops_close_if(unsigned depth, unsigned id, bool has_other)
{
    (void)depth;
    say("%s%u:", has_other ? "end" : "other", id);
    say("(jp)nop");
}

/* r10.x and r10.y count, r10.z and r10.w say how often. */
void random_ops_open_loop(unsigned depth, unsigned id, bool is_own)
{
    if (is_own)
        say("and.b r10.%c, %s, 3", "zw"[depth], random_integer());
    else
        say("mov.u32u32 r10.%c, %u", "zw"[depth], random_below(6));
    say("mov.u32u32 r10.%c, 0", "xy"[depth]);
    say("again%u:", id);
    say("(jp)cmps.u.ge p0.x, r10.%c, r10.%c", "xy"[depth], "zw"[depth]);
    say("br p0.x, #out%u", id);
}

void random_ops_leave(unsigned depth, unsigned id)
{
    say("cmps.u.eq p0.x, r10.%c, %u", "xy"[depth], 1 + random_below(4));
    say("br p0.x, #out%u", id);
}

void random_ops_close_loop(unsigned depth, unsigned id, bool is_own)
{
    (void)is_own;
    say("add.u r10.%c, r10.%c, 1", "xy"[depth], "xy"[depth]);
    say("jump #again%u", id);
    say("out%u:", id);
    say("(jp)nop");
}

/* ---- what they run on ---- */

void random_ops_pack_buffer(uint32_t *words, uint64_t va, uint32_t elements)
{
    const struct adreno_desc_BUFFER desc = {.FMT = 75 /* 32_UINT */,
                                            .SWIZ_X = ADRENO_TEX_SWIZ_X,
                                            .SWIZ_W = ADRENO_TEX_SWIZ_ONE,
                                            .NUM_ELEMENTS = elements,
                                            .STRUCTSIZETEXELS = 1,
                                            .TYPE = ADRENO_TEX_TYPE_BUFFER,
                                            .BASE = va};
    adreno_pack_desc_BUFFER(words, &desc);
}

/* ---- results ---- */

bool random_is_nan(uint32_t bits)
{
    return (bits & 0x7fffffff) > 0x7f800000;
}

static bool is_half_nan(uint32_t bits)
{
    return (bits & 0x7fff) > 0x7c00;
}

bool random_is_same(unsigned component, uint32_t a, uint32_t b)
{
    for (unsigned shift = 0; component >= HALVES && shift < 32; shift += 16) {
        const uint32_t x = a >> shift & 0xffff, y = b >> shift & 0xffff;
        if (x != y && !(is_half_nan(x) && is_half_nan(y)))
            return false;
    }
    return a == b || component >= HALVES || (component >= FLOATS && random_is_nan(a) && random_is_nan(b));
}
