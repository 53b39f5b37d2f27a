/* See slab.h. */
#include "util/slab.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "util/bits.h"
#include "util/list.h"
#include "util/sanitizer.h"

#define SLAB_B 65536u    /* and its alignment: a piece finds its slab by its address */
#define REGION_SLABS 8u  /* taken from the host at once */
#define MOST_B 4096u     /* of a piece; larger ones would all begin at a few places of the cache */
#define MOST_UNUSED 16u  /* slabs whose addresses are kept, without memory */
#define ADDRESS_BITS 48u /* above, there is nothing that a mapping without a hint gives */

/* Sizes: steps of 32 bytes up to 256, then four for each doubling. */
#define FINE_B 32u
#define FINE 8u
#define CLASSES (FINE + 16u)
#define LARGE CLASSES          /* the class of a piece with a mapping of its own, */
#define LARGE_B (1024u * 1024) /* from this size on */

/* At the start of each slab, before its pieces. */
struct slab {
    struct list link; /* of those of its class that have room, or of the unused ones */
    void *first;      /* of the pieces that were freed, each pointing at the next */
    uint32_t class;   /* number */
    uint32_t used;    /* pieces */
    uint32_t fresh_B; /* where the memory begins that no piece has had yet */
    uint32_t piece_B;
    size_t large_B; /* of a piece with a mapping of its own: all of it */
};
#define HEADER_B 64u
_Static_assert(sizeof(struct slab) <= HEADER_B, "pieces follow the header");

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct list with_room[CLASSES], unused;
static uint32_t num_unused;

/* Which addresses are slabs': a bit for each, in leaves that are made when they are wanted and stay. */
#define LEAF_BITS 15u
#define ROOTS (1u << (ADDRESS_BITS - 16 - LEAF_BITS))
static _Atomic(_Atomic uint64_t *) leaves[ROOTS];

static void lock_all(void)
{
    pthread_mutex_lock(&lock);
}

static void unlock_all(void)
{
    pthread_mutex_unlock(&lock);
}

static void start_slabs(void)
{
    for (uint32_t i = 0; i < CLASSES; i++)
        list_init(&with_room[i]);
    list_init(&unused);
    pthread_atfork(lock_all, unlock_all, unlock_all);
}

static uint32_t class_of(size_t size_B)
{
    if (size_B <= FINE_B * FINE)
        return size_B ? (uint32_t)((size_B - 1) / FINE_B) : 0;
    uint32_t octave = 63 - (uint32_t)__builtin_clzll(size_B - 1); /* 2^octave < size <= 2^(octave + 1) */
    uint32_t quarter = (uint32_t)((size_B - 1) >> (octave - 2)) & 3;
    return FINE + (octave - 8) * 4 + quarter;
}

static uint32_t size_of_class(uint32_t class)
{
    if (class < FINE)
        return (class + 1) * FINE_B;
    uint32_t octave = 8 + (class - FINE) / 4, quarter = (class - FINE) % 4;
    return (1u << octave) + (quarter + 1) * (1u << (octave - 2));
}

/* ---- which memory is ours ---- */

static bool mark_page(uintptr_t address, bool is_slab)
{
    if (address >> ADDRESS_BITS)
        return false;
    _Atomic(_Atomic uint64_t *) *root = &leaves[address >> (16 + LEAF_BITS)];
    _Atomic uint64_t *leaf = atomic_load_explicit(root, memory_order_relaxed);
    if (!leaf) {
        leaf = calloc((1u << LEAF_BITS) / 64, sizeof(*leaf));
        if (!leaf)
            return false;
        atomic_store_explicit(root, leaf, memory_order_release);
    }
    uint32_t bit = (address >> 16) & ((1u << LEAF_BITS) - 1);
    if (is_slab)
        atomic_fetch_or_explicit(&leaf[bit / 64], 1ull << bit % 64, memory_order_relaxed);
    else
        atomic_fetch_and_explicit(&leaf[bit / 64], ~(1ull << bit % 64), memory_order_relaxed);
    return true;
}

/* Without the lock: whoever holds a piece keeps its slab where it is. */
static bool is_ours(const void *memory)
{
    uintptr_t address = (uintptr_t)memory;
    if (address >> ADDRESS_BITS)
        return false;
    _Atomic uint64_t *leaf = atomic_load_explicit(&leaves[address >> (16 + LEAF_BITS)], memory_order_acquire);
    uint32_t bit = (address >> 16) & ((1u << LEAF_BITS) - 1);
    return leaf && atomic_load_explicit(&leaf[bit / 64], memory_order_relaxed) >> bit % 64 & 1;
}

/* ---- the host's memory ---- */

