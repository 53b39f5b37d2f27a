/* LOAD, STORE and atomics: memory at addresses of each lane. */
#include "mali/model/sc/memory.h"

#include "mali/hw/chip.h"
#include "mali/model/engine.h"
#include "mali/model/gpu.h"
#include "mali/model/sc/code.h"
#include "mali/model/sc/core.h"
#include "mali/model/sc/jit_build.h"
#include "mali/model/tex/tex.h"

/* ---- addresses ---- */

static inline uint64_t lane_address(const uint32_t *low, unsigned lane, int64_t offset_B)
{
    return (low[lane] | (uint64_t)low[MALI_ROW_LANES + lane] << 32) + (uint64_t)offset_B;
}

/* Are the addresses of all lanes `step_B` apart, one after the other? Then the first one, else 0. */
static uint64_t regular_address(const uint32_t *low, int64_t offset_B, uint32_t step_B)
{
    const uint32_t first = low[0], high = low[MALI_ROW_LANES];
    uint32_t differ = 0;
    for (unsigned i = 0; i < MALI_ROW_LANES; i++)
        differ |= (low[i] ^ (first + i * step_B)) | (low[MALI_ROW_LANES + i] ^ high);
    const bool wraps = first + (uint64_t)MALI_ROW_LANES * step_B > UINT32_MAX;
    return differ || wraps ? 0 : (first | (uint64_t)high << 32) + (uint64_t)offset_B;
}

/* A few bytes, mostly words. */
static inline void copy_bytes(void *to, const void *from, uint32_t size_B)
{
    switch (size_B) {
    case 4:
        memcpy(to, from, 4);
        break;
    case 8:
        memcpy(to, from, 8);
        break;
    case 16:
        memcpy(to, from, 16);
        break;
    default:
        memcpy(to, from, size_B);
        break;
    }
}

bool mali_sc_read(struct mali_warp *warp, const struct sc_uop *uop, uint64_t va, void *data, uint32_t size_B)
{
    const void *host = gpu_space_pointer(warp->memory, va, size_B, GPU_PERM_READ);
    if (__builtin_expect(host != NULL, 1)) {
        copy_bytes(data, host, size_B);
        return true;
    }
    if (gpu_space_read(warp->memory, va, data, size_B) == size_B)
        return true;
    if (mali_tex_is_nowhere(va)) { /* outside of a buffer or an image */
        memset(data, 0, size_B);
        return true;
    }
    mali_sc_memory_fault(warp, uop, va, false);
    return false;
}

static bool write_bytes(struct mali_warp *warp, const struct sc_uop *uop, uint64_t va, const void *data,
                        uint32_t size_B)
{
    void *host = gpu_space_pointer(warp->memory, va, size_B, GPU_PERM_WRITE);
    if (__builtin_expect(host != NULL, 1)) {
        copy_bytes(host, data, size_B);
        return true;
    }
    if (gpu_space_write(warp->memory, va, data, size_B) == size_B || mali_tex_is_nowhere(va))
        return true;
    mali_sc_memory_fault(warp, uop, va, true);
    return false;
}

#define NEAR_B 16384 /* apart: more pages than that are not looked at for each instruction */

/* ---- loads ---- */

/* How the bytes of a load become registers. */
struct load {
    uint32_t size_B;
    uint32_t keep, shift; /* of loads smaller than a register: bits of it that stay, and where the value goes */
    uint32_t extend;      /* to so many bits, from those of the value; 0: none */
    bool is_signed, is_pair;
};

