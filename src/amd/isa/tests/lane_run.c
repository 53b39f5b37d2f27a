/* Runs vector instructions for judges: reads lines "name s0 s1 s2 clamp", prints d and the mask bit of each. */
#include "amd/isa/tests/lane_test.h"

int main(void)
{
    char name[64];
    unsigned long long s[3];
    unsigned clamp;
    while (scanf("%63s %llx %llx %llx %x", name, &s[0], &s[1], &s[2], &clamp) == 5) {
        bool mask;
        state_reset();
        state.clamp = clamp;
        state.d = 0;
        const uint64_t d = run_vector(find_op(name), (const uint64_t[3]){s[0], s[1], s[2]}, UINT32_MAX, &mask);
        printf("%llx %d\n", (unsigned long long)d, mask);
    }
    return 0;
}
