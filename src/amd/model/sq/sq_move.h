/* Moves: what is left of a program that only copies, done from memory to memory.
 *
 * A copy's shader loads 16 bytes a lane and stores them. Through the registers, where the dwords of a lane are a row
 * apart, that is two transpositions and twice the bytes. So when a block is decoded, the end of it is looked at: if from
 * some place on up to s_endpgm there are only loads, stores of what was loaded, scalar instructions, and exclusive ors
 * of a vector register with scalars that addresses are made of, a micro-operation before it does all of that at once:
 * a load finds its memory, a store copies. Nothing of it is written to vector registers, for nothing reads them after
 * the end.
 *
 * It gives up, and the wave goes on with the instructions themselves, where lanes are inactive, where pages do not allow
 * the access, or where a store would write what a load of the same wave has read. Stores that were done by then are done
 * again with the same bytes. Two mappings of one buffer are taken for different memory.
 *
 * Not for: strict mode, which looks at each instruction. */
#ifndef AMD_MODEL_SQ_MOVE_H
#define AMD_MODEL_SQ_MOVE_H

#include "amd/model/sq/sq_code.h"

#define SQ_MOVE_LOADS 32   /* and stores */
#define SQ_MOVE_PATTERNS 8 /* registers with offsets of lanes */
#define SQ_MOVE_WORDS 64   /* exclusive ors; [0] is zero */
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
    sq_place first, second;
    const struct sq_uop *uop;
};

/* Pages that an earlier access has found all right; until the window changes. */
struct sq_move_pages {
    uint64_t va, end_va;
    uint8_t *host;
    uint32_t changes;
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
    uint32_t pattern_count, word_count, source_count, load_count, step_count;
    struct sq_move_step steps[];
};

/* The block is decoded: put a move where one can begin. */
void amd_sq_move_find(struct sq_builder *builder);

/* The micro-operation; its target_va is a struct sq_move. */
void amd_sq_uop_move(struct sq_wave *wave, const struct sq_uop *uop);

#endif
