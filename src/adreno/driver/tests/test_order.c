/* Barriers as packets: what is due after which accesses, in which order it is written, and what waits until somebody
 * looks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "adreno/driver/order.h"
#include "adreno/driver/pm4.h"
#include "util/bits.h"
#include "util/strbuf.h"
#include "vulkan/runtime/device/vk_device.h"

#define SHADER VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT
#define COPY VK_PIPELINE_STAGE_2_COPY_BIT
#define TARGET VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT
#define TESTS VK_PIPELINE_STAGE_2_LATE_FRAGMENT_TESTS_BIT
#define INDIRECT VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT
#define HOST VK_PIPELINE_STAGE_2_HOST_BIT

struct side {
    VkPipelineStageFlags2 stages;
    VkAccessFlags2 access;
};

static const struct side shader_write = {SHADER, VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT},
                         shader_read = {SHADER, VK_ACCESS_2_SHADER_STORAGE_READ_BIT},
                         copy_write = {COPY, VK_ACCESS_2_TRANSFER_WRITE_BIT},
                         copy_read = {COPY, VK_ACCESS_2_TRANSFER_READ_BIT},
                         color = {TARGET, VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT},
                         depth = {TESTS, VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT},
                         indirect = {INDIRECT, VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT},
                         host_read = {HOST, VK_ACCESS_2_HOST_READ_BIT}, host_write = {HOST, VK_ACCESS_2_HOST_WRITE_BIT},
                         nothing = {0, 0};

static void barrier(struct adreno_orders *orders, struct side src, struct side dst)
{
    adreno_orders_add(orders, adreno_access_of(src.stages, src.access), adreno_access_of(dst.stages, dst.access));
    orders->due |= adreno_order_of_stages(src.stages, dst.stages);
}

static const char *name_of(uint32_t header, uint32_t first)
{
    static const struct {
        uint32_t event;
        const char *name;
    } events[] = {{ADRENO_EVENT_PC_CCU_FLUSH_COLOR_TS, "color"},
                  {ADRENO_EVENT_PC_CCU_FLUSH_DEPTH_TS, "depth"},
                  {ADRENO_EVENT_PC_CCU_INVALIDATE_COLOR, "-color"},
                  {ADRENO_EVENT_PC_CCU_INVALIDATE_DEPTH, "-depth"},
                  {ADRENO_EVENT_CACHE_FLUSH_TS, "uche"},
                  {ADRENO_EVENT_CACHE_INVALIDATE, "-uche"}};
    switch (ADRENO_PKT7_OPCODE(header)) {
    case ADRENO_PKT_CP_WAIT_MEM_WRITES:
        return "cp";
    case ADRENO_PKT_CP_WAIT_FOR_IDLE:
        return "idle";
    case ADRENO_PKT_CP_WAIT_FOR_ME:
        return "me";
    case ADRENO_PKT_CP_EVENT_WRITE:
        for (unsigned i = 0; i < ARRAY_SIZE(events); i++) {
            if (first == events[i].event)
                return events[i].name;
        }
    }
    return "?";
}

/* Waits and flushes that are due, as words, and no more afterwards. */
static void assert_written(struct adreno_orders *orders, const char *expected)
{
    static uint32_t words[ADRENO_ORDER_DW];
    struct adreno_cs cs;
    struct strbuf text = {0};
    adreno_cs_init_fixed(&cs, words, 0x1000, ARRAY_SIZE(words));
    adreno_emit_order(&cs, orders->due, 0x2000);
    orders->due = 0;
    assert_true(cs.dw <= cs.end);
    for (const uint32_t *dw = words; dw < cs.dw; dw += 1 + ADRENO_PKT7_COUNT(*dw)) {
        assert_true(adreno_is_pkt7(*dw));
        strbuf_printf(&text, "%s%s", dw == words ? "" : " ", name_of(dw[0], dw[1]));
    }
    assert_string_equal(text.text ? text.text : "", expected);
    strbuf_finish(&text);
}

static void a_barrier_flushes_what_the_reader_cannot_see(void **state)
{
    static const struct {
        const struct side *src, *dst;
        const char *expected;
    } rows[] = {
        {&shader_write, &shader_read, "idle"}, /* the same cache */
        {&shader_write, &copy_read, "idle"},
        {&shader_write, &host_read, "uche idle"},
        {&shader_write, &indirect, "uche idle me"},
        {&shader_write, &color, "color -color uche idle"},
        {&color, &shader_read, "color -uche idle"},
        {&color, &color, "color -color idle"}, /* another target, another layer */
        {&color, &depth, "color depth -depth idle"},
        {&depth, &shader_read, "depth -uche idle"},
        {&copy_write, &shader_read, "color depth cp -uche idle"},
        {&copy_write, &host_read, "color depth uche cp idle"},
        {&host_write, &shader_read, "-uche idle"},
        {&host_write, &nothing, "idle"},
        {&shader_read, &shader_write, "idle"}, /* an execution dependency alone */
        {&nothing, &shader_read, ""},
    };
    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
        struct adreno_orders orders = {0};
        barrier(&orders, *rows[i].src, *rows[i].dst);
        assert_written(&orders, rows[i].expected);
    }
}

