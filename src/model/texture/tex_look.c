/* Metadata and the fast path: an image whose memory is described piece by piece is looked at where footprints are, each
 * piece once for an instruction. A piece is a rectangle of texels that lie together in memory; a lane's texels are in
 * one, or in those of the corners of its footprint. Mostly all footprints of an instruction are in a few pieces, which
 * are plain: then no lane is looked at. Where much is sampled of an image that is not plain as a whole, what pieces
 * hold is kept by the piece's number, for footprints that are in many. */
#include "model/texture/tex_fast.h"

#include <stdlib.h>

#include "util/bits.h"

#define BOX_PIECES 12 /* more than lanes that are neighbours touch */

enum {
    LOOK_PLAIN = 0, /* and above: the number of an element that stands for all, from 1 on */
    LOOK_UNKNOWN = -1,
};

/* The number of the piece of a texel: an entry of x and one of y. */
static uint64_t piece_of(const struct tex_places *p, uint32_t at_x, uint32_t at_y, uint32_t at_z, unsigned log2)
{
    const struct tex_place y = p->y[at_y], z = p->z[at_z];
    return ((p->x[at_x] ^ y.xor_B ^ z.xor_B) + y.add_B + z.add_B) >> log2;
}

/* The number of an element, which most pieces of an image have in common. */
static int keep_element(struct tex_looked *looked, const uint8_t *element)
{
    for (unsigned n = 0; n < looked->count; n++) {
        if (!memcmp(looked->ones[n], element, TEX_ELEMENT_B))
            return (int)n + 1;
    }
    if (looked->count == TEX_ONES)
        return LOOK_UNKNOWN;
    memcpy(looked->ones[looked->count], element, TEX_ELEMENT_B);
    return (int)++looked->count;
}

/* The contents of a piece that are not known yet. */
static int ask_piece(struct tex_looked *looked, const struct tex_places *p, struct tex_query *q, uint32_t at_x,
                     uint32_t at_y, unsigned level, uint32_t slice)
{
    const uint32_t x = tex_places_texel((int32_t)(at_x - p->x_start[level]), (int32_t)q->image->level[level].width,
                                        p->wrap[0]),
                   y = tex_places_texel((int32_t)(at_y - p->y_start[level]), (int32_t)q->image->level[level].height,
                                        p->wrap[1]);
    uint8_t element[TEX_ELEMENT_B] = {0};
    const enum tex_piece kind = q->ops->look(q, level, x, y, slice, element);
    return kind == TEX_PIECE_PLAIN ? LOOK_PLAIN : kind == TEX_PIECE_ONE ? keep_element(looked, element) : LOOK_UNKNOWN;
}

static int look_at_piece(struct tex_looked *looked, const struct tex_places *p, struct tex_query *q, uint64_t piece,
                         uint32_t at_x, uint32_t at_y, unsigned level, uint32_t slice)
{
    if (looked->has_pieces) {
        uint8_t *one = &looked->pieces[piece];
        if (*one == TEX_PIECE_NOT_LOOKED) {
            const int asked = ask_piece(looked, p, q, at_x, at_y, level, slice);
            *one = asked == LOOK_UNKNOWN ? TEX_PIECE_NOT_KNOWN : (uint8_t)asked;
        }
        return *one == TEX_PIECE_NOT_KNOWN ? LOOK_UNKNOWN : *one;
    }
    const unsigned slot = (piece ^ piece >> 5) % TEX_LOOKED;
    if (__builtin_expect(looked->piece[slot] == piece + 1, 1))
        return looked->one[slot];
    const int one = ask_piece(looked, p, q, at_x, at_y, level, slice);
    if (one == LOOK_UNKNOWN)
        return one;
    looked->piece[slot] = piece + 1;
    looked->one[slot] = (uint8_t)one;
    return one;
}

