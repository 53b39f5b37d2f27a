/* Memory that host code loads from: a view lies in the wave and is filled before the code runs. What it is found by
 * (descriptors, windows, the workgroup's own memory) is a family's. */
#ifndef MODEL_EXEC_VIEW_H
#define MODEL_EXEC_VIEW_H

#include <stdint.h>

struct exec_view {
    const void *host;
    uint32_t limit; /* the first element that is not there, in the family's units */
};

#endif
