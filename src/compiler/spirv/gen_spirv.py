#!/usr/bin/env python3
"""Writes what the installed SPIR-V grammar says and opcodes.table adds, as C: sp_tables.h and sp_tables.c.

    gen_spirv.py GRAMMAR.json GLSL450.json OUTDIR

The grammar gives names and the layout of operands, by which the reader checks every instruction before it is looked at.
opcodes.table gives the function that translates an instruction; an instruction of the grammar without a row is refused by name, and
nothing of its operands is looked at, so a grammar may bring kinds of operands that are unknown here. Grammars differ in which of two
names of an instruction is the alias: either finds it.
"""
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
# One letter for each kind of operand: sp_grammar.c reads them. Enumerations with parameters follow as capital letters.
SIMPLE = {"IdResultType": "t", "IdResult": "r", "IdRef": "i", "IdScope": "i", "IdMemorySemantics": "i", "LiteralInteger": "l",
          "LiteralString": "s", "LiteralFloat": "l", "LiteralContextDependentNumber": "n", "LiteralExtInstInteger": "x", "LiteralSpecConstantOpInteger": "x",
          "PairLiteralIntegerIdRef": "p", "PairIdRefLiteralInteger": "q", "PairIdRefIdRef": "d"}
NAMED = ["Capability", "BuiltIn", "StorageClass", "ExecutionMode"]


def fail(text):
    sys.exit(f"gen_spirv.py: {text}")


def number(text):
    return int(text, 0) if isinstance(text, str) else text


class Grammar:
    def __init__(self, text):
        self.json = json.loads(text)
        self.kinds = {kind["kind"]: kind for kind in self.json["operand_kinds"]}
        self.letters = dict(SIMPLE)
        self.enums = []  # those with parameters that a layout has asked for

    def letter(self, name):
        if name not in self.letters:
            kind = self.kinds.get(name)
            if not kind or kind["category"] not in ("BitEnum", "ValueEnum"):
                fail(f"operand kind {name} is unknown")
            elif not any("parameters" in e for e in kind["enumerants"]):
                self.letters[name] = "l"
            elif len(self.enums) == 26:
                fail("more enumerations with parameters than letters")
            else:
                self.letters[name] = chr(ord("A") + len(self.enums))
                self.enums.append(kind)
        return self.letters[name]

    def layout(self, operands):
        return "".join(self.letter(operand["kind"]) + operand.get("quantifier", "") for operand in operands)

    def parameters(self, enumerant):
        """Of a value that newer grammars have: how it goes on is not looked at where that is unknown."""
        known = all(p["kind"] in self.letters or p["kind"] in self.kinds for p in enumerant.get("parameters", []))
        return self.layout(enumerant.get("parameters", [])) if known else "u"


def add_newer(names, name, text):
    """An instruction that the grammar may be too old for: @CODE:KIND,KIND,KIND*."""
    code, kinds = text[1:].split(":")
    operands = [{"kind": kind.rstrip("*?"), **({"quantifier": kind[-1]} if kind[-1] in "*?" else {})} for kind in kinds.split(",")]
    names.setdefault(name, {"opname": name, "opcode": int(code), "operands": operands})


def read_table(names):
    rows, phase = {}, None
    for count, line in enumerate((HERE / "opcodes.table").read_text(encoding="utf-8").splitlines(), 1):
        line = line.split("#")[0].strip()
        if not line:
            continue
        if line.startswith("["):
            phase = line.strip("[]")
            continue
        name, handler, *args = line.split()
        if args and args[0].startswith("@"):
            add_newer(names, name, args.pop(0))
        if name not in names:
            fail(f"opcodes.table:{count}: the installed grammar has no {name}")
        if name in rows:
            fail(f"opcodes.table:{count}: {name} stands there twice")
        rows[name] = (phase, handler, args)
    return rows


