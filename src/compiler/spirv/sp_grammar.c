/* Checks the operands of an instruction against the grammar, so that its translation may rely on every id being below
 * the bound, every string being terminated, and no word too many or too few. Not for what the operands mean. */
#include "compiler/spirv/sp.h"

struct walk {
    struct sp *s;
    const struct sp_instr *in;
    const uint32_t *w;
    uint32_t left;
    bool unknown; /* an enumerant or an instruction that the grammar or opcodes.table does not have: how it goes on is not known */
    uint32_t depth;
};

static uint32_t take_word(struct walk *walk)
{
    if (walk->left == 0)
        sp_fail(walk->s, "%s has too few words", walk->in->info->name);
    walk->left--;
    return *walk->w++;
}

static void take_id(struct walk *walk)
{
    uint32_t id = take_word(walk);
    if (id == 0 || id >= walk->s->bound)
        sp_fail(walk->s, "%s names the id %u, beyond the bound of %u", walk->in->info->name, id, walk->s->bound);
}

static void take_string(struct walk *walk)
{
    for (;;) {
        uint32_t word = take_word(walk);
        if (!(word & 0xff) || !(word & 0xff00) || !(word & 0xff0000) || !(word & 0xff000000))
            return;
    }
}

static void take_layout(struct walk *walk, const char *layout);

static const struct sp_enumerant *find_enumerant(const struct sp_enum_info *info, uint32_t value)
{
    uint32_t low = 0, high = info->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (info->values[middle].value < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low < info->count && info->values[low].value == value ? &info->values[low] : NULL;
}

static void take_enum(struct walk *walk, const struct sp_enum_info *info)
{
    uint32_t value = take_word(walk);
    if (!info->is_mask) {
        const struct sp_enumerant *found = find_enumerant(info, value);
        if (found)
            take_layout(walk, found->layout);
        else
            walk->unknown = true;
        return;
    }
    for (uint32_t bit = 0; bit < 32 && !walk->unknown; bit++) {
        if (!(value & 1u << bit))
            continue;
        const struct sp_enumerant *found = find_enumerant(info, 1u << bit);
        if (found)
            take_layout(walk, found->layout);
        else
            walk->unknown = true;
    }
}

static void take_operand(struct walk *walk, char kind)
{
    switch (kind) {
    case 't':
    case 'r':
    case 'i':
        take_id(walk);
        return;
    case 'l':
    case 'x':
        take_word(walk);
        return;
    case 'n': /* as long as its type is: the rest, which the reader of constants checks */
        take_word(walk);
        while (walk->left)
            take_word(walk);
        return;
    case 's':
        take_string(walk);
        return;
    case 'p': /* the literal's width is the selector's: OpSwitch reads them itself */
        while (walk->left)
            take_word(walk);
        return;
    case 'q':
        take_id(walk);
        take_word(walk);
        return;
    case 'd':
        take_id(walk);
        take_id(walk);
        return;
    case 'u':
        walk->unknown = true;
        return;
    default:
        take_enum(walk, &sp_enum_infos[kind - 'A']);
        return;
    }
}

static void take_layout(struct walk *walk, const char *layout)
{
    if (++walk->depth > 8)
        sp_fail(walk->s, "operands nest too deeply");
    for (const char *p = layout; *p && !walk->unknown; p++) {
        char kind = *p;
        if (p[1] == '*') {
            while (walk->left && !walk->unknown)
                take_operand(walk, kind);
            p++;
        } else if (p[1] == '?') {
            if (walk->left)
                take_operand(walk, kind);
            p++;
        } else {
            take_operand(walk, kind);
        }
    }
    walk->depth--;
}

void sp_check_operands(struct sp *s, const struct sp_instr *in)
{
    struct walk walk = {.s = s, .in = in, .w = &s->words[in->at + 1], .left = in->next - in->at - 1};
    take_layout(&walk, in->info->layout);
    /* The words after the opcode inside OpSpecConstantOp have that opcode's layout: sp_constant.c reads them. */
    if (walk.left && !walk.unknown && in->opcode != SpvOpSpecConstantOp)
        sp_fail(s, "%s has %u words too many", in->info->name, walk.left);
}
