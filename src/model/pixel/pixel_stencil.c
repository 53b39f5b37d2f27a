/* Stencil operations. */
#include "model/pixel/pixel.h"
#include "util/bits.h"

uint8_t pixel_stencil_apply(enum pixel_stencil op, uint8_t value, uint8_t reference, uint8_t operand)
{
    switch (op) {
    case PIXEL_STENCIL_KEEP:
        return value;
    case PIXEL_STENCIL_ZERO:
        return 0;
    case PIXEL_STENCIL_ONES:
        return 0xff;
    case PIXEL_STENCIL_REFERENCE:
        return reference;
    case PIXEL_STENCIL_OPERAND:
        return operand;
    case PIXEL_STENCIL_ADD_CLAMP:
        return (uint8_t)MIN2(value + operand, 255);
    case PIXEL_STENCIL_SUB_CLAMP:
        return (uint8_t)MAX2(value - operand, 0);
    case PIXEL_STENCIL_INVERT:
        return (uint8_t)~value;
    case PIXEL_STENCIL_ADD_WRAP:
        return (uint8_t)(value + operand);
    case PIXEL_STENCIL_SUB_WRAP:
        return (uint8_t)(value - operand);
    case PIXEL_STENCIL_AND:
        return value & operand;
    case PIXEL_STENCIL_OR:
        return value | operand;
    case PIXEL_STENCIL_XOR:
        return value ^ operand;
    case PIXEL_STENCIL_NAND:
        return (uint8_t) ~(value & operand);
    case PIXEL_STENCIL_NOR:
        return (uint8_t) ~(value | operand);
    case PIXEL_STENCIL_XNOR:
        return (uint8_t) ~(value ^ operand);
    }
    return value;
}
