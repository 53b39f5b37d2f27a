"""How Radeon's images compare with RADV's (tests/vulkan/tables/image_table.py): which features and modifiers only one of the two drivers has, with reason. Every image has the same
size, alignment and layouts in both."""
JUDGE = "radv"
JUDGE_NAME = "RADV"
LEAST = 500  # images that must be compared

# Bits of VkFormatFeatureFlagBits2.
SAMPLED, STORAGE, STORAGE_ATOMIC, UNIFORM_TEXEL, STORAGE_TEXEL, TEXEL_ATOMIC, VERTEX = (1 << bit for bit in range(7))
FILTER_LINEAR, FILTER_MINMAX = 1 << 12, 1 << 16
ACCELERATION, SHADING_RATE, READ_ANY, WRITE_ANY = 1 << 29, 1 << 30, 1 << 31, 1 << 32
HOST_COPY = 1 << 46
AMD = 2  # DRM's number of the vendor
YCBCR = range(1000156000, 1000156034), range(1000330000, 1000330004)
SCALED = [11, 12, 18, 19, 25, 26, 32, 33, 39, 40, 46, 47, 53, 54, 60, 61, 66, 67, 72, 73, 79, 80, 86, 87, 93, 94]
INTEGERS_OF_ONE = [13, 14, 74, 75, 98, 99]
SRGB = [15, 22, 29, 36, 43, 50, 57]


def ours_alone(number):
    """Bits that we have and RADV lacks, with reason."""
    if number in range(1000330000, 1000330004):
        return ~0  # 4:4:4 in two planes: RADV does not know the format, its planes are ordinary
    if number in range(1000156012, 1000156017) or number in range(1000156022, 1000156027):
        return ~0  # planes of 10 and 12 bits in 16: the shader scales
    if any(number in formats for formats in YCBCR):
        return FILTER_LINEAR | HOST_COPY  # each plane is filtered like any image
    if number in (110, 111):
        return UNIFORM_TEXEL | HOST_COPY  # 64 bits are read as two channels of 32, whatever the buffer is called
    if number in INTEGERS_OF_ONE:
        return FILTER_MINMAX | HOST_COPY  # RADV offers their minima and maxima from 26.1 on
    return HOST_COPY  # copies by the host are newer than 22.3.6


def theirs_alone(number):
    """Bits that RADV has and we lack, with reason."""
    allowed = ACCELERATION | SHADING_RATE  # features that are not implemented
    if number in SCALED or number in SRGB or number in (59, 61, 63, 65, 67, 69):
        allowed |= STORAGE_TEXEL | READ_ANY | WRITE_ANY  # a view that no shader could declare
    return allowed


def has_modifiers(number):
    """A linear image of 3 × 32 bits is not shared."""
    return not any(number in formats for formats in YCBCR) and number not in (104, 105, 106, 110, 111)


def shared_modifiers(theirs):
    """Of the judge's modifiers those that we have: all but the compressed ones."""
    return [modifier for modifier in theirs if not modifier >> 13 & 1 or modifier >> 56 != AMD]


def reason(_name, _ours, _theirs):
    """Why an image may differ: there is none."""
    return None
