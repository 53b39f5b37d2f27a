/* Streams as text: instructions, registers, what RUN_* point to, calls and jumps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "mali/hw/decode.h"
#include "mali/hw/descriptors.h"
#include "mali/hw/instructions.h"
#include "mali/hw/regs_compute.h"
#include "mali/hw/regs_fragment.h"
#include "mali/hw/table.h"
#include "util/bits.h"

#define PLACE 0x10000u

static uint32_t memory[1024];
static char problems[1024];

static const uint32_t *read_memory(void *data, uint64_t va, uint32_t count_dw)
{
    (void)data;
    if (va < PLACE || va % 4 || (va - PLACE) / 4 + count_dw > ARRAY_SIZE(memory))
        return NULL;
    return memory + (va - PLACE) / 4;
}

static void problem(void *data, uint64_t va, uint64_t offset_B, const char *message)
{
    (void)data, (void)va, (void)offset_B;
    strncat(problems, message, sizeof(problems) - strlen(problems) - 2);
    strcat(problems, "\n");
}

static const struct hw_decode_options options = {.read = read_memory, .problem = problem};

static char text[16384];

static unsigned decode_words(const struct hw_decode_options *how, struct mali_decode_queue *queue,
                             const uint64_t *words, unsigned count)
{
    struct strbuf out = {0};
    unsigned found;
    problems[0] = 0;
    if (queue) {
        memcpy(memory, words, 8 * count);
        found = mali_decode_submit(&out, how, queue, PLACE, 8 * count);
    } else {
        found = mali_decode_stream(&out, how, (const uint32_t *)words, 2 * count);
    }
    snprintf(text, sizeof(text), "%s", out.text ? out.text : "");
    strbuf_finish(&out);
    return found;
}

static void expect_result(const char *part)
{
    if (!strstr(text, part))
        fail_msg("no \"%s\" in:\n%s", part, text);
}

static void instructions_have_names(void **state)
{
    const uint64_t words[] = {MALI_CS(MOVE, .DESTINATION = 40, .IMMEDIATE = 0x1234), MALI_CS(WAIT, .WAIT_MASK = 0xff),
                              0xee00000000000000ull};
    assert_int_equal(decode_words(&(struct hw_decode_options){.problem = problem}, NULL, words, 3), 1);
    assert_string_equal(text, "00000000  MOVE IMMEDIATE=0x1234 DESTINATION=d40\n00000008  WAIT WAIT_MASK=0xff\n"
                              "00000010  ? 0xee00000000000000\n");
    assert_string_equal(problems, "opcode 0xee is not in the tables\n");
}

static void compute_is_decoded_with_all_it_points_to(void **state)
{
    struct mali_decode_queue queue = {{0}, {0}};
    memset(memory, 0, sizeof(memory));
    uint32_t *program = memory + 64, *table = memory + 128, *resource = memory + 96, *fau = memory + 80;
    mali_pack_desc_SHADER_PROGRAM(program, &(struct mali_desc_SHADER_PROGRAM){.TYPE = MALI_DESCRIPTOR_TYPE_SHADER,
                                                                              .STAGE = MALI_SHADER_STAGE_COMPUTE,
                                                                              .BINARY = 0xabc000});
    mali_pack_desc_RESOURCE(
        resource, &(struct mali_desc_RESOURCE){.ADDRESS = PLACE + 128 * 4, .CONTAINS_DESCRIPTORS = true, .SIZE = 64});
    mali_pack_desc_BUFFER(table + 8, &(struct mali_desc_BUFFER){.TYPE = MALI_DESCRIPTOR_TYPE_BUFFER,
                                                                .BUFFER_TYPE = MALI_BUFFER_TYPE_SIMPLE,
                                                                .SIZE = 4096,
                                                                .ADDRESS = 0x777000});
    fau[0] = 0xcafe;
    const uint64_t words[] = {
        MALI_CS(MOVE, .DESTINATION = 16, .IMMEDIATE = PLACE + 60 * 4),
        MALI_CS(ADD_IMMEDIATE64, .DESTINATION = 18, .SOURCE = 16, .IMMEDIATE = 16),
        MALI_CS(MOVE, .DESTINATION = 0, .IMMEDIATE = (PLACE + 96 * 4) | 1),
        MALI_CS(MOVE, .DESTINATION = 8, .IMMEDIATE = PLACE + 80 * 4),
        MALI_CS(MOVE32, .DESTINATION = 9, .IMMEDIATE = 1u << 24),
        MALI_CS(MOVE32, .DESTINATION = 33, .IMMEDIATE = 63),
        MALI_CS(RUN_COMPUTE, .TASK_INCREMENT = 1, .SPD_SELECT = 1),
    };
    assert_int_equal(decode_words(&options, &queue, words, ARRAY_SIZE(words)), 0);
    expect_result("d18  COMPUTE_SPD1");
    expect_result("X=64 Y=1 Z=1");
    expect_result("SHADER_PROGRAM TYPE=SHADER STAGE=COMPUTE");
    expect_result("BINARY=0x000000abc000");
    expect_result("u0    0000cafe 00000000");
    expect_result("RESOURCE ADDRESS=0x000000010200 CONTAINS_DESCRIPTORS=1 SIZE=64");
    expect_result("BUFFER TYPE=BUFFER BUFFER_TYPE=SIMPLE SIZE=4096 ADDRESS=0x000000777000");
    /* The queue keeps what it has: the next submit only runs. */
    const uint64_t again[] = {MALI_CS(RUN_COMPUTE, .SPD_SELECT = 1)};
    assert_int_equal(decode_words(&options, &queue, again, 1), 0);
    expect_result("STAGE=COMPUTE");
}

