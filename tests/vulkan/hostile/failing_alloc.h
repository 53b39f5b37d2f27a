/* Host memory whose n-th allocation fails, alone or with all after it, and that knows what is left of it. */
#ifndef TESTS_VULKAN_FAILING_ALLOC_H
#define TESTS_VULKAN_FAILING_ALLOC_H

#include <stdbool.h>

#include <vulkan/vulkan.h>

/* Allocations seen since a run began. */
struct failing_memory {
    unsigned long count, fails_at; /* allocations so far; the one that fails */
    long live;
    bool for_good; /* and all after it */
    bool failed, wrong_free;
};
extern struct failing_memory failing_memory;

extern const VkAllocationCallbacks failing_callbacks;

/* Runs the program with nothing failing, then with each allocation failing, then with all after it failing, too, and
 * prints three lines of TAP from the number on. A crash says at which allocation it was. */
typedef VkResult (*failing_program)(bool *right_out);
bool failing_run(failing_program program, const char *what, int number, unsigned long first, unsigned long last);

#endif
