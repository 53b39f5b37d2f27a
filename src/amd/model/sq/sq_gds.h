/* The global data share as shaders see it: memory and wave-sync resources that all workgroups of a context have in
 * common. */
#ifndef AMD_MODEL_SQ_GDS_H
#define AMD_MODEL_SQ_GDS_H

#include <stdatomic.h>
#include <stdint.h>

#define SQ_GWS_COUNT 64 /* resources of a device */

/* A semaphore or barrier: the counter in the low half, the barrier's phase in the high one. */
typedef _Atomic uint64_t sq_gws;

/* The parts that the kernel gave to a context; sizes are 0 where it gave none. */
struct sq_gds {
    uint8_t *data;
    uint32_t size_B;
    sq_gws *gws;
    uint32_t gws_count;
};

#endif
