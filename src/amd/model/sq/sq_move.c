/* See sq_move.h: what a wave does. */
#include "amd/model/sq/sq_move.h"

#include "amd/model/sq/sq_move_lanes.h"

/* The lines that a load has found. */
struct loaded {
    const uint8_t *host; /* of offset 0 */
    const struct pattern *pattern;
    uint32_t xor ;
    uint8_t dwords;
};

struct state {
    struct sq_wave *wave;
    struct sq_move *move;
    struct pattern patterns[SQ_MOVE_PATTERNS];
    uint32_t words[SQ_MOVE_WORDS];
    struct loaded loads[SQ_MOVE_LOADS];
    uint64_t read_va, read_end_va; /* of all loads so far */
    struct {
        const struct pattern *from, *to; /* that `has_lines` is about */
        bool has_lines;
    } pair;
    struct sq_move_pair pairs[SQ_MOVE_LOADS]; /* that are still to be moved by lines */
    uint32_t pair_count;
    uint64_t written_va, written_end_va; /* of these */
    uint64_t read_B;                     /* of all loads so far */
    struct {
        uint8_t *to;
        const uint8_t *from;
        size_t size_B;
    } row;                        /* that is still to be copied: the next one may follow it on both sides */
    uint32_t gathered;            /* sources that are in `data` */
    uint32_t looked, same;        /* sources that were looked at; those of which all lanes hold the same */
    const struct pattern *filled; /* that `has_fill` is about */
    bool has_fill;
    uint8_t *fills[SQ_MOVE_LOADS]; /* stores of `fill_data` to all lines that are still to be done */
    uint32_t fill_count;
    const uint32_t *fill_data;
    uint32_t data[SQ_MOVE_SOURCES][4 * LANES_MAX]; /* lane by lane */
};

static inline const struct pattern *pattern_of(struct state *s, unsigned index)
{
    struct pattern *p = &s->patterns[index];
    if (__builtin_expect(!p->is_known, 0))
        find_pattern(p, sq_at(s->wave, s->move->patterns[index]), s->wave->lanes);
    return p;
}

/* ---- memory ---- */

/* The upper half of addresses that registers hold as a whole. False: not the same for all lanes. */
static __attribute__((noinline)) bool find_upper(const struct sq_wave *wave, const struct pattern *p, uint64_t *va)
{
    const uint32_t *upper = p->offset + wave->lanes;
    uint32_t different = 0;
    for (unsigned i = 1; i < wave->lanes; i++)
        different |= upper[i] ^ upper[0];
    *va += (uint64_t)upper[0] << 32;
    return !different;
}

struct access {
    uint8_t *host;       /* of offset 0: a number until a lane's is added */
    uint64_t va, end_va; /* all lanes lie in between */
};

/* False: not all of it may be accessed. */
static inline __attribute__((always_inline)) bool find_access(struct state *s, const struct sq_move_step *step,
                                                              struct sq_move_pages *pages, unsigned need,
                                                              struct access *out)
{
    const struct pattern *p = pattern_of(s, step->pattern);
    const uint32_t xor = s->words[step->word], low = xor? p->same ^ (xor&~p->different) : p->low,
                   high = xor? low | p->different : p->high;
    uint64_t base_va = (uint64_t)(int64_t)step->offset_B;
    if (step->base)
        base_va += sq_read64(sq_at(s->wave, step->base));
    else if (!find_upper(s->wave, p, &base_va))
        return false;
    out->va = base_va + low;
    out->end_va = base_va + high + step->dwords * 4u;
    if (!amd_sq_move_pages_have(pages, s->wave->memory, out->va, out->end_va, need))
        return false;
    out->host = (uint8_t *)(amd_sq_move_pages_host(pages) + (uintptr_t)base_va);
    return true;
}

/* ---- moving ---- */

/* Memory that the next wave may want: where this one leaves no gaps, it is behind. It need not be there. */
static const uint8_t *find_next(const struct state *s)
{
    const struct sq_move_pages *pages = &s->move->read;
    if (s->read_B != s->read_end_va - s->read_va)
        return NULL;
    return (const uint8_t *)(amd_sq_move_pages_host(pages) + (uintptr_t)s->read_end_va);
}

