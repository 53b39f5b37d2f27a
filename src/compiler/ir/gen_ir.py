#!/usr/bin/env python3
"""Writes what ops.table, the back ends' own tables of operations and immediates.table say, as C: ir_opcodes.h (names and properties), ir_ops.h (builders), ir_op_infos.c (the
tables behind ir_opcodes.h) and ir_fold_ops.c (the constant folder).

    gen_ir.py OUTDIR [TABLE]...
"""
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
PROPS = ["commutes", "associates", "packs", "quad", "cross", "effect", "jump", "uniform", "divergent", "float"]
MEMORIES = ["var", "buffer", "shared", "scratch", "image", "output", "input", "push", "desc", "ubo", "const", "ray"]
KIND_WIDTHS = {"f": (16, 32, 64), "i": (8, 16, 32, 64), "u": (8, 16, 32, 64), "x": (8, 16, 32, 64), "b": (1,)}
LETTERS = {"": 0, "N": 1, "M": 2, "L": 3}
MAX_SRCS = 5
MAX_IMMS = 6
# Builders that are written by hand: ir_builder.h.
BY_HAND = {"const", "vec", "extract", "phi"}
OPERAND = re.compile(r"([fiubx])(1|8|16|32|64|[NML])(\*|x[1-9][0-9]*|)(…?)")


class TableError(Exception):
    pass


class Operand:
    def __init__(self, text):
        match = OPERAND.fullmatch(text)
        if not match:
            raise TableError(f"'{text}' is no operand")
        self.kind, width, comps, dots = match.groups()
        self.letter = width if width in LETTERS else ""
        self.width = 0 if self.letter else int(width)
        self.comps = 0 if comps == "*" else int(comps[1:] or 1) if comps else 1
        self.variadic = bool(dots)

    def c(self, tied):
        """As an initialiser of struct ir_operand_info; `tied`: letters whose component count the row shares."""
        is_tied = "true" if self.comps == 0 and self.letter in tied else "false"
        return f"{{'{self.kind}', {LETTERS[self.letter]}, {self.width}, {self.comps}, {is_tied}}}"


class Op:
    """One row of ops.table."""

    def __init__(self, line, imm_names):
        columns = [part.strip() for part in line.split(":", 2)]
        if len(columns) != 3:
            raise TableError("a row has three columns: SHAPE : PROPERTIES : FOLD")
        head, props, self.fold = columns
        head, widths = re.subn(r"\s([NM])=([0-9,]+)", "", head)[0], re.findall(r"\s([NM])=([0-9,]+)", head)
        match = re.fullmatch(r"(\w+)\s+(\S+)\s*=\s*([^{]*?)\s*(?:\{([^}]*)\})?\s*", head)
        if not match:
            raise TableError(f"'{head}' is not NAME RESULT = OPERANDS {{IMMEDIATES}}")
        self.name, result, operands, imms = match.groups()
        self.result = None if result == "-" else Operand(result)
        self.operands = [Operand(text) for text in operands.split()]
        self.variadic = self.operands.pop() if self.operands and self.operands[-1].variadic else None
        if any(operand.variadic for operand in self.operands):
            raise TableError(f"{self.name}: only the last operand may be followed by …")
        self.imms = [name.strip() for name in imms.split(",")] if imms else []
        for name in self.imms:
            if name not in imm_names:
                raise TableError(f"{self.name}: immediates.table has no '{name}'")
        self.read_props(props.split())
        self.widths = {letter: tuple(int(w) for w in text.split(",")) for letter, text in widths}
        self.default_widths()
        if len(self.operands) > MAX_SRCS or len(self.imms) > MAX_IMMS:
            raise TableError(f"{self.name}: too many operands or immediates")
        if self.fold and (not self.result or self.result.comps != 1 or self.variadic):
            raise TableError(f"{self.name}: an expression without a scalar result")

    def all_operands(self):
        """The result, the operands and the variadic one, where they are."""
        return [o for o in [self.result, *self.operands, self.variadic] if o]

    def read_props(self, words):
        self.props, self.reads, self.writes = [], [], []
        words = iter(words)
        for word in words:
            if word in ("reads", "writes"):
                memory = next(words, "")
                if memory not in MEMORIES:
                    raise TableError(f"{self.name}: '{memory}' is no memory")
                (self.reads if word == "reads" else self.writes).append(memory)
            elif word in PROPS:
                self.props.append(word)
            else:
                raise TableError(f"{self.name}: '{word}' is no property")

    def default_widths(self):
        for width in (w for widths in self.widths.values() for w in widths):
            if width not in (1, 8, 16, 32, 64):
                raise TableError(f"{self.name}: {width} is no width")
        for letter in "NM":
            kinds = [o.kind for o in self.all_operands() if o.letter == letter]
            if letter not in self.widths and kinds:
                common = set(KIND_WIDTHS[kinds[0]]).intersection(*(KIND_WIDTHS[k] for k in kinds))
                self.widths[letter] = tuple(sorted(common))
            elif letter in self.widths and not kinds:
                raise TableError(f"{self.name}: {letter}= without an {letter}")

    def tied(self):
        """Letters after which * means one number in the whole row."""
        letters = [o.letter for o in self.all_operands() if o.comps == 0]
        return {letter for letter in letters if letter in "NM" and letter and letters.count(letter) > 1}

    def source_of_width(self):
        """The index of an operand that has the result's width, or None."""
        return next((i for i, o in enumerate(self.operands) if o.letter == self.result.letter), None)

    def source_of_comps(self):
        tied = self.tied()
        if self.result.letter not in tied:
            return None
        return next((i for i, o in enumerate(self.operands) if o.comps == 0 and o.letter == self.result.letter), None)


