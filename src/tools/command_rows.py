"""Reads command.table, environment.table and the words of util/debug.h into rows; gen_command.py makes texts of them."""
import collections
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "kernel"))
import gen_models  # noqa: E402  # pylint: disable=wrong-import-position

KINDS = ("gpus", "model", "gpu", "count", "file", "word")
OPERANDS = ("file", "files", "program", "model program")
OPTION_MAX = 32  # struct tool_line

Exit = collections.namedtuple("Exit", "code text")
Example = collections.namedtuple("Example", "command text")
Variable = collections.namedtuple("Variable", "name value text")
Switch = collections.namedtuple("Switch", "word text")


class TableError(Exception):
    pass


class Option:
    def __init__(self, name, value, is_optional, kind, text):
        self.name, self.value, self.is_optional, self.kind, self.text = name, value, is_optional, kind, text
        self.variable = None  # what it sets

    @property
    def words(self):
        """The values that there are; none: it takes others."""
        return self.value.split("|") if self.kind == "words" else []

    @property
    def shown(self):
        if not self.value:
            return self.name
        return f"{self.name}[={self.value}]" if self.is_optional else f"{self.name} {self.value}"


class Command:
    def __init__(self, name, summary):
        self.name, self.summary = name, summary
        self.operands, self.operand_kind = "", None
        self.options, self.about, self.notes, self.exits, self.examples, self.environment = [], [], [], [], [], []
        self.lists_models = False

    @property
    def usage(self):
        """The words of its usage line."""
        return [f"[{option.shown}]" for option in self.options] + ([self.operands] if self.operands else [])


Tables = collections.namedtuple("Tables", "commands exits parts variables switches models")


def logical_lines(path):
    """(where, indent, text), a text with the lines that continue it: those that are indented further than it began, where no row
    of its own may begin."""
    lines = []
    for number, line in enumerate(pathlib.Path(path).read_text(encoding="utf-8").split("\n"), 1):
        if not line.strip() or line.startswith("#"):
            continue
        indent = len(line) - len(line.lstrip())
        if lines and indent > lines[-1][1] and (indent == 8 or lines[-1][2].split()[0] in ("part", "variable", "exit")):
            lines[-1][2] += " " + line.strip()
        else:
            lines.append([f"{path}:{number}", indent, line.strip()])
    return [tuple(line) for line in lines]


def split_text(where, text):
    head, colon, rest = text.partition(": ")
    if not colon or not rest:
        raise TableError(f"{where}: '{text}' lacks a colon and a text")
    return head, rest


def read_option(where, text):
    head, text = split_text(where, text)
    match = re.fullmatch(r"(-\w|--[a-z][a-z0-9-]*)(?:(\[=| )([^] ]+)\]?)?(?: \((\w+)\))?", head)
    if not match:
        raise TableError(f"{where}: '{head}' is no option")
    name, before, value, kind = match.groups()
    if value and not kind:
        kind = "words" if "|" in value else None
    if bool(value) != bool(kind) or (kind and kind not in (*KINDS, "words")):
        raise TableError(f"{where}: a value has a kind: {', '.join(KINDS)}, or words separated by |")
    return Option(name, value, before == "[=", kind, text)


def read_row(command, where, text):
    key, _, rest = text.partition(" ")
    if key == "option":
        command.options.append(read_option(where, rest))
        if len({option.name for option in command.options}) != len(command.options) or len(command.options) > OPTION_MAX:
            raise TableError(f"{where}: the option stands here twice, or there are more than {OPTION_MAX}")
    elif key == "sets" and command.options:
        command.options[-1].variable = rest
    elif key == "operands":
        match = re.fullmatch(r"(.*) \(([a-z ]+)\)", rest)
        if not match or match.group(2) not in OPERANDS:
            raise TableError(f"{where}: operands have a kind: {', '.join(OPERANDS)}")
        command.operands, command.operand_kind = match.groups()
    elif key in ("about", "note"):
        (command.about if key == "about" else command.notes).append(rest)
    elif key == "exit":
        code, words = split_text(where, rest)
        command.exits.append(Exit(int(code), words))
    elif key == "example":
        command.examples.append(Example(*split_text(where, rest)))
    elif key == "environment":
        command.environment += rest.split()
    elif text == "models":
        command.lists_models = True
    else:
        raise TableError(f"{where}: '{key}' is no row of a command")


def read_commands(path):
    commands, exits = [], []
    for where, indent, text in logical_lines(path):
        key, _, rest = text.partition(" ")
        if indent:
            if not commands:
                raise TableError(f"{where}: no command has begun")
            read_row(commands[-1], where, text)
        elif key == "command":
            name, summary = split_text(where, rest)
            if any(command.name == name for command in commands):
                raise TableError(f"{where}: '{name}' stands here twice")
            commands.append(Command(name, summary))
        elif key == "exit":
            code, words = split_text(where, rest)
            exits.append(Exit(int(code), words))
        else:
            raise TableError(f"{where}: '{key}' begins nothing")
    return commands, exits


def read_variables(path):
    """The titles of parts with their variables, and all variables."""
    parts = []
    for where, _, text in logical_lines(path):
        key, _, rest = text.partition(" ")
        if key == "part":
            parts.append((rest, []))
        elif key == "variable" and parts:
            head, words = split_text(where, rest)
            name, equals, value = head.partition("=")
            if not equals or not re.fullmatch(r"TUFF_[A-Z_]+", name):
                raise TableError(f"{where}: '{head}' is no variable with its value")
            parts[-1][1].append(Variable(name, value, words))
        else:
            raise TableError(f"{where}: '{key}' begins nothing")
    variables = [variable for _, rows in parts for variable in rows]
    if len({variable.name for variable in variables}) != len(variables):
        raise TableError(f"{path}: a variable stands there twice")
    return parts, variables


def read_switches(path):
    rows = re.findall(r'X\(\w+, "(\w+)",\s*"([^"]*)"\)', pathlib.Path(path).read_text(encoding="utf-8"))
    if not rows:
        raise TableError(f"{path}: DEBUG_FLAGS has no rows")
    return [Switch(*row) for row in sorted(rows)]


def check(tables):
    names = {variable.name for variable in tables.variables}
    for command in tables.commands:
        for name in (*command.environment, *(option.variable for option in command.options if option.variable)):
            if name not in names:
                raise TableError(f"environment.table lacks {name}, which `tuff {command.name}` has to do with")


def read_tables(root):
    """`root`: the folder src."""
    root = pathlib.Path(root)
    commands, exits = read_commands(root / "tools/command.table")
    parts, variables = read_variables(root / "tools/environment.table")
    tables = Tables(commands, exits, parts, variables, read_switches(root / "util/debug.h"), gen_models.parse(root / "kernel/models.table"))
    check(tables)
    return tables