uint8_t tex_look_at(struct tex_looked *looked, const struct tex_places *p, struct tex_query *q, uint32_t at_x,
                    uint32_t at_y, unsigned level, uint32_t slice)
{
    const uint64_t piece = piece_of(p, at_x, at_y, level * p->slices + slice, q->image->piece_log2);
    const int one = look_at_piece(looked, p, q, piece, at_x, at_y, level, slice);
    return one == LOOK_UNKNOWN ? TEX_PIECE_NOT_KNOWN : (uint8_t)one;
}

/* ---- all pieces ---- */

#define PIECES_A_TURN 8 /* looking at a piece is that much less than a turn */

static bool are_all_plain(const struct tex_places *p, struct tex_query *q, unsigned level, uint32_t slice)
{
    const uint32_t width = q->image->level[level].width, height = q->image->level[level].height;
    uint8_t element[TEX_ELEMENT_B];
    for (uint32_t y = 0; y < height; y += 1u << p->piece_h_log2[level]) {
        for (uint32_t x = 0; x < width; x += 1u << p->piece_w_log2[level]) {
            if (q->ops->look(q, level, x, y, slice, element) != TEX_PIECE_PLAIN)
                return false;
        }
    }
    return true;
}

static bool is_known_plain(const struct tex_looked *looked, unsigned level, uint32_t slice)
{
    return slice < 64 && looked->plain[level] >> slice & 1;
}

/* From now on each piece has a byte; as many more as a gather of words may read. */
static void begin_pieces(struct tex_looked *looked, const struct tex_places *p, const struct tex_query *q)
{
    const uint64_t count = (p->size_B >> q->image->piece_log2) + 1;
    if (looked->has_pieces)
        return;
    if (looked->piece_count < count) {
        free(looked->pieces);
        looked->pieces = malloc(align_u64(count, 4));
        looked->piece_count = looked->pieces ? count : 0;
    }
    looked->has_pieces = looked->pieces != NULL;
    if (looked->has_pieces)
        memset(looked->pieces, TEX_PIECE_NOT_LOOKED, align_u64(count, 4));
}

/* Whether memory has all texels of a slice as they are, so that nothing more is to be asked. */
static bool is_slice_plain(struct tex_looked *looked, const struct tex_places *p, struct tex_query *q, unsigned level,
                           uint32_t slice)
{
    const struct tex_image *image = q->image;
    const uint64_t pieces = (uint64_t)((image->level[level].width >> p->piece_w_log2[level]) + 1) *
                            ((image->level[level].height >> p->piece_h_log2[level]) + 1);
    if (slice >= 64 || !q->work)
        return false;
    if (!(looked->known[level] >> slice & 1)) {
        if ((uint64_t)++looked->turns[level] * PIECES_A_TURN < pieces && !tex_places_at_once)
            return false;
        looked->known[level] |= 1ull << slice;
        looked->plain[level] |= (uint64_t)are_all_plain(p, q, level, slice) << slice;
        if (!is_known_plain(looked, level, slice))
            begin_pieces(looked, p, q);
    }
    return looked->plain[level] >> slice & 1;
}

/* ---- all lanes ---- */

struct range {
    int32_t low, high; /* texels */
};

/* Entries of a table as texels. False: they are not one piece of the image. */
static bool clip(struct range *range, uint32_t size, unsigned wrap)
{
    if ((wrap == TEX_REPEAT || wrap == TEX_MIRROR) && (range->low < 0 || range->high >= (int32_t)size))
        return false;
    range->low = MIN2(MAX2(range->low, 0), (int32_t)size - 1);
    range->high = MAX2(MIN2(range->high, (int32_t)size - 1), 0);
    return true;
}

