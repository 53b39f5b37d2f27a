#!/usr/bin/env python3
"""Random programs of machine IR with structured control flow, and what they must write: the machine half of the compiler runs them on the model in strict mode.

    mir_fuzz.py [--seed N] [--count N] [--run MIR_RUN] [--size N]      without --run: prints the cases

A program works on variables: scalars (SGPRs), vectors (VGPRs), lane masks. It is first a tree, which is interpreted here, lane by lane, and then written down in SSA
form with the two graphs. Everything that register allocation finds hard is asked for on purpose: tuples, fixed registers, old values that live on, carries, conditions
that wait, loops whose values change places, and limits on registers that force spills.
"""
import argparse
import random
import subprocess
import sys

LANES = 32  # or 64, by case
M32 = 0xffffffff
RESULT_B = 0x10000


def memory_word(index):
    return index * 0x9e3779b1 & M32


def signed(value):
    return value - (1 << 32) if value >> 31 else value


VECTOR_OPS = {
    "v_add_nc_u32": lambda a, b: a + b, "v_sub_nc_u32": lambda a, b: a - b, "v_subrev_nc_u32": lambda a, b: b - a, "v_xor_b32": lambda a, b: a ^ b,
    "v_and_b32": lambda a, b: a & b, "v_or_b32": lambda a, b: a | b, "v_max_u32": max, "v_min_u32": min, "v_mul_lo_u32": lambda a, b: a * b,
    "v_lshlrev_b32": lambda a, b: b << (a & 31), "v_lshrrev_b32": lambda a, b: b >> (a & 31),
    "v_max_i32": lambda a, b: max(signed(a), signed(b)), "v_mul_u32_u24": lambda a, b: (a & 0xffffff) * (b & 0xffffff),
}
SCALAR_OPS = {
    "s_add_u32": lambda a, b: a + b, "s_sub_u32": lambda a, b: a - b, "s_xor_b32": lambda a, b: a ^ b, "s_and_b32": lambda a, b: a & b,
    "s_or_b32": lambda a, b: a | b, "s_mul_i32": lambda a, b: a * b, "s_lshl_b32": lambda a, b: a << (b & 31), "s_min_u32": min, "s_max_u32": max,
    "s_andn2_b32": lambda a, b: a & ~b,
}
TERNARY_OPS = {
    "v_add3_u32": lambda a, b, c: a + b + c, "v_xad_u32": lambda a, b, c: (a ^ b) + c, "v_lshl_add_u32": lambda a, b, c: (a << (b & 31)) + c,
    "v_and_or_b32": lambda a, b, c: a & b | c, "v_or3_b32": lambda a, b, c: a | b | c, "v_bfi_b32": lambda a, b, c: a & b | ~a & c,
}
COMPARISONS = {
    "lt_u32": lambda a, b: a < b, "gt_u32": lambda a, b: a > b, "eq_u32": lambda a, b: a == b, "lt_i32": lambda a, b: signed(a) < signed(b),
    "ge_u32": lambda a, b: a >= b,
}
SCALAR_COMPARISONS = {"lt_u32": "s_cmp_lt_u32", "gt_u32": "s_cmp_gt_u32", "eq_u32": "s_cmp_eq_u32", "lt_i32": "s_cmp_lt_i32", "ge_u32": "s_cmp_ge_u32"}


# ---- the tree ----