class Imm:
    """One row of immediates.table."""

    def __init__(self, line):
        self.name, self.format, *rest = line.split()
        self.macro, self.words, self.largest = None, [], 0xffffffff
        if self.format in ("enum", "set"):
            self.macro, = rest
        elif self.format == "bits":
            self.words = rest
        elif self.format in ("dec", "hex"):
            self.largest = int(rest[0]) if rest else self.largest
        elif self.format not in ("var", "location") or rest:
            raise TableError(f"'{line}' is no immediate")


def rows(name):
    for number, line in enumerate((HERE / name).read_text(encoding="utf-8").splitlines(), 1):
        if line.strip() and line[0] not in "#[":
            yield number, line


def read(name, parse):
    found = {}
    for number, line in rows(name):
        try:
            row = parse(line)
        except (TableError, ValueError) as error:
            sys.exit(f"{name}:{number}: {error}")
        if row.name in found:
            sys.exit(f"{name}:{number}: '{row.name}' stands there twice")
        found[row.name] = row
    return list(found.values())


def read_ops(own_tables, imm_names):
    """The rows of ops.table, then those of the back ends' own tables."""
    ops = {}
    for name in ("ops.table", *own_tables):
        for op in read(name, lambda line: Op(line, imm_names)):
            if op.name in ops:
                sys.exit(f"{name}: '{op.name}' stands in another table, too")
            ops[op.name] = op
    return list(ops.values())


OPCODES_HEAD = """/* The operations and immediates of the IR by name, and what is known of them. Written by gen_ir.py. */
#ifndef COMPILER_IR_IR_OPCODES_H
#define COMPILER_IR_IR_OPCODES_H

#include <stdbool.h>
#include <stdint.h>

"""
OPCODES_TAIL = """
enum ir_letter { IR_LETTER_NONE, IR_LETTER_N, IR_LETTER_M, IR_LETTER_L };

/* What an operand or a result must look like. */
struct ir_operand_info {
    char kind;       /* one of "fiubx" */
    uint8_t letter;  /* enum ir_letter; not NONE: the width is the row's */
    uint8_t bits;    /* where there is no letter */
    uint8_t comps;   /* 0: any number */
    bool comps_tied; /* the same number wherever the row has it after this letter */
};

#define IR_MAX_FIXED_SRCS %d

struct ir_op_info {
    const char *name;
    uint8_t num_srcs; /* fixed ones; more may follow where `variadic` */
    bool variadic, has_def, folds;
    struct ir_operand_info def;
    struct ir_operand_info srcs[IR_MAX_FIXED_SRCS + 1]; /* [num_srcs]: what each of the variadic ones must be */
    uint8_t widths[2]; /* of N and M: the sum of the widths that are allowed, each of which is a bit */
    uint8_t num_imms;
    uint8_t imms[%d];  /* enum ir_imm_kind */
    int8_t imm_slot[IR_IMM_COUNT]; /* -1: the operation has no such word */
    uint32_t props;         /* IR_PROP_* */
    uint16_t reads, writes; /* IR_TOUCH_* */
};
extern const struct ir_op_info ir_op_infos[IR_OP_COUNT];

enum ir_imm_format { IR_IMM_FORMAT_dec, IR_IMM_FORMAT_hex, IR_IMM_FORMAT_var, IR_IMM_FORMAT_location, IR_IMM_FORMAT_enum, IR_IMM_FORMAT_set, IR_IMM_FORMAT_bits };
struct ir_imm_info {
    const char *name;
    enum ir_imm_format format;
    const char *const *words; /* of an enum, of a set's or word's bits */
    uint32_t num_words;
    uint32_t largest;
};
extern const struct ir_imm_info ir_imm_infos[IR_IMM_COUNT];

#endif
"""