static void flush_pairs(struct state *s)
{
    if (!s->pair_count)
        return;
    amd_sq_move_lines(&s->move->lines, s->pairs, s->pair_count, find_next(s), s->wave->lanes);
    s->pair_count = 0;
    s->written_va = UINT64_MAX;
    s->written_end_va = 0;
}

static void flush_row(struct state *s)
{
    if (!s->row.size_B)
        return;
    memcpy(s->row.to, s->row.from, s->row.size_B);
    s->row.size_B = 0;
}

static void flush_fills(struct state *s)
{
    for (uint32_t i = 0; i < s->fill_count; i++)
        amd_sq_move_fill(&s->move->fill, s->fills[i], 0, s->fill_data, s->wave->lanes);
    s->fill_count = 0;
}

/* There are pairs, a row or fills, but one of them: of two stores to the same bytes the later one's stay. */
static void flush_stores(struct state *s)
{
    flush_pairs(s);
    flush_row(s);
    flush_fills(s);
}

/* Nothing of the wave follows. */
static void finish_move(struct state *s)
{
    flush_pairs(s);
    flush_row(s);
    if (s->fill_count)
        amd_sq_moves_fill(amd_sq_code_moves(s->wave->code), &s->move->fill, s->fills, s->fill_count, s->fill_data,
                          s->wave->lanes);
}

static void add_fill(struct state *s, uint8_t *to, const uint32_t *data)
{
    flush_pairs(s);
    flush_row(s);
    if (s->fill_count == SQ_MOVE_LOADS || s->fill_data != data)
        flush_fills(s);
    s->fill_data = data;
    s->fills[s->fill_count++] = to;
}

static void copy_row(struct state *s, uint8_t *to, const uint8_t *from, size_t size_B)
{
    flush_pairs(s);
    if (s->row.size_B && s->row.to + s->row.size_B == to && s->row.from + s->row.size_B == from) {
        s->row.size_B += size_B;
        return;
    }
    flush_row(s);
    s->row.to = to;
    s->row.from = from;
    s->row.size_B = size_B;
}

static bool moves_by_lines(struct state *s, const struct loaded *from, const struct pattern *to, uint32_t xor)
{
    struct sq_move_lines *lines = &s->move->lines;
    if (s->pair.from != from->pattern || s->pair.to != to) {
        flush_pairs(s); /* found for others */
        s->pair.from = from->pattern;
        s->pair.to = to;
        s->pair.has_lines = amd_sq_move_lines_find(lines, amd_sq_code_moves(s->wave->code), from->pattern->offset,
                                                   to->offset, s->wave->lanes);
    }
    return s->pair.has_lines && amd_sq_move_lines_fit(lines, from->xor, xor);
}

static void add_pair(struct state *s, const struct loaded *from, const struct access *to, uint32_t xor)
{
    flush_row(s);
    if (s->pair_count == SQ_MOVE_LOADS)
        flush_pairs(s);
    s->pairs[s->pair_count++] = (struct sq_move_pair){to->host, from->host, xor, from->xor };
    s->written_va = to->va < s->written_va ? to->va : s->written_va;
    s->written_end_va = to->end_va > s->written_end_va ? to->end_va : s->written_end_va;
}

static void copy_loaded(struct state *s, const struct loaded *from, const struct access *access,
                        const struct pattern *pattern, uint32_t xor)
{
    uint8_t *to = access->host;
    const uint32_t size_B = from->dwords * 4u;
    const unsigned lanes = s->wave->lanes;
    flush_fills(s);
    if (is_row(from->pattern, from->xor, size_B) && is_row(pattern, xor, size_B)) {
        copy_row(s, to + row_start(pattern, xor), from->host + row_start(from->pattern, from->xor),
                 (size_t)size_B * lanes);
        return;
    }
    if (from->dwords == 4 && moves_by_lines(s, from, pattern, xor)) {
        add_pair(s, from, access, xor);
        return;
    }
    flush_stores(s);
    if (from->dwords == 4)
        move_16(to, pattern->offset, xor, from->host, from->pattern->offset, from->xor, lanes);
    else if (from->dwords == 2)
        move_8(to, pattern->offset, xor, from->host, from->pattern->offset, from->xor, lanes);
    else
        move_4(to, pattern->offset, xor, from->host, from->pattern->offset, from->xor, lanes);
}

