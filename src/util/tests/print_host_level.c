/* For the build: the best level of host instructions that this machine offers. */
#include <stdio.h>

#include "util/host_level.c"

int main(void)
{
    const struct host_level *level = host_levels;
    while (!level->is_offered())
        level++;
    puts(level->name);
    return 0;
}
