/* Strict mode: which registers an instruction touches and how, which counters it raises and in what order it finishes.
 * From the instruction table; what is said here besides is what the table does not know: the lanes of exchanges, the
 * registers that exports lock, and which instructions finish in order with which. */
#include <string.h>

#include "amd/model/sq/sq_memory.h"
#include "amd/model/sq/sq_strict_internal.h"

static struct sq_strict_access *add_access(struct sq_strict_facts *facts, unsigned file, unsigned first, unsigned count)
{
    static struct sq_strict_access in_vain;
    if (facts->count == SQ_STRICT_MAX_ACCESSES)
        return &in_vain;
    struct sq_strict_access *access = &facts->accesses[facts->count++];
    *access = (struct sq_strict_access){.first = (uint16_t)first,
                                        .count = (uint8_t)count,
                                        .file = (uint8_t)file,
                                        .bits = UINT32_MAX,
                                        .last_bits = UINT32_MAX};
    return access;
}

/* NULL where the operand is no register that a program can write. */
static struct sq_strict_access *add_operand(struct sq_strict_facts *facts, const struct isa_operand *operand,
                                            uint32_t lanes)
{
    unsigned count = operand->count ? operand->count : lanes / 32;
    if (operand->kind == ISA_OPERAND_VGPR)
        return add_access(facts, SQ_STRICT_VGPR, operand->value, count);
    if (operand->kind == ISA_OPERAND_SGPR)
        return add_access(facts, SQ_STRICT_SGPR, operand->value, count);
    if (operand->kind != ISA_OPERAND_TTMP && operand->kind != ISA_OPERAND_SPECIAL)
        return NULL;
    unsigned index = amd_sq_special_register(operand);
    bool is_register = index < SQ_SHARED_BASE && index != SQ_NULL;
    return is_register ? add_access(facts, SQ_STRICT_SGPR, index, count) : NULL;
}

static void add_state(struct sq_strict_facts *facts, uint32_t lanes)
{
    const struct isa_op_info *info = facts->info;
    if ((info->reads | info->writes) & ISA_STATE_VCC) {
        struct sq_strict_access *vcc = add_access(facts, SQ_STRICT_SGPR, SQ_VCC, lanes / 32);
        vcc->is_read = info->reads & ISA_STATE_VCC;
        vcc->is_write = info->writes & ISA_STATE_VCC;
    }
    if (info->reads & ISA_STATE_M0) {
        struct sq_strict_access *m0 = add_access(facts, SQ_STRICT_SGPR, SQ_M0, 1);
        m0->is_read = true;
        if (info->properties & ISA_PROP_MESSAGE)
            m0->sink = SQ_STRICT_MESSAGE;
    }
    if (info->writes & ISA_STATE_EXEC)
        add_access(facts, SQ_STRICT_SGPR, SQ_EXEC, lanes / 32)->is_write = true;
}

/* ---- the ALUs ---- */

static unsigned relative_to(unsigned op, bool is_dst)
{
    switch (op) {
    case ISA_OP_S_MOVRELS_B32:
    case ISA_OP_S_MOVRELS_B64:
    case ISA_OP_V_MOVRELS_B32:
        return is_dst ? SQ_STRICT_ABSOLUTE : SQ_STRICT_M0;
    case ISA_OP_S_MOVRELD_B32:
    case ISA_OP_S_MOVRELD_B64:
    case ISA_OP_V_MOVRELD_B32:
        return is_dst ? SQ_STRICT_M0 : SQ_STRICT_ABSOLUTE;
    case ISA_OP_V_MOVRELSD_B32:
        return SQ_STRICT_M0;
    case ISA_OP_S_MOVRELSD_2_B32:
    case ISA_OP_V_MOVRELSD_2_B32:
        return is_dst ? SQ_STRICT_M0_HIGH : SQ_STRICT_M0_LOW;
    default:
        return SQ_STRICT_ABSOLUTE;
    }
}

