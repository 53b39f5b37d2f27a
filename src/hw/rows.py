"""Small tables of a family that are not registers, packets or descriptors: formats, chips. Rows of words, or blocks of a key and its value a line. The
family's own generator says which keys there are; this file reads them, refuses what cannot be true, and writes the plain part of the C."""
import shlex
import sys


class TableError(Exception):
    pass


def lines(path):
    """(where, words) of each line that is not empty; '#' begins a comment."""
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            words = shlex.split(line, comments=True)
            if words:
                yield f"{path}:{number}", words


class Keys:
    """The keys of a block: texts, numbers, flags of 0 or 1; and lists, of which each line adds the value that `parse` makes of its words."""
    def __init__(self, texts, numbers, flags, lists=None):
        self.texts, self.numbers, self.flags, self.lists = texts.split(), numbers.split(), flags.split(), lists or {}
        self.plain = self.texts + self.numbers + self.flags

    def c_value(self, key, value):
        return f'"{value}"' if key in self.texts else str(bool(value)).lower() if key in self.flags else f"{value:#x}"


def read_blocks(path, word, keys):
    """A dictionary for each block that a line `word NAME` begins. A key that is missing, unknown or there twice is an error."""
    blocks = []
    for where, (key, *values) in lines(path):
        if key == word:
            blocks.append({"name": values[0], "where": where, **{k: [] for k in keys.lists}})
        elif not blocks:
            raise TableError(f"{where}: '{key}' before the first {word}")
        elif key in keys.lists:
            blocks[-1][key].append(keys.lists[key](values))
        elif key not in keys.plain or key in blocks[-1]:
            raise TableError(f"{where}: unknown or doubled key '{key}'")
        else:
            blocks[-1][key] = values[0] if key in keys.texts else int(values[0], 0)
    for block in blocks:
        missing = [key for key in keys.plain if key not in block] + [key for key in keys.lists if not block[key]]
        if missing:
            raise TableError(f"{block['where']}: {word} {block['name']}: missing {', '.join(missing)}")
        if any(block[flag] not in (0, 1) for flag in keys.flags):
            raise TableError(f"{block['where']}: {word} {block['name']}: a flag is 0 or 1")
    return blocks


def plain_members(block, keys):
    """The initialisers of a block's name, texts, numbers and flags."""
    yield f'        .name = "{block["name"]}",\n'
    for key in keys.plain:
        yield f"        .{key} = {keys.c_value(key, block[key])},\n"


def main(writers):
    """`program KIND TABLE OUTPUT`, with a function for each kind that makes lines of C of a table's path."""
    try:
        text = writers[sys.argv[1]](sys.argv[2])
    except TableError as error:
        sys.exit(str(error))
    with open(sys.argv[3], "w", encoding="utf-8") as file:
        file.writelines(text)
