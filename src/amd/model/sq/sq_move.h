/* Moves: what is left of a program that only copies, done from memory to memory.
 *
 * A copy's shader loads 16 bytes a lane and stores them. Through the registers, where the dwords of a lane are a row
 * apart, that is two transpositions and twice the bytes. So when a block is decoded, the end of it is looked at: if
 * from some place on up to s_endpgm there are only loads, stores of what was loaded, scalar instructions, and exclusive
 * ors of a vector register with scalars that addresses are made of, a micro-operation before it does all of that at
 * once: a load finds its memory, a store copies. Nothing of it is written to vector registers, for nothing reads them
 * after the end.
 *
 * It gives up, and the wave goes on with the instructions themselves, where lanes are inactive, where pages do not
 * allow the access, where a store would write what a load of the same wave has read, or where a buffer has two
 * addresses, so that addresses do not tell which memory is the same. Stores that were done by then are done again with
 * the same bytes.
 *
 * Between rows of texels and tiles the lanes' 16 bytes are a transposition: lines of 64 bytes on the one side have a
 * piece of each of four lines on the other. Such lanes are found once and moved by whole lines (sq_move_lines.c) in the
 * order of what is written, those of all stores in one go: the host waits for memory most of the time, and has more
 * lines under way where nothing else stands between them. That goes for instructions, too: where 256 bytes of a tile
 * are some rows of a few pieces, as in all standard swizzles, addresses are found once for these and not for each
 * piece.
 *
 * Not for: strict mode, which looks at each instruction. */
#ifndef AMD_MODEL_SQ_MOVE_H
#define AMD_MODEL_SQ_MOVE_H

#include "amd/model/sq/sq_code.h"
#include "amd/model/sq/sq_move_pages.h"

#define SQ_MOVE_LOADS 64
#define SQ_MOVE_PATTERNS 8 /* registers with offsets of lanes */
#define SQ_MOVE_WORDS 160  /* exclusive ors; [0] is zero */
#define SQ_MOVE_SOURCES 8  /* registers that are stored and were not loaded here */
#define SQ_MOVE_NO_LOAD 255

enum sq_move_kind {
    SQ_MOVE_SCALAR,      /* run the micro-operation */
    SQ_MOVE_SCALAR_LOAD, /* the same: it reads memory */
    SQ_MOVE_XOR,         /* words[word] = words[from] ^ first ^ second */
    SQ_MOVE_LOAD,
    SQ_MOVE_STORE,
};

struct sq_move_step {
    uint8_t kind;
    uint8_t word, from;
    uint8_t dwords;  /* of a lane */
    uint8_t pattern; /* of the address; changed by words[word] */
    uint8_t load;    /* of the data, or: */
    uint8_t source;
    union {
        struct {
            sq_place first, second; /* of SQ_MOVE_XOR */
        };
        struct {
            sq_place base; /* of the address; 0: the row after the pattern is its upper half */
            int32_t offset_B;
        };
        const struct sq_uop *uop; /* of scalars */
    };
};

/* A load of 16 bytes a lane and the store of it, where all scalars are there before the first of them. */
struct sq_move_copy {
    struct sq_move_side {
        sq_place base;
        sq_place first, second; /* exclusive ors of the offsets, where these are changed */
        int32_t offset_B;
        bool is_changed;
    } from, to;
};

/* The lanes of two rows of offsets, 16 bytes each, as lines. */
#define SQ_MOVE_LINE_B 64
#define SQ_MOVE_LINES (LANES_MAX * 16 / SQ_MOVE_LINE_B)
#define SQ_MOVE_SQUARES (LANES_MAX / 16)
struct sq_move_lines {
    uint32_t from_offset[LANES_MAX], to_offset[LANES_MAX]; /* what it was found for */
    uint32_t to[SQ_MOVE_LINES];                            /* lines that are written, in the order of memory */
    uint32_t pieces[LANES_MAX];                            /* of these, where they are read */
    uint32_t from[SQ_MOVE_LINES];                          /* lines that are read */
    struct sq_move_bits {
        uint32_t different, same; /* bits in which any offsets differ, and what all have in the others */
    } from_bits, to_bits;
    uint32_t serial; /* counts what was found */
    bool has_lines;
    bool from_aligned, to_aligned; /* all lines to their size: upper bits may be changed */
    int8_t credit;                 /* of waves that used what was found */
    /* Squares of 256 bytes on one side, rows on the other: */
    enum sq_move_way { SQ_MOVE_BY_LINES, SQ_MOVE_TO_SQUARES, SQ_MOVE_FROM_SQUARES } way;
    uint32_t square[SQ_MOVE_SQUARES], row[SQ_MOVE_SQUARES]; /* where they begin on either side */
    uint32_t row_B;                                         /* from each row to the next */
    uint8_t columns; /* bits of a piece's number in its square that are its place in a row; the others are its row */
    bool squares_aligned;
};

/* The lanes of a row of offsets, all of which store the same 16 bytes, as lines. */
struct sq_move_fill {
    uint32_t offset[LANES_MAX]; /* what it was found for */
    uint32_t line[SQ_MOVE_LINES];
    bool has_lines, is_aligned;
    int8_t credit;
};