/* Registers lane by lane; the same ones are often stored many times, as by fills, for which the first lane's are
 * enough. */
static const uint32_t *gather_lanes(struct state *s, unsigned source, bool is_fill)
{
    uint32_t *data = s->data[source];
    const uint32_t *rows = sq_at(s->wave, s->move->sources[source].rows), bit = 1u << source;
    const unsigned lanes = is_fill ? 1 : s->wave->lanes, dwords = s->move->sources[source].dwords;
    if (s->gathered & bit)
        return data;
    for (unsigned i = 0; i < lanes; i++) {
        for (unsigned n = 0; n < dwords; n++)
            data[i * dwords + n] = rows[n * s->wave->lanes + i];
    }
    s->gathered |= is_fill ? 0 : bit;
    return data;
}

static bool is_same(struct state *s, unsigned source)
{
    const uint32_t bit = 1u << source;
    if (!(s->looked & bit)) {
        s->looked |= bit;
        if (are_same(sq_at(s->wave, s->move->sources[source].rows), s->wave->lanes, s->move->sources[source].dwords))
            s->same |= bit;
    }
    return s->same & bit;
}

static bool fills_lines(struct state *s, const struct sq_move_step *step, const struct pattern *pattern, uint32_t xor)
{
    if (step->dwords != 4 || !is_same(s, step->source))
        return false;
    if (s->filled != pattern) {
        flush_fills(s); /* found for others */
        s->filled = pattern;
        s->has_fill = amd_sq_move_fill_find(&s->move->fill, pattern->offset, s->wave->lanes);
    }
    return s->has_fill && amd_sq_move_fill_fits(&s->move->fill, xor);
}

static void copy_source(struct state *s, const struct sq_move_step *step, uint8_t *to, const struct pattern *pattern,
                        uint32_t xor)
{
    const uint32_t size_B = step->dwords * 4u;
    const unsigned lanes = s->wave->lanes;
    const bool is_plain = is_row(pattern, xor, size_B);
    if (!is_plain && !xor&&fills_lines(s, step, pattern, 0)) {
        add_fill(s, to, gather_lanes(s, step->source, true));
        return;
    }
    const uint32_t *data = gather_lanes(s, step->source, false);
    flush_stores(s);
    if (is_plain)
        memcpy(to + row_start(pattern, xor), data, (size_t)size_B * lanes);
    else if (fills_lines(s, step, pattern, xor))
        amd_sq_move_fill(&s->move->fill, to, xor, data, lanes);
    else if (step->dwords == 4)
        spread_16(to, pattern->offset, xor, data, lanes);
    else if (step->dwords == 2)
        spread_8(to, pattern->offset, xor, data, lanes);
    else
        spread_4(to, pattern->offset, xor, data, lanes);
}

/* ---- steps ---- */

static bool load_step(struct state *s, const struct sq_move_step *step)
{
    struct access access;
    if (!find_access(s, step, &s->move->read, GPU_PERM_READ, &access))
        return false;
    flush_row(s); /* it may be read */
    flush_fills(s);
    if (access.va < s->written_end_va && s->written_va < access.end_va)
        flush_pairs(s);
    s->loads[step->load] =
        (struct loaded){access.host, &s->patterns[step->pattern], s->words[step->word], step->dwords};
    s->read_B += s->wave->lanes * step->dwords * 4u;
    s->read_va = access.va < s->read_va ? access.va : s->read_va;
    s->read_end_va = access.end_va > s->read_end_va ? access.end_va : s->read_end_va;
    return true;
}

static bool store_step(struct state *s, const struct sq_move_step *step)
{
    struct access access;
    if (!find_access(s, step, &s->move->written, GPU_PERM_WRITE, &access) ||
        (access.va < s->read_end_va && s->read_va < access.end_va))
        return false;
    const struct pattern *pattern = &s->patterns[step->pattern];
    const uint32_t xor = s->words[step->word];
    if (step->load == SQ_MOVE_NO_LOAD)
        copy_source(s, step, access.host, pattern, xor);
    else
        copy_loaded(s, &s->loads[step->load], &access, pattern, xor);
    return true;
}

