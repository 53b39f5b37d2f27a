/* Strict mode: results of the units that answer late are read after they were waited for, their sources are overwritten
 * after they were read, ALU results are used after their delay, and outputs are there at the end. Kept for each wave
 * along the way that it takes, by halves of registers and by lanes: another side of a branch has its own. What an
 * instruction touches stands in strict_facts.c. */
#include "adreno/model/sp/strict.h"

#include <stddef.h>

#include "adreno/model/sp/memory.h"
#include "util/debug.h"

/* Issue slots between a result and its use: inside of the ALUs with one size of registers; else. */
#define DELAY_ALU 3
#define DELAY_OTHER 6

/* Halves of registers that wait, with the lanes of each. */
struct strict_set {
    uint32_t any[STRICT_UNITS / 32];
    struct lane_mask lanes[STRICT_UNITS];
};

struct alu_result {
    uint32_t cycle; /* when it was written; 0: not by an ALU */
    bool is_half;
    struct lane_mask lanes;
};

/* Constants that were written, from the first to the last; none where they are equal. */
struct strict_constants {
    int32_t first, last;
};

struct sp_strict {
    uint32_t cycle;      /* issue slots since the wave began, from 1 */
    uint32_t special[6]; /* the cycle when a0.x, a1.x, p0.xyzw were written; 0: not */
    struct strict_constants constants_ss, constants_sy;
    struct strict_set ss, sy;                              /* results */
    struct strict_set scalar_full, scalar_half;            /* the scalar ALU's, which wait for (ss) elsewhere */
    struct strict_set read_ss, read_ss_or_sy, read_scalar; /* sources */
    struct alu_result alu[STRICT_UNITS];
    struct strict_defined defined;
};

size_t adreno_sp_strict_size_B(void)
{
    return debug_enabled(DEBUG_STRICT) ? sizeof(struct sp_strict) : 0;
}

void adreno_sp_strict_begin(struct sp_strict *strict)
{
    memset(strict, 0, sizeof(*strict));
    strict->cycle = 1;
}

/* ---- sets ---- */

static struct lane_mask waiting(const struct strict_set *set, unsigned unit)
{
    return set->any[unit / 32] >> (unit % 32) & 1 ? set->lanes[unit] : lane_mask_none();
}

static void put_unit(struct strict_set *set, unsigned unit, struct lane_mask lanes)
{
    set->lanes[unit] = lane_mask_or(waiting(set, unit), lanes);
    set->any[unit / 32] |= 1u << (unit % 32);
}

static void clear_set(struct strict_set *set)
{
    memset(set->any, 0, sizeof(set->any));
}

static bool has_units(const struct strict_set *set, unsigned unit, unsigned count, struct lane_mask lanes)
{
    for (unsigned i = 0; i < count; i++) {
        if (lane_mask_any(lane_mask_and(waiting(set, unit + i), lanes)))
            return true;
    }
    return false;
}

/* ---- reports ---- */

static void report_register(struct adreno_wave *wave, const struct sp_uop *uop, const struct strict_register *reg,
                            const char *what)
{
    adreno_sp_fault(wave, uop, ADRENO_FAULT_STRICT, "%sr%u.%c is %s", reg->is_half ? "h" : "", reg->component / 4u,
                    "xyzw"[reg->component % 4], what);
}

/* ---- checks ---- */

static void check_delay(struct adreno_wave *wave, const struct sp_uop *uop, const struct strict_facts *facts,
                        const struct strict_register *reg, unsigned unit)
{
    const struct alu_result *result = &wave->strict->alu[unit];
    const unsigned delay = facts->is_alu && result->is_half == reg->is_half ? DELAY_ALU : DELAY_OTHER;
    const uint32_t now = wave->strict->cycle + reg->cycle;
    if (!result->cycle || now >= result->cycle + delay ||
        !lane_mask_any(lane_mask_and(result->lanes, strict_lanes_of(wave, reg))))
        return;
    adreno_sp_fault(wave, uop, ADRENO_FAULT_STRICT, "%sr%u.%c is read %u slots before its delay has passed",
                    reg->is_half ? "h" : "", reg->component / 4u, "xyzw"[reg->component % 4],
                    result -> cycle + delay - now);
}

/* The scalar ALU finds its own results of the same size without a wait. */
static bool misses_scalar(const struct adreno_wave *wave, const struct strict_facts *facts,
                          const struct strict_register *reg)
{
    const struct sp_strict *strict = wave->strict;
    const unsigned unit = strict_unit_of(reg), count = strict_units(reg);
    const struct lane_mask lanes = adreno_wave_all(wave);
    if (!sp_is_shared(reg->component))
        return false;
    return ((!facts->is_scalar || reg->is_half) && has_units(&strict->scalar_full, unit, count, lanes)) ||
           ((!facts->is_scalar || !reg->is_half) && has_units(&strict->scalar_half, unit, count, lanes));
}

