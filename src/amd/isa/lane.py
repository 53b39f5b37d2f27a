"""The lane language: parser, type checker and analysis. Not for: C (lane_c.py), the tables' grammar (table.py), the meaning of a
primitive (lane.h), what an executor does around an expression (docs/lane.md).

A meaning is a list of statements separated by `;` or a new line:

    d = fma(s0, s1, s2)                         a destination, an operand of the row
    scc = d != 0                                implicit state, see STATE; reading it after writing it reads the new value
    t = u64(s0) + u64(s1)                       any other name is a local, bound once, its type is the expression's
    rel(d, m0) = s0                             an operand whose register number is so much higher, as destination or source
    setreg(imm, s0)                             a statement primitive, see EFFECTS
    nop                                         nothing happens that the model keeps

Expressions have C's operators and precedence without assignment, comma and implicit conversions: both sides of an operator have
one type; a literal takes the type of the other side; `u64(x)` converts; `a ? b : c` selects and both sides may be evaluated.
What differs from C: integers wrap, signed ones too; a shift takes its count modulo the width, as the hardware does; bN is uN.

parse(row) gives an Ast; its errors name file and line. implicit_reads, implicit_writes, reads_operands and writes_operands say
what it touches; fp_class says whose rounding and denormal mode the host must have while it runs.
"""
import re

INTS = {f"{letter}{bits}": (bits, letter == "i") for letter in "ui" for bits in (8, 16, 32, 64)}
FLOATS = {"f16": 16, "f32": 32, "f64": 64}
PAIRS = {"u16x2": "u16", "i16x2": "i16", "f16x2": "f16"}
ALIASES = {"b8": "u8", "b16": "u16", "b32": "u32", "b64": "u64", "mask": "bool", "hwreg": "u16", "label": "i16", "x16": "u16",
           "param": "u32"}
SCALAR_FORMATS = ("sop1", "sop2", "sopk", "sopc", "sopp")
VECTOR_FORMATS = ("vop1", "vop2", "vopc", "vop3", "vop3p", "vintrp")

# Implicit state by the name that an expression uses: (type, the state that the analysis reports). A lane sees one bit of a mask.
STATE_LANE = {"vcc": ("bool", "vcc"), "exec": ("bool", "exec"), "m0": ("u32", "m0"), "lane": ("u32", "lane"),
              "clamp": ("bool", None), "p0": ("u32", "param"), "p10": ("u32", "param"), "p20": ("u32", "param"),
              "attr_high": ("bool", None)}
STATE_SCALAR = {"scc": ("bool", "scc"), "vcc": ("u64", "vcc"), "exec": ("u64", "exec"), "exec_lo": ("u32", "exec"),
                "exec_hi": ("u32", "exec"), "m0": ("u32", "m0"), "pc": ("u64", "pc"), "priv": ("bool", "priv")}