static struct load load_of(const struct mali_isa_inst *inst, uint32_t bits, unsigned lane)
{
    struct load load = {.size_B = bits / 8, .is_signed = !inst->field[MALI_ISA_FIELD_UNSIGNED]};
    if (bits == 8 && lane <= MALI_ISA_LANE8_B3) {
        load.shift = lane * 8;
        load.keep = ~(0xffu << load.shift);
    } else if (bits == 8 && lane <= MALI_ISA_LANE8_H1) {
        load.shift = (lane - MALI_ISA_LANE8_H0) * 16;
        load.keep = ~(0xffffu << load.shift);
        load.extend = 16;
    } else if (bits == 8) {
        load.extend = 32;
        load.is_pair = lane == MALI_ISA_LANE8_D0;
    } else if (bits == 16 && lane <= MALI_ISA_LANE16_H1) {
        load.shift = lane * 16;
        load.keep = ~(0xffffu << load.shift);
    } else if (bits == 16) {
        load.extend = 32;
        load.is_pair = lane == MALI_ISA_LANE16_D0;
    } else if (bits == 32) {
        load.is_pair = lane == MALI_ISA_LANE32_D0;
    }
    return load;
}

static unsigned load_lane(const struct mali_isa_inst *inst, uint32_t bits)
{
    switch (bits) {
    case 8:
        return inst->field[MALI_ISA_FIELD_LANE8];
    case 16:
        return inst->field[MALI_ISA_FIELD_LANE16];
    case 32:
        return inst->field[MALI_ISA_FIELD_LANE32];
    default:
        return 0;
    }
}

/* The registers of one lane, of the bytes in `words`, which are zero after them. */
void mali_sc_load_lane(const struct mali_isa_inst *inst, uint32_t bits, const uint32_t words[4], uint32_t *rows,
                       unsigned lane)
{
    const struct load load = load_of(inst, bits, load_lane(inst, bits));
    uint32_t first = words[0];
    if (load.extend && load.is_signed)
        first = (uint32_t)((int32_t)(first << (32 - bits)) >> (32 - bits));
    if (load.keep) {
        rows[lane] = (rows[lane] & load.keep) | (first << load.shift & ~load.keep);
        return;
    }
    rows[lane] = first;
    for (unsigned i = 1; i < (load.size_B + 3) / 4; i++)
        rows[i * MALI_ROW_LANES + lane] = words[i];
    if (load.is_pair)
        rows[MALI_ROW_LANES + lane] = load.is_signed ? 0u - (first >> 31) : 0;
}

/* Between rows of lanes and lanes one after the other, each with its words: compilers know the number of words. */
#define TRANSPOSE(name, count, take, give)                                                                             \
    static void name(uint32_t *restrict give, const uint32_t *restrict take)                                           \
    {                                                                                                                  \
        for (unsigned i = 0; i < MALI_ROW_LANES; i++) {                                                                \
            for (unsigned n = 0; n < (count); n++)                                                                     \
                WORD_OF_##give(n, i, count) = WORD_OF_##take(n, i, count);                                             \
        }                                                                                                              \
    }
#define WORD_OF_rows(n, i, count) rows[(n)*MALI_ROW_LANES + (i)]
#define WORD_OF_lanes(n, i, count) lanes[(i) * (count) + (n)]
TRANSPOSE(lanes_to_rows_2, 2, lanes, rows)
TRANSPOSE(lanes_to_rows_3, 3, lanes, rows)
TRANSPOSE(lanes_to_rows_4, 4, lanes, rows)
TRANSPOSE(rows_to_lanes_2, 2, rows, lanes)
TRANSPOSE(rows_to_lanes_3, 3, rows, lanes)
TRANSPOSE(rows_to_lanes_4, 4, rows, lanes)

typedef void (*transpose_fn)(uint32_t *restrict give, const uint32_t *restrict take);
static const transpose_fn lanes_to_rows[] = {lanes_to_rows_2, lanes_to_rows_3, lanes_to_rows_4};
static const transpose_fn rows_to_lanes[] = {rows_to_lanes_2, rows_to_lanes_3, rows_to_lanes_4};

