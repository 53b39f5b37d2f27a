"""What of the front end has a case: the opcodes, functions, decorations, built-ins and image operands of the modules of the corpus that ran and were compared.

The front end's list is src/compiler/spirv/opcodes.table, all of GLSL.std.450 as the installed grammar has it, and what the front end's sources name of decorations and
built-ins. uncovered.txt names what has no case, and why; it fails where a thing is neither in a case nor in the list, and where it is in both."""
import json
import pathlib
import re
import struct
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
FRONT_END = HERE.parent.parent / "src" / "compiler" / "spirv"
INCLUDE = subprocess.run(["pkg-config", "--variable=includedir", "SPIRV-Headers"], capture_output=True, text=True, check=True).stdout.strip()
GRAMMAR = pathlib.Path(INCLUDE) / "spirv" / "unified1"
OP_EXT_INST_IMPORT, OP_EXT_INST, OP_SPEC_CONSTANT_OP = 11, 12, 52
OP_DECORATE, OP_MEMBER_DECORATE, OP_DECORATE_ID = 71, 72, 332
DECORATION_BUILTIN = 11
OP_EXECUTION_MODE = (16, 331)
# Where the mask of image operands stands.
IMAGE_OPERANDS = {87: 5, 88: 5, 89: 6, 90: 6, 91: 5, 92: 5, 93: 6, 94: 6, 95: 5, 96: 6, 97: 6, 98: 5, 99: 4}


def load(name):
    return json.loads((GRAMMAR / name).read_text(encoding="utf-8"))


class Seen:
    def __init__(self):
        core = load("spirv.core.grammar.json")
        self.opcodes, self.numbers = {}, {}
        for row in core["instructions"]:
            self.opcodes.setdefault(row["opcode"], row["opname"])
            self.numbers |= {name: row["opcode"] for name in (row["opname"], *row.get("aliases", []))}
        self.kinds = {kind["kind"]: kind["enumerants"] for kind in core["operand_kinds"] if "enumerants" in kind}
        self.glsl = {row["opcode"]: row["opname"] for row in load("extinst.glsl.std.450.grammar.json")["instructions"]}
        self.names = set()

    def kind(self, kind, value):
        return next((e["enumerant"] for e in self.kinds[kind] if e["value"] == value), str(value))

    def add(self, path):
        data = pathlib.Path(path).read_bytes()
        words = struct.unpack(f"<{len(data) // 4}I", data)
        sets, at = {}, 5
        while at < len(words):
            opcode, length = words[at] & 0xffff, words[at] >> 16
            self.add_instruction(opcode, words[at + 1:at + length], sets)
            at += length

    def add_instruction(self, opcode, operands, sets):
        self.names.add(self.opcodes[opcode])
        if opcode == OP_EXT_INST_IMPORT:
            sets[operands[0]] = struct.pack(f"<{len(operands) - 1}I", *operands[1:]).split(b"\0")[0].decode()
        elif opcode == OP_EXT_INST and sets[operands[2]] == "GLSL.std.450":
            self.names.add("GLSL " + self.glsl[operands[3]])
        elif opcode == OP_SPEC_CONSTANT_OP:
            self.names.add("OpSpecConstantOp " + self.opcodes[operands[2]])
        elif opcode in OP_EXECUTION_MODE:
            self.names.add("ExecutionMode " + self.kind("ExecutionMode", operands[1]))
        elif opcode in (OP_DECORATE, OP_DECORATE_ID, OP_MEMBER_DECORATE):
            rest = operands[2:] if opcode == OP_MEMBER_DECORATE else operands[1:]
            self.names.add("Decoration " + self.kind("Decoration", rest[0]))
            if rest[0] == DECORATION_BUILTIN:
                self.names.add("BuiltIn " + self.kind("BuiltIn", rest[1]))
        place = IMAGE_OPERANDS.get(opcode)
        if place is not None and len(operands) >= place:
            mask = operands[place - 1]
            for bit in range(32):
                if mask >> bit & 1:
                    self.names.add("ImageOperands " + self.kind("ImageOperands", f"{1 << bit:#06x}"))

    def wanted(self):
        """Everything that the front end says it translates, as names. What is newer than the installed grammar (@) is newer than the assembler, too: the front end's own
        tests have it."""
        rows = [row.split() for row in (FRONT_END / "opcodes.table").read_text(encoding="utf-8").splitlines() if row.startswith("Op")]
        names = {self.opcodes[self.numbers[row[0]]] for row in rows if len(row) < 3 or not row[2].startswith("@")}
        names |= {"GLSL " + name for name in self.glsl.values() if name != "Bad"}
        sources = "\n".join(path.read_text(encoding="utf-8") for path in sorted(FRONT_END.glob("*.c")))
        for kind in ("Decoration", "BuiltIn", "ExecutionMode"):
            canonical = {}
            for e in self.kinds[kind]:
                canonical[e["enumerant"]] = self.kind(kind, e["value"])
            names |= {f"{kind} {canonical[name]}" for name in re.findall(rf"\bSpv{kind}([A-Za-z0-9]+)\b", sources) if name in canonical}
        names |= {"ImageOperands " + name for name in re.findall(r"\bSpvImageOperands([A-Za-z0-9]+)Mask\b", sources)}
        return names

    def judge(self, tap):
        excused = {}
        for line in (HERE / "uncovered.txt").read_text(encoding="utf-8").splitlines():
            if line and line[0] != "#":
                name, reason = line.split(":", 1)
                for one in name.split(","):
                    excused[one.strip()] = reason.strip()
        wanted = self.wanted()
        missing = sorted(wanted - self.names - set(excused))
        idle = sorted(name for name in excused if name in self.names or name not in wanted)
        tap.case(f"each of the front end's {len(wanted)} opcodes, functions, decorations and built-ins has a case or a reason in uncovered.txt ({len(wanted & self.names)} ran)", not missing,
                 "\n".join(missing))
        tap.case("uncovered.txt names only what has no case", not idle, "\n".join(idle))
