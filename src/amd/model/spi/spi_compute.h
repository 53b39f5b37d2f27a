/* Launches the workgroups of a compute dispatch: initial registers, private memory, and the spread over the workers.
 * The register state comes from the command processor; nothing here knows a packet. */
#ifndef AMD_MODEL_SPI_COMPUTE_H
#define AMD_MODEL_SPI_COMPUTE_H

#include <stdatomic.h>

#include "amd/model/spi/spi.h"
#include "amd/model/sq/sq_gds.h"
#include "amd/model/sq/sq_wave.h"
#include "amd/model/texture/ta_state.h"

/* The COMPUTE_* registers of a dispatch, as they were written. */
struct spi_compute_state {
    uint64_t program_va; /* COMPUTE_PGM, shifted into place */
    uint32_t rsrc1;
    uint32_t rsrc2;
    uint32_t rsrc3;
    uint32_t user_data[16];
    uint32_t num_thread[3]; /* COMPUTE_NUM_THREAD_X/Y/Z: full [15:0], partial [31:16] */
    uint32_t start[3];
    uint32_t dim[3]; /* of the packet: the end in groups, or in threads with USE_THREAD_DIMENSIONS */
    uint32_t tmpring_size;
    uint32_t initiator; /* COMPUTE_DISPATCH_INITIATOR */
    struct ta_state ta;
    struct sq_gds gds;
    struct coherence_actor *coherence; /* NULL: nothing is looked at */
    struct sq_perf *perf;              /* NULL: nothing is counted */
};

/* Run a dispatch to its end. False: a wave faulted, the dispatch was abandoned and *fault_out says why. */
bool amd_spi_run_compute(struct spi *spi, const struct gpu_space *memory, const struct spi_compute_state *state,
                         const _Atomic bool *killed, struct sq_fault *fault_out);

#endif