/* Words of consecutive lanes that lie one after the other, all of them active. */
static bool load_regular(struct mali_warp *warp, const struct sc_uop *uop, uint32_t *rows)
{
    const uint32_t count = uop->imm2 / 32, size_B = count * 4;
    const uint64_t va = regular_address(sc_at(warp, uop->s[0]), (int32_t)uop->inst->number[0], size_B);
    const uint32_t *from = va ? gpu_space_pointer(warp->memory, va, size_B * MALI_ROW_LANES, GPU_PERM_READ) : NULL;
    if (!from || (uintptr_t)from % 4)
        return false;
    if (count == 1) {
        memcpy(rows, from, MALI_ROW_LANES * 4);
        return true;
    }
    lanes_to_rows[count - 2](rows, from);
    return true;
}

static uint8_t *host_in(const struct exec_site *site, uint64_t va, uint64_t span_B)
{
    const struct exec_window *window = &site->window;
    const uint32_t from_B = (uint32_t)va - window->base_low;
    return (uint32_t)(va >> 32) == window->base_high && from_B + span_B <= window->limit
               ? (uint8_t *)(uintptr_t)window->host + from_B
               : NULL;
}

/* Of more pages than are looked at for each instruction: windows that were found before. */
static uint8_t *find_far(struct mali_warp *warp, uint64_t va, uint64_t span_B, unsigned need)
{
    struct sc_fars *fars = &warp->core->fars;
    const uint32_t changes = gpu_space_changes(warp->memory, va);
    if (fars->pause) {
        fars->pause--;
        return NULL;
    }
    for (unsigned i = 0; i < SC_FARS; i++) {
        const struct exec_site *site = &fars->sites[i];
        uint8_t *host =
            site->is_known && site->need == need && site->changes == changes ? host_in(site, va, span_B) : NULL;
        if (host)
            return host;
    }
    struct exec_site *site = &fars->sites[fars->next++ % SC_FARS];
    exec_site_init(site, 0, 1);
    site->need = (uint8_t)need;
    exec_site_find(site, warp->memory, va);
    uint8_t *host = host_in(site, va, span_B);
    fars->pause = host ? 0 : SC_FAR_PAUSE;
    return host;
}

/* The host's memory of all that active lanes access, where all of it is mapped. */
static uint8_t *find_near(struct mali_warp *warp, const uint32_t *low, int64_t offset_B, uint32_t size_B, unsigned need,
                          uint32_t *base_out)
{
    uint32_t least = UINT32_MAX, most = 0, other = 0;
    const uint32_t high = low[MALI_ROW_LANES + (unsigned)__builtin_ctzll(warp->active)];
    for (unsigned i = 0; i < MALI_ROW_LANES; i++) {
        const uint32_t on = warp->is_full ? UINT32_MAX : warp->active_lanes[i];
        const uint32_t down = low[i] | ~on, up = low[i] & on;
        least = down < least ? down : least;
        most = up > most ? up : most;
        other |= (low[MALI_ROW_LANES + i] ^ high) & on;
    }
    *base_out = least;
    const uint64_t va = (least | (uint64_t)high << 32) + (uint64_t)offset_B;
    const uint32_t span_B = most - least + size_B;
    if (other || most - least > NEAR_B)
        return other ? NULL : find_far(warp, va, (uint64_t)(most - least) + size_B, need);
    return span_B <= GPU_PAGE_SIZE_B ? gpu_space_pointer(warp->memory, va, span_B, need)
                                     : gpu_space_whole(warp->memory, va, span_B, need);
}

/* A word of each lane of a warp, which often is the same for all of them, or lies beside its neighbour's. */
static void load_warp(uint32_t *row, const uint8_t *from, const uint32_t *low)
{
    uint32_t is_other = 0, is_apart = 0, word;
    for (unsigned i = 0; i < MALI_WARP_LANES; i++) {
        is_other |= low[i] ^ low[0];
        is_apart |= low[i] ^ (low[0] + 4 * i);
    }
    if (!is_other) {
        memcpy(&word, from + low[0], 4);
        for (unsigned i = 0; i < MALI_WARP_LANES; i++)
            row[i] = word;
    } else if (!is_apart) {
        memcpy(row, from + low[0], 4 * MALI_WARP_LANES);
    } else {
        for (unsigned i = 0; i < MALI_WARP_LANES; i++)
            memcpy(&row[i], from + low[i], 4);
    }
}