def c_args(args):
    """IR_OP_x, modifiers and numbers of a row, as the fields of struct sp_op_info."""
    out = []
    for arg in args:
        if arg in ("swap", "not"):
            out.append(f".{arg if arg == 'swap' else 'invert'} = true")
        elif arg.isdigit():
            out.append(f".arg = {arg}")
        elif arg.startswith("IR_") or arg.startswith("SP_"):
            out.append(f".arg = {arg}")
        else:
            out.append(f".arg = IR_OP_{arg}")
    return out


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    grammar = Grammar(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))
    glsl = json.loads(pathlib.Path(sys.argv[2]).read_text(encoding="utf-8"))
    out = pathlib.Path(sys.argv[3])
    by_name, by_code = {}, {}
    for op in grammar.json["instructions"]:
        for name in (op["opname"], *op.get("aliases", [])):
            by_name.setdefault(name, op)
        by_code.setdefault(op["opcode"], op)
    rows = read_table(by_name)
    for op in by_name.values():
        by_code.setdefault(op["opcode"], op)
    # An alias (OpSDotKHR) has the number of the first name; its row may use either.
    handled = {by_name[name]["opcode"]: row for name, row in rows.items()}
    handlers = sorted({handler for _, handler, _ in handled.values()})
    glsl_names = {f"glsl_{op['opname']}": op for op in glsl["instructions"]}

    text = '/* Written by gen_spirv.py from the installed grammar and opcodes.table. */\n#include "compiler/spirv/sp.h"\n\n'
    text += "const struct sp_op_info sp_op_infos[SP_NUM_OPS] = {\n"
    for code in sorted(by_code):
        op = by_code[code]
        layout = grammar.layout(op.get("operands", [])) if code in handled else "u"
        fields = [f'.opcode = {code}', f'.name = "{op["opname"]}"', f'.layout = "{layout}"']
        if code in handled:
            phase, handler, args = handled[code]
            fields += [f".phase = SP_PHASE_{phase}", f".handler = sp_do_{handler}", *c_args(args)]
        text += "    {" + ", ".join(fields) + "},\n"
    text += "};\n\n"
    for kind in grammar.enums:  # grows on the way
        values = sorted(((number(e["value"]), e) for e in kind["enumerants"]), key=lambda pair: pair[0])
        text += f"static const struct sp_enumerant enum_{kind['kind']}[] = {{\n"
        seen = set()
        for value, e in values:
            if value not in seen:
                seen.add(value)
                text += f'    {{{value}u, "{grammar.parameters(e)}"}},\n'
        text += "};\n"
    text += "\nconst struct sp_enum_info sp_enum_infos[SP_NUM_ENUMS] = {\n"
    for kind in grammar.enums:
        is_mask = "true" if kind["category"] == "BitEnum" else "false"
        text += f"    {{{is_mask}, sizeof(enum_{kind['kind']}) / sizeof(enum_{kind['kind']}[0]), enum_{kind['kind']}}},\n"
    text += "};\n\n"
    for name in NAMED:
        text += f"const char *sp_name_of_{name}(uint32_t value)\n{{\n    switch (value) {{\n"
        seen = set()
        for e in grammar.kinds[name]["enumerants"]:
            if number(e["value"]) not in seen:
                seen.add(number(e["value"]))
                text += f'    case {number(e["value"])}u: return "{e["enumerant"]}";\n'
        text += '    default: return "an unknown one";\n    }\n}\n\n'
    text += "const struct sp_glsl_info sp_glsl_infos[SP_NUM_GLSL] = {\n"
    for op in sorted(glsl["instructions"], key=lambda op: op["opcode"]):
        text += f'    {{{op["opcode"]}, "{op["opname"]}"}},\n'
    text += "};\n"
    header = "/* Written by gen_spirv.py from the installed grammar and opcodes.table. */\n#ifndef COMPILER_SPIRV_SP_TABLES_H\n"
    header += "#define COMPILER_SPIRV_SP_TABLES_H\n\nstruct sp;\nstruct sp_instr;\n"
    header += "".join(f"void sp_do_{handler}(struct sp *s, const struct sp_instr *in);\n" for handler in handlers)
    header += f"\n#define SP_NUM_OPS {len(by_code)}\n#define SP_NUM_ENUMS {len(grammar.enums)}\n#define SP_NUM_GLSL {len(glsl_names)}\n\n#endif\n"
    (out / "sp_tables.h").write_text(header, encoding="utf-8")
    (out / "sp_tables.c").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