/* The range of active lanes' footprints along an axis. */
static struct range find_range(const struct tex_positions *at, const struct tex_query *q, uint32_t start, bool is_pair)
{
    const uint32_t *restrict active = q->exec_lanes;
    uint32_t low = UINT32_MAX, high = 0;
    for (unsigned i = 0; i < q->lanes; i++) {
        const uint32_t from = at->at[i] | ~active[i], until = at->at[i] & active[i];
        low = MIN2(low, from);
        high = MAX2(high, until);
    }
    return (struct range){(int32_t)(low - start), (int32_t)(high - start) + is_pair};
}

/* The pieces of a rectangle. */
struct box {
    struct range x, y;
    unsigned w, h; /* log2 of a piece's size */
    int32_t columns;
    int8_t piece[BOX_PIECES]; /* as `look` says */
    unsigned count;
    bool is_plain, is_unknown; /* all of them; one of them */
};

/* The rectangle x and y of it. False: it has too many pieces. */
static bool look_at_box(struct box *box, struct tex_looked *looked, const struct tex_places *p, struct tex_query *q,
                        unsigned level, uint32_t slice)
{
    const unsigned log2 = q->image->piece_log2, w = p->piece_w_log2[level], h = p->piece_h_log2[level];
    const uint32_t z = level * p->slices + slice, x_start = p->x_start[level], y_start = p->y_start[level];
    unsigned n = 0;
    if (!clip(&box->x, q->image->level[level].width, p->wrap[0]) ||
        !clip(&box->y, q->image->level[level].height, p->wrap[1]))
        return false;
    box->w = w;
    box->h = h;
    box->columns = (box->x.high >> w) - (box->x.low >> w) + 1;
    box->is_plain = true;
    box->is_unknown = false;
    if (box->columns * ((box->y.high >> h) - (box->y.low >> h) + 1) > BOX_PIECES)
        return false;
    for (int32_t row = box->y.low >> h; row <= box->y.high >> h; row++) {
        for (int32_t column = box->x.low >> w; column <= box->x.high >> w; column++) {
            const uint32_t at_x = x_start + ((uint32_t)column << w), at_y = y_start + ((uint32_t)row << h);
            const int one = look_at_piece(looked, p, q, piece_of(p, at_x, at_y, z, log2), at_x, at_y, level, slice);
            box->piece[n++] = (int8_t)one;
            box->is_plain &= one == LOOK_PLAIN;
            box->is_unknown |= one == LOOK_UNKNOWN;
        }
    }
    box->count = n;
    return true;
}

/* ---- each lane ---- */

/* The texel of a tap is this element. */
static void put_element(struct tex_footprint *f, unsigned tap, unsigned lane, const uint8_t *element,
                        unsigned element_B, bool is_words)
{
    uint32_t words[2] = {0, 0};
    if (!is_words) {
        f->element[tap][lane] = element;
        return;
    }
    memcpy(words, element, MIN2(element_B, sizeof(words)));
    f->word[0][tap][lane] = words[0];
    f->word[1][tap][lane] = words[1];
}

/* The piece of a texel; those beyond an edge are the edge's. */
static int32_t column_in(const struct box *box, int32_t x)
{
    return (MIN2(MAX2(x, box->x.low), box->x.high) >> box->w) - (box->x.low >> box->w);
}

static int32_t row_in(const struct box *box, int32_t y)
{
    return (MIN2(MAX2(y, box->y.low), box->y.high) >> box->h) - (box->y.low >> box->h);
}

/* Puts the box's colours in place of texels, lane by lane. */
static uint64_t put_each(const struct box *box, const struct tex_looked *looked, struct tex_footprint *f,
                         const struct tex_places *p, const struct tex_query *q, unsigned level, bool is_words)
{
    uint64_t unknown = 0;
    bits_foreach (q->exec, i) {
        for (unsigned tap = 0; tap < f->taps; tap++) {
            const int32_t x = (int32_t)(f->x.at[i] + (tap & 1) - p->x_start[level]),
                          y = (int32_t)(f->y.at[i] + (tap >> 1) - p->y_start[level]);
            const int one = box->piece[row_in(box, y) * box->columns + column_in(box, x)];
            if (one == LOOK_UNKNOWN)
                unknown |= 1ull << i;
            else if (one != LOOK_PLAIN)
                put_element(f, tap, (unsigned)i, looked->ones[one - 1], p->element_B, is_words);
        }
    }
    return unknown;
}

