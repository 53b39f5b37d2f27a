/* Branches of a command stream, as blocks that are opened and closed:
 *
 *     mali_if_begin(s, &block, MALI_CS_CONDITION_GREATER, reg);    mali_loop_begin(s, &block);
 *     …                                                            …
 *     mali_if_else(s, &block);                                     mali_loop_leave(s, &block, MALI_CS_CONDITION_EQUAL, reg);
 *     …                                                            …
 *     mali_if_end(s, &block);                                      mali_loop_end(s, &block, MALI_CS_CONDITION_ALWAYS, reg);
 *
 *     mali_match_begin(s, &block, value, scratch);
 *     mali_match_case(s, &block, 3);
 *     …
 *     mali_match_default(s, &block);
 *     …
 *     mali_match_end(s, &block);
 *
 * A condition compares a register with zero, signed. Where paths meet, no load or store is pending and a register's
 * value is known if all of them left the same one. Blocks are closed in the reverse order of their opening. */
#ifndef MALI_DRIVER_STREAM_FLOW_H
#define MALI_DRIVER_STREAM_FLOW_H

#include "mali/driver/stream.h"

struct mali_block {
    uint32_t start; /* its first instruction, of those that are held */
    uint32_t depth;
    struct mali_r value, scratch; /* of a match */
    bool has_joined, has_default;
    struct mali_known entry;  /* what was known when it began */
    struct mali_known joined; /* on all paths so far that go to its end */
};

void mali_if_begin(struct mali_stream *s, struct mali_block *block, enum mali_CS_CONDITION condition,
                   struct mali_r reg);
void mali_if_else(struct mali_stream *s, struct mali_block *block);
void mali_if_end(struct mali_stream *s, struct mali_block *block);

/* The end goes back to the beginning if the condition holds; so does `again`, and `leave` goes past the end. */
void mali_loop_begin(struct mali_stream *s, struct mali_block *block);
void mali_loop_leave(struct mali_stream *s, struct mali_block *block, enum mali_CS_CONDITION condition,
                     struct mali_r reg);
void mali_loop_again(struct mali_stream *s, struct mali_block *block, enum mali_CS_CONDITION condition,
                     struct mali_r reg);
void mali_loop_end(struct mali_stream *s, struct mali_block *block, enum mali_CS_CONDITION condition,
                   struct mali_r reg);

/* One case runs: the one with the value, or the default, which is the last. `scratch` is overwritten. */
void mali_match_begin(struct mali_stream *s, struct mali_block *block, struct mali_r value, struct mali_r scratch);
void mali_match_case(struct mali_stream *s, struct mali_block *block, uint32_t value);
void mali_match_default(struct mali_stream *s, struct mali_block *block);
void mali_match_end(struct mali_stream *s, struct mali_block *block);

#endif