class Generator:
    def __init__(self, rng, size):
        self.rng, self.size = rng, size
        self.vectors = [f"v{i}" for i in range(rng.choice((3, 6, 12, 24)))]
        self.scalars = [f"s{i}" for i in range(rng.choice((2, 4, 10, 20)))]
        self.budget = size
        self.loops = 0
        self.slots = len(self.vectors)

    def operand(self, kinds="vvvsc"):
        kind = self.rng.choice(kinds)
        if kind == "v":
            return ("v", self.rng.choice(self.vectors))
        if kind == "s":
            return ("s", self.rng.choice(self.scalars))
        return ("c", self.rng.choice((0, 1, 3, 64, 65, M32, 0x3f800000, self.rng.getrandbits(32))))

    def vector(self):
        return ("v", self.rng.choice(self.vectors))

    def scalar(self):
        return ("s", self.rng.choice(self.scalars))

    def condition(self):
        return (self.rng.choice(list(COMPARISONS)), self.operand("vvs"), self.vector())

    def statement(self, depth, divergent):
        rng = self.rng
        self.budget -= 1
        roll = rng.random()
        if depth < 4 and self.budget > 4:
            if roll < 0.06:
                return ("if", self.condition(), self.block(depth + 1, True), self.block(depth + 1, True) if rng.random() < 0.6 else [])
            if roll < 0.11:
                return ("uif", (rng.choice(list(COMPARISONS)), self.scalar(), self.scalar()), self.block(depth + 1, divergent),
                        self.block(depth + 1, divergent) if rng.random() < 0.6 else [])
            if roll < 0.14 and self.loops < 3:
                self.loops += 1
                return ("uloop", rng.randrange(1, 4), self.block(depth + 1, divergent))
            if roll < 0.17 and self.loops < 3:
                self.loops += 1
                return ("loop", rng.randrange(1, 4), self.block(depth + 1, True))
        roll = rng.random()
        if roll < 0.30:
            return ("vop", rng.choice(self.vectors), rng.choice(list(VECTOR_OPS)), self.operand(), self.vector(), self.fixed())
        if roll < 0.38:
            return ("vop3", rng.choice(self.vectors), rng.choice(list(TERNARY_OPS)), self.operand(), self.vector(), self.vector())
        if roll < 0.58:
            return ("sop", rng.choice(self.scalars), rng.choice(list(SCALAR_OPS)), self.scalar(), self.operand("ssc"), self.fixed())
        if roll < 0.66:
            return ("load", [rng.choice(self.vectors) for _ in range(rng.choice((1, 2, 3, 4)))], rng.randrange(0, 64) * 4)
        if roll < 0.72:
            return ("sload", [rng.choice(self.scalars) for _ in range(rng.choice((1, 2, 4, 8)))], rng.randrange(0, 64) * 4)
        if roll < 0.76:
            return ("add64", rng.choice(self.vectors), rng.choice(self.vectors), self.vector(), self.vector(), self.operand("vsc"), self.vector())
        if roll < 0.80:
            return ("sadd64", rng.choice(self.scalars), rng.choice(self.scalars), self.scalar(), self.scalar(), self.scalar(), self.scalar())
        if roll < 0.84:
            return ("select", rng.choice(self.vectors), self.condition(), self.vector(), self.operand())
        if roll < 0.88:
            return ("d16", rng.choice(self.vectors), rng.choice(self.vectors), rng.randrange(0, 64) * 4)
        if roll < 0.91:
            return ("cmov", rng.choice(self.scalars), self.scalar(), (rng.choice(list(COMPARISONS)), self.scalar(), self.scalar()), rng.randrange(-100, 100))
        if roll < 0.95:
            return ("shuffle", [rng.choice(self.vectors) for _ in range(rng.randrange(2, 6))])
        if roll < 0.96:
            self.slots += 1
            return ("exact", self.condition(), rng.choice(list(VECTOR_OPS)), self.vector(), self.vector(), self.slots - 1)
        if roll < 0.97:
            return ("sshuffle", [rng.choice(self.scalars) for _ in range(rng.choice((2, 4)))])
        self.slots += 1
        return ("store", [self.vector() for _ in range(1)], self.slots - 1)

    def fixed(self):
        return self.rng.randrange(12, 30) if self.rng.random() < 0.06 else None

    def block(self, depth, divergent):
        return [self.statement(depth, divergent) for _ in range(self.rng.randrange(1, max(2, self.size // (3 + 2 * depth))))]


# ---- meaning ----

class Machine:
    def __init__(self, tree, vectors, scalars):
        self.out = {}
        self.values = {name: [lane * (i + 1) * 0x01010101 & M32 for lane in range(LANES)] for i, name in enumerate(vectors)}
        self.values.update({name: i * 0x00100001 + 5 & M32 for i, name in enumerate(scalars)})
        self.run(tree, [True] * LANES)
        for i, name in enumerate(vectors):
            for lane in range(LANES):
                self.out[i * LANES + lane] = self.values[name][lane]

    def get(self, operand, lane=0):
        kind, what = operand
        return what if kind == "c" else self.values[what] if kind == "s" else self.values[what][lane]

    def lanes(self, operand):
        return [self.get(operand, lane) for lane in range(LANES)]

    def set(self, name, values, mask):
        self.values[name] = [new & M32 if on else old for new, old, on in zip(values, self.values[name], mask)]

    def scoped(self, body, mask):
        saved = {name: value for name, value in self.values.items() if not isinstance(value, list)}
        self.run(body, mask)
        self.values.update(saved)

    def run(self, body, mask):
        for statement in body:
            getattr(self, "do_" + statement[0])(mask, *statement[1:])

    def do_vop(self, mask, to, op, a, b, fixed):
        self.set(to, [VECTOR_OPS[op](x, y) for x, y in zip(self.lanes(a), self.lanes(b))], mask)

    def do_vop3(self, mask, to, op, a, b, c):
        self.set(to, [TERNARY_OPS[op](x, y, z) for x, y, z in zip(self.lanes(a), self.lanes(b), self.lanes(c))], mask)

    def do_sop(self, mask, to, op, a, b, fixed):
        self.values[to] = SCALAR_OPS[op](self.get(a), self.get(b)) & M32

    def do_load(self, mask, to, offset):
        for i, name in enumerate(to):
            self.set(name, [memory_word(lane + i + offset // 4) for lane in range(LANES)], mask)

    def do_sload(self, mask, to, offset):
        for i, name in enumerate(to):
            self.values[name] = memory_word(i + offset // 4)

    def do_add64(self, mask, low, high, a, b, c, d):
        sums = [(x | y << 32) + (z | w << 32) for x, y, z, w in zip(*map(self.lanes, (a, b, c, d)))]
        self.set(low, sums, mask)
        self.set(high, [s >> 32 for s in sums], mask)

    def do_sadd64(self, mask, low, high, a, b, c, d):
        a, b, c, d = map(self.get, (a, b, c, d))
        total = (a | b << 32) + (c | d << 32)
        self.values[low] = total & M32
        self.values[high] = total >> 32 & M32

    def compare(self, condition):
        op, a, b = condition
        return [COMPARISONS[op](x, y) for x, y in zip(self.lanes(a), self.lanes(b))]

    def do_select(self, mask, to, condition, a, b):
        self.set(to, [y if on else x for x, y, on in zip(self.lanes(a), self.lanes(b), self.compare(condition))], mask)

    def do_d16(self, mask, to, old, offset):
        half = [memory_word(lane + offset // 4) & 0xffff for lane in range(LANES)]
        self.set(to, [x & 0xffff | y << 16 for x, y in zip(self.values[old], half)], mask)

    def do_cmov(self, mask, to, old, condition, value):
        op, a, b = condition
        self.values[to] = value & M32 if COMPARISONS[op](self.get(a), self.get(b)) else self.get(old)

    def do_shuffle(self, mask, names):
        values = [self.values[name] for name in names]
        for name, value in zip(names, values[1:] + values[:1]):
            self.set(name, value, mask)

    def do_sshuffle(self, mask, names):
        values = [self.values[name] for name in names]
        for name, value in zip(names, values[1:] + values[:1]):
            self.values[name] = value

    def do_store(self, mask, values, slot):
        for lane in range(LANES):
            if mask[lane]:
                self.out[slot * LANES + lane] = self.get(values[0], lane)

    def do_exact(self, mask, condition, op, a, b, slot):
        taken = self.compare(condition)
        for lane in range(LANES):
            if mask[lane] and taken[lane]:
                self.out[slot * LANES + lane] = VECTOR_OPS[op](self.get(a, lane), self.get(b, lane)) & M32

    def do_if(self, mask, condition, then, otherwise):
        taken = self.compare(condition)
        self.scoped(then, [m and t for m, t in zip(mask, taken)])
        self.scoped(otherwise, [m and not t for m, t in zip(mask, taken)])

    def do_uif(self, mask, condition, then, otherwise):
        op, a, b = condition
        self.run(then if COMPARISONS[op](self.get(a), self.get(b)) else otherwise, mask)

    def do_uloop(self, mask, count, body):
        for _ in range(count):
            self.run(body, mask)

    def do_loop(self, mask, bits, body):
        # lanes leave by their number: lane & (2^bits - 1) further rounds
        left = [lane & (1 << bits) - 1 for lane in range(LANES)]
        mask = list(mask)
        while True:
            self.scoped(body, mask)
            mask = [m and n > 0 for m, n in zip(mask, left)]
            left = [n - 1 for n in left]
            if not any(mask):
                return


# ---- SSA ----

class Block:
    def __init__(self, kind=""):
        self.kind, self.lines, self.linear, self.logical, self.index = kind, [], [], [], None


class Writer:
    def __init__(self, rng, tree, vectors, scalars):
        self.rng, self.count, self.blocks = rng, 0, []
        self.mask, self.bits, self.exec = (("s1", "b32", "exec"), ("s2", "b64", "exec*2"))[LANES == 64]
        self.map = {}
        self.start(Block("top"))
        defs = [self.new("s2") + "@s0", self.new("v1") + "@v0", self.new("s4") + "@s4", self.new("s1") + "@s8"]
        self.memory, self.lane = "%1", "%2"
        self.put(f"{', '.join(defs)} = p_start")
        self.put("p_logical_start")
        for i, name in enumerate(vectors):
            self.map[name] = self.vop("v_mul_lo_u32", self.lane, hex((i + 1) * 0x01010101 & M32))
        for i, name in enumerate(scalars):
            self.map[name] = self.define("s1", f"s_mov_b32 {hex(i * 0x00100001 + 5)}")
        self.run(tree)
        for i, name in enumerate(vectors):
            self.do_store([("v", name)], i)
        self.put("p_logical_end")
        self.put("s_endpgm")

    def new(self, cls):
        self.count += 1
        return f"%{self.count}:{cls}"

    def define(self, cls, text, fixed=None):
        name = self.new(cls)
        self.put(f"{name}{'@' + fixed if fixed else ''} = {text}")
        return name.split(":")[0]

    def vop(self, op, *args):
        return self.define("v1", f"{op} {', '.join(args)}")

    def put(self, line):
        self.block.lines.append(line)

    def start(self, block):
        block.index = len(self.blocks)
        self.blocks.append(block)
        self.block = block

    def edge(self, to, linear=True, logical=True):
        if linear:
            self.block.linear.append(to)
        if logical:
            self.block.logical.append(to)

    def use(self, operand):
        return hex(operand[1]) if operand[0] == "c" else self.map[operand[1]]

    def run(self, body):
        for statement in body:
            getattr(self, "do_" + statement[0])(*statement[1:])

    def do_vop(self, to, op, a, b, fixed):
        x, y = self.use(a), self.use(b)
        if fixed and a[0] == "v" and self.rng.random() < 0.5:
            x += f"@v{fixed}"
        self.map[to] = self.define("v1", f"{op} {x}, {y}", f"v{fixed}" if fixed and self.rng.random() < 0.5 else None)

    def do_vop3(self, to, op, a, b, c):
        self.map[to] = self.vop(op, self.use(a), self.use(b), self.use(c))

    def do_sop(self, to, op, a, b, fixed):
        x, y = self.use(a), self.use(b)
        if fixed and self.rng.random() < 0.5:
            x += self.rng.choice((f"@s{fixed}", "@m0", "@vcc"))
        self.map[to] = self.define("s1", f"{op} {x}, {y}", f"s{fixed}" if fixed and self.rng.random() < 0.5 else None)

    def parts(self, tuple_name, names, cls):
        if self.rng.random() < 0.5:
            fresh = [self.new(cls + "1") for _ in names]
            self.put(f"{', '.join(fresh)} = p_split {tuple_name}")
            fresh = [name.split(":")[0] for name in fresh]
        else:
            fresh = [self.define(cls + "1", f"p_extract {tuple_name} | imm={i}") for i in range(len(names))]
        for name, value in zip(names, fresh):
            self.map[name] = value

    def do_load(self, to, offset):
        address = self.vop("v_lshlrev_b32", "0x2", self.lane)
        suffix = {1: "", 2: "x2", 3: "x3", 4: "x4"}[len(to)]
        result = self.define(f"v{len(to)}", f"global_load_dword{suffix} {address}, {self.memory} | offset={offset} sync=513")
        if len(to) == 1:
            self.map[to[0]] = result
        else:
            self.parts(result, to, "v")

    def do_sload(self, to, offset):
        suffix = {1: "", 2: "x2", 4: "x4", 8: "x8"}[len(to)]
        result = self.define(f"s{len(to)}", f"s_load_dword{suffix} {self.memory}, _ | offset={offset} sync=513")
        if len(to) == 1:
            self.map[to[0]] = result
        else:
            self.parts(result, to, "s")

    def do_add64(self, low, high, a, b, c, d):
        lo, carry, hi, out = self.new("v1"), self.new(self.mask), self.new("v1"), self.new(self.mask)
        b, d = self.use(b), self.use(d)
        self.put(f"{lo}, {carry} = v_add_co_u32 {self.use(c)}, {self.use(a)}")
        self.put(f"{hi}, {out} = v_add_co_ci_u32 {b}, {d}, {carry.split(':')[0]}")
        self.map[low] = lo.split(":")[0]
        self.map[high] = hi.split(":")[0]

    def do_sadd64(self, low, high, a, b, c, d):
        lo, scc, hi = self.new("s1"), self.new("s1"), self.new("s1")
        b, d = self.use(b), self.use(d)
        self.put(f"{lo}, {scc}@scc = s_add_u32 {self.use(a)}, {self.use(c)}")
        if self.rng.random() < 0.5:  # something between that destroys scc
            self.define("s1", f"s_xor_b32 {b}, {d}")
        self.put(f"{hi} = s_addc_u32 {b}, {d}, {scc.split(':')[0]}@scc")
        self.map[low] = lo.split(":")[0]
        self.map[high] = hi.split(":")[0]

    def compare(self, condition):
        op, a, b = condition
        return self.define(self.mask, f"v_cmp_{op} {self.use(a)}, {self.use(b)}")

    def scalar_compare(self, condition):
        op, a, b = condition
        return self.define("s1", f"{SCALAR_COMPARISONS[op]} {self.use(a)}, {self.use(b)}", "scc")

    def do_select(self, to, condition, a, b):
        mask = self.compare(condition)
        self.map[to] = self.vop("v_cndmask_b32", self.use(a), self.use(b), mask)

    def do_d16(self, to, old, offset):
        address = self.vop("v_lshlrev_b32", "0x2", self.lane)
        self.map[to] = self.define("v1", f"global_load_short_d16_hi {address}, {self.memory}, {self.map[old]} | offset={offset} sync=513")

    def do_cmov(self, to, old, condition, value):
        scc = self.scalar_compare(condition)
        self.map[to] = self.define("s1", f"s_cmovk_i32 {self.use(old)}, {scc}@scc | imm={value & 0xffff}")

    def shuffle(self, names, cls):
        values = [self.map[name] for name in names]
        values = values[1:] + values[:1]
        if self.rng.random() < 0.5:
            whole = self.define(f"{cls}{len(names)}", f"p_vector {', '.join(values)}")
            self.parts(whole, names, cls)
        else:
            fresh = [self.new(cls + "1") for _ in names]
            self.put(f"{', '.join(fresh)} = p_copy {', '.join(values)}")
            for name, value in zip(names, fresh):
                self.map[name] = value.split(":")[0]

    def do_shuffle(self, names):
        self.shuffle(names, "v")

    def do_sshuffle(self, names):
        self.shuffle(names, "s")

    def do_store(self, values, slot):
        address = self.vop("v_lshlrev_b32", "0x2", self.lane)
        address = self.vop("v_add_nc_u32", hex(RESULT_B + slot * LANES * 4), address)
        self.put(f"global_store_dword {address}, {self.use(values[0])}, {self.memory} | sync=1")

    # As a fragment shader stores: with fewer lanes, in the middle of a block. The fixed register evicts the value that is there,
    # which must not lose lanes.
    def do_exact(self, condition, op, a, b, slot):
        mask = self.compare(condition)
        saved = self.define(self.mask, f"s_and_saveexec_{self.bits} {mask}")
        value = self.vop(op, f"{self.use(a)}@v{self.rng.randrange(0, 8)}", self.use(b))
        address = self.vop("v_lshlrev_b32", "0x2", self.lane)
        address = self.vop("v_add_nc_u32", hex(RESULT_B + slot * LANES * 4), address)
        self.put(f"global_store_dword {address}, {value}, {self.memory} | sync=1")
        self.put(f"_@exec = s_mov_{self.bits} {saved}")

    # Phis of what differs between two ways; `scalars` are restored after divergent code.
    def merge(self, first, second, scalars):
        for name in self.map:
            a, b = first[name], second[name]
            if a == b:
                self.map[name] = a
            elif name[0] == "v":
                self.map[name] = self.define("v1", f"p_phi {a}, {b}")
            elif scalars:
                self.map[name] = self.define("s1", f"p_linear_phi {a}, {b}")

    def do_if(self, condition, then, otherwise):
        mask = self.compare(condition)
        before = dict(self.map)
        then_block, invert, else_block, merge = Block(), Block("invert"), Block(), Block("merge")
        self.put("p_logical_end")
        saved = self.define(self.mask, f"s_and_saveexec_{self.bits} {mask}")
        self.edge(then_block)
        self.edge(invert, logical=False)
        self.edge(else_block, linear=False)
        self.put(("p_cbranch.execz", invert, then_block))
        self.start(then_block)
        self.put("p_logical_start")
        self.run(then)
        self.put("p_logical_end")
        after_then = {name: value if name[0] == "v" else before[name] for name, value in self.map.items()}
        self.edge(invert, logical=False)
        self.edge(merge, linear=False)
        self.put(("p_branch", invert))
        self.start(invert)
        self.map = dict(before)
        self.put(f"_@exec = s_andn2_{self.bits} {saved}, {mask}")
        self.edge(else_block, logical=False)
        self.edge(merge, logical=False)
        self.put(("p_cbranch.execz", merge, else_block))
        self.start(else_block)
        self.put("p_logical_start")
        self.run(otherwise)
        self.put("p_logical_end")
        after_else = {name: value if name[0] == "v" else before[name] for name, value in self.map.items()}
        self.edge(merge)
        self.put(("p_branch", merge))
        self.start(merge)
        self.map = dict(before)
        self.merge(after_then, after_else, False)
        self.put(f"_@exec = s_mov_{self.bits} {saved}")
        self.put("p_logical_start")

    def do_uif(self, condition, then, otherwise):
        scc = self.scalar_compare(condition)
        before = dict(self.map)
        then_block, else_block, merge = Block(), Block(), Block("merge")
        self.put("p_logical_end")
        self.edge(then_block)
        self.edge(else_block)
        self.put((f"p_cbranch.scc0", else_block, then_block, scc + "@scc"))
        after = []
        for block, body in ((then_block, then), (else_block, otherwise)):
            self.start(block)
            self.map = dict(before)
            self.put("p_logical_start")
            self.run(body)
            self.put("p_logical_end")
            self.edge(merge)
            self.put(("p_branch", merge))
            after.append(self.map)
        self.start(merge)
        self.map = dict(before)
        self.merge(after[0], after[1], True)
        self.put("p_logical_start")

    def assigned(self, body):
        names = set()
        for s in body:
            if s[0] in ("if", "uif"):
                inner = self.assigned(s[2]) | self.assigned(s[3])
                names |= {n for n in inner if n[0] == "v" or s[0] == "uif"}
            elif s[0] in ("loop", "uloop"):
                names |= {n for n in self.assigned(s[2]) if n[0] == "v" or s[0] == "uloop"}
            elif s[0] in ("shuffle", "sshuffle", "load", "sload"):
                names |= set(s[1])
            elif s[0] in ("add64", "sadd64"):
                names |= {s[1], s[2]}
            elif s[0] not in ("store", "exact"):
                names.add(s[1])
        return names

    def begin_loop(self, names, counter_class):
        """The header with its phis; returns what must be filled in at the end of the body."""
        header = Block("loop_header")
        self.put("p_logical_end")
        self.edge(header)
        self.put(("p_branch", header))
        self.start(header)
        phis = []
        for name in sorted(names):
            fresh = self.new(name[0] + "1")
            line = [fresh, "p_phi" if name[0] == "v" else "p_linear_phi", self.map[name], None]
            self.block.lines.append(line)
            phis.append((name, line))
            self.map[name] = fresh.split(":")[0]
        return header, phis

    def end_loop(self, header, phis):
        """From the block at hand, which decided to go on, back to the header; lanes that leave go to the block that is
        returned."""
        go_on, exit_block = Block(), Block("loop_exit")
        self.edge(go_on)
        self.edge(exit_block)
        for name, line in phis:
            line[3] = self.map[name]
        return go_on, exit_block

    def do_uloop(self, count, body):
        counter = self.define("s1", f"s_mov_b32 {hex(count)}")
        self.map["s_counter"] = counter
        names = self.assigned(body) | {"s_counter"}
        header, phis = self.begin_loop(names, "s")
        mine = self.map["s_counter"]
        inner = {n: v for n, v in self.map.items()}
        self.put("p_logical_start")
        del self.map["s_counter"]
        self.run(body)
        self.map["s_counter"] = self.define("s1", f"s_sub_u32 {mine}, 0x1")
        self.put("p_logical_end")
        scc = self.define("s1", f"s_cmp_lg_u32 {self.map['s_counter']}, 0x0", "scc")
        go_on, exit_block = self.end_loop(header, phis)
        self.put(("p_cbranch.scc0", exit_block, go_on, scc + "@scc"))
        self.start(go_on)
        self.put("p_logical_start")
        self.put("p_logical_end")
        self.edge(header)
        self.put(("p_branch", header))
        self.start(exit_block)
        del self.map["s_counter"]
        self.put("p_logical_start")

    def do_loop(self, bits, body):
        left = self.vop("v_and_b32", hex((1 << bits) - 1), self.lane)
        saved = self.define(self.mask, f"p_copy {self.exec}")
        before = dict(self.map)
        self.map["v_left"] = left
        names = {n for n in self.assigned(body) if n[0] == "v"} | {"v_left"}
        header, phis = self.begin_loop(names, "v")
        mine = self.map.pop("v_left")
        self.put("p_logical_start")
        self.run(body)
        mask = self.define(self.mask, f"v_cmp_lt_u32 0x0, {mine}")
        self.map["v_left"] = self.vop("v_sub_nc_u32", mine, "0x1")
        self.put("p_logical_end")
        go_on, exit_block = self.end_loop(header, phis)
        self.put(f"_@exec = s_and_{self.bits} {self.exec}, {mask}")
        self.put(("p_cbranch.execz", exit_block, go_on))
        self.start(go_on)
        self.put("p_logical_start")
        self.put("p_logical_end")
        self.edge(header)
        self.put(("p_branch", header))
        self.start(exit_block)
        del self.map["v_left"]
        for name in before:
            if name[0] == "s":
                self.map[name] = before[name]
        self.put(f"_@exec = s_mov_{self.bits} {saved}")
        self.put("p_logical_start")

    def text(self):
        out = [f"wave {LANES}"]
        for block in self.blocks:
            out.append(f"block {block.index} {block.kind} -> {' '.join(str(b.index) for b in block.linear)} / {' '.join(str(b.index) for b in block.logical)}")
            for line in block.lines:
                if isinstance(line, list):
                    line = f"{line[0]} = {line[1]} {line[2]}, {line[3]}"
                elif isinstance(line, tuple) and line[0] == "p_branch":
                    line = f"p_branch | imm={line[1].index}"
                elif isinstance(line, tuple):
                    line = f"{line[0]} {line[3] if len(line) > 3 else ''} | imm={line[1].index} imm2={line[2].index}"
                out.append("    " + line)
        return "\n".join(out)


def make_case(seed, size):
    global LANES
    rng = random.Random(seed)
    LANES = 32 if seed % 3 else 64
    generator = Generator(rng, rng.choice((8, 20, 60, size)))
    tree = generator.block(0, False)
    machine = Machine(tree, generator.vectors, generator.scalars)
    writer = Writer(rng, tree, generator.vectors, generator.scalars)
    limits = rng.choice(("", "", " sgprs=32", " vgprs=24", " sgprs=36 vgprs=32", " sgprs=28 vgprs=32"))
    words = [machine.out.get(i, memory_word(RESULT_B // 4 + i)) for i in range(generator.slots * LANES)]
    return f"case {seed}{limits}\n{writer.text()}\nexpect {' '.join(f'{w:x}' for w in words)}\nend\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--size", type=int, default=150)
    parser.add_argument("--run")
    arguments = parser.parse_args()
    cases = "".join(make_case(arguments.seed + i, arguments.size) for i in range(arguments.count))
    if not arguments.run:
        sys.stdout.write(cases)
        return 0
    return subprocess.run([arguments.run, "-"], input=cases, text=True).returncode


if __name__ == "__main__":
    sys.exit(main())
