/* Lets the n-th allocation of host memory fail, alone and with all after it, for every n, in a program that uses a bit
 * of everything (script.c): each time there is an error that says so, or the driver did without and the bytes are
 * right; nothing is left allocated, nothing is freed that was not, and nothing crashes.
 *
 *     failing_memory LIBRARY [FIRST [LAST]] */
#include <stdio.h>
#include <stdlib.h>

#define VK_NO_PROTOTYPES
#include "failing_alloc.h"
#include "script.h"

static VkResult use_family(struct script *script, enum script_family family, bool *right_out)
{
    struct script_job job;
    VkResult result = script_job_create(&job, script, family, 5);
    if (result == VK_SUCCESS)
        result = script_job_record(&job);
    bool submitted = false;
    if (result == VK_SUCCESS) {
        result = script_job_submit(&job, script->queues[family][0]);
        submitted = result == VK_SUCCESS;
    }
    if (submitted)
        result = script_job_wait(&job);
    *right_out = result != VK_SUCCESS || script_job_is_right(&job);
    script_job_destroy(&job);
    return result;
}

static VkResult run_scripts(bool *right_out)
{
    struct script script;
    *right_out = true;
    VkResult result = script_open(&script, &failing_callbacks);
    for (int family = 0; family < SCRIPT_FAMILIES && result == VK_SUCCESS && *right_out; family++)
        result = use_family(&script, (enum script_family)family, right_out);
    script_close(&script);
    return result;
}

int main(int argc, char **argv)
{
    if (argc < 2 || !script_load(argv[1])) {
        fprintf(stderr, "usage: failing_memory LIBRARY [FIRST [LAST]]\n");
        return 2;
    }
    unsigned long first = argc > 2 ? strtoul(argv[2], NULL, 0) : 0, last = argc > 3 ? strtoul(argv[3], NULL, 0) : ~0ul;
    bool right = failing_run(run_scripts, "a program", 1, first, last);
    printf("1..3\n");
    return right ? 0 : 1;
}
