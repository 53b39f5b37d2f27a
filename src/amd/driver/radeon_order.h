/* The conditions for the next work of a command stream, as sets: stages whose earlier work must have ended,
 * caches whose changes must be in the level below, caches that must forget what they hold. Commands add to the sets
 * (radeon_cmd_buffer::due); radeon_order.c writes packets for all of it at once, in the order that the hardware needs.
 *
 *   instructions ── code ────────────────┐
 *   scalar loads ── scalar ─┐            │
 *   vector memory ─ vector ─┴─ L1 ───────┤
 *   texture units' metadata ─ metadata ──┼── L2 ── memory
 *   colour, depth ─ their own two each ──┤
 *   command processor, DMA ──────────────┘
 *
 * Nothing here knows a barrier (radeon_barrier.c) or an image. */
#ifndef AMD_DRIVER_RADEON_ORDER_H
#define AMD_DRIVER_RADEON_ORDER_H

#include <stdint.h>

#include "amd/driver/radeon_cs.h"

struct radeon_cmd_buffer;

enum radeon_cache {
    RADEON_CACHE_CODE,
    RADEON_CACHE_SCALAR,
    RADEON_CACHE_VECTOR,
    RADEON_CACHE_L1,
    RADEON_CACHE_METADATA,
    RADEON_CACHE_L2,
    RADEON_CACHE_COLOR,
    RADEON_CACHE_COLOR_METADATA,
    RADEON_CACHE_DEPTH,
    RADEON_CACHE_DEPTH_METADATA,
    RADEON_CACHE_COUNT,
};

/* One word: which caches drop, which write back, what has ended, and other changes of state. */
#define RADEON_DROP(cache) (1u << RADEON_CACHE_##cache)
#define RADEON_WRITE_BACK(cache) (RADEON_DROP(cache) << RADEON_CACHE_COUNT)
#define RADEON_EMPTY(cache) (RADEON_DROP(cache) | RADEON_WRITE_BACK(cache))
#define RADEON_ORDER_BIT(i) (1u << (2 * RADEON_CACHE_COUNT + (i)))

enum radeon_order {
    /* All work of a kind that came before. */
    RADEON_AFTER_VERTICES = RADEON_ORDER_BIT(0),
    RADEON_AFTER_PIXELS = RADEON_ORDER_BIT(1),
    RADEON_AFTER_COMPUTE = RADEON_ORDER_BIT(2),

    /* Reads that come next see what is in L2, or with the last one what is in memory. */
    RADEON_FRESH_CODE = RADEON_DROP(CODE),
    RADEON_FRESH_SCALAR = RADEON_DROP(SCALAR) | RADEON_DROP(L1),
    RADEON_FRESH_VECTOR = RADEON_DROP(VECTOR) | RADEON_DROP(L1),
    RADEON_FRESH_METADATA = RADEON_EMPTY(METADATA),
    RADEON_FRESH_L2 = RADEON_EMPTY(L2) | RADEON_EMPTY(METADATA),

    /* Writes that came before are in L2, or with the last one in memory. The render backends cannot write back without
     * dropping, so that these also are what makes them see what others wrote. */
    RADEON_OUT_COLOR = RADEON_EMPTY(COLOR),
    RADEON_OUT_COLOR_METADATA = RADEON_EMPTY(COLOR_METADATA),
    RADEON_OUT_DEPTH = RADEON_EMPTY(DEPTH),
    RADEON_OUT_DEPTH_METADATA = RADEON_EMPTY(DEPTH_METADATA),
    RADEON_OUT_L2 = RADEON_WRITE_BACK(L2) | RADEON_EMPTY(METADATA),

    RADEON_OUT_ALL_COLOR = RADEON_OUT_COLOR | RADEON_OUT_COLOR_METADATA,
    RADEON_OUT_ALL_DEPTH = RADEON_OUT_DEPTH | RADEON_OUT_DEPTH_METADATA,

    /* The geometry engine lets go of what it has begun: between two ways of running vertices. */
    RADEON_GEOMETRY_ENDS = RADEON_ORDER_BIT(3),
    /* Pipeline statistics count from here on, or do not: at most one of both. */
    RADEON_STATISTICS_ON = RADEON_ORDER_BIT(4),
    RADEON_STATISTICS_OFF = RADEON_ORDER_BIT(5),
};

/* Writes what is due and leaves nothing due. */
void radeon_emit_due(struct radeon_cmd_buffer *cmd);

/* Writes the conditions to a stream that is no command buffer. Nothing of the render backends may be due: waiting
 * for them takes a fence word. */
void radeon_emit_order(struct radeon_cs *cs, bool is_compute, uint32_t order);

/* A word, two or a clock (AMD_RELEASE_DATA_*) to memory when everything before has ended. */
void radeon_emit_release(struct radeon_cmd_buffer *cmd, uint64_t va, uint32_t data_sel, uint64_t value);

#endif