# Primitives: name -> overloads of (argument types, result). F, I and U stand for any one float, integer, unsigned type.
# The C function is lane_<name>_<type of the first argument>; `m` in front of it: it also takes the mode.
PRIMITIVES = {
    # floats
    "fma": "m FFF F", "min": "m FF F; II I", "max": "m FF F; II I", "med3": "m FFF F; III I", "abs": "F F; I I",
    "floor": "m F F", "ceil": "m F F", "trunc": "m F F", "rndne": "m F F", "fract": "m F F",
    "rcp": "m F F", "rsq": "m F F", "sqrt": "m F F", "exp2": "m F F", "log2": "m F F", "sin_turns": "m F F", "cos_turns": "m F F",
    "ldexp": "m F,i32 F", "frexp_mant": "m F F", "frexp_exp": "m F i32", "trig_preop": "f64,u32 f64",
    "flush": "m F F", "clamp01": "m F F", "quiet": "F F", "is_nan": "F bool", "is_inf": "F bool", "is_denorm": "F bool", "sign": "F bool",
    "exponent": "F i32", "class_of": "F u32", "quotient_is_denorm": "FF bool", "reciprocal_is_denorm": "F bool",
    "fma_scaled": "m FFF,bool F",
    # conversions that C's casts do not say
    "cvt_i32": "m F i32", "cvt_u32": "m F u32", "cvt_i16": "m f16 i16", "cvt_u16": "m f16 u16", "cvt_u8": "m f32 u32",
    "cvt_floor_i32": "m f32 i32", "cvt_round_up_i32": "m f32 i32", "snorm16": "m F i16", "unorm16": "m F u16",
    "f16_rtz": "m f32 f16",
    "bits": "f16 u16; f32 u32; f64 u64", "as_f16": "u16 f16", "as_f32": "u32 f32", "as_f64": "u64 f64",
    # integers
    "mulhi": "u32,u32 u32; i32,i32 i32", "popcount": "u32 u32; u64 u32", "bitreverse": "u32 u32; u64 u64",
    "find_low": "u32 i32; u64 i32", "find_high": "u32 i32; u64 i32", "find_high_sign": "i32 i32; i64 i32",
    "bfe": "u32,u32,u32 u32; i32,u32,u32 i32; u64,u32,u32 u64; i64,u32,u32 i64",
    "wqm": "u32 u32; u64 u64", "quadmask": "u32 u32; u64 u64", "bitreplicate": "u32 u64",
    "sat_u8": "i16 u32", "sat16_u32": "u32 u16", "sat16_i32": "i32 i16",
    "sad_u8": "u32,u32 u32", "msad_u8": "u32,u32 u32", "sad_u16": "u32,u32 u32", "lerp_u8": "u32,u32,u32 u32",
    "byte_perm": "u32,u32,u32 u32", "dot4_i8": "u32,u32 i32", "dot4_u8": "u32,u32 u32", "dot8_i4": "u32,u32 i32",
    "dot8_u4": "u32,u32 u32",
    "word": "b128,u32 u32", "words": "u32,u32,u32,u32 b128",
}
# Result = clamp ? saturated : truncated. They read the instruction's clamp bit.
SATURATING = {"sat_u16": ("i64", "u16"), "sat_i16": ("i64", "i16"), "sat_u32": ("i64", "u32"), "sat_i32": ("i64", "i32")}
# What a wave does as a whole: name -> (operands it takes, has a result). Only in rows with the property `wave`.
WAVE = {"readlane": 2, "readfirstlane": 1, "writelane": 3, "permlane16": 4, "permlanex16": 4}
# Calls into the executor. getreg is an expression, the others are statements; (argument types, result, state read, state written)
EFFECTS = {"getreg": (("u16",), "u32", ("hwreg",), ()), "setreg": (("u16", "u32"), None, (), ("hwreg", "mode")),
           "wait_vscnt": (("u32", "u16"), None, ("counters",), ()), "wait_vmcnt": (("u32", "u16"), None, ("counters",), ()),
           "wait_expcnt": (("u32", "u16"), None, ("counters",), ()), "wait_lgkmcnt": (("u32", "u16"), None, ("counters",), ())}

TOKEN = re.compile(r"\s*(?:(0x[0-9a-fA-F]+|\d+\.\d+(?:e[-+]?\d+)?|\d+)|([A-Za-z_]\w*)|"
                   r"(<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^~!<>?:=(),;\[\]]))")
PRECEDENCE = (("||",), ("&&",), ("|",), ("^",), ("&",), ("==", "!="), ("<", "<=", ">", ">="), ("<<", ">>"), ("+", "-"), ("*",))


class LaneError(Exception):
    pass


class Node:
    """op: 'lit', 'name', 'rel', 'un', 'bin', 'sel', 'cast', 'call', 'wave', 'effect'; args are Nodes; type is a checked type name."""
    def __init__(self, op, text="", args=(), type_name=None):
        self.op, self.text, self.args, self.type = op, text, list(args), type_name

    def walk(self):
        yield self
        for arg in self.args:
            yield from arg.walk()


class Statement:
    """target: None (an effect), or a Node of op 'name' or 'rel'; value: a Node."""
    def __init__(self, target, value, is_local=False):
        self.target, self.value, self.is_local = target, value, is_local


class Ast:
    def __init__(self, row):
        self.row, self.statements, self.locals = row, [], {}
        self.is_scalar = row.format in SCALAR_FORMATS
        self.state = STATE_SCALAR if self.is_scalar else STATE_LANE
        self.types = {o.name: ALIASES.get(o.type, o.type) for o in row.operands if o.type != "attr"}
        self.is_wave = "wave" in row.properties
        self.has_clamp_bit = not self.is_scalar

    def fail(self, text):
        raise LaneError(f"{self.row.file}:{self.row.line}: {self.row.name}: {text}")


# --- parser -------------------------------------------------------------------------------------------------------------------

