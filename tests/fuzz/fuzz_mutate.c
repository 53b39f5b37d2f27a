/* A mutator that knows SPIR-V's instructions, so that what it makes gets further than the header: operands become other
 * operands, instructions are moved, doubled, cut and renamed. */
#include <stdint.h>
#include <string.h>

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size_B, size_t max_size_B, unsigned int seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size_B, size_t max_size_B);

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005ull + 1442695040888963407ull;
    return *state >> 33;
}

/* Offsets of instructions, as far as they can be followed. */
static size_t find_instructions(const uint32_t *words, size_t count, size_t *out, size_t max)
{
    size_t found = 0;
    for (size_t at = 5; at < count && found < max && words[at] >> 16 && (words[at] >> 16) <= count - at;
         at += words[at] >> 16)
        out[found++] = at;
    return found;
}

static void change_operand(uint32_t *words, const size_t *at, size_t instructions, uint64_t *state)
{
    size_t i = at[next_random(state) % instructions], length = words[i] >> 16;
    if (length < 2)
        return;
    uint32_t *operand = &words[i + 1 + next_random(state) % (length - 1)];
    size_t from = at[next_random(state) % instructions], from_length = words[from] >> 16;
    switch (next_random(state) % 4) {
    case 0:
        *operand = (uint32_t)(next_random(state) % (words[3] ? words[3] : 1));
        break;
    case 1:
        *operand = from_length > 1 ? words[from + 1 + next_random(state) % (from_length - 1)] : 0;
        break;
    case 2:
        *operand ^= 1u << next_random(state) % 32;
        break;
    default:
        *operand += (uint32_t)(next_random(state) % 5) - 2;
        break;
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size_B, size_t max_size_B, unsigned int seed)
{
    static size_t at[1 << 14];
    static uint32_t words[1 << 16];
    uint64_t state = seed;
    size_t count = size_B / 4 < 1 << 15 ? size_B / 4 : 1 << 15;
    memcpy(words, data, count * 4);
    size_t instructions = find_instructions(words, count, at, sizeof(at) / sizeof(at[0]));
    if (instructions == 0 || next_random(&state) % 32 == 0)
        return LLVMFuzzerMutate(data, size_B, max_size_B);
    for (uint64_t times = 1 + next_random(&state) % 3; times; times--) {
        size_t i = at[next_random(&state) % instructions], length = words[i] >> 16;
        size_t to = at[next_random(&state) % instructions];
        switch (next_random(&state) % 16) {
        case 0: /* cut */
            memmove(&words[i], &words[i + length], (count - i - length) * 4);
            count -= length;
            break;
        case 1: /* doubled elsewhere */
            if (count + length < 1 << 15) {
                uint32_t copy[64];
                size_t kept = length < 64 ? length : 0;
                memcpy(copy, &words[i], kept * 4);
                memmove(&words[to + kept], &words[to], (count - to) * 4);
                memcpy(&words[to], copy, kept * 4);
                count += kept;
            }
            break;
        case 2: /* another opcode */
            words[i] = (words[i] & 0xffff0000u) | (words[to] & 0xffffu);
            break;
        case 3:
            words[i] = (words[i] & 0xffff0000u) | (uint32_t)(next_random(&state) % 400);
            break;
        case 4: /* the end is missing */
            count = next_random(&state) % 8 == 0 ? i : count;
            break;
        default:
            change_operand(words, at, instructions, &state);
            break;
        }
        instructions = find_instructions(words, count, at, sizeof(at) / sizeof(at[0]));
        if (instructions == 0)
            break;
    }
    size_t bytes = count * 4 < max_size_B ? count * 4 : max_size_B / 4 * 4;
    memcpy(data, words, bytes);
    return bytes;
}
