"""How Adreno's images compare with Turnip's (tests/vulkan/tables/image_table.py): why some may differ. What is offered for a format is not compared."""
import re

JUDGE = "turnip-26.1"
JUDGE_NAME = "Turnip"
LEAST = 2000  # images that must be equal

VOLUME = re.compile(r" type 2 .* levels ([2-9]|1\d) ")
COPIED_SAMPLES = re.compile(r" samples [248] .* usage 0x[0-9a-f]*[1-35-7] ")  # TRANSFER_SRC or TRANSFER_DST
ANY_VIEW = re.compile(r" tiling 0 .* flags 0x8 *$")


def without(answer, *columns):
    """The answer without some of the words of each subresource: its offset, size, row, array and depth pitch."""
    first, *layouts = answer.split("|")
    return [first.split(), *([word for i, word in enumerate(layout.split()) if i not in columns] for layout in layouts)]


def reason(name, ours, theirs):
    """Why an image may differ."""
    if name.startswith("image modifier ") and without(ours, 1) == without(theirs, 1):
        return "the size of a plane of memory is all of it with its flags; Turnip's that of the texels"
    if VOLUME.search(name):
        if without(ours, 1) == without(theirs, 1):
            return "a level of a volume has as many slices as are left at that level; Turnip counts those of the first"
        return "volumes whose smallest slice does not fit its field of the descriptor get a larger first one; Turnip's field overflows"
    if COPIED_SAMPLES.search(name):
        return "samples that are copied have no UBWC"
    if ANY_VIEW.search(name):
        return "images that may be seen in any format of their class are tiled where all of them have one order of channels; Turnip's have rows"
    if name.rstrip().endswith(" flags 0x200"):
        return "a plane that has memory of its own needs room for one plane; Turnip asks for that of all"
    if " format 1000156003 " in name:
        return "two planes of video have rows; Turnip's are tiled as the video engines have them"
    return None