class Parser:
    def __init__(self, ast, text):
        self.ast, self.tokens, self.at = ast, [], 0
        text = text.strip().replace("\n", " ; ")
        position = 0
        while position < len(text):
            match = TOKEN.match(text, position)
            if not match or match.end() == position:
                ast.fail(f"cannot read '{text[position:position + 20]}'")
            token = match.group(1) or match.group(2) or match.group(3)
            self.tokens.append(token)
            position = match.end()
        self.tokens.append(";")
        # A line that ends in an operator goes on in the next one.
        joined = []
        for token in self.tokens:
            if token == ";" and joined and re.fullmatch(r"[-+*/%&|^~!<>?:=(,]+", joined[-1]):
                continue
            if joined and joined[-1] == ";" and token in ("?", ":", "||", "&&", "|", "^", "&", "+", "*"):
                joined.pop()
            joined.append(token)
        self.tokens = joined

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def next(self):
        token = self.peek()
        self.at += 1
        return token

    def expect(self, token):
        found = self.next()
        if found != token:
            self.ast.fail(f"'{token}' expected before '{found}'")

    def program(self):
        while self.at < len(self.tokens):
            if self.peek() == ";":
                self.at += 1
                continue
            yield self.statement()

    def statement(self):
        start = self.at
        if self.peek() == "nop":
            self.at += 1
            self.expect(";")
            return Statement(None, None)
        left = self.postfix()
        if self.peek() == "=":
            self.at += 1
            if left.op not in ("name", "rel"):
                self.ast.fail("only an operand, a state or a local can be assigned")
            value = self.expression()
            self.expect(";")
            return Statement(left, value)
        self.at = start
        value = self.expression()
        self.expect(";")
        if value.op != "effect":
            self.ast.fail("a statement must assign or have an effect")
        return Statement(None, value)

    def expression(self):
        condition = self.binary(0)
        if self.peek() != "?":
            return condition
        self.at += 1
        then = self.expression()
        self.expect(":")
        return Node("sel", "?", [condition, then, self.expression()])

    def binary(self, level):
        if level == len(PRECEDENCE):
            return self.unary()
        left = self.binary(level + 1)
        while self.peek() in PRECEDENCE[level]:
            operator = self.next()
            left = Node("bin", operator, [left, self.binary(level + 1)])
        return left

    def unary(self):
        if self.peek() in ("-", "~", "!"):
            operator = self.next()
            return Node("un", operator, [self.unary()])
        return self.postfix()

    def postfix(self):
        token = self.next()
        if token == "(":
            inner = self.expression()
            self.expect(")")
            return inner
        if re.match(r"\d", token):
            return Node("lit", token)
        if token in ("true", "false"):
            return Node("lit", token, type_name="bool")
        if not re.match(r"[A-Za-z_]", token):
            self.ast.fail(f"an expression expected before '{token}'")
        if self.peek() != "(":
            return Node("name", token)
        self.at += 1
        args = []
        while self.peek() != ")":
            args.append(self.expression())
            if self.peek() == ",":
                self.at += 1
            elif self.peek() != ")":
                self.ast.fail(f"',' or ')' expected before '{self.peek()}'")
        self.at += 1
        kind = ("rel" if token == "rel" else "wave" if token in WAVE else "effect" if token in EFFECTS
                else "cast" if token in INTS or token in FLOATS else "call")
        return Node(kind, token, args)


# --- types --------------------------------------------------------------------------------------------------------------------

def overloads(name):
    """(takes the mode, [(argument types, result)]) of a primitive; F and I are expanded."""
    takes_mode, found = False, []
    for text in PRIMITIVES[name].split(";"):
        words = text.split()
        if words[0] == "m":
            takes_mode = True
            words = words[1:]
        generic = words[0]
        args = []
        for part in generic.split(","):
            args += list(part) if re.fullmatch(r"[FI]+", part) else [part]
        for actual in (FLOATS if "F" in args else ("u16", "i16", "u32", "i32") if "I" in args else ("",)):
            replace = {"F": actual, "I": actual}
            found.append(([replace.get(a, a) for a in args], replace.get(words[1], words[1])))
    return takes_mode, found


