"""The lane language: parser, type checker and analysis. Not for: C (lane_c.py), a family's tables, the meaning of a primitive (lane.h), what an
executor does around an expression (docs/lane.md).

A meaning is a list of statements separated by `;` or a new line:

    d = fma(s0, s1, s2)                         a destination, an operand of the row
    flag = d != 0                               implicit state, by the dialect; reading it after writing it reads the new value
    t = u64(s0) + u64(s1)                       any other name is a local, bound once, its type is the expression's
    rel(d, base) = s0                           an operand whose register number is so much higher, as destination or source
    setreg(imm, s0)                             a statement primitive, by the dialect
    nop                                         nothing happens that the model keeps

Expressions have C's operators and precedence without assignment, comma and implicit conversions: both sides of an operator have
one type; a literal takes the type of the other side; `u64(x)` converts; `a ? b : c` selects and both sides may be evaluated.
What differs from C: integers wrap, signed ones too; a shift takes its count modulo the width, as the hardware does; bN is uN.

parse(row, dialect) gives an Ast; its errors name file and line. implicit_reads, implicit_writes, reads_operands and writes_operands say
what it touches; fp_class says whose rounding and denormal mode the host must have while it runs.

A row is any object with name, format, meaning, file, line, properties (words) and operands (each with name, type and is_dst).
"""
import re

INTS = {f"{letter}{bits}": (bits, letter == "i") for letter in "ui" for bits in (8, 16, 32, 64)}
FLOATS = {"f16": 16, "f32": 32, "f64": 64}
PAIRS = {"u16x2": "u16", "i16x2": "i16", "f16x2": "f16"}
ALIASES = {"b8": "u8", "b16": "u16", "b32": "u32", "b64": "u64", "mask": "bool"}

# Primitives of every dialect: name -> overloads of (argument types, result). F and I stand for any one float or integer type.
# The C function is lane_<name>_<type of the first argument>; `m` in front of it: it also takes the mode.
PRIMITIVES = {
    # floats
    "fma": "m FFF F", "min": "m FF F; II I", "max": "m FF F; II I", "med3": "m FFF F; III I", "abs": "F F; I I",
    "floor": "m F F", "ceil": "m F F", "trunc": "m F F", "rndne": "m F F", "fract": "m F F",
    "rcp": "m F F", "rsq": "m F F", "sqrt": "m F F", "exp2": "m F F", "log2": "m F F", "sin_turns": "m F F", "cos_turns": "m F F",
    "ldexp": "m F,i32 F", "frexp_mant": "m F F", "frexp_exp": "m F i32",
    "flush": "m F F", "clamp01": "m F F", "quiet": "F F", "is_nan": "F bool", "is_inf": "F bool", "is_denorm": "F bool", "sign": "F bool",
    "exponent": "F i32",
    # conversions that C's casts do not say
    "cvt_i32": "m F i32", "cvt_u32": "m F u32", "cvt_i16": "m f16 i16", "cvt_u16": "m f16 u16", "cvt_u8": "m f32 u32",
    "cvt_floor_i32": "m f32 i32", "cvt_round_up_i32": "m f32 i32", "snorm16": "m F i16", "unorm16": "m F u16",
    "f16_rtz": "m f32 f16",
    "bits": "f16 u16; f32 u32; f64 u64", "as_f16": "u16 f16", "as_f32": "u32 f32", "as_f64": "u64 f64",
    # integers
    "mulhi": "u32,u32 u32; i32,i32 i32", "popcount": "u32 u32; u64 u32", "bitreverse": "u32 u32; u64 u64",
    "find_low": "u32 i32; u64 i32", "find_high": "u32 i32; u64 i32", "find_high_sign": "i32 i32; i64 i32",
    "bfe": "u32,u32,u32 u32; i32,u32,u32 i32; u64,u32,u32 u64; i64,u32,u32 i64",
    "sat_u8": "i16 u32", "sat16_u32": "u32 u16", "sat16_i32": "i32 i16",
    "dot4_i8": "u32,u32 i32", "dot4_u8": "u32,u32 u32",
    "word": "b128,u32 u32", "words": "u32,u32,u32,u32 b128",
}
# Result = clamp ? saturated : truncated. They read the instruction's clamp bit: a dialect that uses them has the state `clamp`.
SATURATING = {"sat_u16": ("i64", "u16"), "sat_i16": ("i64", "i16"), "sat_u32": ("i64", "u32"), "sat_i32": ("i64", "i32")}