/* Words of lanes that are near each other: local storage, mostly. */
static bool load_near(struct mali_warp *warp, const struct sc_uop *uop, uint32_t *rows)
{
    uint32_t base, kept[2 * MALI_ROW_LANES];
    const uint32_t *low = sc_at(warp, uop->s[0]);
    const uint32_t count = uop->imm2 / 32;
    if (low < rows + count * MALI_ROW_LANES && rows < low + 2 * MALI_ROW_LANES) /* they are those of the result */
        low = memcpy(kept, low, sizeof(kept));
    const uint8_t *from = find_near(warp, low, (int32_t)uop->inst->number[0], uop->imm2 / 8, GPU_PERM_READ, &base);
    if (!from)
        return false;
    for (uint32_t n = 0; n < count; n++) {
        uint32_t *row = rows + n * MALI_ROW_LANES;
        if (warp->is_full) {
            uint32_t near[MALI_ROW_LANES];
            for (unsigned i = 0; i < MALI_ROW_LANES; i++)
                near[i] = low[i] - base + n * 4;
            for (unsigned i = 0; i < MALI_ROW_LANES; i += MALI_WARP_LANES)
                load_warp(row + i, from, near + i);
        } else {
            sc_foreach_lane(warp->active, i) memcpy(&row[i], from + (low[i] - base) + n * 4, 4);
        }
    }
    return true;
}

/* s[0]: addresses; d: registers; imm2: bits of a lane. */
void mali_sc_run_load(struct mali_warp *warp, const struct sc_uop *uop)
{
    uint32_t *rows = sc_at(warp, uop->d);
    const bool is_plain = uop->imm2 % 32 == 0 && !(uop->imm2 == 32 && uop->inst->field[MALI_ISA_FIELD_LANE32]);
    const uint32_t *low = sc_at(warp, uop->s[0]), size_B = uop->imm2 / 8;
    const int64_t offset_B = (int32_t)uop->inst->number[0];
    if (__builtin_expect(uop->target != NULL, 0))
        mali_sc_jit_look(warp, uop);
    if (is_plain && ((warp->is_full && load_regular(warp, uop, rows)) || load_near(warp, uop, rows)))
        return;
    uint64_t addresses[MALI_ROW_LANES]; /* registers of the address may be those of the result */
    for (unsigned i = 0; i < MALI_ROW_LANES; i++)
        addresses[i] = lane_address(low, i, offset_B);
    sc_foreach_lane(warp->active, i)
    {
        uint32_t words[4] = {0};
        if (!mali_sc_read(warp, uop, addresses[i], words, size_B))
            return;
        mali_sc_load_lane(uop->inst, uop->imm2, words, rows, i);
    }
}

/* ---- stores ---- */

static bool store_regular(struct mali_warp *warp, const struct sc_uop *uop, const uint32_t *rows)
{
    const uint32_t count = uop->imm2 / 32, size_B = count * 4;
    const uint64_t va = regular_address(sc_at(warp, uop->s[0]), (int32_t)uop->inst->number[0], size_B);
    uint32_t *to = va ? gpu_space_pointer(warp->memory, va, size_B * MALI_ROW_LANES, GPU_PERM_WRITE) : NULL;
    if (!to || (uintptr_t)to % 4)
        return false;
    if (count == 1) {
        memcpy(to, rows, MALI_ROW_LANES * 4);
        return true;
    }
    rows_to_lanes[count - 2](to, rows);
    return true;
}

/* Stores of neighbouring words, as of loads. */
static bool store_near(struct mali_warp *warp, const struct sc_uop *uop, const uint32_t *rows, uint64_t lanes)
{
    uint32_t base;
    const uint32_t *low = sc_at(warp, uop->s[0]), count = uop->imm2 / 32;
    uint8_t *to = find_near(warp, low, (int32_t)uop->inst->number[0], uop->imm2 / 8, GPU_PERM_WRITE, &base);
    if (!to)
        return false;
    sc_foreach_lane(lanes, i)
    {
        for (uint32_t n = 0; n < count; n++)
            memcpy(to + (low[i] - base) + n * 4, &rows[n * MALI_ROW_LANES + i], 4);
    }
    return true;
}