static void framebuffers_bring_their_targets(void **state)
{
    struct mali_decode_queue queue = {{0}, {0}};
    memset(memory, 0, sizeof(memory));
    mali_pack_desc_FRAMEBUFFER(
        memory + 64,
        &(struct mali_desc_FRAMEBUFFER){
            .WIDTH = 640, .HEIGHT = 480, .SAMPLE_COUNT = 1, .EFFECTIVE_TILE_SIZE = 256, .RENDER_TARGET_COUNT = 2});
    mali_pack_desc_RENDER_TARGET(memory + 112, &(struct mali_desc_RENDER_TARGET){.BASE = 0x500000, .ROW_STRIDE = 64});
    mali_pack_desc_RENDER_TARGET(memory + 128, &(struct mali_desc_RENDER_TARGET){.BASE = 0x600000});
    uint64_t fbd = MALI_PACK(FRAGMENT_FBD, .TYPE = true, .ZS_CRC_EXTENSION_PRESENT = true, .RENDER_TARGET_COUNT = 2,
                             .ADDR = PLACE + 256);
    const uint64_t words[] = {MALI_CS(MOVE, .DESTINATION = 40, .IMMEDIATE = fbd), MALI_CS(RUN_FRAGMENT, 0)};
    assert_int_equal(decode_words(&options, &queue, words, 2), 0);
    expect_result("FRAMEBUFFER WIDTH=640 HEIGHT=480");
    expect_result("ZS_CRC_EXTENSION");
    expect_result("BASE=0x000000500000 ROW_STRIDE=64");
    expect_result("BASE=0x000000600000");
}