static void check_read(struct adreno_wave *wave, const struct sp_uop *uop, const struct strict_facts *facts,
                       const struct strict_register *reg)
{
    const struct sp_strict *strict = wave->strict;
    const unsigned unit = strict_unit_of(reg), count = strict_units(reg);
    const struct lane_mask lanes = strict_lanes_of(wave, reg);
    if (has_units(&strict->sy, unit, count, lanes))
        report_register(wave, uop, reg, "read before (sy)");
    else if (has_units(&strict->ss, unit, count, lanes) || misses_scalar(wave, facts, reg))
        report_register(wave, uop, reg, "read before (ss)");
    for (unsigned i = 0; i < count && !sp_is_shared(reg->component); i++)
        check_delay(wave, uop, facts, reg, unit + i);
}

static void check_write(struct adreno_wave *wave, const struct sp_uop *uop, const struct strict_facts *facts,
                        const struct strict_register *reg)
{
    const struct sp_strict *strict = wave->strict;
    const unsigned unit = strict_unit_of(reg), count = strict_units(reg);
    const struct lane_mask lanes = strict_lanes_of(wave, reg);
    if (has_units(&strict->sy, unit, count, lanes))
        report_register(wave, uop, reg, "written before (sy), while an earlier result is on its way to it");
    else if (has_units(&strict->ss, unit, count, lanes) || misses_scalar(wave, facts, reg))
        report_register(wave, uop, reg, "written before (ss), while an earlier result is on its way to it");
    else if (has_units(&strict->read_ss, unit, count, lanes) ||
             (!facts->is_scalar && has_units(&strict->read_scalar, unit, count, lanes)))
        report_register(wave, uop, reg, "written before (ss), while it may still be read");
    else if (has_units(&strict->read_ss_or_sy, unit, count, lanes))
        report_register(wave, uop, reg, "written before (ss) or (sy), while it may still be read");
}

static void check_special(struct adreno_wave *wave, const struct sp_uop *uop, uint32_t reads)
{
    static const char *const names[] = {"a0.x", "a1.x", "p0.x", "p0.y", "p0.z", "p0.w"};
    const struct sp_strict *strict = wave->strict;
    for (unsigned i = 0; i < 6; i++) {
        if (reads >> i & 1 && strict->special[i] && strict->cycle < strict->special[i] + DELAY_OTHER)
            adreno_sp_fault(wave, uop, ADRENO_FAULT_STRICT, "%s is read %u slots before its delay has passed", names[i],
                            strict->special[i] + DELAY_OTHER - strict->cycle);
    }
}

static void check_constant(struct adreno_wave *wave, const struct sp_uop *uop, int32_t first, int32_t last)
{
    const struct sp_strict *strict = wave->strict;
    const bool misses_ss = first < strict->constants_ss.last && last > strict->constants_ss.first;
    const bool misses_sy = first < strict->constants_sy.last && last > strict->constants_sy.first;
    if (first < last && (misses_ss || misses_sy))
        adreno_sp_fault(wave, uop, ADRENO_FAULT_STRICT, "c%d.%c, which this program wrote, is read before %s",
                        first / 4, "xyzw"[first & 3], misses_ss ? "(ss)" : "(sy)");
}

static void check_constants(struct adreno_wave *wave, const struct sp_uop *uop, const struct strict_facts *facts)
{
    const uint32_t *address = adreno_wave_row(wave, ADRENO_ISA_REG_A0);
    for (unsigned i = 0; i < 4; i++) {
        const int32_t first = facts->constant_read[i], last = first + facts->constant_read_count[i];
        if (first == last)
            continue;
        if (!facts->is_constant_relative[i]) {
            check_constant(wave, uop, first, last);
            continue;
        }
        lane_mask_foreach(wave->active, lane)
        {
            check_constant(wave, uop, first + (int16_t)address[lane], last + (int16_t)address[lane]);
        }
    }
}

/* The program's outputs are there when it ends. */
static void check_outputs(struct adreno_wave *wave, const struct sp_uop *uop)
{
    const struct sp_strict *strict = wave->strict;
    const struct adreno_launch *launch = wave->launch;
    for (uint32_t i = 0; i < launch->output_count; i++) {
        const struct adreno_output *output = &launch->outputs[i];
        const struct strict_register reg = {.component = output->component, .is_half = output->is_half};
        const unsigned unit = strict_unit_of(&reg), count = strict_units(&reg);
        if (has_units(&strict->sy, unit, count, wave->active))
            report_register(wave, uop, &reg, "an output, and the program ends before (sy)");
        else if (has_units(&strict->ss, unit, count, wave->active))
            report_register(wave, uop, &reg, "an output, and the program ends before (ss)");
        if (!output->is_optional)
            adreno_sp_strict_check_output(wave, uop, &strict->defined, &reg);
    }
}

/* ---- what an instruction leaves ---- */

static void keep_constants(struct strict_constants *kept, int32_t first, int32_t last)
{
    const bool is_empty = kept->first == kept->last;
    kept->first = is_empty || first < kept->first ? first : kept->first;
    kept->last = is_empty || last > kept->last ? last : kept->last;
}