/* After a store that filled lines: those that follow it with the same lanes and the same data, to other addresses in
 * the same pages. Returns the last one. */
static const struct sq_move_step *fill_on(struct state *s, const struct sq_move_step *step,
                                          const struct sq_move_step *end)
{
    const struct sq_move_step *const first = step;
    const struct pattern *pattern = &s->patterns[step->pattern];
    const struct sq_move_pages *pages = &s->move->written;
    const uint32_t *data = s->data[step->source], size_B = pattern->high - pattern->low + step->dwords * 4u;
    if (!step->base || step->word || step->load != SQ_MOVE_NO_LOAD || !fills_lines(s, step, pattern, 0))
        return step;
    while (step + 1 < end && step[1].kind == SQ_MOVE_STORE && step[1].load == SQ_MOVE_NO_LOAD &&
           step[1].pattern == first->pattern && step[1].source == first->source && step[1].base && !step[1].word) {
        const uint64_t base_va = sq_read64(sq_at(s->wave, step[1].base)) + (uint64_t)(int64_t)step[1].offset_B,
                       va = base_va + pattern->low, end_va = va + size_B;
        if (va < pages->va || end_va > pages->end_va || end_va < va || (va < s->read_end_va && s->read_va < end_va))
            break;
        add_fill(s, (uint8_t *)((uintptr_t)pages->host + (uintptr_t)(base_va - pages->va)), data);
        step++;
    }
    return step;
}

static bool run_steps(struct state *s)
{
    struct sq_wave *wave = s->wave;
    for (const struct sq_move_step *step = s->move->steps, *end = step + s->move->step_count; step < end; step++) {
        switch (step->kind) {
        case SQ_MOVE_SCALAR_LOAD:
            flush_stores(s);
            /* fall through */
        case SQ_MOVE_SCALAR:
            step->uop->run(wave, step->uop);
            if (wave->state != SQ_RUNNING) {
                flush_stores(s);
                return true; /* a fault, which is reported already */
            }
            break;
        case SQ_MOVE_XOR:
            s->words[step->word] = s->words[step->from] ^ *(const uint32_t *)sq_at(wave, step->first) ^
                                   *(const uint32_t *)sq_at(wave, step->second);
            break;
        case SQ_MOVE_LOAD:
            if (!load_step(s, step))
                return false;
            break;
        default:
            if (!store_step(s, step))
                return false;
            step = fill_on(s, step, end);
            break;
        }
    }
    finish_move(s);
    return true;
}

/* ---- copies ---- */

/* A range of addresses. */
struct range {
    uint64_t va, end_va;
};

/* The least and the most of the addresses that sides begin at. */
struct firsts {
    uint64_t least, most;
};

/* A side's lanes differ from its first address in bits that are 0 there. */
static inline uint64_t find_side(const struct sq_wave *wave, const struct sq_move_side *side,
                                 const struct sq_move_bits *bits, struct firsts *firsts, uint32_t *xor_out)
{
    uint32_t xor = 0;
    if (side->is_changed)
        xor = *(const uint32_t *)sq_at(wave, side->first) ^ *(const uint32_t *)sq_at(wave, side->second);
    const uint64_t base_va = sq_read64(sq_at(wave, side->base)) + (uint64_t)(int64_t)side->offset_B,
                   va = base_va + (bits->same ^ (xor&~bits->different));
    firsts->least = va < firsts->least ? va : firsts->least;
    firsts->most = va > firsts->most ? va : firsts->most;
    *xor_out = xor;
    return base_va;
}

static struct range range_of(const struct firsts *firsts, const struct sq_move_bits *bits)
{
    return (struct range){firsts->least, firsts->most + bits->different + 16};
}