/* The words of a piece's element, and all ones where it has one. */
struct stand_in {
    uint32_t word[2][BOX_PIECES], is_one[BOX_PIECES];
};

static void fill_stand_in(struct stand_in *to, const struct box *box, const struct tex_looked *looked,
                          unsigned element_B)
{
    memset(to, 0, sizeof(*to));
    for (unsigned n = 0; n < BOX_PIECES; n++) {
        uint32_t words[2] = {0, 0};
        if (n >= box->count || box->piece[n] == LOOK_PLAIN)
            continue;
        memcpy(words, looked->ones[box->piece[n] - 1], MIN2(element_B, sizeof(words)));
        to->word[0][n] = words[0];
        to->word[1][n] = words[1];
        to->is_one[n] = UINT32_MAX;
    }
}

static void choose_words(uint32_t *restrict words, const uint32_t *restrict active, const uint32_t *restrict row,
                         const uint32_t *restrict column, const uint32_t *by_piece, const uint32_t *is_one,
                         unsigned lanes)
{
    for (unsigned i = 0; i < lanes; i++) {
        const uint32_t piece = row[i] + column[i], is_put = is_one[piece] & active[i];
        words[i] = (words[i] & ~is_put) | (by_piece[piece] & is_put);
    }
}

/* Puts words where all pieces are known: rows and columns of pieces are found once for both taps of an axis, of
 * inactive lanes, too, and each word is chosen by its piece. */
static void put_words(const struct box *box, const struct tex_looked *looked, struct tex_footprint *f,
                      const struct tex_places *p, const struct tex_query *q, unsigned level)
{
    uint32_t row[2][LANES_MAX], column[2][LANES_MAX];
    struct stand_in by_piece;
    const unsigned words = p->element_B > 4 ? 2 : 1;
    fill_stand_in(&by_piece, box, looked, p->element_B);
    for (unsigned tap = 0; tap < (f->taps > 1 ? 2 : 1); tap++) {
        for (unsigned i = 0; i < q->lanes; i++) {
            column[tap][i] = (uint32_t)column_in(box, (int32_t)(f->x.at[i] + tap - p->x_start[level]));
            row[tap][i] = (uint32_t)(row_in(box, (int32_t)(f->y.at[i] + tap - p->y_start[level])) * box->columns);
        }
    }
    for (unsigned tap = 0; tap < f->taps; tap++) {
        for (unsigned n = 0; n < words; n++)
            choose_words(f->word[n][tap], q->exec_lanes, row[tap >> 1], column[tap & 1], by_piece.word[n],
                         by_piece.is_one, q->lanes);
    }
}

/* Puts the box's colours in place of texels. Returns the lanes of which it is not known. */
static uint64_t put_box(const struct box *box, const struct tex_looked *looked, struct tex_footprint *f,
                        const struct tex_places *p, const struct tex_query *q, unsigned level, bool is_words)
{
    if (!is_words || box->is_unknown)
        return put_each(box, looked, f, p, q, level, is_words);
    put_words(box, looked, f, p, q, level);
    return 0;
}

bool tex_look_is_plain(struct tex_looked *looked, const struct tex_places *p, struct tex_query *q, unsigned level,
                       uint32_t slice)
{
    return is_slice_plain(looked, p, q, level, slice);
}

void tex_look_end(struct tex_looked *looked)
{
    if (looked)
        free(looked->pieces);
    free(looked);
}