class Checker:
    def __init__(self, ast):
        self.ast = ast

    def name_type(self, name):
        ast = self.ast
        if name in ast.types:
            return ast.types[name]
        if name in ast.state:
            return ast.state[name][0]
        if name in ast.locals:
            return ast.locals[name]
        ast.fail(f"'{name}' is no operand, state or local")

    def literal(self, node, want):
        """Gives a literal (or an expression of literals) the type that its surroundings want."""
        if node.type is None:
            if node.op == "lit":
                is_float = "." in node.text
                if want not in INTS and want not in FLOATS:
                    self.ast.fail(f"literal {node.text} cannot be {want}")
                if is_float and want not in FLOATS:
                    self.ast.fail(f"literal {node.text} is no {want}")
                if want in INTS and int(node.text, 0) >= 1 << INTS[want][0]:
                    self.ast.fail(f"literal {node.text} does not fit {want}")
            for arg in node.args:
                self.literal(arg, want)
            node.type = want
        return node.type

    def check(self, node, want=None):
        """Types a node; a node that is only literals stays untyped unless `want` says."""
        getattr(self, "check_" + node.op)(node)
        if node.type is None and want:
            self.literal(node, want)
        if want and node.type != want:
            self.ast.fail(f"{self.show(node)} is {node.type}, {want} is wanted")
        return node.type

    def show(self, node):
        return f"'{node.text}'" if not node.args else f"'{node.text}(...)'"

    def check_lit(self, node):
        pass

    def check_name(self, node):
        node.type = self.name_type(node.text)

    def check_rel(self, node):
        if len(node.args) != 2 or node.args[0].op != "name" or node.args[0].text not in self.ast.types:
            self.ast.fail("rel takes an operand and an offset")
        if "relative" not in self.ast.row.properties:
            self.ast.fail("rel needs the property 'relative'")
        self.check(node.args[1], "u32")
        node.type = self.ast.types[node.args[0].text]

    def check_un(self, node):
        kind = self.check(node.args[0])
        allowed = {"-": lambda t: t is None or t in INTS or t in FLOATS, "~": lambda t: t is None or t in INTS,
                   "!": lambda t: t == "bool"}[node.text]
        if not allowed(kind):
            self.ast.fail(f"'{node.text}' cannot be applied to {kind}")
        node.type = kind

    def unify(self, left, right, what):
        a, b = self.check(left), self.check(right)
        if a is None and b is not None:
            a = self.literal(left, b)
        elif b is None and a is not None:
            b = self.literal(right, a)
        if a != b:
            self.ast.fail(f"'{what}' between {a} and {b}")
        return a

    def check_bin(self, node):
        operator = node.text
        if operator in ("<<", ">>"):
            kind, count = self.check(node.args[0]), self.check(node.args[1])
            if count is None:
                self.literal(node.args[1], "u32")
            elif count not in INTS:
                self.ast.fail(f"a shift count cannot be {count}")
            if kind is not None and kind not in INTS:
                self.ast.fail(f"{kind} cannot be shifted")
            node.type = kind
            return
        kind = self.unify(node.args[0], node.args[1], operator)
        if operator in ("&&", "||"):
            if kind != "bool":
                self.ast.fail(f"'{operator}' between {kind}")
            node.type = "bool"
        elif operator in ("==", "!=", "<", "<=", ">", ">="):
            if kind is None:
                self.ast.fail("a comparison of literals")
            if kind not in INTS and kind not in FLOATS and not (kind == "bool" and operator in ("==", "!=")):
                self.ast.fail(f"{kind} cannot be compared by '{operator}'")
            node.type = "bool"
        else:
            ok = kind is None or kind in INTS or (kind in FLOATS and operator in ("+", "-", "*"))
            if not ok:
                self.ast.fail(f"'{operator}' between {kind}")
            node.type = kind

    def check_sel(self, node):
        self.check(node.args[0], "bool")
        node.type = self.unify(node.args[1], node.args[2], "?:")

    def check_cast(self, node):
        if len(node.args) != 1:
            self.ast.fail(f"{node.text} takes one value")
        kind = self.check(node.args[0])
        if kind is None:
            self.literal(node.args[0], node.text)
        elif not (kind in INTS or kind == "bool" or (kind in FLOATS and node.text in FLOATS)) or \
                (kind == "bool" and node.text in FLOATS):
            self.ast.fail(f"{kind} cannot become {node.text} by a cast")
        node.type = node.text

    def check_call(self, node):
        name = node.text
        if name in SATURATING:
            if len(node.args) != 1:
                self.ast.fail(f"{name} takes one value")
            self.check(node.args[0], SATURATING[name][0])
            node.type = SATURATING[name][1]
            return
        if name in ("lo", "hi"):
            kind = self.check(node.args[0]) if len(node.args) == 1 else None
            if kind not in PAIRS:
                self.ast.fail(f"{name} takes one pair")
            node.type = PAIRS[kind]
            return
        if name == "pack":
            kinds = [self.check(a) for a in node.args]
            pair = next((p for p, half in PAIRS.items() if kinds == [half, half]), None)
            if not pair:
                self.ast.fail(f"pack takes two halves of one type, not {kinds}")
            node.type = pair
            return
        if name not in PRIMITIVES:
            self.ast.fail(f"'{name}' is no primitive")
        kinds = [self.check(a) for a in node.args]
        for args, result in overloads(name)[1]:
            if len(args) == len(kinds) and all(k is None or k == a for k, a in zip(kinds, args)) and (
                    any(kinds) or len(overloads(name)[1]) == 1):
                for arg, want in zip(node.args, args):
                    self.check(arg, want) if arg.type is None else None
                node.type, node.overload = result, args[0]
                return
        self.ast.fail(f"{name} cannot take ({', '.join(str(k) for k in kinds)})")

    def check_wave(self, node):
        if not self.ast.is_wave:
            self.ast.fail(f"{node.text} needs the property 'wave'")
        if len(node.args) != WAVE[node.text] or any(a.op != "name" for a in node.args):
            self.ast.fail(f"{node.text} takes {WAVE[node.text]} operands")
        for arg in node.args:
            self.check(arg, "u32")
        node.type = "u32"

    def check_effect(self, node):
        args, result = EFFECTS[node.text][:2]
        if len(args) != len(node.args):
            self.ast.fail(f"{node.text} takes {len(args)} values")
        for arg, want in zip(node.args, args):
            self.check(arg, want)
        node.type = result or "void"


