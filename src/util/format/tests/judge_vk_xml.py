#!/usr/bin/env python3
"""Judge: formats.table against the installed Vulkan registry. Every format up to Vulkan 1.3 must be there with the
registry's number, block, class, packing, channels, planes and compression, and no other.

    python3 src/util/format/tests/judge_vk_xml.py [formats.table [vk.xml]]
"""
import os
import sys
import xml.etree.ElementTree as ElementTree

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(HERE))
sys.path.insert(0, os.path.join(HERE, '../../../../tests'))
import format_table
from tap import Tap

CORE = ('VK_VERSION_1_0', 'VK_VERSION_1_1', 'VK_VERSION_1_2', 'VK_VERSION_1_3')

# Newer than some registries, with their numbers.
NEWER = {'VK_FORMAT_A1B5G5R5_UNORM_PACK16_KHR': 1000470000, 'VK_FORMAT_A8_UNORM_KHR': 1000470001}

# Channels (component and bits, or component and numeric type) that the registry of 1.3.239 has wrong, and what is right by the
# name and the text of the specification. Whatever else a registry says is taken as it is.
CORRECTIONS = {
    'B5G5R5A1_UNORM_PACK16': ('b5 r5 g5 a1', 'b5 g5 r5 a1'),
    'B10G11R11_UFLOAT_PACK32': ('b10 g11 r10', 'b10 g11 r11'),
    'R64G64_UINT': ('r64 b64', 'r64 g64'),
    'R64G64_SINT': ('r64 b64', 'r64 g64'),
    'R64G64_SFLOAT': ('r64 b64', 'r64 g64'),
    'BC4_SNORM_BLOCK': ('r:srgb', 'r:snorm'),
    'BC5_SNORM_BLOCK': ('r:srgb g:srgb', 'r:snorm g:snorm'),
    'EAC_R11_UNORM_BLOCK': ('r11', 'r'),
    'EAC_R11_SNORM_BLOCK': ('r11', 'r'),
    'EAC_R11G11_UNORM_BLOCK': ('r11 g11', 'r g'),
    'EAC_R11G11_SNORM_BLOCK': ('r11 g11', 'r g'),
}


def registry_values(root):
    """Name to number of every format that core has, those promoted from extensions included."""
    values = {}
    for enum in root.findall("enums[@name='VkFormat']/enum"):
        if 'value' in enum.attrib:
            values[enum.get('name')] = int(enum.get('value'))
    for feature in root.findall('feature'):
        if feature.get('name') not in CORE:
            continue
        for enum in feature.findall("require/enum[@extends='VkFormat']"):
            if 'offset' in enum.attrib:
                block = 1000000000 + (int(enum.get('extnumber')) - 1) * 1000
                values[enum.get('name')] = block + int(enum.get('offset'))
    return {**values, **NEWER}


def correct(name, channels):
    """The channels as they should be, and whether the registry had them wrong in the way that is known."""
    if name not in CORRECTIONS:
        return channels, False
    wrong, right = ([parse(token, channels[0][2]) for token in text.split()] for text in CORRECTIONS[name])
    return (right, True) if channels == wrong else (channels, False)


def parse(token, numeric):
    channel = format_table.parse_channel(token, numeric)
    return channel.component, channel.bits, channel.numeric, channel.plane


def registry_format(element):
    compressed = element.get('compressed', '')
    channels = [(c.get('name').lower(), 0 if c.get('bits') == 'compressed' else int(c.get('bits')),
                 c.get('numericFormat').lower(), int(c.get('planeIndex', 0))) for c in element.findall('component')]
    planes = [(int(p.get('widthDivisor')), int(p.get('heightDivisor')), p.get('compatible').removeprefix('VK_FORMAT_'))
              for p in sorted(element.findall('plane'), key=lambda p: int(p.get('index')))]
    return {'extent': tuple(int(n) for n in element.get('blockExtent', '1,1,1').split(',')),
            'size': int(element.get('blockSize')), 'class': element.get('class'), 'packed': int(element.get('packed', 0)),
            'compressed': compressed.lower().replace(' ', '_'), 'channels': channels, 'planes': planes}


def table_format(row):
    order = list(reversed(row.channels)) if row.packed() else row.channels
    # The registry does not count the shared exponent as a component.
    channels = [(c.component, c.bits, c.numeric, c.plane) for c in order if c.component != 'e']
    if row.packed():
        packed = int(row.layout[4:])
    else:
        packed = 16 if any(c.unused for c in row.channels) else 0
    return {'extent': row.extent, 'size': row.size_B,
            'class': row.klass.replace('_', ' ') if '-bit' in row.klass else row.klass, 'packed': packed,
            'compressed': row.layout if row.compressed() else '', 'channels': channels, 'planes': row.planes}


def normalise(name, facts):
    """Where the two describe one thing in two ways."""
    facts = dict(facts)
    # The registry calls the alpha of sRGB formats sRGB; the specification says that it is not.
    channels = [(c, b, 'unorm' if c == 'a' and n == 'srgb' else n, p) for c, b, n, p in facts['channels']]
    # It orders depth and stencil by aspect, the table by position.
    facts['channels'] = sorted(channels) if any(c[0] in 'ds' for c in channels) else channels
    if name == 'D24_UNORM_S8_UINT':
        facts['packed'] = 32
    return facts


def main():
    table = sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, '../formats.table')
    registry = sys.argv[2] if len(sys.argv) > 2 and sys.argv[2] else '/usr/share/vulkan/registry/vk.xml'
    tap = Tap()
    if not os.path.exists(registry):
        tap.skip('formats against vk.xml', f'{registry} is not installed (package libvulkan-dev)')
        return tap.done()
    rows, _ = format_table.read(table)
    root = ElementTree.parse(registry).getroot()
    values = {name.removeprefix('VK_FORMAT_'): value for name, value in registry_values(root).items()}
    ours = {row.name: row.value for row in rows}
    tap.case(f'the {len(values)} formats of core have their rows and numbers', ours == values,
             f'only one has, or they differ: {sorted(set(ours.items()) ^ set(values.items()))}')
    described = {element.get('name').removeprefix('VK_FORMAT_'): registry_format(element)
                 for element in root.findall('formats/format')}
    for row in rows:
        if row.name == 'UNDEFINED':
            continue
        if row.name not in described and f'VK_FORMAT_{row.name}' in NEWER:
            tap.skip(row.name, 'the installed registry is older')
            continue
        if row.name not in described:
            tap.case(row.name, False, 'the registry does not describe it')
            continue
        mine, theirs = normalise(row.name, table_format(row)), normalise(row.name, described[row.name])
        theirs['channels'], corrected = correct(row.name, theirs['channels'])
        if corrected:
            tap.note(f'{row.name}: the registry says {CORRECTIONS[row.name][0]}, which is wrong')
        wrong = [f'{key}: ours {mine[key]}, registry {theirs[key]}' for key in mine if mine[key] != theirs[key]]
        tap.case(row.name, not wrong, '\n'.join(wrong))
    return tap.done()


if __name__ == '__main__':
    sys.exit(main())