static void what_nobody_looks_at_is_pending(void **state)
{
    struct adreno_orders orders = {0};
    barrier(&orders, shader_write, shader_read);
    assert_written(&orders, "idle");
    /* The host looks later; its barrier says nothing of the write. */
    barrier(&orders, shader_read, host_read);
    assert_written(&orders, "uche idle");
    /* And it is done once. */
    barrier(&orders, shader_read, host_read);
    assert_written(&orders, "idle");
}

static void a_recording_begins_with_caches_that_may_be_stale(void **state)
{
    struct adreno_orders orders = adreno_orders_begin();
    assert_written(&orders, "");
    barrier(&orders, nothing, shader_read);
    assert_written(&orders, "-uche idle");
    barrier(&orders, nothing, color);
    assert_written(&orders, "color -color idle");
}

static void collective_bits_stand_for_all(void **state)
{
    const struct side all_write = {VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, VK_ACCESS_2_MEMORY_WRITE_BIT},
                      all = {VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
                             VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT};
    struct adreno_orders orders = {0};
    barrier(&orders, all_write, all);
    assert_written(&orders, "color depth -color -depth uche cp -uche idle me");
    assert_int_equal(orders.pending, 0);
}

/* ---- streams ---- */

static struct vk_bo *make_bo(struct vk_device *device, uint32_t size_B)
{
    static uint64_t next_va = 1 << 20;
    struct adreno_bo *bo = calloc(1, sizeof(*bo));
    assert_non_null(bo);
    bo->vk = (struct vk_bo){.va = next_va, .size_B = size_B, .map = calloc(1, size_B)};
    next_va += size_B;
    return &bo->vk;
}

static void drop_bo(struct vk_device *device, struct vk_bo *bo)
{
    free(bo->map);
    free(bo);
}

/* All words of a stream, piece by piece. */
static uint32_t sum_of_pieces(const struct adreno_cs *cs, uint32_t *expected_next)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < cs->pieces.count; i++) {
        const struct adreno_piece *piece = &cs->pieces.data[i];
        const uint32_t *words = (const uint32_t *)((const uint8_t *)piece->bo->vk.map + piece->offset_B);
        for (uint32_t k = 0; k < piece->size_dw; k++, count++)
            assert_int_equal(words[k], (*expected_next)++);
    }
    return count;
}

static void streams_are_pieces_in_their_order(void **state)
{
    enum {
        WORDS = 50000
    };
    struct vk_device device = {.alloc = vk_default_allocator};
    struct vk_chunk_pool pool;
    struct vk_rest rest = {0};
    struct adreno_cs a, b;
    vk_chunk_pool_init(&pool, &device, make_bo, drop_bo);
    adreno_cs_init(&a, &pool, &rest);
    adreno_cs_init(&b, &pool, &rest);
    uint32_t next = 0;
    assert_true(adreno_cs_is_empty(&a));
    for (; next < WORDS; next++) {
        adreno_cs_reserve(&a, 1);
        adreno_emit(&a, next);
    }
    adreno_cs_end(&a);
    uint32_t expected = 0;
    assert_int_equal(sum_of_pieces(&a, &expected), WORDS);
    assert_true(a.pieces.count > 1);
    /* The next one begins where that one ended; what is appended stands between its own words. */
    const struct vk_chunk *last = a.current;
    adreno_cs_reserve(&b, 4);
    assert_ptr_equal(b.current, last);
    for (uint32_t i = 0; i < 4; i++)
        adreno_emit(&b, UINT32_MAX - 3 + i);
    adreno_cs_append(&b, &a);
    adreno_cs_reserve(&b, 1);
    adreno_emit(&b, WORDS);
    adreno_cs_end(&b);
    assert_int_equal(b.pieces.count, a.pieces.count + 2);
    expected = UINT32_MAX - 3;
    assert_int_equal(sum_of_pieces(&b, &expected), WORDS + 5);
    adreno_cs_finish(&b);
    adreno_cs_finish(&a);
    vk_rest_drop(&pool, &rest);
    vk_chunk_pool_finish(&pool);
}

static struct vk_bo *no_bo(struct vk_device *device, uint32_t size_B)
{
    return NULL;
}

static void without_memory_a_stream_remembers_its_error(void **state)
{
    struct vk_device device = {.alloc = vk_default_allocator};
    struct vk_chunk_pool pool;
    struct adreno_cs cs;
    vk_chunk_pool_init(&pool, &device, no_bo, drop_bo);
    adreno_cs_init(&cs, &pool, NULL);
    for (unsigned i = 0; i < 10000; i++) {
        adreno_cs_reserve(&cs, 100);
        for (unsigned k = 0; k < 100; k++)
            adreno_emit(&cs, k);
    }
    adreno_cs_end(&cs);
    assert_int_equal(cs.error, VK_ERROR_OUT_OF_DEVICE_MEMORY);
    assert_int_equal(cs.pieces.count, 0);
    adreno_cs_finish(&cs);
    vk_chunk_pool_finish(&pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_barrier_flushes_what_the_reader_cannot_see),
        cmocka_unit_test(what_nobody_looks_at_is_pending),
        cmocka_unit_test(a_recording_begins_with_caches_that_may_be_stale),
        cmocka_unit_test(collective_bits_stand_for_all),
        cmocka_unit_test(streams_are_pieces_in_their_order),
        cmocka_unit_test(without_memory_a_stream_remembers_its_error),
    };
    return cmocka_run_group_tests_name("adreno orders and streams", tests, NULL, NULL);
}