def parse(row):
    """The checked Ast of a row's meaning. Raises LaneError with file:line."""
    ast = Ast(row)
    if row.meaning.strip() in ("", "?"):
        ast.fail("has no meaning")
    checker = Checker(ast)
    for statement in Parser(ast, row.meaning).program():
        target = statement.target
        if statement.value is None:
            pass
        elif target is None:
            checker.check(statement.value)
        elif target.op == "rel":
            checker.check(target)
            checker.check(statement.value, target.type)
        elif target.text in ast.types or target.text in ast.state:
            if not target.text in ast.types and ast.state[target.text][1] in (None, "param", "lane"):
                ast.fail(f"'{target.text}' cannot be written")
            checker.check(target)
            checker.check(statement.value, target.type)
        else:
            if target.text in ast.locals or target.text in PRIMITIVES or target.text in INTS or \
                    target.text in FLOATS:
                ast.fail(f"local '{target.text}' is bound twice or is a reserved word")
            kind = checker.check(statement.value)
            if kind is None:
                ast.fail(f"the type of local '{target.text}' is open")
            ast.locals[target.text] = target.type = kind
            statement.is_local = True
        ast.statements.append(statement)
    check_complete(ast)
    return ast


def check_complete(ast):
    names = {n.text for s in ast.statements if s.value for n in s.value.walk() if n.op == "name"}
    names |= {n.text for s in ast.statements if s.target and s.target.op == "rel" for n in s.target.args[1].walk()}
    for name in ast.locals:
        if name not in names:
            ast.fail(f"local '{name}' is never used")
    for operand in ast.row.operands:
        if operand.is_dst and operand.name not in writes_operands(ast):
            ast.fail(f"destination '{operand.name}' is never written")
        # A comparison that is always or never true has sources that it does not look at; so have the waits of one counter.
        if not operand.is_dst and operand.name in ast.types and ast.row.format not in ("vopc",) and \
                operand.name not in reads_operands(ast) and ast.row.name != "s_version":
            ast.fail(f"source '{operand.name}' is never read")


# --- analysis -----------------------------------------------------------------------------------------------------------------

