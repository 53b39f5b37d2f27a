"""A made-up instruction set, for the tests of what src/isa promises every family: a dialect without scalar rows or an exec register, with a primitive
and state of its own, waves of 128 lanes whose masks are no integers, halves that fill the upper part of a register with zeros, and the kernels of its executor (test_toy.c).

    toy.py OUTPUT       writes toy_kernels.c"""
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import jit_c  # noqa: E402
import kernel_c  # noqa: E402
import lane  # noqa: E402
import lane_c  # noqa: E402

TOY = lane.Dialect({"lane": ("u32", "lane"), "flag": ("bool", "flag"), "base": ("u32", "base")}, "toy_lane", read_only=("lane",),
                   primitives={"twice": "u32 u32"}, wave={"first": (1, False)}, effects={"tell": (("u32",), None, (), ("told",))},
                   executor="struct toy_wave *a")


class Operand:
    def __init__(self, text, is_dst):
        self.name, self.type = text.split(":")
        self.is_dst = is_dst


class Row:
    """`NAME | DESTINATIONS = SOURCES | MEANING`"""
    def __init__(self, text, line, properties=()):
        self.name, operands, self.meaning = (part.strip() for part in text.split("|", 2))
        left, _, right = operands.partition("=")
        self.operands = [Operand(word, True) for word in left.split()] + [Operand(word, False) for word in right.split()]
        self.format, self.file, self.line, self.properties = "alu", "toy.py", line, properties

    def operand(self, name):
        return next(o for o in self.operands if o.name == name)


ROWS = [Row(text, number) for number, text in enumerate((
    "add_u   | d:u32 = s0:u32 s1:u32        | d = s0 + s1",
    "mad_f   | d:f32 = s0:f32 s1:f32 s2:f32 | d = s0 * s1 + s2",
    "min_h   | d:f16 = s0:f16 s1:f16        | d = min(s0, s1)",
    "twice   | d:u32 = s0:u32               | d = twice(s0) + lane",
    "less    | = s0:i32 s1:i32              | flag = s0 < s1",
    "sel     | d:u32 = s0:u32 s1:u32        | d = flag ? s0 : s1",
    "wide    | d:u64 = s0:u64 s1:u32        | d = s0 + u64(s1)",
    "addi    | d:u32 = s0:u32 imm:u32       | d = s0 + imm + base",
), 1)]


class Kernels(kernel_c.Kernels):
    prefix, arguments = "toy_", "struct toy_wave *wave, const struct toy_op *op"
    places = {"d": "op->d", "s0": "op->s[0]", "s1": "op->s[1]", "s2": "op->s[2]"}
    mode, lanes, active, lane_bit = "wave->mode", "wave->lanes", "wave->active", "toy_bit"
    mask_type, masks = "struct toy_mask", {"flag": "&wave->flag"}
    includes = ("isa/tests/toy.h",)

    def has_kernel(self, ast):
        return True

    def at(self, place):
        return f"wave->rows[{place}]"

    def read_mask(self, place):
        return f"*{place}"

    def write_mask(self, name, place, value):
        return [f"    *{place} = toy_blend(*{place}, {value}, active_lanes);"]

    def mask_group(self, mask):
        return f"{mask}.words[group / 32]"

    def mask_add(self, mask, bits):
        return f"{mask}.words[group / 32] = {bits};"

    def mask_and(self, left, right):
        return left  # toy_blend leaves out what is not active

    def lane_state(self, ast, name):
        plain = {"lane": "(uint32_t)(group + i)", "base": "wave->base"}
        return ([], plain[name]) if name in plain else super().lane_state(ast, name)

    def immediate(self, kind):
        return "op->imm"


class Programs(jit_c.Family):
    prefix, immediate, mode = "toy_jit_", "b->imm", "((const struct toy_wave *)frame)->mode"
    places = {name: f"b->{place}" for name, place in Kernels.places.items()}
    masks = {"flag": "TOY_FLAG"}

    def opcode(self, row):
        return f"TOY_{row.name.upper()}"


def main():
    kernels = Kernels(ROWS, TOY)
    text = ['#include "isa/tests/toy.h"\n'] + [lane_c.emit_lane(kernels.parse(row)) for row in ROWS] + [kernels.part(0, 1)]
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        file.write("\n".join(text))


if __name__ == "__main__":
    main()
