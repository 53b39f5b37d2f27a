#!/usr/bin/env python3
"""Turns algebraic.table into the arrays of algebraic.h.

    gen_algebraic.py OUTPUT.c
"""
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import gen_ir  # noqa: E402  the rows of ops.table

LETTERS = "abcd"
TESTS = {"pow2": 1, "below": 2, "sum_below": 2, "differ": 2, "same_bits": 2, "same_width": 1, "at_most": 2, "width": -1, "nsz": 0, "nonan": 0,
         "inexact": 0, "any_rounding": 0}
TOKEN = re.compile(r"~|\(|\)|[^\s()~]+")


class Rules:
    def __init__(self, ops):
        self.ops = ops
        self.nodes, self.conditions, self.rules = [], [], []

    def node(self, **fields):
        self.nodes.append(fields)
        return len(self.nodes) - 1

    def leaf(self, token):
        if re.fullmatch(r"#?[a-d]", token):
            return self.node(kind="LETTER", letter=LETTERS.index(token[-1]), constant=token[0] == "#")
        if token in ("true", "false"):
            return self.node(kind="INT", value=int(token == "true"), bits=1)
        if re.fullmatch(r"-?[0-9]+\.[0-9]+", token):
            return self.node(kind="FLOAT", number=token)
        return self.node(kind="INT", value=int(token, 0))

    def expression(self, tokens):
        once = tokens[0] == "~"
        if once:
            tokens.pop(0)
        token = tokens.pop(0)
        if token != "(":
            return self.leaf(token)
        name, _, bits = tokens.pop(0).partition("@")
        if name not in self.ops:
            raise gen_ir.TableError(f"no operation {name}")
        srcs = []
        while tokens[0] != ")":
            srcs.append(self.expression(tokens))
        tokens.pop(0)
        if len(srcs) != len(self.ops[name].operands):
            raise gen_ir.TableError(f"{name} has {len(self.ops[name].operands)} operands")
        return self.node(kind="OP", op=name, bits=int(bits or 0), srcs=srcs, once=once)

    def condition(self, words):
        test = words.pop(0)
        if test not in TESTS:
            raise gen_ir.TableError(f"no condition {test}")
        letters, value = [], 0
        if TESTS[test] < 0:
            while words and words[0].isdigit():
                value += int(words.pop(0))
        for _ in range(max(TESTS[test], 0)):
            word = words.pop(0)
            if word in LETTERS:
                letters.append(LETTERS.index(word))
            else:
                value = 0 if word == "bits" else int(word)
        self.conditions.append((test.upper(), (letters + [0, 0])[:2], value))

    def rule(self, line):
        rule, _, conditions = line.partition(" : ")
        pattern, _, replacement = rule.partition(" = ")
        tokens = TOKEN.findall(pattern), TOKEN.findall(replacement)
        first = len(self.conditions)
        words = conditions.split()
        while words:
            self.condition(words)
        sides = [self.expression(side) for side in tokens]
        if any(tokens) or self.nodes[sides[0]]["kind"] != "OP":
            raise gen_ir.TableError("not PATTERN = REPLACEMENT")
        self.rules.append((sides[0], sides[1], first, len(self.conditions) - first, line))


def node_text(node):
    fields = [f".kind = ALGEBRAIC_{node['kind']}"]
    for name in ("letter", "value", "bits"):
        if node.get(name):
            fields.append(f".{name} = {node[name]}")
    for name in ("constant", "once"):
        if node.get(name):
            fields.append(f".{name} = true")
    if "number" in node:
        fields.append(f".number = {node['number']}")
    if "op" in node:
        srcs = ", ".join(map(str, node["srcs"])) or "0"
        fields.append(f".op = IR_OP_{node['op']}, .num_srcs = {len(node['srcs'])}, .srcs = {{{srcs}}}")
    return "    {" + ", ".join(fields) + "},\n"


def main():
    imm_names = {imm.name for imm in gen_ir.read("immediates.table", gen_ir.Imm)}
    op_list = gen_ir.read("ops.table", lambda line: gen_ir.Op(line, imm_names))
    rules = Rules({op.name: op for op in op_list})
    for number, line in enumerate((HERE / "algebraic.table").read_text().splitlines(), 1):
        line = line.strip()
        if not line or line[0] in "#[":
            continue
        try:
            rules.rule(line)
        except (gen_ir.TableError, ValueError, IndexError) as error:
            sys.exit(f"algebraic.table:{number}: {error}")
    order = [op.name for op in op_list]
    rules.rules.sort(key=lambda rule: order.index(rules.nodes[rule[0]]["op"]))
    out = ['#include "compiler/ir/algebraic.h"\n#include "compiler/ir/ir.h"\n\n', "const struct algebraic_node algebraic_nodes[] = {\n"]
    out += [node_text(node) for node in rules.nodes]
    out.append("};\nconst struct algebraic_condition algebraic_conditions[] = {\n")
    out += [f"    {{ALGEBRAIC_{test}, {{{letters[0]}, {letters[1]}}}, {value}}},\n" for test, letters, value in rules.conditions]
    out.append("};\nconst struct algebraic_rule algebraic_rules[] = {\n")
    out += [f'    {{{pattern}, {replacement}, {first}, {count}, "{text}"}},\n' for pattern, replacement, first, count, text in rules.rules]
    out.append(f"}};\nconst uint32_t algebraic_rule_count = {len(rules.rules)};\nconst uint16_t algebraic_first_rule[IR_OP_COUNT + 1] = {{\n")
    roots = [rules.nodes[rule[0]]["op"] for rule in rules.rules]
    first = 0
    for name in order:
        out.append(f"    [IR_OP_{name}] = {first},\n")
        first += roots.count(name)
    out.append(f"    [IR_OP_COUNT] = {first},\n}};\n")
    pathlib.Path(sys.argv[1]).write_text("".join(out))


if __name__ == "__main__":
    main()