def flow(ast, offsets=True):
    """Yields (kind, name) in the order of evaluation; kind is 'read', 'write', 'effect_read', 'effect_write', 'mode'.
    Without `offsets` what only the register numbers of relative operands depend on is left out."""
    def value(node):
        for arg in node.args[1:] if node.op == "rel" else node.args:
            if node.op != "rel" or offsets:
                yield from value(arg)
        if node.op == "name":
            yield "read", node.text
        elif node.op == "rel":
            yield "read", node.args[0].text
        elif node.op == "call":
            if node.text in SATURATING:
                yield "read", "clamp"
            elif node.text in PRIMITIVES and overloads(node.text)[0] and (node.type in FLOATS or node.overload in FLOATS):
                yield "mode", ""
        elif node.op == "wave":
            if node.text != "readlane" and node.text != "writelane":
                yield "read", "exec"
        elif node.op == "effect":
            for state in EFFECTS[node.text][2]:
                yield "effect_read", state
            for state in EFFECTS[node.text][3]:
                yield "effect_write", state
        if node.op in ("bin", "cast") and (node.type in FLOATS or node.args[0].type in FLOATS):
            yield "mode", ""

    for statement in ast.statements:
        if statement.value is None:
            continue
        yield from value(statement.value)
        if statement.target is None:
            continue
        if statement.target.op == "rel":
            if offsets:
                yield from value(statement.target.args[1])
            yield "write", statement.target.args[0].text
        else:
            yield "write", statement.target.text


def _state_of(ast, name):
    if name in ast.types or name in ast.locals or name not in ast.state:
        return None
    return ast.state[name][1]


def implicit_reads(ast):
    """The implicit state whose old value the meaning depends on: scc vcc exec m0 pc mode lane param hwreg counters."""
    written, found = set(), set()
    for kind, name in flow(ast):
        state = _state_of(ast, name)
        if kind == "write":
            written.add(name)
        elif kind == "mode":
            found.add("mode")
        elif kind == "effect_read":
            found.add(name)
        elif kind == "read" and state and name not in written:
            found.add(state)
    if not ast.is_scalar and not ast.is_wave and ast.row.operands:
        found.add("exec")  # a lane writes only where it is active
    return found


def implicit_writes(ast):
    found = set()
    for kind, name in flow(ast):
        if kind == "effect_write":
            found.add(name)
        elif kind == "write" and _state_of(ast, name):
            found.add(_state_of(ast, name))
    return found


def reads_operands(ast):
    """Operands whose old value is read; a destination among them is tied."""
    written, found = set(), set()
    for kind, name in flow(ast):
        if name in ast.types:
            if kind == "write":
                written.add(name)
            elif kind == "read" and name not in written:
                found.add(name)
    return found


def writes_operands(ast):
    return {name for kind, name in flow(ast) if kind == "write" and name in ast.types}


def fp_class(ast):
    """'none', 'f32', 'f16' or 'f64': whose fields of MODE rule the host's rounding and flushing. By the result, else by the source."""
    if "mode" not in implicit_reads(ast):
        return "none"
    for is_dst in (True, False):
        for operand in ast.row.operands:
            kind = PAIRS.get(operand.type, operand.type)
            if operand.is_dst == is_dst and kind in FLOATS:
                return kind
    return next(n.type for s in ast.statements if s.value for n in s.value.walk() if n.type in FLOATS)


def touched_state(ast):
    """Names of implicit state that the meaning reads or writes, in a fixed order, as (name, type, read, written)."""
    reads, writes = set(), set()
    for kind, name in flow(ast, offsets=False):
        if kind in ("read", "write") and name in ast.state and name not in ast.types and name not in ast.locals:
            (writes if kind == "write" else reads).add(name)
    order = sorted(reads | writes)
    early = {name for name in order if name in reads and _read_early(ast, name)}
    return [(name, ast.state[name][0], name in early, name in writes) for name in order]


def _read_early(ast, wanted):
    for kind, name in flow(ast):
        if name == wanted:
            return kind == "read"
    return False


def has_effects(ast):
    return any(n.op == "effect" for s in ast.statements if s.value for n in s.value.walk())


def relatives(ast):
    """Relative operands in order of first use: [(operand, offset node, read, written)]."""
    found = {}
    for statement in ast.statements:
        nodes = list(statement.value.walk()) if statement.value else []
        for node in nodes:
            if node.op == "rel":
                found.setdefault(node.args[0].text, [node.args[1], False, False])[1] = True
        if statement.target and statement.target.op == "rel":
            found.setdefault(statement.target.args[0].text, [statement.target.args[1], False, False])[2] = True
    return [(name, *entry) for name, entry in found.items()]


def parameters(ast):
    """The parameters of the lane function behind the mode: [(name, type, read, written)]. What is written is a pointer."""
    reads, writes = reads_operands(ast), writes_operands(ast)
    listed = [(o.name, ast.types[o.name], o.name in reads, o.name in writes) for o in ast.row.operands
              if o.name in ast.types and (o.name in reads or o.name in writes)]
    return listed + touched_state(ast)