/* All steps where they are copies by lines whose reads and writes are apart. False: only scalars have changed. */
static bool run_copies(struct state *s)
{
    struct sq_move *move = s->move;
    struct sq_move_lines *lines = &move->lines;
    struct sq_wave *wave = s->wave;
    struct sq_moves *moves = amd_sq_code_moves(wave->code);
    if (!amd_sq_move_lines_find(lines, moves, sq_at(wave, move->patterns[move->from_pattern]),
                                sq_at(wave, move->patterns[move->to_pattern]), wave->lanes))
        return false;
    for (uint32_t i = 0; i < move->scalar_count; i++) {
        move->steps[i].uop->run(wave, move->steps[i].uop);
        if (wave->state != SQ_RUNNING)
            return true; /* a fault, which is reported already */
    }
    struct sq_move_pair *const waiting = amd_sq_moves_room(moves, lines, wave->lanes),
                               *const pairs = waiting ? waiting : s->pairs;
    struct firsts froms = {UINT64_MAX, 0}, tos = {UINT64_MAX, 0};
    uint32_t from_xors = 0, to_xors = 0;
    for (uint32_t i = 0; i < move->copy_count; i++) {
        struct sq_move_pair *pair = &pairs[i];
        pair->from = (const uint8_t *)(uintptr_t)find_side(wave, &move->copies[i].from, &lines->from_bits, &froms,
                                                           &pair->from_xor);
        pair->to =
            (uint8_t *)(uintptr_t)find_side(wave, &move->copies[i].to, &lines->to_bits, &tos, &pair->to_xor);
        from_xors |= pair->from_xor;
        to_xors |= pair->to_xor;
    }
    const struct range read = range_of(&froms, &lines->from_bits), written = range_of(&tos, &lines->to_bits);
    if (!amd_sq_move_lines_fit(lines, from_xors, to_xors) ||
        (written.va < read.end_va && read.va < written.end_va) ||
        !amd_sq_move_pages_have(&move->read, wave->memory, read.va, read.end_va, GPU_PERM_READ) ||
        !amd_sq_move_pages_have(&move->written, wave->memory, written.va, written.end_va, GPU_PERM_WRITE))
        return false;
    const uintptr_t read_host = amd_sq_move_pages_host(&move->read), written_host = amd_sq_move_pages_host(&move->written);
    for (uint32_t i = 0; i < move->copy_count; i++) {
        pairs[i].from = (const uint8_t *)((uintptr_t)pairs[i].from + read_host);
        pairs[i].to = (uint8_t *)((uintptr_t)pairs[i].to + written_host);
    }
    s->read_va = read.va;
    s->read_end_va = read.end_va;
    s->read_B = (uint64_t)move->copy_count * wave->lanes * 16;
    s->pair_count = waiting ? 0 : move->copy_count;
    if (waiting)
        amd_sq_moves_add(moves, move->copy_count, find_next(s));
    flush_pairs(s);
    return true;
}

static void begin_move(struct state *s)
{
    s->words[0] = 0;
    s->read_va = s->written_va = UINT64_MAX;
    s->read_end_va = s->written_end_va = s->read_B = 0;
    s->gathered = s->looked = s->same = s->pair_count = 0;
    s->pair.from = s->filled = NULL;
    s->row.size_B = s->fill_count = 0;
    s->fill_data = NULL;
}

void amd_sq_uop_move(struct sq_wave *wave, const struct sq_uop *uop)
{
    struct state s;
    uint32_t sgpr[SQ_REGISTERS], scc = wave->scc;
    if (!wave->exec_full || gpu_space_has_aliases(wave->memory))
        return; /* the instructions themselves follow */
    s.wave = wave;
    s.move = (struct sq_move *)(uintptr_t)uop->target_va;
    for (uint32_t i = 0; i < s.move->pattern_count; i++)
        s.patterns[i].is_known = false;
    amd_sq_move_pages_check(&s.move->read, wave->memory);
    amd_sq_move_pages_check(&s.move->written, wave->memory);
    memcpy(sgpr, wave->sgpr, sizeof(sgpr));
    for (int way = s.move->copy_count ? 0 : 1; way < 2; way++) {
        begin_move(&s);
        if (way ? run_steps(&s) : run_copies(&s)) {
            wave->move = s.move;
            wave->next = s.move->end;
            return;
        }
        memcpy(wave->sgpr, sgpr, sizeof(sgpr));
        wave->scc = scc;
    }
}