/* s[0]: addresses; s[1]: registers; imm: also of discarded lanes; imm2: bits of a lane. */
void mali_sc_run_store(struct mali_warp *warp, const struct sc_uop *uop)
{
    const uint32_t *rows = sc_at(warp, uop->s[1]), *low = sc_at(warp, uop->s[0]), size_B = uop->imm2 / 8;
    const uint64_t lanes = uop->imm ? warp->active : sc_writers(warp);
    const int64_t offset_B = (int32_t)uop->inst->number[0];
    const bool is_words = uop->imm2 % 32 == 0;
    if (__builtin_expect(uop->target != NULL, 0))
        mali_sc_jit_look(warp, uop);
    if (is_words && ((lanes == UINT64_MAX && store_regular(warp, uop, rows)) || store_near(warp, uop, rows, lanes)))
        return;
    sc_foreach_lane(lanes, i)
    {
        uint32_t words[4];
        for (unsigned n = 0; n < (size_B + 3) / 4; n++)
            words[n] = rows[n * MALI_ROW_LANES + i];
        if (!write_bytes(warp, uop, lane_address(low, i, offset_B), words, size_B))
            return;
    }
}

/* ---- atomics ---- */

#define ATOMIC(bits)                                                                                                   \
    static uint##bits##_t atomic##bits(uint##bits##_t *at, unsigned op, uint##bits##_t data)                           \
    {                                                                                                                  \
        if (op == MALI_ISA_ATOMIC_AXCHG)                                                                               \
            return __atomic_exchange_n(at, data, __ATOMIC_SEQ_CST);                                                    \
        uint##bits##_t old = __atomic_load_n(at, __ATOMIC_RELAXED), next;                                              \
        do {                                                                                                           \
            switch (op) {                                                                                              \
            case MALI_ISA_ATOMIC_AADD:                                                                                 \
                next = old + data;                                                                                     \
                break;                                                                                                 \
            case MALI_ISA_ATOMIC_ASMIN:                                                                                \
                next = (int##bits##_t)old < (int##bits##_t)data ? old : data;                                          \
                break;                                                                                                 \
            case MALI_ISA_ATOMIC_ASMAX:                                                                                \
                next = (int##bits##_t)old > (int##bits##_t)data ? old : data;                                          \
                break;                                                                                                 \
            case MALI_ISA_ATOMIC_AUMIN:                                                                                \
                next = old < data ? old : data;                                                                        \
                break;                                                                                                 \
            case MALI_ISA_ATOMIC_AUMAX:                                                                                \
                next = old > data ? old : data;                                                                        \
                break;                                                                                                 \
            case MALI_ISA_ATOMIC_AAND:                                                                                 \
                next = old & data;                                                                                     \
                break;                                                                                                 \
            case MALI_ISA_ATOMIC_AOR:                                                                                  \
                next = old | data;                                                                                     \
                break;                                                                                                 \
            case MALI_ISA_ATOMIC_AXOR:                                                                                 \
                next = old ^ data;                                                                                     \
                break;                                                                                                 \
            default:                                                                                                   \
                next = data;                                                                                           \
                break;                                                                                                 \
            }                                                                                                          \
        } while (!__atomic_compare_exchange_n(at, &old, next, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));             \
        return old;                                                                                                    \
    }                                                                                                                  \
    static uint##bits##_t exchange##bits(uint##bits##_t *at, uint##bits##_t data, uint##bits##_t compare)              \
    {                                                                                                                  \
        __atomic_compare_exchange_n(at, &compare, data, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                    \
        return compare;                                                                                                \
    }
ATOMIC(32)
ATOMIC(64)
#undef ATOMIC

/* The operations with 1, as the others. */
static unsigned with_one(unsigned op, uint64_t *data_out)
{
    static const uint8_t ops[] = {[MALI_ISA_ATOMIC1_AINC] = MALI_ISA_ATOMIC_AADD,
                                  [MALI_ISA_ATOMIC1_ADEC] = MALI_ISA_ATOMIC_AADD,
                                  [MALI_ISA_ATOMIC1_AUMAX1] = MALI_ISA_ATOMIC_AUMAX,
                                  [MALI_ISA_ATOMIC1_ASMAX1] = MALI_ISA_ATOMIC_ASMAX,
                                  [MALI_ISA_ATOMIC1_AOR1] = MALI_ISA_ATOMIC_AOR};
    *data_out = op == MALI_ISA_ATOMIC1_ADEC ? UINT64_MAX : 1;
    return ops[op];
}

/* Lanes that follow each other and add to the same word, as to a counter: one after the other, and nobody else in
 * between. `one`: what each adds; 0: its data. Which lanes they are. */
static uint64_t add_together(struct mali_warp *warp, const struct sc_uop *uop, uint64_t lanes, uint32_t one,
                             uint32_t *at)
{
    const uint32_t *low = sc_at(warp, uop->s[0]), *rows = sc_at(warp, uop->s[1]);
    const unsigned first = (unsigned)__builtin_ctzll(lanes);
    uint32_t *result = sc_at(warp, uop->d), before[MALI_ROW_LANES], sum = 0;
    uint64_t taken = 0;
    for (uint64_t left = lanes; left; left &= left - 1) {
        const unsigned i = (unsigned)__builtin_ctzll(left);
        if (low[i] != low[first] || low[MALI_ROW_LANES + i] != low[MALI_ROW_LANES + first])
            break;
        taken |= 1ull << i;
        before[i] = sum;
        sum += one ? one : rows[i];
    }
    const uint32_t old = __atomic_fetch_add(at, sum, __ATOMIC_SEQ_CST);
    sc_foreach_lane(uop->imm & 1 ? taken : 0, i)
    {
        result[i] = old + before[i];
    }
    return taken;
}

/* s[0]: addresses; s[1]: data, and after it what is compared with; d: results where imm & 1; imm2: bits. imm & 2: with
 * 1; imm & 4: compare. */
static void run_atomic(struct mali_warp *warp, const struct sc_uop *uop)
{
    const uint32_t *low = sc_at(warp, uop->s[0]), *rows = sc_at(warp, uop->s[1]), words = uop->imm2 / 32;
    uint32_t *result = sc_at(warp, uop->d);
    const uint8_t *field = uop->inst->field;
    uint64_t one = 0;
    const unsigned op = uop->imm & 2 ? with_one(field[MALI_ISA_FIELD_ATOMIC1], &one) : field[MALI_ISA_FIELD_ATOMIC];
    const bool is_sum = op == MALI_ISA_ATOMIC_AADD && words == 1 && !(uop->imm & 4);
    for (uint64_t left = sc_writers(warp), done; left; left &= ~done) {
        const unsigned i = (unsigned)__builtin_ctzll(left);
        const uint64_t va = lane_address(low, i, uop->inst->number[0]);
        void *at = gpu_space_pointer(warp->memory, va, uop->imm2 / 8, GPU_PERM_READ | GPU_PERM_WRITE);
        done = 1ull << i;
        if (mali_tex_is_nowhere(va)) {
            for (unsigned n = 0; n < words && uop->imm & 1; n++)
                result[n * MALI_ROW_LANES + i] = 0;
            continue;
        }
        if (!at || va % (uop->imm2 / 8)) {
            mali_sc_memory_fault(warp, uop, va, true);
            return;
        }
        if (is_sum) {
            done = add_together(warp, uop, left, (uint32_t)one, at);
            continue;
        }
        uint64_t data = one, compare = 0, old;
        for (unsigned n = 0; n < words && !(uop->imm & 2); n++) {
            data |= (uint64_t)rows[n * MALI_ROW_LANES + i] << 32 * n;
            compare |= (uint64_t)rows[(words + n) * MALI_ROW_LANES + i] << 32 * n;
        }
        if (uop->imm & 4)
            old = words == 2 ? exchange64(at, data, compare) : exchange32(at, (uint32_t)data, (uint32_t)compare);
        else
            old = words == 2 ? atomic64(at, op, data) : atomic32(at, op, (uint32_t)data);
        for (unsigned n = 0; n < words && uop->imm & 1; n++)
            result[n * MALI_ROW_LANES + i] = (uint32_t)(old >> 32 * n);
    }
}

/* ---- the clock ---- */

static void run_clock(struct mali_warp *warp, const struct sc_uop *uop)
{
    const bool is_system = uop->inst->field[MALI_ISA_FIELD_CLOCK] == MALI_ISA_CLOCK_SYSTEM_TIMESTAMP;
    const uint64_t value = is_system ? mali_timestamp() : mali_ticks(warp->launch->queue->gpu->chip->max_freq_Hz);
    uint32_t *rows = sc_at(warp, uop->d);
    sc_foreach_lane(warp->active, i)
    {
        rows[i] = (uint32_t)value;
        rows[MALI_ROW_LANES + i] = (uint32_t)(value >> 32);
    }
}

/* ---- translation ---- */

uint32_t mali_sc_access_bits(unsigned op)
{
    const char *dot = strrchr(mali_isa_name(op), 'i');
    return dot ? (uint32_t)strtoul(dot + 1, NULL, 10) : 0;
}

static bool translate_atomic(struct sc_builder *builder)
{
    const struct mali_isa_inst *inst = builder->inst;
    const bool is_one = inst->op == MALI_ISA_OP_ATOM1_RETURN_I32 || inst->op == MALI_ISA_OP_ATOM1_RETURN_I64;
    const bool has_data_apart = mali_isa_staging_count(inst->op) == 2;
    const bool has_result = is_one ? inst->staging[0].count != 0 : has_data_apart;
    const sc_place s0 = mali_sc_source(builder, 0);
    struct sc_uop *uop = mali_sc_build(builder, run_atomic);
    uop->s[0] = s0;
    uop->s[1] = mali_sc_register_place(inst->staging[has_data_apart].reg);
    uop->d = mali_sc_register_place(inst->staging[0].reg);
    uop->imm = (uint32_t)has_result | (uint32_t)is_one << 1 | (uint32_t)inst->field[MALI_ISA_FIELD_COMPARE] << 2;
    uop->imm2 = mali_sc_access_bits(inst->op);
    return true;
}

bool mali_sc_translate_memory(struct sc_builder *builder)
{
    const struct mali_isa_inst *inst = builder->inst;
    if (inst->op >= MALI_ISA_OP_ATOM1_RETURN_I32 && inst->op <= MALI_ISA_OP_ATOM_RETURN_I64)
        return translate_atomic(builder);
    if (inst->op == MALI_ISA_OP_LD_GCLK_U64) {
        mali_sc_build(builder, run_clock)->d = mali_sc_register_place(inst->staging[0].reg);
        return true;
    }
    const bool is_load = inst->op >= MALI_ISA_OP_LOAD_I8 && inst->op <= MALI_ISA_OP_LOAD_I128;
    const bool is_store = inst->op >= MALI_ISA_OP_STORE_I8 && inst->op <= MALI_ISA_OP_STORE_I128;
    if (!is_load && !is_store)
        return false;
    const sc_place s0 = mali_sc_source(builder, 0), data = mali_sc_register_place(inst->staging[0].reg);
    struct sc_uop *uop = mali_sc_build(builder, is_load ? mali_sc_run_load : mali_sc_run_store);
    uop->s[0] = s0;
    uop->s[1] = uop->d = data;
    uop->imm = inst->field[MALI_ISA_FIELD_ACCESS] == MALI_ISA_ACCESS_FORCE;
    uop->imm2 = mali_sc_access_bits(inst->op);
    return true;
}
