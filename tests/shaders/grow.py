"""SPIR-V modules of any size, for what grows with a program: a writer of binary modules and one function for each kind of growth. bench/growth.py
measures compile time and memory on them, tests/shaders/limits.py holds the universal limits of the specification.

    grow.py KIND COUNT FILE        writes one module; without arguments it names the kinds

Every module is a compute shader of one lane: it reads words of buffer 0 and writes one word to its word 0, so that its result can be computed here, too."""
import array
import sys

MAGIC, VERSION = 0x07230203, 0x00010300
U32 = 0xffffffff


def text(string):
    data = string.encode() + b"\0"
    data += b"\0" * (-len(data) % 4)
    return list(array.array("I", data))


class Module:
    """Instructions are appended to `body`; types and constants are made on demand."""

    def __init__(self):
        self.head, self.body, self.bound = [], [], 1
        self.constants = {}
        self.void, self.boolean, self.u32, self.function_type, self.block, self.words = (self.new() for _ in range(6))
        self.pointer, self.element, self.buffer, self.main, self.unary = (self.new() for _ in range(5))
        self.types = [(19, self.void), (20, self.boolean), (21, self.u32, 32, 0), (33, self.function_type, self.void),
                      (33, self.unary, self.u32, self.u32),
                      (29, self.words, self.u32), (30, self.block, self.words), (32, self.pointer, 12, self.block), (32, self.element, 12, self.u32),
                      (59, self.pointer, self.buffer, 12)]
        self.last_label = 0

    def new(self):
        self.bound += 1
        return self.bound - 1

    def constant(self, value):
        if value not in self.constants:
            self.constants[value] = self.new()
            self.types.append((43, self.u32, self.constants[value], value & U32))
        return self.constants[value]

    def do(self, opcode, *words):
        self.body.append(((len(words) + 1) << 16) | opcode)
        self.body += words

    def value(self, opcode, *words, kind=None):
        result = self.new()
        self.do(opcode, kind or self.u32, result, *words)
        return result

    def add(self, a, b):
        return self.value(128, a, b)

    def multiply(self, a, b):
        return self.value(132, a, b)

    def place(self, index):
        return self.value(65, self.buffer, self.constant(0), self.constant(index), kind=self.element)

    def load(self, index):
        return self.value(61, self.place(index))

    def store(self, index, value):
        self.do(62, self.place(index), value)

    def less(self, a, b):
        return self.value(176, a, b, kind=self.boolean)

    def label(self, name=None):
        self.last_label = name or self.new()
        self.do(248, self.last_label)
        return self.last_label

    def phi(self, *pairs):
        return self.value(245, *pairs)

    def begin(self, function, result=None, kind=None):
        self.do(54, result or self.void, function, 0, kind or self.function_type)

    def end(self, value=None):
        self.do(*((254, value) if value else (253,)))
        self.do(56)

    def words_of(self):
        """The whole module."""
        out = array.array("I", [MAGIC, VERSION, 0, self.bound, 0])

        def put(opcode, *words):
            out.append(((len(words) + 1) << 16) | opcode)
            out.extend(words)
        put(17, 1)                                                  # OpCapability Shader
        put(14, 0, 1)                                               # OpMemoryModel Logical GLSL450
        put(15, 5, self.main, *text("main"))                        # OpEntryPoint GLCompute
        put(16, self.main, 17, 1, 1, 1)                             # LocalSize
        put(71, self.words, 6, 4)                                   # ArrayStride
        put(71, self.block, 2)                                      # Block
        put(72, self.block, 0, 35, 0)                               # Offset
        put(71, self.buffer, 34, 0)                                 # DescriptorSet
        put(71, self.buffer, 33, 0)                                 # Binding
        for row in self.types:
            put(*row)
        out.extend(self.body)
        return out


def mixed(word):
    """What the programs do to a word, again and again: nothing that an optimiser can shorten."""
    return (word * 1664525 + 1013904223) & U32


def step(m, x):
    return m.add(m.multiply(x, m.constant(1664525)), m.constant(1013904223))


def main_function(m):
    m.begin(m.main)
    m.label()