struct tex_looked *tex_look_begin(struct tex_looked *own, const struct tex_query *q)
{
    struct tex_places_set *set = q->places;
    if (q->work && !set->looked)
        set->looked = calloc(1, sizeof(*set->looked));
    struct tex_looked *looked = q->work && set->looked ? set->looked : own;
    if (looked == own || looked->work != q->work) {
        memset(looked, 0, offsetof(struct tex_looked, ones));
        looked->work = q->work;
    }
    return looked;
}

uint64_t tex_look(struct tex_looked *looked, struct tex_footprint *f, const struct tex_places *p, struct tex_query *q,
                  const uint8_t *level, const uint32_t *slice, bool is_words)
{
    const unsigned log2 = q->image->piece_log2, first_lane = (unsigned)__builtin_ctzll(q->exec);
    const uint32_t first_slice = MIN2(slice[first_lane], p->slices - 1);
    uint64_t unknown = 0;
    struct box box;
    if (f->is_one_slice && is_slice_plain(looked, p, q, level[first_lane], first_slice))
        return 0;
    if (f->is_one_slice) {
        box.x = find_range(&f->x, q, p->x_start[level[first_lane]], f->taps > 1);
        box.y = find_range(&f->y, q, p->y_start[level[first_lane]], f->taps > 1);
        if (look_at_box(&box, looked, p, q, level[first_lane], first_slice))
            return box.is_plain ? 0 : put_box(&box, looked, f, p, q, level[first_lane], is_words);
    }
    bits_foreach (q->exec, i) {
        const uint32_t x = f->x.at[i], y = f->y.at[i], in = MIN2(slice[i], p->slices - 1),
                       z = level[i] * p->slices + in;
        if (is_known_plain(looked, level[i], in))
            continue;
        const uint64_t first = piece_of(p, x, y, z, log2);
        const bool is_in_one = f->taps == 1 || piece_of(p, x + 1, y + 1, z, log2) == first;
        int one = look_at_piece(looked, p, q, first, x, y, level[i], in);
        if (is_in_one && one == LOOK_PLAIN)
            continue;
        for (unsigned tap = 0; tap < f->taps; tap++) {
            const uint32_t to_x = x + (tap & 1), to_y = y + (tap >> 1);
            if (tap && !is_in_one)
                one = look_at_piece(looked, p, q, piece_of(p, to_x, to_y, z, log2), to_x, to_y, level[i], in);
            if (one == LOOK_UNKNOWN)
                unknown |= 1ull << i;
            else if (one != LOOK_PLAIN)
                put_element(f, tap, (unsigned)i, looked->ones[one - 1], p->element_B, is_words);
        }
    }
    return unknown;
}

enum tex_piece tex_look_at_area(uint8_t *pieces, uint32_t pitch, struct tex_looked *looked,
                                const struct tex_area_part *part, const struct tex_places *p, struct tex_query *q)
{
    const int32_t x = (int32_t)(part->x - p->x_start[part->level]), y = (int32_t)(part->y - p->y_start[part->level]),
                  columns = (int32_t)part->columns, rows = (int32_t)part->rows;
    struct box box = {.x = {x, x + columns - 1}, .y = {y, y + rows - 1}};
    if (part->slices > 1)
        return TEX_PIECE_UNKNOWN;
    if (is_slice_plain(looked, p, q, part->level, part->z))
        return TEX_PIECE_PLAIN;
    if (!look_at_box(&box, looked, p, q, part->level, part->z))
        return TEX_PIECE_UNKNOWN;
    if (box.is_plain)
        return TEX_PIECE_PLAIN;
    for (int32_t row = 0; row < rows; row++) {
        for (int32_t column = 0; column < columns; column++) {
            const int one = box.piece[row_in(&box, y + row) * box.columns + column_in(&box, x + column)];
            if (one == LOOK_UNKNOWN)
                return TEX_PIECE_UNKNOWN;
            pieces[(uint32_t)row * pitch + (uint32_t)column] = (uint8_t)one;
        }
    }
    return TEX_PIECE_ONE;
}