static unsigned lanes_of(const struct isa_inst *inst, const struct isa_op_info *info, bool is_dst, unsigned name)
{
    bool is_dpp = inst->variant == ISA_VARIANT_DPP16 || inst->variant == ISA_VARIANT_DPP8;
    switch (inst->op) {
    case ISA_OP_V_READFIRSTLANE_B32:
        return SQ_STRICT_FIRST;
    case ISA_OP_V_READLANE_B32:
    case ISA_OP_V_WRITELANE_B32:
        return SQ_STRICT_SELECTED;
    case ISA_OP_V_PERMLANE16_B32:
    case ISA_OP_V_PERMLANEX16_B32:
        return !is_dst && (inst->alu.op_sel & 1) ? SQ_STRICT_ALL : SQ_STRICT_EXEC;
    default:
        return is_dpp && !is_dst && name == ISA_NAME_S0 && inst->alu.fi ? SQ_STRICT_ALL : SQ_STRICT_EXEC;
    }
}

/* The hardware registers of s_getreg and s_setreg, by the number in their immediate. */
enum {
    HWREG_FLAT_SCR_LO = 20,
    HWREG_FLAT_SCR_HI = 21,
    HWREG_SHADER_CYCLES = 29,
};

static bool is_flat_scratch(unsigned imm)
{
    return (imm & 63) == HWREG_FLAT_SCR_LO || (imm & 63) == HWREG_FLAT_SCR_HI;
}

static void find_alu(struct sq_strict_facts *facts, uint32_t lanes)
{
    const struct isa_inst *inst = facts->inst;
    const struct isa_op_info *info = facts->info;
    bool is_jump = inst->op == ISA_OP_S_SETPC_B64 || inst->op == ISA_OP_S_SWAPPC_B64;
    /* The base of private memory is looked at where it is used: clang sets it even for kernels that were given none. */
    bool is_setreg = inst->op == ISA_OP_S_SETREG_B32 && !is_flat_scratch(inst->operands[0].value);
    for (unsigned i = 0; i < info->operand_count; i++) {
        const struct isa_operand_info *about = &info->operands[i];
        struct sq_strict_access *access = add_operand(facts, &inst->operands[i], lanes);
        if (!access)
            continue;
        access->is_write = about->is_dst || about->is_written;
        access->is_read = !about->is_dst || (about->is_read && inst->op != ISA_OP_V_WRITELANE_B32);
        access->lanes = (uint8_t)lanes_of(inst, info, about->is_dst, about->name);
        access->relative = (uint8_t)relative_to(inst->op, about->is_dst);
        access->sink = is_jump && !about->is_dst ? SQ_STRICT_TARGET : is_setreg ? SQ_STRICT_MODE : SQ_STRICT_NO_SINK;
    }
}

/* ---- memory ---- */

/* The bits of a register that a narrow store looks at. */
static uint32_t stored_bits(const struct isa_op_info *info)
{
    unsigned shift = info->half == 2 ? 16 : 0;
    switch (info->element) {
    case ISA_TYPE_U8:
    case ISA_TYPE_I8:
        return 0xffu << shift;
    case ISA_TYPE_U16:
    case ISA_TYPE_I16:
        return 0xffffu << shift;
    default:
        return UINT32_MAX;
    }
}

static void add_image_address(struct sq_strict_facts *facts, const struct isa_operand *operand)
{
    const struct isa_inst *inst = facts->inst;
    struct isa_inst alone = *inst;
    alone.mem.nsa = 1; /* how many there are, not how long the tuple is that they lie in */
    unsigned count = amd_isa_image_address_count(&alone);
    for (unsigned i = 0; i < count; i++) {
        unsigned index = i == 0 ? operand->value : inst->mem.nsa ? inst->mem.nsa_addr[i - 1] : operand->value + i;
        struct sq_strict_access *access = add_access(facts, SQ_STRICT_VGPR, index, 1);
        access->is_read = true;
        access->sink = SQ_STRICT_ADDRESS;
        if (inst->mem.a16 && i + 1 == count) /* an odd coordinate has a register's lower half */
            access->bits = access->last_bits = 0xffff;
    }
}

static bool returns_old_value(const struct sq_strict_facts *facts)
{
    return facts->info->memory == ISA_MEMORY_ATOMIC && facts->inst->mem.glc && facts->info->format != ISA_FORMAT_DS;
}

/* vdata of an atomic in a buffer or an image comes back in the same registers; of a comparing one, in their first half.
 */