def statements(count):
    """One statement after the other, each of the one before and of a word of memory that it xors with."""
    m = Module()
    main_function(m)
    x, y = m.load(1), m.load(2)
    for _ in range(count):
        x = m.value(198, m.multiply(x, m.constant(1664525)), y)
    m.store(0, x)
    m.end()
    return m


def if_else(m, condition, then, otherwise):
    """`then` and `otherwise` are called between the labels and answer a value; the phi of both."""
    yes, no, merge = m.new(), m.new(), m.new()
    m.do(247, merge, 0)
    m.do(250, condition, yes, no)
    m.label(yes)
    a = then()
    last_yes = m.last_label
    m.do(249, merge)
    m.label(no)
    b = otherwise()
    last_no = m.last_label
    m.do(249, merge)
    m.label(merge)
    return m.phi(a, last_yes, b, last_no)


def blocks(count):
    """Ifs with an else, one after the other; too long on both sides to become selects."""
    m = Module()
    main_function(m)
    x, y = m.load(1), m.load(2)

    def long(value):
        for _ in range(4):
            value = m.value(198, m.multiply(value, m.constant(1664525)), y)
        return value
    for i in range(count):
        condition = m.less(x, m.constant(0x80000000 + i))
        old = x
        x = if_else(m, condition, lambda: long(old), lambda: long(m.add(old, y)))
    m.store(0, x)
    m.end()
    return m


def loads(count):
    """if (x < c) x ^= buffer[i], one after the other."""
    m = Module()
    main_function(m)
    x = m.load(1)
    for i in range(count):
        condition = m.less(x, m.constant(0x80000000 + i))
        old = x
        x = if_else(m, condition, lambda: m.value(198, m.multiply(old, m.constant(1664525)), m.load(3 + i)), lambda: old)
        x = m.add(m.multiply(x, m.constant(1664525)), m.constant(7))
    m.store(0, x)
    m.end()
    return m


def live(count):
    """That many values are alive at once: all are made, then all are read in the same order."""
    m = Module()
    main_function(m)
    x, y = m.load(1), m.load(2)
    values = []
    for _ in range(count):
        x = m.value(198, m.multiply(x, m.constant(1664525)), y)
        values.append(x)
    for value in values:
        x = m.value(198, m.multiply(x, m.constant(1013904223)), value)
    m.store(0, x)
    m.end()
    return m


def calls(count):
    """Calls of one small function, one after the other."""
    m = Module()
    function, parameter = m.new(), m.new()
    m.begin(function, m.u32, m.unary)
    m.do(55, m.u32, parameter)
    m.label()
    m.end(step(m, parameter))
    main_function(m)
    x = m.load(1)
    for _ in range(count):
        x = m.value(57, function, x)
    m.store(0, x)
    m.end()
    return m


def chain(count, calls_each=1):
    """Functions that call the next one, which is the last that does something."""
    m = Module()
    callee = None
    for _ in range(count):
        function, parameter = m.new(), m.new()
        m.begin(function, m.u32, m.unary)
        m.do(55, m.u32, parameter)
        m.label()
        x = parameter
        for _ in range(calls_each if callee else 0):
            x = m.value(57, callee, x)
        m.end(step(m, x))
        callee = function
    main_function(m)
    m.store(0, m.value(57, callee, m.load(1)))
    m.end()
    return m


def doubling(count):
    """Functions of which each calls the next one twice."""
    return chain(count, 2)


def nesting(count):
    """Ifs in ifs."""
    m = Module()
    main_function(m)
    x, y = m.load(1), m.load(2)

    merges = []
    values = []
    for i in range(count):
        values.append(x)
        merges.append((m.new(), m.last_label))
        yes = m.new()
        condition = m.less(x, m.constant(0xffffff00 - i))
        m.do(247, merges[-1][0], 0)
        m.do(250, condition, yes, merges[-1][0])
        m.label(yes)
        for _ in range(4):
            x = m.value(198, m.multiply(x, m.constant(1664525)), y)
    for i in range(count):
        merge, head = merges.pop()
        before = m.last_label
        m.do(249, merge)
        m.label(merge)
        x = m.phi(x, before, values.pop(), head)
    m.store(0, x)
    m.end()
    return m


