/* Numbers as sources: which of them the hardware has inline for a type of operand, and which 32-bit literal follows
 * the instruction otherwise. A number written with a point is converted to the operand's format; one without is taken
 * as bits. */
#include <math.h>
#include <string.h>

#include "amd/isa/asm_internal.h"
#include "util/bits.h"

enum {
    SIGN_BIT_16 = 15,
    SIGN_BIT_32 = 31,
    SIGN_BIT_64 = 63
};

struct shape {
    unsigned bits; /* of a scalar: of one half for packed operands */
    bool is_float;
    bool packed;
};

static struct shape shape_of(unsigned type)
{
    switch (type) {
    case ISA_TYPE_F16:
        return (struct shape){16, true, false};
    case ISA_TYPE_U16:
    case ISA_TYPE_I16:
    case ISA_TYPE_B16:
        return (struct shape){16, false, false};
    case ISA_TYPE_F16X2:
        return (struct shape){16, true, true};
    case ISA_TYPE_U16X2:
    case ISA_TYPE_I16X2:
        return (struct shape){16, false, true};
    case ISA_TYPE_F64:
        return (struct shape){64, true, false};
    case ISA_TYPE_U64:
    case ISA_TYPE_I64:
    case ISA_TYPE_B64:
        return (struct shape){64, false, false};
    case ISA_TYPE_F32:
        return (struct shape){32, true, false};
    default:
        return (struct shape){32, false, false};
    }
}

/* Bits of the inline floats at each width; enum isa_float. */
static const uint16_t floats_16[] = {0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000, 0xc000, 0x4400, 0xc400, 0x3118};
static const uint32_t floats_32[] = {0x3f000000, 0xbf000000, 0x3f800000, 0xbf800000, 0x40000000,
                                     0xc0000000, 0x40800000, 0xc0800000, 0x3e22f983};
static const uint64_t floats_64[] = {0x3fe0000000000000, 0xbfe0000000000000, 0x3ff0000000000000,
                                     0xbff0000000000000, 0x4000000000000000, 0xc000000000000000,
                                     0x4010000000000000, 0xc010000000000000, 0x3fc45f306dc9c882};

static int find_float(unsigned width, uint64_t bits)
{
    for (unsigned i = 0; i < ARRAY_SIZE(floats_16); i++) {
        if (bits == (width == 16 ? floats_16[i] : width == 32 ? floats_32[i] : floats_64[i]))
            return (int)i;
    }
    return -1;
}

/* Round a double to binary16 or binary32, to nearest even. False where it overflows or where a number below the
 * smallest normal one would lose bits. */
static bool round_real(double real, unsigned width, uint64_t *bits_out)
{
    const int mantissa = width == 16 ? 10 : 23, bias = width == 16 ? 15 : 127;
    uint64_t bits = double_bits(real), sign = bits >> 63 << (width - 1);
    int exponent = (int)(bits >> 52 & 0x7ff) - 1023;
    uint64_t fraction = bits & bits_mask(52);
    if (exponent == 1024) {
        *bits_out = sign | (bits_mask(width - 1 - mantissa) << mantissa) | (fraction ? 1ull << (mantissa - 1) : 0);
        return true;
    }
    if (exponent == -1023) { /* zero, or far below everything */
        *bits_out = sign;
        return fraction == 0;
    }
    fraction |= 1ull << 52;
    bool tiny = exponent < 1 - bias;
    int drop = 52 - mantissa + (tiny ? 1 - bias - exponent : 0);
    if (drop > 63)
        return false;
    uint64_t kept = fraction >> drop, lost = fraction & bits_mask((unsigned)drop), half = 1ull << (drop - 1);
    if (tiny && lost)
        return false;
    kept += lost > half || (lost == half && (kept & 1));
    /* A carry out of the mantissa raises the exponent by itself. */
    uint64_t result = tiny ? kept : kept + ((uint64_t)(exponent + bias - 1) << mantissa);
    *bits_out = sign | result;
    return result >> mantissa < bits_mask(width - 1 - mantissa);
}

static bool number_fits(int64_t number, unsigned bits)
{
    return bits >= 64 || (number >= -(1ll << (bits - 1)) && number < 1ll << bits);
}

static uint64_t fold_sign(uint64_t value, unsigned modifiers, unsigned bit)
{
    if (modifiers & ASM_ABS)
        value &= ~(1ull << bit);
    return modifiers & ASM_NEG ? value ^ 1ull << bit : value;
}

