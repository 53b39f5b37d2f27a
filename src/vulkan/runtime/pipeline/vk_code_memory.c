/* GPU memory for machine code: blocks of units, a map of those that are taken, first fit. Shaders come and go in any
 * order; a block that is empty again is given back. What is larger than a block has one of its own.
 *
 * Blocks are listed by the logarithm of their longest run of free units: neither a piece that comes nor one that goes
 * looks at more than a few blocks, however many there are. */
#include "vulkan/runtime/pipeline/vk_code_memory.h"

#include "util/bits.h"
#include "vulkan/runtime/device/vk_device.h"

enum {
    BLOCK_B = 256 << 10,
    UNIT_B = VK_CODE_ALIGN_B,
    UNITS = BLOCK_B / UNIT_B,
    WORDS = UNITS / 64,
    /* Of blocks whose longest run may be long enough or not, so many are tried. */
    TRIES = 4,
};
_Static_assert(VK_CODE_BLOCK_LISTS == 12, "none, and the logarithms of 1 to UNITS");

struct vk_code_block {
    struct list link;
    struct vk_bo *bo;
    uint32_t longest; /* run of free units */
    uint32_t num_taken;
    uint64_t taken[WORDS]; /* bit: unit */
};

static struct list *list_of(struct vk_code_memory *memory, uint32_t longest)
{
    return &memory->blocks[longest ? 1 + log2_floor(longest) : 0];
}

static void set_longest(struct vk_code_memory *memory, struct vk_code_block *block, uint32_t longest)
{
    block->longest = longest;
    list_remove(&block->link);
    list_push_front(list_of(memory, longest), &block->link);
}

static void destroy_block(struct vk_code_memory *memory, struct vk_code_block *block)
{
    list_remove(&block->link);
    if (block->bo)
        memory->destroy(memory->device, block->bo);
    vk_free(&memory->device->alloc, NULL, block);
}

static struct vk_code_block *new_block(struct vk_code_memory *memory, uint32_t size_B)
{
    struct vk_code_block *block =
        vk_zalloc(&memory->device->alloc, NULL, sizeof(*block), VK_SYSTEM_ALLOCATION_SCOPE_DEVICE);
    if (!block)
        return NULL;
    block->longest = size_B > BLOCK_B ? 0 : UNITS;
    list_push_front(list_of(memory, block->longest), &block->link);
    block->bo = memory->create(memory->device, MAX2((uint32_t)BLOCK_B, (uint32_t)align_u64(size_B, 4096)));
    if (!block->bo) {
        destroy_block(memory, block);
        return NULL;
    }
    return block;
}

/* ---- the units of a block ---- */

static void mark_units(struct vk_code_block *block, uint32_t first, uint32_t count, bool is_taken_now)
{
    block->num_taken += is_taken_now ? count : -count;
    while (count) {
        uint32_t low = first % 64, here = MIN2(count, 64 - low);
        uint64_t mask = bits_mask(here) << low;
        block->taken[first / 64] = is_taken_now ? block->taken[first / 64] | mask : block->taken[first / 64] & ~mask;
        first += here;
        count -= here;
    }
}

/* The first unit from `from` on that is taken, or that is free; UNITS: none. */
static uint32_t next(const struct vk_code_block *block, uint32_t from, bool is_taken_one)
{
    for (uint32_t word = from / 64; word < WORDS; word++) {
        uint64_t bits = is_taken_one ? block->taken[word] : ~block->taken[word];
        bits &= word == from / 64 ? ~bits_mask(from % 64) : UINT64_MAX;
        if (bits)
            return word * 64 + (uint32_t)__builtin_ctzll(bits);
    }
    return UNITS;
}

/* Where the run of free units that ends before `end` begins. */
static uint32_t begin_of_run(const struct vk_code_block *block, uint32_t end)
{
    for (uint32_t word = end / 64 + 1; word-- > 0;) {
        uint64_t bits = word < WORDS ? block->taken[word] : 0;
        bits &= word == end / 64 ? bits_mask(end % 64) : UINT64_MAX;
        if (bits)
            return word * 64 + log2_floor(bits) + 1;
    }
    return 0;
}