static void add_old_value(struct sq_strict_facts *facts, const struct isa_operand *operand)
{
    uint8_t atomic = facts->info->atomic;
    bool compares = atomic == ISA_ATOMIC_CMPSWAP || atomic == ISA_ATOMIC_CMPSWAP_F;
    struct sq_strict_access *access =
        add_access(facts, SQ_STRICT_VGPR, operand->value, compares ? operand->count / 2u : operand->count);
    access->is_result = true;
}

static void add_data(struct sq_strict_facts *facts, const struct isa_operand *operand, uint32_t lanes)
{
    const struct isa_op_info *info = facts->info;
    struct sq_strict_access *access = add_operand(facts, operand, lanes);
    if (!access)
        return;
    access->is_read = access->is_data = true;
    access->is_locked = info->format == ISA_FORMAT_DS && facts->inst->mem.gds;
    /* LDS has a shadow, and private memory is where compilers put whole registers, written or not. */
    if (info->format != ISA_FORMAT_DS && !(info->properties & ISA_PROP_SCRATCH))
        access->sink = SQ_STRICT_DATA;
    access->bits = access->last_bits = stored_bits(info);
    if (info->format == ISA_FORMAT_MIMG && facts->inst->mem.d16 && (__builtin_popcount(facts->inst->mem.dmask) & 1))
        access->last_bits = 0xffff;
    if (returns_old_value(facts) && info->format != ISA_FORMAT_FLAT)
        add_old_value(facts, operand);
}

static void add_result(struct sq_strict_facts *facts, const struct isa_operand *operand, uint32_t lanes)
{
    if (facts->info->memory == ISA_MEMORY_ATOMIC && facts->info->format == ISA_FORMAT_FLAT && !facts->inst->mem.glc)
        return;
    struct sq_strict_access *access = add_operand(facts, operand, lanes);
    if (!access)
        return;
    access->is_result = true;
    bool is_buffer = facts->info->format == ISA_FORMAT_MUBUF || facts->info->format == ISA_FORMAT_MTBUF;
    access->count = (uint8_t)(access->count + (is_buffer && facts->inst->mem.tfe));
}

static void find_memory(struct sq_strict_facts *facts, uint32_t lanes)
{
    const struct isa_inst *inst = facts->inst;
    const struct isa_op_info *info = facts->info;
    bool is_exchange = info->properties & ISA_PROP_CROSS_LANE;
    struct sq_strict_access *access;
    for (unsigned i = 0; i < info->operand_count; i++) {
        const struct isa_operand *operand = &inst->operands[i];
        if (info->operands[i].is_dst) {
            if (!inst->mem.lds) /* which names no register */
                add_result(facts, operand, lanes);
            continue;
        }
        switch (info->operands[i].name) {
        case ISA_NAME_VDATA:
        case ISA_NAME_DATA0:
        case ISA_NAME_DATA1:
            add_data(facts, operand, lanes);
            break;
        case ISA_NAME_VADDR:
            if (info->format == ISA_FORMAT_MIMG) {
                add_image_address(facts, operand);
                break;
            }
            /* fall through */
        default:
            access = add_operand(facts, operand, lanes);
            if (!access)
                break;
            access->is_read = true;
            access->is_locked = info->format == ISA_FORMAT_DS && inst->mem.gds;
            access->sink = is_exchange                                            ? SQ_STRICT_NO_SINK
                           : access->file == SQ_STRICT_SGPR && access->count >= 4 ? SQ_STRICT_DESCRIPTOR
                                                                                  : SQ_STRICT_ADDRESS;
            break;
        }
    }
}

static void find_export(struct sq_strict_facts *facts, uint32_t lanes)
{
    const struct isa_export *exp = &facts->inst->exp;
    for (unsigned i = 0; i < (exp->compr ? 2u : 4u); i++) {
        unsigned enabled = exp->compr ? exp->en >> i * 2 & 3 : exp->en >> i & 1;
        struct sq_strict_access *access = enabled ? add_operand(facts, &facts->inst->operands[i], lanes) : NULL;
        if (!access)
            continue;
        access->is_read = access->is_locked = true;
        access->sink = SQ_STRICT_EXPORT;
        if (exp->compr)
            access->bits = access->last_bits = (enabled & 1 ? 0xffffu : 0) | (enabled & 2 ? 0xffff0000u : 0);
    }
    /* The lanes are looked at when the data are sent. */
    struct sq_strict_access *exec = add_access(facts, SQ_STRICT_SGPR, SQ_EXEC, lanes / 32);
    exec->is_locked = true;
}