def opcodes_h(ops, imms):
    text = OPCODES_HEAD
    text += "enum ir_op {\n" + "".join(f"    IR_OP_{op.name},\n" for op in ops) + "    IR_OP_COUNT\n};\n\n"
    text += "enum ir_imm_kind {\n" + "".join(f"    IR_IMM_{imm.name.upper()},\n" for imm in imms) + "    IR_IMM_COUNT\n};\n\n"
    text += "enum {\n" + "".join(f"    IR_PROP_{p.upper()} = 1 << {i},\n" for i, p in enumerate(PROPS)) + "};\n\n"
    text += "enum {\n" + "".join(f"    IR_TOUCH_{m.upper()} = 1 << {i},\n" for i, m in enumerate(MEMORIES)) + "};\n"
    return text + OPCODES_TAIL % (MAX_SRCS, MAX_IMMS)


def op_info(op, imms):
    slots = [str(op.imms.index(imm.name)) if imm.name in op.imms else "-1" for imm in imms]
    tied = op.tied()
    operands = op.operands + ([op.variadic] if op.variadic else [])
    fields = [
        f'.name = "{op.name}"',
        f".num_srcs = {len(op.operands)}",
        f".variadic = {'true' if op.variadic else 'false'}",
        f".has_def = {'true' if op.result else 'false'}",
        f".folds = {'true' if op.fold else 'false'}",
        f".widths = {{{sum(op.widths.get('N', ()))}, {sum(op.widths.get('M', ()))}}}",
        f".num_imms = {len(op.imms)}",
        ".imm_slot = {" + ", ".join(slots) + "}",
        ".props = " + (" | ".join(f"IR_PROP_{p.upper()}" for p in op.props) or "0"),
        ".reads = " + (" | ".join(f"IR_TOUCH_{m.upper()}" for m in op.reads) or "0"),
        ".writes = " + (" | ".join(f"IR_TOUCH_{m.upper()}" for m in op.writes) or "0"),
    ]
    if op.result:
        fields.append(f".def = {op.result.c(tied)}")
    if operands:
        fields.append(".srcs = {" + ", ".join(o.c(tied) for o in operands) + "}")
    if op.imms:
        fields.append(".imms = {" + ", ".join(f"IR_IMM_{name.upper()}" for name in op.imms) + "}")
    return f"    [IR_OP_{op.name}] = {{" + ", ".join(fields) + "},\n"


def infos_c(ops, imms):
    text = "/* The tables behind ir_opcodes.h. Written by gen_ir.py. */\n"
    text += '#include "compiler/ir/ir_enums.h"\n#include "compiler/ir/ir_opcodes.h"\n\n#define X(n) #n,\n'
    for macro in sorted({imm.macro for imm in imms if imm.macro}):
        text += f"static const char *const words_{macro}[] = {{{macro}(X)}};\n"
    text += "#undef X\n"
    for imm in imms:
        if imm.words:
            text += f"static const char *const words_of_{imm.name}[] = {{" + ", ".join(f'"{w}"' for w in imm.words) + "};\n"
    text += "\nconst struct ir_imm_info ir_imm_infos[IR_IMM_COUNT] = {\n"
    for imm in imms:
        words = f"words_{imm.macro}" if imm.macro else f"words_of_{imm.name}" if imm.words else None
        count = f"sizeof({words}) / sizeof({words}[0])" if words else "0"
        largest = {"enum": f"{count} - 1", "set": f"(1u << {count}) - 1", "bits": f"(1u << {count}) - 1"}.get(imm.format, f"{imm.largest}u")
        text += f'    {{"{imm.name}", IR_IMM_FORMAT_{imm.format}, {words or "0"}, {count}, {largest}}},\n'
    text += "};\n\nconst struct ir_op_info ir_op_infos[IR_OP_COUNT] = {\n"
    return text + "".join(op_info(op, imms) for op in ops) + "};\n"


OPS_HEAD = """/* One function for each operation: it appends the instruction at the builder's cursor. Written by gen_ir.py.
 * `bits` and `comps` come first where the operands do not say them; immediates come last, in the row's order. */
#ifndef COMPILER_IR_IR_OPS_H
#define COMPILER_IR_IR_OPS_H

#include "compiler/ir/ir_builder.h"

"""