def cases(count):
    """A switch: each case stores one of 251 numbers."""
    m = Module()
    main_function(m)
    x = m.load(1)
    merge, default = m.new(), m.new()
    labels = [m.new() for _ in range(count)]
    m.do(247, merge, 0)
    words = [word for i, label in enumerate(labels) for word in (3 * i, label)]
    m.do(251, x, default, *words)
    pairs = []
    for i, label in enumerate(labels):
        m.label(label)
        m.do(249, merge)
        pairs += [m.constant(mixed(i % 251)), label]
    m.label(default)
    m.do(249, merge)
    pairs += [m.constant(5), default]
    m.label(merge)
    m.store(0, m.phi(*pairs))
    m.end()
    return m


def few(m):
    """A number of turns that is not known, and never large."""
    return m.value(199, m.load(2), m.constant(3))


def loops(count):
    """Loops of a computed number of turns, one after the other."""
    m = Module()
    main_function(m)
    x, turns = m.load(1), few(m)
    for _ in range(count):
        header, test, body, cont, merge = (m.new() for _ in range(5))
        before = m.last_label
        m.do(249, header)
        m.label(header)
        counter, value, next_counter, next_value = (m.new() for _ in range(4))
        m.do(245, m.u32, counter, m.constant(0), before, next_counter, cont)
        m.do(245, m.u32, value, x, before, next_value, cont)
        m.do(246, merge, cont, 0)
        m.do(249, test)
        m.label(test)
        m.do(250, m.less(counter, turns), body, merge)
        m.label(body)
        m.do(249, cont)
        m.label(cont)
        m.do(132, m.u32, next_value, value, m.constant(1664525))
        m.do(128, m.u32, next_counter, counter, m.constant(1))
        m.do(249, header)
        m.label(merge)
        x = value
    m.store(0, x)
    m.end()
    return m


def loop_around(m, turns, fill, joins=True):
    """A loop of a computed number of turns; `fill(x, merge)` writes its body between the labels and answers the next value. The value behind it, unless none is wanted."""
    x = m.load(1)
    header, test, body, cont, merge = (m.new() for _ in range(5))
    before = m.last_label
    m.do(249, header)
    m.label(header)
    counter, value, next_counter, next_value = (m.new() for _ in range(4))
    m.do(245, m.u32, counter, m.constant(0), before, next_counter, cont)
    m.do(245, m.u32, value, x, before, next_value, cont)
    m.do(246, merge, cont, 0)
    m.do(249, test)
    m.label(test)
    leaving = [(value, test)]
    m.do(250, m.less(counter, turns), body, merge)
    m.label(body)
    x = fill(value, merge, leaving)
    m.do(249, cont)
    m.label(cont)
    m.do(132, m.u32, next_value, x, m.constant(1664525))
    m.do(128, m.u32, next_counter, counter, m.constant(1))
    m.do(249, header)
    m.label(merge)
    return m.phi(*(word for pair in leaving for word in pair)) if joins else None


def body(count):
    """A loop with ifs in it, one after the other."""
    m = Module()
    main_function(m)
    turns, y = few(m), m.load(3)

    def fill(x, merge, leaving):
        for i in range(count):
            condition = m.less(x, m.constant(0x80000000 + i))
            old = x
            x = if_else(m, condition, lambda: m.multiply(m.multiply(m.value(198, m.multiply(old, y), y), y), old), lambda: m.multiply(m.add(old, y), y))
        return x
    m.store(0, loop_around(m, turns, fill))
    m.end()
    return m


def breaks(count):
    """A loop with many ways out."""
    m = Module()
    main_function(m)
    turns, y = few(m), m.load(3)

    def fill(x, merge, leaving):
        for i in range(count):
            x = m.value(198, m.multiply(x, m.constant(1664525)), y)
            leave, stay = m.new(), m.new()
            condition = m.less(x, m.constant(i))
            m.do(247, stay, 0)
            m.do(250, condition, leave, stay)
            m.label(leave)
            leaving.append((x, leave))
            m.do(249, merge)
            m.label(stay)
        return x
    m.store(0, loop_around(m, turns, fill))
    m.end()
    return m