/* ---- order ---- */

static unsigned export_order(unsigned target)
{
    enum {
        NULL_TARGET = 9,
        POSITION = 12,
        POSITION_END = 17,
        PRIMITIVE = 20
    };
    return target <= NULL_TARGET                         ? SQ_STRICT_COLOR
           : target >= POSITION && target < POSITION_END ? SQ_STRICT_POSITION
           : target == PRIMITIVE                         ? SQ_STRICT_PRIMITIVE
                                                         : SQ_STRICT_PARAMETER;
}

static void find_order(struct sq_strict_facts *facts)
{
    const struct isa_op_info *info = facts->info;
    uint64_t properties = info->properties;
    facts->counters = (uint8_t)amd_isa_counters(facts->inst);
    switch (info->format) {
    case ISA_FORMAT_SMEM:
        facts->order = SQ_STRICT_UNORDERED;
        break;
    case ISA_FORMAT_DS:
        facts->order = facts->inst->mem.gds ? SQ_STRICT_GDS : SQ_STRICT_LDS;
        break;
    case ISA_FORMAT_EXP:
        facts->order = (uint8_t)export_order(facts->inst->exp.target);
        break;
    case ISA_FORMAT_SOPP:
        facts->order = SQ_STRICT_MESSAGES;
        break;
    default:
        facts->order = facts->counters & ISA_COUNTER_VM ? SQ_STRICT_LOAD : SQ_STRICT_STORE;
        facts->unit = properties & (ISA_PROP_BVH | ISA_PROP_BVH64)                        ? SQ_STRICT_RAY
                      : properties & (ISA_PROP_SAMPLE | ISA_PROP_GATHER4 | ISA_PROP_MSAA) ? SQ_STRICT_SAMPLER
                                                                                          : SQ_STRICT_PLAIN;
        /* LLVM does not count the invalidation of L0 at all, ACO counts it with the stores: no program may rely on it
         * among the loads. */
        if (properties & ISA_PROP_CACHE_INV)
            facts->counters = 0;
        break;
    }
}

static unsigned image_of(const struct isa_inst *inst, const struct isa_op_info *info)
{
    if ((info->format == ISA_FORMAT_MUBUF || info->format == ISA_FORMAT_FLAT) && inst->mem.lds)
        return SQ_STRICT_MIRROR;
    switch (info->format) {
    case ISA_FORMAT_SOPP:
        return inst->op == ISA_OP_S_ROUND_MODE || inst->op == ISA_OP_S_DENORM_MODE ? SQ_STRICT_MIRROR
                                                                                   : SQ_STRICT_NOTHING;
    case ISA_FORMAT_EXP:
        return SQ_STRICT_NOTHING;
    case ISA_FORMAT_DS:
        return inst->mem.gds ? SQ_STRICT_COPY : SQ_STRICT_MIRROR;
    case ISA_FORMAT_FLAT:
        return info->properties & ISA_PROP_FLAT ? SQ_STRICT_FLAT : SQ_STRICT_COPY;
    case ISA_FORMAT_SMEM:
    case ISA_FORMAT_MUBUF:
    case ISA_FORMAT_MTBUF:
    case ISA_FORMAT_MIMG:
        return SQ_STRICT_COPY;
    default:
        if (inst->op == ISA_OP_S_GETREG_B32 && (inst->operands[1].value & 63) == HWREG_SHADER_CYCLES)
            return SQ_STRICT_COPY; /* a clock has gone on */
        return info->properties & ISA_PROP_BRANCH || inst->op == ISA_OP_S_SETPC_B64 || inst->op == ISA_OP_S_SWAPPC_B64
                   ? SQ_STRICT_NOTHING
                   : SQ_STRICT_MIRROR;
    }
}

