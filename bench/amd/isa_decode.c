/* How many instructions a second one core decodes, with and without text. The claim of docs/isa.md: 10 million with
 * text.
 *
 *     bench_isa_decode [FILE]      raw GFX10.3 code; without it, a mix of every encoding of every instruction */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "amd/isa/isa.h"
#include "util/file.h"

#define MIN_SECONDS 0.5
#define RUNS 3

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time); /* what others do on this machine is not measured */
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Every variant of every instruction with plain operands, in the order of the table, some thousand times over. */
static uint32_t *make_code(size_t *count_dw_out)
{
    const size_t capacity_dw = 1 << 20;
    uint32_t *words = malloc(capacity_dw * 4);
    size_t count_dw = 0;
    while (words && count_dw + 4 * ISA_OP_COUNT * ISA_VARIANT_COUNT < capacity_dw) {
        for (unsigned op = 0; op < ISA_OP_COUNT; op++) {
            for (unsigned variant = 0; variant < ISA_VARIANT_COUNT; variant++) {
                const struct isa_op_info *info = isa_info(op);
                struct isa_inst inst = {.op = op, .variant = variant};
                for (unsigned i = 0; i < info->operand_count; i++) {
                    unsigned type = info->operands[i].type, count = info->operands[i].count;
                    inst.operands[i] = (struct isa_operand){ISA_OPERAND_VGPR, count ? count : 1, 8 * (i + 1)};
                    if (info->format <= ISA_FORMAT_SMEM)
                        inst.operands[i].kind = ISA_OPERAND_SGPR;
                    if (type == ISA_TYPE_MASK)
                        inst.operands[i] =
                            (struct isa_operand){ISA_OPERAND_SPECIAL, ISA_COUNT_WAVE, ISA_SPECIAL_VCC_LO};
                    if (info->operands[i].name == ISA_NAME_IMM)
                        inst.operands[i] = (struct isa_operand){ISA_OPERAND_IMM, 1, 3};
                    if (info->operands[i].name == ISA_NAME_SRSRC || info->operands[i].name == ISA_NAME_SSAMP ||
                        info->operands[i].name == ISA_NAME_SOFFSET)
                        inst.operands[i].kind = ISA_OPERAND_SGPR;
                    if (type == ISA_TYPE_BUFFER || info->operands[i].name == ISA_NAME_SADDR)
                        inst.operands[i].kind = ISA_OPERAND_NONE;
                }
                uint32_t encoded[ISA_MAX_DW];
                int size_dw = amd_isa_encode(ISA_GFX10_3, &inst, encoded, NULL);
                for (int i = 0; i < size_dw; i++)
                    words[count_dw++] = encoded[i];
            }
        }
    }
    *count_dw_out = count_dw;
    return words;
}

static size_t decode_all(const uint32_t *words, size_t count_dw, bool with_text, size_t *bytes)
{
    char text[ISA_MAX_TEXT];
    struct isa_inst inst;
    size_t count = 0;
    for (size_t at = 0; at < count_dw; count++) {
        int size_dw = amd_isa_decode(ISA_GFX10_3, words + at, count_dw - at, &inst);
        if (size_dw > 0 && with_text)
            *bytes += amd_isa_print(ISA_GFX10_3, 32, &inst, text);
        at += size_dw > 0 ? (size_t)size_dw : 1;
    }
    return count;
}

/* Millions of instructions a second; the best of several runs. */
static double measure_rate(const uint32_t *words, size_t count_dw, bool with_text)
{
    double best = 0;
    size_t bytes = 0;
    for (unsigned run = 0; run < RUNS; run++) {
        size_t count = 0;
        double start = now(), seconds;
        do {
            count += decode_all(words, count_dw, with_text, &bytes);
            seconds = now() - start;
        } while (seconds < MIN_SECONDS);
        if ((double)count / seconds > best)
            best = (double)count / seconds;
    }
    return best * 1e-6;
}

int main(int argc, char **argv)
{
    uint32_t *words;
    size_t count_dw;
    if (argc > 1) {
        char *data;
        size_t size_B;
        int error = file_read(argv[1], &data, &size_B);
        if (error) {
            fprintf(stderr, "%s: %s\n", argv[1], strerror(-error));
            return 1;
        }
        words = (uint32_t *)data;
        count_dw = size_B / 4;
    } else {
        words = make_code(&count_dw);
    }
    if (!words || count_dw == 0) {
        fprintf(stderr, "no code to decode\n");
        return 1;
    }
    printf("decode            %6.1f million instructions/s\n", measure_rate(words, count_dw, false));
    printf("decode and print  %6.1f million instructions/s\n", measure_rate(words, count_dw, true));
    free(words);
    return 0;
}