/* So many bytes at an address where a slab may begin. */
static void *map_aligned(size_t size_B)
{
    size_t taken_B = size_B + SLAB_B;
    char *memory = mmap(NULL, taken_B, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    size_t before_B = -(uintptr_t)memory % SLAB_B;
    if (before_B)
        munmap(memory, before_B);
    munmap(memory + before_B + size_B, taken_B - before_B - size_B);
    return memory + before_B;
}

/* A mapping of its own for one piece, which looks like a slab. The host gives it zeroed. */
static void *take_large(size_t size_B)
{
    size_t mapped_B = align_u64(size_B + HEADER_B, SLAB_B);
    if (mapped_B < size_B)
        return NULL;
    pthread_mutex_lock(&lock);
    struct slab *slab = map_aligned(mapped_B);
    bool is_marked = slab && mark_page((uintptr_t)slab, true);
    pthread_mutex_unlock(&lock);
    if (slab && !is_marked)
        munmap(slab, mapped_B);
    if (!is_marked)
        return NULL;
    *slab = (struct slab){.class = LARGE, .large_B = mapped_B};
    return (char *)slab + HEADER_B;
}

static void give_large(struct slab *slab)
{
    mark_page((uintptr_t)slab, false);
    munmap(slab, slab->large_B);
}

/* ---- slabs; the lock is held ---- */

static void add_unused(struct slab *slab)
{
    list_push_back(&unused, &slab->link);
    num_unused++;
}

static bool take_region(void)
{
    char *memory = map_aligned((size_t)SLAB_B * REGION_SLABS);
    for (uint32_t i = 0; memory && i < REGION_SLABS; i++) {
        struct slab *slab = (struct slab *)(memory + (size_t)i * SLAB_B);
        if (mark_page((uintptr_t)slab, true))
            add_unused(slab);
        else
            munmap(slab, SLAB_B);
    }
    return num_unused != 0;
}

static struct slab *slab_take(uint32_t class)
{
    if (!num_unused && !take_region())
        return NULL;
    struct slab *slab = container_of(unused.prev, struct slab, link);
    list_remove(&slab->link);
    num_unused--;
    *slab = (struct slab){.class = class, .fresh_B = HEADER_B, .piece_B = size_of_class(class)};
    list_push_back(&with_room[class], &slab->link);
    return slab;
}

static void slab_give(struct slab *slab)
{
    list_remove(&slab->link);
    if (num_unused >= MOST_UNUSED) {
        mark_page((uintptr_t)slab, false);
        munmap(slab, SLAB_B);
        return;
    }
    madvise(slab, SLAB_B, MADV_DONTNEED);
    add_unused(slab);
}

static bool is_full(const struct slab *slab)
{
    return !slab->first && slab->fresh_B + slab->piece_B > SLAB_B;
}

static void *take_piece(uint32_t class)
{
    struct slab *slab =
        list_is_empty(&with_room[class]) ? slab_take(class) : container_of(with_room[class].next, struct slab, link);
    if (!slab)
        return NULL;
    void *piece = slab->first;
    if (piece) {
        memcpy(&slab->first, piece, sizeof(slab->first));
    } else {
        piece = (char *)slab + slab->fresh_B;
        slab->fresh_B += slab->piece_B;
    }
    slab->used++;
    if (is_full(slab)) {
        list_remove(&slab->link);
        list_init(&slab->link);
    }
    return piece;
}

static void give_piece(struct slab *slab, void *piece)
{
    if (is_full(slab))
        list_push_back(&with_room[slab->class], &slab->link);
    memcpy(piece, &slab->first, sizeof(slab->first));
    slab->first = piece;
    /* The last one of its class stays: one object that comes and goes costs no mapping. */
    if (--slab->used == 0 && with_room[slab->class].next != with_room[slab->class].prev)
        slab_give(slab);
}

/* ---- from outside ---- */

static struct slab *slab_of(const void *memory)
{
    return (struct slab *)((uintptr_t)memory & ~(uintptr_t)(SLAB_B - 1));
}

void *slab_alloc(size_t size_B)
{
    if (IS_SANITIZED || (size_B > MOST_B && size_B < LARGE_B))
        return malloc(size_B);
    pthread_once(&once, start_slabs);
    if (size_B > MOST_B)
        return take_large(size_B);
    pthread_mutex_lock(&lock);
    void *memory = take_piece(class_of(size_B));
    pthread_mutex_unlock(&lock);
    return memory;
}

void *slab_zalloc(size_t size_B)
{
    if (IS_SANITIZED || (size_B > MOST_B && size_B < LARGE_B))
        return calloc(1, size_B);
    void *memory = slab_alloc(size_B);
    return memory && size_B <= MOST_B ? memset(memory, 0, size_B) : memory;
}

void *slab_realloc(void *memory, size_t size_B)
{
    if (!memory)
        return slab_alloc(size_B);
    if (!is_ours(memory))
        return realloc(memory, size_B);
    const struct slab *slab = slab_of(memory);
    size_t room_B = slab->class == LARGE ? slab->large_B - HEADER_B : slab->piece_B;
    if (size_B <= room_B && size_B >= room_B / 2)
        return memory;
    void *moved = slab_alloc(size_B);
    if (!moved)
        return NULL;
    memcpy(moved, memory, MIN2(room_B, size_B));
    slab_free(memory);
    return moved;
}

void slab_free(void *memory)
{
    if (!is_ours(memory)) {
        free(memory);
        return;
    }
    pthread_mutex_lock(&lock);
    if (slab_of(memory)->class == LARGE)
        give_large(slab_of(memory));
    else
        give_piece(slab_of(memory), memory);
    pthread_mutex_unlock(&lock);
}

bool slab_array_reserve_bytes(void **data, uint32_t *capacity, uint32_t needed, size_t element_B)
{
    if (needed <= *capacity)
        return true;
    uint32_t grown = needed <= 2 ? 2 : needed > UINT32_MAX / 2 ? UINT32_MAX : 1u << log2_ceil(needed);
    size_t size_B;
    if (needed == 0 || __builtin_mul_overflow((size_t)grown, element_B, &size_B))
        return false;
    void *moved = slab_realloc(*data, size_B);
    if (!moved)
        return false;
    *data = moved;
    *capacity = grown;
    return true;
}