static void calls_and_jumps_are_followed(void **state)
{
    struct mali_decode_queue queue = {{0}, {0}};
    memset(memory, 0, sizeof(memory));
    const uint64_t callee[] = {MALI_CS(MOVE32, .DESTINATION = 5, .IMMEDIATE = 55)},
                   next[] = {MALI_CS(LOAD_MULTIPLE, .BASE_REGISTER = 6, .MASK = 5, .ADDRESS = 2), MALI_CS(NOP, 0)};
    memcpy(memory + 64, callee, sizeof(callee));
    memcpy(memory + 72, next, sizeof(next));
    const uint64_t words[] = {
        MALI_CS(MOVE, .DESTINATION = 2, .IMMEDIATE = PLACE + 256),
        MALI_CS(MOVE32, .DESTINATION = 4, .IMMEDIATE = 8),
        MALI_CS(CALL, .ADDRESS = 2, .LENGTH = 4),
        MALI_CS(MOVE, .DESTINATION = 2, .IMMEDIATE = PLACE + 288),
        MALI_CS(MOVE32, .DESTINATION = 4, .IMMEDIATE = 16),
        MALI_CS(JUMP, .ADDRESS = 2, .LENGTH = 4),
        MALI_CS(ERROR_BARRIER, 0),
    };
    assert_int_equal(decode_words(&options, &queue, words, ARRAY_SIZE(words)), 0);
    expect_result("call 0x000000010100 {\n00000000  MOVE32 IMMEDIATE=0x37 DESTINATION=r5\n} back from");
    expect_result("jump 0x000000010120\n00000000  LOAD_MULTIPLE");
    assert_null(strstr(text, "ERROR_BARRIER"));
    assert_int_equal(queue.regs[5], 55);
    assert_int_equal(queue.regs[6], memory[72]);
    assert_int_equal(queue.regs[7], 0); /* not of the mask: memory has no word for it */
    assert_int_equal(queue.regs[8], memory[73]);
}

/* An unknown register is not printed as if it were known, and memory that cannot be read is reported. */
static void nothing_is_made_up(void **state)
{
    const uint64_t words[] = {MALI_CS(MOVE, .DESTINATION = 24, .IMMEDIATE = 0x99000), MALI_CS(RUN_COMPUTE, 0)};
    assert_int_equal(decode_words(&options, NULL, words, 2), 1);
    assert_null(strstr(text, "COMPUTE_SRT"));
    expect_result("COMPUTE_TSD0");
    assert_string_equal(problems, "cannot read LOCAL_STORAGE at 0x99000\n");
}

/* The captures of Mesa's decoder: memory as hexadecimal bytes, streams by their address or by the bytes of
 * instructions. */
static void captures_hold_memory_and_streams(void **state)
{
    static const char capture[] = "CS 0 on subqueue 1 binaries\n\n"
                                  "main_cs@10000{\n"
                                  "    MOVE d16, #0x10040\n"
                                  "label_10008:\n"
                                  "    RUN_COMPUTE // tracepoint_10008\n"
                                  "} // main_cs@10000\n\n"
                                  "   37 00 00 00 00 00 05 02    MOVE32 r5, #0x37\n"
                                  "Buffer: streams gpu 10000\n\n"
                                  "000000  40 00 01 00 00 00 10 01 00 00 00 00 00 00 00 04 \n"
                                  "000010  00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 \n"
                                  "*\n"
                                  "000040  18 00 00 00 00 00 00 00 00 C0 AB 00 00 00 00 00 \n"
                                  "000050  00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 \n\n";
    struct strbuf out = {0};
    assert_true(mali_is_capture(capture, sizeof(capture) - 1));
    assert_false(mali_is_capture("\x01\x02\x03\x04", 4));
    problems[0] = 0;
    assert_int_equal(mali_decode_capture(&out, &options, capture, sizeof(capture) - 1), 0);
    snprintf(text, sizeof(text), "%s", out.text);
    strbuf_finish(&out);
    expect_result("stream 0x000000010000, 2 instructions, queue 1");
    expect_result("00000008  RUN_COMPUTE");
    expect_result("SHADER_PROGRAM TYPE=SHADER STAGE=COMPUTE");
    expect_result("BINARY=0x000000abc000");
    expect_result("MOVE32 IMMEDIATE=0x37 DESTINATION=r5");
    /* cut off anywhere, it is decoded as far as it goes */
    for (size_t size_B = 0; size_B < sizeof(capture) - 1; size_B++) {
        mali_decode_capture(&out, &(struct hw_decode_options){0}, capture, size_B);
        strbuf_finish(&out);
        out = (struct strbuf){0};
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instructions_have_names),
        cmocka_unit_test(compute_is_decoded_with_all_it_points_to),
        cmocka_unit_test(framebuffers_bring_their_targets),
        cmocka_unit_test(calls_and_jumps_are_followed),
        cmocka_unit_test(nothing_is_made_up),
        cmocka_unit_test(captures_hold_memory_and_streams),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
