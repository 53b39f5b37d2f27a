/* The part of an instruction on the fast path that does not depend on its lanes: whether it is one for it, its
 * format's and its address modes' kind, and the level, where all lanes have the same. It is found once for an image,
 * a sampler and a kind of instruction, and kept with the image's tables. */
#include "model/texture/tex_fast.h"

#include <stdlib.h>
#include <string.h>

/* Of an axis that is mirrored once only vectors of sixteen lanes have tables. */
static bool mirrors_once(const struct tex_query *q, unsigned axis)
{
    return axis < 2 && !q->unnormalized && !q->image->is_cube && q->sampler->wrap[axis] == TEX_MIRROR_ONCE_TO_EDGE;
}

static bool is_wrap(const struct tex_query *q, unsigned axis)
{
    unsigned wrap = q->sampler->wrap[axis];
    if (q->unnormalized)
        return wrap == TEX_CLAMP_TO_EDGE || (axis < 2 && wrap == TEX_CLAMP_TO_BORDER);
    if (axis == 2)
        return wrap == TEX_REPEAT || wrap == TEX_CLAMP_TO_EDGE;
    return wrap == TEX_REPEAT || wrap == TEX_MIRROR || wrap == TEX_CLAMP_TO_EDGE || wrap == TEX_CLAMP_TO_BORDER;
}

static bool plan_applies(struct tex_plan *plan, const struct tex_query *q)
{
    const struct tex_image *image = q->image;
    const struct tex_sampler *s = q->sampler;
    if (!image->format || !image->is_float || s->reduction != TEX_MEAN || q->axes != image->axes)
        return false;
    for (unsigned axis = 0; axis < q->axes; axis++) {
        if (!is_wrap(q, axis) && !(TEX_HAS_WIDE && mirrors_once(q, axis)))
            return false;
    }
    plan->format = s->is_encoded ? format_info(image->format)->linear_format : image->format;
    plan->kind = tex_kind_of(plan->format);
    for (unsigned axis = 0; axis < 2; axis++)
        plan->inside[axis] = image->is_cube ? s->is_seamless || s->wrap[axis] != TEX_CLAMP_TO_EDGE
                                            : s->wrap[axis] == TEX_CLAMP_TO_BORDER;
    if (q->compare && ((plan->kind != TEX_KIND_R16 && plan->kind != TEX_KIND_D24 && plan->kind != TEX_KIND_R32F) ||
                       image->order[0] != 0))
        return false;
    return plan->kind != TEX_KIND_NONE;
}

/* A call would be most of the work. */
static bool is_same_sampler(const struct tex_sampler *a, const struct tex_sampler *b)
{
    const uint8_t *const left = (const uint8_t *)a, *const right = (const uint8_t *)b;
    uint64_t other = 0;
    _Static_assert(sizeof(*a) % 8 == 0, "a sampler is words");
    for (unsigned i = 0; i < sizeof(*a); i += 8) {
        uint64_t words[2];
        memcpy(&words[0], left + i, 8);
        memcpy(&words[1], right + i, 8);
        other |= words[0] ^ words[1];
    }
    return !other;
}

static bool is_for(const struct tex_plan *plan, const struct tex_query *q)
{
    return plan->axes == q->axes && plan->unnormalized == q->unnormalized && plan->is_level_zero == q->is_level_zero &&
           plan->has_clamp == (q->clamp != NULL) && plan->has_compare == (q->compare != NULL) &&
           is_same_sampler(&plan->sampler, q->sampler);
}