TOKEN = re.compile(r"\s*(?:(0x[0-9a-fA-F]+|\d+\.\d+(?:e[-+]?\d+)?|\d+)|([A-Za-z_]\w*)|"
                   r"(<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^~!<>?:=(),;\[\]]))")
PRECEDENCE = (("||",), ("&&",), ("|",), ("^",), ("&",), ("==", "!="), ("<", "<=", ">", ">="), ("<<", ">>"), ("+", "-"), ("*",))


class LaneError(Exception):
    pass


class Dialect:
    """What an instruction set adds to the language.

    scalar_formats       formats whose rows run once for a wave; all others run once for each lane
    lane_state           implicit state that a lane sees: name -> (type, the state that the analysis reports or None); of a mask one bit
    scalar_state         the same of a scalar row
    read_only            reported states that no meaning writes
    active               the reported state that decides which lanes write their results; None: the executor keeps it elsewhere
    aliases              types of operands by other names
    untyped              types of operands that no expression can use
    primitives           as PRIMITIVES; the C function is <prefix>_<name>_<type>
    wave                 what a wave does as a whole, in rows with the property `wave`: name -> (number of operands, reads `active`)
    effects              calls into the executor: name -> (argument types, result or None for a statement, state read, state written)
    executor             the C parameter through which effects and wave operations reach the executor, named `a`
    may_ignore           (row, source operand) -> whether a meaning may leave the source unread
    prefix               of the family's own C functions
    """
    def __init__(self, lane_state, prefix, scalar_formats=(), scalar_state=None, read_only=(), active=None, aliases=None, untyped=(),
                 primitives=None, wave=None, effects=None, executor=None, may_ignore=lambda row, operand: False):
        self.lane_state, self.prefix, self.scalar_formats, self.scalar_state = lane_state, prefix, scalar_formats, scalar_state or {}
        self.read_only, self.active, self.untyped, self.executor = (None, *read_only), active, untyped, executor
        self.aliases = {**ALIASES, **(aliases or {})}
        self.own_primitives, self.wave, self.effects, self.may_ignore = primitives or {}, wave or {}, effects or {}, may_ignore
        taken = set(self.own_primitives) & set(PRIMITIVES)
        if taken:
            raise LaneError(f"primitives of the language cannot be a dialect's: {', '.join(sorted(taken))}")
        self.primitives = {**PRIMITIVES, **self.own_primitives}

    def is_scalar(self, row):
        return row.format in self.scalar_formats

    def overloads(self, name):
        """(takes the mode, [(argument types, result)]) of a primitive; F and I are expanded."""
        takes_mode, found = False, []
        for text in self.primitives[name].split(";"):
            words = text.split()
            if words[0] == "m":
                takes_mode = True
                words = words[1:]
            args = []
            for part in words[0].split(","):
                args += list(part) if re.fullmatch(r"[FI]+", part) else [part]
            for actual in (FLOATS if "F" in args else ("u16", "i16", "u32", "i32") if "I" in args else ("",)):
                replace = {"F": actual, "I": actual}
                found.append(([replace.get(a, a) for a in args], replace.get(words[1], words[1])))
        return takes_mode, found

    def c_function(self, name):
        return f"{self.prefix if name in self.own_primitives else 'lane'}_{name}"


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
    def __init__(self, row, dialect):
        self.row, self.dialect, self.statements, self.locals = row, dialect, [], {}
        self.is_scalar = dialect.is_scalar(row)
        self.state = dialect.scalar_state if self.is_scalar else dialect.lane_state
        self.types = {o.name: dialect.aliases.get(o.type, o.type) for o in row.operands if o.type not in dialect.untyped}
        self.is_wave = "wave" in row.properties

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
        kind = ("rel" if token == "rel" else "wave" if token in self.ast.dialect.wave
                else "effect" if token in self.ast.dialect.effects else "cast" if token in INTS or token in FLOATS else "call")
        return Node(kind, token, args)


