/* Which draws may be tested against bounds of low-resolution depth, which may write them, and what ends either.
 *
 * A bound holds as long as depths only go one way: "less" writes keep them below it. So draws that write depth the
 * other way, or any way, make an end of all bounds.
 *
 * In a binning pass bounds are those of the whole rendering, and a fragment beyond them goes although it is nearest
 * when it is drawn. A draw F may write bounds if nothing can tell afterwards:
 *
 * - its primitives really leave their depth: no fragment is killed or fails another test;
 * - they replace the colours that were there, in all targets; or they have no colour, and nothing that was drawn before
 *   has one (a depth prepass);
 * - no draw before it has looked at depths in a way that lasts: counted samples, stencil, writes of memory;
 * - no draw before it has put a depth in front of F without replacing the colour behind (blending, masks): F fails
 *   there, and what it should have hidden is seen. */
#include "adreno/driver/lrz.h"

static uint8_t direction_of(uint8_t compare)
{
    switch (compare) {
    case VK_COMPARE_OP_LESS:
    case VK_COMPARE_OP_LESS_OR_EQUAL:
        return ADRENO_LRZ_LESS;
    case VK_COMPARE_OP_GREATER:
    case VK_COMPARE_OP_GREATER_OR_EQUAL:
        return ADRENO_LRZ_GREATER;
    default:
        return ADRENO_LRZ_UNSET;
    }
}

/* Whether depths stay what they are, though writes are on. */
static bool keeps_depth(const struct adreno_lrz_draw *draw)
{
    return !draw->is_written || draw->compare == VK_COMPARE_OP_EQUAL || draw->compare == VK_COMPARE_OP_NEVER;
}

static bool looks_at_depths(const struct adreno_lrz_draw *draw)
{
    return draw->writes_stencil || draw->is_counted || draw->has_effects;
}

static bool may_write(const struct adreno_lrz_rules *rules, const struct adreno_lrz_draw *draw)
{
    if (rules->is_closed || looks_at_depths(draw) || draw->may_fail || draw->may_kill || draw->has_bounds)
        return false;
    return draw->replaces_color || (!draw->has_color && !rules->has_color);
}

/* The directions that depths have gone: false, if both. A draw that is not tested tells the chip nothing of its own:
 * then the chip must have heard of the direction before. */
static bool follow_direction(struct adreno_lrz_rules *rules, uint8_t direction, bool is_tested)
{
    const uint8_t before = rules->direction;
    rules->direction = direction;
    if (direction == ADRENO_LRZ_UNSET || (before != ADRENO_LRZ_UNSET && before != direction))
        return false;
    return is_tested || !rules->is_followed || before == direction;
}

struct adreno_lrz_use adreno_lrz_next(struct adreno_lrz_rules *rules, const struct adreno_lrz_draw *draw)
{
    const struct adreno_lrz_use none = {0};
    const uint8_t direction = direction_of(draw->compare);
    if (!rules->is_valid || !draw->is_tested)
        return none;
    const bool is_known = direction != ADRENO_LRZ_UNSET;
    const bool is_same = rules->direction == ADRENO_LRZ_UNSET || rules->direction == direction;
    struct adreno_lrz_use use = {
        .is_tested = is_known && is_same && !draw->is_late && !draw->writes_stencil,
        .is_greater = direction == ADRENO_LRZ_GREATER,
        .writes_depth = draw->is_written,
        .has_bounds = draw->has_bounds,
    };
    if (!keeps_depth(draw) && !follow_direction(rules, direction, use.is_tested)) {
        rules->is_valid = false;
        return none;
    }
    use.is_written = use.is_tested && draw->is_written && may_write(rules, draw);
    const bool is_veil = !keeps_depth(draw) && !draw->replaces_color && (draw->has_color || rules->has_color);
    rules->is_closed |= is_veil || looks_at_depths(draw);
    rules->has_color |= draw->has_color;
    return use.is_tested ? use : none;
}

void adreno_lrz_join(struct adreno_lrz_rules *rules, const struct adreno_lrz_rules *done)
{
    const bool is_turned = rules->direction != ADRENO_LRZ_UNSET && done->direction != ADRENO_LRZ_UNSET &&
                           rules->direction != done->direction;
    rules->is_valid &= done->is_valid && !is_turned;
    rules->is_closed |= done->is_closed;
    rules->has_color = true;
    if (done->direction != ADRENO_LRZ_UNSET)
        rules->direction = done->direction;
}