/* Whether all lanes filter one channel of one level, and how coordinates become positions there. */
static bool is_short(struct tex_plan *plan, const struct tex_query *q)
{
    const struct tex_sampler *s = q->sampler;
    const unsigned level = plan->levels.low[0];
    const uint32_t size[3] = {q->image->level[level].width, q->image->level[level].height,
                              q->image->level[level].depth};
    for (unsigned axis = 0; axis < 3; axis++)
        plan->axis[axis] = (struct tex_common){
            .scale = (q->unnormalized ? 1 : (float)size[axis]) * 256,
            .down = 128,
            .up = 0.5f,
            .size = (int32_t)size[axis],
        };
    return (!TEX_HAS_GATHERS || TEX_HAS_WIDE) && plan->applies && plan->is_same && !plan->levels.any_fraction &&
           plan->levels.linear[0] == 1 && plan->lod.max_probes == 1 && !q->image->is_cube &&
           plan->kind < TEX_KIND_CODEC && tex_kind_channels(plan->kind) == 1 &&
           (q->axes == 2 || (q->axes == 3 && !q->compare && (s->z_follows_xy || s->z_linear)));
}

/* Whether vectors of sixteen lanes have it. */
static bool is_straight(struct tex_plan *plan)
{
    plan->straight_kind = plan->kind;
    if (plan->format == FORMAT_R32G32B32A32_SFLOAT)
        plan->straight_kind = TEX_KIND_RGBA32F;
    return TEX_HAS_WIDE && plan->applies && plan->straight_kind != TEX_KIND_CODEC &&
           plan->straight_kind != TEX_KIND_BLOCKS;
}

static void make_plan(struct tex_plan *plan, const struct tex_query *q)
{
    struct tex_query all = *q; /* of all lanes, whatever this one has */
    all.lanes = LANES_MAX;
    *plan = (struct tex_plan){.kept = plan->kept};
    memcpy(&plan->sampler, q->sampler, sizeof(plan->sampler));
    plan->axes = (uint8_t)q->axes;
    plan->unnormalized = q->unnormalized;
    plan->is_level_zero = q->is_level_zero;
    plan->has_clamp = q->clamp != NULL;
    plan->has_compare = q->compare != NULL;
    plan->applies = plan_applies(plan, q);
    plan->is_same = tex_levels_init_same(&plan->levels, &plan->lod, &all);
    plan->is_straight = is_straight(plan);
    for (unsigned axis = 0; axis < q->axes; axis++)
        plan->applies &= !mirrors_once(q, axis);
    plan->is_short = plan->is_same && is_short(plan, q);
}

struct tex_plan *tex_plan_get(const struct tex_query *q)
{
    struct tex_places_set *set = q->places;
    if (!set || !q->space)
        return NULL;
    struct tex_plan *plan = set->plans[set->last_plan];
    if (plan && is_for(plan, q))
        return plan;
    for (unsigned i = 0; i < TEX_PLANS; i++) {
        plan = set->plans[i];
        if (plan && is_for(plan, q)) {
            set->last_plan = i;
            return plan;
        }
    }
    const unsigned slot = set->next_plan;
    if (!set->plans[slot] && !(set->plans[slot] = calloc(1, sizeof(*plan))))
        return NULL;
    make_plan(set->plans[slot], q);
    set->changes++;
    set->last_plan = slot;
    set->next_plan = (slot + 1) % TEX_PLANS;
    return set->plans[slot];
}

void tex_plans_forget(struct tex_places_set *set)
{
    for (unsigned i = 0; i < TEX_PLANS; i++) {
        if (set->plans[i])
            set->plans[i]->axes = 0;
    }
}

void tex_find_own_levels(struct tex_found *to, struct tex_query *q, const struct tex_coords *c)
{
    to->lod = &to->own_lod;
    to->levels = &to->own_levels;
    if (tex_levels_init_short(&to->own_levels, &to->own_lod, q, c))
        return;
    tex_lod_init(&to->own_lod, q, c);
    tex_levels_init(&to->own_levels, q, &to->own_lod);
}

void tex_find_levels(struct tex_found *to, struct tex_query *q, const struct tex_coords *c)
{
    const struct tex_plan *plan = tex_plan_get(q);
    if (plan && plan->is_same) {
        to->lod = &plan->lod;
        to->levels = &plan->levels;
    } else if (!plan && tex_levels_init_same(&to->own_levels, &to->own_lod, q)) {
        to->lod = &to->own_lod;
        to->levels = &to->own_levels;
    } else {
        tex_find_own_levels(to, q, c);
    }
}
