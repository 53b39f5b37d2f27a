/* Compiles a compute shader of the shared IR and runs it on the model's shader core, in strict mode. Buffers are set 0:
 * buffer i is binding i. */
#ifndef SHADER_RIG_H
#define SHADER_RIG_H

#include "amd/compiler/compiler.h"
#include "amd/model/spi/spi_compute.h"

struct rig_buffer {
    void *data;
    uint32_t size_B;
};

#define RIG_MAX_BINDINGS 16
#define RIG_FUNCTIONS (RIG_MAX_BINDINGS - 1) /* binding of the functions' addresses, 64 bits each; behind them a 0 */

struct shader_rig {
    struct gpu_space space;
    struct workers *workers;
    struct spi *spi;
    int fd;
    uint64_t used_B;
    bool verbose;
};

struct rig_shape {
    unsigned wave_size;
    bool no_optimisation;
    uint32_t groups[3]; /* 0: 1 */
    const void *push;
    uint32_t push_size_B;
    const struct rig_buffer *buffers;
    uint32_t num_buffers;
    struct ir_shader *const *functions; /* that the shader calls; all are consumed */
    uint32_t num_functions;
    uint64_t *function_out;                        /* NULL, or where the first one's address is to be put, too */
    uint64_t *const *functions_out;                /* the same of all of them; of this struct, too */
    uint32_t stack_B;                              /* of a lane, for their frames */
    uint64_t trace_tables, trace_size, traversal;  /* what they find in their registers */
    const uint32_t *descriptors[RIG_MAX_BINDINGS]; /* 12 words (image, sampler) instead of a buffer; NULL: a buffer */
};

void shader_rig_begin(struct shader_rig *rig);
void shader_rig_end(struct shader_rig *rig);
/* Memory of the GPU that stays until the next reset. */
void *shader_rig_alloc(struct shader_rig *rig, size_t size_B, uint64_t *va_out);
void shader_rig_reset(struct shader_rig *rig);
/* False with the reason. The shader is consumed. */
bool shader_rig_run(struct shader_rig *rig, struct ir_shader *shader, const struct rig_shape *shape,
                    char error_out[512]);

#endif