struct sq_move {
    const struct sq_uop *end; /* s_endpgm */
    sq_place zero;
    sq_place patterns[SQ_MOVE_PATTERNS]; /* rows; the one after it is the upper half where there is no scalar address */
    struct {
        sq_place rows;
        uint8_t dwords;
    } sources[SQ_MOVE_SOURCES];
    struct sq_move_pages read, written;
    struct sq_move_lines lines;
    struct sq_move_fill fill;
    struct sq_move_launch *launch; /* of all its workgroups (sq_move_launch.h); NULL: there was none yet */
    uint32_t pattern_count, word_count, source_count, load_count, step_count;
    /* Where all loads have one pattern and all stores one, and all else comes before them: */
    uint32_t copy_count; /* 0: it is not so */
    uint32_t scalar_count;
    uint8_t from_pattern, to_pattern;
    struct sq_move_copy copies[SQ_MOVE_LOADS];
    struct sq_move_step steps[];
};

/* The block is decoded: put a move where one can begin. */
void amd_sq_move_find(struct sq_builder *builder);

/* Whether the lanes move by lines, changed by these words. Finds out where the offsets are new. */
struct sq_moves;
bool amd_sq_move_lines_find(struct sq_move_lines *lines, struct sq_moves *moves, const uint32_t *from_offset,
                            const uint32_t *to_offset, unsigned lanes);
static inline bool amd_sq_move_lines_fit(const struct sq_move_lines *lines, uint32_t from_xor, uint32_t to_xor)
{
    return !((from_xor | to_xor) % SQ_MOVE_LINE_B) && (!from_xor || lines->from_aligned) &&
           (!to_xor || lines->to_aligned);
}

/* Where a piece is in its square, by its row and its place in the row. */
#define SQ_MOVE_SQUARE_LOG2 4
static inline __attribute__((always_inline)) unsigned amd_sq_move_piece_at(unsigned row, unsigned column, unsigned columns)
{
    unsigned at = 0;
    for (unsigned bit = 0; bit < SQ_MOVE_SQUARE_LOG2; bit++) {
        unsigned *const from = columns >> bit & 1 ? &column : &row;
        at |= (*from & 1) << bit;
        *from >>= 1;
    }
    return at;
}

/* A store of what was loaded: where lanes of offset 0 are on both sides. */
struct sq_move_pair {
    uint8_t *to;
    const uint8_t *from;
    uint32_t to_xor, from_xor;
};

/* All of them in their order. `next` (may be NULL) is what will be read soon, one byte after the other, as many as
 * these pairs have. */
void amd_sq_move_lines(const struct sq_move_lines *lines, const struct sq_move_pair *pairs, unsigned count,
                       const uint8_t *next, unsigned lanes);

/* Moves by lines of waves that have ended, all with the same lines. Between the scalars of two waves the host has no
 * line under way; so those of some waves are done in one go. Whoever runs the waves says that they may wait, and has
 * them done before anybody else can want to see them. */
#define SQ_MOVES_WAVES 16
struct sq_moves {
    bool may_wait;
    const struct sq_move_lines *lines;
    uint32_t lanes, wave_count;
    struct {
        const uint8_t *next; /* as for amd_sq_move_lines */
        uint32_t count;
    } waves[SQ_MOVES_WAVES];
    struct sq_move_pair *pairs; /* SQ_MOVE_LOADS of each wave; NULL: none has waited yet */
    struct sq_moves_fills *fills; /* NULL, too */
};

/* Fills of waves that have ended, all by the same stores of one piece. The host writes twice as fast where it does
 * nothing else for megabytes, for then it neither reads lines before nor keeps them. */
#define SQ_MOVES_FILLS 128
struct sq_moves_fills {
    struct sq_move_fill lines;
    uint32_t piece[4];
    uint32_t lanes, store_count, wave_count;
    ptrdiff_t stores_B[SQ_MOVE_LOADS]; /* where stores begin, from the first one on */
    uint8_t *waves[SQ_MOVES_FILLS];    /* their first stores */
};

/* Where the pairs of the next wave, SQ_MOVE_LOADS at most, go before they are added; NULL: they cannot wait. */
struct sq_move_pair *amd_sq_moves_room(struct sq_moves *moves, const struct sq_move_lines *lines, unsigned lanes);
void amd_sq_moves_add(struct sq_moves *moves, unsigned count, const uint8_t *next);
void amd_sq_moves_do_copies(struct sq_moves *moves);
void amd_sq_moves_do(struct sq_moves *moves); /* fills, too */
struct sq_moves *amd_sq_code_moves(struct sq_code *code); /* of all waves that run on it */
void amd_sq_moves_finish(struct sq_moves *moves);

/* Whether the lanes are lines, changed by this word; and the piece to all of them. */
bool amd_sq_move_fill_find(struct sq_move_fill *fill, const uint32_t *offset, unsigned lanes);
static inline bool amd_sq_move_fill_fits(const struct sq_move_fill *fill, uint32_t xor)
{
    return !(xor % SQ_MOVE_LINE_B) && (!xor || fill->is_aligned);
}
void amd_sq_move_fill(const struct sq_move_fill *fill, uint8_t *to, uint32_t xor, const uint32_t piece[4],
                      unsigned lanes);
/* All stores of a wave, SQ_MOVE_LOADS at most, unchanged by words; later, if they may wait. */
void amd_sq_moves_fill(struct sq_moves *moves, const struct sq_move_fill *fill, uint8_t *const *to, unsigned count,
                       const uint32_t piece[4], unsigned lanes);

/* The micro-operation; its target_va is a struct sq_move. */
void amd_sq_uop_move(struct sq_wave *wave, const struct sq_uop *uop);

#endif