# --- types --------------------------------------------------------------------------------------------------------------------

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
        if name not in self.ast.dialect.primitives:
            self.ast.fail(f"'{name}' is no primitive")
        kinds = [self.check(a) for a in node.args]
        candidates = self.ast.dialect.overloads(name)[1]
        for args, result in candidates:
            if len(args) == len(kinds) and all(k is None or k == a for k, a in zip(kinds, args)) and (
                    any(kinds) or len(candidates) == 1):
                for arg, want in zip(node.args, args):
                    self.check(arg, want) if arg.type is None else None
                node.type, node.overload = result, args[0]
                return
        self.ast.fail(f"{name} cannot take ({', '.join(str(k) for k in kinds)})")

    def check_wave(self, node):
        if not self.ast.is_wave:
            self.ast.fail(f"{node.text} needs the property 'wave'")
        count = self.ast.dialect.wave[node.text][0]
        if len(node.args) != count or any(a.op != "name" for a in node.args):
            self.ast.fail(f"{node.text} takes {count} operands")
        for arg in node.args:
            self.check(arg, "u32")
        node.type = "u32"

    def check_effect(self, node):
        args, result = self.ast.dialect.effects[node.text][:2]
        if len(args) != len(node.args):
            self.ast.fail(f"{node.text} takes {len(args)} values")
        for arg, want in zip(node.args, args):
            self.check(arg, want)
        node.type = result or "void"


def parse(row, dialect):
    """The checked Ast of a row's meaning. Raises LaneError with file:line."""
    ast = Ast(row, dialect)
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
            if not target.text in ast.types and ast.state[target.text][1] in dialect.read_only:
                ast.fail(f"'{target.text}' cannot be written")
            checker.check(target)
            checker.check(statement.value, target.type)
        else:
            if target.text in ast.locals or target.text in dialect.primitives or target.text in INTS or \
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
        if not operand.is_dst and operand.name in ast.types and operand.name not in reads_operands(ast) and \
                not ast.dialect.may_ignore(ast.row, operand):
            ast.fail(f"source '{operand.name}' is never read")


# --- analysis -----------------------------------------------------------------------------------------------------------------

def flow(ast, offsets=True):
    """Yields (kind, name) in the order of evaluation; kind is 'read', 'write', 'effect_read', 'effect_write', 'mode'.
    Without `offsets` what only the register numbers of relative operands depend on is left out."""
    dialect = ast.dialect

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
            elif node.text in dialect.primitives and dialect.overloads(node.text)[0] and (node.type in FLOATS or node.overload in FLOATS):
                yield "mode", ""
        elif node.op == "wave":
            if dialect.wave[node.text][1]:
                yield "read", dialect.active
        elif node.op == "effect":
            for state in dialect.effects[node.text][2]:
                yield "effect_read", state
            for state in dialect.effects[node.text][3]:
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
    """The implicit state whose old value the meaning depends on: what the dialect reports, and `mode`."""
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
    if ast.dialect.active and not ast.is_scalar and not ast.is_wave and ast.row.operands:
        found.add(ast.dialect.active)  # a lane writes only where it is active
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
    """'none', 'f32', 'f16' or 'f64': whose fields of the mode rule the host's rounding and flushing. By the result, else by the source."""
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
    """The parameters of the lane function after the mode: [(name, type, read, written)]. What is written is a pointer."""
    reads, writes = reads_operands(ast), writes_operands(ast)
    listed = [(o.name, ast.types[o.name], o.name in reads, o.name in writes) for o in ast.row.operands
              if o.name in ast.types and (o.name in reads or o.name in writes)]
    return listed + touched_state(ast)
