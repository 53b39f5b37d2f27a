/* Decorations: what the module says about ids besides their definitions. */
#include "compiler/spirv/sp.h"

static void add_decoration(struct sp *s, uint32_t id, uint32_t member, uint32_t kind, const uint32_t *ops,
                           uint32_t count)
{
    sp_spend(s, 1);
    struct sp_decoration *decoration = sp_new(s, struct sp_decoration);
    struct sp_id *target = sp_id(s, id);
    *decoration =
        (struct sp_decoration){.next = target->decorations, .kind = kind, .member = member, .count = count, .ops = ops};
    target->decorations = decoration;
}

void sp_do_decorate(struct sp *s, const struct sp_instr *in)
{
    add_decoration(s, sp_op(s, in, 0), SP_NONE, sp_op(s, in, 1), in->ops + 2, in->count - 2);
}

void sp_do_member_decorate(struct sp *s, const struct sp_instr *in)
{
    if (sp_op(s, in, 1) == SP_NONE)
        sp_fail(s, "a struct has no such member");
    add_decoration(s, sp_op(s, in, 0), in->ops[1], sp_op(s, in, 2), in->ops + 3, in->count - 3);
}

void sp_do_decoration_group(struct sp *s, const struct sp_instr *in)
{
    sp_define(s, in->id, SP_GROUP);
}

static void copy_group(struct sp *s, uint32_t group, uint32_t target, uint32_t member)
{
    if (group == target)
        sp_fail(s, "a decoration group decorates itself");
    for (const struct sp_decoration *d = sp_id(s, group)->decorations; d; d = d->next)
        add_decoration(s, target, member == SP_NONE ? d->member : member, d->kind, d->ops, d->count);
}

void sp_do_group_decorate(struct sp *s, const struct sp_instr *in)
{
    for (uint32_t i = 1; i < in->count; i++)
        copy_group(s, in->ops[0], in->ops[i], SP_NONE);
}

void sp_do_group_member_decorate(struct sp *s, const struct sp_instr *in)
{
    for (uint32_t i = 1; i + 1 < in->count; i += 2)
        copy_group(s, in->ops[0], in->ops[i], in->ops[i + 1]);
}

const struct sp_decoration *sp_find_decoration(struct sp *s, uint32_t id, uint32_t member, uint32_t kind)
{
    for (const struct sp_decoration *d = sp_id(s, id)->decorations; d; d = d->next)
        if (d->kind == kind && d->member == member)
            return d;
    return NULL;
}

bool sp_has_decoration(struct sp *s, uint32_t id, uint32_t member, uint32_t kind)
{
    return sp_find_decoration(s, id, member, kind) != NULL;
}

uint32_t sp_decoration_value(struct sp *s, uint32_t id, uint32_t member, uint32_t kind, uint32_t otherwise)
{
    const struct sp_decoration *d = sp_find_decoration(s, id, member, kind);
    return d && d->count ? d->ops[0] : otherwise;
}

uint32_t sp_access_of(struct sp *s, uint32_t id, uint32_t member)
{
    uint32_t access = 0;
    if (sp_has_decoration(s, id, member, SpvDecorationCoherent))
        access |= IR_ACCESS_COHERENT;
    if (sp_has_decoration(s, id, member, SpvDecorationVolatile))
        access |= IR_ACCESS_VOLATILE | IR_ACCESS_COHERENT;
    /* A load may move only where nothing writes the memory through another name. */
    if (sp_has_decoration(s, id, member, SpvDecorationNonWritable) &&
        sp_has_decoration(s, id, member, SpvDecorationRestrict))
        access |= IR_ACCESS_READONLY;
    return access;
}