static bool set_inline(struct shape shape, uint64_t bits, struct isa_operand *out)
{
    int64_t number = bits_sign_extend(bits, shape.bits);
    if (number >= -16 && number <= 64) {
        *out = (struct isa_operand){ISA_OPERAND_INT, out->count, (uint16_t)number};
        return true;
    }
    /* The inline floats are bits of 32 for 16-bit integers: LLVM has no name for that. */
    int index = shape.bits == 16 && !shape.is_float ? -1 : find_float(shape.bits, bits);
    if (index < 0)
        return false;
    *out = (struct isa_operand){ISA_OPERAND_FLOAT, out->count, (uint16_t)index};
    return true;
}

static enum asm_constant_result set_literal(uint64_t bits, struct isa_operand *out, uint32_t *literal_out)
{
    *out = (struct isa_operand){ISA_OPERAND_LITERAL, out->count, 0};
    *literal_out = (uint32_t)bits;
    return ASM_CONSTANT_LITERAL;
}

static enum asm_constant_result real_constant(struct shape shape, const struct asm_operand *operand, unsigned modifiers,
                                              struct isa_operand *out, uint32_t *literal_out)
{
    uint64_t bits = fold_sign(double_bits(operand->real), modifiers, SIGN_BIT_64);
    double real;
    memcpy(&real, &bits, sizeof(real));
    if (shape.bits == 64) {
        if (set_inline(shape, bits, out))
            return ASM_CONSTANT_INLINE;
        /* The literal of a double is its upper half; an integer of 64 bits has no such reading. */
        return shape.is_float ? set_literal(bits >> 32, out, literal_out) : ASM_CONSTANT_NONE;
    }
    if (!round_real(real, shape.bits, &bits))
        return ASM_CONSTANT_NONE;
    return set_inline(shape, bits, out) ? ASM_CONSTANT_INLINE : set_literal(bits, out, literal_out);
}

static enum asm_constant_result integer_constant(struct shape shape, const struct asm_operand *operand,
                                                 unsigned modifiers, struct isa_operand *out, uint32_t *literal_out)
{
    unsigned sign = shape.bits == 16 ? SIGN_BIT_16 : SIGN_BIT_32;
    uint64_t bits = (uint64_t)operand->number;
    /* The bits of an integer are not those of the double that it would be: there is no sign to change. */
    if (modifiers && (shape.bits == 64 || !number_fits(operand->number, shape.bits)))
        return ASM_CONSTANT_NONE;
    if (modifiers)
        bits = fold_sign(bits & bits_mask(shape.bits), modifiers, sign);
    if (number_fits(operand->number, shape.bits) && set_inline(shape, bits & bits_mask(shape.bits), out))
        return ASM_CONSTANT_INLINE;
    if (shape.bits == 64 && shape.is_float && (operand->modifiers & (ASM_ABS | ASM_NEG)))
        return ASM_CONSTANT_NONE;
    unsigned width = shape.packed || shape.bits == 64 ? 32 : shape.bits;
    if (!number_fits(operand->number, width))
        return ASM_CONSTANT_NONE;
    /* Both halves at once: inline integers are 32 bits to packed operands, and inline floats are so to packed integers.
     */
    if (shape.packed && !number_fits(operand->number, 16)) {
        int64_t number = bits_sign_extend(bits, 32);
        if ((!shape.is_float || (number >= -16 && number <= 64)) &&
            set_inline((struct shape){32, true, false}, bits & bits_mask(32), out))
            return ASM_CONSTANT_INLINE;
    }
    return set_literal(bits & bits_mask(width), out, literal_out);
}

enum asm_constant_result amd_asm_constant(unsigned type, const struct asm_operand *operand, bool fold,
                                          struct isa_operand *out, uint32_t *literal_out)
{
    struct shape shape = shape_of(type);
    unsigned modifiers = fold ? operand->modifiers : 0;
    if (operand->kind == ASM_REAL)
        return real_constant(shape, operand, modifiers, out, literal_out);
    if (operand->kind == ASM_NUMBER)
        return integer_constant(shape, operand, modifiers, out, literal_out);
    return ASM_CONSTANT_NONE;
}

bool amd_asm_literal(unsigned type, const struct asm_operand *operand, uint32_t *literal_out)
{
    struct shape shape = shape_of(type);
    uint64_t bits;
    if (operand->kind == ASM_REAL) {
        if (!shape.is_float || !round_real(operand->real, shape.bits, &bits))
            return false;
    } else if (operand->kind == ASM_NUMBER && number_fits(operand->number, shape.bits == 16 ? 16 : 32)) {
        bits = (uint64_t)operand->number & bits_mask(shape.bits == 16 ? 16 : 32);
    } else {
        return false;
    }
    *literal_out = (uint32_t)bits;
    return true;
}