def exits(count):
    """The same with more ways out than a phi can name: the value that leaves is stored in a variable."""
    m = Module()
    pointer, variable = m.new(), m.new()
    m.types.append((32, pointer, 7, m.u32))
    main_function(m)
    m.do(59, pointer, variable, 7)
    turns, y = few(m), m.load(3)

    def fill(x, merge, leaving):
        for i in range(count):
            x = m.value(198, m.multiply(x, m.constant(1664525)), y)
            leave, stay = m.new(), m.new()
            m.do(247, stay, 0)
            m.do(250, m.less(x, m.constant(i)), leave, stay)
            m.label(leave)
            m.do(62, variable, x)
            m.do(249, merge)
            m.label(stay)
        m.do(62, variable, x)
        return x
    loop_around(m, turns, fill, joins=False)
    m.store(0, m.value(61, variable))
    m.end()
    return m


def nested_loops(count):
    """Loops in loops."""
    m = Module()
    main_function(m)
    value, turns = m.load(1), few(m)
    loops = []
    for _ in range(count):
        header, test, body, cont, merge = (m.new() for _ in range(5))
        before = m.last_label
        m.do(249, header)
        m.label(header)
        counter, inside, next_counter, next_value = (m.new() for _ in range(4))
        m.do(245, m.u32, counter, m.constant(0), before, next_counter, cont)
        m.do(245, m.u32, inside, value, before, next_value, cont)
        m.do(246, merge, cont, 0)
        m.do(249, test)
        m.label(test)
        m.do(250, m.less(counter, turns), body, merge)
        m.label(body)
        loops.append((header, cont, merge, counter, inside, next_counter, next_value))
        value = m.multiply(inside, m.constant(1664525))
    for header, cont, merge, counter, inside, next_counter, next_value in reversed(loops):
        m.do(249, cont)
        m.label(cont)
        m.do(128, m.u32, next_value, value, m.constant(1013904223))
        m.do(128, m.u32, next_counter, counter, m.constant(1))
        m.do(249, header)
        m.label(merge)
        value = inside
    m.store(0, value)
    m.end()
    return m


def barriers(count):
    """A word of memory that is written, waited for and read, again and again."""
    m = Module()
    main_function(m)
    x, workgroup = m.load(1), m.constant(2)
    for i in range(count):
        m.store(3 + i, x)
        m.do(224, workgroup, workgroup, m.constant(0x48))  # OpControlBarrier: AcquireRelease, UniformMemory
        x = step(m, m.value(198, x, m.load(3 + (i + 1) % count)))
    m.store(0, x)
    m.end()
    return m


def returns(count):
    """Ways out of the program, one after the other."""
    m = Module()
    main_function(m)
    x = m.load(1)
    for i in range(count):
        leave, stay = m.new(), m.new()
        condition = m.less(x, m.constant(i))
        m.do(247, stay, 0)
        m.do(250, condition, leave, stay)
        m.label(leave)
        m.store(0, x)
        m.do(253)
        m.label(stay)
        x = step(m, x)
    m.store(0, x)
    m.end()
    return m


def dependent(count):
    """Each load says where the next one is."""
    m = Module()
    main_function(m)
    x = m.load(1)
    for _ in range(count):
        place = m.value(65, m.buffer, m.constant(0), m.value(199, x, m.constant(1023)), kind=m.element)
        x = m.value(61, place)
    m.store(0, x)
    m.end()
    return m


def constants(count):
    """Each statement has a constant of its own."""
    m = Module()
    main_function(m)
    x = m.load(1)
    for i in range(count):
        x = m.value(198, m.multiply(x, m.constant(1664525)), m.constant(mixed(i)))
    m.store(0, x)
    m.end()
    return m


KINDS = {"statements": statements, "blocks": blocks, "loads": loads, "live": live, "calls": calls, "chain": chain, "doubling": doubling, "nesting": nesting,
         "cases": cases, "loops": loops, "body": body, "breaks": breaks, "exits": exits,
         "nested_loops": nested_loops, "barriers": barriers, "returns": returns, "dependent": dependent, "constants": constants}


def write(kind, count, path):
    with open(path, "wb") as stream:
        KINDS[kind](count).words_of().tofile(stream)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__ + "\n\nkinds: " + " ".join(KINDS))
    write(sys.argv[1], int(sys.argv[2]), sys.argv[3])