/* The first run of at least `count` free units, or UNITS; the longest run of what was looked at. */
static uint32_t find_run(const struct vk_code_block *block, uint32_t count, uint32_t *longest_out)
{
    *longest_out = 0;
    for (uint32_t begin = next(block, 0, false), end; begin < UNITS; begin = next(block, end, false)) {
        end = next(block, begin, true);
        *longest_out = MAX2(*longest_out, end - begin);
        if (end - begin >= count)
            return begin;
    }
    return UNITS;
}

/* ---- pieces ---- */

static struct vk_code_block *find_block(struct vk_code_memory *memory, uint32_t count)
{
    uint32_t list = 1 + log2_floor(count), tries = 0;
    list_foreach (&memory->blocks[list], struct vk_code_block, block, link) {
        if (block->longest >= count)
            return block;
        if (++tries == TRIES)
            break;
    }
    while (++list < VK_CODE_BLOCK_LISTS) {
        if (!list_is_empty(&memory->blocks[list]))
            return container_of(memory->blocks[list].next, struct vk_code_block, link);
    }
    return NULL;
}

/* The block has such a run. */
static uint32_t take_units(struct vk_code_memory *memory, struct vk_code_block *block, uint32_t count)
{
    uint32_t longest, first = find_run(block, count, &longest);
    bool is_of_longest = next(block, first, true) - first == block->longest;
    mark_units(block, first, count, true);
    if (is_of_longest) {
        find_run(block, UNITS + 1, &longest);
        set_longest(memory, block, longest);
    }
    return first;
}

static struct vk_code_block *alloc_block(struct vk_code_memory *memory, uint32_t size_B, uint32_t *offset_out)
{
    uint32_t count = size_B / UNIT_B;
    struct vk_code_block *block = count <= UNITS ? find_block(memory, count) : NULL;
    if (!block)
        block = new_block(memory, size_B);
    *offset_out = block && count <= UNITS ? take_units(memory, block, count) * UNIT_B : 0;
    return block;
}

VkResult vk_code_memory_alloc(struct vk_code_memory *memory, uint32_t size_B, struct vk_code_place *place_out,
                              void **map_out)
{
    size_B = (uint32_t)align_u64(size_B + memory->padding_B, UNIT_B);
    uint32_t offset_B;
    pthread_mutex_lock(&memory->lock);
    struct vk_code_block *found = alloc_block(memory, size_B, &offset_B);
    pthread_mutex_unlock(&memory->lock);
    if (!found)
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    *place_out =
        (struct vk_code_place){.block = found, .offset_B = offset_B, .size_B = size_B, .va = found->bo->va + offset_B};
    *map_out = (uint8_t *)found->bo->map + offset_B;
    return VK_SUCCESS;
}

static void give_units(struct vk_code_memory *memory, struct vk_code_block *block, uint32_t first, uint32_t count)
{
    mark_units(block, first, count, false);
    uint32_t run = next(block, first + count, true) - begin_of_run(block, first);
    if (run > block->longest)
        set_longest(memory, block, run);
}

void vk_code_memory_free(struct vk_code_memory *memory, struct vk_code_place *place)
{
    struct vk_code_block *block = place->block;
    if (!block)
        return;
    pthread_mutex_lock(&memory->lock);
    if (place->size_B <= BLOCK_B)
        give_units(memory, block, place->offset_B / UNIT_B, place->size_B / UNIT_B);
    if (!block->num_taken)
        destroy_block(memory, block);
    pthread_mutex_unlock(&memory->lock);
    place->block = NULL;
}

void vk_code_memory_init(struct vk_code_memory *memory, struct vk_device *device, uint32_t padding_B,
                         struct vk_bo *(*create)(struct vk_device *device, uint32_t size_B),
                         void (*destroy)(struct vk_device *device, struct vk_bo *bo))
{
    *memory = (struct vk_code_memory){.device = device, .create = create, .destroy = destroy, .padding_B = padding_B};
    pthread_mutex_init(&memory->lock, NULL);
    for (uint32_t i = 0; i < VK_CODE_BLOCK_LISTS; i++)
        list_init(&memory->blocks[i]);
}

void vk_code_memory_finish(struct vk_code_memory *memory)
{
    for (uint32_t i = 0; i < VK_CODE_BLOCK_LISTS; i++) {
        list_foreach (&memory->blocks[i], struct vk_code_block, block, link)
            destroy_block(memory, block);
    }
    pthread_mutex_destroy(&memory->lock);
}