static void find_lds(struct sq_strict_facts *facts)
{
    const struct isa_op_info *info = facts->info;
    facts->is_lds =
        info->format == ISA_FORMAT_DS && !facts->inst->mem.gds && !(info->properties & ISA_PROP_CROSS_LANE) &&
        (info->memory == ISA_MEMORY_LOAD || info->memory == ISA_MEMORY_STORE || info->memory == ISA_MEMORY_ATOMIC) &&
        info->operands[info->dst_count].name == ISA_NAME_ADDR; /* addresses from m0 are not followed */
    if (!facts->is_lds)
        return;
    bool is_pair = info->properties & ISA_PROP_OFFSET2, is_load = info->memory == ISA_MEMORY_LOAD;
    unsigned dwords = info->operands[is_load ? 0 : info->dst_count + 1].count / (is_pair && is_load ? 2u : 1u);
    bool is_far = strstr(amd_isa_op_name(ISA_GFX10_3, facts->inst->op), "st64") != NULL;
    facts->lds_size_B = (uint8_t)sq_access_size_B(info, dwords);
    facts->lds_step_B = (uint16_t)(is_pair ? dwords * 4 * (is_far ? 64 : 1) : 0);
}

void amd_sq_strict_find_facts(struct sq_strict_facts *facts, const struct isa_inst *inst, uint32_t lanes)
{
    const struct isa_op_info *info = isa_info(inst->op);
    memset(facts, 0, sizeof(*facts));
    facts->inst = inst;
    facts->info = info;
    facts->hazards = (uint8_t)amd_isa_hazards(inst);
    facts->wait_states = (uint8_t)(inst->op == ISA_OP_S_NOP ? (inst->operands[0].value & 15) + 1 : 1);
    facts->image = (uint8_t)image_of(inst, info);
    find_lds(facts);
    switch (info->format) {
    case ISA_FORMAT_EXP:
        find_export(facts, lanes);
        find_order(facts);
        break;
    case ISA_FORMAT_SMEM:
    case ISA_FORMAT_DS:
    case ISA_FORMAT_MUBUF:
    case ISA_FORMAT_MTBUF:
    case ISA_FORMAT_MIMG:
    case ISA_FORMAT_FLAT:
        find_memory(facts, lanes);
        find_order(facts);
        break;
    default:
        find_alu(facts, lanes);
        if (info->counters)
            find_order(facts);
        break;
    }
    add_state(facts, lanes);
    for (unsigned i = 0; i < facts->count; i++) {
        const struct sq_strict_access *access = &facts->accesses[i];
        facts->writes_exec |= access->is_write && access->file == SQ_STRICT_SGPR && access->first >= SQ_EXEC &&
                              access->first < SQ_SHARED_BASE;
    }
}

/* ---- at execution ---- */

bool amd_sq_strict_resolve(const struct sq_wave *wave, const struct sq_strict_facts *facts,
                           const struct sq_strict_access *access, uint32_t *first_out, uint64_t *lanes_out)
{
    uint32_t m0 = wave->sgpr[SQ_M0];
    uint64_t exec = sq_exec(wave);
    const struct isa_operand *selector = &facts->inst->operands[2]; /* s1 of readlane and writelane */
    uint32_t lane;
    uint64_t offset = access->relative == SQ_STRICT_M0        ? m0
                      : access->relative == SQ_STRICT_M0_LOW  ? (m0 & 0x3ff)
                      : access->relative == SQ_STRICT_M0_HIGH ? (m0 >> 16 & 0x3ff)
                                                              : 0;
    switch (access->lanes) {
    case SQ_STRICT_EXEC:
        *lanes_out = exec;
        break;
    case SQ_STRICT_FIRST:
        *lanes_out = exec ? exec & -exec : 1;
        break;
    case SQ_STRICT_SELECTED:
        lane = selector->kind == ISA_OPERAND_INT       ? (uint32_t)(int16_t)selector->value
               : selector->kind == ISA_OPERAND_LITERAL ? facts->inst->literal
               : selector->kind == ISA_OPERAND_SGPR    ? wave->sgpr[selector->value]
               : selector->kind == ISA_OPERAND_SPECIAL || selector->kind == ISA_OPERAND_TTMP
                   ? wave->sgpr[amd_sq_special_register(selector)]
                   : 0;
        *lanes_out = 1ull << (lane & (wave->lanes - 1));
        break;
    default:
        *lanes_out = lanes_full_mask(wave->lanes);
        break;
    }
    uint64_t first = access->first + offset, end = access->file == SQ_STRICT_VGPR ? SQ_STRICT_ROWS : SQ_REGISTERS;
    *first_out = (uint32_t)first;
    return first + access->count <= end;
}