static void keep_sources(struct adreno_wave *wave, const struct strict_facts *facts)
{
    struct sp_strict *strict = wave->strict;
    if (facts->sources == STRICT_NOTHING)
        return;
    struct strict_set *set = facts->is_scalar              ? &strict->read_scalar
                             : facts->sources == STRICT_SS ? &strict->read_ss
                                                           : &strict->read_ss_or_sy;
    for (unsigned i = 0; i < facts->read_count; i++) {
        const struct strict_register *reg = &facts->reads[i];
        const unsigned unit = strict_unit_of(reg);
        put_unit(set, unit, strict_lanes_of(wave, reg));
        if (!reg->is_half)
            put_unit(set, unit + 1, strict_lanes_of(wave, reg));
    }
}

static void keep_results(struct adreno_wave *wave, const struct strict_facts *facts, uint32_t cycle)
{
    struct sp_strict *strict = wave->strict;
    for (unsigned i = 0; i < facts->write_count; i++) {
        const struct strict_register *reg = &facts->writes[i];
        const unsigned unit = strict_unit_of(reg), count = strict_units(reg);
        for (unsigned n = unit; n < unit + count; n++) {
            if (facts->is_scalar)
                put_unit(reg->is_half ? &strict->scalar_half : &strict->scalar_full, n, adreno_wave_all(wave));
            else if (facts->result == STRICT_SS)
                put_unit(&strict->ss, n, strict_lanes_of(wave, reg));
            else if (facts->result == STRICT_SY)
                put_unit(&strict->sy, n, strict_lanes_of(wave, reg));
            const bool has_delay = facts->is_alu && facts->result == STRICT_NOTHING;
            strict->alu[n] =
                (struct alu_result){has_delay ? cycle + reg->cycle : 0, reg->is_half, strict_lanes_of(wave, reg)};
        }
    }
    for (unsigned i = 0; i < 6; i++) {
        if (facts->writes_special >> i & 1)
            strict->special[i] = facts->is_alu ? cycle : 0;
    }
    if (facts->constant_write_count)
        keep_constants(facts->result == STRICT_SS ? &strict->constants_ss : &strict->constants_sy,
                       facts->constant_write, facts->constant_write + facts->constant_write_count);
}

static void wait_for(struct sp_strict *strict, bool is_ss, bool is_sy)
{
    if (is_ss) {
        clear_set(&strict->ss);
        clear_set(&strict->read_ss);
        clear_set(&strict->read_scalar);
        clear_set(&strict->scalar_full);
        clear_set(&strict->scalar_half);
        strict->constants_ss = (struct strict_constants){0};
    }
    if (is_sy) {
        clear_set(&strict->sy);
        strict->constants_sy = (struct strict_constants){0};
    }
    if (is_ss || is_sy)
        clear_set(&strict->read_ss_or_sy);
}

void adreno_sp_strict_run(struct adreno_wave *wave, const struct sp_uop *uop)
{
    const struct adreno_isa_inst *inst = uop->inst;
    struct sp_strict *strict = wave->strict;
    struct strict_facts facts;
    adreno_sp_strict_facts(wave, inst, &facts);
    wait_for(strict, inst->field[ADRENO_ISA_FIELD_SS], inst->field[ADRENO_ISA_FIELD_SY]);
    if (lane_mask_any(wave->active)) {
        for (unsigned i = 0; i < facts.read_count; i++)
            check_read(wave, uop, &facts, &facts.reads[i]);
        for (unsigned i = 0; i < facts.write_count && !facts.completes; i++)
            check_write(wave, uop, &facts, &facts.writes[i]);
        check_special(wave, uop, facts.reads_special);
        check_constants(wave, uop, &facts);
        adreno_sp_strict_check_defined(wave, uop, &strict->defined, &facts);
        if (inst->op == ADRENO_ISA_OP_END)
            check_outputs(wave, uop);
        keep_sources(wave, &facts);
        keep_results(wave, &facts, strict->cycle + (facts.is_alu && !facts.is_scalar));
        adreno_sp_strict_keep_defined(wave, inst, &strict->defined, &facts);
    }
    strict->cycle += facts.slots;
}

void adreno_sp_strict_late(struct adreno_wave *wave, unsigned component, bool is_half)
{
    const struct strict_register reg = {.component = (uint8_t)component, .is_half = is_half};
    for (unsigned i = 0; i < strict_units(&reg); i++)
        put_unit(&wave->strict->sy, strict_unit_of(&reg) + i, adreno_wave_all(wave));
    adreno_sp_strict_input(wave, component, is_half);
}

void adreno_sp_strict_input(struct adreno_wave *wave, unsigned component, bool is_half)
{
    const struct strict_register reg = {.component = (uint8_t)component, .is_half = is_half};
    adreno_sp_strict_define(&wave->strict->defined, &reg, adreno_wave_all(wave));
}