def builder(op):
    names = list("xyzw") if len(op.operands) <= 4 else [f"x{i}" for i in range(len(op.operands))]
    names = names[:len(op.operands)]
    params, bits, comps = ["struct ir_builder *b"], "0", "0"
    if op.result:
        bits, comps = str(op.result.width), str(op.result.comps)
        if op.result.letter:
            source = op.source_of_width()
            if source is None:
                params.append("uint8_t bits")
            bits = "bits" if source is None else f"{names[source]}->bits"
        if op.result.comps == 0:
            source = op.source_of_comps()
            if source is None:
                params.append("uint8_t comps")
            comps = "comps" if source is None else f"{names[source]}->comps"
        elif "packs" in op.props:
            comps = f"{names[0]}->comps"
    params += [f"struct ir_value *{name}" for name in names]
    if op.variadic:
        params += ["uint32_t count", "struct ir_value *const *values"]
    params += [f"uint32_t {name}" for name in op.imms]
    imm_names = ", ".join(op.imms)
    srcs = f"(struct ir_value *[]){{{', '.join(names)}}}" if names else "NULL"
    imms = f"(const uint32_t[IR_MAX_IMMS]){{{imm_names}}}" if op.imms else "NULL"
    more = "count, values" if op.variadic else "0, NULL"
    result = "struct ir_value *" if op.result else "struct ir_instr *"
    call = f"ir_build(b, IR_OP_{op.name}, {bits}, {comps}, {len(names)}, {srcs}, {more}, {imms})"
    call = f"&{call}->def" if op.result else call
    return f"static inline {result}ir_{op.name}({', '.join(params)})\n{{\n    return {call};\n}}\n\n"


def ops_h(ops):
    return OPS_HEAD + "".join(builder(op) for op in ops if op.name not in BY_HAND) + "#endif\n"


FOLD_HEAD = """/* The constant folder: each operation's expression of ops.table, for each width. Written by gen_ir.py. */
#include "compiler/ir/ir_fold_helpers.h"

bool fold_scalar(const struct fold_args *args, uint64_t *out)
{
    const uint64_t *s = args->srcs;
    (void)s;
    switch (args->op) {
"""


def c_type(kind, width):
    if kind == "f":
        return "double" if width == 64 else "float"
    if kind == "b" or width == 1:
        return "bool"
    return f"{'int' if kind == 'i' else 'uint'}{width}_t"


def fold_block(op, n, m):
    """One operation at one width: declares the typed operands that the expression uses and stores the result's bits."""
    width_of = {"N": n, "M": m}
    raw = op.fold.startswith("raw ")
    expression = op.fold[4:] if raw else op.fold
    words = set(re.findall(r"[A-Za-z_]\w*", expression))
    lines = []
    for letter, value in (("N", n), ("M", m)):
        if letter in words:
            lines.append(f"enum {{ {letter} = {value} }};")
    for i, operand in enumerate(op.operands):
        name, width = "abcd"[i], width_of.get(operand.letter, operand.width)
        if name in words:
            kind = operand.kind
            get = f"fold_get_f{width}(args, s[{i}])" if kind == "f" else f"({c_type(kind, width)})s[{i}]"
            lines.append(f"const {c_type(kind, width)} {name} = {get};")
        if name + "_raw" in words:
            lines.append(f"const uint64_t {name}_raw = s[{i}];")
    for i, name in enumerate(op.imms):
        if name in words:
            lines.append(f"const uint32_t {name} = args->imm[{i}];")
    width = width_of.get(op.result.letter, op.result.width)
    if op.result.kind == "f" and not raw:
        lines.append(f"*out = fold_put_f{width}(args, {expression});")
    else:
        lines.append(f"*out = (uint64_t)({expression}) & 0x{(1 << width) - 1:x};")
    lines.append("return true;")
    return "{\n" + "".join(f"            {line}\n" for line in lines) + "        }\n"


def fold_case(op):
    text = f"    case IR_OP_{op.name}:\n"
    ns, ms = op.widths.get("N", (0,)), op.widths.get("M", (0,))
    if ns == (0,):
        return text + "        " + fold_block(op, 0, 0)
    text += "        switch (args->n << 8 | args->m) {\n"
    for n in ns:
        for m in ms:
            text += f"        case {n} << 8 | {m}: " + fold_block(op, n, m)
    return text + "        }\n        return false;\n"


def fold_c(ops):
    body = "".join(fold_case(op) for op in ops if op.fold)
    return FOLD_HEAD + body + "    default:\n        return false;\n    }\n}\n"


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    imms = read("immediates.table", Imm)
    imm_names = {imm.name for imm in imms}
    ops = read_ops([str(pathlib.Path(name).resolve()) for name in sys.argv[2:]], imm_names)
    out = pathlib.Path(sys.argv[1])
    for name, text in (("ir_opcodes.h", opcodes_h(ops, imms)), ("ir_ops.h", ops_h(ops)), ("ir_op_infos.c", infos_c(ops, imms)),
                       ("ir_fold_ops.c", fold_c(ops))):
        (out / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
